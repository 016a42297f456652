package optimizer_test

import (
	"compress/gzip"
	"context"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/fibers"
	"github.com/trireme-db/trireme/fibers/exec"
	"github.com/trireme-db/trireme/optimizer"
	"github.com/trireme-db/trireme/optimizer/logical"
	"github.com/trireme-db/trireme/optimizer/physical"
	"github.com/trireme-db/trireme/optimizer/stats"
)

// qualityFile holds the q-errors of the estimators per workload.
var qualityFile = filepath.Join("stats", "testdata", "quality.md")

// judged are the estimators compared.
var judged = [judges]struct {
	name string
	est  stats.Estimator
}{{"uniform", stats.Uniform{}}, {"chain", stats.Chain{}}, {"best", stats.Best{}}}

// graphData is a graph whose plans run here: base tensors with the statistics
// that their build gathers, and steps' results.
type graphData struct {
	*labelled
	domains map[string][]int // per tensor, the domain of each mode
}

func newGraphData(t *testing.T, g *labelled) *graphData {
	t.Helper()
	d := &graphData{labelled: g, domains: map[string][]int{"edge": {0, 0}, "vertex": {0, 1}}}
	for name, coo := range g.tensors {
		g.stats[name] = measured(t, coo, d.domains[name])
	}
	return d
}

func measured(t *testing.T, coo *fibers.COO, domains []int) stats.TensorStats {
	t.Helper()
	s, err := coo.Statistics(context.Background(), domains)
	if err != nil {
		t.Fatal(err)
	}
	return exec.Statistics(s)
}

// Stats tells what is known after the tensors were built: all of whole tensors,
// the exact number of entries with one constant.
func (d *graphData) Stats(a *einsum.Access) stats.TensorStats {
	all := d.stats[a.Tensor]
	out := stats.TensorStats{NNZ: all.NNZ, Exact: true}
	constants := 0
	for m, arg := range a.Args {
		if arg.Const == nil {
			out.Dims, out.Distinct = append(out.Dims, all.Dims[m]), append(out.Distinct, all.Distinct[m])
			continue
		}
		constants++
		c, err := strconv.Atoi(arg.Const.Text)
		if err != nil {
			panic(err)
		}
		n := 0.0
		for _, x := range d.tensors[a.Tensor].Coords[m] {
			if int(x) == c {
				n++
			}
		}
		out.NNZ *= n / all.NNZ
	}
	if constants == 0 {
		return all
	}
	for i := range out.Distinct {
		out.Distinct[i] = min(out.Distinct[i], max(1, out.NNZ))
	}
	return out
}

// qErrors are the q-errors of one workload, per estimator.
type qErrors struct {
	figures     int
	logs, worst [judges]float64
}

const judges = 3

// figure takes in one figure's estimates.
func (q *qErrors) figure(estimate func(k int) float64, truth float64) {
	q.figures++
	for k := range judged {
		e := math.Max(estimate(k), 1) / math.Max(truth, 1)
		e = math.Max(e, 1/e)
		q.logs[k] += math.Log(e)
		q.worst[k] = math.Max(q.worst[k], e)
	}
}

func (q *qErrors) mean(k int) float64 { return math.Exp(q.logs[k] / float64(max(q.figures, 1))) }

// judge plans a program by Best, estimates the cells that each step visits and
// the entries that it stores, by every estimator and nothing but the build-time
// statistics of the inputs, runs the plan, and compares.
func (d *graphData) judge(t *testing.T, name string, p *einsum.Program, q *qErrors) {
	t.Helper()
	lp, err := optimizer.Logical(p, d, optimizer.Options{Estimator: stats.Best{}})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	pp, err := optimizer.Physical(lp, d, optimizer.Options{Estimator: stats.Best{}})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	var estimated []*logical.Plan
	for _, j := range judged {
		e, err := logical.FromProgram(lp.Program()).Estimate(d, j.est)
		if err != nil {
			t.Fatal(err)
		}
		estimated = append(estimated, e)
	}
	d.judgeWhole(t, name, p, q)
	bounds := d.bounds(t, lp)
	run := &graphData{labelled: d.fork(), domains: d.domains}
	results := map[string]*fibers.Tensor{}
	for i, s := range pp.Steps {
		cells := run.cells(t, lp.Steps[i].Query)
		entries := run.step(t, s, results)
		if len(s.Operands) > 1 { // the statistics of one operand tell its step's figures
			q.figure(func(k int) float64 { return estimated[k].Steps[i].BodyNNZ }, cells)
			if len(s.Query.Idxs) > 0 {
				q.figure(func(k int) float64 { return estimated[k].Steps[i].OutNNZ }, entries)
			}
		}
		if *verboseQuality {
			t.Logf("%s: %s\n  cells %.4g entries %.4g; best %.4g %.4g; chain %.4g %.4g; uniform %.4g %.4g", name, lp.Steps[i].Query, cells, entries,
				estimated[2].Steps[i].BodyNNZ, estimated[2].Steps[i].OutNNZ, estimated[1].Steps[i].BodyNNZ, estimated[1].Steps[i].OutNNZ,
				estimated[0].Steps[i].BodyNNZ, estimated[0].Steps[i].OutNNZ)
		}
		for _, b := range bounds[i] {
			if cells > b*(1+1e-9) {
				t.Errorf("%s: %s visits %g cells, at most %g were possible", name, lp.Steps[i].Query, cells, b)
			}
		}
	}
}

// judgeWhole compares the estimates of the program as it stands: one step that
// joins everything, as the search prices it before it takes it apart.
func (d *graphData) judgeWhole(t *testing.T, name string, p *einsum.Program, q *qErrors) {
	t.Helper()
	var estimates []float64
	for _, j := range judged {
		whole, err := logical.FromProgram(p).Estimate(d, j.est)
		if err != nil {
			t.Fatal(err)
		}
		estimates = append(estimates, whole.Steps[0].BodyNNZ)
	}
	truth := d.cells(t, p.Queries[0])
	q.figure(func(k int) float64 { return estimates[k] }, truth)
	for _, b := range d.bounds(t, logical.FromProgram(p))[0] {
		if truth > b*(1+1e-9) {
			t.Errorf("%s has %g cells, at most %g were possible", name, truth, b)
		}
	}
	if *verboseQuality {
		t.Logf("%s: whole %.4g; best %.4g; chain %.4g; uniform %.4g", name, truth, estimates[2], estimates[1], estimates[0])
	}
}

var verboseQuality = flag.Bool("quality.steps", false, "log the estimates of every step")

// bounds are the upper bounds on the cells of each step, masks aside.
func (d *graphData) bounds(t *testing.T, lp *logical.Plan) [][]float64 {
	t.Helper()
	out := make([][]float64, len(lp.Steps))
	for _, est := range []interface {
		stats.Estimator
		Bound(s stats.Stats, set uint64) float64
	}{stats.Chain{}, stats.Best{}} {
		cat := logical.NewCatalog(lp.Inputs, d, est)
		for i, s := range lp.Steps {
			b, err := logical.NewBody(s.Query)
			if err != nil {
				t.Fatal(err)
			}
			var args []stats.Stats
			for _, op := range b.Operands {
				args = append(args, cat.OperandStats(b, op))
			}
			out[i] = append(out[i], est.Bound(est.Join(args), b.All()))
			if _, _, err := cat.Add(s.Query); err != nil {
				t.Fatal(err)
			}
		}
	}
	return out
}

// fork shares the tensors but not the list of them.
func (d *graphData) fork() *labelled {
	g := &labelled{tensors: map[string]*fibers.COO{}, dims: d.dims, stats: map[string]stats.TensorStats{}, stored: map[string]*fibers.Tensor{}}
	for name := range d.tensors {
		g.tensors[name], g.stats[name] = d.tensors[name], d.stats[name]
	}
	return g
}

// step runs a step, keeps where its result has entries as a tensor, and returns
// how many.
func (d *graphData) step(t *testing.T, s *physical.Step, results map[string]*fibers.Tensor) float64 {
	t.Helper()
	ctx := context.Background()
	in := exec.Inputs{Dims: map[string]int{}}
	for _, l := range s.Loops {
		in.Dims[l.Index.Name] = d.dims["vertex"][l.Index.Domain]
	}
	for i := range s.Operands {
		tensor, err := d.operand(ctx, &s.Operands[i], results)
		if err != nil {
			t.Fatal(err)
		}
		in.Operands = append(in.Operands, tensor)
	}
	out, _, err := exec.RunStep(ctx, s, in, exec.Options{})
	if err != nil {
		t.Fatal(err)
	}
	results[s.Query.Name] = out
	stored := out.COO()
	coords, dims, domains := make([][]fibers.Coord, stored.N), make([]int, len(s.Query.Idxs)), make([]int, len(s.Query.Idxs))
	coords = coords[:0]
	for m, x := range s.Query.Idxs {
		for l, y := range s.Output.Order {
			if x == y {
				coords = append(coords, stored.Coords[l])
			}
		}
		dims[m], domains[m] = d.dims["vertex"][x.Domain], x.Domain
	}
	if len(dims) > 0 {
		pattern := patternTensor(t, dims, stored.N, coords)
		d.tensors[s.Query.Name], d.domains[s.Query.Name] = pattern, domains
		d.stats[s.Query.Name] = measured(t, pattern, domains)
	}
	return float64(out.NNZ)
}

func patternTensor(t *testing.T, dims []int, n int, coords [][]fibers.Coord) *fibers.COO {
	t.Helper()
	leaf := fibers.Leaf{Name: "n", Elem: semiring.Pattern}
	b := fibers.NewBuilder(len(dims), []fibers.LeafSpec{{Name: "n", Elem: semiring.Pattern, Merge: semiring.Max}})
	if err := b.Append(n, coords, []fibers.Leaf{leaf}); err != nil {
		t.Fatal(err)
	}
	coo, err := b.Finish(context.Background(), dims)
	if err != nil {
		t.Fatal(err)
	}
	return coo
}

// cells counts the assignments of a step's indices that all its operands and
// masks have: a program of its own over the operands without their values.
func (d *graphData) cells(t *testing.T, q *einsum.Query) float64 {
	t.Helper()
	b, err := logical.NewBody(q)
	if err != nil {
		t.Fatal(err)
	}
	p := &einsum.Program{}
	declared := map[string]bool{}
	var factors []einsum.Expr
	for _, op := range b.Operands {
		if d.tensors[op.Tensor] == nil {
			continue // a scalar
		}
		if !declared[op.Tensor] {
			declared[op.Tensor] = true
			p.Inputs = append(p.Inputs, &einsum.Input{
				Name: op.Tensor, Domains: d.domains[op.Tensor], Leaves: []einsum.LeafDecl{{Name: "n", Elem: semiring.Pattern}},
			})
		}
		factors = append(factors, einsum.A(op.Tensor, "n", op.Args...))
	}
	for _, m := range b.Masks {
		factors = append(factors, m.Compare)
	}
	p.Queries = []*einsum.Query{{Name: "cells", Leaves: []einsum.Leaf{{Name: "n", Expr: einsum.Sum(b.Indices, einsum.Mul(factors...))}}}}
	_, pp, err := optimizer.Optimize(p, d, optimizer.Options{Estimator: stats.Best{}})
	if err != nil {
		t.Fatalf("%v\n%s", err, p)
	}
	n, err := d.run(context.Background(), pp)
	if err != nil {
		t.Fatalf("%v\n%s", err, p)
	}
	return float64(n)
}

// unlabelled are pattern counts that run within seconds on graphs of a million
// edges, also with the vertices of one end kept apart.
var unlabelled = []string{
	"out() = n: sum(a,b,c) edge.n(a,b) * edge.n(b,c)",
	"out() = n: sum(a,b,c) edge.n(a,b) * edge.n(b,c) * edge.n(a,c)",
	"out() = n: sum(a,b,c,d) edge.n(a,b) * edge.n(b,c) * edge.n(c,d)",
	"out() = n: sum(a,b,c,d) edge.n(a,b) * edge.n(a,c) * edge.n(a,d)",
	"out() = n: sum(a,b,c,d) edge.n(a,b) * edge.n(b,c) * edge.n(a,c) * edge.n(c,d)",
	"out(a) = n: sum(b,c) edge.n(a,b) * edge.n(b,c)",
	"out(a) = n: sum(b,c) edge.n(a,b) * edge.n(b,c) * edge.n(a,c)",
	"out(c) = n: sum(a,b,d,e) edge.n(a,b) * edge.n(b,c) * edge.n(c,d) * edge.n(d,e)",
	"out(a,b) = n: sum(c) edge.n(a,b) * edge.n(b,c) * edge.n(a,c)",
	"out(a,b) = n: sum(c,d) edge.n(a,b) * edge.n(b,c) * edge.n(a,d)",
}

func judgeGraph(t *testing.T, d *graphData, q *qErrors) {
	t.Helper()
	for _, text := range unlabelled {
		p, err := einsum.Parse("tensor edge(0,0) { n pattern }\n" + text)
		if err != nil {
			t.Fatal(err)
		}
		d.judge(t, text, p, q)
	}
}

// graphOf makes an unlabelled graph of edges in both directions.
func graphOf(t *testing.T, n int, from, to []fibers.Coord) *graphData {
	t.Helper()
	g := &labelled{tensors: map[string]*fibers.COO{}, dims: map[string][]int{"vertex": {n, 1}}, stats: map[string]stats.TensorStats{}, stored: map[string]*fibers.Tensor{}}
	g.tensors["edge"] = patternTensor(t, []int{n, n}, len(from), [][]fibers.Coord{from, to})
	return newGraphData(t, g)
}

// rmat draws a graph of 2^scale vertices by recursive choice of quadrants.
func rmat(rng *rand.Rand, scale, edgeFactor int) (n int, from, to []fibers.Coord) {
	n = 1 << scale
	for range edgeFactor << scale {
		u, v := 0, 0
		for range scale {
			u, v = u<<1, v<<1
			switch x := rng.Float64(); {
			case x < 0.57:
			case x < 0.76:
				v++
			case x < 0.95:
				u++
			default:
				u, v = u+1, v+1
			}
		}
		from, to = append(from, fibers.Coord(u)), append(to, fibers.Coord(v))
	}
	return n, from, to
}

// both adds every edge's reverse.
func both(from, to []fibers.Coord) (f, t []fibers.Coord) {
	return append(append(f, from...), to...), append(append(t, to...), from...)
}

// skewed draws edges whose ends have power-law weights.
func skewed(rng *rand.Rand, n, edges int, power float64) (from, to []fibers.Coord) {
	for range edges {
		from = append(from, fibers.Coord(float64(n)*math.Pow(rng.Float64(), power)))
		to = append(to, fibers.Coord(float64(n)*math.Pow(rng.Float64(), power)))
	}
	return from, to
}

// TestEstimateQuality compares the estimators on plans of real and random
// graphs: Best is at least five times closer to the truth than Chain in the
// geometric mean, and no bound is below the truth. The file of figures is
// checked where it can be made again, and written with -rewrite.
func TestEstimateQuality(t *testing.T) {
	if testing.Short() {
		t.Skip("runs plans on graphs of a million edges")
	}
	workloads := map[string]func(t *testing.T, q *qErrors){
		"hprd": judgePatterns, "yeast": judgePatterns, "epinions": judgeEpinions,
		"rmat-16": func(t *testing.T, q *qErrors) {
			n, from, to := rmat(rand.New(rand.NewPCG(16, 16)), 16, 16)
			judgeGraph(t, graphOf(t, n, from, to), q)
		},
		"random": judgeRandom,
	}
	figures := map[string]*qErrors{}
	for _, name := range []string{"hprd", "yeast", "epinions", "rmat-16", "random"} {
		t.Run(name, func(t *testing.T) {
			q := &qErrors{}
			workloads[name](t, q)
			t.Logf("%s", q.row(name))
			if name != "random" {
				figures[name] = q
			}
			if chain, best := q.mean(1), q.mean(2); best*5 > chain {
				t.Errorf("best is off by %.3g, chain by %.3g: less than five times as much", best, chain)
			}
		})
	}
	checkQualityFile(t, figures)
}

func judgePatterns(t *testing.T, q *qErrors) {
	name := filepath.Base(t.Name())
	d := newGraphData(t, readGraph(t, name))
	text, err := os.ReadFile(filepath.Join("..", "..", "shared", "data", name, "queries.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(strings.TrimSpace(string(text)), "\n")[1:] {
		fields := strings.Split(line, "\t")
		d.judge(t, fields[0], patternProgram(fields[2]), q)
	}
}

func judgeEpinions(t *testing.T, q *qErrors) {
	f, err := os.Open(filepath.Join("..", "..", "shared", "data", "epinions", "edge.csv.gz"))
	if err != nil {
		t.Skipf("no test data: %v", err)
	}
	defer f.Close()
	zip, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "edge.csv")
	out, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := out.ReadFrom(zip); err != nil {
		t.Fatal(err)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	pairs := readPairs(t, path)
	n := 0
	for _, x := range append(pairs[0], pairs[1]...) {
		n = max(n, int(x)+1)
	}
	judgeGraph(t, graphOf(t, n, pairs[0], pairs[1]), q)
}

// judgeRandom draws graphs with a seed of this run.
func judgeRandom(t *testing.T, q *qErrors) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 1))
	for range 4 {
		n, from, to := rmat(rng, 12, 8+rng.IntN(8))
		if rng.IntN(2) == 0 {
			from, to = both(from, to)
		}
		judgeGraph(t, graphOf(t, n, from, to), q)
		n = 2000 + rng.IntN(6000)
		from, to = skewed(rng, n, 5*n, 2+2*rng.Float64())
		if rng.IntN(2) == 0 {
			from, to = both(from, to)
		}
		judgeGraph(t, graphOf(t, n, from, to), q)
	}
}

func (q *qErrors) row(name string) string {
	row := fmt.Sprintf("| %s | %d |", name, q.figures)
	for k := range judged {
		row += fmt.Sprintf(" %.3g | %.3g |", q.mean(k), q.worst[k])
	}
	return row
}

const qualityHead = `# How far the estimates are from the truth

The q-error max(estimate/truth, truth/estimate) of the cells that each step of a
plan visits and the entries that it stores, geometric mean and worst. The plans
are those that Best makes, and for each program the single step that joins
everything; every estimator sees the same steps and knows what is gathered while
the inputs are built, nothing of steps that have run. Steps over one operand are
left out: the statistics tell their figures. Figures below 1 count as 1.
Written by go test ./optimizer -run EstimateQuality -rewrite.

| workload | figures | uniform | worst | chain | worst | best | worst |
|---|---|---|---|---|---|---|---|
`

// checkQualityFile compares the file's means with what was measured. Plans that
// change may move Best's a little; the others' errors are mostly large and hang
// more on which steps there are.
func checkQualityFile(t *testing.T, figures map[string]*qErrors) {
	t.Helper()
	if rewrite := flag.Lookup("rewrite"); rewrite != nil && rewrite.Value.String() == "true" {
		text := qualityHead
		for _, name := range []string{"hprd", "yeast", "epinions", "rmat-16"} {
			if q := figures[name]; q != nil && q.figures > 0 {
				text += q.row(name) + "\n"
			}
		}
		if err := os.WriteFile(qualityFile, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	text, err := os.ReadFile(qualityFile)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(string(text), "\n") {
		cells := strings.Split(line, "|")
		if len(cells) < 9 {
			continue
		}
		q := figures[strings.TrimSpace(cells[1])]
		if q == nil || q.figures == 0 {
			continue
		}
		for k := range judged {
			slack := 4.0
			if judged[k].name == "best" {
				slack = 1.3
			}
			kept, err := strconv.ParseFloat(strings.TrimSpace(cells[3+2*k]), 64)
			if now := q.mean(k); err != nil || now > kept*slack || kept > now*slack {
				t.Errorf("%s: %s has a mean of %.3g, the file says %s; run with -rewrite and look at what changed",
					strings.TrimSpace(cells[1]), judged[k].name, now, cells[3+2*k])
			}
		}
	}
}
