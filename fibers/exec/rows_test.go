package exec

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/trireme-db/trireme/einsum/format"
	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/fibers"
	"github.com/trireme-db/trireme/optimizer/physical"
)

// randomGraph has so many edges between n vertices, and two hubs that are joined
// with every vertex: rows of all lengths.
func randomGraph(tb testing.TB, rng *rand.Rand, n, edges int) *fibers.Tensor {
	seen := map[[2]int64]bool{}
	var src, dst []int64
	add := func(a, b int64) {
		if !seen[[2]int64{a, b}] {
			seen[[2]int64{a, b}] = true
			src, dst = append(src, a), append(dst, b)
		}
	}
	for range edges {
		add(rng.Int64N(int64(n)), rng.Int64N(int64(n)))
	}
	for v := range int64(n) {
		add(0, v)
		add(v, 1)
	}
	return graph(tb, src, dst)
}

// TestRowLoops runs counts over patterns by kernels that take rows and on the
// general path. Each form of a rowLoop is taken.
func TestRowLoops(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 23))
	// The last graph's hubs are longer than gasUnits.
	for _, size := range [][2]int{{3, 4}, {40, 200}, {1500, 3000}, {gasUnits + 9, 1}} {
		e := randomGraph(t, rng, size[0], size[1])
		for _, c := range []struct {
			name, order, edges, out string
			ws                      format.Workspace
			kernel                  string
		}{
			{"total count", "ij", "ij", "", format.None, "count"},
			{"one entry per row", "ij", "ij", "i", format.None, "count"},
			{"total of probes", "ijk", "ij ik jk", "", format.None, "probe-count"},
			{"total per outer index", "ijk", "ij ik jk", "i", format.None, "probe-count"},
			{"entry per row of probes", "ijk", "ij ik jk", "ij", format.None, "probe-count"},
			{"slot of the row", "ijk", "ij ik jk", "j", format.DenseWorkspace, "probe-count"},
			{"hashed slot of the row", "ijk", "ij ik jk", "j", format.HashWorkspace, "probe-count"},
			{"fibers that stay meet", "ijkl", "ij ik il jk jl kl", "", format.None, "select+probe-count"},
			{"scattered counts", "ijk", "ij jk", "ik", format.DenseWorkspace, "scatter-accumulate"},
			{"scattered counts of all", "ijk", "ij jk", "k", format.DenseWorkspace, "scatter-accumulate"},
		} {
			if size[0] > gasUnits && len(c.order) > 2 && c.edges != "ij jk" {
				continue
			}
			step, in := pattern(e, c.order, c.edges, c.out, c.ws)
			fast, stats, err := RunStep(context.Background(), step, in, Options{})
			if err != nil {
				t.Fatal(err)
			}
			if !stats.Rows || stats.Kernel != c.kernel {
				t.Errorf("%s: kernel %s, rows %v", c.name, stats.Kernel, stats.Rows)
			}
			general, want, err := RunStep(context.Background(), step, in, Options{NoRegistry: true})
			if err != nil {
				t.Fatal(err)
			}
			if want.Rows || stats.Cells != want.Cells {
				t.Errorf("%s: %d cells, want %d", c.name, stats.Cells, want.Cells)
			}
			sameTensor(t, &problem{step: step, dims: in.Dims}, fast, general)
		}
	}
}

const coefficientText = `tensor V(0) { n pattern, x i64, y f64 }
tensor E(0,0) { n pattern, x i64, y f64 }
R() = n: sum(i,j) V.n(i) * E.n(i,j)
    | x: sum(i,j) V.x(i) * E.x(i,j)
    | y: sum(i,j) V.y(i) * E.y(i,j)
  loops: i ~1, j ~1
  read V(i): 0 bytemap lookup
  read E(i,j): 0 sparse walk, 1 sparse walk
  store ():; prefix 0; workspace none; i64, i64, f64
  estimate: ~1 cells, ~1 entries
`

// TestRowCoefficients: rows that are multiplied by a value of their own, also
// where that is huge in a row without cells, or where products pass 64 bits.
func TestRowCoefficients(t *testing.T) {
	p, err := physical.Parse(coefficientText)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(4, 2))
	for _, magnitude := range []int64{100, 1 << 40} {
		const n = 3000
		e := randomGraph(t, rng, n, 4000)
		x, y := fibers.NewLeaf("x", semiring.I64, e.NNZ), fibers.NewLeaf("y", semiring.F64, e.NNZ)
		for i := range x.I64 {
			x.I64[i], y.F64[i] = rng.Int64N(magnitude), rng.NormFloat64()
		}
		e.Leaves = append(e.Leaves, x, y)
		e.KeepExponents()
		v := &fibers.COO{Dims: []int{2 * n}, Coords: make([][]fibers.Coord, 1)}
		vx, vy := fibers.NewLeaf("x", semiring.I64, 0), fibers.NewLeaf("y", semiring.F64, 0)
		for k := range 2 * n {
			if k%3 == 0 {
				continue
			}
			v.N++
			v.Coords[0] = append(v.Coords[0], fibers.Coord(k))
			vx.I64 = append(vx.I64, rng.Int64N(magnitude)-magnitude/2)
			vy.F64 = append(vy.F64, rng.NormFloat64())
			if k >= n {
				vy.F64[v.N-1] = 1e250
			}
		}
		v.Leaves = []fibers.Leaf{fibers.NewLeaf("n", semiring.Pattern, 0), vx, vy}
		vector, err := v.Tensor(context.Background(), []int{0}, []format.Kind{format.Bytemap})
		if err != nil {
			t.Fatal(err)
		}
		in := Inputs{Operands: []*fibers.Tensor{vector, e}, Dims: map[string]int{"i": 2 * n, "j": 2 * n}}
		fast, stats, err := RunStep(context.Background(), p.Steps[0], in, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if wide := len(stats.Wide) > 0; wide != (magnitude > 100) || stats.Rows == wide { // 128 bits have no rows
			t.Errorf("rows %v, wide %v", stats.Rows, stats.Wide)
		}
		general, _, err := RunStep(context.Background(), p.Steps[0], in, Options{NoRegistry: true})
		if err != nil {
			t.Fatal(err)
		}
		if got, want := fast.Leaf("x").Int128(0), general.Leaf("x").Int128(0); got != want {
			t.Errorf("sum of integers %v, want %v", got, want)
		}
		got, want := fast.Leaf("y").F64[0], general.Leaf("y").F64[0]
		if math.Abs(got-want) > 1e-9*math.Abs(want) {
			t.Errorf("sum of floats %v, want %v", got, want)
		}
	}
}
