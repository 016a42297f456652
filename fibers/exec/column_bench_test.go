package exec

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/trireme-db/trireme/optimizer/physical"
)

// columnPlan is a step over weighted edges with an expression, of which so many
// runs and cells of the innermost loop are expected.
func columnPlan(tb testing.TB, head, agg, store string, runs, cells int) *physical.Step {
	tb.Helper()
	p, err := physical.Parse(fmt.Sprintf(`tensor E(0,0) { n pattern, s f64 }
%s = n: %sE.n(i,j)
   | v: %sguard(ln(E.s(i,j)) * E.s(i,j), E.s(i,j))
  loops: i ~%d, j ~%d
  read E(i,j): 0 sparse walk, 1 sparse walk
  store %s
  estimate: ~1 cells, ~1 entries
`, head, agg, agg, runs, cells, store))
	if err != nil {
		tb.Fatal(err)
	}
	return p.Steps[0]
}

// BenchmarkColumns is expressions over edges whose runs of the innermost loop are
// of so many entries: an entry per edge, per vertex, and one for all, column by
// column and cell by cell.
func BenchmarkColumns(b *testing.B) {
	const n = 20_000
	for _, degree := range []int{1, 3, 30} {
		rng := rand.New(rand.NewPCG(1, 2))
		seen := map[[2]int]bool{}
		edges := entriesOf(b, []int{n, n}, func(add func(value float64, coords ...int)) {
			for i := range n {
				for range degree {
					if e := [2]int{i, rng.IntN(n)}; !seen[e] {
						seen[e] = true
						add(rng.Float64()+0.5, e[:]...)
					}
				}
			}
		})
		for _, c := range []struct{ name, head, agg, store string }{
			{"cell", "R(i,j)", "", "(i,j): sparse, sparse; prefix 2; workspace none; i64, f64"},
			{"row", "R(i)", "sum(j) ", "(i): sparse; prefix 1; workspace none; i64, f64"},
			{"total", "R()", "sum(i,j) ", "():; prefix 0; workspace none; i64, f64"},
		} {
			step := columnPlan(b, c.head, c.agg, c.store, n, n*degree)
			e, err := edges.Tensor(context.Background(), step.Operands[0].Order, step.Operands[0].Formats)
			if err != nil {
				b.Fatal(err)
			}
			in := Inputs{Dims: map[string]int{"i": n, "j": n}}
			in.Operands = append(in.Operands, e)
			for range 2 {
				for _, general := range []bool{false, true} {
					b.Run(fmt.Sprintf("entry=%s/run=%d/general=%v", c.name, degree, general), func(b *testing.B) {
						for b.Loop() {
							if _, _, err := RunStep(context.Background(), step, in, Options{NoRegistry: general}); err != nil {
								b.Fatal(err)
							}
						}
						b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(e.NNZ), "ns/edge")
					})
				}
			}
		}
	}
}
