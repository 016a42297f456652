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
	f := newTypeFinder(sql, tokens)
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
	// closing are the tokens that close brackets, by those that open them.
	closing map[int]int
	// around are the brackets that tokens stand in; nil until they are asked for.
	around []int
	// declares is where the declarations of a statement end that declares columns or a
	// type: those that a query names behind it may look like declared ones.
	declares int
}

func newTypeFinder(sql string, tokens []Token) *typeFinder {
	f := &typeFinder{src: sql, tokens: tokens, closing: pairTokens(sql, tokens)}
	if word := f.word(0); word != "create" && word != "alter" {
		return f
	}
	for f.declares = 1; f.declares < len(tokens); f.declares++ {
		if end, opens := f.closing[f.declares]; opens {
			f.declares = end
		} else if f.word(f.declares) == "as" && !f.definesType() {
			break
		}
	}
	return f
}

// definesType reports whether the statement is CREATE TYPE .. AS, behind which a type stands.
func (f *typeFinder) definesType() bool {
	return f.word(1) == "type" || f.word(1) == "or" && f.word(3) == "type" || f.word(2) == "type" // or replace; temp
}

// word is token i in lower case; empty where there is none.
func (f *typeFinder) word(i int) string {
	if i < 0 || i >= len(f.tokens) {
		return ""
	}
	return strings.ToLower(f.src[f.tokens[i].Start:f.tokens[i].End])
}

func (f *typeFinder) isType(i int) bool {
	before, after := f.word(i-1), f.word(i+1)
	switch {
	case before == "::":
		return true
	case before == "as" && (after == ")" || after == "[" || after == "("):
		return f.inCast(i) // else it is an alias
	case i+1 < len(f.tokens) && f.tokens[i+1].Kind == TokenString:
		return true
	}
	if open := f.bracket(i); open > 0 && nestedTypes[f.word(open-1)] && f.isType(open-1) {
		// MAP(key, value), and STRUCT(a type), where a name is before it.
		return f.isName(i-1) || (before == "(" || before == ",") && !f.isName(i+1)
	}
	switch {
	case i >= f.declares || i < 2:
		return false
	case before == "type", before == "as" && f.definesType():
		return true
	case !f.isName(i - 1), before == "column": // behind which a name stands
		return false
	}
	switch f.word(i - 2) {
	case "(", ",", "column", "add", "exists":
		return true
	}
	return false
}

// nestedTypes are the types with others in brackets.
var nestedTypes = map[string]bool{"struct": true, "row": true, "map": true, "union": true}

// isName reports whether token i may be a name.
func (f *typeFinder) isName(i int) bool {
	return i >= 0 && i < len(f.tokens) && (f.tokens[i].Kind == TokenWord || f.tokens[i].Kind == TokenQuoted)
}

// bracket is the bracket that token i stands in; -1: none.
func (f *typeFinder) bracket(i int) int {
	if f.around == nil {
		f.around = aroundTokens(f.closing, len(f.tokens))
	}
	return f.around[i]
}

// inCast reports whether the bracket around token i is that of a CAST.
func (f *typeFinder) inCast(i int) bool {
	open := f.bracket(i)
	return open > 0 && (f.word(open-1) == "cast" || f.word(open-1) == "try_cast")
}
