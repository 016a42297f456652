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
	"github.com/trireme-db/trireme/fibers/kernel"
	"github.com/trireme-db/trireme/optimizer/physical"
)

// columnProblem is a step whose second leaf is a random expression over four
// vectors, the first two of which are present everywhere.
type columnProblem struct {
	expressions
	step    *physical.Step
	in      Inputs
	entries int
}

// expressions makes random ones over the leaves of some tensors.
type expressions struct {
	*rand.Rand
	tensors []string
	args    []einsum.Arg
	leaves  map[semiring.Elem][]string // those with values up to a type
}

var columnLeaves = []string{"p", "n", "x", "f", "w"}

// columnTensor has leaves of all types with the values that arithmetic turns on.
func (p *columnProblem) columnTensor(t *testing.T) *fibers.Tensor {
	t.Helper()
	n := p.entries
	coo := &fibers.COO{Dims: []int{n}, N: n, Coords: [][]fibers.Coord{make([]fibers.Coord, n)}}
	for l, elem := range []semiring.Elem{semiring.Pattern, semiring.I64, semiring.I64, semiring.F64, semiring.I128} {
		coo.Leaves = append(coo.Leaves, fibers.NewLeaf(columnLeaves[l], elem, n))
	}
	large := p.IntN(3) == 0
	for i := range n {
		coo.Coords[0][i] = fibers.Coord(i)
		coo.Leaves[1].I64[i] = int64(p.IntN(3))
		coo.Leaves[2].I64[i] = int64(p.IntN(9) - 4)
		coo.Leaves[3].F64[i] = float64(p.IntN(17)-8) / 4
		coo.Leaves[4].I128[i] = semiring.FromInt64(int64(p.IntN(5) - 2))
		if large && p.IntN(4) == 0 {
			coo.Leaves[2].I64[i] = []int64{math.MaxInt64, math.MinInt64, 1 << 62, 1 << 32}[p.IntN(4)]
			coo.Leaves[3].F64[i] = []float64{math.NaN(), math.Inf(1), math.Inf(-1), math.MaxFloat64, math.Copysign(0, -1)}[p.IntN(5)]
			coo.Leaves[4].I128[i] = semiring.Int128{Hi: []int64{math.MaxInt64, math.MinInt64, 1}[p.IntN(3)], Lo: p.Uint64()}
		}
	}
	out, err := coo.Tensor(context.Background(), []int{0}, []format.Kind{format.SparseList})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// expression is a random one with values up to the type.
func (p *expressions) expression(depth int, elem semiring.Elem) einsum.Expr {
	of := func(op semiring.Op, args ...einsum.Expr) einsum.Expr { return &einsum.Map{Op: op, Args: args} }
	sub := func() einsum.Expr { return p.expression(depth-1, elem) }
	condition := func() einsum.Expr { return p.expression(depth-1-p.IntN(2), semiring.Elem(p.IntN(4))) }
	if depth <= 0 {
		if p.IntN(6) == 0 {
			if elem == semiring.F64 && p.IntN(2) == 0 {
				return einsum.Float([]float64{0, 1.5, -2}[p.IntN(3)])
			}
			return einsum.Int([]int64{0, 1, 3, -2}[p.IntN(4)])
		}
		leaf := p.leaves[elem]
		return &einsum.Access{Tensor: p.tensors[p.IntN(len(p.tensors))], Leaf: leaf[p.IntN(len(leaf))], Args: p.args}
	}
	functions := []semiring.Op{semiring.Sqrt, semiring.Exp, semiring.Ln, semiring.Abs, semiring.Sigmoid, semiring.Relu, semiring.Floor, semiring.Round, semiring.Sin, semiring.Acos}
	folds := []semiring.Op{semiring.Add, semiring.Mul, semiring.Plus, semiring.Min, semiring.Max, semiring.Or, semiring.And}
	pairs := []semiring.Op{semiring.Less, semiring.AtMost, semiring.Equal, semiring.Differ}
	switch k := p.IntN(15); {
	case k == 12:
		return of(pairs[p.IntN(len(pairs))], condition(), condition())
	case k == 13 && elem == semiring.F64:
		return of([]semiring.Op{semiring.Div, semiring.Power, semiring.Rem}[p.IntN(3)], condition(), condition())
	case k == 13:
		return of([]semiring.Op{semiring.Quot, semiring.Rem}[p.IntN(2)], sub(), sub())
	case k == 14:
		return of(semiring.Select, condition(), sub(), sub())
	case k == 0:
		return of(semiring.Neg, sub())
	case k == 1:
		return of(semiring.Sub, sub(), sub())
	case k <= 3:
		return of(semiring.Guard, sub(), condition())
	case k == 4:
		return of(semiring.Guard, sub(), condition(), condition(), condition())
	case k == 5 && p.IntN(2) == 0: // as an outer join reads
		leaf := p.leaves[elem]
		x := &einsum.Access{Tensor: p.tensors[p.IntN(len(p.tensors))], Leaf: leaf[p.IntN(len(leaf))], Args: p.args}
		return of(semiring.If0, x, einsum.Int(int64(p.IntN(3))))
	case k == 5:
		return of(semiring.If0, sub(), sub())
	case k <= 7 && elem == semiring.F64:
		arg := condition()
		if p.IntN(3) > 0 { // within every domain, where it is a number
			arg = of(semiring.Plus, of(semiring.Abs, arg), einsum.Float(0.5))
		}
		return of(functions[p.IntN(len(functions))], arg)
	default:
		args := []einsum.Expr{sub(), sub()}
		if p.IntN(3) == 0 {
			args = append(args, sub())
		}
		return of(folds[p.IntN(len(folds))], args...)
	}
}

func newColumnProblem(t *testing.T, seed uint64) *columnProblem {
	t.Helper()
	i := einsum.Index{Name: "i"}
	p := &columnProblem{entries: 30, expressions: expressions{
		Rand: rand.New(rand.NewPCG(seed, 29)), tensors: []string{"A", "B", "C", "D"}, args: []einsum.Arg{{Index: i}},
		leaves: map[semiring.Elem][]string{
			semiring.Pattern: {"p"}, semiring.I64: {"p", "n", "x", "x"}, semiring.I128: {"n", "x", "w"}, semiring.F64: {"n", "x", "f", "f", "w"},
		},
	}}
	p.step = &physical.Step{Loops: []physical.Loop{{Index: i}}}
	p.in = Inputs{Dims: map[string]int{"i": p.entries}}
	for _, name := range p.tensors {
		p.step.Operands = append(p.step.Operands, physical.Operand{
			Tensor: name, Args: []einsum.Arg{{Index: i}}, Order: []int{0}, Formats: []format.Kind{format.SparseList}, Protocols: []format.Protocol{0},
		})
		p.in.Operands = append(p.in.Operands, p.columnTensor(t))
	}
	x := p.expression(1+p.IntN(4), []semiring.Elem{semiring.I64, semiring.I128, semiring.F64, semiring.F64}[p.IntN(4)])
	op := []semiring.Op{semiring.Add, semiring.Add, semiring.Min, semiring.Max, semiring.Or}[p.IntN(5)]
	all := &einsum.Map{Op: semiring.Mul}
	for _, name := range p.tensors[:2] {
		all.Args = append(all.Args, &einsum.Access{Tensor: name, Leaf: "p", Args: []einsum.Arg{{Index: i}}})
	}
	idxs := []einsum.Index{i}
	p.step.Query = &einsum.Query{Name: "R", Leaves: []einsum.Leaf{
		{Name: "n", Expr: &einsum.Agg{Op: semiring.Add, Idxs: idxs, Arg: all}},
		{Name: "v", Expr: &einsum.Agg{Op: op, Idxs: idxs, Arg: x}},
	}}
	return p
}

// lanes are random cells at which the expression is present.
func (p *columnProblem) lanes(b *binder, e *env, present func(*env) bool) *lanes {
	l := newLanes(len(b.operands))
	n := []int{1, 7, 300, kernel.BatchMax}[p.IntN(4)]
	cols := make([][]int32, len(b.operands))
	fixed := make([]bool, len(b.operands))
	for o := range fixed {
		fixed[o] = p.IntN(5) == 0
		e.pos[b.operands[o].last()] = int32(p.IntN(p.entries))
		if fixed[o] && !b.required.has(o) && p.IntN(3) == 0 {
			e.pos[b.operands[o].last()] = -1
		}
	}
	made := 0
	for tries := 0; made < n && tries < 4*n; tries++ {
		for o := range cols {
			if !fixed[o] {
				e.pos[b.operands[o].last()] = int32(p.IntN(p.entries))
				if !b.required.has(o) && p.IntN(3) == 0 {
					e.pos[b.operands[o].last()] = -1
				}
			}
		}
		if !present(e) {
			continue
		}
		for o := range cols {
			cols[o] = append(cols[o], e.pos[b.operands[o].last()])
		}
		made++
	}
	l.begin(made)
	for o := range cols {
		if p.IntN(2) == 0 { // of a longer batch
			cols[o] = append(cols[o], 1<<30)
		}
		l.at[o] = place{source: source{ix: cols[o]}}
		if fixed[o] {
			l.at[o] = place{source: source{off: e.pos[b.operands[o].last()]}, fixed: true}
		}
	}
	if made < p.entries && b.required.has(0) && !fixed[0] && p.IntN(3) == 0 { // consecutive entries
		l.at[0] = place{source: source{off: 1}}
	}
	return l
}

// columnsSeen counts what the lanes of TestColumns went through.
type columnsSeen struct{ skipped, faults, over, absent, plain int }

// TestColumns compares expressions over columns with those over cells, lane for
// lane: values to the last bit, what is skipped, what overflows and what has no
// value.
func TestColumns(t *testing.T) {
	var seen columnsSeen
	for seed := range uint64(2500) {
		p := newColumnProblem(t, seed)
		b := newBinder(p.step, p.in, Options{})
		e := b.prepare(context.Background(), make([]bool, 2)).env
		wide := p.IntN(3) == 0
		present := b.presentFunc(p.step.Query.Leaves[1].Expr)
		for range 2 {
			switch acc := b.accumulator(1, wide).(type) {
			case patternAcc:
			case *valueAcc[int64]:
				compareColumn(t, seed, p, b, e, acc, present, &seen)
			case *valueAcc[semiring.Int128]:
				compareColumn(t, seed, p, b, e, acc, present, &seen)
			case *valueAcc[float64]:
				compareColumn(t, seed, p, b, e, acc, present, &seen)
			}
		}
	}
	if seen.skipped < 1000 || seen.faults < 30 || seen.over < 100 || seen.absent < 1000 || seen.plain < 1000 {
		t.Errorf("too little was seen: %+v", seen)
	}
}

func compareColumn[T comparable](t *testing.T, seed uint64, p *columnProblem, b *binder, e *env, acc *valueAcc[T], present func(*env) bool, seen *columnsSeen) {
	t.Helper()
	leaf, ok := b.columnLeaf(1, acc).(*valueColumn[T])
	if !ok {
		t.Fatalf("seed %d: no column for %s", seed, einsum.ExprString(p.step.Query.Leaves[1].Expr))
	}
	for range 2 { // buffers are used again
		l := p.lanes(b, e, present)
		if l.n == 0 {
			continue
		}
		clear(e.over)
		*leaf.fault = false
		leaf.evaluate(e, l)
		over := append([]bool{}, e.over...)
		clear(e.over)
		failed := false
		for i := range l.n {
			for o := range b.operands {
				e.pos[b.operands[o].last()] = l.at[o].pos(i)
				if l.at[o].pos(i) < 0 {
					seen.absent++
				}
			}
			e.skip, e.err = false, nil
			want := acc.eval(e)
			skipped := leaf.skip != nil && leaf.skip[i]
			if e.err != nil {
				failed = true
				continue
			}
			if e.skip != skipped {
				t.Fatalf("seed %d: lane %d of %d: skipped %t, want %t in %s", seed, i, l.n, skipped, e.skip, einsum.ExprString(p.step.Query.Leaves[1].Expr))
			}
			if e.skip {
				seen.skipped++
			} else {
				seen.plain++
			}
			if got := leaf.vals[i]; !e.skip && !sameBits(got, want) {
				t.Fatalf("seed %d: lane %d of %d: %v, want %v in %s", seed, i, l.n, got, want, einsum.ExprString(p.step.Query.Leaves[1].Expr))
			}
		}
		e.skip, e.err = false, nil
		if failed != leaf.faulty() {
			t.Fatalf("seed %d: fault %t, want %t in %s", seed, leaf.faulty(), failed, einsum.ExprString(p.step.Query.Leaves[1].Expr))
		}
		if failed {
			seen.faults++
			leaf.explain(e, l)
			if e.err == nil {
				t.Fatalf("seed %d: a fault without an error", seed)
			}
			e.err = nil
			continue
		}
		for n := range over {
			if over[n] {
				seen.over++
			}
			if over[n] != e.over[n] {
				t.Fatalf("seed %d: overflow %v, want %v in %s", seed, over, e.over, einsum.ExprString(p.step.Query.Leaves[1].Expr))
			}
		}
	}
}

// sameBits compares values; of NaN any will do.
func sameBits[T comparable](a, b T) bool {
	x, isFloat := any(a).(float64)
	if !isFloat {
		return a == b
	}
	y, _ := any(b).(float64)
	return math.Float64bits(x) == math.Float64bits(y) || math.IsNaN(x) && math.IsNaN(y)
}

// TestFusedColumns compares fused steps whose leaves are random expressions over
// columns with the same entry by entry, with groups and without.
func TestFusedColumns(t *testing.T) {
	columns, faults, entries := 0, 0, 0
	for seed := range uint64(400) {
		rng := rand.New(rand.NewPCG(seed, 31))
		i, k := einsum.Index{Name: "i"}, einsum.Index{Name: "k"}
		x := expressions{Rand: rng, tensors: []string{"P"}, args: []einsum.Arg{{Index: i}, {Index: k}}, leaves: map[semiring.Elem][]string{
			semiring.Pattern: {"n"}, semiring.I64: {"n", "x"}, semiring.I128: {"n", "x"}, semiring.F64: {"n", "x", "f", "f"},
		}}
		text := fusedExpressions
		if rng.IntN(2) == 0 {
			text = strings.NewReplacer("R() =", "R(i) =", "sum(i,k)", "sum(k)", "store ():; prefix 0;", "store (i): sparse; prefix 1;").Replace(text)
		}
		plan, err := physical.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		step, into := plan.Steps[0], plan.Steps[1]
		agg, ok := into.Query.Leaves[0].Expr.(*einsum.Agg)
		if !ok {
			t.Fatal("no aggregate")
		}
		for l := range 1 + rng.IntN(3) {
			op := []semiring.Op{semiring.Add, semiring.Min, semiring.Max, semiring.Or}[rng.IntN(4)]
			body := x.expression(1+rng.IntN(3), []semiring.Elem{semiring.I64, semiring.F64}[rng.IntN(2)])
			// Present wherever P is, whatever the expression.
			body = einsum.Guarded(body, &einsum.Access{Tensor: "P", Leaf: "n", Args: x.args})
			into.Query.Leaves = append(into.Query.Leaves, einsum.Leaf{Name: fmt.Sprint("v", l), Expr: &einsum.Agg{Op: op, Idxs: agg.Idxs, Arg: body}})
		}
		into.Output.Elems = nil
		dims := map[string]int{"i": 60, "j": 30, "k": 60}
		e, f := fusedOperand(t, rng, 60, 30), fusedOperand(t, rng, 30, 60)
		run := func(opt Options) (*fibers.Tensor, FusedStats, error) {
			return RunFused(context.Background(), step, into, Inputs{Operands: []*fibers.Tensor{e, f}, Dims: dims}, Inputs{Dims: dims}, opt, nil)
		}
		want, _, failed := run(Options{NoRegistry: true})
		got, stats, err := run(Options{})
		if stats.Into.Kernel == "fused columns" {
			columns++
		}
		if failed != nil || err != nil {
			if failed == nil || err == nil || failed.Error() != err.Error() {
				t.Fatalf("seed %d: %v, want %v\n%s", seed, err, failed, into.Query)
			}
			faults++
			continue
		}
		entries = max(entries, stats.Step.Entries)
		sameTensor(t, &problem{step: into}, got, want)
	}
	if columns < 100 || faults < 3 || entries < 2*kernel.BatchMax {
		t.Errorf("columns in %d plans, %d failed, at most %d entries", columns, faults, entries)
	}
}

// TestNestedColumns compares fused steps that join what they read with a tensor:
// the cells of which columns are made outlive no chunk.
func TestNestedColumns(t *testing.T) {
	i, k, m := einsum.Index{Name: "i"}, einsum.Index{Name: "k"}, einsum.Index{Name: "m"}
	p, w := &table{name: "P", args: []einsum.Arg{{Index: i}, {Index: k}}}, &table{name: "W", args: []einsum.Arg{{Index: k}, {Index: m}}}
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 47))
		x := expressions{Rand: rng, leaves: map[semiring.Elem][]string{
			semiring.Pattern: {"n"}, semiring.I64: {"n", "x"}, semiring.I128: {"n", "x"}, semiring.F64: {"n", "x", "f", "f"},
		}}
		text := fusedExpressions[:strings.Index(fusedExpressions, "R() =")] + nestedReader
		plan, err := physical.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		step, into := plan.Steps[0], plan.Steps[1]
		for l := range 1 + rng.IntN(3) {
			op := []semiring.Op{semiring.Add, semiring.Min, semiring.Max, semiring.Or}[rng.IntN(4)]
			body := x.over([]*table{p, w}, 1+rng.IntN(2), []semiring.Elem{semiring.I64, semiring.F64}[rng.IntN(2)])
			body = einsum.Guarded(body, access(p, 0), access(w, 0))
			into.Query.Leaves = append(into.Query.Leaves, einsum.Leaf{Name: fmt.Sprint("v", l), Expr: &einsum.Agg{Op: op, Idxs: []einsum.Index{i, k, m}, Arg: body}})
		}
		into.Output.Elems = nil
		dims := map[string]int{"i": 100, "j": 30, "k": 100, "m": 3}
		e, f, inner := fusedOperand(t, rng, 100, 30), fusedOperand(t, rng, 30, 100), fusedOperand(t, rng, 100, 3)
		run := func(opt Options) (*fibers.Tensor, FusedStats, error) {
			return RunFused(context.Background(), step, into, Inputs{Operands: []*fibers.Tensor{e, f}, Dims: dims},
				Inputs{Operands: []*fibers.Tensor{nil, inner}, Dims: dims}, opt, nil)
		}
		want, _, failed := run(Options{NoRegistry: true})
		got, stats, err := run(Options{})
		if (failed == nil) != (err == nil) {
			t.Fatalf("seed %d: %v, want %v\n%s", seed, err, failed, into.Query)
		}
		if err != nil {
			continue
		}
		if stats.Step.Entries < fusedRows || stats.Into.Kernel != "fused gather-reduce" {
			t.Errorf("seed %d: %d entries, kernel %s", seed, stats.Step.Entries, stats.Into.Kernel)
		}
		nearTensor(t, &problem{step: into}, got, want)
	}
}

const nestedReader = `R() = n: or(i,k,m) and(P.n(i,k), W.n(k,m))
  loops: i ~1, k ~1, m ~1
  read P(i,k): 0 sparse walk, 1 sparse walk
  read W(k,m): 0 sparse lookup, 1 sparse walk
  store ():; prefix 0; workspace none; i64
  estimate: ~1 cells, ~1 entries
`

const fusedExpressions = `tensor E(0,0) { n i64, x i64, f f64 }
tensor W(0,0) { n i64, x i64, f f64 }
P(i,k) = n: sum(j) E.n(i,j) * E.n(j,k)
       | x: sum(j) E.x(i,j) * E.n(j,k)
       | f: sum(j) E.f(i,j) * E.n(j,k)
  loops: i ~1, j ~1, k ~1
  read E(i,j): 0 sparse walk, 1 sparse walk
  read E(j,k): 0 sparse lookup, 1 sparse walk
  store (i,k): sparse, sparse; prefix 1; workspace dense; fused; i64, i64, f64
  estimate: ~1 cells, ~1 entries
R() = n: sum(i,k) guard(1, P.n(i,k))
  loops: i ~1, k ~1
  read P(i,k): 0 sparse walk, 1 sparse walk
  store ():; prefix 0; workspace none; i64
  estimate: ~1 cells, ~1 entries
`

// fusedOperand is a matrix with a quarter of its entries; sums of its values are
// exact.
func fusedOperand(t *testing.T, rng *rand.Rand, rows, cols int) *fibers.Tensor {
	t.Helper()
	coo := &fibers.COO{Dims: []int{rows, cols}, Coords: make([][]fibers.Coord, 2)}
	n, x, f := fibers.NewLeaf("n", semiring.I64, 0), fibers.NewLeaf("x", semiring.I64, 0), fibers.NewLeaf("f", semiring.F64, 0)
	for i := range rows {
		for j := range cols {
			if rng.IntN(4) > 0 {
				continue
			}
			coo.Coords[0], coo.Coords[1] = append(coo.Coords[0], fibers.Coord(i)), append(coo.Coords[1], fibers.Coord(j))
			n.I64, x.I64 = append(n.I64, int64(rng.IntN(3))), append(x.I64, int64(rng.IntN(9)-4))
			f.F64 = append(f.F64, float64(rng.IntN(17)-8)/4)
			coo.N++
		}
	}
	coo.Leaves = []fibers.Leaf{n, x, f}
	out, err := coo.Tensor(context.Background(), []int{0, 1}, []format.Kind{format.SparseList, format.SparseList})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
