package exec

import (
	"context"
	"fmt"
	"testing"

	"github.com/trireme-db/trireme/fibers"
	"github.com/trireme-db/trireme/optimizer/physical"
)

// BenchmarkFusedJoin runs a step and one that joins its result, once with the
// result stored and once with its entries taken as they come: many entries joined
// at their own cells, and few with loops inside.
func BenchmarkFusedJoin(b *testing.B) {
	const (
		head  = "tensor E(0,0) { n pattern, s f64 }\ntensor X(0) { n pattern, s f64 }\n"
		cells = head + "P(i,k) = s: sum(j) E.s(i,j) * E.s(j,k)\n  loops: i ~1, j ~1, k ~1\n  read E(i,j): 0 dense walk, 1 sparse walk\n" +
			"  read E(j,k): 0 dense lookup, 1 sparse walk\n  store (i,k): dense, sparse; prefix 1; workspace dense;%s f64\n  estimate: ~1 cells, ~1 entries\n" +
			"R(i) = s: sum(k) P.s(i,k) * X.s(k)\n  loops: i ~1, k ~1\n  read P(i,k): 0 dense walk, 1 sparse walk\n  read X(k): 0 dense lookup\n" +
			"  store (i): sparse; prefix 1; workspace none; f64\n  estimate: ~1 cells, ~1 entries\n"
		rows = head + "P(i) = s: sum(j) E.s(i,j) * X.s(j)\n  loops: i ~1, j ~1\n  read E(i,j): 0 dense walk, 1 sparse walk\n" +
			"  read X(j): 0 dense lookup\n  store (i): sparse; prefix 1; workspace none;%s f64\n  estimate: ~1 cells, ~1 entries\n" +
			"R(k) = s: sum(i) P.s(i) * E.s(i,k)\n  loops: i ~1, k ~1\n  read P(i): 0 sparse walk\n  read E(i,k): 0 dense lookup, 1 sparse walk\n" +
			"  store (k): sparse; prefix 0; workspace dense; f64\n  estimate: ~1 cells, ~1 entries\n"
	)
	for _, vertices := range []int{1000, 10_000, 100_000} {
		e := entriesOf(b, []int{vertices, vertices}, func(add func(float64, ...int)) {
			for i := range 8 * vertices {
				add(float64(i%5), i%vertices, int(uint64(i+1)*0x9e3779b97f4a7c15>>20%uint64(vertices)))
			}
		})
		x := entriesOf(b, []int{vertices}, func(add func(float64, ...int)) {
			for i := range vertices {
				add(float64(i%3), i)
			}
		})
		for name, plan := range map[string]string{"cells": cells, "rows": rows} {
			for _, fused := range []string{"", " fused;"} {
				b.Run(fmt.Sprintf("%s/vertices=%d/fused=%v", name, vertices, fused != ""), func(b *testing.B) {
					p, err := physical.Parse(fmt.Sprintf(plan, fused))
					if err != nil {
						b.Fatal(err)
					}
					in := make([]Inputs, 2)
					for s, step := range p.Steps {
						in[s].Dims = map[string]int{"i": vertices, "j": vertices, "k": vertices}
						for i := range step.Operands {
							o, coo := &step.Operands[i], map[string]*fibers.COO{"E": e, "X": x}[step.Operands[i].Tensor]
							var t *fibers.Tensor
							if coo != nil {
								if t, err = coo.Tensor(context.Background(), o.Order, o.Formats); err != nil {
									b.Fatal(err)
								}
							}
							in[s].Operands = append(in[s].Operands, t)
						}
					}
					entries := 0
					for b.Loop() {
						if fused != "" {
							_, stats, err := RunFused(context.Background(), p.Steps[0], p.Steps[1], in[0], in[1], Options{}, nil)
							if err != nil {
								b.Fatal(err)
							}
							entries = stats.Step.Entries
							continue
						}
						t, stats, err := RunStep(context.Background(), p.Steps[0], in[0], Options{})
						if err == nil {
							in[1].Operands[0], entries = t, stats.Entries
							_, _, err = RunStep(context.Background(), p.Steps[1], in[1], Options{})
						}
						if err != nil {
							b.Fatal(err)
						}
					}
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(entries), "ns/entry")
				})
			}
		}
	}
}
