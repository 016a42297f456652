package exec

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/einsum/format"
	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/fibers"
	"github.com/trireme-db/trireme/optimizer/physical"
)

// saturating makes all leaves of a problem such that may be saturated.
func (g *generator) saturating(p *problem) bool {
	q := p.step.Query
	first, ok := q.Leaves[0].Expr.(*einsum.Agg)
	if !ok {
		return false
	}
	last := len(p.tables) - 1
	required := newBinder(p.step, p.in, Options{}).required.has(last)
	leaves := []einsum.Leaf{{Name: "n", Expr: &einsum.Agg{Op: semiring.Or, Idxs: first.Idxs, Arg: first.Arg}}}
	for l := range g.IntN(3) {
		leaf := 1 + g.IntN(2)
		value := access(p.tables[last], leaf)
		conds := []einsum.Expr{first.Arg, value}
		if !required || g.IntN(3) == 0 {
			value, conds = &einsum.Literal{Elem: semiring.I64, I: semiring.FromInt64(1)}, conds[:1]
		}
		if g.level {
			conds = conds[:1]
		}
		op := []semiring.Op{semiring.Min, semiring.Max}[g.IntN(2)]
		leaves = append(leaves, einsum.Leaf{Name: leafNames[1+l], Expr: &einsum.Agg{
			Op: op, Idxs: first.Idxs,
			Arg: &einsum.Map{Op: semiring.Guard, Args: append([]einsum.Expr{value}, conds...)},
		}})
	}
	q.Leaves = leaves
	return true
}

// TestRandomBreaks compares steps that may stop early with brute force; of half of
// them the integers of a table are all the same.
func TestRandomBreaks(t *testing.T) {
	broken, same := 0, 0
	for seed := range uint64(1000) {
		g := &generator{Rand: rand.New(rand.NewPCG(seed, 19)), floats: []float64{0, 1.5, -2}, maxDim: 6, rows: 80, maxIdx: 4, sums: true, level: seed >= 500}
		p := g.problem(t)
		if !g.saturating(p) {
			continue
		}
		want := p.bruteForce()
		for _, general := range []bool{true, false} {
			opt := Options{NoRegistry: general}
			got, _, err := RunStep(context.Background(), p.step, p.in, opt)
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			p.check(t, got, want)
			b := newBinder(p.step, p.in, opt)
			sink := b.bind(t.Context(), make([]bool, len(p.step.Query.Leaves))).sink
			if b.breaker(sink) != nil {
				broken++
			}
			for n, l := range p.step.Query.Leaves[1:] {
				guard := l.Expr.(*einsum.Agg).Arg.(*einsum.Map)
				if _, ok := guard.Args[0].(*einsum.Access); ok && b.constantLeaf(n+1, sink.accs[n+1]) != nil {
					same++
				}
			}
		}
	}
	if broken < 400 || same < 30 {
		t.Errorf("only %d steps could stop early, %d leaves have one value", broken, same)
	}
}

// TestOneLevel: the least level of neighbours in a frontier, all of which have the
// same one, is found as fast as whether there is one. Positions of a bytemap that are
// no entries have no level.
func TestOneLevel(t *testing.T) {
	e := completeGraph(t, 20)
	for _, kind := range []format.Kind{format.SparseList, format.Bytemap} {
		for _, other := range []bool{false, true} {
			step, in := pattern(e, "ij", "ij", "i", format.None)
			exists(step)
			frontier := ones(t, rand.New(rand.NewPCG(1, 2)), 20, 7, kind)
			values, first := make([]int64, 20), int32(-1) // 0 where there is no entry
			for c := range fibers.Coord(20) {
				if p, ok := frontier.Levels[0].Lookup(0, c); ok {
					values[p] = 3
					if first < 0 {
						first = p
					}
				}
			}
			if kind == format.SparseList {
				values = values[:frontier.NNZ]
			}
			if other {
				values[first] = 2
			}
			frontier.Leaves = []fibers.Leaf{{Name: "n", Elem: semiring.Pattern}, {Name: "x", Elem: semiring.I64, I64: values}}
			args := []einsum.Arg{{Index: step.Loops[1].Index}}
			step.Operands = append(step.Operands, physical.Operand{Tensor: "F", Args: args, Order: []int{0}, Formats: []format.Kind{kind}, Protocols: []format.Protocol{format.Lookup}})
			in.Operands = append(in.Operands, frontier)
			edge := step.Query.Leaves[0].Expr.(*einsum.Agg)
			level := &einsum.Access{Tensor: "F", Leaf: "x", Args: args}
			both := []einsum.Expr{edge.Arg, &einsum.Access{Tensor: "F", Leaf: "n", Args: args}}
			edge.Arg = &einsum.Map{Op: semiring.And, Args: both}
			step.Query.Leaves = append(step.Query.Leaves, einsum.Leaf{Name: "a", Expr: &einsum.Agg{
				Op: semiring.Min, Idxs: edge.Idxs, Arg: &einsum.Map{Op: semiring.Guard, Args: append([]einsum.Expr{level}, both...)},
			}})
			got, stats, err := RunStep(t.Context(), step, in, Options{})
			if err != nil {
				t.Fatal(err)
			}
			if (stats.Kernel == "any-probe") == other {
				t.Errorf("%v, another level %v: kernel %s", kind, other, stats.Kernel)
			}
			want := int64(3)
			if other {
				want = 2
			}
			for _, x := range got.Leaves[1].I64 {
				if x != want {
					t.Errorf("%v, another level %v: %d", kind, other, x)
				}
			}
			if got.NNZ != 20 {
				t.Errorf("%d entries", got.NNZ)
			}
		}
	}
}

// exists replaces the leaves of a count by "or" over the same cells.
func exists(step *physical.Step) {
	agg := step.Query.Leaves[0].Expr.(*einsum.Agg)
	step.Query.Leaves[0].Expr = &einsum.Agg{Op: semiring.Or, Idxs: agg.Idxs, Arg: agg.Arg}
}

func TestBreaksEarly(t *testing.T) {
	const n = 30
	e := completeGraph(t, n)
	for _, c := range []struct {
		name, order, out string
		ws               format.Workspace
		most             int64
	}{
		{"scalar", "ijk", "", format.None, 10},
		{"per vertex", "ijk", "i", format.None, 10 * n},
		{"per pair", "ikj", "ik", format.None, 10 * n * n},
		// All slots of the workspace are full after the first j: then each costs a look.
		{"pairs by a workspace", "ijk", "k", format.DenseWorkspace, 2 * n * n * n},
		{"workspace around", "ikj", "k", format.DenseWorkspace, 10 * n * n},
	} {
		t.Run(c.name, func(t *testing.T) {
			step, in := pattern(e, c.order, "ij ik jk", c.out, c.ws)
			if c.order == "ikj" {
				step, in = pattern(e, c.order, "ij ik kj", c.out, c.ws)
			}
			exists(step)
			got, entries := work(t, step, in, Options{NoRegistry: true})
			if entries > c.most {
				t.Errorf("looked at %d entries, want at most %d", entries, c.most)
			}
			for pos := range got.NNZ {
				if x := got.Leaves[0].Int128(int32(pos)); x != semiring.FromInt64(1) {
					t.Errorf("entry %d is %v", pos, x)
				}
			}
		})
	}
}

// TestBreaksAfterABatch: the specialised loops look at no more than the batch in
// which there is a cell, and at the fibers that they mark.
func TestBreaksAfterABatch(t *testing.T) {
	const n = 300
	e := completeGraph(t, n)
	for _, c := range []struct {
		name, out string
		most      int64
	}{
		{"scalar", "", 10 + anyBatch + n},
		{"per vertex", "i", (10 + anyBatch + 2*n) * n},
	} {
		t.Run(c.name, func(t *testing.T) {
			step, in := pattern(e, "ijk", "ij ik jk", c.out, format.None)
			exists(step)
			got, entries := work(t, step, in, Options{})
			if entries > c.most {
				t.Errorf("looked at %d entries, want at most %d", entries, c.most)
			}
			if want := map[string]int{"": 1, "i": n}[c.out]; got.NNZ != want {
				t.Errorf("%d entries, want %d", got.NNZ, want)
			}
		})
	}
}

// TestAnyProbeIsTaken: a step that asks for existence runs on its kernel, and on
// rows where each row is an entry.
func TestAnyProbeIsTaken(t *testing.T) {
	e := completeGraph(t, 20)
	for _, c := range []struct {
		order, out string
		rows       bool
	}{{"ijk", "", false}, {"ijk", "i", false}, {"ijk", "ij", true}} {
		step, in := pattern(e, c.order, "ij ik jk", c.out, format.None)
		exists(step)
		_, stats, err := RunStep(t.Context(), step, in, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if stats.Kernel != "any-probe" || stats.Rows != c.rows {
			t.Errorf("out %q: kernel %s, rows %v", c.out, stats.Kernel, stats.Rows)
		}
	}
}

// TestBreaksAtTheLeastValue: a minimum stops at the least value of its column.
func TestBreaksAtTheLeastValue(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	const dim = 5000
	for _, registry := range []bool{false, true} {
		v := ones(t, r, dim, 20*dim, format.SparseList)
		step, in := sumOf(nil, v)
		access := step.Query.Leaves[0].Expr.(*einsum.Agg).Arg.(*einsum.Map).Args[0]
		idxs := []einsum.Index{{Name: "i"}}
		step.Query.Leaves = []einsum.Leaf{{Name: "n", Expr: &einsum.Agg{Op: semiring.Min, Idxs: idxs, Arg: access}}}
		v.Leaves[0] = fibers.Leaf{Name: "n", Elem: semiring.I64, I64: make([]int64, v.NNZ)}
		v.Leaves[0].I64[v.NNZ/2] = -1
		v.Leaves[0].I64[v.NNZ/4] = 7
		got, entries := work(t, step, in, Options{NoRegistry: !registry})
		if x := got.Leaves[0].I64[0]; x != -1 {
			t.Errorf("the minimum is %d", x)
		}
		if !registry && entries != int64(v.NNZ/2+1) {
			t.Errorf("looked at %d entries of %d", entries, v.NNZ)
		}
	}
}

// BenchmarkBreak asks which edges lie in a triangle, and counts the triangles.
func BenchmarkBreak(b *testing.B) {
	e := epinions(b)
	for _, or := range []bool{true, false} {
		step, in := pattern(e, "ijk", "ij ik jk", "ij", format.None)
		name := "leaf=sum"
		if or {
			exists(step)
			name = "leaf=or"
		}
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, _, err := RunStep(b.Context(), step, in, Options{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
