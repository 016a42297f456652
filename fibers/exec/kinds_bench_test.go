package exec

import (
	"context"
	"fmt"
	"testing"

	"github.com/trireme-db/trireme/fibers"
	"github.com/trireme-db/trireme/optimizer/physical"
)

// BenchmarkResultKinds reads a result T, of which one coordinate in so many is
// stored, by every kind that the level of a result may have: looked up for every
// entry of a table, and walked. Results of two modes have a dense level above.
func BenchmarkResultKinds(b *testing.B) {
	const (
		tail   = "  store ():; prefix 0; workspace none; f64\n  estimate: ~1 cells, ~1 entries\n"
		vector = "tensor E(0,1) { n pattern, s f64 }\ntensor T(1) { n pattern, s f64 }\nR() = s: sum(i,k) E.s(i,k) * T.s(k)\n" +
			"  loops: i ~1, k ~1\n  read E(i,k): 0 dense walk, 1 sparse walk\n  read T(k): 0 %s lookup\n" + tail
		matrix = "tensor E(0,1) { n pattern, s f64 }\ntensor T(0,1) { n pattern, s f64 }\nR() = s: sum(i,k) E.s(i,k) * T.s(i,k)\n" +
			"  loops: i ~1, k ~1\n  read E(i,k): 0 dense walk, 1 sparse walk\n  read T(i,k): 0 dense lookup, 1 %s lookup\n" + tail
		walked = "tensor E(1) { n pattern, s f64 }\ntensor T(0,1) { n pattern, s f64 }\nR() = s: sum(i,k) T.s(i,k) * E.s(k)\n" +
			"  loops: i ~1, k ~1\n  read T(i,k): 0 dense walk, 1 %s walk\n  read E(k): 0 dense lookup\n" + tail
	)
	const rows, columns = 1000, 10_000
	every := func(dims []int, step int) *fibers.COO {
		return entriesOf(b, dims, func(add func(float64, ...int)) {
			n := dims[0]
			if len(dims) > 1 {
				n *= dims[1]
			}
			for at := 0; at < n; at += step {
				if at += at * 7919 % step; len(dims) > 1 {
					add(float64(at%7), at/dims[1], at%dims[1])
				} else if at < n {
					add(float64(at%7), at)
				}
				at -= at % step
			}
		})
	}
	for _, c := range []struct {
		name, plan  string
		dims, other []int
		sparse      int // the other table has one entry in so many
	}{
		{"vector looked up", vector, []int{columns}, []int{rows, columns}, 50},
		{"matrix looked up", matrix, []int{rows, columns}, []int{rows, columns}, 1000},
		{"matrix walked", walked, []int{rows, columns}, []int{columns}, 1},
	} {
		other := every(c.other, c.sparse)
		for _, step := range []int{1, 4, 20, 100, 1000} {
			stored := every(c.dims, step)
			for _, kind := range []string{"sparse", "bytemap", "hash"} {
				b.Run(fmt.Sprintf("%s/one in=%d/kind=%s", c.name, step, kind), func(b *testing.B) {
					p, err := physical.Parse(fmt.Sprintf(c.plan, kind))
					if err != nil {
						b.Fatal(err)
					}
					s, in, bytes := p.Steps[0], Inputs{Dims: map[string]int{"i": rows, "k": columns}}, int64(0)
					for i := range s.Operands {
						o, coo := &s.Operands[i], stored
						if o.Tensor == "E" {
							coo = other
						}
						t, err := coo.Tensor(context.Background(), o.Order, o.Formats)
						if err != nil {
							b.Fatal(err)
						}
						if in.Operands = append(in.Operands, t); o.Tensor == "T" {
							bytes = t.Bytes()
						}
					}
					for b.Loop() {
						if _, _, err := RunStep(context.Background(), s, in, Options{}); err != nil {
							b.Fatal(err)
						}
					}
					b.ReportMetric(float64(bytes)/float64(stored.N), "bytes/entry")
				})
			}
		}
	}
}
