package exec

import (
	"bufio"
	"compress/gzip"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/einsum/format"
	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/fibers"
	"github.com/trireme-db/trireme/optimizer/physical"
)

// epinions reads the Epinions graph (both directions of every edge) as a CSR
// pattern tensor; the test is skipped where the data is absent.
func epinions(tb testing.TB) *fibers.Tensor {
	tb.Helper()
	file, err := os.Open(filepath.Join("..", "..", "..", "shared", "data", "epinions", "edge.csv.gz"))
	if errors.Is(err, os.ErrNotExist) {
		tb.Skip("the Epinions graph is not at ../shared/data/epinions beside the project")
	}
	if err != nil {
		tb.Fatal(err)
	}
	defer file.Close()
	zip, err := gzip.NewReader(file)
	if err != nil {
		tb.Fatal(err)
	}
	var src, dst []int64
	lines := bufio.NewScanner(zip)
	lines.Scan() // the header
	for lines.Scan() {
		a, b, _ := strings.Cut(lines.Text(), ",")
		s, err1 := strconv.ParseInt(a, 10, 64)
		d, err2 := strconv.ParseInt(b, 10, 64)
		if err1 != nil || err2 != nil {
			tb.Fatalf("edge %q", lines.Text())
		}
		src, dst = append(src, s), append(dst, d)
	}
	if err := lines.Err(); err != nil {
		tb.Fatal(err)
	}
	return graph(tb, src, dst)
}

func graph(tb testing.TB, src, dst []int64) *fibers.Tensor {
	tb.Helper()
	d := fibers.NewDomain(fibers.Int64Values, fibers.DomainHint{Rows: len(src), HasRange: true, Min: 0, Max: int64(len(src))})
	cols := [][]fibers.Coord{make([]fibers.Coord, len(src)), make([]fibers.Coord, len(src))}
	if err := errors.Join(d.EncodeInt64(src, cols[0]), d.EncodeInt64(dst, cols[1])); err != nil {
		tb.Fatal(err)
	}
	b := fibers.NewBuilder(2, []fibers.LeafSpec{{Name: "n", Merge: semiring.Add}})
	if err := b.Append(len(src), cols, []fibers.Leaf{{}}); err != nil {
		tb.Fatal(err)
	}
	coo, err := b.Finish(context.Background(), []int{d.Len(), d.Len()})
	if err != nil {
		tb.Fatal(err)
	}
	t, err := coo.Tensor(context.Background(), []int{0, 1}, []format.Kind{format.Dense, format.SparseList})
	if err != nil {
		tb.Fatal(err)
	}
	return t
}

// pattern is a count over edges: each pair of letters is one access to E, in
// loop order; loops are the letters of order; out the grouped ones.
func pattern(e *fibers.Tensor, order, edges, out string, ws format.Workspace, masks ...*einsum.Compare) (*physical.Step, Inputs) {
	index := func(c byte) einsum.Index { return einsum.Index{Name: string(c)} }
	step := &physical.Step{Query: &einsum.Query{Name: "R"}}
	in := Inputs{Dims: map[string]int{}}
	var factors []einsum.Expr
	var reduced []einsum.Index
	for i := range len(order) {
		step.Loops = append(step.Loops, physical.Loop{Index: index(order[i])})
		in.Dims[string(order[i])] = e.Dims[0]
		if !strings.Contains(out, string(order[i])) {
			reduced = append(reduced, index(order[i]))
		}
	}
	for _, pair := range strings.Fields(edges) {
		args := []einsum.Arg{{Index: index(pair[0])}, {Index: index(pair[1])}}
		step.Operands = append(step.Operands, physical.Operand{
			Tensor: "E", Args: args, Order: []int{0, 1},
			Formats: []format.Kind{format.Dense, format.SparseList}, Protocols: []format.Protocol{format.Walk, format.Walk},
		})
		in.Operands = append(in.Operands, e)
		factors = append(factors, &einsum.Access{Tensor: "E", Leaf: "n", Args: args})
	}
	for _, m := range masks {
		factors = append(factors, m)
	}
	body := einsum.Expr(&einsum.Agg{Op: semiring.Add, Idxs: reduced, Arg: &einsum.Map{Op: semiring.Mul, Args: factors}})
	step.Query.Leaves = []einsum.Leaf{{Name: "n", Expr: body}}
	for i := range len(out) {
		step.Query.Idxs = append(step.Query.Idxs, index(out[i]))
		step.Output.Formats = append(step.Output.Formats, format.SparseList)
	}
	step.Output.Order, step.Output.Workspace = step.Query.Idxs, ws
	if ws == format.DenseWorkspace {
		step.Output.Prefix = len(out) - 1
	}
	return step, in
}

func less(a, b string) *einsum.Compare {
	return &einsum.Compare{Op: semiring.Lt, L: einsum.Index{Name: a}, R: einsum.Index{Name: b}}
}

func runScalar(tb testing.TB, step *physical.Step, in Inputs, opt Options) (int64, StepStats) {
	tb.Helper()
	t, stats, err := RunStep(context.Background(), step, in, opt)
	if err != nil {
		tb.Fatal(err)
	}
	v, ok := t.Leaves[0].Int128(t.Root).Int64()
	if !ok || t.NNZ != 1 {
		tb.Fatalf("no count in %+v", t)
	}
	return v, stats
}

func TestEpinionsTriangles(t *testing.T) {
	e := epinions(t)
	step, in := pattern(e, "ijk", "ij ik jk", "", format.None)
	got, stats := runScalar(t, step, in, Options{})
	if got != 9_746_886 || stats.Kernel != "probe-count" || !stats.Rows {
		t.Errorf("triangles: %d with %+v", got, stats)
	}
	step, in = pattern(e, "ijk", "ij ik jk", "", format.None, less("i", "j"), less("j", "k"))
	for _, general := range []bool{false, true} {
		if got, stats = runScalar(t, step, in, Options{NoRegistry: general}); got != 1_624_481 {
			t.Errorf("ordered triangles: %d with %+v", got, stats)
		}
	}
	step, in = pattern(e, "jik", "ji jk", "", format.None)
	if got, stats = runScalar(t, step, in, Options{}); got != 149_213_718 {
		t.Errorf("paths of two edges: %d with %+v", got, stats)
	}
}

// BenchmarkEpinions: C -O3 takes 60-86 ms for triangles, 12-15 ordered, 92 per
// vertex; A*A takes 1094 ms there and 576 in Go with chunked output (KERNELS.md).
func BenchmarkEpinions(b *testing.B) {
	e := epinions(b)
	ordered := []*einsum.Compare{less("i", "j"), less("j", "k")}
	for _, c := range []struct {
		name, order, edges, out string
		ws                      format.Workspace
		masks                   []*einsum.Compare
		opt                     Options
	}{
		{name: "triangles", order: "ijk", edges: "ij ik jk"},
		{name: "triangles", order: "ijk", edges: "ij ik jk", opt: Options{NoRegistry: true}},
		{name: "ordered", order: "ijk", edges: "ij ik jk", masks: ordered},
		{name: "ordered", order: "ijk", edges: "ij ik jk", masks: ordered, opt: Options{NoRegistry: true}},
		{name: "perVertex", order: "ijk", edges: "ij ik jk", out: "i"},
		{name: "product", order: "ijk", edges: "ij jk", out: "ik", ws: format.DenseWorkspace},
		{name: "degree", order: "ij", edges: "ij", out: "i"},
	} {
		step, in := pattern(e, c.order, c.edges, c.out, c.ws, c.masks...)
		kernel := "registry"
		if c.opt.NoRegistry {
			kernel = "general"
		}
		b.Run("query="+c.name+"/kernel="+kernel, func(b *testing.B) {
			for b.Loop() {
				if _, _, err := RunStep(b.Context(), step, in, c.opt); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkBind is the cost of a step of eight loops and twenty operands on a
// graph of one edge: binding and nothing else.
func BenchmarkBind(b *testing.B) {
	e := graph(b, []int64{0}, []int64{1})
	step, in := pattern(e, "abcdefgh", "ab ac ad ae af ag ah bc bd be bf bg bh cd ce cf cg ch de df", "", format.None)
	for b.Loop() {
		if _, _, err := RunStep(b.Context(), step, in, Options{}); err != nil {
			b.Fatal(err)
		}
	}
}
