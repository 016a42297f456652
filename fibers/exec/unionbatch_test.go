package exec

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/einsum/format"
	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/fibers"
	"github.com/trireme-db/trireme/optimizer/physical"
)

// unionStep is a random step over a structure of disjunctions and products of
// operands of which none, or one, is everywhere. Its leaves are expressions of the
// same shape.
func (g *generator) unionStep(t *testing.T) *problem {
	t.Helper()
	i, j := einsum.Index{Name: "i"}, einsum.Index{Name: "j", Domain: 1}
	p := &problem{
		step: &physical.Step{Loops: []physical.Loop{{Index: i}, {Index: j}}}, indices: []einsum.Index{i, j},
		dims: map[string]int{"i": 1 + g.IntN(12), "j": 1 + g.IntN([]int{8, 60, 300, 3000, 20_000}[g.IntN(5)])}, in: Inputs{Ranks: map[int][]int32{}},
	}
	p.in.Dims = p.dims
	shape := g.unionOperands(t, p)
	q := &einsum.Query{Name: "R"}
	var over []einsum.Index
	workspace, prefix := format.None, 0
	switch g.IntN(6) {
	case 0: // one entry
		over = p.indices
	case 1: // an entry per row
		q.Idxs, over, prefix = p.indices[:1], p.indices[1:], 1
	case 2: // an entry per column
		q.Idxs, over, workspace = p.indices[1:], p.indices[:1], format.DenseWorkspace
	case 3:
		q.Idxs, over, workspace = p.indices[:1], p.indices[1:], format.HashWorkspace
	default: // an entry per cell
		q.Idxs, prefix = p.indices, 2
	}
	formats := make([]format.Kind, len(q.Idxs))
	for m := range formats {
		formats[m] = format.SparseList
	}
	p.step.Output = physical.Output{Order: q.Idxs, Workspace: workspace, Prefix: prefix, Formats: formats}
	p.step.BodyNNZ = 1e6
	agg := func(op semiring.Op, x einsum.Expr) einsum.Expr {
		if len(over) == 0 && g.IntN(2) == 0 {
			return x
		}
		return &einsum.Agg{Op: op, Idxs: over, Arg: x}
	}
	structure := func() einsum.Expr {
		return shape.expr(p.tables, func() int { return 0 }, semiring.Or, semiring.And)
	}
	q.Leaves = []einsum.Leaf{{Name: "n", Expr: agg([]semiring.Op{semiring.Or, semiring.Add}[g.IntN(2)], structure())}}
	for l := range 1 + g.IntN(3) {
		ors := []semiring.Op{semiring.Add, semiring.Add, semiring.Sub, semiring.Min, semiring.Max, semiring.Or}
		ands := []semiring.Op{semiring.Mul, semiring.Mul, semiring.Plus, semiring.And}
		leaf := g.IntN(3)
		body := shape.expr(p.tables, func() int { return leaf }, ors[g.IntN(len(ors))], ands[g.IntN(len(ands))])
		switch g.IntN(4) {
		case 0:
			body = &einsum.Map{Op: semiring.Guard, Args: []einsum.Expr{body, structure()}}
		case 1: // past 64 bits
			if leaf < 2 {
				body = &einsum.Map{Op: semiring.Mul, Args: []einsum.Expr{body, einsum.Int(1 << 62)}}
			}
		}
		op := []semiring.Op{semiring.Add, semiring.Min, semiring.Max, semiring.Or}[g.IntN(4)]
		q.Leaves = append(q.Leaves, einsum.Leaf{Name: fmt.Sprint("l", l), Expr: agg(op, body)})
	}
	p.step.Query = q
	return p
}

// unionOperands adds operands and returns the shape of what is made of them; one in
// four is that of a score of pairs, whose parts have what each row must have and lists
// that are alike.
func (g *generator) unionOperands(t *testing.T, p *problem) *unionShape {
	t.Helper()
	if g.IntN(4) > 0 {
		for k := range 2 + g.IntN(4) {
			over := p.indices
			if k > 1 && g.IntN(5) == 0 {
				over = p.indices[1:]
			}
			if k > 1 && g.IntN(6) == 0 {
				over = p.indices[:1]
			}
			g.unionOperand(t, p, over)
		}
		return g.unionShape(len(p.tables))
	}
	for len(p.tables) == 0 || p.step.Operands[0].Formats[1] != format.SparseList {
		p.tables, p.step.Operands, p.in.Operands = nil, nil, nil
		g.unionOperand(t, p, p.indices)
	}
	g.twin(t, p, 0)
	s := &unionShape{op: -1}
	for k := range 2 {
		g.unionOperand(t, p, p.indices[:1])
		part := []*unionShape{{op: k}, {op: len(p.tables) - 1}}
		s.parts = append(s.parts, &unionShape{op: -1, and: true, parts: part[:1+g.IntN(2)]})
	}
	return s
}

// unionOperand adds an operand of random density and kinds, of rows with values the
// sign of whose zeros and whose NaN matter.
func (g *generator) unionOperand(t *testing.T, p *problem, over []einsum.Index) {
	t.Helper()
	op := physical.Operand{Tensor: fmt.Sprint("T", len(p.tables))}
	cells := 1
	var dims []int
	for m, ix := range over {
		dim := p.dims[ix.Name]
		if g.IntN(8) == 0 { // the tensor is older than its domain
			dim = 1 + g.IntN(dim)
		}
		cells *= dim
		dims = append(dims, dim)
		op.Args, op.Order = append(op.Args, einsum.Arg{Index: ix}), append(op.Order, m)
		op.Protocols = append(op.Protocols, format.Protocol(0))
		kind := kinds[g.IntN(int(format.Hash)+1)]
		if m == len(over)-1 && g.IntN(3) == 0 {
			kind = kinds[g.IntN(len(kinds))]
		}
		if cells > 50_000 && !kind.Shaped() && g.IntN(4) > 0 {
			kind = format.SparseList
		}
		op.Formats = append(op.Formats, kind)
	}
	if last := len(p.tables) - 1; last >= 0 && len(over) == len(p.step.Operands[last].Args) && g.IntN(4) == 0 {
		g.twin(t, p, last)
		return
	}
	rows := g.rows
	g.rows = min([]int{3, 40, cells/20 + 1, 2*cells + 1}[g.IntN(4)], 2000)
	tab := g.table(op.Tensor, op.Args, dims, make([]fibers.Coord, len(over)))
	g.shape(tab, op.Order, op.Formats)
	g.rows = rows
	p.tables = append(p.tables, tab)
	p.step.Operands = append(p.step.Operands, op)
	p.in.Operands = append(p.in.Operands, tab.tensor(t, op.Order, op.Formats))
}

// twin adds an operand with the coordinates and the kinds of another one and values of
// its own, as tensors of one table have them.
func (g *generator) twin(t *testing.T, p *problem, of int) {
	t.Helper()
	op, tab := p.step.Operands[of], *p.tables[of]
	op.Tensor = fmt.Sprint("T", len(p.tables))
	tab.name, tab.rows = op.Tensor, map[string][]float64{}
	for at, row := range p.tables[of].rows {
		tab.rows[at] = []float64{row[0], row[1] * 2, row[2]}
	}
	p.tables = append(p.tables, &tab)
	p.step.Operands = append(p.step.Operands, op)
	p.in.Operands = append(p.in.Operands, tab.tensor(t, op.Order, op.Formats))
}

// unionShape is the shape of an expression: operand op, or, without one, a
// disjunction or a conjunction of its parts.
type unionShape struct {
	op    int
	and   bool
	parts []*unionShape
}

func (g *generator) unionShape(operands int) *unionShape {
	s := &unionShape{op: -1}
	for k := range operands {
		leaf := &unionShape{op: k}
		switch n := len(s.parts); {
		case n > 0 && g.IntN(4) == 0:
			s.parts[n-1] = &unionShape{op: -1, and: true, parts: []*unionShape{s.parts[n-1], leaf}}
		case n > 1 && g.IntN(8) == 0: // a factor of all so far
			s = &unionShape{op: -1, parts: []*unionShape{{op: -1, and: true, parts: []*unionShape{s, leaf}}}}
		default:
			s.parts = append(s.parts, leaf)
		}
	}
	return s
}

func (s *unionShape) expr(tables []*table, leaf func() int, or, and semiring.Op) einsum.Expr {
	if s.op >= 0 {
		return access(tables[s.op], leaf())
	}
	m := &einsum.Map{Op: or}
	if s.and {
		m.Op = and
	}
	for _, part := range s.parts {
		m.Args = append(m.Args, part.expr(tables, leaf, or, and))
	}
	return m
}

// bitwiseTensor compares to the last bit, but that NaN is NaN.
func bitwiseTensor(t *testing.T, p *problem, got, want *fibers.Tensor) {
	t.Helper()
	nearTensor(t, p, got, want)
	a, b := got.COO(), want.COO()
	for l := range a.Leaves {
		if a.Leaves[l].Elem != b.Leaves[l].Elem {
			t.Fatalf("leaf %s: %v, want %v\n%s", a.Leaves[l].Name, a.Leaves[l].Elem, b.Leaves[l].Elem, p.describe())
		}
		for e, x := range a.Leaves[l].F64[:min(a.N, len(a.Leaves[l].F64))] {
			if y := b.Leaves[l].F64[e]; math.Float64bits(x) != math.Float64bits(y) && !(math.IsNaN(x) && math.IsNaN(y)) {
				t.Fatalf("leaf %s: %v, want %v to the last bit\n%s", a.Leaves[l].Name, x, y, p.describe())
			}
		}
	}
}

// TestUnionBatches runs unions in batches, and on the general path.
func TestUnionBatches(t *testing.T) {
	seen := map[string]int{}
	for seed := range uint64(300) {
		g := &generator{Rand: rand.New(rand.NewPCG(seed, 77)), floats: []float64{0, math.Copysign(0, -1), 1.5, -2, 0.25, 3, math.NaN(), math.Inf(1)}}
		p := g.unionStep(t)
		want, _, failed := RunStep(context.Background(), p.step, p.in, Options{NoRegistry: true})
		for _, opt := range []Options{{}, {Threads: 2, Morsels: 1 + g.IntN(20)}} {
			got, stats, err := RunStep(context.Background(), p.step, p.in, opt)
			if (failed == nil) != (err == nil) {
				t.Fatalf("seed %d: %v, want %v\n%s", seed, err, failed, p.step.Query)
			}
			if err != nil {
				seen["failed"]++
				continue
			}
			if strings.HasPrefix(stats.Kernel, unionName("")) {
				seen[stats.Kernel]++
				seen["128 bits"] += len(stats.Wide)
			}
			if len(p.step.Query.Idxs) == 2 {
				bitwiseTensor(t, p, got, want)
			} else {
				nearTensor(t, p, got, want)
			}
		}
	}
	for what, least := range map[string]int{"union append-columns": 50, "union gather-reduce": 50, "union scatter-accumulate": 20, "128 bits": 10} {
		if seen[what] < least {
			t.Errorf("%s: %d times, of %v", what, seen[what], seen)
		}
	}
}

// TestUnionLead looks at the batches of each of the ways to find a union.
func TestUnionLead(t *testing.T) {
	ways := map[string]func(u *unionLead, l *loop, first fibers.Coord, active, left int32) int32{
		"run":    func(u *unionLead, l *loop, first fibers.Coord, active, _ int32) int32 { return u.run(l, first, active) },
		"window": (*unionLead).windowed,
		"merge":  func(u *unionLead, l *loop, _ fibers.Coord, _, _ int32) int32 { return u.merge(l) },
		"alike":  func(u *unionLead, l *loop, _ fibers.Coord, _, _ int32) int32 { return u.alike(l) },
	}
	taken := map[string]int{}
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 78))
		dim := 1 + r.IntN([]int{10, 1000, 5000}[r.IntN(3)])
		var levels []fibers.Level
		for range 1 + r.IntN(4) {
			kind := []format.Kind{format.SparseList, format.Bytemap, format.Hash, format.Dense}[r.IntN(4)]
			if seed%3 == 0 {
				kind = format.SparseList
			}
			n := []int{1, dim / 10, 20 * dim}[r.IntN(3)]
			if kind == format.Dense {
				n = 20 * dim
			}
			if last := len(levels) - 1; last >= 0 && (seed%3 == 0 || r.IntN(4) == 0) {
				levels = append(levels, levels[last]) // of another tensor of the same table
				continue
			}
			levels = append(levels, ones(t, r, dim, n, kind).Levels[0])
		}
		for name, way := range ways {
			taken[name] += walkUnion(t, levels, int32(dim), way)
		}
	}
	for name := range ways {
		if taken[name] < 100 {
			t.Errorf("%s: %d batches", name, taken[name])
		}
	}
}

// walkUnion walks the union of fibers by one way, where it gives nothing by merging,
// and returns how often it did.
func walkUnion(t *testing.T, levels []fibers.Level, dim int32, way func(u *unionLead, l *loop, first fibers.Coord, active, left int32) int32) (taken int) {
	t.Helper()
	e := &env{pos: make([]int32, 2*len(levels))}
	l := &loop{dim: dim, hi: dim}
	u := &unionLead{places: make([]source, len(levels)), cut: make([]int32, len(levels))}
	for k, level := range levels {
		o := newTerm(k, level, int(dim), 2*k, 2*k+1)
		o.open(e)
		o.leads = true
		o.at, o.end = o.clip(0, dim)
		l.optional = append(l.optional, o)
		u.places[k].buf = make([]int32, 1024)
	}
	before := fibers.Coord(-1)
	got := make([]int, len(levels))
	for {
		first, active, left := dim, int32(0), int32(0)
		for _, o := range l.optional {
			if o.at < o.end {
				first, active, left = min(first, o.coord(o.at)), active+1, left+o.end-o.at
			}
		}
		if active == 0 {
			break
		}
		n := way(u, l, first, active, left)
		if taken++; n == 0 {
			taken--
			n = u.merge(l)
		}
		for s, c := range u.ks[:n] {
			if c <= before {
				t.Fatalf("coordinate %d after %d", c, before)
			}
			before = c
			some := false
			for k, level := range levels {
				want, ok := level.Lookup(0, c)
				if !ok {
					want = -1
				} else {
					got[k]++
				}
				some = some || ok
				if p := u.places[k].at(s); p != want {
					t.Fatalf("the position of coordinate %d in fiber %d is %d, want %d", c, k, p, want)
				}
			}
			if !some {
				t.Fatalf("nobody has coordinate %d", c)
			}
		}
	}
	for k, o := range l.optional {
		if int32(got[k]) != o.n {
			t.Fatalf("%d entries of fiber %d, want %d", got[k], k, o.n)
		}
	}
	return taken
}

// BenchmarkUnionBatches adds up k vectors entry by entry and in batches.
func BenchmarkUnionBatches(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 3))
	const dim = 1 << 16
	for _, k := range []int{2, 4} {
		for _, share := range []int{1, 2, 8, 64, 512} {
			var ts []*fibers.Tensor
			for range k {
				n := dim / share
				if share == 1 {
					n = 30 * dim
				}
				ts = append(ts, ones(b, r, dim, n, format.SparseList))
			}
			step, in := sumOf(nil, ts...)
			for _, how := range []string{"general", "batches"} {
				b.Run(fmt.Sprintf("k=%d/share=%d/how=%s", k, share, how), func(b *testing.B) {
					for b.Loop() {
						runScalar(b, step, in, Options{NoRegistry: how == "general"})
					}
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(k*ts[0].NNZ), "ns/entry")
				})
			}
		}
	}
}
