package sqlfront

import (
	"strings"
)

// Definition is a query or an expression, src[Start:End], within a statement that defines
// something or copies rows. Before and After make a query of an expression, in which it stands
// among the columns that it may name and beside a value of the type that it gets, so that
// what is asked of a query can be asked of it; they are empty for a query.
type Definition struct {
	Start, End    int
	Before, After string
	// Stored: it is kept, and evaluated for others later.
	Stored bool
	// Called: it binds only with arguments.
	Called bool
}

// Query is the definition as a query of its own.
func (d Definition) Query(sql string) string { return d.Before + sql[d.Start:d.End] + d.After }

// Definitions finds them in CREATE, ALTER TABLE, COPY and EXPLAIN, in the order of the text.
func Definitions(sql string) []Definition {
	tokens, err := Tokens(sql)
	if err != nil {
		return nil
	}
	for len(tokens) > 0 && sql[tokens[len(tokens)-1].Start:tokens[len(tokens)-1].End] == ";" {
		tokens = tokens[:len(tokens)-1]
	}
	f := &definitionFinder{typeFinder: *newTypeFinder(sql, tokens)}
	switch f.word(0) {
	case "create":
		f.create()
	case "alter":
		f.alter()
	case "copy":
		f.copy()
	case "explain":
		f.explain()
	}
	return f.found
}

type definitionFinder struct {
	typeFinder
	found []Definition
}

// beforeObject are the words between CREATE and what is created.
var beforeObject = map[string]bool{
	"or": true, "replace": true, "temp": true, "temporary": true, "local": true, "unlogged": true, "persistent": true, "recursive": true, "unique": true,
}

func (f *definitionFinder) create() {
	i := 1
	for beforeObject[f.word(i)] {
		i++
	}
	switch f.word(i) {
	case "view", "macro", "function":
		if as := f.find(i, "as"); as < len(f.tokens) {
			f.body(as+1, f.word(i) != "view")
		}
	case "table":
		open, as := f.find(i, "("), f.find(i, "as")
		switch {
		case as < len(f.tokens):
			f.query(as+1, f.withoutData())
		case open < len(f.tokens):
			f.columns(f.items(open+1, f.match(open)), f.lastName(open))
		}
	case "type":
		if open := f.find(i, "("); f.word(open-1) == "enum" && f.word(open+1) == "select" {
			f.query(open+1, f.match(open))
		}
	case "index":
		f.index(i)
	}
}

// match is the token that closes a bracket; the number of tokens if none does.
func (f *definitionFinder) match(open int) int {
	if end, ok := f.closing[open]; ok {
		return end
	}
	return len(f.tokens)
}

// find is the first token from i on, outside of brackets, that is a word or a sign; the
// number of tokens if there is none.
func (f *definitionFinder) find(i int, words ...string) int {
	return f.findIn(i, len(f.tokens), words...)
}

// findIn is find before token end.
func (f *definitionFinder) findIn(i, end int, words ...string) int {
	for ; i < end; i++ {
		if f.tokens[i].Kind != TokenQuoted && f.tokens[i].Kind != TokenString {
			for _, w := range words {
				if f.word(i) == w {
					return i
				}
			}
		}
		if close, opens := f.closing[i]; opens {
			i = close
		}
	}
	return end
}

// withoutData is the end of a query before WITH [NO] DATA.
func (f *definitionFinder) withoutData() int {
	n := len(f.tokens)
	switch {
	case f.word(n-1) == "data" && f.word(n-2) == "no" && f.word(n-3) == "with":
		return n - 3
	case f.word(n-1) == "data" && f.word(n-2) == "with":
		return n - 2
	}
	return n
}

// add adds tokens i to end as a definition.
func (f *definitionFinder) add(i, end int, d Definition) {
	if i >= end || end > len(f.tokens) {
		return
	}
	d.Start, d.End = f.tokens[i].Start, f.tokens[end-1].End
	f.found = append(f.found, d)
}

// query adds one that is executed at once.
func (f *definitionFinder) query(i, end int) { f.add(i, end, Definition{}) }

// body adds what a view or a macro stands for, from token i on.
func (f *definitionFinder) body(i int, macro bool) {
	d := Definition{Stored: true, Called: macro}
	switch {
	case macro && f.word(i) == "table":
		i++
	case macro:
		d.Before, d.After = "SELECT (", "\n) AS x"
	}
	f.add(i, len(f.tokens), d)
}

// text is the text of tokens i to end.
func (f *definitionFinder) text(i, end int) string {
	if i >= end {
		return ""
	}
	return f.src[f.tokens[i].Start:f.tokens[end-1].End]
}

// lastName is the last part of the name before token i, as it is written.
func (f *definitionFinder) lastName(i int) string { return f.text(i-1, i) }

// nameEnd is the token behind a name that begins at token i, which may be qualified.
func (f *definitionFinder) nameEnd(i int) int {
	for i++; f.word(i) == "."; {
		i += 2
	}
	return i
}

// items are the ranges of tokens between commas outside of brackets.
func (f *definitionFinder) items(i, end int) (items [][2]int) {
	for i < end {
		comma := f.findIn(i, end, ",")
		if comma > i {
			items = append(items, [2]int{i, comma})
		}
		i = comma + 1
	}
	return items
}

// columnWords begin what a column is besides its type.
var columnWords = []string{
	"default", "not", "null", "check", "unique", "primary", "references", "constraint", "collate", "generated", "as", "using", "compression", "deferrable", "initially",
}

// column is a column that a statement declares.
type column struct {
	name, typ string
	// rest is the token behind its type, end that behind the column.
	rest, end int
}

// column reads one whose name is token i.
func (f *definitionFinder) column(i, end int) column {
	c := column{name: f.text(i, i+1), rest: f.findIn(i+1, end, columnWords...), end: end}
	c.typ = f.text(i+1, c.rest)
	if serial := serialTypes[fold(c.typ)]; serial != "" {
		c.typ = serial
	}
	return c
}

// value is a value of its type.
func (c column) value() string {
	if c.typ == "" {
		return "NULL"
	}
	return "CAST(NULL AS " + c.typ + ")"
}

// isConstraint reports whether an item of a table is a constraint.
func (f *definitionFinder) isConstraint(i int) bool {
	return f.tokens[i].Kind == TokenWord && constraintWords[f.word(i)]
}

// columns adds what the columns and constraints of a new table have.
func (f *definitionFinder) columns(items [][2]int, table string) {
	var columns []column
	var values []string
	for _, item := range items {
		if !f.isConstraint(item[0]) {
			c := f.column(item[0], item[1])
			columns = append(columns, c)
			values = append(values, c.value()+" AS "+c.name)
		}
	}
	from := " FROM (SELECT " + strings.Join(values, ", ") + ") AS " + table
	for _, item := range items {
		if f.isConstraint(item[0]) {
			f.checks(item[0], item[1], from)
			continue
		}
		f.ofColumn(columns[0], from)
		columns = columns[1:]
	}
}

// checks adds the conditions of CHECK among tokens.
func (f *definitionFinder) checks(i, end int, from string) {
	for i = f.findIn(i, end, "check"); i < end; i = f.findIn(i+1, end, "check") {
		if f.word(i+1) == "(" {
			f.add(i+2, f.match(i+1), Definition{Before: "SELECT (", After: "\n)" + from, Stored: true})
		}
	}
}

// ofColumn adds the default, the expression and the conditions of a column.
func (f *definitionFinder) ofColumn(c column, from string) {
	for i := c.rest; i < c.end; i++ {
		switch f.word(i) {
		case "default":
			if f.word(i-1) == "by" { // GENERATED BY DEFAULT
				continue
			}
			end := f.defaultEnd(i+1, c.end)
			f.add(i+1, end, valueOf(c.value(), from, true))
			i = end - 1
		case "as":
			if f.word(i+1) == "(" {
				f.add(i+2, f.match(i+1), valueOf(c.value(), from, true))
			}
		case "check":
			f.checks(i, i+1, from)
		}
		if end, opens := f.closing[i]; opens {
			i = end
		}
	}
}

// valueOf is a definition of a value that gets the type of another one.
func valueOf(like, from string, stored bool) Definition {
	return Definition{Before: "SELECT CASE WHEN true THEN " + like + " ELSE (", After: "\n) END AS x" + from, Stored: stored}
}

// defaultEnd is the end of a default that begins with token i: words that may follow it are
// in parentheses, or in CASE, where they are its own.
func (f *definitionFinder) defaultEnd(i, end int) int {
	cases := 0
	for at := i; at < end; at++ {
		if f.tokens[at].Kind == TokenWord {
			switch f.word(at) {
			case "case":
				cases++
			case "end":
				cases--
			case "not", "null", "check", "unique", "primary", "references", "constraint", "generated", "deferrable", "initially", "using":
				if at > i && cases == 0 {
					return at
				}
			}
		}
		if close, opens := f.closing[at]; opens {
			at = close
		}
	}
	return end
}

// index adds the expressions of an index.
func (f *definitionFinder) index(i int) {
	on := f.find(i, "on")
	open := f.find(on, "(")
	name := on + 1
	if f.word(name) == "only" {
		name++
	}
	table := f.text(name, f.findIn(name, min(open, len(f.tokens)), "using"))
	if table == "" || open >= len(f.tokens) {
		return
	}
	for _, item := range f.items(open+1, f.match(open)) {
		begin := item[0]
		bracket := f.findIn(begin, item[1], "(")
		if bracket < item[1] {
			f.add(begin, f.match(bracket)+1, Definition{Before: "SELECT (", After: "\n) FROM " + table, Stored: true})
		}
	}
}

// alter adds what ALTER TABLE gives to columns.
func (f *definitionFinder) alter() {
	if f.word(1) != "table" {
		return
	}
	i := 2
	if f.word(i) == "if" && f.word(i+1) == "exists" {
		i += 2
	}
	if f.word(i) == "only" && f.isName(i+1) && f.word(i+1) != "add" && f.word(i+1) != "alter" {
		i++
	}
	first := i
	if i = f.nameEnd(i); i >= len(f.tokens) {
		return
	}
	table, last := f.text(first, i), f.lastName(i)
	actions := f.items(i, len(f.tokens))
	added, kept := f.added(actions)
	from := " FROM " + table
	if kept != "" {
		from = " FROM (SELECT *" + kept + " FROM " + table + ") AS " + last
	}
	for n, action := range actions {
		switch {
		case added[n] != nil:
			f.ofColumn(*added[n], from)
		case f.word(action[0]) == "add":
			f.checks(action[0], action[1], from)
		case f.word(action[0]) == "alter":
			f.alterColumn(action[0], action[1], from)
		}
	}
}

// added are the columns that the actions of a number add, and values of them.
func (f *definitionFinder) added(actions [][2]int) (added map[int]*column, values string) {
	added = map[int]*column{}
	for n, action := range actions {
		i := action[0] + 1
		if f.word(action[0]) != "add" || i >= action[1] || f.isConstraint(i) || f.word(i) == "exclude" {
			continue
		}
		if f.word(i) == "column" {
			i++
		}
		if f.word(i) == "if" && f.word(i+1) == "not" && f.word(i+2) == "exists" {
			i += 3
		}
		if i >= action[1] {
			continue
		}
		c := f.column(i, action[1])
		added[n], values = &c, values+", "+c.value()+" AS "+c.name
	}
	return added, values
}

// alterColumn adds what one ALTER COLUMN sets.
func (f *definitionFinder) alterColumn(i, end int, from string) {
	i++
	if f.word(i) == "column" && i+1 < end && f.isName(i+1) {
		i++
	}
	name := f.text(i, min(i+1, end))
	i++
	switch {
	case f.word(i) == "set" && f.word(i+1) == "default":
		f.add(i+2, end, valueOf(name, from, true))
		return
	case f.word(i) == "set" && f.word(i+1) == "data":
		i += 2
	}
	using := f.findIn(i, end, "using")
	if f.word(i) != "type" || using == end {
		return
	}
	c := column{typ: f.text(i+1, f.findIn(i+1, using, "collate"))}
	f.add(using+1, end, valueOf(c.value(), from, false))
}

// copy adds the query of COPY TO, and the condition of COPY FROM.
func (f *definitionFinder) copy() {
	i := 1
	if f.word(i) == "binary" {
		i++
	}
	if f.word(i) == "(" {
		f.query(i+1, f.match(i))
		return
	}
	first := i
	i = f.nameEnd(i)
	where := f.find(i, "where")
	if i >= len(f.tokens) || f.find(i, "from") > where {
		return
	}
	from := "\n) FROM " + f.text(first, i)
	f.add(where+1, len(f.tokens), Definition{Before: "SELECT (", After: from})
}

// explain adds the statement that EXPLAIN executes or plans.
func (f *definitionFinder) explain() {
	i := 1
	for f.word(i) == "analyze" || f.word(i) == "analyse" || f.word(i) == "verbose" {
		i++
	}
	if f.word(i) == "(" && f.word(i+1) != "select" && f.word(i+1) != "(" {
		i = f.match(i) + 1
	}
	f.query(i, len(f.tokens))
}

// Within are the edits of the definition's query that are within it, as those of the
// statement that has it.
func (d Definition) Within(edits Edits) Edits {
	var within Edits
	first, last := len(d.Before), len(d.Before)+d.End-d.Start
	shift := d.Start - first
	for _, e := range edits {
		if e.Start >= first && e.End <= last {
			e.Start, e.End, e.Place = e.Start+shift, e.End+shift, e.Place+shift
			within = append(within, e)
		}
	}
	return within
}
