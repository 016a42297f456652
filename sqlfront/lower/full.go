package lower

import (
	"slices"

	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/sqlfront"
)

// fullJoin makes of A FULL JOIN B a bag of three blocks: the rows of A and B that
// match, those of A without a partner, with NULLs for B, and those of B without a
// partner, with NULLs for A. No conjunct of ON filters a side.
func (b *block) fullJoin(n *node, wanted used) *rel {
	all := wanted.with(n.on...)
	l, r := b.side(n.left, all, nil), b.side(n.right, all, nil)
	l.closed("an outer join")
	r.closed("an outer join")
	for _, e := range n.on {
		if hasSubquery(e) {
			refuse("subquery in the ON of an outer join")
		}
	}
	ids := wanted.of(n)
	var cols []rows.Column
	var matched []sqlfront.Expr
	both := l.clone()
	by := both.join(r)
	for _, id := range ids {
		matched = append(matched, both.cols[id])
	}
	if len(ids) == 0 {
		matched = []sqlfront.Expr{constant("1", integer)}
	}
	cols = columns(matched)
	for _, e := range n.on {
		both.filter(b.expr(both, e))
	}
	bag := sqlfront.Source{Alias: b.alias(n), Columns: cols, Bag: []*sqlfront.Query{
		both.plain(equals(both, matched, by), cols), b.lonely(n, l, r, ids, cols), b.lonely(n, r, l, ids, cols),
	}}
	out := &rel{cols: map[column]sqlfront.Expr{}}
	for i, e := range out.add(bag) {
		if i < len(ids) {
			out.cols[ids[i]] = e
		}
	}
	return out
}

// lonely is the rows of one side without a partner on the other, with NULLs for
// the other's columns.
func (b *block) lonely(n *node, side, other *rel, ids []column, cols []rows.Column) *sqlfront.Query {
	inner := other.clone()
	for _, e := range n.on {
		inner.matched = append(inner.matched, bounds(b.across(side, other, e))...)
	}
	out := side.clone()
	match(side, inner, nil).lacks(out)
	selected := make([]sqlfront.Expr, len(cols))
	for i, c := range cols {
		selected[i] = null(c.Type)
		if len(ids) == 0 {
			selected[i] = constant("1", integer)
		} else if e, ok := side.cols[ids[i]]; ok {
			selected[i] = e
		}
	}
	return out.plain(selected, cols)
}

// unlike are the types of which equal values may be told apart.
var unlike = []rows.TypeID{rows.Double, rows.Float, rows.Interval}

// equals replaces, among columns of the rows that match, those of the right side
// (sources from by on) that an equality makes the same as a left one: an
// expression over both, like the merged column of USING, is then over one source.
// Values of DOUBLE and INTERVAL are left as they are: 0 and -0, and a month and 30
// days, are equal and not the same.
func equals(r *rel, es []sqlfront.Expr, by int) []sqlfront.Expr {
	same := map[column]*sqlfront.ColumnRef{}
	for _, e := range r.where {
		x, y, name := operands(e, "=", "is not distinct from")
		if name == "" {
			continue
		}
		a, isColumn := x.(*sqlfront.ColumnRef)
		c, alsoColumn := y.(*sqlfront.ColumnRef)
		if !isColumn || !alsoColumn || a.T != c.T || slices.Contains(unlike, a.T.ID) {
			continue
		}
		if a.Source >= by {
			a, c = c, a
		}
		if a.Source < by && c.Source >= by {
			same[columnID(c)] = a
		}
	}
	out := make([]sqlfront.Expr, len(es))
	for i, e := range es {
		out[i] = mapColumns(e, func(c *sqlfront.ColumnRef) sqlfront.Expr {
			if a := same[columnID(c)]; a != nil {
				return a
			}
			return c
		})
	}
	return out
}
