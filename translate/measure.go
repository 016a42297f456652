package translate

import (
	"fmt"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/internal/invariant"
	"github.com/trireme-db/trireme/internal/load"
	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/sqlfront"
)

// measure emits the leaves of aggregate i and says how its value is read.
func (e *emitter) measure(i int, a *plannedAgg) {
	name := fmt.Sprintf("a%d", i)
	out := Agg{Type: a.call.T, Value: "n"}
	switch {
	case a.form == formRows:
		out.Func = CountValue
	case a.form == formCount, a.call.Func == "count":
		out.Func = CountValue
		out.Value = e.leaf(name, e.validity(a.arg))
	case ofMoments(a.call):
		e.moments(name, a, &out)
	case a.call.Func == productOfValues:
		out.Func = MinMaxValue
		out.Value = e.leaf(name, e.product(a))
		out.Valid = e.leaf(name+"v", e.validity(a.arg))
	case a.call.Func == "min" || a.call.Func == "max":
		out.Func = MinMaxValue
		out.Scale = a.arg.scale
		out.Value = e.leaf(name, e.extreme(a, &out))
		out.Valid = e.leaf(name+"v", e.validity(a.arg))
	default:
		out.Func = SumValue
		if a.call.Func == "avg" {
			out.Func = AvgValue
		}
		out.Scale = a.arg.scale
		out.Value = e.leaf(name, e.total(a))
		out.Valid = e.leaf(name+"v", e.validity(a.arg))
	}
	e.b.aggs = append(e.b.aggs, out)
}

// validity counts the joined rows on which every factor of the argument is
// non-null: the product of the tables' counts.
func (e *emitter) validity(a *argument) einsum.Expr {
	if a.cell {
		return e.cellValidity(a)
	}
	xs := make([]einsum.Expr, 0, len(e.b.sources))
	for _, s := range e.b.sources {
		xs = append(xs, e.valid(s, a))
	}
	return e.aggregate(semiring.Add, einsum.Mul(append(xs, e.masksOf(a)...)...))
}

// masksOf returns the masks and conditions of the block, and those of one
// aggregate.
func (e *emitter) masksOf(a *argument) []einsum.Expr {
	return append(e.maskFactors(), e.conditions(a)...)
}

func (e *emitter) maskFactors() []einsum.Expr {
	all := map[int]bool{}
	for _, s := range e.b.sources {
		all[s.n] = true
	}
	return e.counts(all)
}

// valid is the number of rows of a source on which its factors of the argument
// are non-null; all rows where it has none.
func (e *emitter) valid(s *source, a *argument) einsum.Expr {
	fs := a.factors[s.n]
	if len(fs) == 0 {
		return e.count(s)
	}
	if s.inner != nil {
		return einsum.Guarded(e.count(s), e.innerValid(fs)...)
	}
	fs = a.nullable(s.n)
	switch len(fs) {
	case 0:
		return e.count(s)
	case 1:
		return e.access(s, s.input.momentOf(load.Count, fs[0].expr))
	}
	one := &sqlfront.Literal{SQL: "1", T: rows.Type{ID: rows.Integer}}
	return e.access(s, s.input.momentOf(load.Count, whereEvaluated(allNotNull(fs), one, valuesOf(a.factors[s.n])...)))
}

// innerValid returns the validity leaves of the derived columns that are read by
// factors of one source.
func (e *emitter) innerValid(fs []factor) []einsum.Expr {
	var out []einsum.Expr
	seen := map[string]bool{}
	for _, f := range fs {
		for _, v := range e.valids(f.expr) {
			if key := einsum.ExprString(v); !seen[key] {
				seen[key] = true
				out = append(out, v)
			}
		}
	}
	return out
}

// innerAgg is the aggregate of an inlined derived table that a column is.
func (e *emitter) innerAgg(s *source, c *sqlfront.ColumnRef) Agg {
	ref, ok := s.inner.q.Select[c.Column].Expr.(*sqlfront.AggRef)
	invariant.Check(ok, "translate: %s is no aggregate of the derived table", c.Name)
	return s.inner.aggs[ref.N]
}

func allNotNull(fs []factor) sqlfront.Expr {
	boolean := rows.Type{ID: rows.Boolean}
	parts := make([]sqlfront.Expr, len(fs))
	for i, f := range fs {
		parts[i] = &sqlfront.Call{Name: "is not null", Args: []sqlfront.Expr{f.expr}, T: boolean}
		if f.filter != nil {
			parts[i] = f.filter
		}
	}
	return &sqlfront.Call{Name: "and", Args: parts, T: boolean}
}

// where is an expression that is NULL unless a condition is TRUE.
func where(condition, x sqlfront.Expr) sqlfront.Expr {
	return &sqlfront.Case{Whens: []sqlfront.When{{Cond: condition, Then: x}}, T: x.Type()}
}

// total is the sum of the argument over all joined rows.
func (e *emitter) total(a *plannedAgg) einsum.Expr {
	if a.arg.cell {
		return e.cellTotal(a.arg)
	}
	if a.form == formRowwise {
		without := map[int]bool{}
		for _, src := range a.arg.sources {
			without[src] = e.b.sources[src].inner == nil
		}
		x := einsum.Mul(append([]einsum.Expr{e.pointwise(a.arg)}, e.countsOf(a.arg, without)...)...)
		return e.aggregate(semiring.Add, einsum.Guarded(x, append(e.validFactors(a.arg), e.kept(a.arg)...)...))
	}
	var terms []einsum.Expr
	for _, t := range a.arg.terms {
		terms = append(terms, einsum.Guarded(e.term(a.arg, t), e.kept(a.arg)...))
	}
	if len(terms) == 1 {
		return e.aggregate(semiring.Add, terms[0])
	}
	return e.aggregate(semiring.Add, einsum.Add(terms...))
}

// kept are guards of an argument that has no value for some numbers, which are the
// block's conditions: it is evaluated only where they hold; and keeping.
func (e *emitter) kept(a *argument) []einsum.Expr {
	out := e.keeping(a)
	if !mayRaise(a.expr) {
		return out
	}
	return append(out, e.conditionsOfBlock()...)
}

// validFactors returns the validity of the sources that the argument reads.
func (e *emitter) validFactors(a *argument) []einsum.Expr {
	var out []einsum.Expr
	for _, src := range a.sources {
		out = append(out, e.valid(e.b.sources[src], a))
	}
	return out
}

// term is coef times the product over all sources of its moment for the term
// (SEMANTICS section 2).
func (e *emitter) term(a *argument, t term) einsum.Expr {
	var xs []einsum.Expr
	if lit := coefficient(a, t); lit != nil {
		xs = append(xs, lit)
	}
	for _, s := range e.b.sources {
		var fs []factor
		for _, f := range t.factors {
			if f.src == s.n {
				fs = append(fs, f)
			}
		}
		if len(fs) == 0 {
			xs = append(xs, e.valid(s, a))
			continue
		}
		xs = append(xs, e.value(s, a, fs))
	}
	return einsum.Mul(append(xs, e.masksOf(a)...)...)
}

// countsOf is counts for one aggregate: of the rows that its FILTER keeps.
func (e *emitter) countsOf(a *argument, without map[int]bool) []einsum.Expr {
	var out []einsum.Expr
	for _, s := range e.b.sources {
		if !without[s.n] {
			out = append(out, e.valid(s, a))
		}
	}
	return append(out, e.masksOf(a)...)
}

// coefficient returns the literal of a term, nil when it is 1.
func coefficient(a *argument, t term) einsum.Expr {
	if a.float {
		if t.coefF == 1 {
			return nil
		}
		return einsum.Float(t.coefF)
	}
	v, ok := semiring.FromBig(t.coef)
	invariant.Check(ok, "translate: coefficient past 128 bits")
	if v == semiring.FromInt64(1) {
		return nil
	}
	if small, ok := v.Int64(); ok {
		return einsum.Int(small)
	}
	return einsum.Wide(v)
}

// value is the sum, over a source's rows at a coordinate on which all its
// factors of the argument are non-null, of the product of fs.
func (e *emitter) value(s *source, a *argument, fs []factor) einsum.Expr {
	if s.inner != nil {
		return e.innerValue(s, a, fs)
	}
	return e.access(s, s.input.momentOf(load.Sum, whereAllKnown(a, s.n, productOf(fs, a.float))))
}

// whereAllKnown is an expression over a source that is NULL where any of the
// source's factors of the whole argument is.
func whereAllKnown(a *argument, src int, x sqlfront.Expr) sqlfront.Expr {
	fs := a.nullable(src)
	if len(a.factors[src]) < 2 || len(fs) == 0 {
		return x
	}
	return whereEvaluated(allNotNull(fs), x, valuesOf(a.factors[src])...)
}

// valuesOf are the expressions of the factors that are no FILTER.
func valuesOf(fs []factor) []sqlfront.Expr {
	var out []sqlfront.Expr
	for _, f := range fs {
		if f.filter == nil {
			out = append(out, f.expr)
		}
	}
	return out
}

// innerValue is value for an inlined derived table, whose entry is one row. It is
// guarded where the entry may be no row, or the value is present elsewhere too.
func (e *emitter) innerValue(s *source, a *argument, fs []factor) einsum.Expr {
	var xs, guards []einsum.Expr
	plain := true
	for _, f := range fs {
		xs = append(xs, e.point(f.expr, a.float))
		plain = plain && isColumn(f.expr)
	}
	if s.inner.hollow || !plain {
		guards = append(guards, e.access(s, einsum.CountLeaf))
	}
	return einsum.Guarded(einsum.Mul(xs...), append(guards, e.innerValid(a.factors[s.n])...)...)
}

// productOf is the product of one table's factors in a type that holds it.
func productOf(fs []factor, float bool) sqlfront.Expr {
	if len(fs) == 1 && (!float || fs[0].expr.Type().IsFloat()) {
		return fs[0].expr
	}
	scale, isDecimal := 0, false
	for _, f := range fs {
		scale += int(f.expr.Type().Scale)
		isDecimal = isDecimal || f.expr.Type().ID == rows.Decimal
	}
	parts := make([]sqlfront.Expr, len(fs))
	if isDecimal && !float {
		for i, f := range fs {
			parts[i] = f.expr
		}
		target := rows.Type{ID: rows.Decimal, Width: 38, Scale: uint8(scale)}
		return &sqlfront.Cast{Arg: productCall(parts, target), T: target}
	}
	target := rows.Type{ID: rows.HugeInt}
	if float {
		target = rows.Type{ID: rows.Double}
	}
	for i, f := range fs {
		parts[i] = &sqlfront.Cast{Arg: f.expr, T: target}
	}
	return productCall(parts, target)
}

// productCall multiplies in the order given.
func productCall(parts []sqlfront.Expr, t rows.Type) sqlfront.Expr {
	if len(parts) == 1 {
		return parts[0]
	}
	return &sqlfront.Call{Name: "*", Args: parts, T: t}
}

// extreme is MIN or MAX of the argument.
func (e *emitter) extreme(a *plannedAgg, out *Agg) einsum.Expr {
	op := semiring.Min
	if a.call.Func == "max" {
		op = semiring.Max
	}
	if a.arg.cell {
		return e.cellExtreme(op, a.arg)
	}
	without := map[int]bool{}
	for _, src := range a.arg.sources {
		without[src] = true
	}
	guards := append(e.validFactors(a.arg), e.countsOf(a.arg, without)...)
	if a.form == formRowwise {
		return e.aggregate(op, einsum.Guarded(e.pointwise(a.arg), guards...))
	}
	var parts []einsum.Expr
	for _, t := range a.arg.terms {
		parts = append(parts, e.extremeTerm(op, a.arg, t, out))
	}
	x := parts[0]
	if len(parts) > 1 {
		x = einsum.Apply(semiring.Plus, parts...)
	}
	return e.aggregate(op, einsum.Guarded(x, guards...))
}

// extremeTerm is one signed column of a MIN or MAX: a negated part swaps the two.
func (e *emitter) extremeTerm(op semiring.Op, a *argument, t term, out *Agg) einsum.Expr {
	if len(t.factors) == 0 {
		if lit := coefficient(a, t); lit != nil {
			return lit
		}
		return einsum.Int(1)
	}
	f := t.factors[0]
	s := e.b.sources[f.src]
	negative := t.coef.Sign() < 0
	if s.inner != nil {
		if c, ok := f.expr.(*sqlfront.ColumnRef); ok {
			out.Dict = e.innerAgg(s, c).Dict
		}
		return negated(e.point(f.expr, a.float), negative)
	}
	m := load.Min
	if (op == semiring.Max) != negative {
		m = load.Max
	}
	x := whereAllKnown(a, f.src, productOf([]factor{f}, a.float))
	leaf := s.input.momentOf(m, x)
	if x.Type().Physical() == rows.PhysString {
		out.Dict = &LeafRef{Input: s.input.spec.Name, Leaf: leaf}
	}
	return negated(e.access(s, leaf), negative)
}

func negated(x einsum.Expr, yes bool) einsum.Expr {
	if !yes {
		return x
	}
	return einsum.Apply(semiring.Neg, x)
}

// pointwise is the argument's value on one cell, where every cell is one row of
// each base table that the argument reads.
func (e *emitter) pointwise(a *argument) einsum.Expr {
	if a.product != nil {
		return einsum.Mul(e.pointwise(a.product[0]), e.pointwise(a.product[1]))
	}
	if a.float || a.terms == nil {
		if first := e.b.sources[a.sources[0]]; first.inner == nil {
			e.constants = first
		}
		x := e.point(a.expr, a.float)
		e.constants = nil
		return x
	}
	var parts []einsum.Expr
	for _, t := range a.terms {
		var xs []einsum.Expr
		if lit := coefficient(a, t); lit != nil {
			xs = append(xs, lit)
		}
		for _, f := range t.factors {
			xs = append(xs, e.cell(a, f))
		}
		if len(xs) == 0 {
			xs = append(xs, einsum.Int(1))
		}
		parts = append(parts, einsum.Mul(xs...))
	}
	if len(parts) == 1 {
		return parts[0]
	}
	return einsum.Apply(semiring.Plus, parts...)
}

// cell reads a factor on one cell.
func (e *emitter) cell(a *argument, f factor) einsum.Expr {
	s := e.b.sources[f.src]
	if s.inner != nil {
		return e.point(f.expr, a.float)
	}
	return e.access(s, s.input.momentOf(load.Sum, productOf([]factor{f}, a.float)))
}
