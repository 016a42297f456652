package sqlfront

import (
	"fmt"
	"slices"
	"strings"

	"github.com/trireme-db/trireme/internal/load"
	"github.com/trireme-db/trireme/internal/rows"
)

// Block is a SELECT inside a statement that might be executed on its own. Whether
// it means anything alone is seen when it is analyzed.
type Block struct {
	// SQL is the block as a statement, with the common table expressions that it
	// reads in front.
	SQL string
	// Whole is, for a block that has been split off a SELECT, that SELECT as a statement;
	// else empty.
	Whole string
	// Start and End are the bytes of the statement that a Taken block replaces.
	Start, End int
	// Recursion is set for the body of a recursive common table expression, which is
	// answered by iteration; SQL then selects from it.
	Recursion *Recursion
	// Correlation is set for a block that reads the SELECT around it, and has to be set
	// apart from that first; SQL is its text.
	Correlation *Correlation
	// Inner are candidates within it, those of the body before those of WITH.
	Inner []*Block

	cte *span // of the common table expression's name whose body it is
	// open and rest are of a block that is split off a SELECT, rest once it has been.
	open *openSelect
	rest *restSelect
}

// Cutting is a statement and the blocks in it.
type Cutting struct {
	// Blocks are the outermost candidates, in no order of the text.
	Blocks []*Block

	sql string
	// body is where the SELECT stands that gives the statement its columns; empty
	// for UPDATE and DELETE.
	start, end int
}

// Taken is a block that has been executed: its rows are a table with columns
// BlockColumn(0), BlockColumn(1), ..
type Taken struct {
	*Block
	Relation string        // as SQL
	Columns  []rows.Column // of the block's Whole, or of the block itself
	Apart    *Decorrelated // of a block with a Correlation
}

// BlockColumn names the n-th column of a block's relation; no text has that name.
func BlockColumn(n int) string { return fmt.Sprintf("trireme block %d", n) }

// Items is how many columns the Whole of a block has by its text.
func (b *Block) Items() int { return b.rest.items }

// Cut finds the candidates for blocks in a statement; nil when there are none.
// aggregate says which names, in lower case, are aggregate functions.
func Cut(sql string, class Class, aggregate func(string) bool) *Cutting {
	if !hasSelect(sql) {
		return nil
	}
	k, ok := newCutter(sql, aggregate)
	if !ok {
		return nil
	}
	out := &Cutting{sql: sql}
	lo, hi := k.body(class)
	switch {
	case lo < hi:
		out.start, out.end = k.toks[lo].start, k.toks[hi-1].end
		whole := k.query(lo, hi, ctesInSight{})
		out.Blocks = []*Block{whole}
		if class.Kind == ClassSelect { // it has been refused
			out.Blocks = whole.Inner
		}
	case class.Kind == ClassUpdate || class.Kind == ClassDelete:
		out.Blocks = k.nested(0, len(k.toks), ctesInSight{})
	}
	if out.Blocks = k.worthwhile(out.Blocks); len(out.Blocks) == 0 {
		return nil
	}
	return out
}

// hasSelect reports whether a text may have a SELECT at all: rows to insert may be
// millions.
func hasSelect(sql string) bool {
	const word = "select"
	for i := 0; i+len(word) <= len(sql); i++ {
		if (sql[i] == 's' || sql[i] == 'S') && strings.EqualFold(sql[i:i+len(word)], word) {
			return true
		}
	}
	return false
}

// Inserts reports whether a statement is no more than INSERT INTO a table, or some of
// its columns, the rows of a block.
func (c *Cutting) Inserts(b *Block) bool {
	if b.Start != c.start || b.End != c.end {
		return false
	}
	l := lexer{src: c.sql}
	for n := 0; ; n++ {
		t, err := l.next()
		switch {
		case err != nil:
			return false
		case t.kind == tokEOF:
			return true
		case t.start < c.start:
			text := fold(c.sql[t.start:t.end])
			if n == 0 && text != "insert" || n == 1 && text != "into" || t.kind != tokWord && t.kind != tokQuoted && !strings.Contains(",().", text) {
				return false
			}
		case t.start >= c.end:
			return false
		}
	}
}

// Body is the SELECT that gives the statement its columns, with blocks replaced;
// empty when there is none.
func (c *Cutting) Body(taken []Taken) string {
	if c.start == c.end {
		return ""
	}
	text, _ := c.Replace(taken)
	return text[c.start : len(text)-(len(c.sql)-c.end)]
}

// Replace returns the statement with blocks replaced, and where an offset of it
// lies in the statement as it was; -1 inside a replacement.
func (c *Cutting) Replace(taken []Taken) (sql string, place func(offset int) int) {
	taken = slices.Clone(taken)
	slices.SortFunc(taken, func(a, b Taken) int { return a.Start - b.Start })
	var b strings.Builder
	type kept struct{ at, from, n int }
	var pieces []kept
	done := 0
	keep := func(end int) {
		pieces = append(pieces, kept{b.Len(), done, end - done})
		b.WriteString(c.sql[done:end])
	}
	for i := range taken {
		if taken[i].Start < done { // the text of the one around has it
			continue
		}
		keep(taken[i].Start)
		b.WriteString(taken[i].text(taken[i+1:]))
		done = taken[i].End
	}
	keep(len(c.sql))
	return b.String(), func(offset int) int {
		for _, p := range pieces {
			if p.at <= offset && offset < p.at+p.n {
				return p.from + offset - p.at
			}
		}
		return -1
	}
}

// text is what stands for the block in the statement; later are the taken blocks that
// begin behind its start, some of which its text may have kept.
func (t *Taken) text(later []Taken) string {
	switch {
	case t.rest != nil:
		return t.overRows(t, later)
	case t.Apart != nil:
		return t.Apart.overRelation(t.Relation)
	}
	var b strings.Builder
	if t.Recursion != nil && t.Recursion.Key != nil {
		b.WriteString("AS (") // in the place of USING KEY as well
	}
	for i, col := range t.Columns {
		b.WriteString(notName(i > 0, "SELECT ", ", "))
		b.WriteString(load.Quote(BlockColumn(i)) + " AS " + load.Quote(col.Name))
	}
	return b.String() + " FROM " + t.Relation
}

// Reads reports whether what is left of the statement reads a block: the body of
// a common table expression whose readers have all been taken is not needed.
func (c *Cutting) Reads(b *Block, taken []Taken) bool {
	if b.cte == nil {
		return true
	}
	name := NameOf(c.sql[b.cte.first:b.cte.end])
	l := lexer{src: c.sql}
	for {
		t, err := l.next()
		if err != nil || t.kind == tokEOF {
			return false
		}
		inside := func(start, end int) bool { return start <= t.start && t.end <= end }
		if t.kind != tokWord && t.kind != tokQuoted || NameOf(c.sql[t.start:t.end]) != name ||
			inside(b.cte.first, b.cte.end) || inside(b.Start, b.End) {
			continue
		}
		if !slices.ContainsFunc(taken, func(o Taken) bool { return inside(o.Start, o.End) && !o.keeps(t.start, t.end) }) {
			return true
		}
	}
}

// NameOf is a name in lower case and without quotes.
func NameOf(text string) string { return fold(unquoted(text)) }

// unquoted is a name as written, without quotes.
func unquoted(text string) string {
	if text[0] == '"' {
		return unquote(text)
	}
	return text
}
