package sqlfront

import "strings"

// JSONBAsJSON writes JSON in place of the type name JSONB, which DuckDB has not, where
// it can be nothing but a type: behind ::, in CAST(.. AS JSONB), before a string, and
// as the type of a column in DDL. The text keeps its length, and all else its place.
func JSONBAsJSON(sql string) string {
	tokens, err := Tokens(sql)
	if err != nil {
		return sql
	}
	f := &typeFinder{src: sql, tokens: tokens}
	f.readStatement()
	out := []byte(sql)
	for i, t := range tokens {
		if t.Kind == TokenWord && f.word(i) == "jsonb" && f.isType(i) {
			copy(out[t.Start:t.End], "JSON ")
		}
	}
	return string(out)
}

// typeFinder tells types from other names.
type typeFinder struct {
	src    string
	tokens []Token
	// declares: the statement declares columns.
	declares bool
}

// readStatement notes whether the statement declares columns. Those that a query in it
// names may look like declared ones.
func (f *typeFinder) readStatement() {
	switch f.word(0) {
	case "create", "alter":
		f.declares = !f.has("select") && !f.has("from")
	}
}

// word is token i in lower case; empty where there is none.
func (f *typeFinder) word(i int) string {
	if i < 0 || i >= len(f.tokens) {
		return ""
	}
	return strings.ToLower(f.src[f.tokens[i].Start:f.tokens[i].End])
}

func (f *typeFinder) has(word string) bool {
	for i, t := range f.tokens {
		if t.Kind == TokenWord && f.word(i) == word {
			return true
		}
	}
	return false
}

func (f *typeFinder) isType(i int) bool {
	before, after := f.word(i-1), f.word(i+1)
	switch {
	case before == "::":
		return true
	case before == "as" && (after == ")" || after == "["):
		return f.inCast(i) // else it is an alias
	case i+1 < len(f.tokens) && f.tokens[i+1].Kind == TokenString:
		return true
	case !f.declares || i < 2:
		return false
	case before == "type":
		return true
	}
	name := f.tokens[i-1].Kind
	if name != TokenWord && name != TokenQuoted {
		return false
	}
	switch f.word(i - 2) {
	case "(", ",", "column", "add", "exists":
		return true
	}
	return false
}

// inCast reports whether the bracket around token i is that of a CAST.
func (f *typeFinder) inCast(i int) bool {
	depth := 0
	for i--; i > 0; i-- {
		switch f.word(i) {
		case ")":
			depth++
		case "(":
			if depth == 0 {
				return f.word(i-1) == "cast" || f.word(i-1) == "try_cast"
			}
			depth--
		}
	}
	return false
}
