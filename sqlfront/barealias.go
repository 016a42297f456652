package sqlfront

import (
	"cmp"
	"slices"
	"strings"

	"github.com/trireme-db/trireme/internal/load"
)

// behindAlias are what may follow a name of a column in a SELECT list; an empty text is the end.
var behindAlias = map[string]bool{
	"": true, ",": true, ")": true, ";": true, "from": true, "into": true, "where": true, "group": true, "having": true, "window": true, "order": true, "limit": true,
	"offset": true, "fetch": true, "union": true, "intersect": true, "except": true, "qualify": true, "returning": true, "on": true,
}

// AliasEdits write AS before a word that names a column where DuckDB has found an error at the word, since
// it is one of its keywords, which need that; none where no such name can stand at the offset.
func AliasEdits(sql string, offset int) Edits {
	d, i := dialectAt(sql, offset)
	if d == nil || d.tokens[i].Kind != TokenWord || !d.endsOperand(i-1) || d.word(i-1) == "as" || !behindAlias[d.word(i+1)] || behindAlias[d.word(i)] || !d.isListed(i) {
		return nil
	}
	return Edits{{Start: offset, End: offset, Place: offset, Text: "AS "}}
}

// isListed reports whether a token stands in a SELECT list, or in that of RETURNING.
func (d *dialect) isListed(i int) bool {
	for i--; i >= 0; i-- {
		switch d.word(i) {
		case ")", "]", "}":
			i = d.opening(i)
		case "select", "returning":
			return true
		case "from":
			if d.word(i-1) != "distinct" { // IS DISTINCT FROM
				return false
			}
		case "(", "[", "{", "where", "group", "having", "window", "order", "limit", "values", "set", "into", ";":
			return false
		}
	}
	return false
}

// dialectAt is a text with its token that begins at an offset; nil: none does.
func dialectAt(sql string, offset int) (*dialect, int) {
	tokens, err := Tokens(sql)
	if err != nil {
		return nil, 0
	}
	i, found := slices.BinarySearchFunc(tokens, offset, func(t Token, at int) int { return cmp.Compare(t.Start, at) })
	if !found {
		return nil, 0
	}
	return newDialect(sql, tokens), i
}

// AuthorizationEdits leave AUTHORIZATION, at an offset, out of CREATE SCHEMA where it names the owner of everything; a
// schema without a name has the owner's.
func AuthorizationEdits(sql string, offset int, owner string) Edits {
	d, i := dialectAt(sql, offset)
	if d == nil || d.word(0) != "create" || d.word(1) != "schema" || d.word(i) != "authorization" || i+1 >= len(d.tokens) ||
		foldedToken(d, i+1) != owner && d.word(i+1) != "current_user" && d.word(i+1) != "session_user" {
		return nil
	}
	name := ""
	if i == 2 || d.word(i-1) == "exists" {
		name = load.Quote(owner)
	}
	return Edits{{Start: offset, End: d.tokens[i+1].End, Place: offset, Text: name}}
}

// foldedToken is the name that a token is, in lower case unless it is quoted.
func foldedToken(d *dialect, i int) string {
	if d.tokens[i].Kind == TokenQuoted {
		return strings.Trim(d.src[d.tokens[i].Start:d.tokens[i].End], `"`)
	}
	return d.word(i)
}
