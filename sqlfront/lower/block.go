package lower

import (
	"github.com/trireme-db/trireme/internal/invariant"
	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/sqlfront"
)

// block lowers one bound block.
type block struct {
	q *sqlfront.Query
	// outer is the rows that OuterRefs refer to, levels blocks further out; nil
	// outside subqueries.
	outer  *rel
	levels int
	// inner are the scalar subqueries of the conjunct at hand that may drop the
	// rows for which they have no value.
	inner map[*sqlfront.Subquery]bool
}

// query lowers the block into one of its own.
func (b *block) query() *sqlfront.Query {
	if b.overAggregates() {
		return query(b.outside())
	}
	r := b.joined()
	r.closed("a derived table")
	return b.finish(r, nil)
}

// joined is the rows of FROM and WHERE.
func (b *block) joined() *rel {
	n := treeOf(b.q)
	if n == nil { // a SELECT without FROM is over one row
		q := *b.q
		q.From = []sqlfront.Source{{Alias: "row", Text: `SELECT 1 AS "one"`, Columns: []rows.Column{{Name: "one", Type: integer}}}}
		b.q, n = &q, leafNode(0)
	}
	n.simplify(b.q.Where)
	far := b.far()
	if len(far) == 0 {
		return b.rows(n, b.wanted(), b.q.Where)
	}
	var near, late []sqlfront.Expr
	for _, e := range b.q.Where {
		if movable(e) {
			near = append(near, e)
		} else {
			late = append(late, e)
		}
	}
	r := b.rows(n, b.wanted().with(late...), near)
	b.bring(r, far)
	b.filters(r, late, b.wanted())
	return r
}

// far are the columns of the block around that subqueries of this block read.
func (b *block) far() []column {
	if b.outer == nil {
		return nil
	}
	ids := used{}
	b.q.Roots(func(root sqlfront.Expr) {
		sqlfront.WalkExpr(root, func(e sqlfront.Expr) {
			if s, ok := e.(*sqlfront.Subquery); ok {
				eachOuter(s.Query, b.levels+1, func(o *sqlfront.OuterRef) { ids[columnID(o.Column)] = true })
			}
		})
	})
	return ids.sorted()
}

// bring joins the rows with the different values that columns of the outer rows
// have, tied to the outer row by them: subqueries find them here.
func (b *block) bring(r *rel, far []column) {
	var outer []sqlfront.Expr
	for _, id := range far {
		x, ok := b.outer.cols[id]
		invariant.Check(ok, "lower: outer column %d of source %d is not in the rows", id.column, id.source)
		outer = append(outer, x)
	}
	part, es := b.outer.part(outer)
	r.around = map[column]sqlfront.Expr{}
	for i, c := range r.add(part.values("o", es)) {
		r.around[far[i]] = c
		r.matched = append(r.matched, equal(toOuter(outer[i]), c, true))
	}
}

// wanted are the columns that the clauses after WHERE read.
func (b *block) wanted() used {
	u := used{}
	after := *b.q
	after.Tree, after.Where = nil, nil
	after.Roots(u.read)
	return u
}

// leaf is the rows of one element of FROM. A derived table that only selects and
// joins becomes part of the rows: an outer join around it takes its columns as
// they are here.
func (b *block) leaf(n int) *rel {
	s := b.q.From[n]
	if b.lateral(leafNode(n)) {
		refuse("lateral join")
	}
	var r *rel
	var cols []sqlfront.Expr
	if s.Query != nil && s.Query.Plain() && s.Query.Sets == nil {
		in := &block{q: s.Query, outer: b.outer, levels: b.levels + 1}
		r = in.joined()
		for _, it := range s.Query.Select {
			cols = append(cols, settled(in.expr(r, it.Expr)))
		}
	} else {
		if s.Query != nil {
			eachOuter(s.Query, b.levels+1, func(*sqlfront.OuterRef) { refuse("correlation in a derived table") })
			s = derived(s)
		}
		r = &rel{}
		cols = r.add(s)
	}
	r.cols = map[column]sqlfront.Expr{}
	for i, e := range cols {
		r.cols[column{n, i}] = e
	}
	return r
}

// derived is the source of a derived table that is a block of its own.
func derived(s sqlfront.Source) sqlfront.Source {
	if bag := bagOf(s.Query); bag != nil {
		return sqlfront.Source{Alias: s.Alias, Bag: bag, Columns: s.Columns}
	}
	s.Query = query(s.Query)
	return s
}

// expr is an expression of the block over its joined rows. Subqueries become
// columns of further sources.
func (b *block) expr(r *rel, e sqlfront.Expr) sqlfront.Expr {
	return mapExpr(e, func(e sqlfront.Expr) (sqlfront.Expr, bool) {
		switch e := e.(type) {
		case *sqlfront.ColumnRef:
			x, ok := r.cols[columnID(e)]
			invariant.Check(ok, "lower: column %s is not in the rows", e.Name)
			return x, true
		case *sqlfront.OuterRef:
			return b.outerColumn(e), true
		case *sqlfront.Subquery:
			return b.value(r, e), true
		}
		return nil, false
	})
}

// outerColumn is a column of the outer rows, in the outer space.
func (b *block) outerColumn(o *sqlfront.OuterRef) sqlfront.Expr {
	if b.outer == nil {
		refuse("correlation in a derived table")
	}
	cols := b.outer.cols
	switch o.Levels {
	case b.levels:
	case b.levels + 1:
		if cols = b.outer.around; cols == nil {
			refuse("correlation over two blocks of an outer join")
		}
	default:
		refuse("correlation over three blocks")
	}
	x, ok := cols[columnID(o.Column)]
	invariant.Check(ok, "lower: outer column %s is not in the rows", o.Column.Name)
	return toOuter(x)
}

// filter keeps the rows for which a conjunct is TRUE.
func (b *block) filter(r *rel, e sqlfront.Expr) {
	for _, c := range conjuncts(e) {
		if !b.filterSubquery(r, c) {
			b.inner = b.strictIn(c)
			x := b.expr(r, c)
			b.inner = nil
			r.filter(x)
		}
	}
}

// filterSubquery takes [NOT] EXISTS and [NOT] IN as a conjunct: joins that only
// ask whether there are partners.
func (b *block) filterSubquery(r *rel, e sqlfront.Expr) bool {
	s, not := asked(e)
	if s == nil {
		return false
	}
	m := b.members(r, s)
	switch {
	case s.Kind == sqlfront.Exists && not:
		match(r, m.inner, nil).lacks(r)
	case s.Kind == sqlfront.Exists:
		match(r, m.inner, nil).has(r)
	case not:
		m.equal(r).lacks(r)
		m.missing(r).lacks(r)
		m.unknown(r).lacks(r)
	default:
		m.equal(r).has(r)
	}
	return true
}

// strictIn returns the scalar subqueries of a conjunct that is never TRUE where
// they are NULL and that are NULL where they have no rows: rows without a partner
// are dropped.
func (b *block) strictIn(e sqlfront.Expr) map[*sqlfront.Subquery]bool {
	out := map[*sqlfront.Subquery]bool{}
	sqlfront.WalkExpr(e, func(x sqlfront.Expr) {
		s, ok := x.(*sqlfront.Subquery)
		if !ok || s.Kind != sqlfront.Scalar || !nullOfNothing(s.Query) {
			return
		}
		out[s] = assumption(func(x sqlfront.Expr) bool { return x == sqlfront.Expr(s) }).neverTrue(e)
	})
	return out
}
