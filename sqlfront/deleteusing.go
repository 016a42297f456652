package sqlfront

import "strings"

// UsingDelete is a DELETE .. USING.
type UsingDelete struct {
	// Table are the parts of the table's name.
	Table []string
	// target is the table with its alias, called is what its columns are qualified with.
	target, called string
	using          [2]int // where the word stands
	end            int    // of the condition
}

// ParseUsingDelete reads a DELETE .. USING; false: it is something else.
func ParseUsingDelete(sql string) (d UsingDelete, ok bool) {
	f := &former{src: sql, tokens: tokensOf(sql)}
	f.end = len(f.tokens)
	if f.is(f.end-1, ";") {
		f.end--
	}
	from := f.next(0, f.end, "delete") + 1
	using := f.next(from, f.end, "using", "where", "returning")
	if !f.is(from, "from") || f.is(from+1, "only") || !f.is(using, "using") {
		return d, false
	}
	for i := from + 1; ; i += 2 {
		part, named := tokenName(sql, f.tokens[i])
		if !named {
			return d, false
		}
		if d.Table = append(d.Table, part); !f.is(i+1, ".") {
			break
		}
	}
	_, d.called = f.table(from+1, using)
	d.target = f.text(from+1, using)
	d.using = [2]int{f.tokens[using].start, f.tokens[using].end}
	d.end = f.tokens[f.next(using, f.end, "returning")-1].end
	return d, true
}

// Once is the deletion of the rows, by DuckDB's numbers of them, that have a match.
func (d UsingDelete) Once() Edits {
	number := d.called + ".rowid"
	return Edits{
		{Start: d.using[0], End: d.using[1], Place: d.using[0], Text: strings.Join([]string{"WHERE", number, "IN (SELECT", number, "FROM", d.target + ","}, " ")},
		{Start: d.end, End: d.end, Place: d.end, Text: ")"},
	}
}
