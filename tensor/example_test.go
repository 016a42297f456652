package tensor_test

import (
	"context"
	"fmt"

	"github.com/trireme-db/trireme/einsum/expr"
	"github.com/trireme-db/trireme/tensor"
)

// Distances of two steps along roads: a matrix product over (min, +).
func ExampleEinsum() {
	roads, err := tensor.Floats([][]int{{0, 0, 1, 2}, {1, 2, 3, 3}}, []float64{4, 1.5, 2, 3})
	if err != nil {
		fmt.Println(err)
		return
	}
	two, err := tensor.Einsum(context.Background(), "from via, via to -> from to",
		[]*tensor.Tensor{roads, roads}, tensor.Options{Semiring: expr.MinPlus})
	if err != nil {
		fmt.Println(err)
		return
	}
	for e := range two.Len() {
		fmt.Println(two.Coord(0, e), "to", two.Coord(1, e), "is", two.Values().Float64(e))
	}
	// Output: 0 to 3 is 4.5
}

// A program of two queries: how many triangles each vertex is in, and the most.
func ExampleRun() {
	edges, err := tensor.New([][]int{{0, 1, 0, 2, 1, 2, 2, 3}, {1, 0, 2, 0, 2, 1, 3, 2}}, 8, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	most, err := tensor.Run(context.Background(), `
		tensor E(0,0) { n pattern }
		C(i) = n: or(j,k) and(E.n(i,j), E.n(j,k), E.n(k,i)) | v: sum(j,k) E.n(i,j) * E.n(j,k) * E.n(k,i)
		M() = n: or(i) C.n(i) | v: max(i) C.v(i)`,
		map[string]*tensor.Tensor{"E": edges}, tensor.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(most.Values().Big(0))
	// Output: 2
}
