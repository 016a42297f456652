package sqlfront

import "strings"

// SerialColumn is a column of CREATE TABLE that Postgres gives a sequence of its own:
// of a SERIAL type, or GENERATED .. AS IDENTITY.
type SerialColumn struct {
	Name string
	// Start and End are the bytes of the text that say so.
	Start, End int
	// Type is DuckDB's for a SERIAL type; empty for IDENTITY, whose type stands before.
	Type string
	// Options are those of the sequence, in parentheses behind IDENTITY.
	Options string
}

// serialTypes are DuckDB's types for those of Postgres that count.
var serialTypes = map[string]string{
	"serial": "INTEGER", "serial4": "INTEGER", "bigserial": "BIGINT", "serial8": "BIGINT", "smallserial": "SMALLINT", "serial2": "SMALLINT",
}

// SerialColumns finds the columns with sequences of a CREATE TABLE, in the order of the
// text.
func SerialColumns(sql string) []SerialColumn {
	if lower := strings.ToLower(sql); !strings.Contains(lower, "serial") && !strings.Contains(lower, "identity") {
		return nil
	}
	tokens := tokensOf(sql)
	open := 0
	for open < len(tokens) && !isText(sql, tokens[open], "(") {
		open++
	}
	var found []SerialColumn
	if open < len(tokens) {
		itemsIn(sql, tokens, open, func(item []token) {
			if c, ok := serialColumn(sql, item); ok {
				found = append(found, c)
			}
		})
	}
	return found
}

// serialColumn reads the tokens of one column's definition.
func serialColumn(sql string, tokens []token) (SerialColumn, bool) {
	if len(tokens) < 2 {
		return SerialColumn{}, false
	}
	name, named := tokenName(sql, tokens[0])
	c := SerialColumn{Name: name}
	word := func(i int) string {
		if i >= len(tokens) || tokens[i].kind != tokWord {
			return ""
		}
		return fold(sql[tokens[i].start:tokens[i].end])
	}
	if !named {
		return c, false
	}
	if c.Type = serialTypes[word(1)]; c.Type != "" {
		c.Start, c.End = tokens[1].start, tokens[1].end
		return c, true
	}
	for i := 2; i < len(tokens); i++ {
		if word(i) != "generated" {
			continue
		}
		at := i + 1
		switch {
		case word(at) == "always":
			at++
		case word(at) == "by" && word(at+1) == "default":
			at += 2
		}
		if word(at) != "as" || word(at+1) != "identity" {
			return c, false
		}
		c.Start, c.End = tokens[i].start, tokens[at+1].end
		if at += 2; at < len(tokens) && isText(sql, tokens[at], "(") {
			last := at
			for last < len(tokens) && !isText(sql, tokens[last], ")") {
				last++
			}
			if last == len(tokens) {
				return c, false
			}
			c.Options, c.End = sql[tokens[at].end:tokens[last].start], tokens[last].end
		}
		return c, true
	}
	return c, false
}
