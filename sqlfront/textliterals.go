package sqlfront

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/trireme-db/trireme/internal/rows"
)

// TextLiteral is a string literal, src[Start:End], as a client may write a value of any
// type.
type TextLiteral struct {
	Start, End int
	// Text is what stands between its quotes, escapes resolved.
	Text string
	// Type is the type that it is cast to, by the names of types whose texts Postgres
	// spells in ways of its own; Invalid: any other. List: it is cast to a list.
	Type rows.TypeID
	List bool
	// JSON: it is cast to JSON, or a list of it.
	JSON bool
	// Untyped: it is cast to nothing, so that its place decides what it is.
	Untyped bool
	// Row: it is all of a value in a row of INSERT .. VALUES, which the column converts.
	Row bool
}

// postgresTypes are the types whose texts Postgres spells in ways of its own. BLOB is
// DuckDB's word, with DuckDB's texts.
var postgresTypes = map[string]rows.TypeID{
	"bytea": rows.Blob, "bool": rows.Boolean, "boolean": rows.Boolean, "date": rows.Date, "interval": rows.Interval,
	"timestamp": rows.Timestamp, "timestamptz": rows.TimestampTZ,
}

// TextLiterals finds the string literals of a text, in their order.
func TextLiterals(sql string) []TextLiteral {
	f := literalFinder{sql, tokensOf(sql)}
	var out []TextLiteral
	depth, inserts, inRows := 0, false, false
	for i, t := range f.tokens {
		switch {
		case f.is(i, "("):
			depth++
		case f.is(i, ")"):
			depth--
		case depth == 0 && t.kind == tokWord:
			inserts = inserts || f.is(i, "insert")
			inRows = inserts && f.is(i, "values")
		}
		if t.kind != tokString && t.kind != tokSpecial {
			continue
		}
		if text, ok := valueText(sql[t.start:t.end]); ok {
			l := TextLiteral{Start: t.start, End: t.end, Text: text}
			f.readCast(i, &l)
			l.Row = inRows && depth == 1 && l.Untyped && (f.is(i-1, "(") || f.is(i-1, ",")) && (f.is(i+1, ",") || f.is(i+1, ")"))
			out = append(out, l)
		}
	}
	return out
}

type literalFinder struct {
	src    string
	tokens []token
}

// readCast notes what the literal at token i is cast to: 'x'::type, ('x')::type,
// CAST('x' AS type) or type 'x'.
func (f *literalFinder) readCast(i int, l *TextLiteral) {
	first, last := i, i
	for f.is(first-1, "(") && f.is(last+1, ")") && !f.isCalled(first-2) {
		first, last = first-1, last+1
	}
	switch {
	case last+1 < len(f.tokens) && f.tokens[last+1].kind == tokCast:
		f.readType(last+2, l)
	case f.is(first-1, "(") && f.is(last+1, "as"):
		f.readType(last+2, l)
	case first > 0 && first == i && postgresTypes[f.word(i-1)] != rows.Invalid:
		l.Type = postgresTypes[f.word(i-1)]
	case f.is(i-1, "zone") && f.is(i-2, "time") && f.is(i-4, "timestamp"):
		l.Type = rows.TimestampTZ
	default:
		l.Untyped = true
	}
}

// readType reads the name of a type that begins at token i.
func (f *literalFinder) readType(i int, l *TextLiteral) {
	for f.is(i+1, ".") {
		i += 2
	}
	names := f.is(i, "regtype") // of types: no values that DuckDB has
	l.Type, l.JSON = postgresTypes[f.word(i)], f.is(i, "json") || f.is(i, "jsonb")
	_, list := f.typeEnd(i)
	l.List = !names && list
}

// typeEnd is where the type ends whose name's last part is token i; list: it is one of lists.
func (f *literalFinder) typeEnd(i int) (end int, list bool) {
	i++
	if f.is(i, "(") {
		for i < len(f.tokens) && !f.is(i, ")") {
			i++
		}
		i++
	}
	for _, word := range []string{"precision", "varying", "with", "without", "time", "zone"} {
		if f.is(i, word) {
			i++
		}
	}
	for f.is(i, "[") || f.is(i, "array") {
		list = true
		if i++; f.is(i-1, "[") {
			for i < len(f.tokens) && !f.is(i, "]") {
				i++
			}
			i++
		}
	}
	return i, list
}

// word is token i in lower case, a name without its quotes; empty: it is neither.
func (f *literalFinder) word(i int) string {
	if i < 0 || i >= len(f.tokens) {
		return ""
	}
	name, _ := tokenName(f.src, f.tokens[i])
	return fold(name)
}

func (f *literalFinder) is(i int, text string) bool {
	return i >= 0 && i < len(f.tokens) && fold(f.src[f.tokens[i].start:f.tokens[i].end]) == text
}

// isCalled reports whether a parenthesis after token i holds the arguments of a call.
func (f *literalFinder) isCalled(i int) bool {
	return i >= 0 && i < len(f.tokens) && (f.tokens[i].kind == tokQuoted || f.tokens[i].kind == tokWord && !beforeOperand[f.word(i)])
}

// beforeOperand are words that an operand in parentheses may follow.
var beforeOperand = map[string]bool{
	"select": true, "distinct": true, "all": true, "where": true, "and": true, "or": true, "not": true, "when": true, "then": true, "else": true,
	"case": true, "between": true, "by": true, "having": true, "on": true, "like": true, "returning": true, "from": true,
}

// valueText is the text of a string literal, in all its pieces; false: it is one of bits, or
// of what DuckDB does not read.
func valueText(lit string) (string, bool) {
	text, ok := valueBytes(lit)
	return text, ok && utf8.ValidString(text)
}

// valueBytes is valueText of a literal whose escapes may stand for any bytes.
func valueBytes(lit string) (string, bool) {
	l := lexer{src: lit}
	escapes := false
	switch lit[0] {
	case '$':
		tag := strings.IndexByte(lit[1:], '$') + 2
		return lit[tag : len(lit)-tag], true
	case 'e', 'E':
		escapes = true
		l.pos++
	case '\'':
	default:
		return "", false
	}
	whole := ""
	for next := 0; next >= 0; next = continuedAt(lit[l.pos:]) {
		l.pos += next
		start := l.pos
		if err := l.quoted('\'', escapes, quotedKinds['\''], start); err != nil {
			return "", false
		}
		piece, ok := lit[start:l.pos], true
		if escapes {
			piece, ok = resolveEscapes(piece[1 : len(piece)-1])
		} else {
			piece = unquote(piece)
		}
		if !ok {
			return "", false
		}
		whole += piece
	}
	return whole, true
}

// escapes are those of E” that stand for one byte.
var escapes = map[byte]byte{'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// numberEscapes begin the escapes of E'..' that are a byte or a character by its number.
const numberEscapes = "01234567xuU"

func hasNumberEscape(lit string) bool {
	if lit[0] != 'e' && lit[0] != 'E' {
		return false
	}
	for i := 0; i+1 < len(lit); i++ {
		if lit[i] != '\\' {
			continue
		}
		if i++; strings.IndexByte(numberEscapes, lit[i]) >= 0 {
			return true
		}
	}
	return false
}

// resolveEscapes resolves the escapes of E'..' to bytes; false: one of them means nothing, so that DuckDB
// has the error.
func resolveEscapes(s string) (string, bool) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\'' { // doubled
			i++
		}
		if s[i] != '\\' || i+1 >= len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		switch c := s[i]; {
		case escapes[c] != 0:
			b.WriteByte(escapes[c])
		case c >= '0' && c <= '7':
			i += writeNumber(&b, s[i:], 8, 3) - 1
		case c == 'x' && digitsOf(s[i+1:], 16, 2) > 0:
			i += writeNumber(&b, s[i+1:], 16, 2)
		case c == 'u' || c == 'U':
			size := map[byte]int{'u': 4, 'U': 8}[c]
			if digitsOf(s[i+1:], 16, size) != size {
				return "", false
			}
			r, err := strconv.ParseInt(s[i+1:i+1+size], 16, 32)
			if err != nil || !utf8.ValidRune(rune(r)) {
				return "", false
			}
			b.WriteRune(rune(r))
			i += size
		default:
			b.WriteByte(c)
		}
	}
	return b.String(), true
}

// digitsOf counts the digits of a base with which a text begins, up to most.
func digitsOf(s string, base, most int) int {
	n := 0
	for n < len(s) && n < most {
		if _, err := strconv.ParseUint(s[n:n+1], base, 8); err != nil {
			break
		}
		n++
	}
	return n
}

// writeNumber writes the byte that digits stand for, and returns how many they are.
func writeNumber(b *strings.Builder, s string, base, most int) int {
	n := digitsOf(s, base, most)
	value, err := strconv.ParseUint(s[:n], base, 16)
	if err != nil {
		panic(err) // they are digits
	}
	b.WriteByte(byte(value))
	return n
}
