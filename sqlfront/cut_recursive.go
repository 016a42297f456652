package sqlfront

import (
	"fmt"
	"strings"

	"github.com/trireme-db/trireme/internal/load"
	"github.com/trireme-db/trireme/internal/rows"
)

// Recursion is the body of a recursive common table expression: rows to begin
// with, and a step from the rows found last, the working table, to further ones,
// until there are none.
type Recursion struct {
	// Distinct: UNION, rows that have been found before are dropped; else UNION ALL.
	Distinct bool
	// Whole selects all rows, for the names and types of the columns.
	Whole string

	in         ctesInSight
	name       string // as written
	base, step string
}

// workingMark is in the text that stands for a working table. The words make it
// none that is the same for ever.
const workingMark = "trireme: rows from the step before"

// IsWorkingTable reports whether the text of a Source stands for the working table
// of a Recursion: it has no rows of its own.
func IsWorkingTable(text string) bool { return strings.Contains(text, workingMark) }

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
	if last == lo || after >= hi || k.find(lo, hi, "intersect", "except", "order", "limit", "offset", "fetch", "using") < hi ||
		k.word(after) == "by" || !k.opens(lo) || !k.opens(after) {
		return nil
	}
	r := &Recursion{Distinct: !all, in: in, name: k.text(name, name+1), base: k.text(lo, last), step: k.text(after, hi)}
	if mentions(r.base, c.name) || !mentions(r.step, c.name) || mentions(r.step, "recurring") {
		return nil
	}
	r.Whole = in.with(c).statement("SELECT * FROM " + r.name)
	return r
}

// Base is the rows to begin with, each once; unless Distinct, with its number.
func (r *Recursion) Base(columns []rows.Column) string {
	return r.in.statement(r.grouped(r.base, len(columns)))
}

// Step is the rows that follow from the working table, each once; unless Distinct,
// with its number. columns are those of the common table expression.
func (r *Recursion) Step(columns []rows.Column) string {
	return r.overWorking(columns, r.grouped(r.step, len(columns)))
}

// StepAsIs is the rows that follow from the working table as they are; empty
// unless they are groups.
func (r *Recursion) StepAsIs(columns []rows.Column) string {
	if !mentions(r.step, "group") {
		return ""
	}
	return r.overWorking(columns, r.step)
}

// overWorking lets a statement read the working table.
func (r *Recursion) overWorking(columns []rows.Column, sql string) string {
	var b strings.Builder
	b.WriteString(r.name + " AS (")
	for i, c := range columns {
		fmt.Fprintf(&b, "%sCAST(NULL AS %s) AS %s", notName(i > 0, "SELECT ", ", "), c.Type, load.Quote(c.Name))
	}
	fmt.Fprintf(&b, " FROM range(0) WHERE '%s' <> '' LIMIT 0)", workingMark)
	working := cteText{name: nameOf(r.name), text: b.String()}
	return r.in.with(working).statement(sql)
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
