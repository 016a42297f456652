package sqlfront

import (
	"strings"

	"github.com/trireme-db/trireme/internal/load"
)

// SerialColumn is a column of CREATE TABLE that Postgres gives a sequence of its own:
// of a SERIAL type, or GENERATED .. AS IDENTITY.
type SerialColumn struct {
	Name string
	// Start and End are the bytes of the text that say so.
	Start, End int
	// Type is DuckDB's for a SERIAL type; empty for IDENTITY, whose type stands before.
	Type string
	// Sequence are the parts of the name of the sequence, where the text has one.
	Sequence []string
	// Options are those of the sequence, in parentheses behind IDENTITY, which DuckDB knows.
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

// AddedSerial is the column of an AlterAddColumn that counts, in the text of the column; false: it does
// not.
func AddedSerial(a AlterAction) (text string, c SerialColumn, counts bool) {
	text = load.Quote(a.Column) + " " + a.Rest
	c, counts = serialColumn(text, tokensOf(text))
	return text, c, counts
}

// identity is an action of ALTER COLUMN about its identity, if it is one.
func (a AlterAction) identity() AlterAction {
	tokens := tokensOf(a.Rest)
	word := func(i int) string { return wordAt(a.Rest, tokens, i) }
	switch {
	case word(0) == "add" && word(1) == "generated" && a.Counts.readIdentity(a.Rest, tokens, 1) == len(tokens):
		a.Kind = AlterAddIdentity
	case word(0) == "drop" && word(1) == "identity":
		if a.Conditional = word(2) == "if" && word(3) == "exists" && len(tokens) == 4; a.Conditional || len(tokens) == 2 {
			a.Kind = AlterDropIdentity
		}
	case word(0) == "set", word(0) == "restart":
		s := &scanner{lexer: lexer{src: a.Rest}}
		if s.advance(); s.identityOptions(&a.Sequence) {
			a.Kind = AlterSetIdentity
		}
	}
	return a
}

// serialColumn reads the tokens of one column's definition.
func serialColumn(sql string, tokens []token) (SerialColumn, bool) {
	if len(tokens) < 2 {
		return SerialColumn{}, false
	}
	name, named := tokenName(sql, tokens[0])
	c := SerialColumn{Name: name}
	if !named {
		return c, false
	}
	if c.Type = serialTypes[wordAt(sql, tokens, 1)]; c.Type != "" {
		c.Start, c.End = tokens[1].start, tokens[1].end
		return c, true
	}
	for i := 2; i < len(tokens); i++ {
		if wordAt(sql, tokens, i) == "generated" {
			return c, c.readIdentity(sql, tokens, i) > i
		}
	}
	return c, false
}

// readIdentity reads GENERATED .. AS IDENTITY from token i on. next is the token after it; i:
// it is not there.
func (c *SerialColumn) readIdentity(sql string, tokens []token, i int) (next int) {
	at := i + 1
	switch {
	case wordAt(sql, tokens, at) == "always":
		at++
	case wordAt(sql, tokens, at) == "by" && wordAt(sql, tokens, at+1) == "default":
		at += 2
	}
	if wordAt(sql, tokens, i) != "generated" || wordAt(sql, tokens, at) != "as" || wordAt(sql, tokens, at+1) != "identity" {
		return i
	}
	c.Start, c.End = tokens[i].start, tokens[at+1].end
	at += 2
	if at == len(tokens) || !isText(sql, tokens[at], "(") {
		return at
	}
	last := at
	for last < len(tokens) && !isText(sql, tokens[last], ")") {
		last++
	}
	if last == len(tokens) {
		return i
	}
	options := sql[tokens[at].end:tokens[last].start]
	r := &indexReader{scanner: scanner{lexer: lexer{src: options}}}
	r.advance()
	var o OwnedSequence
	o.readOptions(r)
	c.Sequence, c.Options, c.End = o.Name, strings.TrimSpace(r.edits.Apply(options, 0, len(options))), tokens[last].end
	return last + 1
}
