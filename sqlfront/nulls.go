package sqlfront

import "slices"

// LosesNulls reports a query with a condition that DuckDB (1.5.6) takes for FALSE where it
// is NULL, x = y OR (x IS NULL AND y IS NULL), or where it has skipped rows by its zone
// maps: IS DISTINCT FROM under OR, over the parts of a table whose column has only NULLs; or
// with an EXISTS that is not a condition of its own, which is TRUE for it where a column of the outer row that
// the subquery compares by <> is NULL.
func (q *Query) LosesNulls() bool {
	found := false
	q.Walk(func(q *Query) {
		q.Roots(func(e Expr) { found = found || losesNulls(e) || existsBeside(e, slices.Contains(q.Where, e)) })
	})
	return found
}

// existsBeside reports an EXISTS over rows that differ from the outer row, but for that which a
// conjunct of WHERE is, or negates.
func existsBeside(e Expr, conjunct bool) bool {
	alone := e
	if c, ok := e.(*Call); ok && c.Name == "not" {
		alone = c.Args[0]
	}
	found := false
	WalkExpr(e, func(x Expr) {
		s, ok := x.(*Subquery)
		found = found || ok && s.Kind == Exists && !(conjunct && x == alone) && slices.ContainsFunc(s.Query.Where, differsFromOuter)
	})
	return found
}

func differsFromOuter(e Expr) bool {
	c, ok := e.(*Call)
	outer := false
	if ok && c.Name == "<>" {
		WalkExpr(e, func(x Expr) {
			_, isOuter := x.(*OuterRef)
			outer = outer || isOuter
		})
	}
	return outer
}

// losesNulls reports IS [NOT] DISTINCT FROM below the root of a condition, or what
// equalOrNull makes.
func losesNulls(e Expr) bool {
	within := false
	WalkExpr(e, func(x Expr) {
		c, ok := x.(*Call)
		_, _, orNull := equalOrBothNull(x)
		within = within || orNull || ok && x != e && (c.Name == "is distinct from" || c.Name == "is not distinct from")
	})
	return within
}

// equalOrNull writes x = y OR (x IS NULL AND y IS NULL) as a CASE with the same value: of
// the OR, DuckDB makes IS NOT DISTINCT FROM, which is FALSE where the OR is NULL.
func equalOrNull(or *Call) Expr {
	if or.Name != "or" || len(or.Args) != 2 {
		return or
	}
	for i, e := range or.Args {
		equal, ok := e.(*Call)
		if ok && equal.Name == "=" && bothNull(or.Args[1-i], equal.Args[0], equal.Args[1]) {
			yes := &Literal{SQL: "true", T: boolean}
			return &Case{Whens: []When{{Cond: or.Args[1-i], Then: yes}}, Else: equal, T: boolean}
		}
	}
	return or
}

// bothNull reports whether a condition is x IS NULL AND y IS NULL.
func bothNull(e, x, y Expr) bool {
	and, ok := e.(*Call)
	if !ok || and.Name != "and" || len(and.Args) != 2 {
		return false
	}
	of := func(i int) string {
		if null, ok := and.Args[i].(*Call); ok && null.Name == "is null" {
			return exprKey(null.Args[0])
		}
		return ""
	}
	a, b := of(0), of(1)
	return a == exprKey(x) && b == exprKey(y) || a == exprKey(y) && b == exprKey(x)
}

// equalOrBothNull gives the operands of what equalOrNull makes.
func equalOrBothNull(e Expr) (x, y Expr, ok bool) {
	c, ok := e.(*Case)
	if !ok || c.Operand != nil || len(c.Whens) != 1 {
		return nil, nil, false
	}
	yes, ok := c.Whens[0].Then.(*Literal)
	equal, also := c.Else.(*Call)
	if !ok || !also || yes.SQL != "true" || equal.Name != "=" || !bothNull(c.Whens[0].Cond, equal.Args[0], equal.Args[1]) {
		return nil, nil, false
	}
	return equal.Args[0], equal.Args[1], true
}
