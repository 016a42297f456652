package exec

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/einsum/format"
	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/fibers"
	"github.com/trireme-db/trireme/optimizer/physical"
)

var kinds = []format.Kind{
	format.Dense, format.SparseList, format.Bytemap, format.Hash,
	format.RunLength, format.SparseRunLength, format.Interval, format.Band, format.Pinpoint,
}

// table is a tensor as a map, for the brute-force evaluator.
type table struct {
	name   string
	args   []einsum.Arg // by mode; Const: fixed at coordinate fixed[mode]
	fixed  []fibers.Coord
	dims   []int
	rows   map[string][]float64 // coordinates -> leaf values
	coords [][]fibers.Coord
	elems  []semiring.Elem
}

var leafNames = []string{"n", "x", "f"}

// problem is a random step with its data.
type problem struct {
	step    *physical.Step
	in      Inputs
	tables  []*table
	indices []einsum.Index
	dims    map[string]int
}

type generator struct {
	*rand.Rand
	floats []float64
	maxDim int
	rows   int
	maxIdx int
	sums   bool // only sums of products, which the registry takes
	level  bool // the integers of a table are all the same
}

func (g *generator) table(name string, args []einsum.Arg, dims []int, fixed []fibers.Coord) *table {
	t := &table{
		name: name, args: args, dims: dims, fixed: fixed, rows: map[string][]float64{},
		elems: []semiring.Elem{semiring.Pattern, semiring.I64, semiring.F64},
	}
	if g.IntN(2) == 0 {
		t.elems[0] = semiring.I64
	}
	rows := g.IntN(g.rows)
	if g.IntN(8) == 0 {
		rows = 5 * g.rows // nearly full, so that dense levels occur
	}
	level := 0.0
	if g.level {
		level = float64(g.IntN(7) - 3)
	}
	for range rows {
		c := make([]fibers.Coord, len(dims))
		for m, d := range dims {
			c[m] = fibers.Coord(g.IntN(d))
		}
		if t.rows[fmt.Sprint(c)] != nil {
			continue
		}
		n := 1.0
		if t.elems[0] == semiring.I64 {
			n = float64(g.IntN(4))
		}
		x := level
		if !g.level {
			x = float64(g.IntN(7) - 3)
		}
		t.rows[fmt.Sprint(c)] = []float64{n, x, g.floats[g.IntN(len(g.floats))]}
		t.coords = append(t.coords, c)
	}
	return t
}

// shape replaces the rows by ones that the last level can store, if its kind is
// one for data of a certain shape.
func (g *generator) shape(t *table, order []int, formats []format.Kind) {
	last := len(order) - 1
	kind, dim := formats[last], t.dims[order[last]]
	if !kind.Shaped() {
		return
	}
	seen := map[string]bool{}
	var firsts [][]fibers.Coord // the first row of each fiber
	for _, c := range t.coords {
		above := slices.Clone(c)
		above[order[last]] = 0
		if !seen[fmt.Sprint(above)] {
			seen[fmt.Sprint(above)] = true
			firsts = append(firsts, c)
		}
	}
	if kind == format.RunLength { // one fiber only can be all of the tensor
		firsts = firsts[:min(1, len(firsts))]
	}
	rows := t.rows
	t.rows, t.coords = map[string][]float64{}, nil
	for _, c := range firsts {
		if len(t.coords) > 2*g.rows {
			break
		}
		lo, n := g.IntN(dim), 1
		switch kind {
		case format.RunLength, format.SparseRunLength:
			lo, n = 0, dim
		case format.Band, format.Interval:
			n = 1 + g.IntN(dim-lo)
		}
		row, length := rows[fmt.Sprint(c)], 1+g.IntN(dim)
		for i := range n {
			at := slices.Clone(c)
			at[order[last]] = fibers.Coord(lo + i)
			if kind != format.Interval && (kind == format.Band || i%length == 0) {
				row = []float64{row[0], float64(g.IntN(7) - 3), g.floats[g.IntN(len(g.floats))]}
			}
			if kind == format.SparseRunLength && i%length == length-1 && g.IntN(2) == 0 {
				continue // a gap between runs
			}
			t.rows[fmt.Sprint(at)] = row
			t.coords = append(t.coords, at)
		}
	}
}

// tensor lays the table out as the operand wants it.
func (t *table) tensor(tb testing.TB, order []int, formats []format.Kind) *fibers.Tensor {
	tb.Helper()
	specs := make([]fibers.LeafSpec, len(leafNames))
	leaves := make([]fibers.Leaf, len(leafNames))
	for l, name := range leafNames {
		specs[l] = fibers.LeafSpec{Name: name, Elem: t.elems[l], Merge: semiring.Add}
	}
	cols := make([][]fibers.Coord, len(t.dims))
	for _, c := range t.coords {
		row := t.rows[fmt.Sprint(c)]
		for m, x := range c {
			cols[m] = append(cols[m], x)
		}
		leaves[0].I64 = append(leaves[0].I64, int64(row[0]))
		leaves[1].I64 = append(leaves[1].I64, int64(row[1]))
		leaves[2].F64 = append(leaves[2].F64, row[2])
	}
	leaves[1].I64 = append([]int64{}, leaves[1].I64...)
	leaves[2].F64 = append([]float64{}, leaves[2].F64...)
	b := fibers.NewBuilder(len(t.dims), specs)
	if err := b.Append(len(t.coords), cols, leaves); err != nil {
		tb.Fatal(err)
	}
	coo, err := b.Finish(context.Background(), t.dims)
	if err != nil {
		tb.Fatal(err)
	}
	out, err := coo.Tensor(context.Background(), order, formats)
	if err != nil {
		tb.Fatal(err)
	}
	for _, m := range order {
		if t.args[m].Const != nil {
			out = out.Fix(t.fixed[m])
		}
	}
	return out
}

func (g *generator) problem(tb testing.TB) *problem {
	p := &problem{dims: map[string]int{}, in: Inputs{Ranks: map[int][]int32{}}}
	domainDims := []int{1 + g.IntN(g.maxDim), 1 + g.IntN(g.maxDim)}
	for d, n := range domainDims {
		if g.IntN(2) == 0 {
			ranks := make([]int32, n)
			for c, r := range g.Perm(n) {
				ranks[c] = int32(r)
			}
			ranks[g.IntN(n)] = -1
			p.in.Ranks[d] = ranks
		}
	}
	for i := range 1 + g.IntN(g.maxIdx) {
		ix := einsum.Index{Name: string(rune('i' + i)), Domain: g.IntN(2)}
		p.indices = append(p.indices, ix)
		p.dims[ix.Name] = domainDims[ix.Domain]
	}
	p.in.Dims = p.dims
	p.step = &physical.Step{}
	for _, i := range g.Perm(len(p.indices)) {
		p.step.Loops = append(p.step.Loops, physical.Loop{Index: p.indices[i]})
	}
	covered := map[string]bool{}
	for k := 0; k < 1+g.IntN(4) || len(covered) < len(p.indices); k++ {
		p.operand(tb, g, fmt.Sprint("T", k), covered, k >= 3)
	}
	g.query(p)
	if g.IntN(3) == 0 {
		p.withFunctions(g)
	}
	g.output(p)
	return p
}

// operand adds a table and its operand; force makes it bind uncovered indices.
func (p *problem) operand(tb testing.TB, g *generator, name string, covered map[string]bool, force bool) {
	var args []einsum.Arg
	var dims []int
	var fixed []fibers.Coord
	modes := g.IntN(4)
	perm := g.Perm(len(p.indices))
	for _, i := range perm {
		ix := p.indices[i]
		if len(args) >= modes && (!force || covered[ix.Name]) {
			continue
		}
		dim := p.dims[ix.Name]
		if g.IntN(6) == 0 { // the tensor is older than its domain
			dim = 1 + g.IntN(dim)
		}
		args, dims, fixed = append(args, einsum.Arg{Index: ix}), append(dims, dim), append(fixed, 0)
		covered[ix.Name] = true
		if g.IntN(12) == 0 { // the same index twice: a diagonal
			args, dims, fixed = append(args, einsum.Arg{Index: ix}), append(dims, p.dims[ix.Name]), append(fixed, 0)
		}
	}
	if g.IntN(5) == 0 {
		c := fibers.Coord(g.IntN(3))
		args, dims, fixed = append(args, einsum.Arg{Const: &einsum.Const{Text: fmt.Sprint(c)}}), append(dims, 3), append(fixed, c)
	}
	op := physical.Operand{Tensor: name, Args: args}
	for m, a := range args {
		if a.Const != nil {
			op.Order = append(op.Order, m)
		}
	}
	for _, l := range p.step.Loops {
		for m, a := range args {
			if a.Const == nil && a.Index.Name == l.Index.Name {
				op.Order = append(op.Order, m)
				op.Protocols = append(op.Protocols, format.Protocol(g.IntN(3)))
			}
		}
	}
	for l := range op.Order {
		kind := kinds[g.IntN(int(format.Hash)+1)]
		if g.IntN(3) == 0 {
			kind = kinds[g.IntN(len(kinds))]
		}
		if wide := l > 0 && g.maxDim > 100; wide && !kind.Shaped() { // dense levels below others would not fit
			kind = []format.Kind{format.SparseList, format.Hash}[g.IntN(2)]
		}
		op.Formats = append(op.Formats, kind)
	}
	t := g.table(name, args, dims, fixed)
	if len(op.Order) > 0 && g.IntN(3) == 0 {
		g.shape(t, op.Order, op.Formats)
	}
	p.tables = append(p.tables, t)
	p.step.Operands = append(p.step.Operands, op)
	p.in.Operands = append(p.in.Operands, t.tensor(tb, op.Order, op.Formats))
}

func access(t *table, leaf int) einsum.Expr {
	return &einsum.Access{Tensor: t.name, Leaf: leafNames[leaf], Args: t.args}
}

// query makes leaves with the presence of the product of all tables and masks,
// or, one time in four, of a product with a sum inside.
func (g *generator) query(p *problem) {
	q := &einsum.Query{Name: "R"}
	var reduced []einsum.Index
	for _, ix := range p.indices {
		if g.IntN(2) == 0 {
			q.Idxs = append(q.Idxs, ix)
		} else {
			reduced = append(reduced, ix)
		}
	}
	var masks []einsum.Expr
	for range g.IntN(3) {
		l, r := p.indices[g.IntN(len(p.indices))], p.indices[g.IntN(len(p.indices))]
		if l.Domain == r.Domain {
			masks = append(masks, &einsum.Compare{Op: semiring.Eq + semiring.Op(g.IntN(6)), L: l, R: r})
		}
	}
	disjunct := len(p.tables) > 2 && g.IntN(4) == 0
	product := func(leaf func() int) einsum.Expr {
		var args []einsum.Expr
		for _, t := range p.tables {
			args = append(args, access(t, leaf()))
		}
		if disjunct {
			ops := []semiring.Op{semiring.Add, semiring.Sub}
			args = append(args[2:], &einsum.Map{Op: ops[g.IntN(2)], Args: slices.Clone(args[:2])})
		}
		return &einsum.Map{Op: semiring.Mul, Args: append(args, masks...)}
	}
	reduce := func(op semiring.Op, x einsum.Expr) einsum.Expr {
		if len(reduced) == 0 {
			return x
		}
		return &einsum.Agg{Op: op, Idxs: reduced, Arg: x}
	}
	add := func(name string, x einsum.Expr) { q.Leaves = append(q.Leaves, einsum.Leaf{Name: name, Expr: x}) }
	add("n", reduce(semiring.Add, product(func() int { return 0 })))
	for l := range g.IntN(4) {
		name := fmt.Sprint("l", l)
		pick := func() int { return g.IntN(2) }
		kind := g.IntN(8)
		if g.sums {
			kind = []int{0, 1, 2, 6}[g.IntN(4)]
		}
		if kind >= 6 && disjunct {
			kind = 0
		}
		switch kind {
		case 0:
			add(name, reduce(semiring.Add, product(pick)))
		case 1:
			two := &einsum.Map{Op: semiring.Sub, Args: []einsum.Expr{product(pick), product(pick)}}
			add(name, reduce(semiring.Add, two))
		case 2:
			add(name, reduce(semiring.Add, product(func() int { return []int{0, 2}[g.IntN(2)] })))
		case 3:
			add(name, reduce(semiring.Or, product(pick)))
		case 6, 7:
			add(name, reduce([]semiring.Op{semiring.Min, semiring.Max}[g.IntN(2)], g.extreme(p, masks, len(reduced) > 0)))
		default:
			op, leaf := []semiring.Op{semiring.Min, semiring.Max}[g.IntN(2)], 1+g.IntN(2)
			x := product(func() int { return leaf })
			if !disjunct && len(reduced) > 0 {
				args := []einsum.Expr{&einsum.Map{Op: semiring.Plus, Args: []einsum.Expr{x, access(p.tables[0], leaf)}}}
				for _, t := range p.tables {
					args = append(args, access(t, g.IntN(3)))
				}
				x = &einsum.Map{Op: semiring.Guard, Args: args}
			}
			add(name, reduce(op, x))
		}
	}
	p.step.Query = q
}

// extreme is the argument of a MIN or MAX over columns of one or two tables, as
// queries have it: the other tables and the validity counts are conditions. All
// tables and masks occur, so its presence is the product's.
func (g *generator) extreme(p *problem, masks []einsum.Expr, guarded bool) einsum.Expr {
	leaf, values := 1+g.IntN(2), 1+g.IntN(min(2, len(p.tables)))
	var vals []einsum.Expr
	for _, t := range p.tables[:values] {
		vals = append(vals, access(t, leaf))
	}
	if !guarded {
		for _, t := range p.tables[values:] {
			vals = append(vals, access(t, leaf))
		}
		return &einsum.Map{Op: semiring.Plus, Args: append(vals, masks...)}
	}
	conds := slices.Clone(masks)
	for _, t := range p.tables {
		conds = append(conds, access(t, g.IntN(2)))
	}
	if len(conds) > 2 {
		conds = append(conds[2:], &einsum.Map{Op: semiring.Mul, Args: slices.Clone(conds[:2])})
	}
	return &einsum.Map{Op: semiring.Guard, Args: append([]einsum.Expr{&einsum.Map{Op: semiring.Plus, Args: vals}}, conds...)}
}

// output chooses an order and a workspace that P4 allows.
func (g *generator) output(p *problem) {
	out := &p.step.Output
	free := map[string]bool{}
	for _, ix := range p.step.Query.Idxs {
		free[ix.Name] = true
	}
	if g.IntN(2) == 0 { // loop order, so that prefixes occur
		for _, l := range p.step.Loops {
			if free[l.Index.Name] {
				out.Order = append(out.Order, l.Index)
			}
		}
	} else {
		for _, m := range g.Perm(len(p.step.Query.Idxs)) {
			out.Order = append(out.Order, p.step.Query.Idxs[m])
		}
	}
	shared := 0
	for shared < len(out.Order) && out.Order[shared].Name == p.step.Loops[shared].Index.Name {
		shared++
	}
	for l := range out.Order {
		kind := kinds[g.IntN(int(format.Hash)+1)]
		if l > 0 && g.maxDim > 100 {
			kind = format.SparseList
		}
		out.Formats = append(out.Formats, kind)
	}
	choices := []format.Workspace{format.HashWorkspace}
	if shared == len(out.Order) {
		choices = append(choices, format.None, format.None)
	}
	if len(out.Order) > 0 && shared >= len(out.Order)-1 {
		choices = append(choices, format.DenseWorkspace, format.DenseWorkspace)
	}
	if len(out.Order) > 1 && g.maxDim < 30 {
		choices = append(choices, flatDense)
	}
	if leads(p.step.Loops, free) {
		choices = append(choices, format.SortWorkspace, format.SortWorkspace)
	}
	out.Workspace = choices[g.IntN(len(choices))]
	switch out.Workspace {
	case format.None:
		out.Prefix = len(out.Order)
	case format.DenseWorkspace:
		out.Prefix = len(out.Order) - 1
	case flatDense:
		out.Workspace, out.Prefix = format.DenseWorkspace, g.IntN(min(shared, len(out.Order)-1)+1)
	default:
		out.Prefix = g.IntN(shared + 1)
	}
}

// flatDense stands for a dense workspace over any number of modes.
const flatDense = format.Workspaces

// leads reports whether the output's indices are bound by the first loops.
func leads(loops []physical.Loop, free map[string]bool) bool {
	for _, l := range loops[:len(free)] {
		if !free[l.Index.Name] {
			return false
		}
	}
	return len(free) > 0
}

// cell is the meaning of an expression at one assignment.
type cell struct {
	present, identity bool
	v                 float64
}

// meaning evaluates by the definitions in package einsum, over values as floats.
func (p *problem) meaning(x einsum.Expr, at map[string]fibers.Coord) cell {
	switch x := x.(type) {
	case *einsum.Access:
		for _, t := range p.tables {
			if t.name != x.Tensor {
				continue
			}
			c := make([]fibers.Coord, len(x.Args))
			for m, a := range x.Args {
				c[m] = at[a.Index.Name]
				if a.Const != nil {
					c[m] = t.fixed[m]
				}
			}
			row := t.rows[fmt.Sprint(c)]
			if row == nil {
				return cell{}
			}
			return cell{present: true, v: row[slices.Index(leafNames, x.Leaf)]}
		}
	case *einsum.Literal:
		return cell{present: true, v: x.F + x.I.Float64()}
	case *einsum.Compare:
		l, r := at[x.L.Name], at[x.R.Name]
		if ranks := p.in.Ranks[x.L.Domain]; ranks != nil {
			l, r = ranks[l], ranks[r]
		}
		holds := map[semiring.Op]bool{
			semiring.Eq: l == r, semiring.Ne: l != r, semiring.Lt: l < r,
			semiring.Le: l <= r, semiring.Gt: l > r, semiring.Ge: l >= r,
		}[x.Op]
		return cell{present: holds && l >= 0 && r >= 0, v: 1}
	case *einsum.Map:
		return p.mapMeaning(x, at)
	}
	panic(fmt.Sprintf("%T", x))
}

func (p *problem) mapMeaning(x *einsum.Map, at map[string]fibers.Coord) cell {
	var args []cell
	for _, a := range x.Args {
		args = append(args, p.meaning(a, at))
	}
	if x.Op.IsFunction() || x.Op.IsPair() || x.Op == semiring.If0 || x.Op == semiring.Select {
		return functionMeaning(x.Op, args)
	}
	switch x.Op {
	case semiring.Guard:
		out := args[0]
		for _, c := range args {
			out.present = out.present && c.present
		}
		for _, c := range args[1:] {
			out.identity = out.identity || c.identity || c.v == 0
		}
		return out
	case semiring.And:
		out := cell{present: true, v: 1}
		for _, a := range args {
			out.present = out.present && a.present
			out.identity = out.identity || a.identity
			if a.v == 0 {
				out.v = 0
			}
		}
		return out
	case semiring.Mul, semiring.Plus:
		out := cell{present: true, v: 1}
		if x.Op == semiring.Plus {
			out.v = 0
		}
		for _, a := range args {
			out.present = out.present && a.present
			out.identity = out.identity || a.identity
			if x.Op == semiring.Mul {
				out.v *= a.v
			} else {
				out.v += a.v
			}
		}
		return out
	case semiring.Add, semiring.Sub:
		var out cell
		for n, a := range args {
			if a.present {
				out.present = true
				if n > 0 && x.Op == semiring.Sub {
					a.v = -a.v
				}
				out.v += a.v
			}
		}
		return out
	}
	panic(x.Op.String())
}

func (p *problem) bruteForce() map[string][]float64 {
	out := map[string][]float64{}
	at := map[string]fibers.Coord{}
	var each func(i int)
	each = func(i int) {
		if i < len(p.indices) {
			name := p.indices[i].Name
			for c := range p.dims[name] {
				at[name] = fibers.Coord(c)
				each(i + 1)
			}
			return
		}
		var coords []fibers.Coord
		for _, ix := range p.step.Output.Order {
			coords = append(coords, at[ix.Name])
		}
		for l, leaf := range p.step.Query.Leaves {
			op, body := semiring.NoOp, leaf.Expr
			if agg, ok := body.(*einsum.Agg); ok {
				op, body = agg.Op, agg.Arg
			}
			c := p.meaning(body, at)
			if !c.present {
				return
			}
			row := out[fmt.Sprint(coords)]
			if row == nil {
				row = make([]float64, len(p.step.Query.Leaves))
				for k, other := range p.step.Query.Leaves {
					row[k] = startValue(p, other.Expr)
				}
				out[fmt.Sprint(coords)] = row
			}
			if !c.identity {
				row[l] = combineValue(op, row[l], c.v)
			}
		}
	}
	each(0)
	return out
}

// startValue is the identity of a leaf's aggregate in the leaf's type.
func startValue(p *problem, x einsum.Expr) float64 {
	agg, ok := x.(*einsum.Agg)
	if !ok {
		return 0
	}
	isFloat := usesFloat(agg.Arg)
	switch agg.Op {
	case semiring.Min:
		if isFloat {
			return math.NaN()
		}
		return math.MaxInt64
	case semiring.Max:
		if isFloat {
			return math.Inf(-1)
		}
		return math.MinInt64
	}
	return 0
}

func usesFloat(x einsum.Expr) bool {
	switch x := x.(type) {
	case *einsum.Access:
		return x.Leaf == "f"
	case *einsum.Literal:
		return x.Elem == semiring.F64
	case *einsum.Map:
		if x.Op == semiring.Guard {
			return usesFloat(x.Args[0])
		}
		if x.Op.IsFunction() {
			return true
		}
		return slices.ContainsFunc(x.Args, usesFloat)
	}
	return false
}

func combineValue(op semiring.Op, a, b float64) float64 {
	switch op {
	case semiring.Add:
		return a + b
	case semiring.Min:
		if math.IsNaN(a) || b < a {
			return b
		}
		return a
	case semiring.Max:
		if math.IsNaN(b) || b > a {
			return b
		}
		return a
	case semiring.Or:
		if a != 0 || b != 0 {
			return 1
		}
		return 0
	}
	return b
}

func (p *problem) describe() string {
	s := ""
	for _, l := range p.step.Query.Leaves {
		s += l.Name + " = " + einsum.ExprString(l.Expr) + "\n"
	}
	for _, l := range p.step.Loops {
		s += "loop " + l.Index.Name + "\n"
	}
	for _, o := range p.step.Operands {
		s += fmt.Sprintf("%s%+v %v\n", o.Tensor, o.Args, o.Formats)
	}
	return s + fmt.Sprintf("%+v\nranks %v dims %v", p.step.Output, p.in.Ranks, p.dims)
}

func (p *problem) check(t *testing.T, got *fibers.Tensor, want map[string][]float64) {
	t.Helper()
	if got.NNZ != len(want) {
		t.Fatalf("%d entries, want %d\n%s", got.NNZ, len(want), p.describe())
	}
	seen := 0
	got.Each(func(coords []fibers.Coord, pos int32) bool {
		row := want[fmt.Sprint(coords)]
		if row == nil {
			t.Fatalf("entry %v should not be\n%s", coords, p.describe())
		}
		for l := range got.Leaves {
			v := got.Leaves[l].Float64(pos)
			if v != row[l] && !(math.IsNaN(v) && math.IsNaN(row[l])) {
				t.Fatalf("leaf %s at %v is %v, want %v\n%s", got.Leaves[l].Name, coords, v, row[l], p.describe())
			}
		}
		seen++
		return true
	})
	if seen != len(want) {
		t.Fatalf("walked %d entries of %d", seen, len(want))
	}
}

func TestRandomSteps(t *testing.T) {
	kernels, stored, special, gathered := map[string]int{}, map[format.Kind]int{}, map[format.Kind]int{}, map[string]int{}
	probed := map[string]int{}
	nonEmpty := 0
	const steps = 1500
	for seed := range uint64(steps) {
		g := &generator{Rand: rand.New(rand.NewPCG(seed, 11)), floats: []float64{0, 1.5, -2, 0.25}, maxDim: 5, rows: 25, maxIdx: 4, sums: seed%3 == 0}
		if seed%5 == 0 {
			g.floats = append(g.floats, math.NaN())
		}
		if seed%5 == 1 || seed%15 == 0 {
			g.floats = append(g.floats, math.Inf(1), math.Inf(-1))
		}
		if seed%20 == 0 {
			g.maxDim, g.rows = 12, 150
		}
		p := g.problem(t)
		if seed%2 == 0 {
			p.withAbsences(t, g)
		}
		want := p.bruteForce()
		if len(want) > 0 {
			p.countKinds(stored)
		}
		if out := &p.step.Output; len(want) > 1 {
			gathered[fmt.Sprintf("%v %v", out.Workspace, len(out.Order)-out.Prefix > 1)]++
		}
		for _, general := range []bool{true, false} {
			got, stats, err := RunStep(context.Background(), p.step, p.in, Options{NoRegistry: general})
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			p.check(t, got, want)
			if stats.Traversals != 1 || stats.Entries != len(want) || (general && stats.Kernel != "general") {
				t.Fatalf("seed %d: %+v", seed, stats)
			}
			kernels[stats.Kernel]++
			if len(want) > 0 && !general && p.probes() {
				probed[stats.Kernel]++
			}
			if stats.Kernel != "general" && len(want) > 0 {
				p.countKinds(special)
			}
		}
		if len(want) > 0 {
			nonEmpty++
		}
	}
	if nonEmpty < steps/3 {
		t.Errorf("only %d of %d results are not empty", nonEmpty, steps)
	}
	for _, kind := range kinds {
		if stored[kind] < 20 {
			t.Errorf("only %d steps with entries read a level of kind %v", stored[kind], kind)
		}
		if special[kind] == 0 {
			t.Errorf("no specialised loop has read a level of kind %v", kind)
		}
	}
	for _, w := range []string{"none false", "dense false", "dense true", "hash false", "hash true", "sort false", "sort true"} {
		if gathered[w] < 10 {
			t.Errorf("only %d steps gathered entries so: %s", gathered[w], w)
		}
	}
	for _, kernel := range []string{"general", "probe-count", "gather-reduce", "select+gather-reduce", "scatter-accumulate", "append-columns"} {
		if probed[kernel] == 0 {
			t.Errorf("no step with entries tested an absence in kernel %s: %v", kernel, probed)
		}
	}
	t.Logf("%d steps not empty, kernels %v, levels %v, of specialised loops %v, with absences %v", nonEmpty, kernels, stored, special, probed)
}

// countKinds counts the levels that the operands really have.
func (p *problem) countKinds(stored map[format.Kind]int) {
	for _, o := range p.in.Operands {
		for _, l := range o.Levels {
			stored[l.Kind()]++
		}
	}
}
