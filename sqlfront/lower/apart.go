package lower

import (
	"slices"

	"github.com/trireme-db/trireme/sqlfront"
)

// maxNested is how many outer joins within one another may repeat the rows of a side: each
// reads its sides for the rows that match and again for those that do not, so that the
// blocks of a chain of joins multiply by about four with every one of them.
const maxNested = 2

// side is the rows of a side that an outer join reads several times. Where that side
// repeats rows itself, it is a text: DuckDB joins it once, and all read its rows.
func (b *block) side(n *node, wanted used, filters []sqlfront.Expr) *rel {
	if b.nested(n) >= maxNested && len(filters) == 0 {
		if r := b.apart(n, wanted); r != nil {
			return r
		}
	}
	return b.rows(n, wanted, filters)
}

// nested is how many outer joins of a subtree, or of the derived tables in it, are within
// one another such that each repeats the next one's rows.
func (b *block) nested(n *node) int {
	if n.left == nil {
		return nestedIn(b.q.From[n.leaf].Query)
	}
	l, r := b.nested(n.left), b.nested(n.right)
	switch n.kind {
	case sqlfront.FullJoin:
		return max(l, r) + 1
	case sqlfront.LeftJoin:
		return max(l, r+1)
	default:
		return max(l, r)
	}
}

// nestedIn is nested of a derived table; nil has no joins.
func nestedIn(q *sqlfront.Query) int {
	if q == nil {
		return 0
	}
	most := 0
	for _, arm := range q.Arms {
		most = max(most, nestedIn(arm))
	}
	if n := treeOf(q); n != nil {
		most = max(most, (&block{q: q}).nested(n))
	}
	return most
}

// apart is a subtree as a text; nil where it has no text of its own, because it reads
// parameters, rows in memory, or columns from around it.
func (b *block) apart(n *node, wanted used) *rel {
	q := &sqlfront.Query{}
	number := map[int]int{}
	q.Tree = b.treeOf(n, q, number)
	ids := wanted.of(n)
	own := func(e sqlfront.Expr) sqlfront.Expr {
		return mapColumns(e, func(c *sqlfront.ColumnRef) sqlfront.Expr { return columnOf(number[c.Source], c.Column, c.Name, c.T) })
	}
	if !renumbered(q.Tree, own) {
		return nil
	}
	var selected []sqlfront.Expr
	for _, id := range ids {
		c := b.q.From[id.source].Columns[id.column]
		selected = append(selected, columnOf(number[id.source], id.column, c.Name, c.Type))
	}
	if len(ids) == 0 {
		selected = []sqlfront.Expr{constant("1", integer)}
	}
	q.Columns = columns(selected)
	for i, e := range selected {
		q.Select = append(q.Select, sqlfront.SelectItem{Expr: e, Name: q.Columns[i].Name})
	}
	s, ok := textOf(q)
	if !ok || s.Memory != 0 {
		return nil
	}
	s.Alias = b.alias(n)
	r := &rel{cols: map[column]sqlfront.Expr{}}
	for i, e := range r.add(s) {
		if i < len(ids) {
			r.cols[ids[i]] = e
		}
	}
	return r
}

// treeOf is a subtree over the sources of q, which are added in its order; number says which
// of them a source of the block is.
func (b *block) treeOf(n *node, q *sqlfront.Query, number map[int]int) *sqlfront.Join {
	if n.left == nil {
		number[n.leaf] = len(q.From)
		q.From = append(q.From, b.q.From[n.leaf])
		return &sqlfront.Join{Leaf: number[n.leaf]}
	}
	left := b.treeOf(n.left, q, number)
	return &sqlfront.Join{Kind: n.kind, Left: left, Right: b.treeOf(n.right, q, number), On: n.on}
}

// renumbered gives the conditions of a tree its own columns; ok is false where one has a
// subquery.
func renumbered(j *sqlfront.Join, own func(sqlfront.Expr) sqlfront.Expr) (ok bool) {
	if j.Left == nil {
		return true
	}
	if slices.ContainsFunc(j.On, hasSubquery) {
		return false
	}
	on := make([]sqlfront.Expr, len(j.On))
	for i, e := range j.On {
		on[i] = own(e)
	}
	j.On = on
	return renumbered(j.Left, own) && renumbered(j.Right, own)
}

// maxLevels is how many blocks further out a column may be read from: more is refused.
const maxLevels = 3

// textOf is a source that DuckDB executes; ok is false where that depends on more than
// tables.
func textOf(q *sqlfront.Query) (s sqlfront.Source, ok bool) {
	ok = true
	own := func(e sqlfront.Expr) {
		if e == nil {
			return
		}
		ok = ok && !anyExpr(e, func(e sqlfront.Expr) bool { _, is := e.(*sqlfront.Param); return is })
	}
	q.Walk(func(q *sqlfront.Query) {
		q.Roots(own)
		own(q.Limit)
		own(q.Offset)
		for _, f := range q.From {
			ok = ok && f.Program == nil
			if f.Table != nil {
				s.TextTables = append(s.TextTables, f.Table.Name)
			}
			s.TextTables = append(s.TextTables, f.TextTables...)
		}
	})
	for level := 1; level <= maxLevels; level++ {
		eachOuter(q, level, func(*sqlfront.OuterRef) { ok = false })
		for _, f := range q.From { // a derived table may not read the ones beside it, either
			if f.Query != nil {
				eachOuter(f.Query, level, func(*sqlfront.OuterRef) { ok = false })
			}
		}
	}
	if !ok {
		return s, false
	}
	s.Memory = q.Memory()
	s.Text, s.Columns = sqlfront.PrintQuery(q), slices.Clone(q.Columns)
	return s, true
}
