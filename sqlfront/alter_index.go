package sqlfront

import (
	"strings"

	"github.com/trireme-db/trireme/internal/load"
)

// ParseRename is the new name in ALTER INDEX or ALTER TABLE .. RENAME TO; empty: it is
// something else.
func ParseRename(sql string) string {
	s := &scanner{lexer: lexer{src: sql}}
	s.advance()
	if !s.acceptAll("alter", "index") && !s.acceptAll("alter", "table") {
		return ""
	}
	s.acceptAll("if", "exists")
	if len(s.name()) == 0 || !s.acceptAll("rename", "to") {
		return ""
	}
	to := s.name()
	s.acceptPunct(";")
	if len(to) != 1 || s.tok.kind != tokEOF {
		return ""
	}
	return to[0]
}

// IndexOn is a CREATE INDEX with another table, as SQL, and with columns renamed, by
// their present names. mentions reports whether what is indexed has a column of a name.
func IndexOn(sql, table string, renamed map[string]string) string {
	tokens, name, list := indexParts(sql)
	if list < 0 {
		return sql
	}
	edits := Edits{{Start: tokens[name].start, End: tokens[list-1].end, Text: table}}
	for i := list; i < len(tokens); i++ {
		if to, ok := renamed[fold(columnAt(sql, tokens, i))]; ok {
			edits = append(edits, Edit{Start: tokens[i].start, End: tokens[i].end, Text: load.Quote(to)})
		}
	}
	return edits.Apply(sql, 0, len(sql))
}

// IndexMentions reports whether what a CREATE INDEX indexes has a column of a name.
func IndexMentions(sql, column string) bool {
	tokens, _, list := indexParts(sql)
	for i := max(list, 0); list >= 0 && i < len(tokens); i++ {
		if load.SameName(columnAt(sql, tokens, i), column) {
			return true
		}
	}
	return false
}

// IndexKeys is the list of what a CREATE INDEX indexes, without its parentheses; empty: there is none.
func IndexKeys(sql string) string {
	tokens, _, list := indexParts(sql)
	depth := 0
	for i := max(list, 0); list >= 0 && i < len(tokens); i++ {
		switch {
		case isText(sql, tokens[i], "("):
			depth++
		case isText(sql, tokens[i], ")"):
			if depth--; depth == 0 {
				return sql[tokens[list].end:tokens[i].start]
			}
		}
	}
	return ""
}

// HasExpression reports whether a list of keys has more than names of columns.
func HasExpression(keys string) bool {
	for i, t := range tokensOf(keys) {
		if _, isName := tokenName(keys, t); isName != (i%2 == 0) || i%2 == 1 && !isText(keys, t, ",") {
			return true
		}
	}
	return false
}

// indexParts finds the table's name and the list of what is indexed; list is -1 where
// there is none.
func indexParts(sql string) (tokens []token, name, list int) {
	tokens = tokensOf(sql)
	for i, t := range tokens {
		if t.kind == tokWord && strings.EqualFold(sql[t.start:t.end], "on") {
			for list = i + 1; list < len(tokens); list++ {
				if isText(sql, tokens[list], "(") {
					return tokens, i + 1, list
				}
			}
		}
	}
	return tokens, 0, -1
}

// columnAt is the name at token i, if it is not that of a function.
func columnAt(sql string, tokens []token, i int) string {
	name, ok := tokenName(sql, tokens[i])
	if !ok || i+1 < len(tokens) && isText(sql, tokens[i+1], "(") {
		return ""
	}
	return name
}
