package lower

import (
	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/sqlfront"
)

// zeroOfNothing are the aggregates that are 0, not NULL, in a correlated subquery over
// no rows. To DuckDB COUNT_IF and REGR_COUNT are NULL there, as all others.
var zeroOfNothing = map[string]bool{"count": true}

// nullOfNothing reports whether a scalar subquery is NULL for every outer row
// that has no inner rows.
func nullOfNothing(q *sqlfront.Query) bool {
	if q.Grouped {
		return true
	}
	if !q.OneRow() {
		return false
	}
	empty := assumption(func(e sqlfront.Expr) bool {
		a, ok := e.(*sqlfront.AggRef)
		return ok && !zeroOfNothing[q.Aggs[a.N].Func]
	})
	return empty.isNull(q.Select[0].Expr) || q.Having != nil && empty.neverTrue(q.Having)
}

// scalar is the value of a scalar subquery over the outer rows.
func (b *block) scalar(r *rel, s *sqlfront.Subquery) sqlfront.Expr {
	sub := &block{q: s.Query, outer: r, levels: 1}
	strict := b.inner[s]
	switch {
	case s.Query.OneRow() && whole(s.Query):
		value, having := sub.row(strict)
		if having != nil {
			return when(having, value, nil)
		}
		return value
	case s.Query.Grouped && whole(s.Query) && s.Query.Sets == nil && !s.Query.Distinct && sub.correlated():
		return sub.oneGroup(strict)
	}
	if sub.correlated() {
		refuse("scalar subquery that may have several rows")
	}
	return sub.text()
}

// text is a scalar subquery that DuckDB executes: its value, or its error where
// there are several rows.
func (b *block) text() sqlfront.Expr {
	s, ok := textOf(b.q)
	if !ok {
		refuse("parameter in a scalar subquery that may have several rows")
	}
	s.Alias, s.Columns = "row", []rows.Column{{Name: "value", Type: b.q.Select[0].Expr.Type()}}
	s.Text = "SELECT (" + s.Text + ") AS \"value\""
	return b.outer.add(s)[0]
}

// askRow is EXISTS or IN over a query of one row: a question about its value and
// its HAVING.
func (b *block) askRow(r *rel, s *sqlfront.Subquery) sqlfront.Expr {
	if !whole(s.Query) {
		refuse("LIMIT in a subquery")
	}
	var x sqlfront.Expr
	if s.Kind == sqlfront.InQuery {
		x = b.tested(r, s)
	}
	value, having := (&block{q: s.Query, outer: r, levels: 1}).row(false)
	answer := truth(true)
	if x != nil {
		if _, ok := common(x.Type(), value.Type()); !ok && !comparable(x.Type(), value.Type()) {
			refuse("IN of %s and %s", x.Type(), value.Type())
		}
		answer = predicate(s.Comparison(), x, value)
	}
	if having != nil {
		return when(having, answer, truth(false))
	}
	return answer
}

// row adds the one row of an aggregate subquery to the outer rows, and returns its
// value and its HAVING (nil: none) over them.
func (b *block) row(strict bool) (value, having sqlfront.Expr) {
	if !b.correlated() {
		return b.constantRow()
	}
	values, having := b.aggregated(strict)
	return values[0], having
}

// aggregated adds the one row of a correlated block to the outer rows, and returns
// what it selects and its HAVING (nil: none) over them.
func (b *block) aggregated(strict bool) (values []sqlfront.Expr, having sqlfront.Expr) {
	if b.overAggregates() {
		refuse("subquery over aggregates in a correlated one")
	}
	aggs := b.aggregateRow(strict)
	over := func(e sqlfront.Expr) sqlfront.Expr {
		return mapExpr(e, func(e sqlfront.Expr) (sqlfront.Expr, bool) {
			switch e := e.(type) {
			case *sqlfront.AggRef:
				return aggs[e.N], true
			case *sqlfront.OuterRef:
				return fromOuter(b.outerColumn(e)), true
			}
			return nil, false
		})
	}
	if b.q.Having != nil {
		having = over(b.q.Having)
	}
	for _, it := range b.q.Select {
		values = append(values, over(settled(it.Expr)))
	}
	return values, having
}

// constantRow is the row of a subquery without outer columns: a source of its own.
func (b *block) constantRow() (value, having sqlfront.Expr) {
	q := *b.q
	q.OrderBy, q.Having = nil, nil
	q.Select = []sqlfront.SelectItem{{Expr: b.q.Select[0].Expr, Name: "value"}}
	if b.q.Having != nil {
		q.Select = append(q.Select, sqlfront.SelectItem{Expr: b.q.Having, Name: "having"})
	}
	q.Columns = selected(&q)
	cols := b.outer.add(sqlfront.Source{Alias: "row", Query: query(&q), Columns: q.Columns})
	if b.q.Having != nil {
		having = cols[1]
	}
	return cols[0], having
}

// aggregateRow adds the aggregates of a correlated subquery to the outer rows:
// those of the rows with its keys, or those of no rows.
func (b *block) aggregateRow(strict bool) []sqlfront.Expr {
	if len(b.q.Aggs) == 0 {
		return nil
	}
	r := b.joined()
	p := match(b.outer, r, b.extra(r))
	q, cols := b.aggregates(p)
	source := sqlfront.Source{Alias: "row", Query: q, Columns: q.Columns}
	if len(p.outer) == 0 {
		return b.outer.add(source)
	}
	g := &rel{}
	inner := g.add(source)
	row := &partners{outer: p.outer, nullSafe: p.nullSafe, inner: g, keys: inner[:len(p.keys)]}
	if strict {
		return row.innerJoin(b.outer, inner[len(p.keys):])
	}
	found := row.leftJoin(b.outer, "row", inner[len(p.keys):])
	for i := range cols {
		if zeroOfNothing[b.q.Aggs[i].Func] {
			found[i] = call("coalesce", found[i].Type(), found[i], constant("0", found[i].Type()))
		}
	}
	return found
}

// oneGroup is the value of a correlated scalar subquery with GROUP BY whose groups
// are keys of the outer row, so that there is one at most.
func (b *block) oneGroup(strict bool) sqlfront.Expr {
	if b.overAggregates() {
		refuse("subquery over aggregates in a correlated one")
	}
	if !b.determined() {
		refuse("scalar subquery that may have several rows")
	}
	inner, y := b.groups()
	p := match(b.outer, inner, nil)
	if strict {
		return p.innerJoin(b.outer, []sqlfront.Expr{y})[0]
	}
	return p.leftJoin(b.outer, "row", []sqlfront.Expr{y})[0]
}

// determined reports whether an equality with outer columns gives every group.
func (b *block) determined() bool {
	r := b.joined()
	given := map[string]bool{}
	for _, e := range r.matched {
		x, y, name := operands(e, "=", "is not distinct from")
		if name == "" {
			continue
		}
		for _, pair := range [][2]sqlfront.Expr{{x, y}, {y, x}} {
			if inner, _ := sides(pair[0]); !inner && !readsOuter(pair[1]) {
				given[exprKey(pair[1])] = true
			}
		}
	}
	for _, g := range b.q.GroupBy {
		if !given[exprKey(b.expr(r, g))] {
			return false
		}
	}
	return true
}
