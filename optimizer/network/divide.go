package network

import (
	"math"
	"slices"
	"strconv"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/internal/sqlerr"
	"github.com/trireme-db/trireme/optimizer/stats"
)

const (
	// eliminated is the number of indices, and of operands, up to which a query is left
	// to elimination, whose search is exact or wide there.
	eliminated = 12
)

// smallWork is the logarithm of the cells of a step of several operands that are visited
// in the time that it takes to look for a way to divide it again.
var smallWork = math.Log(60_000)

// Divide replaces every query that is a large product, reduced or not, by a query per
// step of a path. It returns the program as it is, and nil, where there is none; steps
// are the names of the queries that it made, true for those that one kernel should take
// as a whole.
//
// A query is large when it has more than 12 indices and operands. All of its leaves
// must be products of accesses, under sum with *, or with and, or min or
// max with plus, with a factor of every operand in each: steps then have the leaves of
// the query, each the product of what its operands have of it. The steps' first leaf
// says, as the query's does, either that there are rows or how many. A leaf may also be
// min or max of a guard of one operand's value, whose conditions are factors of all
// operands: what is without the value says in it whether its conditions hold anywhere.
// Such a query is divided only where it has more operands or indices than elimination
// takes, which one value's way through the others suits better.
//
// Counter-examples, which stay as they are: a comparison of indices, which binds
// nothing; a sum of products, where an operand is not everywhere; a sum of a guard,
// which counts how often the conditions hold; a number.
//
// A network of which even the best path found has a step of more indices than a plan
// has names for, 64, is an error.
func Divide(p *einsum.Program, src stats.Source) (out *einsum.Program, steps map[string]bool, err error) {
	var d *divider
	for i, q := range p.Queries {
		large, ok := read(q)
		if !ok {
			if d != nil {
				d.out.Queries = append(d.out.Queries, q)
			}
			continue
		}
		if d == nil {
			d = newDivider(p, src)
			d.out.Queries = slices.Clone(p.Queries[:i])
		}
		if err := d.divide(q, large); err != nil {
			return nil, nil, err
		}
	}
	if d == nil {
		return p, nil, nil
	}
	return d.out, d.whole, nil
}

// divider is the state of one Divide.
type divider struct {
	out   *einsum.Program
	whole map[string]bool
	count int // of the queries added
	src   stats.Source
	names *einsum.Names
	// inputs are the tensors that figures are known of; of the results of other
	// queries a guess must do.
	inputs map[string]bool
}

func newDivider(p *einsum.Program, src stats.Source) *divider {
	d := &divider{
		out: &einsum.Program{Inputs: p.Inputs}, src: src, names: einsum.NewNames(),
		inputs: map[string]bool{}, whole: map[string]bool{},
	}
	for _, in := range p.Inputs {
		d.names.Take(in.Name)
		d.inputs[in.Name] = true
	}
	for _, q := range p.Queries {
		d.names.Take(q.Name)
	}
	return d
}

// product is a query as a network.
type product struct {
	operands []operand
	leaves   []leaf
	indices  []einsum.Index
	number   map[string]int32 // of indices by name
}

// operand is a distinct pair of tensor and arguments.
type operand struct {
	tensor string
	args   []einsum.Arg
	idx    []int32 // ascending
}

// leaf is a leaf's operators and its factors by operand.
type leaf struct {
	name    string
	agg, op semiring.Op
	factors [][]einsum.Expr // of a guard, the conditions
	// guarded is what a guard guards, a leaf of operand number of.
	guarded einsum.Expr
	of      int
}

// read takes a query apart; ok is false for what is not large or no product.
func read(q *einsum.Query) (*product, bool) {
	if len(q.Leaves) == 0 || !isLarge(q.Leaves[0].Expr) {
		return nil, false
	}
	p := &product{number: map[string]int32{}}
	for _, x := range q.Idxs {
		p.index(x)
	}
	at := map[string]int{}
	for i, l := range q.Leaves {
		x, arg := leaf{name: l.Name}, l.Expr
		if a, ok := l.Expr.(*einsum.Agg); ok {
			x.agg, arg = a.Op, a.Arg
		}
		if !p.leaf(&x, arg, at, i == 0) {
			return nil, false
		}
		p.leaves = append(p.leaves, x)
	}
	guards := slices.ContainsFunc(p.leaves, func(l leaf) bool { return l.guarded != nil })
	if guards && len(p.operands) <= mostAtoms && len(p.indices) <= mostAtoms {
		return nil, false
	}
	return p, len(p.operands) > 1
}

// isLarge reports a product with more indices and operands than elimination takes.
func isLarge(e einsum.Expr) bool {
	if a, ok := e.(*einsum.Agg); ok {
		e = a.Arg
	}
	m, ok := e.(*einsum.Map)
	if !ok || len(m.Args) <= eliminated {
		return false
	}
	seen := map[string]bool{}
	for _, a := range m.Args {
		x, ok := a.(*einsum.Access)
		if !ok {
			return false
		}
		for _, arg := range x.Args {
			if arg.Const == nil {
				seen[arg.Index.Name] = true
			}
		}
	}
	return len(seen) > eliminated || len(m.Args) > mostAtoms
}

// mostAtoms is the number of operands, and of indices, that a query of the planner may
// have.
const mostAtoms = 64

func (p *product) index(x einsum.Index) int32 {
	n, ok := p.number[x.Name]
	if !ok {
		n = int32(len(p.indices))
		p.number[x.Name] = n
		p.indices = append(p.indices, x)
	}
	return n
}

// leaf reads a product; first makes its operands known, others must have the same.
func (p *product) leaf(l *leaf, arg einsum.Expr, at map[string]int, first bool) bool {
	m, ok := arg.(*einsum.Map)
	if !ok || !l.setOp(m.Op) {
		return false
	}
	if !first {
		l.factors = make([][]einsum.Expr, len(p.operands))
	}
	factors := m.Args
	if l.op == semiring.Guard {
		if first || !l.guard(m.Args[0], at) {
			return false
		}
		factors = m.Args[1:]
	}
	for _, f := range factors {
		a, ok := f.(*einsum.Access)
		if !ok {
			return false
		}
		key := readsAs(a)
		k, known := at[key]
		switch {
		case !known && !first:
			return false
		case !known:
			k = len(p.operands)
			at[key] = k
			o, ok := p.operand(a)
			if !ok {
				return false
			}
			p.operands = append(p.operands, o)
			l.factors = append(l.factors, nil)
		}
		l.factors[k] = append(l.factors[k], f)
	}
	for k, fs := range l.factors {
		if len(fs) == 0 && (l.guarded == nil || l.of != k) {
			return false
		}
	}
	return true
}

// readsAs is the same for accesses of one operand.
func readsAs(a *einsum.Access) string {
	key := a.Tensor
	for _, arg := range a.Args {
		key += "\x00" + arg.String()
	}
	return key
}

// guard notes what a guard guards.
func (l *leaf) guard(x einsum.Expr, at map[string]int) (ok bool) {
	a, ok := x.(*einsum.Access)
	if !ok {
		return false
	}
	l.guarded = a
	l.of, ok = at[readsAs(a)]
	return ok
}

// setOp settles the operators of a leaf, whose product is op; false where the
// aggregate does not go with it.
func (l *leaf) setOp(op semiring.Op) bool {
	l.op = op
	switch op {
	case semiring.Mul:
		return l.isAgg(semiring.Add)
	case semiring.And:
		return l.isAgg(semiring.Or)
	case semiring.Plus:
		return l.agg == semiring.Max || l.isAgg(semiring.Min)
	case semiring.Guard:
		return l.agg == semiring.Max || l.agg == semiring.Min
	}
	return false
}

// isAgg reports whether a leaf reduces by an operator; one that reduces nothing does.
func (l *leaf) isAgg(op semiring.Op) bool {
	if l.agg == semiring.NoOp {
		l.agg = op
	}
	return l.agg == op
}

// operand is what an access reads; false for one with an index at two modes, which no
// kernel reads.
func (p *product) operand(a *einsum.Access) (operand, bool) {
	o := operand{tensor: a.Tensor, args: a.Args}
	for _, arg := range a.Args {
		if arg.Const == nil {
			o.idx = append(o.idx, p.index(arg.Index))
		}
	}
	slices.Sort(o.idx)
	distinct := len(slices.Compact(slices.Clone(o.idx)))
	return o, distinct == len(o.idx)
}

// divide adds the steps of a query.
func (d *divider) divide(q *einsum.Query, p *product) error {
	net := &Network{Sizes: make([]float64, len(p.indices)), Flat: p.flat()}
	for i := range net.Sizes {
		net.Sizes[i] = 1
	}
	for i := range p.operands {
		net.Tensors = append(net.Tensors, d.tensor(&p.operands[i], net.Sizes, p))
	}
	for _, x := range q.Idxs {
		net.Output = append(net.Output, p.number[x.Name])
	}
	slices.Sort(net.Output)
	path := Find(net, Options{})
	if path == nil {
		return sqlerr.New(sqlerr.FeatureNotSupported, "a product of %d tensors of which every order found has a step over more than %d indices", len(p.operands), MostIndices).
			WithHint("Tensors that are connected like a tree, a chain or a narrow grid have orders with small steps.")
	}
	nodes := make([]result, 0, len(p.operands)+len(path.Steps))
	for i := range p.operands {
		nodes = append(nodes, result{
			idx: p.operands[i].idx, factors: func(l int) []einsum.Expr { return p.leaves[l].factors[i] },
			guarded: func(l int) einsum.Expr {
				if x := &p.leaves[l]; x.guarded != nil && x.of == i {
					return x.guarded
				}
				return nil
			},
		})
	}
	for i := range path.Steps {
		s := &path.Steps[i]
		out := &einsum.Query{Name: q.Name, Idxs: q.Idxs}
		if i < len(path.Steps)-1 {
			out = &einsum.Query{Name: d.names.Fresh("P" + strconv.Itoa(d.count+1))}
			for _, x := range s.Indices {
				out.Idxs = append(out.Idxs, p.indices[x])
			}
			d.count++
		}
		nodes = append(nodes, p.step(out, s, nodes))
		d.whole[out.Name] = len(s.Args) <= 2 || s.Work < smallWork
		d.out.Queries = append(d.out.Queries, out)
	}
	return nil
}

// flat reports whether all steps of two operands have the form that is multiplied
// flattened: that there are rows, and a sum of products.
func (p *product) flat() bool {
	return len(p.leaves) == 2 && p.leaves[0].op == semiring.And && p.leaves[1].op == semiring.Mul
}

// result is a node as later steps read it: its factors by leaf, and what it has of the
// value that a leaf's guard guards; nil: nothing.
type result struct {
	idx     []int32
	factors func(leaf int) []einsum.Expr
	guarded func(leaf int) einsum.Expr
}

// step fills in the query of a step.
func (p *product) step(out *einsum.Query, s *Step, nodes []result) result {
	var all []int32
	for _, a := range s.Args {
		all = append(all, nodes[a].idx...)
	}
	slices.Sort(all)
	var reduced []einsum.Index
	for _, x := range slices.Compact(all) {
		if !slices.Contains(s.Indices, x) {
			reduced = append(reduced, p.indices[x])
		}
	}
	valued := make([]bool, len(p.leaves))
	for i := range p.leaves {
		l := &p.leaves[i]
		var factors []einsum.Expr
		var guarded einsum.Expr
		for _, a := range s.Args {
			factors = append(factors, nodes[a].factors(i)...)
			if g := nodes[a].guarded(i); g != nil {
				guarded, valued[i] = g, true
			}
		}
		out.Leaves = append(out.Leaves, einsum.Leaf{Name: l.name, Expr: l.step(reduced, guarded, factors)})
	}
	read := func(l int) einsum.Expr { return einsum.A(out.Name, p.leaves[l].name, einsum.Ixs(out.Idxs...)...) }
	return result{idx: s.Indices, factors: func(l int) []einsum.Expr {
		if valued[l] {
			return nil
		}
		return []einsum.Expr{read(l)}
	}, guarded: func(l int) einsum.Expr {
		if !valued[l] {
			return nil
		}
		return read(l)
	}}
}

// step is what a step has of a leaf: the reduced product; of a guard, the reduced value
// as far as the step's conditions hold, or where that is elsewhere, whether these hold
// anywhere. min(j) guard(x(i), c(i,j)) is guard(x(i), or(j) c(i,j)).
func (l *leaf) step(reduced []einsum.Index, guarded einsum.Expr, factors []einsum.Expr) einsum.Expr {
	switch {
	case l.op != semiring.Guard:
		return einsum.Reduce(l.agg, reduced, einsum.Apply(l.op, factors...))
	case guarded == nil:
		return einsum.Reduce(semiring.Or, reduced, einsum.Apply(semiring.And, factors...))
	case len(factors) == 0:
		return einsum.Reduce(l.agg, reduced, guarded)
	}
	return einsum.Reduce(l.agg, reduced, einsum.Apply(semiring.Guard, append([]einsum.Expr{guarded}, factors...)...))
}

// tensor describes an operand and makes the sizes of its indices known.
func (d *divider) tensor(o *operand, sizes []float64, p *product) Tensor {
	var known stats.TensorStats
	if d.inputs[o.tensor] {
		known = d.src.Stats(einsum.A(o.tensor, einsum.CountLeaf, o.args...))
	}
	t := Tensor{Indices: o.idx, Entries: max(known.NNZ, 1), Distinct: make([]float64, len(o.idx))}
	mode := 0
	for _, arg := range o.args {
		if arg.Const != nil {
			continue
		}
		x := p.number[arg.Index.Name]
		at, _ := slices.BinarySearch(o.idx, x)
		size, distinct := t.Entries, t.Entries
		if mode < len(known.Dims) {
			size = known.Dims[mode]
		}
		if mode < len(known.Distinct) {
			distinct = known.Distinct[mode]
		}
		sizes[x] = max(sizes[x], size)
		t.Distinct[at] = min(distinct, size)
		mode++
	}
	return t
}
