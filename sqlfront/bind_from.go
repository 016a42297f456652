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

// from binds a FROM element: sources and join conditions go to the query, what
// can be named is returned.
func (b *block) from(f fromNode) *scope {
	switch f := f.(type) {
	case *tableNode:
		return &scope{tables: []*scopeTable{b.table(f)}}
	case *derivedNode:
		return &scope{tables: []*scopeTable{b.derived(f.query, b.ctes, f.alias, f.columns)}}
	case *joinNode:
		left := b.from(f.left)
		right := b.from(f.right)
		s := &scope{tables: append(append([]*scopeTable{}, left.tables...), right.tables...)}
		switch f.kind {
		case joinComma, joinCross:
		case joinOn:
			b.conjuncts(f.on, s)
		case joinUsing:
			b.merge(left, right, f.using)
		case joinNatural:
			b.merge(left, right, common(left, right))
		default:
			panic(invariant.Failed("sqlfront: unknown join kind %d", f.kind))
		}
		return s
	default:
		panic(invariant.Failed("sqlfront: unknown fromNode %T", f))
	}
}

func (b *block) table(f *tableNode) *scopeTable {
	alias := f.alias
	if alias == "" {
		alias = f.parts[len(f.parts)-1]
	}
	if len(f.parts) == 1 {
		if c := b.ctes.find(f.parts[0]); c != nil {
			out := b.derived(c.node.query, c.outer, alias, c.node.columns)
			nameColumns(out.cols, f.columns)
			return out
		}
	}
	t, ok := b.lookup(f.parts)
	if !ok {
		refuse("unknown table ", f.parts[len(f.parts)-1])
	}
	if t.View {
		return b.view(f, t, alias)
	}
	out := &scopeTable{alias: fold(alias)}
	if f.alias == "" {
		out.base = t
	}
	n := b.addSource(Source{Alias: alias, Table: t, Columns: t.Columns})
	for i, c := range t.Columns {
		ref := &ColumnRef{Source: n, Column: i, Name: c.Name, T: c.Type}
		out.cols = append(out.cols, scopeColumn{name: c.Name, expr: ref})
	}
	nameColumns(out.cols, f.columns)
	return out
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

// derived binds a derived table or a reference to a common table expression. A
// plain join becomes part of this block; what has groups becomes a source.
func (b *block) derived(sel *selectNode, ctes *cteScope, alias string, columns []string) *scopeTable {
	b.blocks++
	if b.blocks > blocksMax {
		refuse("too many blocks")
	}
	if len(sel.orderBy) > 0 || sel.limit != nil || sel.offset != nil {
		refuse("ORDER BY or LIMIT in a derived table")
	}
	if sel.from == nil {
		refuse("derived table without a table")
	}
	out := &scopeTable{alias: fold(alias)}
	if b.plain(sel) {
		inner := &block{binder: b.binder, query: b.query, sel: sel}
		inner.bindFromWhere(ctes)
		inner.items = inner.expandItems()
		for i, item := range inner.items {
			out.cols = append(out.cols, scopeColumn{name: item.name(), expr: inner.settled(inner.bindItem(i))})
		}
	} else {
		b.derivedQuery(out, sel, ctes, alias)
	}
	nameColumns(out.cols, columns)
	return out
}

// derivedQuery makes a block with groups a source of this one.
func (b *block) derivedQuery(out *scopeTable, sel *selectNode, ctes *cteScope, alias string) {
	inner := b.block(sel, ctes, false)
	for i, item := range inner.items {
		col := rows.Column{Name: item.name(), Type: inner.query.Select[i].Expr.Type()}
		if col.Name == "" {
			col.Name = "column" + strconv.Itoa(i+1)
		}
		inner.query.Select[i].Name = col.Name
		inner.query.Columns = append(inner.query.Columns, col)
	}
	if alias == "" {
		alias = "derived"
	}
	n := b.addSource(Source{Alias: alias, Query: inner.query, Columns: inner.query.Columns})
	for i, item := range inner.items {
		c := inner.query.Columns[i]
		ref := &ColumnRef{Source: n, Column: i, Name: c.Name, T: c.Type}
		out.cols = append(out.cols, scopeColumn{name: item.name(), expr: ref})
	}
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

// merge equates the columns of USING or NATURAL; unqualified, the name is the
// left one.
func (b *block) merge(left, right *scope, names []string) {
	if len(names) == 0 {
		refuse("NATURAL JOIN without common columns")
	}
	for _, name := range names {
		l, r := left.unqualified(name), right.unqualified(name)
		if len(l) != 1 || len(r) != 1 {
			refuse("USING name ", name)
		}
		eq := &Call{Name: "=", Args: []Expr{l[0].expr, r[0].expr}, T: boolean}
		b.query.Where = append(b.query.Where, eq)
		r[0].merged = true
	}
	b.usedMerge = true
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
