package sqlfront

import (
	"strings"

	"github.com/trireme-db/trireme/internal/load"
	"github.com/trireme-db/trireme/internal/sqlerr"
)

type tokenKind uint8

const (
	tokEOF tokenKind = iota
	tokWord
	tokQuoted  // "name"
	tokString  // 'text' without escapes, in one piece
	tokSpecial // a string in pieces, with a prefix or in dollars: 'a' \n 'b', E'' B'' X'' N'' U&'' $$ $$
	tokNumber
	tokParam // $1, $name
	tokOp
	tokPunct // one of ( ) [ ] { } , ; . : ?
	tokCast  // ::
)

// token is src[start:end].
type token struct {
	kind       tokenKind
	start, end int
}

// lexer cuts a text into tokens by the lexical rules of Postgres, which DuckDB
// shares. Comments and white space separate tokens and are not delivered.
type lexer struct {
	src string
	pos int
}

// next returns the next token, tokEOF at the end. The only errors are quotes
// and comments that do not end.
func (l *lexer) next() (token, error) {
	if err := l.skipBlank(); err != nil {
		return token{}, err
	}
	start := l.pos
	if start >= len(l.src) {
		return token{tokEOF, start, start}, nil
	}
	c := l.src[start]
	var err error
	kind := tokPunct
	switch {
	case isWordStart(c):
		kind, err = l.word()
	case isDigit(c), c == '.' && start+1 < len(l.src) && isDigit(l.src[start+1]):
		kind = tokNumber
		l.number()
	case c == '\'':
		kind, err = l.text(tokString, false, quotedKinds['\''], l.pos)
	case c == '"':
		kind, err = tokQuoted, l.quoted('"', false, quotedKinds['"'], l.pos)
	case c == '$':
		kind, err = l.dollar()
	case c == ':' && strings.HasPrefix(l.src[start:], "::"):
		kind = tokCast
		l.pos += 2
	case isOperator(c):
		kind = tokOp
		l.operator()
	default:
		l.pos++
	}
	return token{kind, start, l.pos}, err
}

func (l *lexer) skipBlank() error {
	for l.pos < len(l.src) {
		rest := l.src[l.pos:]
		switch n := blankAt(rest); {
		case n > 0:
			l.pos += n
		case strings.HasPrefix(rest, "--"):
			end := strings.IndexAny(rest, "\r\n")
			if end < 0 {
				end = len(rest)
			}
			l.pos += end
		case strings.HasPrefix(rest, "/*"):
			if err := l.comment(); err != nil {
				return err
			}
		default:
			return nil
		}
	}
	return nil
}

// comment skips a comment; comments nest.
func (l *lexer) comment() error {
	start, depth := l.pos, 0
	for l.pos < len(l.src) {
		rest := l.src[l.pos:]
		switch {
		case strings.HasPrefix(rest, "/*"):
			depth++
			l.pos += 2
		case strings.HasPrefix(rest, "*/"):
			depth--
			l.pos += 2
		default:
			l.pos++
		}
		if depth == 0 {
			return nil
		}
	}
	return l.unterminated("/* comment", start)
}

// nearMax is how much of a text without an end its error shows.
const nearMax = 1000

// unterminated is DuckDB's error for a token that begins at start and has no end.
func (l *lexer) unterminated(what string, start int) error {
	l.pos = len(l.src)
	near := l.src[start:]
	if len(near) > nearMax {
		near = strings.ToValidUTF8(near[:nearMax], "") + ".."
	}
	return sqlerr.At(sqlerr.SyntaxError, start, "unterminated %s at or near \"%s\"", what, near)
}

// word reads an unquoted word, or the string that it prefixes.
func (l *lexer) word() (tokenKind, error) {
	start := l.pos
	for l.pos < len(l.src) && isWordPart(l.src[l.pos]) && blankAt(l.src[l.pos:]) == 0 {
		l.pos++
	}
	if l.pos >= len(l.src) {
		return tokWord, nil
	}
	if l.pos == start+1 && l.src[l.pos] == '\'' {
		switch l.src[start] {
		case 'e', 'E':
			return l.text(tokSpecial, true, "quoted string", start)
		case 'b', 'B':
			return l.text(tokSpecial, false, "bit string literal", start)
		case 'x', 'X':
			return l.text(tokSpecial, false, "hexadecimal string literal", start)
		case 'n', 'N':
			return l.text(tokSpecial, false, "quoted string", l.pos)
		}
	}
	if l.pos == start+1 && (l.src[start] == 'u' || l.src[start] == 'U') && l.src[l.pos] == '&' && l.pos+1 < len(l.src) {
		switch q := l.src[l.pos+1]; q {
		case '\'':
			l.pos++
			return l.text(tokSpecial, false, quotedKinds[q], start)
		case '"':
			l.pos++
			return tokSpecial, l.quoted(q, false, quotedKinds[q], start)
		}
	}
	return tokWord, nil
}

func (l *lexer) number() {
	for l.pos < len(l.src) {
		c := l.src[l.pos]
		switch {
		case isDigit(c), c == '.':
			l.pos++
		case c == 'e' || c == 'E':
			next := l.pos + 1
			if next < len(l.src) && (l.src[next] == '+' || l.src[next] == '-') {
				next++
			}
			if next >= len(l.src) || !isDigit(l.src[next]) {
				return
			}
			l.pos = next
		default:
			return
		}
	}
}

// quotedKinds is what errors call a token between quotes.
var quotedKinds = map[byte]string{'\'': "quoted string", '"': "quoted identifier"}

// text reads a string from its opening quote to its end, with the strings that continue it,
// in which a backslash means what it does in the first one.
func (l *lexer) text(kind tokenKind, escapes bool, what string, start int) (tokenKind, error) {
	for {
		if err := l.quoted('\'', escapes, what, start); err != nil {
			return kind, err
		}
		next := continuedAt(l.src[l.pos:])
		if next < 0 {
			return kind, nil
		}
		l.pos += next
		kind = tokSpecial
	}
}

// continuedAt is where the string goes on after whose closing quote rest stands: at the quote
// behind blanks and -- comments with a line break among them; -1: it does not.
func continuedAt(rest string) int {
	broken := false
	for i := 0; i < len(rest); {
		n := blankAt(rest[i:])
		switch {
		case n > 0:
			broken = broken || rest[i] == '\n' || rest[i] == '\r'
		case rest[i] == '\'' && broken:
			return i
		case strings.HasPrefix(rest[i:], "--"):
			n = strings.IndexAny(rest[i:], "\r\n")
		}
		if n <= 0 {
			return -1
		}
		i += n
	}
	return -1
}

// quoted reads from an opening quote to its end; a doubled quote stands for
// itself, and with escapes a backslash protects the next byte. An error says
// what has no end, and that it began at start.
func (l *lexer) quoted(quote byte, escapes bool, what string, start int) error {
	for l.pos++; l.pos < len(l.src); l.pos++ {
		if !escapes { // a literal may have megabytes
			n := strings.IndexByte(l.src[l.pos:], quote)
			if n < 0 {
				break
			}
			l.pos += n
		}
		switch c := l.src[l.pos]; {
		case escapes && c == '\\':
			l.pos++
		case c == quote:
			if l.pos+1 >= len(l.src) || l.src[l.pos+1] != quote {
				l.pos++
				return nil
			}
			l.pos++
		}
	}
	return l.unterminated(what, start)
}

// dollar reads $1, $name or $tag$text$tag$.
func (l *lexer) dollar() (tokenKind, error) {
	start := l.pos
	l.pos++
	if l.pos < len(l.src) && isDigit(l.src[l.pos]) {
		for l.pos < len(l.src) && isDigit(l.src[l.pos]) {
			l.pos++
		}
		return tokParam, nil
	}
	for l.pos < len(l.src) && isWordPart(l.src[l.pos]) && l.src[l.pos] != '$' {
		l.pos++
	}
	if l.pos >= len(l.src) || l.src[l.pos] != '$' {
		return tokParam, nil
	}
	l.pos++
	tag := l.src[start:l.pos]
	end := strings.Index(l.src[l.pos:], tag)
	if end < 0 {
		return tokSpecial, l.unterminated("dollar-quoted string", start)
	}
	l.pos += end + len(tag)
	return tokSpecial, nil
}

// operator reads the longest run of operator characters that does not begin a
// comment; a run ends in + or - only if it contains one of ~ ! @ # ^ & | ` %.
func (l *lexer) operator() {
	start := l.pos
	for l.pos < len(l.src) && isOperator(l.src[l.pos]) {
		rest := l.src[l.pos:]
		if l.pos > start && (strings.HasPrefix(rest, "--") || strings.HasPrefix(rest, "/*")) {
			break
		}
		l.pos++
	}
	op := l.src[start:l.pos]
	if strings.ContainsAny(op, "~!@#^&|`%") {
		return
	}
	for len(op) > 1 && (op[len(op)-1] == '+' || op[len(op)-1] == '-') {
		op = op[:len(op)-1]
	}
	l.pos = start + len(op)
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isWordStart(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c >= 0x80
}

func isWordPart(c byte) bool { return isWordStart(c) || isDigit(c) || c == '$' }

func isOperator(c byte) bool { return strings.IndexByte("~!@#^&|`+-*/%<>=", c) >= 0 }

// fold is load.Fold, for words as well.
func fold(s string) string { return load.Fold(s) }

// unquote returns the text between quotes with doubled quotes made single.
func unquote(s string) string {
	q := s[:1]
	return strings.ReplaceAll(s[1:len(s)-1], q+q, q)
}

// HasWord reports whether one of some words of ASCII letters stands anywhere in a text,
// within literals and comments too: most texts have none of what a rewriting looks for,
// and are not cut into tokens for it. Like a lexer it reads a text once.
func HasWord(sql string, words ...string) bool {
	for i := 0; i < len(sql); i++ {
		if !isNameByte(sql[i]) {
			continue
		}
		start := i
		for i < len(sql) && isNameByte(sql[i]) {
			i++
		}
		for _, w := range words {
			if i-start == len(w) && strings.EqualFold(sql[start:i], w) {
				return true
			}
		}
	}
	return false
}

func isNameByte(c byte) bool { return c < 0x80 && isWordStart(c) || isDigit(c) }
