package exec

import (
	"context"
	"fmt"
	"testing"

	"github.com/trireme-db/trireme/einsum/format"
	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/fibers"
	"github.com/trireme-db/trireme/optimizer/physical"
)

// entriesOf makes the entries that each gives: coordinates and a value of leaf s.
func entriesOf(b *testing.B, dims []int, each func(add func(value float64, coords ...int))) *fibers.COO {
	b.Helper()
	cols := make([][]fibers.Coord, len(dims))
	var values []float64
	each(func(value float64, coords ...int) {
		for m, c := range coords {
			cols[m] = append(cols[m], fibers.Coord(c))
		}
		values = append(values, value)
	})
	builder := fibers.NewBuilder(len(dims), []fibers.LeafSpec{
		{Name: "n", Elem: semiring.Pattern, Merge: semiring.Add}, {Name: "s", Elem: semiring.F64, Merge: semiring.Add},
	})
	if err := builder.Append(len(values), cols, []fibers.Leaf{{}, {F64: values}}); err != nil {
		b.Fatal(err)
	}
	coo, err := builder.Finish(context.Background(), dims)
	if err != nil {
		b.Fatal(err)
	}
	return coo
}

// levelBench is a plan of one step over tables, of which the last level of the
// one named is stored by the kind or by the one that it replaces.
type levelBench struct {
	kind, instead format.Kind
	plan          string
	tables        map[string]*fibers.COO
	shaped        string
}

// BenchmarkLevelKinds compares every kind for data of a certain shape with the
// kind that such data has without it.
func BenchmarkLevelKinds(b *testing.B) {
	for _, c := range levelBenches(b) {
		for _, kind := range []format.Kind{c.kind, c.instead} {
			b.Run("shape="+c.kind.String()+"/kind="+kind.String(), func(b *testing.B) {
				p, err := physical.Parse(c.plan)
				if err != nil {
					b.Fatal(err)
				}
				step, in := p.Steps[0], Inputs{Dims: map[string]int{}}
				for i := range step.Operands {
					o := &step.Operands[i]
					if o.Tensor == c.shaped {
						o.Formats[len(o.Formats)-1] = kind
					}
					t, err := c.tables[o.Tensor].Tensor(context.Background(), o.Order, o.Formats)
					if err != nil {
						b.Fatal(err)
					}
					if got := t.Levels[len(t.Levels)-1].Kind(); got != o.Formats[len(o.Formats)-1] {
						b.Fatalf("%s is stored as %v", o.Tensor, got)
					}
					for l, ix := range o.Indices() {
						in.Dims[ix.Name] = max(in.Dims[ix.Name], t.Dims[l])
					}
					in.Operands = append(in.Operands, t)
				}
				for b.Loop() {
					_, _, err := RunStep(context.Background(), step, in, Options{})
					if err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

func levelBenches(b *testing.B) []levelBench {
	const vertices, rank, lines, days = 20_000, 32, 400_000, 4000
	edges := entriesOf(b, []int{vertices, vertices}, func(add func(float64, ...int)) {
		for i := range 5 * vertices {
			add(1, i*7919%vertices, (i*104729+i/vertices)%vertices)
		}
	})
	factors := entriesOf(b, []int{vertices, rank}, func(add func(float64, ...int)) {
		for i := range vertices * rank {
			add(float64(i%11), i/rank, i%rank)
		}
	})
	owners := entriesOf(b, []int{lines, vertices}, func(add func(float64, ...int)) {
		for i := range lines {
			add(1, i, i*7919%vertices)
		}
	})
	regions := entriesOf(b, []int{vertices, 50}, func(add func(float64, ...int)) {
		for i := range vertices {
			add(1, i, i*31%50)
		}
	})
	column := func(n, step int) *fibers.COO {
		return entriesOf(b, []int{n}, func(add func(float64, ...int)) {
			for i := 0; i < n; i += step {
				add(float64(i%7), i)
			}
		})
	}
	documents := func(values int) *fibers.COO {
		return entriesOf(b, []int{lines / 400, lines}, func(add func(float64, ...int)) {
			for i := range lines {
				add(float64(i%values), i/400, i)
			}
		})
	}
	prices := func(gap int) *fibers.COO {
		return entriesOf(b, []int{100, days}, func(add func(float64, ...int)) {
			for i := range 100 * days {
				if i%days%800 != gap {
					add(float64(i/400%50), i/days, i%days)
				}
			}
		})
	}
	const (
		inputs  = "tensor T(0,1) { n pattern, s f64 }\ntensor X(1) { n pattern, s f64 }\n"
		product = "R() = s: sum(i,k) T.s(i,k) * X.%s(k)\n  loops: i ~1, k ~1\n  read T(i,k): 0 dense walk, 1 sparse walk\n" +
			"  read X(k): 0 %s lookup\n  store ():; prefix 0; workspace none; f64\n  estimate: ~1 cells, ~1 entries\n"
	)
	over := func(kind, instead format.Kind, t, x *fibers.COO, leaf string, stored format.Kind) levelBench {
		return levelBench{kind: kind, instead: instead, plan: inputs + fmt.Sprintf(product, leaf, stored), tables: map[string]*fibers.COO{"T": t, "X": x}, shaped: "T"}
	}
	return []levelBench{
		{
			kind: format.Dense, instead: format.SparseList, shaped: "F",
			tables: map[string]*fibers.COO{"E": edges, "F": factors},
			plan: "tensor E(0,0) { n pattern, s f64 }\ntensor F(0,1) { n pattern, s f64 }\n" +
				"R() = s: sum(i,j,k) E.s(i,j) * F.s(i,k) * F.s(j,k)\n  loops: i ~1, j ~1, k ~1\n  read E(i,j): 0 dense walk, 1 sparse walk\n" +
				"  read F(i,k): 0 dense lookup, 1 dense walk\n  read F(j,k): 0 dense lookup, 1 dense lookup\n" +
				"  store ():; prefix 0; workspace none; f64\n  estimate: ~1 cells, ~1 entries\n",
		},
		{
			kind: format.Pinpoint, instead: format.SparseList, shaped: "T",
			tables: map[string]*fibers.COO{"T": owners, "U": regions, "X": column(50, 1)},
			plan: "tensor T(0,1) { n pattern, s f64 }\ntensor U(1,2) { n pattern, s f64 }\ntensor X(2) { n pattern, s f64 }\n" +
				"R() = s: sum(i,k,m) T.s(i,k) * U.n(k,m) * X.s(m)\n  loops: i ~1, k ~1, m ~1\n  read T(i,k): 0 dense walk, 1 sparse walk\n" +
				"  read U(k,m): 0 dense lookup, 1 pinpoint walk\n  read X(m): 0 dense lookup\n" +
				"  store ():; prefix 0; workspace none; f64\n  estimate: ~1 cells, ~1 entries\n",
		},
		over(format.Interval, format.SparseList, documents(1), column(lines, 1), "n", format.Dense),
		over(format.Band, format.SparseList, documents(9), column(lines, 40), "s", format.SparseList),
		over(format.SparseRunLength, format.SparseList, prices(7), column(days, 1), "n", format.Dense),
		over(format.RunLength, format.Dense, prices(-1), column(days, 1), "n", format.Dense),
	}
}
