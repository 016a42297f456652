package sqlfront

import (
	"strconv"
	"strings"

	"github.com/trireme-db/trireme/internal/invariant"
	"github.com/trireme-db/trireme/internal/rows"
)

// groupingCall is the Call that GROUPING and GROUPING_ID become.
const groupingCall = "grouping"

// groupSetsMax bounds the grouping sets of a block: a CUBE of 7 columns.
const groupSetsMax = 128

// groupSet is a grouping set: positions in GroupBy.
type groupSet []int

// groups binds GROUP BY, or what DISTINCT groups by.
func (b *block) groups() {
	q := b.query
	g := &grouper{block: b, byKey: map[string]int{}, written: map[int]string{}}
	switch {
	case g.isAll():
		g.all()
	case g.hasSets():
		g.sets()
	default:
		for _, e := range b.sel.groupBy {
			g.element(e)
		}
	}
	q.Grouped = len(q.GroupBy) > 0 || q.Sets != nil
	if len(b.sel.groupBy) > 0 && !q.Grouped && !b.aggregates(b.sel) { // GROUP BY ()
		refuse("GROUP BY () without an aggregate")
	}
	for i := range b.items {
		b.bindItem(i)
		if q.Sets != nil && b.items[i].usesAlias {
			refuse("alias under grouping sets") // it is no group, which what it means may be
		}
	}
	if b.sel.distinct {
		q.Distinct = true
		for _, it := range b.items {
			g.add(it.bound)
		}
	}
}

// grouper collects the groups of a block, each once.
type grouper struct {
	*block
	byKey   map[string]int
	written map[int]string // with grouping sets: how each group is written
}

func (g *grouper) isAll() bool {
	if len(g.sel.groupBy) != 1 {
		return false
	}
	_, all := g.sel.groupBy[0].(*allNode)
	return all
}

// hasSets reports whether there are grouping sets. GROUP BY () alone is no set:
// it is a block with one row.
func (g *grouper) hasSets() bool {
	for _, e := range g.sel.groupBy {
		switch e := e.(type) {
		case *setsNode:
			return true
		case *rowNode:
			if len(e.list) == 0 {
				return true
			}
		}
	}
	return false
}

// all groups by every output without an aggregate. Constants are left out: they
// are the same in all rows of a group.
func (g *grouper) all() {
	for i, it := range g.items {
		if it.column == nil && g.hasAggregate(it.expr) {
			continue
		}
		e := g.bindItem(i)
		switch {
		case !hasColumn(e): // by aliases it may be of aggregates
		case hasAggRef(e):
			refuse("column beside an aggregate")
		default:
			g.add(e)
		}
	}
	if len(g.query.GroupBy) == 0 {
		refuse("GROUP BY ALL")
	}
}

// element adds an element of GROUP BY without sets; a row is several.
func (g *grouper) element(e exprNode) groupSet {
	row, ok := e.(*rowNode)
	if !ok {
		bound := g.groupExpr(e)
		if hasAggRef(bound) {
			refuse("aggregate in GROUP BY")
		}
		return groupSet{g.add(bound)}
	}
	var set groupSet
	for _, e := range row.list {
		set = append(set, g.element(e)...)
	}
	return set
}

func (g *grouper) add(e Expr) int {
	if !hasColumn(e) {
		g.resolve([]Expr{e})
		if e.Type().ID == rows.SQLNull {
			refuse("constant in GROUP BY")
		}
		e = &Cast{Arg: e, T: e.Type()} // a number would be a position
	}
	k := exprKey(e)
	n, ok := g.byKey[k]
	if !ok {
		n = len(g.query.GroupBy)
		g.byKey[k] = n
		g.query.GroupBy = append(g.query.GroupBy, e)
	}
	return n
}

// sets makes the grouping sets: one from each element, in all combinations.
func (g *grouper) sets() {
	out := []groupSet{{}}
	for _, e := range g.sel.groupBy {
		var next []groupSet
		for _, have := range out {
			for _, set := range g.alternatives(e) {
				next = append(next, union(have, set))
			}
		}
		if out = next; len(out) > groupSetsMax {
			refuse("too many grouping sets")
		}
	}
	switch {
	case len(out) == 1:
		return // all the groups
	case len(g.query.GroupBy) == 0 && !g.aggregates(g.sel): // one row to DuckDB
		refuse("grouping sets without a group or aggregate")
	}
	for _, set := range out {
		g.query.Sets = append(g.query.Sets, set)
	}
}

// alternatives are the grouping sets that an element stands for.
func (g *grouper) alternatives(e exprNode) []groupSet {
	sets, ok := e.(*setsNode)
	if !ok {
		return []groupSet{g.setElement(e)}
	}
	var out []groupSet
	switch sets.kind {
	case "grouping sets":
		for _, e := range sets.list {
			out = append(out, g.alternatives(e)...)
		}
	case "rollup":
		out = []groupSet{{}}
		for _, e := range sets.list {
			out = append(out, union(out[len(out)-1], g.setElement(e)))
		}
	case "cube":
		out = []groupSet{{}}
		for _, e := range sets.list {
			set := g.setElement(e)
			for _, have := range out {
				out = append(out, union(have, set))
			}
			if len(out) > groupSetsMax {
				refuse("too many grouping sets")
			}
		}
	default:
		panic(invariant.Failed("sqlfront: unknown grouping sets %s", sets.kind))
	}
	return out
}

// setElement is an expression or row in grouping sets. DuckDB tells its groups
// apart by how they are written, so one column must be written in one way.
func (g *grouper) setElement(e exprNode) groupSet {
	if _, nested := e.(*setsNode); nested {
		refuse("GROUPING SETS in ROLLUP or CUBE")
	}
	row, ok := e.(*rowNode)
	if !ok {
		row = &rowNode{list: []exprNode{e}}
	}
	var set groupSet
	for _, e := range row.list {
		member := g.element(e)
		if len(member) != 1 || !hasColumn(g.query.GroupBy[member[0]]) {
			refuse("constant in GROUPING SETS")
		}
		var text strings.Builder
		writeExpr(&text, e)
		if w, ok := g.written[member[0]]; ok && fold(w) != fold(text.String()) {
			refuse("one group written in two ways")
		}
		g.written[member[0]] = text.String()
		set = union(set, member)
	}
	return set
}

// union is a grouping set of the members of both.
func union(a, b groupSet) groupSet {
	out := append(groupSet{}, a...)
	for _, n := range b {
		known := false
		for _, m := range a {
			known = known || m == n
		}
		if !known {
			out = append(out, n)
		}
	}
	return out
}

// grouping lifts GROUPING(..), which is 0 where there is one set.
func (l *lifter) grouping(c *Call) Expr {
	for _, a := range c.Args {
		if _, ok := a.(*GroupRef); !ok {
			refuse("GROUPING of no group")
		}
	}
	if l.query.Sets == nil {
		return &Cast{Arg: &Literal{SQL: "0", T: rows.Type{ID: rows.Integer}}, T: c.T}
	}
	return c
}

// distinctGroups binds SELECT DISTINCT of a block that has groups or aggregates:
// DISTINCT over that block's rows.
func (b *binder) distinctGroups(sel *selectNode, ctes *cteScope, around *block) (*Query, outputNames) {
	rest := *sel
	rest.distinct, rest.limit, rest.offset = false, nil, nil
	in, names := b.bind(&rest, ctes, around)
	nameOutputs(in, names)
	q := &Query{Distinct: true}
	byKey := map[string]int{}
	cols := make([]rows.Column, len(in.Select))
	for i, s := range in.Select {
		name := "c" + strconv.Itoa(i)
		in.Select[i].Name = name
		cols[i] = rows.Column{Name: name, Type: s.Expr.Type()}
		ref := &ColumnRef{Column: i, Name: name, T: s.Expr.Type()}
		k := exprKey(s.Expr)
		n, twice := byKey[k]
		if !twice {
			n = len(q.GroupBy)
			byKey[k] = n
			q.GroupBy = append(q.GroupBy, ref)
		}
		q.Select = append(q.Select, SelectItem{Expr: &GroupRef{N: n, T: ref.T}, Name: names[0][i]})
	}
	for _, o := range in.OrderBy {
		n, ok := byKey[exprKey(o.Expr)]
		if !ok {
			refuse("ORDER BY of DISTINCT")
		}
		o.Expr = &GroupRef{N: n, T: o.Expr.Type()}
		q.OrderBy = append(q.OrderBy, o)
	}
	in.OrderBy, in.Columns = nil, cols
	q.From = []Source{{Alias: "groups", Query: in, Columns: cols}}
	q.Limit, q.Offset = b.limitValue(sel.limit), b.limitValue(sel.offset)
	return q, names
}
