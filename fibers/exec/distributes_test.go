package exec

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/trireme-db/trireme/einsum/format"
	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/fibers"
	"github.com/trireme-db/trireme/optimizer/physical"
)

// Bodies over V(i), E(i,j) and the formats of E's rows in which a constant factor could
// be taken out of the loop over j, or a sum be multiplied out.
var distributing = []string{
	"V.y(i) * E.y(i,j)", "E.y(i,j) * V.y(i) * E.x(i,j)", "(V.y(i) - E.y(i,j)) * E.x(i,j)", "(V.y(i) + E.x(i,j)) * (E.y(i,j) - V.x(i))",
	"V.y(i) * V.x(i)", "E.y(i,j) - V.y(i)",
}

const distributingText = `tensor V(0) { n pattern, x i64, y f64 }
tensor E(0,0) { n pattern, x i64, y f64 }
R(%[1]s) = n: or(%[2]s) and(V.n(i), E.n(i,j))
    | y: sum(%[2]s) %[3]s
  loops: i ~1, j ~1
  read V(i): 0 bytemap lookup
  read E(i,j): 0 sparse walk, 1 sparse walk
  store (%[1]s):%[4]s; prefix %[5]d; workspace none; pattern, f64
  estimate: ~1 cells, ~1 entries
`

// TestSumsOverInfinities: a factor that is infinite, or a product that may be, is
// multiplied entry by entry as the expression says. Finite factors are taken out.
func TestSumsOverInfinities(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 3))
	for _, huge := range []float64{1, math.Inf(1), math.NaN(), 1e300} {
		for _, body := range distributing {
			if huge == 1e300 && strings.ContainsAny(body, "+-") {
				continue // what is left of small addends depends on the order
			}
			for _, out := range []struct {
				idx, over, store string
				prefix           int
			}{{"", "i,j", "", 0}, {"i", "j", " sparse", 1}} {
				p, err := physical.Parse(fmt.Sprintf(distributingText, out.idx, out.over, body, out.store, out.prefix))
				if err != nil {
					t.Fatal(err)
				}
				for range 20 {
					in := randomFactors(t, rng, huge)
					fast, _, err := RunStep(context.Background(), p.Steps[0], in, Options{})
					if err != nil {
						t.Fatal(err)
					}
					general, _, err := RunStep(context.Background(), p.Steps[0], in, Options{NoRegistry: true})
					if err != nil {
						t.Fatal(err)
					}
					sameTensor(t, &problem{step: p.Steps[0], dims: in.Dims}, fast, general)
				}
			}
		}
	}
}

// randomFactors are V(i) and E(i,j) with small values, some of them as large as huge.
func randomFactors(t *testing.T, rng *rand.Rand, huge float64) Inputs {
	t.Helper()
	const n = 4
	float := func() float64 {
		if rng.IntN(8) == 0 {
			return math.Copysign(huge, float64(rng.IntN(2))-0.5)
		}
		return float64(rng.IntN(9) - 4)
	}
	leaves := func(entries int) []fibers.Leaf {
		x, y := fibers.NewLeaf("x", semiring.I64, entries), fibers.NewLeaf("y", semiring.F64, entries)
		for e := range entries {
			x.I64[e], y.F64[e] = rng.Int64N(7)-3, float()
		}
		return []fibers.Leaf{fibers.NewLeaf("n", semiring.Pattern, 0), x, y}
	}
	vector := &fibers.COO{Dims: []int{n}, Coords: make([][]fibers.Coord, 1), N: n, Leaves: leaves(n)}
	matrix := &fibers.COO{Dims: []int{n, n}, Coords: make([][]fibers.Coord, 2)}
	for i := range fibers.Coord(n) {
		vector.Coords[0] = append(vector.Coords[0], i)
		for j := range fibers.Coord(n) {
			if rng.IntN(2) == 0 {
				matrix.N++
				matrix.Coords[0], matrix.Coords[1] = append(matrix.Coords[0], i), append(matrix.Coords[1], j)
			}
		}
	}
	matrix.Leaves = leaves(matrix.N)
	v, err := vector.Tensor(context.Background(), []int{0}, []format.Kind{format.Bytemap})
	if err != nil {
		t.Fatal(err)
	}
	e, err := matrix.Tensor(context.Background(), []int{0, 1}, []format.Kind{format.SparseList, format.SparseList})
	if err != nil {
		t.Fatal(err)
	}
	return Inputs{Operands: []*fibers.Tensor{v, e}, Dims: map[string]int{"i": n, "j": n}}
}
