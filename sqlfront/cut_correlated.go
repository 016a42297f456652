package sqlfront

import (
	"context"
	"slices"
	"strings"

	"github.com/trireme-db/trireme/internal/load"
	"github.com/trireme-db/trireme/internal/rows"
)

// Correlation is a SELECT of groups or aggregates that reads the SELECT around it, by
// conjuncts of WHERE that equate an expression of its own with a column outside. The
// block has these expressions as further groups; what stands for it in the statement
// reads those of the groups that are equal to the column.
type Correlation struct {
	// Equalities are the conjuncts that may be such ones, which only a binder can tell.
	Equalities []Equality

	*cutter
	// from, end and group are where FROM begins, where WHERE ends and where GROUP BY begins.
	lo, from, end, group, hi int
	where                    []span // the conjuncts
	at                       []int  // which of them the equalities are
	inScope                  ctesInSight
}

// Equality is a conjunct a = b.
type Equality struct{ Sides [2]Side }

// Side is a side of an equality.
type Side struct {
	// Inside is a statement that selects the side from the tables of the block.
	Inside string
	// Outside selects its values from the tables of the SELECT around; empty: it is not
	// just a column's name, and is expected inside.
	Outside string
	// Named: its qualifier is a name in the FROM of the block, so that it is a column
	// there or means nothing.
	Named bool

	span
}

// Decorrelated is a Correlation of which it is known what it reads outside.
type Decorrelated struct {
	// SQL is the block, as a statement.
	SQL string
	// Checked is the block with further columns: what the statement calculates of its
	// columns, so that an error in a group that nothing outside asks for is raised by
	// the block. Empty: it calculates nothing.
	Checked string

	rest *restSelect
	// queries is what the queries are cut from that the rest keeps.
	queries *cutter
	keys    []int // by equality: the column of the block that is compared with that outside
}

// around are the tables of a SELECT: its FROM, as tokens.
func (k *cutter) around(lo, hi int) span {
	if k.word(lo) != "select" {
		return span{}
	}
	from := k.find(lo, hi, "from")
	return span{first: from, end: k.find(from, hi, clauses[1:len(clauses)-1]...)}
}

// correlated splits a query within a SELECT whose tables are around; nil: it reads
// nothing there by equality, or in a form that is not split.
func (k *cutter) correlated(lo, hi int, around span, in ctesInSight) *Block {
	if around.first == around.end || k.hasOver(lo, hi) || k.find(lo, hi, "union", "intersect", "except") < hi {
		return nil
	}
	from := k.find(lo, hi, "from")
	at := k.find(from, hi, "where")
	end := k.find(at, hi, clauses[2:]...)
	c := &Correlation{cutter: k, lo: lo, from: from, end: end, group: k.find(end, hi, "group"), hi: hi, inScope: in}
	ungrouped := c.group == hi
	if k.word(lo) != "select" || at == hi || !k.hasGroups(lo, hi) || ungrouped && k.find(end, hi, "having") < hi || !k.aggregate("any_value") {
		return nil
	}
	if !ungrouped && k.hasGroupingSet(c.group, hi) {
		return nil
	}
	if c.where = k.conjuncts(at+1, end); c.where == nil {
		return nil
	}
	inside := k.text(from, at)
	for n, conjunct := range c.where {
		equals := k.equality(conjunct)
		if equals < 0 {
			continue
		}
		e := Equality{Sides: [2]Side{{span: span{first: conjunct.first, end: equals}}, {span: span{first: equals + 1, end: conjunct.end}}}}
		for i := range e.Sides {
			s := &e.Sides[i]
			text := k.text(s.first, s.end)
			s.Inside = in.statement("SELECT " + text + " " + inside)
			if s.Named = k.named(s.span, span{first: from, end: at}); !s.Named && k.isName(s.span) {
				s.Outside = in.statement("SELECT DISTINCT " + text + " " + k.text(around.first, around.end))
			}
		}
		if e.Sides[0].Outside+e.Sides[1].Outside != "" {
			c.Equalities, c.at = append(c.Equalities, e), append(c.at, n)
		}
	}
	if len(c.Equalities) == 0 {
		return nil
	}
	return &Block{SQL: k.text(lo, hi), Correlation: c, Start: k.toks[lo].start, End: k.toks[hi-1].end}
}

// hasGroupingSet reports whether a GROUP BY may have an empty grouping set: that has a row
// also where there is nothing to group.
func (k *cutter) hasGroupingSet(group, hi int) bool {
	for i := group + 2; i < hi; i = k.after(i) {
		if (i == group+2 || k.is(i-1, ",")) && (k.is(i, "(") || groupingSets[k.word(i)]) {
			return true
		}
	}
	return false
}

// groupingSets are the words that begin grouping sets in GROUP BY.
var groupingSets = map[string]bool{"grouping": true, "rollup": true, "cube": true, "all": true}

// isName reports whether tokens are no more than a name of one or two parts.
func (k *cutter) isName(s span) bool {
	name, end := k.columnName(s.first, s.end)
	return name != "" && end == s.end
}

// columnName is the last part of a column's name of one or two parts; empty: none
// begins at i.
func (k *cutter) columnName(i, hi int) (name string, end int) {
	isName := func(i int) bool { return i < hi && (k.toks[i].kind == tokWord || k.toks[i].kind == tokQuoted) }
	if !isName(i) {
		return "", i
	}
	last := i
	if k.is(i+1, ".") && isName(i+2) {
		last = i + 2
	}
	if k.is(last+1, ".") || k.is(last+1, "(") {
		return "", i
	}
	return NameOf(k.text(last, last+1)), last + 1
}

// named reports whether a side is a column with a qualifier that is a name in from.
func (k *cutter) named(side, from span) bool {
	name, end := k.columnName(side.first, side.end)
	if name == "" || end != side.end || end-side.first != 3 {
		return false
	}
	qualifier := NameOf(k.text(side.first, side.first+1))
	for i := from.first + 1; i < from.end; i++ {
		kind := k.toks[i].kind
		last := i+1 == from.end || k.is(i+1, ",") || k.is(i+1, ")") || afterRelation[k.word(i+1)]
		if last && (kind == tokWord || kind == tokQuoted) && NameOf(k.text(i, i+1)) == qualifier {
			return true
		}
	}
	return false
}

// afterRelation are the words that follow the name that a relation has in FROM.
var afterRelation = map[string]bool{
	"join": true, "inner": true, "left": true, "right": true, "full": true, "cross": true, "natural": true, "on": true, "using": true,
}

// conjuncts cuts a condition at its ANDs; nil: an OR is above them.
func (k *cutter) conjuncts(lo, hi int) []span {
	var out []span
	start, cases, betweens := lo, 0, 0
	for i := lo; i < hi; i = k.after(i) {
		switch k.word(i) {
		case "case":
			cases++
		case "end":
			cases--
		case "between":
			betweens++
		case "or":
			if cases == 0 {
				return nil
			}
		case "and":
			switch {
			case cases > 0:
			case betweens > 0:
				betweens--
			default:
				out = append(out, span{first: start, end: i})
				start = i + 1
			}
		}
	}
	if start >= hi {
		return nil
	}
	return append(out, span{first: start, end: hi})
}

// equality is where the = of a conjunct is that has nothing on its sides but names,
// literals, calls and operators that bind stronger; negative: it is none.
func (k *cutter) equality(conjunct span) int {
	at := -1
	for i := conjunct.first; i < conjunct.end; i = k.after(i) {
		text := k.text(i, i+1)
		switch k.toks[i].kind {
		case tokOp:
			switch text {
			case "=":
				if at >= 0 {
					return -1
				}
				at = i
			case "+", "-", "*", "/", "%":
			default:
				return -1
			}
		case tokPunct:
			if text != "." && text != "(" {
				return -1
			}
		case tokWord:
			if notInOperand[fold(text)] {
				return -1
			}
		}
	}
	if at <= conjunct.first || at+1 >= conjunct.end {
		return -1
	}
	return at
}

// notInOperand are words of conditions that would take an equality apart.
var notInOperand = map[string]bool{
	"and": true, "or": true, "not": true, "is": true, "isnull": true, "notnull": true, "in": true, "between": true, "like": true,
	"ilike": true, "similar": true, "glob": true, "case": true, "when": true, "then": true, "else": true, "end": true, "collate": true,
	"escape": true, "lambda": true, "any": true, "all": true, "some": true, "exists": true,
}

// OneTable reports whether the block reads no more than one relation by its name.
func (c *Correlation) OneTable() bool {
	where := c.find(c.from, c.hi, "where")
	for i := c.from + 1; i < where; i++ {
		if w := c.word(i); w == "join" || c.is(i, ",") || c.is(i, "(") {
			return false
		}
	}
	return true
}

// Apart is the block where outside[i] is the side of the i-th equality that is a column of
// the SELECT around, negative where both are the block's. The reason is why it is not set
// apart.
func (c *Correlation) Apart(ctx context.Context, cat Catalog, prep TreePreparer, params []rows.Type, outside []int) (d *Decorrelated, reason string, err error) {
	defer recoverFailure(&err)
	body := c.grouped(outside)
	k, ok := newCutter(body, c.aggregate)
	sql := c.inScope.statement(body)
	if !ok || sql == "" {
		return nil, "query of DuckDB's", nil
	}
	open := &openSelect{cutter: k, hi: len(k.toks), inScope: c.inScope}
	s := &groupSplitter{
		rowSplitter: newSplitter(&binder{ctx: ctx, cat: cat, prep: prep, sql: sql, given: params}, prep, open),
		oneRow:      c.group == c.hi,
	}
	reason = refusalOf(func() { d = s.apart(c.pairs(outside)) })
	return d, reason, nil
}

// grouped is the SELECT without the equalities with what is outside, by whose sides it
// groups.
func (c *Correlation) grouped(outside []int) string {
	var where, groups []string
	for n, conjunct := range c.where {
		if i := slices.Index(c.at, n); i < 0 || outside[i] < 0 {
			where = append(where, c.text(conjunct.first, conjunct.end))
		}
	}
	for _, p := range c.pairs(outside) {
		if p.outside != "" {
			groups = append(groups, p.inside)
		}
	}
	sql := c.text(c.lo, c.find(c.from, c.hi, "where"))
	if len(where) > 0 {
		sql += " WHERE " + strings.Join(where, " AND ")
	}
	sql += " GROUP BY " + strings.Join(groups, ", ")
	if c.group < c.hi {
		return sql + ", " + c.text(c.group+2, c.hi)
	}
	return strings.TrimSuffix(sql+" "+c.text(c.end, c.hi), " ")
}

// pair is the sides of an equality; empty where both are the block's.
type pair struct{ inside, outside string }

func (c *Correlation) pairs(outside []int) []pair {
	out := make([]pair, len(outside))
	for i, side := range outside {
		if side >= 0 {
			in, of := c.Equalities[i].Sides[1-side], c.Equalities[i].Sides[side]
			out[i] = pair{c.text(in.first, in.end), c.text(of.first, of.end)}
		}
	}
	return out
}

// apart splits the SELECT, which groups first by what is compared with columns outside.
func (s *groupSplitter) apart(pairs []pair) *Decorrelated {
	s.begin()
	d := &Decorrelated{rest: s.rest, queries: s.open.cutter, keys: s.keysOf(pairs)}
	var equal []string
	for i, p := range pairs {
		if p.outside != "" {
			equal = append(equal, load.Quote(BlockColumn(d.keys[i]))+" = "+p.outside)
		}
	}
	relation := s.node(`SELECT 1 FROM "` + restRelation + `" WHERE ` + strings.Join(equal, " AND "))
	if relation == nil {
		refuse("query of DuckDB's")
	}
	for _, name := range aliasesIn(relation["where_clause"]) {
		if slices.ContainsFunc(listOf(s.sel, "select_list"), func(it any) bool { item, _ := it.(treeNode); return fold(textOf(item, "alias")) == fold(name) }) {
			refuse("a name that a column and an alias have")
		}
	}
	calculated := s.calculatedItems()
	s.leave(relation["where_clause"])
	columns := s.asAny()
	d.SQL = s.block(columns)
	if len(calculated) > 0 {
		d.Checked = s.block(append(columns, calculated...))
	}
	return d
}

// keysOf are the columns of the block that are compared with those outside; negative: none
// is. DuckDB has an expression once that stands in GROUP BY twice.
func (s *groupSplitter) keysOf(pairs []pair) []int {
	written := listOf(s.node(s.sql), "group_expressions")
	groups := listOf(s.sel, "group_expressions")
	keys := make([]int, len(pairs))
	for i, p := range pairs {
		if keys[i] = -1; p.outside == "" {
			continue
		}
		side := listOf(s.node("SELECT "+p.inside), "select_list")
		if len(side) != 1 || len(written) != len(groups) {
			refuse("query of DuckDB's")
		}
		of, _ := side[0].(treeNode)
		at := slices.IndexFunc(written, func(e any) bool { g, _ := e.(treeNode); return unitKey(g) == unitKey(of) })
		if at < 0 {
			refuse("query of DuckDB's")
		}
		g, _ := groups[at].(treeNode)
		key, ok := s.keys[unitKey(g)]
		if !ok {
			refuse("a value that is not made of columns, compared with one outside")
		}
		keys[i] = key
	}
	return keys
}

// calculatedItems are the items that are more than a column of the block.
func (s *groupSplitter) calculatedItems() (out []any) {
	for _, it := range listOf(s.sel, "select_list") {
		item, _ := it.(treeNode)
		if _, grouped := s.keys[unitKey(item)]; !grouped && !s.isAggregate(item) {
			item = cloneTree(item).(treeNode)
			item["alias"] = ""
			out = append(out, item)
		}
	}
	return out
}

// Key is the column of the block that is compared with the column outside by the i-th
// equality; negative: none is.
func (d *Decorrelated) Key(i int) int { return d.keys[i] }

// overRelation is what stands for the block in the statement.
func (d *Decorrelated) overRelation(relation string) string {
	return d.rest.over(d.rest.text, relation, func(n int) string { q := d.rest.queries[n]; return d.queries.text(q.first, q.end) })
}
