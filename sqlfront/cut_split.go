package sqlfront

import (
	"slices"
	"strings"

	"github.com/trireme-db/trireme/internal/load"
)

// splitSelect is a SELECT of groups, split into a block that computes groups and
// aggregates, and the rest that reads them.
type splitSelect struct {
	*cutter
	distinct bool
	items    []span   // tokens
	names    []string // their aliases; empty where an item has none
	aliases  []string // folded
	tail     span     // WINDOW, QUALIFY, ORDER BY, LIMIT
	groups   []span   // GROUP BY expressions
	keys     []string // what the block's own GROUP BY has for them
	aggs     []span   // aggregates, each text once

	// oneRow: of the block's rows one or none is read, as one row of aggregates.
	oneRow bool
	// inner are taken blocks, in order of the text: those in the text that is printed over
	// the block's rows are replaced in it.
	inner []Taken

	from, group, having, rest int // where its parts begin; rest: there is none
}

// clauses are the words that end a part of a SELECT.
var clauses = []string{"from", "where", "group", "having", "window", "qualify", "order", "limit", "offset", "fetch", "using"}

// split splits the SELECT from lo to hi; nil: it has a form that is not split.
func (k *cutter) split(lo, hi int) *splitSelect {
	if k.word(lo) != "select" {
		return nil
	}
	w := &splitSelect{cutter: k}
	at := lo + 1
	if k.word(at) == "distinct" {
		w.distinct = true
		at++
	}
	w.from = k.find(at, hi, clauses...)
	w.rest = k.find(w.from, hi, "window", "qualify", "order", "limit", "offset", "fetch")
	w.group = k.find(w.from, w.rest, "group")
	w.having = k.find(w.from, w.rest, "having")
	if k.word(w.from) != "from" || k.word(at) == "on" || k.find(w.rest, hi, "using", "fetch") < hi || !w.readItems(at, w.from) {
		return nil
	}
	w.tail = span{first: w.rest, end: hi}
	if w.group < w.rest && !w.readGroups(w.group+2, w.having) {
		return nil
	}
	parts := append(slices.Clone(w.items), w.tail)
	for _, part := range parts {
		if !w.collect(part.first, part.end) {
			return nil
		}
	}
	if slices.ContainsFunc(parts, w.crosses) || len(w.groups)+len(w.aggs) == 0 || w.clashes() {
		return nil
	}
	return w
}

// list cuts tokens at commas outside parentheses and brackets.
func (k *cutter) list(lo, hi int) []span {
	var out []span
	start, depth := lo, 0
	for i := lo; i < hi; i = k.after(i) {
		switch {
		case k.is(i, "["), k.is(i, "{"):
			depth++
		case k.is(i, "]"), k.is(i, "}"):
			depth--
		case k.is(i, ",") && depth == 0:
			out = append(out, span{first: start, end: i})
			start = i + 1
		}
	}
	return append(out, span{first: start, end: hi})
}

// readItems reads the select list; one with a star is not split.
func (w *splitSelect) readItems(lo, hi int) bool {
	for _, it := range w.list(lo, hi) {
		if it.first >= it.end || w.text(it.end-1, it.end) == "*" || w.text(it.first, it.first+1) == "*" || w.word(it.first) == "columns" {
			return false
		}
		name := ""
		if n := w.aliasOf(it); n > 0 {
			name = unquoted(w.text(it.end-1, it.end))
			it.end -= n
		}
		if it.first == it.end { // nothing stands for every place
			return false
		}
		w.items, w.names, w.aliases = append(w.items, it), append(w.names, name), append(w.aliases, fold(name))
	}
	return true
}

// aliasOf is how many tokens at the end of an item are its alias, with or without
// AS.
func (w *splitSelect) aliasOf(it span) int {
	last := w.toks[it.end-1].kind
	n := it.end - it.first
	if last != tokWord && last != tokQuoted || n < 2 || endsExpression[w.word(it.end-1)] {
		return 0
	}
	before := it.end - 2
	switch {
	case w.word(before) == "as":
		return 2
	case w.is(before, ")"), w.word(before) == "end", n == 2, n == 4 && w.is(it.first+1, "."):
		return 1
	}
	return 0
}

// endsExpression are words at the end of an expression that cannot be its alias.
var endsExpression = map[string]bool{"end": true, "isnull": true, "notnull": true}

// readGroups reads GROUP BY. Of the keys of the block's own, a position becomes the
// item, an alias stays one.
func (w *splitSelect) readGroups(lo, hi int) bool {
	for _, g := range w.list(lo, hi) {
		text := w.text(g.first, g.end)
		single := g.end-g.first == 1
		switch first := w.word(g.first); {
		case text == "", first == "all", first == "rollup", first == "cube", first == "grouping", w.is(g.first, "("):
			return false
		case single && w.toks[g.first].kind == tokNumber:
			n := position(text)
			if n < 1 || n > len(w.items) {
				return false
			}
			g = w.items[n-1]
			text = w.text(g.first, g.end)
		case single:
			if n := slices.Index(w.aliases, nameOf(text)); n >= 0 {
				g = w.items[n]
				if same := g.end-g.first == 1 && nameOf(w.text(g.first, g.end)) == nameOf(text); !same {
					w.keys, w.groups = append(w.keys, text), append(w.groups, g)
					continue
				}
			}
		}
		w.keys, w.groups = append(w.keys, text), append(w.groups, g)
	}
	return true
}

func position(text string) int {
	n := 0
	for _, c := range []byte(text) {
		if !isDigit(c) || n > 1<<16 {
			return 0
		}
		n = 10*n + int(c-'0')
	}
	return n
}

// columns are the select list of the block: its groups, under their alias where
// GROUP BY has that, then its aggregates.
func (w *splitSelect) columns() []string {
	var out []string
	for i, g := range w.groups {
		text := w.text(g.first, g.end)
		if w.keys[i] != text {
			text += " AS " + w.keys[i]
		}
		out = append(out, text)
	}
	for _, a := range w.aggs {
		out = append(out, w.text(a.first, a.end))
	}
	return out
}

// collect finds the aggregates from lo to hi.
func (w *splitSelect) collect(lo, hi int) bool {
	for i := lo; i < hi; i++ {
		end, ok := w.aggregateAt(i, hi)
		switch {
		case !ok:
			return false
		case end > i:
			if w.column(i, end) < 0 {
				w.aggs = append(w.aggs, span{first: i, end: end})
			}
			i = end - 1
		case w.queryAt(i):
			i = w.partner[i]
		}
	}
	return true
}

// queryAt reports whether parentheses that open at i hold a query.
func (k *cutter) queryAt(i int) bool { return k.is(i, "(") && queryWords[k.word(i+1)] }

// aggregateAt is where an aggregate that begins at i ends; i: none does. A call
// with OVER is none, though its arguments may have some.
func (w *splitSelect) aggregateAt(i, hi int) (end int, ok bool) {
	if i+1 >= hi || !w.is(i+1, "(") || w.is(i-1, ".") || !w.aggregate(w.word(i)) {
		return i, true
	}
	end = w.partner[i+1] + 1
	if w.word(end) == "within" {
		return i, false
	}
	if w.word(end) == "filter" && w.is(end+1, "(") {
		end = w.partner[end+1] + 1
	}
	if w.overWindow(end) {
		return i, true
	}
	return end, true
}

// overWindow reports whether what ends before i is a window function.
func (w *splitSelect) overWindow(i int) bool {
	switch w.word(i) {
	case "over", "filter", "respect", "ignore":
		return true
	}
	return false
}

// column is the column of the block that tokens lo to hi stand for; negative: none.
func (w *splitSelect) column(lo, hi int) int {
	for n, c := range append(slices.Clone(w.groups), w.aggs...) {
		if w.sameTokens(c, span{first: lo, end: hi}) {
			return n
		}
	}
	return -1
}

func (w *splitSelect) sameTokens(a, b span) bool {
	if a.end-a.first != b.end-b.first {
		return false
	}
	for i := range a.end - a.first {
		x, y := w.text(a.first+i, a.first+i+1), w.text(b.first+i, b.first+i+1)
		kind := w.toks[a.first+i].kind
		if kind != w.toks[b.first+i].kind || x != y && (kind != tokWord && kind != tokQuoted || nameOf(x) != nameOf(y)) {
			return false
		}
	}
	return true
}

// selectOver is the SELECT over the block's rows, with names for its columns; empty:
// DuckDB's. from is FROM, and WHERE.
func (w *splitSelect) selectOver(names []string, from string) string {
	var b strings.Builder
	b.WriteString("SELECT")
	if w.distinct {
		b.WriteString(" DISTINCT")
	}
	for i, it := range w.items {
		if i > 0 {
			b.WriteByte(',')
		}
		w.over(&b, it.first, it.end)
		if names[i] != "" {
			b.WriteString(" AS " + load.Quote(names[i]))
		}
	}
	b.WriteString(" " + from)
	w.over(&b, w.tail.first, w.tail.end)
	return b.String()
}

// over prints tokens lo to hi over the block's columns.
func (w *splitSelect) over(b *strings.Builder, lo, hi int) {
	for i := lo; i < hi; {
		if n, end := w.columnAt(i, hi); n >= 0 {
			b.WriteString(" " + w.read(n))
			i = end
			continue
		}
		if n := slices.IndexFunc(w.inner, func(t Taken) bool { return t.Start == w.toks[i].start }); n >= 0 {
			in := &w.inner[n]
			b.WriteString(" " + in.text(w.inner[n+1:]))
			for i < hi && w.toks[i].start < in.End {
				i++
			}
			continue
		}
		b.WriteString(w.gap(i) + w.cutter.text(i, i+1))
		i++
	}
}

// read is what reads the n-th column of the block. Of no rows, DuckDB's correlated
// subqueries have 0 for COUNT alone, NULL for all other aggregates.
func (w *splitSelect) read(n int) string {
	col := load.Quote(BlockColumn(n))
	switch {
	case !w.oneRow:
		return col
	case w.word(w.aggs[n-len(w.groups)].first) == "count":
		return "coalesce(any_value(" + col + "), 0)"
	}
	return "any_value(" + col + ")"
}

// columnAt is the column whose text begins at i, the longest.
func (w *splitSelect) columnAt(i, hi int) (n, end int) {
	n = -1
	if w.is(i-1, ".") {
		return n, i
	}
	for c, s := range append(slices.Clone(w.groups), w.aggs...) {
		e := i + s.end - s.first
		if e <= hi && e > end && !w.is(e, ".") && !w.is(e, "(") && !w.overWindow(e) && w.sameTokens(s, span{first: i, end: e}) &&
			(c >= len(w.groups) || w.alone(i, e)) {
			n, end = c, e
		}
	}
	if n >= 0 {
		return n, end
	}
	return w.otherName(i, hi)
}

// otherName is the column that a name means which GROUP BY has with or without the
// table in front.
func (w *splitSelect) otherName(i, hi int) (n, end int) {
	name, end := w.columnName(i, hi)
	if n = -1; name == "" {
		return n, i
	}
	for c, g := range w.groups {
		grouped, gend := w.columnName(g.first, g.end)
		if gend != g.end || grouped != name || g.end-g.first == end-i {
			continue
		}
		if n >= 0 {
			return -1, i
		}
		n = c
	}
	return n, end
}

// columnName is the last part of a column's name of one or two parts; empty: none
// begins at i.
func (w *splitSelect) columnName(i, hi int) (name string, end int) {
	isName := func(i int) bool { return i < hi && (w.toks[i].kind == tokWord || w.toks[i].kind == tokQuoted) }
	if !isName(i) {
		return "", i
	}
	last := i
	if w.is(i+1, ".") && isName(i+2) {
		last = i + 2
	}
	if w.is(last+1, ".") || w.is(last+1, "(") {
		return "", i
	}
	return nameOf(w.text(last, last+1)), last + 1
}

// crosses reports whether a query within a part has a text that is a column of
// the block outside: names may mean other tables there.
func (w *splitSelect) crosses(part span) bool {
	for i := part.first; i < part.end; i++ {
		if !w.queryAt(i) {
			continue
		}
		for j := i + 1; j < w.partner[i]; j++ {
			if n, _ := w.columnAt(j, w.partner[i]); n >= 0 {
				return true
			}
		}
		i = w.partner[i]
	}
	return false
}

// beforeExpression and afterExpression are the words between which an operand is
// a whole expression.
var (
	beforeExpression = map[string]bool{"select": true, "distinct": true, "by": true, "when": true, "then": true, "else": true, "qualify": true}
	afterExpression  = map[string]bool{
		"as": true, "asc": true, "desc": true, "nulls": true, "when": true, "then": true, "else": true, "end": true, "order": true,
		"rows": true, "range": true, "groups": true, "window": true, "qualify": true, "limit": true, "offset": true, "from": true,
		"union": true, "intersect": true, "except": true,
	}
)

// alone reports whether tokens lo to hi are an expression of its own where they
// stand: a name or a call, or anything that no operator is next to.
func (w *splitSelect) alone(lo, hi int) bool {
	if _, end := w.columnName(lo, hi); end == hi || hi > lo+1 && w.word(lo) != "" && w.is(lo+1, "(") && w.partner[lo+1] == hi-1 {
		return true
	}
	first := w.is(lo-1, ",") || w.is(lo-1, "(") || beforeExpression[w.word(lo-1)]
	return first && (hi == len(w.toks) || w.is(hi, ",") || w.is(hi, ")") || afterExpression[w.word(hi)])
}

// clashes reports whether a column of GROUP BY has the name of an item that is
// something else: ORDER BY would mean the item.
func (w *splitSelect) clashes() bool {
	for _, g := range w.groups {
		name, end := w.columnName(g.first, g.end)
		if name == "" || end != g.end {
			continue
		}
		for i, it := range w.items {
			if got, e := w.columnName(it.first, it.end); w.aliases[i] == name && (e != it.end || got != name) {
				return true
			}
		}
	}
	return false
}
