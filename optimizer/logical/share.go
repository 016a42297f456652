package logical

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/internal/invariant"
)

// sharing finds steps that are computed already: two queries that are equal up
// to the names of indices and the order of commutative arguments are one.
type sharing struct {
	steps   map[string]*shared  // by canonical structure
	tensors map[string]labelled // steps by name
	alias   map[string]*alias   // queries that another step answers
	labels  map[string]label    // by what they stand for; only ever added to
}

// labelled is a step's label, and its modes in canonical order.
type labelled struct {
	label label
	modes []int
}

// shared is a step that others may use.
type shared struct {
	q      *einsum.Query
	canon  canonical
	leaves map[string]string // leaf name by canonical expression
	at     int               // number of the step
	grows  bool              // leaves may be added
}

// alias says how to read a query that is computed under another name.
type alias struct {
	tensor string
	mode   []int // mode of the alias that is the tensor's m-th
	leaves map[string]string
}

func newSharing() *sharing {
	return &sharing{
		steps: map[string]*shared{}, tensors: map[string]labelled{},
		alias: map[string]*alias{}, labels: map[string]label{},
	}
}

func (s *sharing) clone() *sharing {
	return &sharing{
		steps: maps.Clone(s.steps), tensors: maps.Clone(s.tensors),
		alias: maps.Clone(s.alias), labels: s.labels,
	}
}

// canonical is a query without its names.
type canonical struct {
	structure string         // the free indices and what leaf 0 computes
	order     []einsum.Index // all indices in canonical order
	leaves    []string
}

// intern returns the label of a text.
func (s *sharing) intern(text string) label {
	l, ok := s.labels[text]
	if !ok {
		l = label(len(s.labels))
		s.labels[text] = l
	}
	return l
}

// remember makes a step available to later ones.
func (s *sharing) remember(q *einsum.Query, at int, grows bool) {
	c := s.canonicalize(q)
	if s.steps[c.structure] != nil {
		return
	}
	leaves := map[string]string{}
	for i, key := range c.leaves {
		leaves[key] = q.Leaves[i].Name
	}
	t := labelled{label: s.intern(c.structure)}
	for _, x := range c.order[:len(q.Idxs)] {
		t.modes = append(t.modes, slices.Index(q.Idxs, x))
	}
	s.tensors[q.Name] = t
	s.steps[c.structure] = &shared{q: q, canon: c, leaves: leaves, at: at, grows: grows}
}

// find returns a step with the structure of q and how its modes and leaves
// correspond; leaves that it lacks are added where that is possible: where what they
// read is there before the step.
func (s *sharing) find(pl *planner, q *einsum.Query) (*shared, *alias) {
	c := s.canonicalize(q)
	have := s.steps[c.structure]
	if have == nil {
		return nil, nil
	}
	to := map[einsum.Index]einsum.Index{} // of q to of the step
	for i, x := range c.order {
		to[x] = have.canon.order[i]
	}
	a := &alias{tensor: have.q.Name, mode: make([]int, len(q.Idxs)), leaves: map[string]string{}}
	for m, x := range q.Idxs {
		a.mode[slices.Index(have.q.Idxs, to[x])] = m
	}
	var added []einsum.Leaf
	for i, key := range c.leaves {
		name, ok := have.leaves[key]
		if !ok && (!have.grows || pl.readsFrom(q.Leaves[i].Expr, have.at)) {
			return nil, nil
		}
		if !ok {
			name = fmt.Sprintf("x%d", len(have.q.Leaves)+len(added))
			expr := einsum.MapIndices(q.Leaves[i].Expr, func(x einsum.Index) einsum.Index { return to[x] })
			added = append(added, einsum.Leaf{Name: name, Expr: expr})
		}
		a.leaves[q.Leaves[i].Name] = name
	}
	if len(added) > 0 {
		have = pl.grow(have, added)
	}
	return have, a
}

// readsFrom reports whether an expression reads the step at or a later one.
func (pl *planner) readsFrom(e einsum.Expr, at int) bool {
	later := false
	einsum.Walk(e, func(e einsum.Expr) bool {
		x, ok := e.(*einsum.Access)
		later = later || ok && slices.ContainsFunc(pl.plan.Steps[at:], func(s *Step) bool { return s.Query.Name == x.Tensor })
		return !later
	})
	return later
}

// grow adds leaves to a step. The step and what is known of it are replaced, not
// changed: a trial may share them.
func (pl *planner) grow(have *shared, added []einsum.Leaf) *shared {
	next := *have
	next.q = &einsum.Query{Name: have.q.Name, Idxs: have.q.Idxs, Leaves: slices.Concat(have.q.Leaves, added)}
	next.canon = pl.share.canonicalize(next.q)
	next.leaves = map[string]string{}
	for i, key := range next.canon.leaves {
		next.leaves[key] = next.q.Leaves[i].Name
	}
	pl.share.steps[next.canon.structure] = &next
	step := *pl.plan.Steps[have.at]
	step.Query = next.q
	pl.plan.Steps[have.at] = &step
	pl.cat.grow(next.q)
	return &next
}

// place names a step and returns the tensor that holds q's result, its arguments
// in terms of q's indices and its leaves by q's. have says that an earlier step
// holds it.
func (pl *planner) place(q *einsum.Query) (have bool, tensor string, args []einsum.Arg, leaves map[string]string) {
	if step, a := pl.share.find(pl, q); step != nil {
		for _, m := range a.mode {
			args = append(args, einsum.Arg{Index: q.Idxs[m]})
		}
		return true, a.tensor, args, a.leaves
	}
	q.Name = pl.newName()
	leaves = map[string]string{}
	for _, l := range q.Leaves {
		leaves[l.Name] = l.Name
	}
	for _, x := range q.Idxs {
		args = append(args, einsum.Arg{Index: x})
	}
	return false, q.Name, args, leaves
}

// resolve makes a query read the steps that answer its tensors.
func (s *sharing) resolve(q *einsum.Query) *einsum.Query {
	if len(s.alias) == 0 {
		return q
	}
	out := &einsum.Query{Name: q.Name, Idxs: q.Idxs}
	for _, l := range q.Leaves {
		expr := einsum.Rewrite(l.Expr, func(e einsum.Expr) einsum.Expr {
			x, ok := e.(*einsum.Access)
			if !ok || s.alias[x.Tensor] == nil {
				return e
			}
			a := s.alias[x.Tensor]
			args := make([]einsum.Arg, len(a.mode))
			for m, from := range a.mode {
				args[m] = x.Args[from]
			}
			return &einsum.Access{Tensor: a.tensor, Leaf: a.leaves[x.Leaf], Args: args}
		})
		out.Leaves = append(out.Leaves, einsum.Leaf{Name: l.Name, Expr: expr})
	}
	return out
}

// canonicalize brings a query into canonical form: its leaf 0 decides the order of
// indices and the structure; the other leaves are printed in terms of it.
func (s *sharing) canonicalize(q *einsum.Query) canonical {
	agg, arg := aggOf(q.Leaves[0].Expr)
	idxs := slices.Clone(q.Idxs)
	prefix := ""
	if agg != nil {
		idxs = append(idxs, agg.Idxs...)
		if agg.Op != semiring.Add {
			prefix = agg.Op.String()
		}
	}
	if isAnd(arg) {
		prefix += "&"
	}
	f := figure{n: len(idxs), free: lowBits(len(q.Idxs))}
	number := func(x einsum.Index) uint8 { return uint8(slices.Index(idxs, x)) }
	for _, a := range factorsOf(arg) {
		l, args := s.factor(a, number)
		f.parts = append(f.parts, part{label: l, args: args})
	}
	order, code := f.canonical()
	c := canonical{structure: prefix + code, leaves: make([]string, len(q.Leaves))}
	names := map[einsum.Index]string{}
	for i, x := range order {
		c.order = append(c.order, idxs[x])
		names[idxs[x]] = "#" + strconv.Itoa(i)
	}
	for i, l := range q.Leaves[1:] {
		c.leaves[i+1] = canonicalExpr(l.Expr, names)
	}
	return c
}

// factorsOf lists the factors of a product, or what must be present together.
func factorsOf(e einsum.Expr) []einsum.Expr {
	if m, ok := e.(*einsum.Map); ok && (m.Op == semiring.Mul || m.Op == semiring.And) {
		return m.Args
	}
	return []einsum.Expr{e}
}

func isAnd(e einsum.Expr) bool {
	m, ok := e.(*einsum.Map)
	return ok && m.Op == semiring.And
}

// symmetric marks labels of comparisons whose sides may be exchanged.
const symmetric label = 1 << 30

// factor returns the label of a factor of a row count and its indices in
// canonical order, as numbers.
func (s *sharing) factor(e einsum.Expr, number func(einsum.Index) uint8) (label, []uint8) {
	switch e := e.(type) {
	case *einsum.Access:
		l, args := s.access(e.Tensor, e.Args, number)
		if e.Leaf != einsum.CountLeaf {
			l = s.intern("." + strconv.Itoa(int(l)) + e.Leaf)
		}
		return l, args
	case *einsum.Compare:
		l, r, op := number(e.L), number(e.R), e.Op
		if op == semiring.Gt || op == semiring.Ge {
			l, r, op = r, l, flipped(op)
		}
		text := "?" + op.String()
		if op.Info().Comm {
			return s.intern(text) | symmetric, []uint8{l, r}
		}
		return s.intern(text), []uint8{l, r}
	default:
		var args []uint8
		names := map[einsum.Index]string{}
		for _, x := range einsum.Free(e) {
			names[x] = strconv.Itoa(len(args))
			args = append(args, number(x))
		}
		return s.intern("(" + canonicalExpr(e, names)), args
	}
}

// access is factor for the row count of a tensor.
func (s *sharing) access(tensor string, args []einsum.Arg, number func(einsum.Index) uint8) (label, []uint8) {
	t, isStep := s.tensors[tensor]
	if !isStep {
		t.label = s.intern("=" + tensor)
	}
	out := make([]uint8, 0, len(args))
	constants := ""
	for i := range args {
		a := &args[i]
		if isStep {
			a = &args[t.modes[i]]
		}
		if a.Const == nil {
			out = append(out, number(a.Index))
		} else {
			constants += "\x00" + strconv.Itoa(i) + a.Const.String()
		}
	}
	if constants != "" {
		t.label = s.intern("c" + strconv.Itoa(int(t.label)) + constants)
	}
	return t.label, out
}

// flipped is the comparison with its sides exchanged.
func flipped(op semiring.Op) semiring.Op {
	switch op {
	case semiring.Lt:
		return semiring.Gt
	case semiring.Gt:
		return semiring.Lt
	case semiring.Le:
		return semiring.Ge
	case semiring.Ge:
		return semiring.Le
	}
	return op
}

// canonicalExpr prints e with the given index names and the arguments of
// commutative operators sorted.
func canonicalExpr(e einsum.Expr, names map[einsum.Index]string) string {
	switch e := e.(type) {
	case *einsum.Access:
		text := strconv.Quote(e.Tensor) + "." + strconv.Quote(e.Leaf)
		for _, a := range e.Args {
			if a.Const != nil {
				text += "," + a.Const.String()
			} else {
				text += "," + names[a.Index]
			}
		}
		return "[" + text + "]"
	case *einsum.Literal:
		return e.String()
	case *einsum.Compare:
		l, r, op := names[e.L], names[e.R], e.Op
		if r < l {
			l, r, op = r, l, flipped(op)
		}
		return "[" + l + op.String() + r + "]"
	case *einsum.Agg:
		var idxs []string
		for _, x := range e.Idxs {
			idxs = append(idxs, names[x])
		}
		slices.Sort(idxs)
		return e.Op.String() + "{" + strings.Join(idxs, ",") + "}" + canonicalExpr(e.Arg, names)
	case *einsum.Map:
		args := make([]string, len(e.Args))
		for i, a := range e.Args {
			args[i] = canonicalExpr(a, names)
		}
		switch {
		case e.Op.Info().Comm:
			slices.Sort(args)
		case e.Op == semiring.Guard:
			slices.Sort(args[1:])
		}
		return "(" + e.Op.String() + " " + strings.Join(args, " ") + ")"
	default:
		panic(invariant.Failed("logical: unknown Expr %T", e))
	}
}
