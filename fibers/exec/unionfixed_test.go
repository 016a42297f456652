package exec

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/trireme-db/trireme/einsum/format"
	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/fibers"
	"github.com/trireme-db/trireme/optimizer/physical"
)

const unionFixedText = `tensor A(0) { n pattern }
tensor D(0) { n pattern }
tensor B(0,1) { n pattern, x i64 }
tensor C(0,1) { n pattern, x i64 }
R(i,j) = n: or(and(A.n(i), B.n(i,j)), and(D.n(i), C.n(i,j)))
       | s: A.n(i) * B.x(i,j) + D.n(i) * C.x(i,j)
  loops: i ~1, j ~1000
  read A(i): 0 sparse walk
  read B(i,j): 0 sparse walk, 1 sparse walk
  read D(i): 0 sparse walk
  read C(i,j): 0 sparse walk, 1 sparse walk
  store (i,j): sparse, sparse; prefix 2; workspace none; i64, i64
  estimate: ~1000 cells, ~1000 entries
`

// A row of a union whose lists are all alike, and so are not merged, has cells only
// where what each part asks of the row is there as well.
func TestUnionOfEqualListsAsksForItsRow(t *testing.T) {
	p, err := physical.Parse(unionFixedText)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Check(); err != nil {
		t.Fatal(err)
	}
	const rows, columns, listed = 12, 30, 4 // the lists have few rows, and so they lead
	row := func(is ...fibers.Coord) *fibers.Tensor {
		coo := &fibers.COO{Dims: []int{rows}, N: len(is), Coords: [][]fibers.Coord{is}, Leaves: []fibers.Leaf{fibers.NewLeaf("n", semiring.Pattern, len(is))}}
		return laid(t, coo, format.SparseList)
	}
	list := func(value int64) *fibers.Tensor {
		coo := &fibers.COO{Dims: []int{rows, 3 * columns}, N: listed * columns, Coords: make([][]fibers.Coord, 2), Leaves: []fibers.Leaf{
			fibers.NewLeaf("n", semiring.Pattern, listed*columns), fibers.NewLeaf("x", semiring.I64, listed*columns),
		}}
		for e := range coo.N {
			coo.Coords[0], coo.Coords[1] = append(coo.Coords[0], fibers.Coord(e/columns)), append(coo.Coords[1], fibers.Coord(3*(e%columns)))
			coo.Leaves[1].I64[e] = value
		}
		return laid(t, coo, format.SparseList, format.SparseList)
	}
	in := Inputs{Operands: []*fibers.Tensor{row(0, 3, 4, 5, 6, 7), list(1), row(2, 3, 8, 9, 10, 11), list(10)}, Dims: map[string]int{"i": rows, "j": 3 * columns}}
	var want []string
	for i, value := range []int64{1, 0, 10, 11} {
		for j := range columns {
			if value > 0 {
				want = append(want, fmt.Sprint(i, 3*j, value))
			}
		}
	}
	for _, opt := range []Options{{}, {NoRegistry: true}} {
		out, stats, err := RunStep(context.Background(), p.Steps[0], in, opt)
		if err != nil {
			t.Fatal(err)
		}
		if !opt.NoRegistry && !strings.HasPrefix(stats.Kernel, "union ") {
			t.Errorf("kernel %s", stats.Kernel)
		}
		var got []string
		out.Each(func(at []fibers.Coord, pos int32) bool {
			got = append(got, fmt.Sprint(at[0], at[1], out.Leaf("s").I64[pos]))
			return true
		})
		if !slices.Equal(got, want) {
			t.Errorf("%+v: %v, want %v", opt, got, want)
		}
	}
}

// laid is a tensor of entries in the order of their modes.
func laid(t *testing.T, coo *fibers.COO, formats ...format.Kind) *fibers.Tensor {
	t.Helper()
	order := make([]int, len(formats))
	for l := range order {
		order[l] = l
	}
	out, err := coo.Tensor(context.Background(), order, formats)
	if err != nil {
		t.Fatal(err)
	}
	return out
}
