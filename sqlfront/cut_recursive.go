package sqlfront

import (
	"fmt"
	"strings"

	"github.com/trireme-db/trireme/internal/rows"
)

// Recursion is the body of a recursive common table expression: rows to begin
// with, and a step from the rows found last, the working table, to further ones,
// until there are none.
type Recursion struct {
	// Distinct: UNION, rows that have been found before are dropped; else UNION ALL.
	Distinct bool
	// Key are the columns of USING KEY, in lower case: a row takes the place of the
	// one with the same key. The step is then also over all rows so far.
	Key []string
	// Whole selects all rows, for the names and types of the columns.
	Whole string

	in         ctesInSight
	name       string // as written
	base, step string
}

// recurringName is what the step of a recursion with a key calls all rows so far.
const recurringName = `"trireme recurring"`

// usingKey reads the columns of USING KEY (..) from token at on; ok is false when
// they are something else.
func (k *cutter) usingKey(at, as int) (key []string, ok bool) {
	if k.word(at+1) != "key" || !k.is(at+2, "(") || k.partner[at+2] != as-1 {
		return nil, false
	}
	for i := at + 3; i < as-1; i += 2 {
		if kind := k.toks[i].kind; kind != tokWord && kind != tokQuoted || !k.is(i+1, ",") && i+1 != as-1 {
			return nil, false
		}
		key = append(key, NameOf(k.text(i, i+1)))
	}
	return key, len(key) > 0
}

// samples reports whether USING SAMPLE stands outside parentheses.
func (k *cutter) samples(lo, hi int) bool {
	for i := k.find(lo, hi, "using"); i < hi; i = k.find(i+1, hi, "using") {
		if !k.is(i+1, "(") {
			return true
		}
	}
	return false
}

// recurring is the text of a step with recurring.name under a name of our own.
func (k *cutter) recurring(lo, hi int, name string) string {
	var b strings.Builder
	from := lo
	for i := lo; i+2 < hi; i++ {
		if k.word(i) != "recurring" || !k.is(i+1, ".") || NameOf(k.text(i+2, i+3)) != name {
			continue
		}
		b.WriteString(k.text(from, i) + " " + recurringName)
		if !k.is(i+3, ".") && !k.aliased(i+3, hi) {
			b.WriteString(" AS " + k.text(i+2, i+3))
		}
		b.WriteString(" ")
		from = i + 3
	}
	return b.String() + k.text(from, hi)
}

// aliased reports whether an alias of the table before stands at a token.
func (k *cutter) aliased(at, hi int) bool {
	if at >= hi {
		return false
	}
	switch k.word(at) {
	case "on", "where", "join", "left", "right", "full", "inner", "cross", "natural", "semi", "anti", "asof", "positional", "using",
		"group", "having", "window", "qualify", "order", "limit", "offset", "fetch", "union", "intersect", "except", "tablesample":
		return false
	}
	return k.toks[at].kind == tokWord || k.toks[at].kind == tokQuoted
}

// recursion splits the body of a recursive common table expression; nil: it has
// another form.
func (k *cutter) recursion(c cteText, name, lo, hi int, in ctesInSight) *Recursion {
	last, next := hi, k.find(lo, hi, "union")
	for next < hi {
		last, next = next, k.find(next+1, hi, "union")
	}
	after := last + 1
	all := k.word(after) == "all"
	if all || k.word(after) == "distinct" {
		after++
	}
	if last == lo || after >= hi || k.find(lo, hi, "intersect", "except", "order", "limit", "offset", "fetch") < hi || k.samples(lo, hi) ||
		k.word(after) == "by" || !k.opens(lo) && k.word(lo) != "values" || !k.opens(after) {
		return nil
	}
	r := &Recursion{Distinct: !all, in: in, name: k.text(name, name+1), base: k.text(lo, last), step: k.text(after, hi)}
	if as := k.find(name, lo, "as"); k.find(name, as, "using") < as {
		var ok bool
		if r.Key, ok = k.usingKey(k.find(name, as, "using"), as); !ok {
			return nil
		}
		r.step = k.recurring(after, hi, c.name)
	}
	if mentions(r.base, c.name) || !mentions(r.step, c.name) || mentions(r.step, "recurring") {
		return nil
	}
	r.Whole = in.with(c).statement("SELECT * FROM " + r.name)
	return r
}

// Around is a statement that is one recursion and a SELECT that may read it, with the
// rows of the recursion, whose columns are given, in memory as a WorkingTable; without
// SQL: it has another form.
func (c *Cutting) Around(b *Block, columns []rows.Column) Held {
	l := lexer{src: c.sql}
	var toks [3]token
	for i := range toks {
		t, err := l.next()
		if err != nil {
			return Held{}
		}
		toks[i] = t
	}
	word := func(t token) string { return fold(c.sql[t.start:t.end]) }
	if b.Recursion == nil || b.cte == nil || word(toks[0]) != "with" || word(toks[1]) != "recursive" || toks[2].start != b.cte.first {
		return Held{}
	}
	for t, err := l.next(); ; t, err = l.next() {
		switch {
		case err != nil || t.kind == tokEOF:
			return Held{}
		case t.start < b.End:
			continue
		case word(t) != ")":
			return Held{}
		}
		rest := c.sql[t.end:]
		if t, err = l.next(); err != nil || word(t) == "," {
			return Held{}
		}
		stand := standIn(b.Recursion.name, columns)
		return Held{SQL: "WITH " + stand.text + rest, Columns: columns, names: map[string]InMemory{stand.name: WorkingTable}}
	}
}

// Base is the rows to begin with, each once; unless Distinct, with its number.
func (r *Recursion) Base(columns []rows.Column) string {
	return r.in.statement(r.grouped(r.base, len(columns)))
}

// Constants is the rows to begin with as they are, if they are constants: they read
// no table and call no function. Else it is empty.
func (r *Recursion) Constants() string {
	l := lexer{src: r.base}
	last := ""
	for {
		t, err := l.next()
		if err != nil {
			return ""
		}
		if t.kind == tokEOF {
			return r.base
		}
		text := fold(r.base[t.start:t.end])
		calls := text == "(" && last != "" && last != "cast" && last != "select" && last != "all" && last != "union" && last != "values"
		if calls || t.kind == tokWord && text == "from" || t.kind == tokQuoted {
			return ""
		}
		last = ""
		if t.kind == tokWord {
			last = text
		}
	}
}

// Literal reports whether the rows to begin with are numbers and NULLs as they are
// written, which have the same values always.
func (r *Recursion) Literal() bool {
	l := lexer{src: r.base}
	last := ""
	for {
		t, err := l.next()
		if err != nil {
			return false
		}
		text := fold(r.base[t.start:t.end])
		switch t.kind {
		case tokEOF:
			return r.Constants() != ""
		case tokNumber, tokCast:
		case tokPunct:
			if !strings.Contains(",()+-", text) {
				return false
			}
		case tokWord:
			switch text {
			case "select", "values", "union", "all", "cast", "as", "null", "tinyint", "smallint", "integer", "int", "bigint", "hugeint":
			default:
				if last != "as" {
					return false
				}
			}
		default:
			return false
		}
		last = text
	}
}

// Step is the rows that follow from the working table, each once; unless Distinct,
// with its number. columns are those of the common table expression.
func (r *Recursion) Step(columns []rows.Column) Held {
	return r.overWorking(columns, r.grouped(r.step, len(columns)))
}

// StepAsIs is the rows that follow from the working table as they are; empty
// unless they are groups.
func (r *Recursion) StepAsIs(columns []rows.Column) Held {
	if !mentions(r.step, "group") {
		return Held{}
	}
	return r.overWorking(columns, r.step)
}

// overWorking lets a statement read the working table.
func (r *Recursion) overWorking(columns []rows.Column, sql string) Held {
	working := standIn(r.name, columns)
	h := Held{Columns: columns, names: map[string]InMemory{working.name: WorkingTable}}
	in := r.in.with(working)
	if r.Key != nil {
		recurring := standIn(recurringName, columns)
		h.names[recurring.name] = RecurringTable
		in = in.with(recurring)
	}
	h.SQL = in.statement(sql)
	return h
}

// grouped groups rows by all n columns.
func (r *Recursion) grouped(sql string, n int) string {
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf("q.c%d", i)
	}
	list := strings.Join(names, ", ")
	count := ", count(*) AS n"
	if r.Distinct {
		count = ""
	}
	return "SELECT " + list + count + " FROM (" + sql + ") AS q(" + strings.ReplaceAll(list, "q.", "") + ") GROUP BY " + list
}
