package exec

import (
	"context"
	"fmt"
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

// TestScatterOfSeveralModes: the innermost loop adds to a row of the workspace that the
// loops around it choose, by kernels as on the general path.
func TestScatterOfSeveralModes(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 29))
	for _, size := range [][2]int{{3, 4}, {40, 200}, {400, 3000}} {
		e := randomGraph(t, rng, size[0], size[1])
		for _, c := range []struct{ order, edges, out string }{
			{"jik", "ji jk", "ik"}, {"jikl", "ji ik kl", "ikl"}, {"ijkl", "ij jk kl", "ijl"}, {"ijkl", "ij ik jl", "jkl"},
		} {
			if len(c.out) == 3 && size[0] > 40 {
				continue // many slots
			}
			step, in := pattern(e, c.order, c.edges, c.out, format.DenseWorkspace)
			step.Output.Prefix = 0
			fast, stats, err := RunStep(context.Background(), step, in, Options{})
			if err != nil {
				t.Fatal(err)
			}
			if stats.Kernel != "scatter-accumulate" {
				t.Errorf("%s over %s: kernel %s", c.out, c.edges, stats.Kernel)
			}
			general, want, err := RunStep(context.Background(), step, in, Options{NoRegistry: true})
			if err != nil {
				t.Fatal(err)
			}
			if stats.Cells != want.Cells {
				t.Errorf("%s over %s: %d cells, want %d", c.out, c.edges, stats.Cells, want.Cells)
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

const sliceText = `tensor A(0,1) { n pattern, x i64, y f64 }
tensor W(1,2) { n pattern, x i64, y f64 }
R(i,k) = n: or(j) and(A.n(i,j), W.n(j,k))
       | x: sum(j) A.x(i,j) * W.x(j,k)
       | y: sum(j) A.y(i,j) * W.y(j,k)
       | z: sum(j) guard(W.y(j,k), A.n(i,j))
       | u: sum(j) guard(0.5 * A.y(i,j), A.n(i,j), W.n(j,k))
       | v: sum(j) (A.x(i,j) * W.x(j,k)) + A.x(i,j)
       | w: sum(j) guard(1, A.n(i,j), W.n(j,k))
       | o: max(j) guard(1, A.n(i,j), W.n(j,k))
  loops: i ~1, j ~1, k ~1
  read A(i,j): 0 sparse walk, 1 sparse walk
  read W(j,k): 0 dense lookup, 1 %s walk
  store (i,k): dense, bytemap; prefix 1; workspace dense; pattern, i64, f64, f64, f64, i64, i64, i64
  estimate: ~1 cells, ~1 entries
`

// TestRowSlices: the rows of a matrix that has all of its entries are added as slices,
// the same bits as entry by entry, and integers with 128 bits where they need them.
func TestRowSlices(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 15))
	for _, kind := range []format.Kind{format.Dense, format.Bytemap} {
		p, err := physical.Parse(fmt.Sprintf(sliceText, kind))
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			width     int
			magnitude int64
			wide      bool
		}{{1, 9, false}, {25, 9, false}, {25, 1 << 40, true}, {gasUnits / 40, 9, false}} {
			const n, between = 90, 40
			a := randomValues(t, rng, []int{n, between}, []format.Kind{format.SparseList, format.SparseList}, c.magnitude, 3)
			w := randomValues(t, rng, []int{between, c.width}, []format.Kind{format.Dense, kind}, c.magnitude, 1)
			in := Inputs{Operands: []*fibers.Tensor{a, w}, Dims: map[string]int{"i": n, "j": between, "k": c.width}}
			fast, stats, err := RunStep(context.Background(), p.Steps[0], in, Options{})
			if err != nil {
				t.Fatal(err)
			}
			if wide := len(stats.Wide) > 0; wide != c.wide || !c.wide && !stats.Rows {
				t.Errorf("%v, %d columns: kernel %s, rows %v, wide %v", kind, c.width, stats.Kernel, stats.Rows, stats.Wide)
			}
			general, want, err := RunStep(context.Background(), p.Steps[0], in, Options{NoRegistry: true})
			if err != nil {
				t.Fatal(err)
			}
			if stats.Cells != want.Cells {
				t.Errorf("%d cells, want %d", stats.Cells, want.Cells)
			}
			sameTensor(t, &problem{step: p.Steps[0], dims: in.Dims}, fast, general)
			for i, y := range general.Leaf("y").F64 {
				if got := fast.Leaf("y").F64[i]; math.Float64bits(got) != math.Float64bits(y) {
					t.Fatalf("%v, %d columns: entry %d is %v, want %v", kind, c.width, i, got, y)
				}
			}
		}
	}
}

// randomValues is a matrix with leaves n, x and y, of whose entries one in so many is
// there.
func randomValues(t *testing.T, rng *rand.Rand, dims []int, kinds []format.Kind, magnitude int64, oneIn int) *fibers.Tensor {
	t.Helper()
	m := &fibers.COO{Dims: dims, Coords: make([][]fibers.Coord, 2)}
	x, y := fibers.NewLeaf("x", semiring.I64, 0), fibers.NewLeaf("y", semiring.F64, 0)
	for i := range dims[0] {
		for j := range dims[1] {
			if rng.IntN(oneIn) > 0 {
				continue
			}
			m.N++
			m.Coords[0], m.Coords[1] = append(m.Coords[0], fibers.Coord(i)), append(m.Coords[1], fibers.Coord(j))
			x.I64, y.F64 = append(x.I64, rng.Int64N(2*magnitude)-magnitude), append(y.F64, rng.NormFloat64())
		}
	}
	m.Leaves = []fibers.Leaf{fibers.NewLeaf("n", semiring.Pattern, 0), x, y}
	out, err := m.Tensor(context.Background(), []int{0, 1}, kinds)
	if err != nil {
		t.Fatal(err)
	}
	return out
}
