package sqlfront

import "strings"

// wholeRow handles (t.*), at token i, that is cast: a row as a text, which is NULL where an
// outer join has none. postgres_fdw tests it before it asks for the columns of the row as
// one value, CASE WHEN (t.*)::text IS NOT NULL THEN ROW(t.a, t.b) END; they become the text
// that such a value has in Postgres. It returns where to go on; i: it is something else.
func (d *dialect) wholeRow(i int) (next int) {
	if d.word(i) != "(" || d.word(i+2) != "." || d.word(i+3) != "*" || d.word(i+4) != ")" || d.word(i+5) != "::" {
		return i
	}
	table := d.src[d.tokens[i+1].Start:d.tokens[i+1].End]
	d.edit(i, i+4, strings.Join([]string{"(CASE WHEN ", ".rowid IS NOT NULL THEN ", " END)"}, table))
	for k, word := range []string{"is", "not", "null", "then", "row", "("} {
		if d.word(i+7+k) != word {
			return i + 5
		}
	}
	open := i + 12
	closing := d.match(open)
	if closing >= len(d.tokens) || closing == open+1 {
		return i + 5
	}
	d.edit(open-1, open, "concat('(', "+beginOfField)
	for k := open + 1; k < closing; k++ {
		switch d.word(k) {
		case "(", "[":
			k = d.match(k)
		case ",":
			d.edit(k, k, endOfField+", ',', "+beginOfField)
		}
	}
	d.edit(closing, closing, endOfField+", ')')")
	return closing + 1
}

// A field of a row stands in quotes, and is empty where it is NULL.
const (
	beginOfField = `'"' || replace(replace(CAST(`
	endOfField   = ` AS VARCHAR), '\', '\\'), '"', '""') || '"'`
)
