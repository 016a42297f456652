package lower

import "github.com/trireme-db/trireme/sqlfront"

// A derived table that reads columns of sources before it (LATERAL) is a subquery
// of the rows that are joined so far, with all its columns: its rows are partners
// of theirs, or for aggregates without GROUP BY one row for each.

// lateral reports whether a node is a derived table that reads columns of the
// block.
func (b *block) lateral(n *node) bool {
	found := false
	b.eachLateral(n, func(*sqlfront.OuterRef) { found = true })
	return found
}

// eachLateral visits the columns of the block that a node reads if it is lateral.
func (b *block) eachLateral(n *node, f func(*sqlfront.OuterRef)) {
	if n.left == nil && b.q.From[n.leaf].Query != nil {
		eachOuter(b.q.From[n.leaf].Query, 1, f)
	}
}

// withLateral is the set with the columns that a node reads if it is lateral.
func (b *block) withLateral(u used, n *node) used {
	out := u.with()
	b.eachLateral(n, func(o *sqlfront.OuterRef) { out[columnID(o.Column)] = true })
	return out
}

// lateralJoin joins the rows of a join's left side with its lateral right side. In
// an outer join the rows stay for which no partner makes ON TRUE.
func (b *block) lateralJoin(l *rel, n *node) {
	leaf := n.right.leaf
	q := *b.q.From[leaf].Query
	q.OrderBy = nil
	b.eachLateral(n.right, func(o *sqlfront.OuterRef) {
		if !n.left.leaves[o.Column.Source] {
			refuse("lateral join")
		}
	})
	if b.outer != nil || !whole(&q) || q.SetOp != sqlfront.NoSetOp || q.Sets != nil || distinctGroups(&q) {
		refuse("lateral join")
	}
	in := &block{q: &q, outer: l, levels: 1}
	var es []sqlfront.Expr
	if q.OneRow() {
		es = b.lateralRow(l, n, in)
	} else {
		es = b.lateralPartners(l, n, in)
	}
	for i, e := range es {
		l.cols[column{leaf, i}] = e
	}
}

// lateralPartners joins the left rows with a block that may have several rows for
// each, or none.
func (b *block) lateralPartners(l *rel, n *node, in *block) []sqlfront.Expr {
	r, es := in.lateralRows()
	r.cols = map[column]sqlfront.Expr{}
	var extra []*sqlfront.ColumnRef
	for i := range es {
		es[i] = settled(es[i])
		r.cols[column{n.right.leaf, i}] = es[i]
		for _, c := range columnsIn(es[i]) {
			if c.Source >= outerSpace {
				extra = append(extra, c)
			}
		}
	}
	if n.kind == sqlfront.LeftJoin {
		b.conditions(n, l, r, n.on)
	}
	p := match(l, r, extra)
	for i := range es {
		es[i] = p.among(es[i])
	}
	if n.kind == sqlfront.LeftJoin {
		return p.leftJoin(l, b.alias(n.right), es)
	}
	return p.innerJoin(l, es)
}

// lateralRows is the rows of a block with the columns that it selects.
func (b *block) lateralRows() (*rel, []sqlfront.Expr) {
	if !b.q.Plain() {
		return b.groupRows()
	}
	r := b.joined()
	var es []sqlfront.Expr
	for _, it := range b.q.Select {
		es = append(es, b.expr(r, it.Expr))
	}
	return r, es
}

// lateralRow adds the one row of aggregates to the left rows. Of an outer join it
// is NULL where ON or HAVING is not TRUE.
func (b *block) lateralRow(l *rel, n *node, in *block) []sqlfront.Expr {
	es, having := in.aggregated(false)
	if n.kind != sqlfront.LeftJoin {
		if having != nil {
			l.filter(having)
		}
		return es
	}
	there := having
	for i, e := range es {
		l.cols[column{n.right.leaf, i}] = e
	}
	for _, e := range n.on {
		if hasSubquery(e) {
			refuse("subquery in the ON of an outer join")
		}
		if e = b.expr(l, e); there != nil {
			e = predicate("and", there, e)
		}
		there = e
	}
	if there == nil {
		return es
	}
	for i, e := range es {
		es[i] = when(there, e, nil)
	}
	return es
}
