package sqlfront

import (
	"strconv"
	"strings"
)

// ValuesColumnEdits name the columns of VALUES that has an alias and no names for them as Postgres does, column1, column2
// and so on, where DuckDB has not found such a column at an offset; none: that is another column.
func ValuesColumnEdits(sql string, offset int) (edits Edits) {
	d, i := dialectAt(sql, offset)
	if d == nil {
		return nil
	}
	if d.word(i+1) == "." {
		i += 2
	}
	if number, ok := strings.CutPrefix(d.word(i), "column"); !ok || strings.Trim(number, "0123456789") != "" {
		return nil
	}
	for open := range d.tokens {
		if d.word(open) != "(" || d.word(open+1) != "values" || d.word(open+2) != "(" {
			continue
		}
		if at := d.valuesAlias(open); at >= 0 {
			place := d.tokens[at].End
			edits = append(edits, Edit{Start: place, End: place, Place: place, Text: "(" + strings.Join(valuesNames(d.countItems(open+2)), ", ") + ")"})
		}
	}
	return edits
}

// valuesAlias is the token of the name of VALUES in the parentheses that open at a token, before them or behind; -1: it
// has none, or names for its columns.
func (d *dialect) valuesAlias(open int) int {
	isName := func(i int) bool {
		return i >= 0 && i < len(d.tokens) && (d.tokens[i].Kind == TokenQuoted || d.tokens[i].Kind == TokenWord && !behindRelation[d.word(i)])
	}
	if d.word(open-1) == "as" && isName(open-2) && (d.word(open-3) == "with" || d.word(open-3) == "recursive" || d.word(open-3) == ",") {
		return open - 2
	}
	at := d.match(open) + 1
	if d.word(at) == "as" {
		at++
	}
	if !isName(at) || d.word(at+1) == "(" {
		return -1
	}
	return at
}

// behindRelation are words that follow a relation without a name.
var behindRelation = wordsOf(strings.Fields(`on using join inner left right full cross natural lateral where group having window order limit offset fetch union
	intersect except returning qualify sample tablesample positional asof semi anti set for when as then`)...)

// countItems is how many items the parentheses have that open at a token.
func (d *dialect) countItems(open int) int {
	n, closing := 1, d.match(open)
	for i := open + 1; i < closing; i++ {
		switch d.word(i) {
		case "(", "[", "{":
			i = d.match(i)
		case ",":
			n++
		}
	}
	return n
}

// valuesNames are the names that Postgres gives so many columns.
func valuesNames(n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = "column" + strconv.Itoa(i+1)
	}
	return names
}
