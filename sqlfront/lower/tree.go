package lower

import (
	"maps"
	"slices"

	"github.com/trireme-db/trireme/internal/invariant"
	"github.com/trireme-db/trireme/sqlfront"
)

// node is a node of a join tree that can be changed: a leaf is a source.
type node struct {
	leaf        int
	kind        sqlfront.JoinKind
	left, right *node
	on          []sqlfront.Expr
	leaves      map[int]bool
}

func leafNode(n int) *node { return &node{leaf: n, leaves: map[int]bool{n: true}} }

func joinNode(kind sqlfront.JoinKind, left, right *node, on []sqlfront.Expr) *node {
	n := &node{kind: kind, left: left, right: right, leaves: map[int]bool{}}
	for _, side := range []*node{left, right} {
		for l := range side.leaves {
			n.leaves[l] = true
		}
	}
	for _, e := range on {
		n.on = append(n.on, conjuncts(e)...)
	}
	return n
}

// treeOf is the join tree of a block, nil without sources.
func treeOf(q *sqlfront.Query) *node {
	if q.Tree != nil {
		return copied(q.Tree)
	}
	var out *node
	for i := range q.From {
		if out == nil {
			out = leafNode(i)
			continue
		}
		out = joinNode(sqlfront.InnerJoin, out, leafNode(i), nil)
	}
	return out
}

func copied(j *sqlfront.Join) *node {
	if j.Left == nil {
		return leafNode(j.Leaf)
	}
	return joinNode(j.Kind, copied(j.Left), copied(j.Right), j.On)
}

// rejects reports whether a conjunct is never TRUE where all columns of the
// leaves are NULL, so that it drops the rows that an outer join pads with NULLs
// there.
func rejects(above []sqlfront.Expr, leaves map[int]bool) bool {
	padded := assumption(func(e sqlfront.Expr) bool {
		c, ok := e.(*sqlfront.ColumnRef)
		return ok && leaves[c.Source]
	})
	return slices.ContainsFunc(above, padded.neverTrue)
}

// simplify makes outer joins inner whose padding is dropped later: by a conjunct
// of WHERE, of the ON of an inner join above, or of the ON of a join that pads
// this side. It keeps those whose padding such a conjunct may accept:
//
//	a LEFT JOIN b ON a.k = b.k WHERE b.y IS NULL OR b.y > 3
func (n *node) simplify(above []sqlfront.Expr) {
	if n.left == nil {
		return
	}
	if n.kind == sqlfront.FullJoin {
		leftLost, rightLost := rejects(above, n.right.leaves), rejects(above, n.left.leaves)
		switch {
		case leftLost && rightLost:
			n.kind = sqlfront.InnerJoin
		case leftLost: // the rows of the left side alone are lost: the right one is preserved
			n.kind, n.left, n.right = sqlfront.LeftJoin, n.right, n.left
		case rightLost:
			n.kind = sqlfront.LeftJoin
		}
	}
	if n.kind == sqlfront.LeftJoin && rejects(above, n.right.leaves) {
		n.kind = sqlfront.InnerJoin
	}
	both := append(append([]sqlfront.Expr{}, above...), n.on...)
	switch n.kind {
	case sqlfront.InnerJoin:
		n.left.simplify(both)
		n.right.simplify(both)
	case sqlfront.LeftJoin:
		n.left.simplify(above)
		n.right.simplify(n.on)
	case sqlfront.FullJoin:
		n.left.simplify(nil)
		n.right.simplify(nil)
	default:
		panic(invariant.Failed("lower: unknown join kind %d", n.kind))
	}
}

// used is a set of columns of a block.
type used map[column]bool

// with is the set with the columns that expressions read.
func (u used) with(es ...sqlfront.Expr) used {
	out := used{}
	for id := range u {
		out[id] = true
	}
	for _, e := range es {
		out.read(e)
	}
	return out
}

// read adds the columns of an expression, those that its subqueries read too.
func (u used) read(e sqlfront.Expr) {
	sqlfront.WalkExpr(e, func(e sqlfront.Expr) {
		switch e := e.(type) {
		case *sqlfront.ColumnRef:
			u[columnID(e)] = true
		case *sqlfront.Subquery:
			eachOuter(e.Query, 1, func(o *sqlfront.OuterRef) { u[columnID(o.Column)] = true })
		}
	})
}

// of is the columns of a node's leaves.
func (u used) of(n *node) []column {
	in := used{}
	for id := range u {
		if n.leaves[id.source] {
			in[id] = true
		}
	}
	return in.sorted()
}

// sorted is the columns by source and position: what is lowered does not depend
// on the order of a map.
func (u used) sorted() []column {
	out := slices.Collect(maps.Keys(u))
	slices.SortFunc(out, func(a, b column) int {
		if a.source != b.source {
			return a.source - b.source
		}
		return a.column - b.column
	})
	return out
}

// eachOuter visits the outer columns in a query that belong to the block the
// given number of levels around it.
func eachOuter(q *sqlfront.Query, level int, f func(*sqlfront.OuterRef)) {
	for _, s := range q.From {
		if s.Query != nil {
			eachOuter(s.Query, level+1, f)
		}
	}
	for _, a := range q.Arms {
		eachOuter(a, level, f)
	}
	q.Roots(func(root sqlfront.Expr) {
		sqlfront.WalkExpr(root, func(e sqlfront.Expr) {
			switch e := e.(type) {
			case *sqlfront.OuterRef:
				if e.Levels == level {
					f(e)
				}
			case *sqlfront.Subquery:
				eachOuter(e.Query, level+1, f)
			}
		})
	})
}

// leavesOf returns the sources that a conjunct of a tree reads, those of its
// subqueries' outer columns included.
func leavesOf(e sqlfront.Expr) map[int]bool {
	out := map[int]bool{}
	for id := range (used{}).with(e) {
		out[id.source] = true
	}
	return out
}

// within reports whether a conjunct reads leaves of a node only, and one at least.
func (n *node) within(e sqlfront.Expr) bool {
	leaves := leavesOf(e)
	for l := range leaves {
		if !n.leaves[l] {
			return false
		}
	}
	return len(leaves) > 0
}

// movable reports whether a conjunct of WHERE can be moved into the tree.
func movable(e sqlfront.Expr) bool {
	return !anyExpr(e, func(e sqlfront.Expr) bool {
		switch e.(type) {
		case *sqlfront.Subquery, *sqlfront.OuterRef:
			return true
		}
		return false
	})
}

// rows makes the rows of a node for which the filters hold. wanted are the
// columns that are read outside; what columns have become is in the result's
// cols.
func (b *block) rows(n *node, wanted used, filters []sqlfront.Expr) *rel {
	if n.left == nil {
		r := b.leaf(n.leaf)
		b.filters(r, filters, wanted)
		return r
	}
	switch n.kind {
	case sqlfront.InnerJoin:
		return b.innerJoin(n, wanted, append(append([]sqlfront.Expr{}, n.on...), filters...))
	case sqlfront.LeftJoin:
		return b.leftJoin(n, wanted, filters)
	case sqlfront.FullJoin:
		r := b.fullJoin(n, wanted.with(filters...))
		b.filters(r, filters, wanted)
		return r
	default:
		panic(invariant.Failed("lower: unknown join kind %d", n.kind))
	}
}

// filters keeps the rows for which conjuncts over the block's columns are TRUE:
// those without a subquery first, so that they restrict what a subquery is asked,
// and last those that cut the rows in blocks or make one of some of their sources.
func (b *block) filters(r *rel, es []sqlfront.Expr, wanted used) {
	var cut []sqlfront.Expr
	for _, late := range []bool{false, true} {
		for _, e := range es {
			switch {
			case hasSubquery(e) != late:
			case len(disjuncts(e)) > 1 && (late || eitherJoins(nil, e)), gathers(nil, e):
				cut = append(cut, e)
			default:
				b.filter(r, e)
			}
		}
	}
	for i, e := range cut {
		if later := wanted.with(cut[i+1:]...); !b.split(r, e, later) && !b.gather(r, e, later) {
			b.filter(r, e)
		}
	}
}

func (b *block) innerJoin(n *node, wanted used, conds []sqlfront.Expr) *rel {
	var left, right, here []sqlfront.Expr
	for _, e := range conds {
		switch {
		case movable(e) && n.left.within(e):
			left = append(left, e)
		case movable(e) && n.right.within(e) && !b.lateral(n.right):
			right = append(right, e)
		default:
			here = append(here, e)
		}
	}
	all := b.withLateral(wanted.with(here...), n.right)
	r := b.rows(n.left, all, left)
	if b.lateral(n.right) {
		b.lateralJoin(r, n)
	} else {
		r.join(b.rows(n.right, all, right))
	}
	b.filters(r, here, wanted)
	return r
}

func (b *block) leftJoin(n *node, wanted used, filters []sqlfront.Expr) *rel {
	var left, here, on, right []sqlfront.Expr
	for _, e := range filters {
		if movable(e) && n.left.within(e) {
			left = append(left, e)
		} else {
			here = append(here, e)
		}
	}
	later := wanted
	wanted = wanted.with(here...)
	if b.lateral(n.right) {
		l := b.rows(n.left, b.withLateral(wanted.with(n.on...), n.right), left)
		l.closed("an outer join")
		b.lateralJoin(l, n)
		b.filters(l, here, later)
		return l
	}
	for _, e := range n.on {
		if n.right.within(e) || len(leavesOf(e)) == 0 {
			right = append(right, e)
		} else {
			on = append(on, e)
		}
	}
	all := wanted.with(on...)
	l, r := b.rows(n.left, all, left), b.side(n.right, all, right)
	l.closed("an outer join")
	r.closed("an outer join")
	b.conditions(n, l, r, on)
	ids := wanted.of(n.right)
	var es []sqlfront.Expr
	for _, id := range ids {
		es = append(es, b.in(r, id))
	}
	p := match(l, r, nil)
	for i, e := range p.leftJoin(l, b.alias(n.right), es) {
		if i < len(ids) {
			l.cols[ids[i]] = e
		}
	}
	b.filters(l, here, later)
	return l
}

// conditions puts the conjuncts of an outer join's ON to the right side, over
// both. A subquery in one that reads the left side only becomes a column there.
func (b *block) conditions(n *node, l, r *rel, on []sqlfront.Expr) {
	for _, e := range on {
		if hasSubquery(e) {
			if !n.left.within(e) {
				refuse("subquery in the ON of an outer join")
			}
			r.matched = append(r.matched, toOuter(b.expr(l, e)))
			l.closed("an outer join")
			continue
		}
		r.matched = append(r.matched, bounds(b.across(l, r, e))...)
	}
}

// across is an expression over two sides, the left one as the outer.
func (b *block) across(l, r *rel, e sqlfront.Expr) sqlfront.Expr {
	return mapExpr(e, func(e sqlfront.Expr) (sqlfront.Expr, bool) {
		switch e := e.(type) {
		case *sqlfront.OuterRef:
			refuse("correlation in an outer join")
		case *sqlfront.ColumnRef:
			if x, ok := r.cols[columnID(e)]; ok {
				return x, true
			}
			x, ok := l.cols[columnID(e)]
			invariant.Check(ok, "lower: column %s is on neither side", e.Name)
			return toOuter(x), true
		}
		return nil, false
	})
}

// in is a column as it is in joined rows.
func (b *block) in(r *rel, id column) sqlfront.Expr {
	e, ok := r.cols[id]
	invariant.Check(ok, "lower: column %d of source %d is not in the rows", id.column, id.source)
	return e
}

// alias names what a subtree becomes after its first source.
func (b *block) alias(n *node) string {
	for n.left != nil {
		n = n.left
	}
	return b.q.From[n.leaf].Alias
}
