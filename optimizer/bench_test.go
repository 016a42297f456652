package optimizer_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/optimizer"
	"github.com/trireme-db/trireme/optimizer/stats"
)

// asEngine is how the engine plans: nothing but the result is needed by name, so
// that queries are restricted by their readers and put into them.
var asEngine = optimizer.Options{Needed: map[string]bool{}}

// BenchmarkPlan144 plans the pattern queries on hprd and yeast to the end and
// reports the median and the worst of a query.
func BenchmarkPlan144(b *testing.B) { benchPatterns(b, false) }

// BenchmarkPlan144Symmetric is BenchmarkPlan144 where the edges are known to be
// symmetric and without loops, as they are.
func BenchmarkPlan144Symmetric(b *testing.B) { benchPatterns(b, true) }

func benchPatterns(b *testing.B, facts bool) {
	type job struct {
		program *einsum.Program
		src     stats.Source
	}
	var jobs []job
	for _, name := range []string{"hprd", "yeast"} {
		text, err := os.ReadFile(filepath.Join("..", "..", "shared", "data", name, "queries.tsv"))
		if err != nil {
			b.Skipf("no test data: %v", err)
		}
		g := readGraph(b, name)
		for _, line := range strings.Split(strings.TrimSpace(string(text)), "\n")[1:] {
			p := patternProgram(strings.Split(line, "\t")[2])
			p.Inputs[0].Symmetric, p.Inputs[0].Hollow = facts, facts
			jobs = append(jobs, job{p, g})
		}
	}
	times := make([][]time.Duration, len(jobs))
	b.ResetTimer()
	for range b.N {
		for i, j := range jobs {
			start := time.Now()
			if _, _, err := optimizer.Optimize(j.program, j.src, asEngine); err != nil {
				b.Fatal(err)
			}
			times[i] = append(times[i], time.Since(start))
		}
	}
	b.StopTimer()
	medians := make([]time.Duration, len(jobs))
	for i, ts := range times {
		slices.Sort(ts)
		medians[i] = ts[len(ts)/2]
	}
	slices.Sort(medians)
	b.ReportMetric(float64(medians[len(medians)/2].Microseconds())/1e3, "median-ms")
	b.ReportMetric(float64(medians[len(medians)-1].Microseconds())/1e3, "worst-ms")
}

// benchPlan plans a query over tensors whose figures are given in the golden
// files' form.
func benchPlan(b *testing.B, text string, src goldenSource) {
	b.Helper()
	p, err := einsum.Parse(text)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, _, err := optimizer.Optimize(p, src, asEngine); err != nil {
			b.Fatal(err)
		}
	}
}

func figures(nnz float64, dims ...float64) stats.TensorStats {
	return stats.TensorStats{NNZ: nnz, Dims: dims, Distinct: dims}
}

// BenchmarkPlan12 plans a pattern of 12 vertices, 18 edges and a label each.
func BenchmarkPlan12(b *testing.B) {
	src := goldenSource{"e": figures(35000, 9460, 9460)}
	var inputs, over, factors []string
	for v := range 12 {
		name := fmt.Sprintf("L%d", v)
		src[name] = figures(float64(20+37*v), 9460)
		inputs = append(inputs, fmt.Sprintf("tensor %s(0) { n pattern }", name))
		over = append(over, fmt.Sprintf("x%d", v))
		factors = append(factors, fmt.Sprintf("e.n(x%d,x%d)", v, (v+1)%12), fmt.Sprintf("%s.n(x%d)", name, v))
		if v < 6 {
			factors = append(factors, fmt.Sprintf("e.n(x%d,x%d)", v, (v*5+7)%12))
		}
	}
	benchPlan(b, fmt.Sprintf("tensor e(0,0) { n pattern }\n%s\nR() = n: sum(%s) %s",
		strings.Join(inputs, "\n"), strings.Join(over, ","), strings.Join(factors, " * ")), src)
}

// BenchmarkPlanChain30 plans a join of 30 tables in a row, all different.
func BenchmarkPlanChain30(b *testing.B) { benchJoin(b, func(i int) (l, r int) { return i, i + 1 }) }

// BenchmarkPlanStar30 plans a join of 30 tables with one column in common.
func BenchmarkPlanStar30(b *testing.B) { benchJoin(b, func(i int) (l, r int) { return 30, i }) }

// BenchmarkPlanWide plans joins of 30 tables of which every column is delivered:
// one step with all indices.
func BenchmarkPlanWide(b *testing.B) {
	for _, c := range []struct {
		name    string
		indices func(i int) (l, r int)
	}{
		{"chain", func(i int) (l, r int) { return i, i + 1 }},
		{"star", func(i int) (l, r int) { return 30, i }},
	} {
		b.Run(c.name, func(b *testing.B) { benchTables(b, c.indices, true) })
	}
}

func benchJoin(b *testing.B, indices func(i int) (l, r int)) { benchTables(b, indices, false) }

// benchTables plans a join of 30 tables; all: with all indices in the result.
func benchTables(b *testing.B, indices func(i int) (l, r int), all bool) {
	src := goldenSource{}
	var inputs, over, factors []string
	for i := range 30 {
		name := fmt.Sprintf("A%d", i)
		src[name] = figures(float64(1000*(i+1)), 1000, 1000)
		inputs = append(inputs, fmt.Sprintf("tensor %s(0,0) { n i64 }", name))
		l, r := indices(i)
		over = append(over, fmt.Sprintf("x%d", i))
		factors = append(factors, fmt.Sprintf("%s.n(x%d,x%d)", name, l, r))
	}
	head := fmt.Sprintf("R() = n: sum(%s,x30) ", strings.Join(over, ","))
	if all {
		head = fmt.Sprintf("R(%s,x30) = n: ", strings.Join(over, ","))
	}
	benchPlan(b, fmt.Sprintf("%s\n%s%s", strings.Join(inputs, "\n"), head, strings.Join(factors, " * ")), src)
}

// BenchmarkPlanNested plans aggregates of aggregates, as from derived tables.
func BenchmarkPlanNested(b *testing.B) {
	src := goldenSource{"E": figures(8e5, 7.6e4, 7.6e4), "W": figures(8e5, 7.6e4, 7.6e4), "X": figures(7.6e4, 7.6e4), "L": figures(100, 7.6e4)}
	const inputs = `tensor E(0,0) { n pattern }
tensor W(0,0) { n pattern, w f64 }
tensor X(0) { n pattern, x f64 }
tensor L(0) { n pattern }
`
	for _, c := range []struct{ name, text string }{
		{"squares", `C(a,b) = n: sum(c) E.n(a,c) * E.n(c,b)
R() = n: sum(a,b) guard(1, C.n(a,b)) | s: sum(a,b) C.n(a,b) * C.n(a,b)`},
		{"chain", `A(i) = n: sum(j) W.n(i,j) * X.n(j) | s: sum(j) W.w(i,j) * X.x(j)
B(i) = n: sum(j) W.n(i,j) * guard(1, A.n(j)) | s: sum(j) W.w(i,j) * A.s(j)
C(i) = n: sum(j) W.n(i,j) * guard(1, B.n(j)) | s: sum(j) W.w(i,j) * B.s(j)
D(i) = n: sum(j) W.n(i,j) * guard(1, C.n(j)) | s: sum(j) W.w(i,j) * C.s(j)
R() = n: sum(i) guard(1, D.n(i)) | s: sum(i) D.s(i)`},
		{"merging chain", `A(i) = n: or(j) and(W.n(i,j), X.n(j)) | s: sum(j) W.w(i,j) * X.x(j)
B(i) = n: or(j) and(W.n(i,j), A.n(j)) | s: sum(j) W.w(i,j) * A.s(j)
C(i) = n: or(j) and(W.n(i,j), B.n(j)) | s: sum(j) W.w(i,j) * B.s(j)
D(i) = n: or(j) and(W.n(i,j), C.n(j)) | s: sum(j) W.w(i,j) * C.s(j)
R() = n: or(i) D.n(i) | s: sum(i) D.s(i)`},
		{"restricted", `M(i) = n: sum(j) W.n(i,j) | m: max(j) W.w(i,j)
P(i,k) = n: sum(j) W.n(i,j) * E.n(j,k) * guard(1, M.n(j)) | s: sum(j) W.w(i,j) * E.n(j,k) * M.m(j)
R(k) = n: sum(i) guard(1, P.n(i,k)) * L.n(i) | s: sum(i) P.s(i,k) * L.n(i)`},
	} {
		b.Run(c.name, func(b *testing.B) { benchPlan(b, inputs+c.text, src) })
	}
}

// BenchmarkPlanDisjunctive plans sums of products that are not present together,
// the ones that rewrites are searched for.
func BenchmarkPlanDisjunctive(b *testing.B) {
	src := goldenSource{
		"F": figures(1e6, 1e5, 1e3, 1e4), "S": figures(1e4, 1e3, 50), "P": figures(1e5, 1e4, 50), "O": figures(1e6, 1e5, 50),
		"C": figures(1e6, 1e5, 50), "T": figures(50, 50), "X": figures(1e5, 1e4, 1e4), "U": figures(1e4, 1e4), "V": figures(1e4, 1e4),
	}
	for _, c := range []struct{ name, text string }{
		{"star", `tensor F(0,1,2) { n pattern }
tensor S(1,3) { n pattern, x f64 }
tensor P(2,3) { n pattern, x f64 }
tensor O(0,3) { n pattern, x f64 }
tensor T(3) { n pattern, x f64 }
R(o) = n: sum(s,p,j) F.n(o,s,p) * (S.n(s,j) + P.n(p,j) + O.n(o,j)) * T.n(j) | x: sum(s,p,j) F.n(o,s,p) * (S.x(s,j) + P.x(p,j) + O.x(o,j)) * T.x(j)`},
		{"loss", `tensor X(0,1) { n pattern, x f64 }
tensor U(0) { n pattern, x f64 }
tensor V(1) { n pattern, x f64 }
R() = n: sum(i,j) X.n(i,j) + U.n(i) * V.n(j) | x: sum(i,j) (X.x(i,j) - U.x(i) * V.x(j)) * (X.x(i,j) - U.x(i) * V.x(j))`},
		{"covariance", `tensor F(0,1,2) { n pattern }
tensor S(1,3) { n pattern, x f64 }
tensor P(2,3) { n pattern, x f64 }
tensor O(0,3) { n pattern, x f64 }
R(j,k) = n: sum(o,s,p) F.n(o,s,p) * (S.n(s,j) + P.n(p,j) + O.n(o,j)) * (S.n(s,k) + P.n(p,k) + O.n(o,k)) | x: sum(o,s,p) F.n(o,s,p) * (S.x(s,j) + P.x(p,j) + O.x(o,j)) * (S.x(s,k) + P.x(p,k) + O.x(o,k))`},
	} {
		b.Run(c.name, func(b *testing.B) { benchPlan(b, c.text, src) })
	}
}
