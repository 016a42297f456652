package sqlfront

import (
	"strconv"

	"github.com/trireme-db/trireme/internal/invariant"
	"github.com/trireme-db/trireme/internal/rows"
)

// cteScope is a list of the common table expressions in sight, innermost first.
// Each sees those after it.
type cteScope struct {
	node  *cteNode
	outer *cteScope
}

func (c *cteScope) find(name string) *cteScope {
	for ; c != nil; c = c.outer {
		if fold(c.node.name) == fold(name) {
			return c
		}
	}
	return nil
}

// from binds a FROM element: its sources go to the query, what can be named and
// its join tree are returned. nullable: an outer join pads it.
func (b *block) from(f fromNode, nullable bool) (*scope, *Join) {
	switch f := f.(type) {
	case *tableNode:
		t, tree := b.table(f, nullable)
		b.seen = append(b.seen, t)
		return &scope{tables: []*scopeTable{t}}, tree
	case *derivedNode:
		t, tree := b.derived(f.query, derivedAt{b.ctes, b}, f.alias, f.columns, nullable)
		b.seen = append(b.seen, t)
		return &scope{tables: []*scopeTable{t}}, tree
	case *joinNode:
		return b.join(f, nullable)
	default:
		panic(invariant.Failed("sqlfront: unknown fromNode %T", f))
	}
}

func (b *block) join(f *joinNode, nullable bool) (*scope, *Join) {
	if f.side == sideSemi || f.side == sideAnti {
		return b.semiJoin(f, nullable)
	}
	left, l := b.from(f.left, nullable || f.side == sideRight || f.side == sideFull)
	right, r := b.from(f.right, nullable || f.side == sideLeft || f.side == sideFull)
	s := &scope{tables: append(append([]*scopeTable{}, left.tables...), right.tables...)}
	j := &Join{Left: l, Right: r}
	switch f.side {
	case sideLeft:
		j.Kind = LeftJoin
	case sideRight:
		j.Kind, j.Left, j.Right = LeftJoin, r, l
	case sideFull:
		j.Kind = FullJoin
	}
	switch f.kind {
	case joinComma, joinCross:
	case joinOn:
		j.On = b.conjuncts(nil, f.on, s)
	case joinUsing:
		b.merge(j, s, left, right, f.using, f.side)
	case joinNatural:
		b.merge(j, s, left, right, common(left, right), f.side)
	default:
		panic(invariant.Failed("sqlfront: unknown join kind %d", f.kind))
	}
	return s, j
}

func (b *block) table(f *tableNode, nullable bool) (*scopeTable, *Join) {
	alias := f.alias
	if alias == "" {
		alias = f.parts[len(f.parts)-1]
	}
	if len(f.parts) == 1 {
		if c := b.ctes.find(f.parts[0]); c != nil && c.node.memory != 0 {
			out := &scopeTable{alias: fold(alias)}
			tree := b.readSource(out, c.node.source(alias), nil)
			nameColumns(out.cols, f.columns)
			return out, tree
		} else if c != nil {
			out, tree := b.derived(c.node.query, derivedAt{ctes: c.outer}, alias, c.node.columns, nullable)
			nameColumns(out.cols, f.columns)
			return out, tree
		}
	}
	t, ok := b.lookup(f.parts)
	if !ok {
		return b.file(f, alias)
	}
	if t.View {
		return b.view(f, t, alias, nullable)
	}
	out := &scopeTable{alias: fold(alias)}
	if f.alias == "" {
		out.base = t
	}
	source := Source{Alias: alias, Table: t, Columns: t.Columns}
	if t.Temporary {
		if t.Collated != nil {
			refuse(ofCollation)
		}
		source, out.base = temporary(t, alias), nil
	}
	n := b.addSource(source)
	for i, c := range t.Columns {
		ref := &ColumnRef{Source: n, Column: i, Name: c.Name, T: c.Type}
		out.cols = append(out.cols, scopeColumn{name: c.Name, expr: ref})
	}
	nameColumns(out.cols, f.columns)
	return out, &Join{Leaf: n}
}

// addSource appends a source under an alias that no other source has.
func (b *block) addSource(s Source) int {
	alias := s.Alias
	for n := 2; b.taken(s.Alias); n++ {
		s.Alias = alias + "_" + strconv.Itoa(n)
	}
	b.query.From = append(b.query.From, s)
	return len(b.query.From) - 1
}

func (b *block) taken(alias string) bool {
	for _, s := range b.query.From {
		if fold(s.Alias) == fold(alias) {
			return true
		}
	}
	return false
}

// derivedAt is from where a derived table sees: the common table expressions,
// and the block around it; nil for those and for views.
type derivedAt struct {
	ctes   *cteScope
	around *block
}

// derived binds a derived table or a reference to a common table expression. A
// plain join becomes part of this block, what has groups a source; so does what
// an outer join pads, unless it is just columns of one table: its conditions and
// expressions come before the padding.
func (b *block) derived(sel *selectNode, at derivedAt, alias string, columns []string, nullable bool) (*scopeTable, *Join) {
	out := &scopeTable{alias: fold(alias)}
	if alias == "" {
		alias = "derived"
	}
	var tree *Join
	sources, conjuncts := len(b.query.From), len(b.query.Where)
	b.attempt(sel, at.ctes, func() {
		if sel.setOp == NoSetOp && sel.from == nil {
			refuse("derived table without a table")
		}
		switch {
		case sel.programText() != "":
			s := b.programSource(sel, at.ctes)
			s.Alias = alias
			tree = b.readSource(out, s, nil)
		case b.plain(sel) && (!nullable || justColumns(sel)):
			tree = b.flat(out, sel, at, nullable)
		default:
			tree = b.derivedQuery(out, sel, at, alias)
		}
		nameColumns(out.cols, columns)
	}, func(s Source) {
		b.query.From, b.query.Where = b.query.From[:sources], b.query.Where[:conjuncts]
		out.cols = nil
		s.Alias = alias
		tree = b.readSource(out, s, nil)
		nameColumns(out.cols, columns)
	})
	return out, tree
}

// justColumns reports whether a block only chooses columns of one table.
func justColumns(sel *selectNode) bool {
	if _, ok := sel.from.(*tableNode); !ok || sel.where != nil {
		return false
	}
	for _, item := range sel.items {
		if _, name := item.expr.(*nameNode); !item.star && !name {
			return false
		}
	}
	return true
}

// flat makes a plain derived table part of this block.
func (b *block) flat(out *scopeTable, sel *selectNode, at derivedAt, nullable bool) *Join {
	b.blocks++
	if b.blocks > blocksMax {
		refuse("too many blocks")
	}
	if sel.limit != nil || sel.offset != nil || !ignorable(sel.orderBy) {
		refuse("ORDER BY or LIMIT in a derived table")
	}
	inner := &block{binder: b.binder, query: b.query, sel: sel, around: at.around}
	first := len(b.query.From)
	tree := inner.bindFromWhere(at.ctes, nullable)
	for i, item := range inner.items {
		e := inner.settled(inner.bindItem(i))
		if c, column := e.(*ColumnRef); nullable && (!column || c.Source < first) {
			refuse("expression below an outer join")
		}
		if mayHaveRows(e) {
			refuse("scalar subquery that may have several rows in a derived table")
		}
		out.cols = append(out.cols, scopeColumn{name: item.name(), expr: e})
	}
	return tree
}

// mayHaveRows reports whether an expression has a scalar subquery that fails where it
// has several rows, also where nobody reads its value.
func mayHaveRows(e Expr) bool {
	found := false
	WalkExpr(e, func(e Expr) {
		s, ok := e.(*Subquery)
		found = found || ok && s.Kind == Scalar && !s.Query.OneRow()
	})
	return found
}

// derivedQuery makes a derived table a source of this block.
func (b *block) derivedQuery(out *scopeTable, sel *selectNode, at derivedAt, alias string) *Join {
	q, names := b.bind(sel, at.ctes, at.around)
	if q.SetOp != NoSetOp { // a query around may still be DuckDB's
		q.outerRefs(1, func(*OuterRef, int) { refuse("lateral join") })
	}
	nameOutputs(q, names)
	return b.readSource(out, Source{Alias: alias, Query: q, Columns: q.Columns}, names[0])
}

// readSource adds a source and its columns under names, or their own.
func (b *block) readSource(out *scopeTable, s Source, names []string) *Join {
	n := b.addSource(s)
	for i, c := range s.Columns {
		if c.Type.ID == rows.SQLNull {
			refuse("NULL in a derived table")
		}
		name := c.Name
		if names != nil {
			name = names[i]
		}
		ref := &ColumnRef{Source: n, Column: i, Name: c.Name, T: c.Type}
		out.cols = append(out.cols, scopeColumn{name: name, expr: ref})
	}
	return &Join{Leaf: n}
}

// nameColumns applies the column list of an alias and refuses names that DuckDB
// would change or that might meet one that it makes up.
func nameColumns(cols []scopeColumn, names []string) {
	if len(names) > len(cols) {
		refuse("too many column aliases")
	}
	for i, n := range names {
		cols[i].name = n
	}
	seen := map[string]bool{}
	madeUp, odd := false, false
	for _, c := range cols {
		if c.name == "" {
			madeUp = true
			continue
		}
		odd = odd || !isPlainName(c.name)
		if seen[fold(c.name)] {
			refuse("duplicate column name ", c.name)
		}
		seen[fold(c.name)] = true
	}
	if madeUp && odd {
		refuse("made-up column name")
	}
}

func isPlainName(s string) bool {
	if s == "" || !isWordStart(s[0]) {
		return false
	}
	for i := 0; i < len(s); i++ {
		if !isWordPart(s[i]) {
			return false
		}
	}
	return true
}

// merge equates the columns of USING or NATURAL. Unqualified, the name is then
// the column of the side that is not padded: the left one, or the right one of
// RIGHT; of FULL it is whichever there is.
func (b *block) merge(j *Join, s, left, right *scope, names []string, side joinSide) {
	if len(names) == 0 {
		refuse("NATURAL JOIN without common columns")
	}
	both := &scopeTable{}
	for _, name := range names {
		l, r := left.unqualified(name), right.unqualified(name)
		if len(l) != 1 || len(r) != 1 {
			refuse("USING name ", name)
		}
		j.On = append(j.On, &Call{Name: "=", Args: []Expr{l[0].expr, r[0].expr}, T: boolean})
		switch side {
		case sideRight:
			l[0].merged = true
		case sideFull:
			l[0].merged, r[0].merged = true, true
			c := &Call{Name: "coalesce", Args: []Expr{l[0].expr, r[0].expr}}
			c.T = inferCall(c)
			b.resolve([]Expr{c})
			both.cols = append(both.cols, scopeColumn{name: l[0].name, expr: c})
		default:
			r[0].merged = true
		}
	}
	if len(both.cols) > 0 {
		s.tables = append(s.tables, both)
	}
	b.usedMerge = true
	b.mergedOuter = b.mergedOuter || side == sideRight || side == sideFull
}

// common returns the names of the columns that both sides of NATURAL JOIN have.
func common(left, right *scope) []string {
	var names []string
	for _, t := range left.tables {
		for _, c := range t.cols {
			if !c.merged && c.name == "" {
				refuse("made-up column name")
			}
			if !c.merged && len(right.unqualified(c.name)) > 0 {
				names = append(names, c.name)
			}
		}
	}
	return names
}
