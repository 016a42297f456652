package engine

import (
	"errors"
	"testing"

	"github.com/trireme-db/trireme/internal/rows"
)

// TestFoundRowsTooMany: a number of rows whose bytes do not fit 64 bits is too much
// memory, and so are long strings.
func TestFoundRowsTooMany(t *testing.T) {
	number, text := rows.Type{ID: rows.BigInt}, rows.Type{ID: rows.Varchar}
	for _, times := range []int64{1 << 57, 1 << 62, 3 << 56, 1} {
		columns := []rows.Column{{Name: "n", Type: number}, {Name: "s", Type: text}}
		f := &foundRows{columns: columns, account: &account{limitBytes: 1 << 20}}
		b := &rows.Batch{N: 1, Cols: []rows.Vector{
			{Type: number, I64: []int64{7}}, {Type: text, Str: []string{string(make([]byte, 1<<20))}}, {Type: number, I64: []int64{times}},
		}}
		if err := f.add(newBatch(columns), b); !errors.Is(err, errBudget) {
			t.Errorf("%d times: error %v", times, err)
		}
	}
}

// TestSeenRowsBytes: rows far apart have a page each, which counts.
func TestSeenRowsBytes(t *testing.T) {
	for _, others := range []int{0, 1, 2} {
		s := &seenRows{}
		coords := [][]int32{make([]int32, 1)}
		for o := range others {
			s.others = append(s.others, o+1)
			coords = append(coords, make([]int32, 1))
		}
		switch others {
		case 1:
			s.pages = map[uint64]*seenPage{}
		case 2:
			s.texts = map[string]*seenPage{}
		}
		const pages = 1000
		for i := range pages {
			coords[0][0] = int32(i) << seenPageLog
			for range 2 { // the second time it is there
				s.add(coords, 0)
			}
		}
		if least := int64(pages << seenPageLog / 8); s.bytes < least {
			t.Errorf("%d columns: %d bytes, want %d and more", others+1, s.bytes, least)
		}
	}
}
