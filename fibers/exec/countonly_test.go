package exec

import (
	"context"
	"fmt"
	"testing"

	"github.com/trireme-db/trireme/einsum/format"
	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/fibers"
	"github.com/trireme-db/trireme/optimizer/physical"
)

const countOnlyText = `tensor A(0) { n pattern }
tensor B(0) { n pattern }
tensor C(0) { n pattern }
R() = n: sum(i,j) C.n(i) * A.n(j) * B.n(j) * (i <> j)
  loops: i ~1, j ~1 where (i <> j)
  read C(i): 0 sparse walk
  read A(j): 0 sparse walk
  read B(j): 0 %s lookup
  store ():; prefix 0; workspace none; i64
  estimate: ~1 cells, ~1 entries
`

// TestCountsOfSplitLoops: where a mask splits a loop, entries that are only counted
// are looked up in levels of every kind, also in those that have neither marks nor
// presence bytes.
func TestCountsOfSplitLoops(t *testing.T) {
	const n = 40
	every := func(kind format.Kind, step, from, to int) *fibers.Tensor {
		c := &fibers.COO{Dims: []int{n}, Coords: make([][]fibers.Coord, 1), Leaves: []fibers.Leaf{fibers.NewLeaf("n", semiring.Pattern, 0)}}
		for i := from; i < to; i += step {
			c.Coords[0] = append(c.Coords[0], fibers.Coord(i))
			c.N++
		}
		out, err := c.Tensor(context.Background(), []int{0}, []format.Kind{kind})
		if err != nil {
			t.Fatal(err)
		}
		if got := out.Levels[0].Kind(); got != kind {
			t.Fatalf("a level of kind %v, want %v", got, kind)
		}
		return out
	}
	for _, other := range []struct {
		tensor *fibers.Tensor
		want   int64
	}{
		{every(format.SparseList, 4, 0, n), 10},
		{every(format.Bytemap, 4, 0, n), 10},
		{every(format.Hash, 4, 0, n), 10},
		{every(format.Pinpoint, 1, 6, 7), 1},
		{every(format.Interval, 1, 6, 10), 2},
		{every(format.Band, 1, 6, 10), 2},
	} {
		kind := other.tensor.Levels[0].Kind()
		p, err := physical.Parse(fmt.Sprintf(countOnlyText, kind))
		if err != nil {
			t.Fatal(err)
		}
		in := Inputs{Operands: []*fibers.Tensor{every(format.SparseList, 1, 0, n), every(format.SparseList, 2, 0, n), other.tensor}, Dims: map[string]int{"i": n, "j": n}}
		for _, opt := range []Options{{NoRegistry: true}, {}, {Threads: 2, Morsels: 3}} {
			got, _, err := RunStep(context.Background(), p.Steps[0], in, opt)
			if err != nil {
				t.Fatal(err)
			}
			if n := got.Leaf("n").I64[0]; n != other.want*(40-1) {
				t.Errorf("%v, %+v: %d pairs, want %d", kind, opt, n, other.want*(40-1))
			}
		}
	}
}
