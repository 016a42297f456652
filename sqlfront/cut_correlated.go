package sqlfront

import (
	"fmt"
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

	*splitSelect
	where   []span // the conjuncts
	at      []int  // which of them the equalities are
	inScope ctesInSight
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

	of      *Correlation
	outside []int // by equality: which side is outside; negative: none
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
	w := k.split(lo, hi)
	if w == nil || !w.standsForNone() {
		return nil
	}
	end := min(w.group, w.having)
	from := w.from
	at := k.find(from, end, "where")
	c := &Correlation{splitSelect: w, inScope: in}
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
			if s.Named = w.named(s.span, span{first: from, end: at}); !s.Named && w.mayBeOutside(s.span) {
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

// standsForNone decides what is read where no group is equal: aggregates of no rows,
// if there is no GROUP BY, else nothing. False: it is not known what those are.
func (w *splitSelect) standsForNone() bool {
	if w.oneRow = len(w.groups) == 0; !w.oneRow {
		return true
	}
	unknown := func(a span) bool { return aggregates[w.word(a.first)].name == "" }
	return w.having == w.rest && !slices.ContainsFunc(w.aggs, unknown) && w.aggregate("any_value")
}

// mayBeOutside reports whether a side is no more than the name of a column that no item
// is called.
func (w *splitSelect) mayBeOutside(side span) bool {
	name, end := w.columnName(side.first, side.end)
	return name != "" && end == side.end && (end-side.first > 1 || !slices.Contains(w.aliases, name))
}

// named reports whether a side is a column with a qualifier that is a name in from.
func (w *splitSelect) named(side, from span) bool {
	name, end := w.columnName(side.first, side.end)
	if name == "" || end != side.end || end-side.first != 3 {
		return false
	}
	qualifier := nameOf(w.text(side.first, side.first+1))
	for i := from.first + 1; i < from.end; i++ {
		kind := w.toks[i].kind
		last := i+1 == from.end || w.is(i+1, ",") || w.is(i+1, ")") || afterRelation[w.word(i+1)]
		if last && (kind == tokWord || kind == tokQuoted) && nameOf(w.text(i, i+1)) == qualifier {
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
	where := c.find(c.from, c.rest, "where")
	for i := c.from + 1; i < where; i++ {
		if w := c.word(i); w == "join" || c.is(i, ",") || c.is(i, "(") {
			return false
		}
	}
	return true
}

// Apart is the block where outside[i] is the side of the i-th equality that is a
// column of the SELECT around, negative where both are the block's.
func (c *Correlation) Apart(outside []int) *Decorrelated {
	d := &Decorrelated{of: c, outside: outside}
	columns := c.columns()
	keys := slices.Clone(c.keys)
	var where []string
	for n, conjunct := range c.where {
		i := slices.Index(c.at, n)
		if i < 0 || outside[i] < 0 {
			where = append(where, c.text(conjunct.first, conjunct.end))
			continue
		}
		side := c.Equalities[i].Sides[1-outside[i]]
		columns = append(columns, c.text(side.first, side.end))
		keys = append(keys, fmt.Sprint(len(columns)))
	}
	sql := " " + c.text(c.from, c.find(c.from, c.rest, "where"))
	if len(where) > 0 {
		sql += " WHERE " + strings.Join(where, " AND ")
	}
	sql += " GROUP BY " + strings.Join(keys, ", ")
	if c.having < c.rest {
		sql += " " + c.text(c.having, c.rest)
	}
	d.SQL = c.inScope.statement("SELECT " + strings.Join(columns, ", ") + sql)
	if calculated := c.calculated(); len(calculated) > 0 {
		d.Checked = c.inScope.statement("SELECT " + strings.Join(append(columns, calculated...), ", ") + sql)
	}
	return d
}

// calculated are the items that are more than a column of the block.
func (w *splitSelect) calculated() []string {
	var out []string
	for _, it := range w.items {
		if n, end := w.columnAt(it.first, it.end); n < 0 || end < it.end {
			out = append(out, w.text(it.first, it.end))
		}
	}
	return out
}

// Key is the column of the block that is compared with the column outside by the i-th
// equality.
func (d *Decorrelated) Key(i int) int {
	n := len(d.of.groups) + len(d.of.aggs)
	for _, side := range d.outside[:i] {
		if side >= 0 {
			n++
		}
	}
	return n
}

// Alone is what stands for the block, over no rows and without what it reads outside
// by equality: a statement that only binds where it reads nothing else there. columns
// are the block's.
func (d *Decorrelated) Alone(columns []rows.Column) string {
	none := make([]string, len(columns))
	for i, col := range columns {
		none[i] = fmt.Sprintf("CAST(NULL AS %s) AS %s", col.Type, load.Quote(BlockColumn(i)))
	}
	return d.over("FROM (SELECT " + strings.Join(none, ", ") + ")")
}

// overRelation is what stands for the block in the statement.
func (d *Decorrelated) overRelation(relation string) string {
	from := "FROM " + relation
	for i, side := range d.outside {
		if side >= 0 {
			s := d.of.Equalities[i].Sides[side]
			from += notName(strings.Contains(from, " WHERE "), " WHERE ", " AND ") +
				load.Quote(BlockColumn(d.Key(i))) + " = " + d.of.text(s.first, s.end)
		}
	}
	return d.over(from)
}

// over is the SELECT over rows of the block, its columns named as they were.
func (d *Decorrelated) over(from string) string {
	names := slices.Clone(d.of.names)
	for i, it := range d.of.items {
		if _, end := d.of.columnName(it.first, it.end); names[i] == "" && end == it.end {
			names[i] = unquoted(d.of.text(it.end-1, it.end))
		}
	}
	return d.of.selectOver(names, from)
}
