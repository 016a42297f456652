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

// BenchmarkPlan144 plans the pattern queries on hprd and yeast to the end and
// reports the median and the worst of a query.
func BenchmarkPlan144(b *testing.B) {
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
			jobs = append(jobs, job{patternProgram(strings.Split(line, "\t")[2]), g})
		}
	}
	times := make([][]time.Duration, len(jobs))
	b.ResetTimer()
	for range b.N {
		for i, j := range jobs {
			start := time.Now()
			if _, _, err := optimizer.Optimize(j.program, j.src, optimizer.Options{}); err != nil {
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
		if _, _, err := optimizer.Optimize(p, src, optimizer.Options{}); err != nil {
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

func benchJoin(b *testing.B, indices func(i int) (l, r int)) {
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
	benchPlan(b, fmt.Sprintf("%s\nR() = n: sum(%s,x30) %s", strings.Join(inputs, "\n"), strings.Join(over, ","), strings.Join(factors, " * ")), src)
}
