package sqlfront

import (
	"maps"
	"strconv"
	"strings"

	"github.com/trireme-db/trireme/internal/rows"
)

// HasNamedParams reports whether a statement has parameters with names, $name, which
// only DuckDB has.
func HasNamedParams(sql string) bool {
	s := &scanner{lexer: lexer{src: sql}}
	for s.advance(); s.tok.kind != tokEOF; s.advance() {
		if s.tok.kind == tokParam {
			if _, err := strconv.Atoi(strings.TrimPrefix(s.text(), "$")); err != nil {
				return true
			}
		}
	}
	return false
}

// ParamCount is the largest number of a parameter of the text; each ? has the next.
func ParamCount(sql string) int {
	most := 0
	for _, t := range tokensOf(sql) {
		switch {
		case t.kind == tokPunct && sql[t.start] == '?':
			most++
		case t.kind == tokParam:
			if n, err := strconv.Atoi(strings.TrimPrefix(sql[t.start:t.end], "$")); err == nil {
				most = max(most, n)
			}
		}
	}
	return most
}

// QuestionNumbers are the edits that write every ? as the parameter that it is.
func QuestionNumbers(sql string) (edits Edits) {
	for _, t := range tokensOf(sql) {
		if t.kind == tokPunct && sql[t.start] == '?' {
			edits = append(edits, Edit{Start: t.start, End: t.end, Text: "$" + strconv.Itoa(len(edits)+1), Place: t.start})
		}
	}
	return edits
}

// ReplaceParams writes texts in place of the parameters of a statement, $1 or ?.
func ReplaceParams(sql string, by func(n int) string) string {
	sql = numberQuestions(sql)
	var b strings.Builder
	end := 0
	for _, t := range tokensOf(sql) {
		if t.kind != tokParam {
			continue
		}
		if n, err := strconv.Atoi(strings.TrimPrefix(sql[t.start:t.end], "$")); err == nil && n > 0 {
			b.WriteString(sql[end:t.start] + by(n))
			end = t.end
		}
	}
	return b.String() + sql[end:]
}

// anyNumber are the names of NUMERIC, which has any digits in Postgres, and 18 in DuckDB.
var anyNumber = map[string]bool{"numeric": true, "decimal": true, "dec": true}

// floats are the names of floating-point types.
var floats = map[string]rows.TypeID{"double": rows.Double, "float8": rows.Double, "real": rows.Float, "float4": rows.Float, "float": rows.Float}

// AsFloats are the parameters that are cast to one floating-point type wherever they stand.
func AsFloats(sql string) map[int]rows.TypeID { return castTo(sql, floats) }

// AsJSON are the parameters that are cast to JSON wherever they stand.
func AsJSON(sql string) map[int]rows.TypeID {
	return castTo(sql, map[string]rows.TypeID{"json": rows.JSON})
}

// castTo are the parameters that are cast to one of the types wherever they stand.
func castTo(sql string, types map[string]rows.TypeID) map[int]rows.TypeID {
	found := map[int]rows.TypeID{}
	f := literalFinder{sql, tokensOf(sql)}
	for i, t := range f.tokens {
		if t.kind != tokParam {
			continue
		}
		n, err := strconv.Atoi(strings.TrimPrefix(sql[t.start:t.end], "$"))
		if err != nil {
			continue
		}
		at := -1
		switch {
		case i+2 < len(f.tokens) && f.tokens[i+1].kind == tokCast:
			at = i + 2
		case f.is(i+1, "as") && f.is(i-1, "(") && f.is(i-2, "cast"):
			at = i + 2
		}
		to := types[f.word(at)]
		if f.is(at+1, "[") || f.is(at+1, "(") || f.is(at+1, "array") {
			to = rows.Invalid
		}
		if before, seen := found[n]; seen && before != to {
			to = rows.Invalid
		}
		found[n] = to
	}
	maps.DeleteFunc(found, func(_ int, t rows.TypeID) bool { return t == rows.Invalid })
	return found
}

// AsNumbers blanks the casts of parameters to NUMERIC without a width, and returns the
// parameters. All else keeps its place.
func AsNumbers(sql string) (text string, params []int) {
	f := literalFinder{sql, tokensOf(sql)}
	out := []byte(sql)
	blank := func(i int) {
		for at := f.tokens[i].start; at < f.tokens[i].end; at++ {
			out[at] = ' '
		}
	}
	for i, t := range f.tokens {
		if t.kind != tokParam {
			continue
		}
		n, err := strconv.Atoi(strings.TrimPrefix(sql[t.start:t.end], "$"))
		ends := func(i int) bool {
			return anyNumber[f.word(i)] && !f.is(i+1, "(") && !f.is(i+1, "[") && !f.is(i+1, "array")
		}
		switch {
		case err != nil:
		case i+2 < len(f.tokens) && f.tokens[i+1].kind == tokCast && ends(i+2):
			blank(i + 1)
			blank(i + 2)
			params = append(params, n)
		case f.is(i+1, "as") && ends(i+2) && f.is(i+3, ")") && f.is(i-1, "(") && f.is(i-2, "cast"):
			blank(i - 2)
			blank(i + 1)
			blank(i + 2)
			params = append(params, n)
		}
	}
	return string(out), params
}

// readTypes are the types that a cast from text reads by Postgres' rules for input, and DuckDB by others; of
// elements the types of lists whose texts are.
var (
	readTypes = map[string]bool{
		"bytea": true, "int2": true, "int4": true, "int8": true, "int": true, "integer": true, "smallint": true, "bigint": true,
		"float4": true, "float8": true, "float": true, "real": true, "double": true, "bool": true, "boolean": true, "date": true, "time": true, "timetz": true,
		"timestamp": true, "timestamptz": true, "interval": true, "uuid": true,
	}
	elements = map[string]bool{"text": true, "varchar": true, "numeric": true, "decimal": true}
)

// ReadTexts are the parameters that stand alone under a cast to one such type wherever they stand: of a
// text Postgres reads there what it reads of a value without a type.
func ReadTexts(sql string) map[int]bool {
	f := literalFinder{sql, tokensOf(sql)}
	found := map[int]string{} // empty: another place
	for i, t := range f.tokens {
		if t.kind != tokParam {
			continue
		}
		n, err := strconv.Atoi(strings.TrimPrefix(sql[t.start:t.end], "$"))
		if err != nil {
			continue
		}
		to := f.readBy(i)
		if before, seen := found[n]; seen && before != to {
			to = ""
		}
		found[n] = to
	}
	read := map[int]bool{}
	for n, to := range found {
		if to != "" {
			read[n] = true
		}
	}
	return read
}

// readBy is the type, one of readTypes or a list, that token i alone is cast to; empty: none.
func (f *literalFinder) readBy(i int) string {
	first, last := i, i
	for f.is(first-1, "(") && f.is(last+1, ")") && !f.isCalled(first-2) {
		first, last = first-1, last+1
	}
	switch {
	case last+1 < len(f.tokens) && f.tokens[last+1].kind == tokCast:
	case f.is(first-1, "(") && f.is(first-2, "cast") && f.is(last+1, "as"):
	default:
		return ""
	}
	at := last + 2
	end, list := f.typeEnd(at)
	if !readTypes[f.word(at)] && !(list && elements[f.word(at)]) || f.is(at+1, ".") {
		return ""
	}
	var name strings.Builder
	for ; at < end && at < len(f.tokens); at++ {
		name.WriteString(fold(f.src[f.tokens[at].start:f.tokens[at].end]) + " ")
	}
	return name.String()
}
