package lower

import (
	"slices"

	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/sqlfront"
)

// members is the rows of a subquery: inner, with what ties them to the outer row
// in inner.matched. For IN, x is the tested value (over the outer rows) and y the
// subquery's column (over both sides), op the comparison of the two.
type members struct {
	inner *rel
	x, y  sqlfront.Expr
	op    string
}

// members makes the rows of the subquery of EXISTS or IN.
func (b *block) members(r *rel, s *sqlfront.Subquery) *members {
	m := &members{}
	if s.Kind == sqlfront.InQuery {
		m.x, m.op = b.tested(r, s), s.Comparison()
	}
	m.inner, m.y = rowsOf(r, s.Query, s.Kind == sqlfront.InQuery)
	if m.x != nil {
		if _, ok := common(m.x.Type(), m.y.Type()); !ok && !comparable(m.x.Type(), m.y.Type()) {
			refuse("IN of %s and %s", m.x.Type(), m.y.Type())
		}
	}
	return m
}

// tested is the left side of IN over the outer rows.
func (b *block) tested(r *rel, s *sqlfront.Subquery) sqlfront.Expr {
	x := b.expr(r, s.Arg)
	if readsOuter(x) {
		refuse("correlation in the argument of IN")
	}
	return x
}

// comparable reports whether = between two types means what IN between them does.
func comparable(a, b rows.Type) bool {
	numeric := func(t rows.Type) bool {
		return t.IsInteger() || t.ID == rows.Decimal || t.ID == rows.Double || t.ID == rows.Float
	}
	return numeric(a) && numeric(b)
}

// rowsOf is the rows of a subquery, with its first column when that is wanted.
func rowsOf(outer *rel, q *sqlfront.Query, wantColumn bool) (*rel, sqlfront.Expr) {
	b := &block{q: q, outer: outer, levels: 1}
	switch {
	case q.SetOp != sqlfront.NoSetOp || q.Sets != nil || distinctGroups(q) || !whole(q):
		return b.uncorrelated()
	case q.Grouped:
		if b.correlated() {
			return b.groups()
		}
		return b.uncorrelated()
	}
	b.q = allRows(q, wantColumn)
	r := b.joined()
	if !wantColumn {
		return r, nil
	}
	return r, b.expr(r, b.q.Select[0].Expr)
}

// allRows is a block that keeps all its rows, with its columns when they are
// wanted: to be a member once or twice is the same, and so is the order.
func allRows(q *sqlfront.Query, wantColumns bool) *sqlfront.Query {
	out := *q
	out.Distinct, out.GroupBy, out.Select, out.OrderBy = false, nil, nil, nil
	for _, it := range q.Select {
		if wantColumns {
			out.Select = append(out.Select, sqlfront.SelectItem{Name: it.Name, Expr: ungrouped(q, it.Expr)})
		}
	}
	return &out
}

// ungrouped puts a block's groups where they are referred to.
func ungrouped(q *sqlfront.Query, e sqlfront.Expr) sqlfront.Expr {
	return mapExpr(e, func(e sqlfront.Expr) (sqlfront.Expr, bool) {
		if g, ok := e.(*sqlfront.GroupRef); ok {
			return q.GroupBy[g.N], true
		}
		return nil, false
	})
}

// correlated reports whether the block has columns of the outer rows.
func (b *block) correlated() bool {
	found := false
	eachOuter(b.q, 1, func(*sqlfront.OuterRef) { found = true })
	return found
}

// uncorrelated is the rows of a subquery that is a block of its own.
func (b *block) uncorrelated() (*rel, sqlfront.Expr) {
	if b.correlated() {
		refuse("correlation in a set operation or below LIMIT")
	}
	if !whole(b.q) {
		refuse("LIMIT in a subquery")
	}
	r := &rel{}
	s := derived(sqlfront.Source{Alias: "member", Query: b.q, Columns: selected(b.q)})
	return r, r.add(s)[0]
}

// selected names and types the columns that a query selects.
func selected(q *sqlfront.Query) []rows.Column {
	names := nameSet{}
	out := make([]rows.Column, len(q.Select))
	for i, it := range q.Select {
		out[i] = rows.Column{Name: names.unique(it.Name), Type: it.Expr.Type()}
	}
	return out
}

// groups is the rows of a correlated subquery with GROUP BY: the block is grouped
// by what ties it to the outer row as well, so that every outer row finds its own
// groups, and none where it has no partner.
func (b *block) groups() (*rel, sqlfront.Expr) {
	r, cols := b.groupRows()
	return r, cols[0]
}

// groupRows is groups with all columns that the block selects.
func (b *block) groupRows() (*rel, []sqlfront.Expr) {
	if b.overAggregates() {
		refuse("subquery over aggregates in a correlated one")
	}
	r := b.joined()
	p := match(b.outer, r, b.extra(r))
	q := b.finish(p.known(), p)
	out := &rel{}
	cols := out.add(sqlfront.Source{Alias: "member", Query: q, Columns: selected(q)})
	keys := cols[len(b.q.Select):]
	for i, k := range p.outer {
		out.matched = append(out.matched, equal(toOuter(k), keys[i], p.nullSafe[i]))
	}
	return out, cols[:len(b.q.Select)]
}

// extra are the outer columns that groups and arguments of aggregates read.
func (b *block) extra(r *rel) []*sqlfront.ColumnRef {
	var out []*sqlfront.ColumnRef
	add := func(e sqlfront.Expr) {
		for _, c := range columnsIn(b.expr(r, e)) {
			if c.Source >= outerSpace {
				out = append(out, c)
			}
		}
	}
	for _, g := range b.q.GroupBy {
		add(g)
	}
	for _, a := range b.q.Aggs {
		for _, e := range a.Args {
			add(e)
		}
		if a.Filter != nil {
			add(a.Filter)
		}
	}
	return out
}

// equal matches the members that the tested value passes with, missing those that are
// NULL, unknown all of them where the tested value is NULL. x IN S is TRUE where
// there is a partner in equal, and FALSE where there is none in all three: NULL
// else.
func (m *members) equal(outer *rel) *partners {
	return match(outer, m.and(predicate(m.op, toOuter(m.x), m.y)), nil)
}

func (m *members) missing(outer *rel) *partners {
	return match(outer, m.and(predicate("is null", m.y)), nil)
}

func (m *members) unknown(outer *rel) *partners {
	return match(outer, m.and(predicate("is null", toOuter(m.x))), nil)
}

func (m *members) and(e sqlfront.Expr) *rel {
	r := m.inner.clone()
	r.matched = append(r.matched, e)
	return r
}

// value is a subquery as an expression over the outer rows, to which it adds the
// sources that hold the answer.
func (b *block) value(r *rel, s *sqlfront.Subquery) sqlfront.Expr {
	if s.Kind == sqlfront.Scalar {
		return b.scalar(r, s)
	}
	if s.Query.OneRow() {
		return b.askRow(r, s)
	}
	m := b.members(r, s)
	if s.Kind == sqlfront.Exists {
		p := match(r, m.inner, nil)
		if len(p.outer) == 0 {
			return predicate(">", r.add(p.inner.number())[0], constant("0", bigint))
		}
		return mark(r, p.outer, func(k *marked) {
			k.rows(true, has(p))
			k.rows(false, lacks(p))
		})
	}
	equal, missing, unknown := m.equal(r), m.missing(r), m.unknown(r)
	if len(equal.outer) == 0 { // a constant is tested
		return b.testedConstant(r, m)
	}
	keys := slices.Concat(equal.outer, missing.outer, unknown.outer)
	return mark(r, append(keys, m.x), func(k *marked) {
		k.rows(true, has(equal))
		k.rows(false, lacks(equal), lacks(missing), lacks(unknown))
		k.unknown(lacks(equal), has(missing))
		k.unknown(lacks(equal), lacks(missing), has(unknown))
	})
}

// testedConstant is an uncorrelated IN whose left side is a constant, by three
// numbers of rows.
func (b *block) testedConstant(r *rel, m *members) sqlfront.Expr {
	some := func(p *partners) sqlfront.Expr {
		return predicate(">", r.add(p.inner.number())[0], constant("0", bigint))
	}
	if len(m.inner.matched) > 0 {
		refuse("constant IN a correlated subquery")
	}
	equal, missing, unknown := some(m.equal(r)), some(m.missing(r)), some(m.unknown(r))
	return &sqlfront.Case{T: boolean, Whens: []sqlfront.When{
		{Cond: equal, Then: truth(true)}, {Cond: predicate("or", missing, unknown), Then: null(boolean)},
	}, Else: truth(false)}
}

// marked is a bag that is being made: the different values of the keys, each with
// the answer that it has.
type marked struct {
	outer  *rel
	values []sqlfront.Expr // over the outer rows, each once
	index  map[string]int
	cols   []rows.Column
	bag    []*sqlfront.Query
}

// question keeps the key values with (or without) partners.
type question struct {
	p  *partners
	ok bool
}

func has(p *partners) question { return question{p, true} }

func lacks(p *partners) question { return question{p, false} }

// mark adds a column to the outer rows that answers a question about some keys.
func mark(outer *rel, keys []sqlfront.Expr, fill func(*marked)) sqlfront.Expr {
	k := &marked{outer: outer, index: map[string]int{}}
	for _, e := range keys {
		id := exprKey(e)
		if _, ok := k.index[id]; !ok && len(columnsIn(e)) > 0 {
			k.index[id] = len(k.values)
			k.values = append(k.values, e)
		}
	}
	k.cols = columns(append(slices.Clone(k.values), columnOf(0, 0, "mark", boolean)))
	fill(k)
	cols := outer.add(sqlfront.Source{Alias: "marked", Bag: k.bag, Columns: k.cols})
	for i, e := range k.values {
		outer.where = append(outer.where, equal(e, cols[i], true))
	}
	return cols[len(k.values)]
}

// rows adds the key values for which the answers are as given.
func (k *marked) rows(answer bool, asked ...question) { k.add(truth(answer), asked) }

func (k *marked) unknown(asked ...question) { k.add(null(boolean), asked) }

func (k *marked) add(answer sqlfront.Expr, asked []question) {
	part, es := k.outer.part(k.values)
	r := &rel{}
	cols := r.add(part.values("o", es))
	for _, a := range asked {
		keys := make([]sqlfront.Expr, len(a.p.outer))
		for i, e := range a.p.outer {
			keys[i] = cols[k.index[exprKey(e)]]
		}
		if p := a.p.over(keys); a.ok {
			p.has(r)
		} else {
			p.lacks(r)
		}
	}
	k.bag = append(k.bag, r.plain(append(slices.Clone(cols), answer), k.cols))
}
