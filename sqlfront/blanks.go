package sqlfront

import (
	"strings"
	"unicode/utf8"

	"github.com/trireme-db/trireme/internal/sqlerr"
)

// isBlank reports whether DuckDB separates tokens at a rune outside quotes: the blanks
// of its grammar, and those of Unicode that it replaces by them first. It is the one
// list of them; TestBlanksAreDuckDBs compares it with DuckDB over all runes.
func isBlank(r rune) bool {
	return r < utf8.RuneSelf && isSpace(byte(r)) || isWideBlank(r)
}

// isWideBlank reports whether a rune is a blank that is longer than a byte.
func isWideBlank(r rune) bool {
	switch r {
	case 0xA0, 0x202F, 0x205F, 0x2060, 0x3000, 0xFEFF:
		return true
	}
	return r >= 0x2000 && r <= 0x200B
}

// isSpace reports whether a byte is a blank by itself.
func isSpace(c byte) bool {
	return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f'
}

// blankAt is the length of the blank with which a text begins, 0 without one.
func blankAt(text string) int {
	if text[0] < utf8.RuneSelf {
		if isSpace(text[0]) {
			return 1
		}
		return 0
	}
	if r, size := utf8.DecodeRuneInString(text); isWideBlank(r) {
		return size
	}
	return 0
}

// plainBlanks returns a text of the same length in which blanks of Unicode outside
// quotes are spaces, as they are for DuckDB. DuckDB finds quotes by rules of its own
// before it replaces blanks: a quote in a comment opens a string, a backslash does not
// protect one in E'..', a dollar opens a quote inside a word. So comments become spaces
// and \' becomes ” here, and what DuckDB would still read otherwise is error 42601.
func plainBlanks(sql string) (string, error) {
	if strings.IndexFunc(sql, isWideBlank) < 0 {
		return sql, nil
	}
	out := []byte(sql)
	l := lexer{src: sql}
	gap, dollars, quoted := 0, false, -1
	for {
		t, err := l.next()
		if err != nil {
			return "", err
		}
		for i := gap; i < t.start; i++ {
			if out[i] != '\n' && out[i] != '\r' {
				out[i] = ' '
			}
		}
		if t.kind == tokEOF {
			break
		}
		gap = t.end
		dollars = dollars || t.kind == tokWord && strings.Contains(sql[t.start:t.end], "$")
		if i := strings.IndexFunc(sql[t.start:t.end], isWideBlank); i >= 0 && quoted < 0 {
			quoted = t.start + i
		}
		if t.kind == tokSpecial && (sql[t.start] == 'e' || sql[t.start] == 'E') {
			doubleQuotes(out[t.start:t.end])
		}
	}
	if dollars && quoted >= 0 {
		return "", sqlerr.At(sqlerr.SyntaxError, quoted, "a blank of Unicode in quotes cannot stand in a statement with $ inside a name").
			WithHint("DuckDB would take it for an ordinary blank. Quote the name with the $, or write the blank with chr().")
	}
	return string(out), nil
}

// doubleQuotes writes the quotes inside E'..' that a backslash protects as two quotes.
func doubleQuotes(text []byte) {
	for i := 2; i+1 < len(text)-1; i++ {
		if text[i] != '\\' {
			continue
		}
		if text[i+1] == '\'' {
			text[i] = '\''
		}
		i++
	}
}
