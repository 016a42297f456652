package einsum

import (
	"strings"

	"github.com/trireme-db/trireme/internal/sqlerr"
)

// Words of facts after a tensor's leaves; elsewhere they are names.
const (
	wordKey       = "key" // starts a key
	wordSymmetric = "symmetric"
	wordHollow    = "hollow"
)

// Words that are names only in double quotes.
const (
	wordTensor = "tensor"
	wordNull   = "NULL"
	wordNaN    = "NaN"
	wordInf    = "Inf"
)

func isWord(s string) bool { return s == wordTensor || s == wordNull || isFloatWord(s) }

func isFloatWord(s string) bool { return s == wordNaN || s == wordInf }

type tokenKind uint8

const (
	tokenEnd tokenKind = iota
	tokenName
	tokenQuotedName
	tokenNumber
	tokenString
	tokenParam
	tokenSymbol
)

// token is a piece of the text; text is without quotes and, for a parameter,
// without the dollar sign.
type token struct {
	kind   tokenKind
	text   string
	offset int
}

// isName reports whether the token may name something.
func (t token) isName() bool { return t.kind == tokenName || t.kind == tokenQuotedName }

// symbols, longest first.
var symbols = [...]string{"<>", "<=", ">=", "<", ">", "=", "(", ")", "{", "}", ",", ".", ":", "|", "+", "-", "*"}

// lex cuts the text into tokens; the last one is tokenEnd.
func lex(text string) ([]token, error) {
	var tokens []token
	for at := 0; ; {
		for at < len(text) && strings.IndexByte(" \t\r\n", text[at]) >= 0 {
			at++
		}
		if at == len(text) {
			return append(tokens, token{kind: tokenEnd, offset: at}), nil
		}
		t, next, err := lexOne(text, at)
		if err != nil {
			return nil, err
		}
		tokens = append(tokens, t)
		at = next
	}
}

func lexOne(text string, at int) (token, int, error) {
	c := text[at]
	switch {
	case isNameByte(c, true):
		end := nameEnd(text, at)
		return token{tokenName, text[at:end], at}, end, nil
	case c == '"':
		s, end, ok := unquote(text, at)
		if !ok {
			return token{}, 0, syntaxError(text, at, "name without closing quote")
		}
		return token{tokenQuotedName, s, at}, end, nil
	case c == '\'':
		s, end, ok := unquote(text, at)
		if !ok {
			return token{}, 0, syntaxError(text, at, "string without closing quote")
		}
		return token{tokenString, s, at}, end, nil
	case isDigit(c):
		end := numberEnd(text, at)
		if end < len(text) && isNameByte(text[end], false) {
			return token{}, 0, syntaxError(text, at, "bad number %q", text[at:nameEnd(text, end)])
		}
		return token{tokenNumber, text[at:end], at}, end, nil
	case c == '$':
		end := digitsEnd(text, at+1)
		if end == at+1 {
			return token{}, 0, syntaxError(text, at, "no parameter number after $")
		}
		return token{tokenParam, text[at+1 : end], at}, end, nil
	}
	for _, s := range symbols {
		if strings.HasPrefix(text[at:], s) {
			return token{tokenSymbol, s, at}, at + len(s), nil
		}
	}
	return token{}, 0, syntaxError(text, at, "unexpected character %q", c)
}

// unquote reads a quoted piece that starts at at; a doubled quote stands for one.
func unquote(text string, at int) (s string, end int, ok bool) {
	quote := text[at]
	var b strings.Builder
	for i := at + 1; i < len(text); i++ {
		if text[i] != quote {
			b.WriteByte(text[i])
			continue
		}
		if i+1 == len(text) || text[i+1] != quote {
			return b.String(), i + 1, true
		}
		b.WriteByte(quote)
		i++
	}
	return "", 0, false
}

// numberEnd returns the end of digits[.digits][e[+-]digits][h].
func numberEnd(text string, at int) int {
	end := digitsEnd(text, at)
	if end+1 < len(text) && text[end] == '.' && isDigit(text[end+1]) {
		end = digitsEnd(text, end+1)
	}
	if end < len(text) && (text[end] == 'e' || text[end] == 'E') {
		exp := end + 1
		if exp < len(text) && (text[exp] == '+' || text[exp] == '-') {
			exp++
		}
		if e := digitsEnd(text, exp); e > exp {
			end = e
		}
	}
	if end < len(text) && text[end] == 'h' {
		end++
	}
	return end
}

func nameEnd(text string, at int) int {
	for at < len(text) && isNameByte(text[at], false) {
		at++
	}
	return at
}

func digitsEnd(text string, at int) int {
	for at < len(text) && isDigit(text[at]) {
		at++
	}
	return at
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// syntaxError makes a 42601 that says where it is, by line and column (both
// from 1, columns in bytes) in the message and by byte in Offset.
func syntaxError(text string, offset int, format string, args ...any) error {
	line := 1 + strings.Count(text[:offset], "\n")
	column := offset - strings.LastIndexByte(text[:offset], '\n')
	args = append([]any{line, column}, args...)
	return sqlerr.At(sqlerr.SyntaxError, offset, "line %d, column %d: "+format, args...)
}
