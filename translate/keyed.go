package translate

import (
	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/internal/load"
	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/sqlfront"
)

// A predicate over several base tables (or bags) is a condition on cells whose
// coordinates are the values that it reads: each of its greatest parts over one
// table is an index, so that all rows of a cell agree on it, and is read there as
// the least of its values. A part that is a predicate itself has two values, TRUE
// and not.

// keyedCondition makes a predicate over several sources a condition; false where
// it is none.
func (p *predicates) keyedCondition(e sqlfront.Expr, srcs []int) (bool, error) {
	if len(srcs) < 2 || p.compares(e) {
		return false, nil
	}
	normal, ok := p.normalised(e, false)
	if !ok {
		return false, nil
	}
	s := p.splitter()
	if s.conditional(p.b.q, normal, false) != nil {
		return false, nil
	}
	var checks []Check
	if err := p.boundComparisons(s, normal, &checks); err != nil {
		if declined(err) {
			return false, nil
		}
		return false, err
	}
	if err := p.keyParts(s, normal); err != nil {
		return false, err
	}
	p.b.checks = append(p.b.checks, checks...)
	p.b.conds = append(p.b.conds, normal)
	return true, nil
}

// compares reports whether a predicate compares an expression over one source
// with one over another: that is an equality or a mask of indices.
func (p *predicates) compares(e sqlfront.Expr) bool {
	call, ok := e.(*sqlfront.Call)
	if !ok || len(call.Args) != 2 || opposite[call.Name] == "" && call.Name != "is not distinct from" {
		return false
	}
	return len(sourcesOf(call.Args[0])) == 1 && len(sourcesOf(call.Args[1])) == 1
}

// normalised writes a predicate (not: its negation) with AND and OR over
// comparisons of several tables and over predicates of one, which become the
// comparison of a number with 0; false where it has another form.
func (p *predicates) normalised(e sqlfront.Expr, not bool) (sqlfront.Expr, bool) {
	if len(sourcesOf(e)) <= 1 {
		return p.truth(e, not), len(sourcesOf(e)) == 1 && p.inners[sourcesOf(e)[0]] == nil
	}
	if in, ok := e.(*sqlfront.In); ok {
		return p.normalised(spelledOut(in), not)
	}
	c, ok := e.(*sqlfront.Call)
	if !ok {
		return nil, false
	}
	switch c.Name {
	case "not":
		return p.normalised(c.Args[0], !not)
	case "between", "not between":
		return p.normalised(between(c), not)
	case "and", "or":
		out := &sqlfront.Call{Name: c.Name, T: c.T}
		if not {
			out.Name = map[string]string{"and": "or", "or": "and"}[c.Name]
		}
		for _, a := range c.Args {
			x, ok := p.normalised(a, not)
			if !ok {
				return nil, false
			}
			out.Args = append(out.Args, x)
		}
		return out, len(out.Args) == 2
	}
	if opposite[c.Name] == "" {
		return nil, false
	}
	if !not {
		return c, true
	}
	return &sqlfront.Call{Name: opposite[c.Name], Args: c.Args, T: c.T}, true
}

// truth is a predicate of one table (not: its negation) as a number above 0.
func (p *predicates) truth(e sqlfront.Expr, not bool) sqlfront.Expr {
	boolean, integer := rows.Type{ID: rows.Boolean}, rows.Type{ID: rows.Integer}
	if not {
		e = &sqlfront.Call{Name: "not", Args: []sqlfront.Expr{e}, T: boolean}
	}
	number := func(text string) sqlfront.Expr { return &sqlfront.Literal{SQL: text, T: integer} }
	whether := &sqlfront.Case{Whens: []sqlfront.When{{Cond: e, Then: number("1")}}, Else: number("0"), T: integer}
	return &sqlfront.Call{Name: ">", Args: []sqlfront.Expr{whether, number("0")}, T: boolean}
}

// boundComparisons records the checks that no operand leaves its type.
func (p *predicates) boundComparisons(s *splitter, e sqlfront.Expr, checks *[]Check) error {
	c := e.(*sqlfront.Call)
	for _, a := range c.Args {
		if c.Name == "and" || c.Name == "or" {
			if err := p.boundComparisons(s, a, checks); err != nil {
				return err
			}
			continue
		}
		if _, base := s.base(a); base {
			continue // DuckDB calculates it
		}
		if _, err := s.bounds(a, p.b, checks); err != nil {
			return err
		}
	}
	return nil
}

// keyParts makes the parts of a condition over one base table indices.
func (p *predicates) keyParts(s *splitter, e sqlfront.Expr) error {
	for _, part := range s.baseParts(e) {
		k, err := p.key(sourcesOf(part)[0], part)
		if err != nil {
			return err
		}
		find(k.class).probed = true
	}
	return nil
}

// baseParts returns the greatest parts of a condition, below comparisons, that
// read one base table.
func (s *splitter) baseParts(e sqlfront.Expr) []sqlfront.Expr {
	if _, ok := s.base(e); ok && e.Type().ID != rows.Boolean {
		return []sqlfront.Expr{e}
	}
	var out []sqlfront.Expr
	for _, c := range sqlfront.Children(e) {
		out = append(out, s.baseParts(c)...)
	}
	return out
}

// keyedValue is the value of a part of a condition on a cell, 0 where it is NULL.
func (e *emitter) keyedValue(s *source, x sqlfront.Expr, float bool) einsum.Expr {
	x = productOf([]factor{{src: s.n, expr: x}}, float)
	zero := &sqlfront.Cast{Arg: &sqlfront.Literal{SQL: "0", T: rows.Type{ID: rows.Integer}}, T: x.Type()}
	v := e.access(s, s.input.momentOf(load.Min, &sqlfront.Call{Name: "coalesce", Args: []sqlfront.Expr{x, zero}, T: x.Type()}))
	if s.bag == nil || !s.bag.hollow || s.bag.padded {
		return v
	}
	none := einsum.Expr(einsum.Int(0)) // the least of no row is nothing to calculate with
	if float {
		none = einsum.Float(0)
	}
	return einsum.Apply(semiring.Select, e.access(s, einsum.CountLeaf), v, none)
}

// keyedValids are positive where no part of a comparison over a base table is NULL.
func (e *emitter) keyedValids(x sqlfront.Expr) []einsum.Expr {
	if !e.keyed {
		return nil
	}
	s := &splitter{t: e.t, inner: func(src int) *sqlfront.Query {
		if e.b.sources[src].inner == nil {
			return nil
		}
		return e.b.sources[src].inner.q
	}}
	var out []einsum.Expr
	for _, part := range s.baseParts(x) {
		src := e.b.sources[sourcesOf(part)[0]]
		out = append(out, e.access(src, src.input.momentOf(load.Count, part)))
	}
	return out
}
