package sqlfront

// LosesNulls reports a query with a condition that DuckDB (1.5.6) takes for false where
// it has skipped rows by its zone maps: IS DISTINCT FROM under OR, over the parts of a
// table whose column has only NULLs.
func (q *Query) LosesNulls() bool {
	found := false
	q.Walk(func(q *Query) {
		q.Roots(func(e Expr) { found = found || losesNulls(e) })
	})
	return found
}

// losesNulls reports IS [NOT] DISTINCT FROM below the root of a condition.
func losesNulls(e Expr) bool {
	within := false
	WalkExpr(e, func(x Expr) {
		c, ok := x.(*Call)
		within = within || ok && x != e && (c.Name == "is distinct from" || c.Name == "is not distinct from")
	})
	return within
}
