package sqlfront

import (
	"strconv"
	"strings"
)

// ListParam is a parameter that stands alone in ANY(..), ALL(..) or SOME(..), so
// that its value is a list. Places are byte offsets of the text.
type ListParam struct {
	Number             int
	WordStart, WordEnd int
	Start, End         int // of the parameter
}

// ListParams finds such parameters, in their order.
func ListParams(sql string) []ListParam {
	var out []ListParam
	s := &scanner{lexer: lexer{src: sql}}
	for s.advance(); s.tok.kind != tokEOF; {
		if !s.isWord("any", "all", "some") {
			s.advance()
			continue
		}
		p := ListParam{WordStart: s.tok.start, WordEnd: s.tok.end}
		s.advance()
		if !s.acceptPunct("(") || s.tok.kind != tokParam {
			continue
		}
		number, err := strconv.Atoi(strings.TrimPrefix(s.text(), "$"))
		p.Number, p.Start, p.End = number, s.tok.start, s.tok.end
		s.advance()
		if err == nil && number > 0 && s.isPunct(")") {
			out = append(out, p)
		}
	}
	return out
}

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

// ParamCount is the largest number of a parameter of the text.
func ParamCount(sql string) int {
	most := 0
	for _, t := range tokensOf(sql) {
		if t.kind == tokParam {
			if n, err := strconv.Atoi(strings.TrimPrefix(sql[t.start:t.end], "$")); err == nil {
				most = max(most, n)
			}
		}
	}
	return most
}
