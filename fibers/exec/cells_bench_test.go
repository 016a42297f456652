package exec

import (
	"context"
	"testing"

	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/fibers"
	"github.com/trireme-db/trireme/optimizer/physical"
)

// BenchmarkKernelCells is what a cell costs, by the kernel that visits it: of products, of a
// comparison that bounds a loop, and of a condition that is evaluated in every cell. The engine's
// choice between backends (visitNs, generalNs) goes by these.
func BenchmarkKernelCells(b *testing.B) {
	const n = 2000
	const inputs = "tensor A(0) { n pattern, s f64, k i64 }\ntensor B(1) { n pattern, s f64, k i64 }\n"
	const tail = "\n  read A(i): 0 dense walk\n  read B(j): 0 dense walk\n  store ():; prefix 0; workspace none; f64\n  estimate: ~1 cells, ~1 entries\n"
	for _, c := range []struct{ name, leaf, loops string }{
		{"product", "s: sum(i,j) A.s(i) * B.s(j)", "  loops: i ~1, j ~1"},
		{"comparison", "s: sum(i,j) A.s(i) * B.s(j) * (i <= j)", "  loops: i ~1, j ~1 where (i <= j)"},
		{"condition", "s: sum(i,j) A.s(i) * B.s(j) * guard(1, min(max(plus(A.k(i), neg(B.k(j))), 0), 1))", "  loops: i ~1, j ~1"},
		{"function", "s: sum(i,j) sqrt(plus(A.s(i), B.s(j)))", "  loops: i ~1, j ~1"},
	} {
		b.Run(c.name, func(b *testing.B) {
			p, err := physical.Parse(inputs + "R() = " + c.leaf + "\n" + c.loops + tail)
			if err != nil {
				b.Fatal(err)
			}
			vector := entriesOf(b, []int{n}, func(add func(float64, ...int)) {
				for i := range n {
					add(float64(i%7), i)
				}
			})
			vector.Leaves = append(vector.Leaves, wholeLeaf(n))
			s, in := p.Steps[0], Inputs{Dims: map[string]int{"i": n, "j": n}}
			for i := range s.Operands {
				o := &s.Operands[i]
				t, err := vector.Tensor(context.Background(), o.Order, o.Formats)
				if err != nil {
					b.Fatal(err)
				}
				in.Operands = append(in.Operands, t)
			}
			var stats StepStats
			for b.Loop() {
				if _, stats, err = RunStep(context.Background(), s, in, Options{}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(max(stats.Cells, 1)), "ns/cell")
			b.Logf("kernel %s, %d cells", stats.Kernel, stats.Cells)
		})
	}
}

// wholeLeaf is a leaf k of small integers.
func wholeLeaf(n int) fibers.Leaf {
	out := fibers.Leaf{Name: "k", Elem: semiring.I64}
	for i := range n {
		out.I64 = append(out.I64, int64(i%100))
	}
	return out
}
