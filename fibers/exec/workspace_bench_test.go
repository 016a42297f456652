package exec

import (
	"context"
	"fmt"
	"testing"

	"github.com/trireme-db/trireme/fibers"
	"github.com/trireme-db/trireme/optimizer/physical"
)

// BenchmarkWorkspaces gathers the entries of the same step in every workspace that
// is legal for it: entries written once in another order, groups of two indices,
// and a single scattered index, over few and many coordinates.
func BenchmarkWorkspaces(b *testing.B) {
	const (
		head   = "tensor T(0,1,2) { n pattern, s f64 }\n"
		turned = head + "R(j,k) = s: sum(i) T.s(j,k,i)\n  loops: k ~1, j ~1, i ~1\n  read T(j,k,i): 1 sparse walk, 0 sparse walk, 2 sparse walk\n" +
			"  store (j,k): sparse, sparse; prefix 0; workspace %s; f64\n  estimate: ~1 cells, ~1 entries\n"
		groups = head + "R(j,k) = s: sum(i) T.s(i,j,k)\n  loops: i ~1, j ~1, k ~1\n  read T(i,j,k): 0 sparse walk, 1 sparse walk, 2 sparse walk\n" +
			"  store (j,k): sparse, sparse; prefix 0; workspace %s; f64\n  estimate: ~1 cells, ~1 entries\n"
		single = "tensor T(0,1) { n pattern, s f64 }\nR(k) = s: sum(i) T.s(i,k)\n  loops: i ~1, k ~1\n  read T(i,k): 0 sparse walk, 1 sparse walk\n" +
			"  store (k): sparse; prefix 0; workspace %s; f64\n  estimate: ~1 cells, ~1 entries\n"
	)
	for _, c := range []struct {
		name, plan string
		dims       []int
		entries    int
		workspaces []string
	}{
		{"turned/slots=1e4", turned, []int{100, 100, 1}, 5_000, []string{"dense", "hash", "sort"}},
		{"turned/slots=1e6", turned, []int{1000, 1000, 1}, 100_000, []string{"dense", "hash", "sort"}},
		{"turned/slots=4e6", turned, []int{2000, 2000, 1}, 10_000, []string{"dense", "hash", "sort"}},
		{"turned/slots=1e10", turned, []int{100_000, 100_000, 1}, 1_000_000, []string{"hash", "sort"}},
		{"groups/slots=1e3", groups, []int{100_000, 50, 20}, 1_000_000, []string{"dense", "hash"}},
		{"groups/slots=1e6", groups, []int{100_000, 1000, 1000}, 1_000_000, []string{"dense", "hash"}},
		{"groups/slots=4e6", groups, []int{100_000, 2000, 2000}, 10_000, []string{"dense", "hash"}},
		{"single/slots=1e3", single, []int{1000, 1000}, 1_000_000, []string{"dense", "hash"}},
		{"single/slots=1e5", single, []int{1000, 100_000}, 1_000_000, []string{"dense", "hash"}},
		{"single/slots=4e6", single, []int{1000, 4_000_000}, 10_000, []string{"dense", "hash"}},
		{"single/slots=4e6/all", single, []int{1000, 4_000_000}, 1_000_000, []string{"dense", "hash"}},
	} {
		coo := entriesOf(b, c.dims, func(add func(float64, ...int)) {
			at := make([]int, len(c.dims))
			for e := range c.entries {
				for m, dim := range c.dims {
					at[m] = int(uint64(e+1) * (0x9e3779b97f4a7c15 + uint64(m)*0x6a09e667f3bcc908) >> 20 % uint64(dim))
				}
				add(float64(e%7), at...)
			}
		})
		for _, w := range c.workspaces {
			b.Run(c.name+"/workspace="+w, func(b *testing.B) {
				p, err := physical.Parse(fmt.Sprintf(c.plan, w))
				if err != nil {
					b.Fatal(err)
				}
				step, in := p.Steps[0], Inputs{Dims: map[string]int{}}
				o := &step.Operands[0]
				t, err := coo.Tensor(context.Background(), o.Order, o.Formats)
				if err != nil {
					b.Fatal(err)
				}
				for l, ix := range o.Indices() {
					in.Dims[ix.Name] = t.Dims[l]
				}
				in.Operands = []*fibers.Tensor{t}
				var stats StepStats
				for b.Loop() {
					if _, stats, err = RunStep(context.Background(), step, in, Options{}); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(coo.N), "ns/cell")
				b.ReportMetric(float64(stats.Entries), "entries")
			})
		}
	}
}
