package lower

import (
	"slices"

	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/sqlfront"
)

// finish is the block over its rows. With p, the rows are those of p's inner
// side: the outer columns are those that p has among them, and p's keys are
// further groups and columns, so that there is a group for every outer key.
func (b *block) finish(r *rel, p *partners) *sqlfront.Query {
	over := func(e sqlfront.Expr) sqlfront.Expr {
		x := b.expr(r, e)
		if p != nil {
			x = p.among(x)
		}
		return x
	}
	if b.q.Plain() {
		var es []sqlfront.Expr
		for _, it := range b.q.Select {
			es = append(es, over(it.Expr))
		}
		return r.plain(es, named(b.q))
	}
	f := &finisher{block: b, rows: r, over: over}
	for _, g := range b.q.GroupBy {
		f.groups = append(f.groups, settled(over(g)))
	}
	aggs := b.calls(over)
	var keys []sqlfront.Expr
	if p != nil {
		keys = p.keys
	}
	out := *b.q
	out.Tree, out.Select, out.OrderBy = nil, nil, nil
	for _, it := range b.q.Select {
		out.Select = append(out.Select, sqlfront.SelectItem{Expr: f.lift(it.Expr), Name: it.Name})
	}
	if b.q.Having != nil {
		out.Having = f.lift(b.q.Having)
	}
	for _, o := range b.q.OrderBy {
		o.Expr = f.lift(o.Expr)
		out.OrderBy = append(out.OrderBy, o)
	}
	for _, k := range keys {
		out.Select = append(out.Select, sqlfront.SelectItem{Expr: f.group(k), Name: "key"})
	}
	rows := r.query()
	out.From, out.Where, out.Anti, out.GroupBy, out.Aggs = rows.From, rows.Where, rows.Anti, f.groups, aggs
	if p != nil {
		out.Columns = selected(&out)
	}
	return &out
}

// named is the columns of a query, from its select list where it has none.
func named(q *sqlfront.Query) []rows.Column {
	if len(q.Columns) == len(q.Select) {
		return q.Columns
	}
	return selected(q)
}

// calls are the block's aggregates over other rows.
func (b *block) calls(over func(sqlfront.Expr) sqlfront.Expr) []*sqlfront.AggCall {
	var out []*sqlfront.AggCall
	for _, a := range b.q.Aggs {
		c := *a
		c.Args = nil
		for _, e := range a.Args {
			c.Args = append(c.Args, over(e))
		}
		if a.Filter != nil {
			c.Filter = over(a.Filter)
		}
		out = append(out, &c)
	}
	return out
}

// aggregates is the block of p's keys with all aggregates, or of the one row where
// there are no keys. cols are the positions of the aggregates.
func (b *block) aggregates(p *partners) (q *sqlfront.Query, cols []rows.Column) {
	r := p.known()
	aggs := b.calls(func(e sqlfront.Expr) sqlfront.Expr { return p.among(b.expr(r, e)) })
	q = r.query()
	q.Aggs, q.Grouped = aggs, len(p.keys) > 0
	for i, k := range p.keys {
		q.GroupBy = append(q.GroupBy, settled(k))
		q.Select = append(q.Select, sqlfront.SelectItem{Expr: &sqlfront.GroupRef{N: i, T: k.Type()}, Name: "key"})
	}
	for i, a := range aggs {
		q.Select = append(q.Select, sqlfront.SelectItem{Expr: &sqlfront.AggRef{N: i, T: a.T}, Name: a.Func})
	}
	q.Columns = selected(q)
	return q, q.Columns[len(p.keys):]
}

// finisher lifts what stands over groups. A subquery there becomes columns of
// further sources, which are the same in all rows of a group: they are groups of
// their own.
type finisher struct {
	block  *block
	rows   *rel
	over   func(sqlfront.Expr) sqlfront.Expr
	groups []sqlfront.Expr
}

// lift is an expression over groups and aggregates without subqueries.
func (f *finisher) lift(e sqlfront.Expr) sqlfront.Expr {
	return mapExpr(e, func(e sqlfront.Expr) (sqlfront.Expr, bool) {
		switch e := e.(type) {
		case *sqlfront.Subquery:
			s := &sqlfront.Subquery{Kind: e.Kind, Op: e.Op, Query: e.Query, T: e.T}
			if e.Arg != nil {
				s.Arg = ungrouped(f.block.q, e.Arg)
			}
			return f.regroup(f.over(s)), true
		case *sqlfront.OuterRef:
			refuse("correlation outside WHERE")
		}
		return nil, false
	})
}

// regroup is an expression over the rows as one over groups.
func (f *finisher) regroup(e sqlfront.Expr) sqlfront.Expr {
	return mapExpr(e, func(e sqlfront.Expr) (sqlfront.Expr, bool) {
		if len(columnsIn(e)) == 0 {
			return e, true
		}
		key := exprKey(e)
		if slices.ContainsFunc(f.groups, func(g sqlfront.Expr) bool { return exprKey(g) == key }) {
			return f.group(e), true
		}
		if c, ok := e.(*sqlfront.ColumnRef); ok {
			return f.group(c), true
		}
		return nil, false
	})
}

// group refers to a group, which it adds when it is new.
func (f *finisher) group(e sqlfront.Expr) sqlfront.Expr {
	key := exprKey(e)
	n := slices.IndexFunc(f.groups, func(g sqlfront.Expr) bool { return exprKey(g) == key })
	if n < 0 {
		n = len(f.groups)
		f.groups = append(f.groups, settled(e))
	}
	return &sqlfront.GroupRef{N: n, T: e.Type()}
}

// overAggregates reports whether subqueries of the block have to be answered
// after it: they read aggregates, or the block is one row.
func (b *block) overAggregates() bool {
	if b.q.Plain() || b.q.SetOp != sqlfront.NoSetOp {
		return false
	}
	found := false
	look := func(e sqlfront.Expr) {
		sqlfront.WalkExpr(e, func(e sqlfront.Expr) {
			s, ok := e.(*sqlfront.Subquery)
			if !ok {
				return
			}
			found = found || !b.q.Grouped && !b.q.Distinct || s.Arg != nil && anyExpr(s.Arg, func(e sqlfront.Expr) bool {
				_, agg := e.(*sqlfront.AggRef)
				return agg
			})
		})
	}
	b.eachOutput(look)
	return found
}

// eachOutput visits what stands over groups and aggregates.
func (b *block) eachOutput(f func(sqlfront.Expr)) {
	for _, it := range b.q.Select {
		f(it.Expr)
	}
	if b.q.Having != nil {
		f(b.q.Having)
	}
	for _, o := range b.q.OrderBy {
		f(o.Expr)
	}
}

// outside is the block as a derived table of its groups and aggregates, with what
// stands over them in a block around it. That is grouped by all of them, which
// makes no two rows one: the groups differ.
func (b *block) outside() *sqlfront.Query {
	b.eachOutput(func(e sqlfront.Expr) {
		sqlfront.WalkExpr(e, func(e sqlfront.Expr) {
			if s, ok := e.(*sqlfront.Subquery); ok {
				eachOuter(s.Query, 1, func(*sqlfront.OuterRef) { refuse("correlated subquery over aggregates") })
			}
		})
	})
	inner := *b.q
	inner.Having, inner.OrderBy, inner.Limit, inner.Offset, inner.Select = nil, nil, nil, nil, nil
	for i, g := range b.q.GroupBy {
		inner.Select = append(inner.Select, sqlfront.SelectItem{Expr: &sqlfront.GroupRef{N: i, T: g.Type()}, Name: "k"})
	}
	for i, a := range b.q.Aggs {
		inner.Select = append(inner.Select, sqlfront.SelectItem{Expr: &sqlfront.AggRef{N: i, T: a.T}, Name: "a"})
	}
	inner.Columns = selected(&inner)
	out := &sqlfront.Query{
		From:  []sqlfront.Source{{Alias: "groups", Query: &inner, Columns: inner.Columns}},
		Limit: b.q.Limit, Offset: b.q.Offset, Grouped: true, Columns: b.q.Columns,
	}
	for i, c := range inner.Columns {
		out.GroupBy = append(out.GroupBy, columnOf(0, i, c.Name, c.Type))
	}
	if b.q.Having != nil {
		out.Where = conjuncts(ungrouped(out, b.above(b.q.Having)))
	}
	for _, it := range b.q.Select {
		out.Select = append(out.Select, sqlfront.SelectItem{Expr: b.above(it.Expr), Name: it.Name})
	}
	for _, o := range b.q.OrderBy {
		o.Expr = b.above(o.Expr)
		out.OrderBy = append(out.OrderBy, o)
	}
	return out
}

// above is an expression over groups and aggregates as one over the groups of the
// block around.
func (b *block) above(e sqlfront.Expr) sqlfront.Expr {
	return mapExpr(e, func(e sqlfront.Expr) (sqlfront.Expr, bool) {
		if a, ok := e.(*sqlfront.AggRef); ok {
			return &sqlfront.GroupRef{N: len(b.q.GroupBy) + a.N, T: a.T}, true
		}
		return nil, false
	})
}
