package notation

import (
	"strings"

	"github.com/trireme-db/trireme/sqlfront"
)

// Text is a statement with its calls replaced.
type Text struct {
	SQL   string
	edits sqlfront.Edits
}

// Changed reports whether there was a call.
func (t *Text) Changed() bool { return len(t.edits) > 0 }

// Offset is the place in the old text of a place in SQL: of what stands for a call,
// that of the call.
func (t *Text) Offset(offset int) int { return t.edits.Offset(offset) }

// reader is a text and its tokens.
type reader struct {
	src    string
	tokens []sqlfront.Token
	other  []int // of each bracket the one that belongs to it; -1
}

func newReader(sql string) (*reader, error) {
	tokens, err := sqlfront.Tokens(sql)
	if err != nil {
		return nil, err
	}
	r := &reader{src: sql, tokens: tokens, other: make([]int, len(tokens))}
	var open []int
	for i := range tokens {
		r.other[i] = -1
		switch {
		case r.is(i, "(", "[", "{"):
			open = append(open, i)
		case r.is(i, ")", "]", "}") && len(open) > 0:
			from := open[len(open)-1]
			open = open[:len(open)-1]
			r.other[i], r.other[from] = from, i
		}
	}
	return r, nil
}

// text is token i as written; empty outside the statement.
func (r *reader) text(i int) string {
	if i < 0 || i >= len(r.tokens) {
		return ""
	}
	return r.src[r.tokens[i].Start:r.tokens[i].End]
}

// start is where token i begins; the end of the text behind the last one.
func (r *reader) start(i int) int {
	if i >= len(r.tokens) {
		return len(r.src)
	}
	return r.tokens[i].Start
}

// is reports whether token i is one of the keywords or signs.
func (r *reader) is(i int, words ...string) bool {
	if i < 0 || i >= len(r.tokens) {
		return false
	}
	switch r.tokens[i].Kind {
	case sqlfront.TokenQuoted, sqlfront.TokenString, sqlfront.TokenSpecial:
		return false
	}
	t := r.text(i)
	for _, w := range words {
		if strings.EqualFold(t, w) {
			return true
		}
	}
	return false
}

func (r *reader) kind(i int) sqlfront.TokenKind {
	if i < 0 || i >= len(r.tokens) {
		return 0
	}
	return r.tokens[i].Kind
}

func (r *reader) isName(i int) bool {
	k := r.kind(i)
	return k == sqlfront.TokenWord || k == sqlfront.TokenQuoted
}

// name is the name at token i without quotes.
func (r *reader) name(i int) string { return unquote(r.text(i)) }

// unquote is a name or string without its quotes.
func unquote(t string) string {
	if t == "" || t[0] != '"' && t[0] != '\'' {
		return t
	}
	q := t[:1]
	return strings.ReplaceAll(t[1:len(t)-1], q+q, q)
}

// within is the place in the text of byte at of the string at token i.
func (r *reader) within(i, at int) int {
	t := r.text(i)
	pos := 1
	for ; at > 0 && pos < len(t)-1; at-- {
		if t[pos] == '\'' {
			pos++ // a doubled quote is one byte
		}
		pos++
	}
	return r.tokens[i].Start + pos
}
