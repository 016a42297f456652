package sqlfront

import "slices"

// CTIDEdits are the edits that make ctid, the place of a row as Postgres shows it, DuckDB's
// number of a row: two numbers in parentheses, of which the second counts from 1. In the
// select list it is the text, everywhere else the number, which
// DuckDB looks up without reading the table; what it is compared with is made a number.
// A column of a subquery that is named ctid has DuckDB's name, too.
func CTIDEdits(sql string) Edits {
	tokens, err := Tokens(sql)
	if err != nil {
		return nil
	}
	c := &ctids{newDialect(sql, tokens)}
	depth, listed := 0, false
statement:
	for i := range tokens {
		switch word := c.word(i); {
		case tokens[i].Kind == TokenPunct && (word == "(" || word == "["):
			depth++
		case tokens[i].Kind == TokenPunct && (word == ")" || word == "]"):
			depth--
		case c.isCTID(i) && c.isAlias(i):
			if depth > 0 {
				c.edit(i, i, "rowid")
			}
		case c.isCTID(i):
			c.ctid(i, listed && depth == 0)
		case depth == 0 && tokens[i].Kind == TokenWord && word == "returning": // where DuckDB has no such number
			break statement
		case depth == 0 && tokens[i].Kind == TokenWord && word == "select":
			listed = true
		case depth == 0 && tokens[i].Kind == TokenWord && afterOutputs[word]:
			listed = false
		}
	}
	slices.SortFunc(c.edits, byStart)
	return c.edits
}

// afterOutputs are the words that end a select list.
var afterOutputs = map[string]bool{
	"from": true, "where": true, "group": true, "order": true, "limit": true, "union": true, "intersect": true, "except": true, "into": true, "values": true, "set": true,
}

// ctids finds ctid in a statement.
type ctids struct{ *dialect }

func (c *ctids) isCTID(i int) bool {
	if c.word(i) != "ctid" && c.word(i) != `"ctid"` || c.word(i+1) == "(" {
		return false
	}
	return c.tokens[i].Kind == TokenWord || c.tokens[i].Kind == TokenQuoted
}

// isAlias reports whether the name at token i is given to what stands before it.
func (c *ctids) isAlias(i int) bool { return c.word(i-1) == "as" || c.word(i-1) == ")" }

// comparisons are the operators that compare ctid with another one.
var comparisons = []string{"=", "<>", "!=", "<", ">", "<=", ">="}

// Rows of a table have numbers from 0, those that a transaction has added itself from
// localRows. As ctid the latter are from localPlaces: a block has 32 bits.
const (
	localRows   = "36028797018960000"
	localPlaces = "70368744177664"
)

// placeOf is SQL for the text of a row's number.
func placeOf(row string) string {
	return "list_transform([CASE WHEN " + row + " < " + localRows + " THEN " + row + " ELSE " + row + " - " + localRows + " + " + localPlaces +
		" END], lambda tid_n: format('({},{})', tid_n >> 15, (tid_n & 32767) + 1))[1]"
}

// rowOf is SQL for the number of a row from its text.
func rowOf(text string) string {
	return "list_transform(list_transform([string_split(trim(CAST(" + text + " AS VARCHAR), '() '), ',')], lambda tid_p: " +
		"(tid_p[1]::BIGINT << 15) + tid_p[2]::BIGINT - 1), lambda tid_n: CASE WHEN tid_n < " + localPlaces + " THEN tid_n ELSE tid_n - " + localPlaces + " + " + localRows + " END)[1]"
}

// ctid handles the name at token i, which is an output of the statement or not.
func (c *ctids) ctid(i int, output bool) {
	first, table := i, ""
	if c.word(i-1) == "." && i > 1 {
		first = i - 2
		table = c.text(first) + "."
	}
	before, after := slices.Contains(comparisons, c.word(first-1)), slices.Contains(comparisons, c.word(i+1))
	switch {
	case after:
		c.compared(i + 2)
	case before:
		if c.word(first-2) == "tid" && c.word(first-3) == "::" {
			c.compared(first - 4)
		} else {
			c.compared(first - 2)
		}
	case c.word(i+1) == "in" && c.word(i+2) == "(":
		c.list(i + 3)
	case c.word(i+1) == "not" && c.word(i+2) == "in" && c.word(i+3) == "(":
		c.list(i + 4)
	case output:
		text := placeOf(table + "rowid")
		if c.endsItem(i + 1) {
			text += " AS ctid"
		}
		c.edit(first, i, text)
		return
	}
	c.edit(first, i, table+"rowid")
}

// text is token i as it stands.
func (c *ctids) text(i int) string { return c.src[c.tokens[i].Start:c.tokens[i].End] }

// endsItem reports whether an item of a select list has ended before token i.
func (c *ctids) endsItem(i int) bool {
	return i >= len(c.tokens) || c.word(i) == "," || c.word(i) == ";" || c.word(i) == ")" || c.tokens[i].Kind == TokenWord && afterOutputs[c.word(i)]
}

// compared makes the operand that begins at token i a number, or several.
func (c *ctids) compared(i int) {
	switch {
	case i < 0 || i >= len(c.tokens):
	case c.isValue(i):
		c.value(i)
	case (c.word(i) == "any" || c.word(i) == "all" || c.word(i) == "some") && c.word(i+1) == "(":
		c.quantified(i+2, c.match(i+1))
	}
}

func (c *ctids) isValue(i int) bool {
	return i < len(c.tokens) && (c.tokens[i].Kind == TokenString || c.tokens[i].Kind == TokenParam)
}

// value makes a text or a parameter a number, and returns the token behind it.
func (c *ctids) value(i int) (next int) {
	last := i
	if i+2 < len(c.tokens) && c.tokens[i+1].Kind == TokenCast && c.word(i+2) == "tid" {
		last = i + 2
	}
	c.edit(i, last, rowOf(c.text(i)))
	return last + 1
}

// list makes the values of a list numbers, from token i up to one that is not a value.
func (c *ctids) list(i int) {
	for c.isValue(i) {
		if i = c.value(i); c.word(i) != "," {
			return
		}
		i++
	}
}

// quantified makes the list in ANY (..), tokens i up to closing, one of numbers.
func (c *ctids) quantified(i, closing int) {
	end := closing - 1
	if c.word(end) == "]" && c.word(end-1) == "[" && c.word(end-2) == "tid" && c.word(end-3) == "::" {
		end -= 4
		c.edit(end+1, closing-1, "")
	}
	switch {
	case c.word(i) == "array" && c.word(i+1) == "[":
		c.list(i + 2)
	case i == end && c.tokens[i].Kind == TokenParam:
		c.edit(i, i, "list_transform(CAST("+c.text(i)+" AS VARCHAR[]), lambda tid_x: "+rowOf("tid_x")+")")
	}
}
