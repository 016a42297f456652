package exec

import (
	"context"
	"testing"

	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/fibers"
	"github.com/trireme-db/trireme/optimizer/physical"
)

// BenchmarkKernelCells is what a cell costs, by the kernel that visits it: of products, of a
// comparison that bounds a loop, of expressions that are evaluated in every cell, and of one
// that only the general kernel evaluates.
func BenchmarkKernelCells(b *testing.B) {
	const n = 2000
	const inputs = "tensor A(0) { n pattern, s f64, k i64 }\ntensor B(1) { n pattern, s f64, k i64 }\n"
	const tail = "\n  read A(i): 0 dense walk\n  read B(j): 0 dense walk\n  store ():; prefix 0; workspace none; f64\n  estimate: ~1 cells, ~1 entries\n"
	one := func(body string) string { return "s: sum(i,j) " + body }
	const plain = "  loops: i ~1, j ~1"
	for _, c := range []struct{ name, leaf, loops string }{
		{"product", one("A.s(i) * B.s(j)"), plain},
		{"comparison", one("A.s(i) * B.s(j) * (i <= j)"), plain + " where (i <= j)"},
		{"condition", one("A.s(i) * B.s(j) * guard(1, min(max(plus(A.k(i), neg(B.k(j))), 0), 1))"), plain},
		{"guard", one("guard(A.s(i) * B.s(j), less(A.k(i), B.k(j)))"), plain},
		{"choice", one("select(less(A.k(i), B.k(j)), A.s(i) * B.s(j), 0)"), plain},
		{"both", one("select(and(less(A.k(i), B.k(j)), less(plus(A.k(i), B.k(j)), 150)), 1, select(equal(A.k(i), B.k(j)), 2, 0))"), plain},
		{"remainder", one("guard(1, less(rem(plus(7 * A.k(i), 3 * B.k(j)), 11), 4))"), plain},
		{"function", one("sqrt(plus(A.s(i), B.s(j)))"), plain},
		{"abs", one("abs(plus(A.s(i), neg(B.s(j))))"), plain},
		{"exp", one("exp(plus(A.s(i), B.s(j)))"), plain},
		{"ln", one("ln(plus(A.s(i), B.s(j), 1))"), plain},
		{"sin", one("sin(plus(A.s(i), B.s(j)))"), plain},
		{"power", one("power(plus(A.s(i), B.s(j)), 3)"), plain},
		{"general", "n: sum(i,j) A.n(i) * B.n(j)\n       | s: sum(i,j) A.s(i) * B.s(j) + (i <= j)", plain + " where (i <= j)"},
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
