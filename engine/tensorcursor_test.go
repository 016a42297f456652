package engine

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/trireme-db/trireme/einsum/format"
	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/fibers"
)

// TestTensorCursor reads tensors of every level kind batch by batch: what comes
// is what Each visits.
func TestTensorCursor(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for _, shape := range [][]int{{}, {1}, {5000}, {3, 3000}, {3000, 3}, {40, 30, 20}} {
		for last := range format.Kinds {
			for _, share := range []float64{0, 0.3, 1} {
				tensor := randomTensor(t, rng, shape, last, share)
				cursor := &tensorCursor{tensor: tensor}
				for m, dim := range shape {
					cursor.modes = append(cursor.modes, m)
					cursor.domains = append(cursor.domains, fibers.NewDomain(fibers.Int64Values, fibers.DomainHint{Rows: dim, HasRange: true, Min: 100, Max: 99 + int64(dim)}))
				}
				got := readEntries(t, cursor)
				var want [][]int64
				tensor.Each(func(coords []fibers.Coord, pos int32) bool {
					var row []int64
					for _, c := range coords {
						row = append(row, 100+int64(c))
					}
					want = append(want, append(row, 1, tensor.Leaves[1].I64[pos]))
					return true
				})
				if !slices.EqualFunc(got, want, slices.Equal[[]int64]) {
					t.Errorf("%v, last level %v, %d entries: the cursor's %d rows are others", shape, last, len(want), len(got))
				}
			}
		}
	}
}

// randomTensor has about a share of all entries, and the last level of a kind if
// they have its shape.
func randomTensor(t *testing.T, rng *rand.Rand, shape []int, last format.Kind, share float64) *fibers.Tensor {
	t.Helper()
	all := 1
	for _, dim := range shape {
		all *= dim
	}
	coo := &fibers.COO{Dims: shape, Coords: make([][]fibers.Coord, len(shape))}
	val := fibers.Leaf{Name: "v", Elem: semiring.I64}
	for e := range all {
		if rng.Float64() >= share {
			continue
		}
		for m, rest := len(shape)-1, e; m >= 0; m-- {
			coo.Coords[m] = append(coo.Coords[m], fibers.Coord(rest%shape[m]))
			rest /= shape[m]
		}
		// Runs of one value, for the levels that store runs.
		val.I64 = append(val.I64, int64(e/7))
		coo.N++
	}
	coo.Leaves = []fibers.Leaf{{Name: "n", Elem: semiring.Pattern}, val}
	order, formats := make([]int, len(shape)), make([]format.Kind, len(shape))
	for m := range shape {
		order[m], formats[m] = m, format.SparseList
	}
	if len(shape) > 0 {
		formats[len(shape)-1] = last
	}
	tensor, err := coo.Tensor(context.Background(), order, formats)
	if err != nil {
		t.Fatal(err)
	}
	return tensor
}

// readEntries reads a cursor of integers to its end.
func readEntries(t *testing.T, c *tensorCursor) (out [][]int64) {
	t.Helper()
	for {
		b, err := c.Next(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if b == nil {
			return out
		}
		if b.N == 0 || b.N > entriesPerBatch {
			t.Fatalf("a batch of %d rows", b.N)
		}
		for i := range b.N {
			var row []int64
			for _, v := range b.Cols {
				if v.IsNull(i) {
					t.Fatal("a NULL")
				}
				row = append(row, v.I64[i])
			}
			out = append(out, row)
		}
	}
}

// TestTensorCursorNull: NULL is a value of a key like others, of every kind.
func TestTensorCursorNull(t *testing.T) {
	domain := fibers.NewDomain(fibers.StringValues, fibers.DomainHint{})
	coords := make([]fibers.Coord, 2)
	if err := domain.EncodeString([]string{"a", "b"}, coords); err != nil {
		t.Fatal(err)
	}
	null := domain.NullCoord()
	coo := &fibers.COO{Dims: []int{domain.Len()}, N: 2, Coords: [][]fibers.Coord{{coords[1], null}}}
	tensor, err := coo.Tensor(context.Background(), []int{0}, []format.Kind{format.SparseList})
	if err != nil {
		t.Fatal(err)
	}
	c := &tensorCursor{tensor: tensor, modes: []int{0}, domains: []*fibers.Domain{domain}}
	b, err := c.Next(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if v := &b.Cols[0]; b.N != 2 || v.IsNull(0) || v.Str[0] != "b" || !v.IsNull(1) {
		t.Errorf("%d rows: %+v", b.N, *v)
	}
}
