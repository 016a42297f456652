package translate

import (
	"slices"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/sqlfront"
)

// folded is an aggregate whose FILTER is part of its argument where both read one
// and the same base table; outside are the conjuncts of a FILTER that stay
// outside of it.
func (p *predicates) folded(call *sqlfront.AggCall) (out *sqlfront.AggCall, outside []sqlfront.Expr) {
	if call.Filter == nil {
		return call, nil
	}
	plain := *call
	plain.Filter = nil
	out = &plain
	var value sqlfront.Expr = &sqlfront.Literal{SQL: "1", T: rows.Type{ID: rows.Integer}}
	if !countsRows(call) {
		value = call.Args[0]
	}
	srcs := sourcesOf(&sqlfront.Call{Args: []sqlfront.Expr{value, call.Filter}})
	if len(srcs) != 1 || p.inners[srcs[0]] != nil || len(call.Args) > 1 {
		return out, conjuncts(call.Filter)
	}
	out.Args = []sqlfront.Expr{whereEvaluated(call.Filter, value, value)}
	return out, nil
}

// whereEvaluated is x where condition is TRUE, else NULL. Those of values whose
// evaluation may raise an error are evaluated on the rows that condition drops as
// well, as DuckDB evaluates the argument of an aggregate before its FILTER. A
// comparison with itself does that: of a test for NULL DuckDB knows the answer from
// its statistics, and does not evaluate what it tests.
func whereEvaluated(condition, x sqlfront.Expr, values ...sqlfront.Expr) sqlfront.Expr {
	out := &sqlfront.Case{Whens: []sqlfront.When{{Cond: condition, Then: x}}, T: x.Type()}
	for _, v := range values {
		if fallible(v) {
			same := &sqlfront.Call{Name: "=", Args: []sqlfront.Expr{v, v}, T: rows.Type{ID: rows.Boolean}}
			out.Whens = append(out.Whens, sqlfront.When{Cond: same, Then: &sqlfront.Literal{SQL: "NULL", T: x.Type()}})
		}
	}
	return out
}

// totalCalls are operators that have a value for all operands, whatever their types.
var totalCalls = map[string]bool{
	"=": true, "<>": true, "<": true, "<=": true, ">": true, ">=": true, "and": true, "or": true, "not": true,
	"is null": true, "is not null": true, "is distinct from": true, "is not distinct from": true,
	"coalesce": true, "nullif": true, "greatest": true, "least": true,
}

// fallible reports whether the evaluation of an expression over one table may raise
// an error, as far as its operators tell: exact arithmetic overflows, a cast may have
// no value to give, and of a function that is not known here anything may be.
func fallible(e sqlfront.Expr) bool {
	found := false
	sqlfront.WalkExpr(e, func(e sqlfront.Expr) {
		switch e := e.(type) {
		case *sqlfront.Cast:
			from, to := e.Arg.Type(), e.T
			found = found || (!to.IsFloat() || !from.IsExact()) && (to.ID != rows.HugeInt || !from.IsInteger() || from.ID == rows.UHugeInt)
		case *sqlfront.Call:
			op, known := functions[e.Name]
			switch {
			case totalCalls[e.Name]:
			case e.Name == "+" || e.Name == "-" || e.Name == "*" || e.Name == "/" || e.Name == "neg" || e.Name == "abs":
				found = found || !e.T.IsFloat()
			case known:
				found = found || op.Info().Domain != semiring.Everywhere
			default:
				found = true
			}
		}
	})
	return found
}

// raises reports whether an argument has a function that may have no value and that
// is evaluated on cells: DuckDB evaluates those over one base table, on all its rows.
func (p *predicates) raises(a *argument) bool {
	if a.terms == nil {
		return mayRaise(a.expr)
	}
	for src, fs := range a.factors {
		if p.inners[src] != nil && slices.ContainsFunc(fs, func(f factor) bool { return mayRaise(f.expr) }) {
			return true
		}
	}
	return false
}

// countsRows reports whether an aggregate is COUNT(*), FILTER aside.
func countsRows(call *sqlfront.AggCall) bool {
	if call.Func != "count" || len(call.Args) == 0 {
		return call.Func == "count"
	}
	lit, ok := call.Args[0].(*sqlfront.Literal)
	return ok && lit.T.ID != rows.SQLNull
}

// planRows plans COUNT(*).
func (p *predicates) planRows(s *splitter, call *sqlfront.AggCall, outside []sqlfront.Expr) (*plannedAgg, error) {
	if len(outside) == 0 {
		return &plannedAgg{call: call, form: formRows}, nil
	}
	a := &argument{factors: map[int][]factor{}}
	if err := p.filter(s, a, outside); err != nil {
		return nil, err
	}
	return &plannedAgg{call: call, form: formCount, arg: a}, s.findNulls(a, p.b)
}

// filter restricts an argument to the rows on which conjuncts are TRUE. One over
// a base table is a factor that is there or not; one on values of inlined derived
// tables is a condition of this aggregate alone.
func (p *predicates) filter(s *splitter, a *argument, outside []sqlfront.Expr) error {
	for _, c := range outside {
		srcs := sourcesOf(c)
		if len(srcs) == 0 {
			srcs = []int{0}
		}
		if len(srcs) == 1 && p.inners[srcs[0]] == nil {
			one := where(c, &sqlfront.Literal{SQL: "1", T: rows.Type{ID: rows.Integer}})
			a.note(factor{src: srcs[0], expr: one, sql: columnSQL(one), filter: c})
			if err := p.absorbs(s, a); err != nil {
				return err
			}
			continue
		}
		cond, err := p.measured(c)
		if err == nil {
			err = p.inType(s, cond)
		}
		if cond != nil && (err != nil || slices.ContainsFunc(srcs, func(src int) bool { return p.inners[src] == nil })) {
			err = p.cellCondition(s, cond)
		}
		if err != nil {
			return p.orRelation(c, err)
		}
		a.conds = append(a.conds, cond)
	}
	return nil
}

// absorbs finds out whether a value times the count of rows that a FILTER of
// another table keeps is nothing where it keeps none: an infinity is not.
func (p *predicates) absorbs(s *splitter, a *argument) error {
	if !a.float || a.infinite {
		return nil
	}
	bits, err := s.magnitude(p.b.q, a.expr)
	a.infinite = bits+countBits > maxFloatBits
	return err
}

// keeping are guards that leave out what a FILTER keeps no row of, where a factor of
// 0 does not.
func (e *emitter) keeping(a *argument) []einsum.Expr {
	if !a.infinite {
		return nil
	}
	var out []einsum.Expr
	for _, s := range e.b.sources {
		filters := slices.ContainsFunc(a.factors[s.n], func(f factor) bool { return f.filter != nil })
		if filters && !slices.Contains(a.sources, s.n) { // the value is valid nowhere else
			out = append(out, e.valid(s, a))
		}
	}
	return out
}

// conditions are the conditions of one aggregate, as factors.
func (e *emitter) conditions(a *argument) []einsum.Expr {
	var out []einsum.Expr
	for _, c := range a.conds {
		out = append(out, einsum.Guarded(einsum.Int(1), e.filtered(c)))
	}
	return out
}

// filtered is a condition; a count of an inlined derived table that must be
// positive is one itself.
func (e *emitter) filtered(c sqlfront.Expr) einsum.Expr {
	if call, ok := c.(*sqlfront.Call); ok && call.Name == ">" {
		col, isColumn := call.Args[0].(*sqlfront.ColumnRef)
		zero, isNumber := number(call.Args[1])
		if isColumn && isNumber && zero.unscaled.Sign() == 0 && e.innerAgg(e.b.sources[col.Source], col).Func == CountValue {
			return e.point(col, false)
		}
	}
	return e.condition(c, false)
}
