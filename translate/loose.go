package translate

import (
	"math/big"

	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/sqlfront"
)

// proven reports whether a check holds by the facts of base tables alone, before
// anything is executed: then no plan has to keep the values it is about.
func (t *translator) proven(q *sqlfront.Query, c Check) (bool, error) {
	known := true
	var failed error
	iv := eval(c.Bound, func(x Bound) *Interval {
		var loose *Interval
		var err error
		switch x := x.(type) {
		case *innerBound:
			loose, err = t.looseAgg(q.From[x.src].Query, q.From[x.src].Query.Aggs[x.agg])
		case *rowsBound:
			loose, err = t.rowsInterval(q)
		}
		if err != nil {
			failed = err
		}
		known = known && loose != nil
		return loose
	})
	return known && fits(iv.Lo, c.Type) && fits(iv.Hi, c.Type), failed
}

// rowsInterval bounds the number of rows that a block joins; nil: not known.
func (t *translator) rowsInterval(q *sqlfront.Query) (*Interval, error) {
	out := &Interval{Lo: new(big.Int), Hi: big.NewInt(1)}
	for _, f := range q.From {
		n := &Interval{Lo: new(big.Int), Hi: big.NewInt(1)}
		switch {
		case f.Table != nil:
			rowCount, _, ok, err := t.facts.Count(t.ctx, f.Table.Name, "", rows.Type{})
			if !ok || err != nil {
				return nil, err
			}
			n.Hi = big.NewInt(rowCount)
		case branchesOf(f) != nil:
			for i, branch := range branchesOf(f) {
				rows, err := t.rowsInterval(branch)
				if rows == nil || err != nil {
					return nil, err
				}
				if i == 0 {
					n.Hi = new(big.Int)
				}
				n.Hi = new(big.Int).Add(n.Hi, rows.Hi)
			}
		case f.Text != "" && isNullRow(f.Text, f.Columns):
		case f.Query == nil || f.Query.SetOp != sqlfront.NoSetOp:
			return nil, nil
		case f.Query.Grouped || f.Query.Distinct:
			inner, err := t.rowsInterval(f.Query)
			if inner == nil || err != nil {
				return nil, err
			}
			n = inner
		}
		out = product(out, n)
	}
	return out, nil
}

// loose is an interval that holds 0 and all values of an exact expression over a
// block's columns, groups and aggregates; nil: not known.
func (t *translator) loose(q *sqlfront.Query, e sqlfront.Expr) (*Interval, error) {
	if !e.Type().IsExact() {
		return nil, nil
	}
	if src := sourcesOf(e); len(src) == 1 && q.From[src[0]].Table != nil {
		lo, hi, ok, err := t.facts.Range(t.ctx, q.From[src[0]].Table.Name, columnSQL(e), e.Type())
		if !ok || err != nil {
			return nil, err
		}
		return hull(zeroInterval(), &Interval{Lo: lo.Big(), Hi: hi.Big()}), nil
	}
	if v, ok := number(e); ok && v.scale == int(e.Type().Scale) {
		return hull(zeroInterval(), &Interval{Lo: v.unscaled, Hi: v.unscaled}), nil
	}
	switch e := e.(type) {
	case *sqlfront.ColumnRef:
		if f := q.From[e.Source]; branchesOf(f) != nil {
			return t.looseBag(f, e)
		} else if f.Text != "" && isNullRow(f.Text, f.Columns) {
			return zeroInterval(), nil
		}
		inner := q.From[e.Source].Query
		if inner == nil || inner.SetOp != sqlfront.NoSetOp {
			return nil, nil
		}
		return t.loose(inner, inner.Select[e.Column].Expr)
	case *sqlfront.GroupRef:
		return t.loose(q, q.GroupBy[e.N])
	case *sqlfront.AggRef:
		return t.looseAgg(q, q.Aggs[e.N])
	case *sqlfront.Call:
		return t.looseCall(q, e)
	}
	return nil, nil
}

// looseBag is loose for an expression over a bag's columns.
func (t *translator) looseBag(f sqlfront.Source, e sqlfront.Expr) (*Interval, error) {
	out := zeroInterval()
	for _, branch := range branchesOf(f) {
		part, err := t.loose(branch, ofBranch(branch, e))
		if part == nil || err != nil {
			return nil, err
		}
		out = hull(out, part)
	}
	return out, nil
}

func (t *translator) looseAgg(q *sqlfront.Query, a *sqlfront.AggCall) (*Interval, error) {
	switch a.Func {
	case "count":
		return t.rowsInterval(q)
	case "min", "max":
		return t.loose(q, a.Args[0])
	case "sum":
		n, err := t.rowsInterval(q)
		if n == nil || err != nil {
			return nil, err
		}
		arg, err := t.loose(q, a.Args[0])
		if arg == nil || err != nil {
			return nil, err
		}
		return product(arg, n), nil
	}
	return nil, nil
}

func (t *translator) looseCall(q *sqlfront.Query, c *sqlfront.Call) (*Interval, error) {
	var parts []Bound
	for _, arg := range c.Args {
		if arg.Type().Scale != c.T.Scale && c.Name != "*" {
			return nil, nil
		}
		p, err := t.loose(q, arg)
		if p == nil || err != nil {
			return nil, err
		}
		parts = append(parts, p)
	}
	b, err := nodeBound(c, parts)
	if err != nil {
		return nil, nil //nolint:nilerr // an operator of which no interval is known
	}
	return hull(zeroInterval(), eval(b, func(Bound) *Interval { return nil })), nil
}
