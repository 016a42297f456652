package expr

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

func itoa(n int) string { return strconv.Itoa(n) }

// scanned is an expression as it is written.
type scanned struct {
	terms  []term
	output *term // nil: no arrow
	arrow  int   // its offset
}

// term is the indices of one operand.
type term struct {
	offset  int
	indices []name
	// ellipsis is the number of indices before the ellipsis; negative: there is none.
	ellipsis, ellipsisAt int
	words                bool // in the long notation
}

type name struct {
	name   string
	offset int
}

// ellipsisText stands for modes that have no name.
const ellipsisText = "..."

// scan cuts a text into terms.
func scan(text string) (*scanned, error) {
	if !utf8.ValidString(text) {
		return nil, syntax(invalid(text), "the text is not UTF-8")
	}
	p := &scanner{text: text, words: isLong(text)}
	out := &scanned{}
	for {
		t, err := p.term()
		if err != nil {
			return nil, err
		}
		if out.output != nil {
			out.output = &t
		} else {
			out.terms = append(out.terms, t)
		}
		at := p.at
		switch {
		case p.at == len(text):
			return out, nil
		case p.accept(","):
			if out.output != nil {
				return nil, syntax(at, "a comma after the arrow: there is one output")
			}
		case p.accept("->"), p.accept("→"):
			if out.output != nil {
				return nil, syntax(at, "a second arrow")
			}
			out.output, out.arrow = &term{}, at
		default:
			return nil, p.unexpected()
		}
	}
}

// invalid is where a text stops being UTF-8.
func invalid(text string) int {
	for i, r := range text {
		if _, n := utf8.DecodeRuneInString(text[i:]); r == utf8.RuneError && n == 1 {
			return i
		}
	}
	return len(text)
}

// isLong reports whether two names of one term are separated by spaces and one
// of them has several letters.
func isLong(text string) bool {
	for _, t := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(",->→", r) }) {
		words := strings.Fields(strings.ReplaceAll(t, ellipsisText, " "))
		if len(words) < 2 || strings.Contains(t, "[") {
			continue
		}
		for _, w := range words {
			if letter(w) < len(w) {
				return true
			}
		}
	}
	return false
}

// scanner reads a text from at on.
type scanner struct {
	text  string
	at    int
	words bool // the long notation
}

func (p *scanner) rest() string { return p.text[p.at:] }

func (p *scanner) accept(s string) bool {
	if !strings.HasPrefix(p.rest(), s) {
		return false
	}
	p.at += len(s)
	return true
}

func (p *scanner) spaces() {
	p.at = len(p.text) - len(strings.TrimLeftFunc(p.rest(), unicode.IsSpace))
}

// term reads indices up to a comma, an arrow or what cannot be one.
func (p *scanner) term() (term, error) {
	p.spaces()
	t := term{offset: p.at, ellipsis: -1, words: p.words}
	for {
		at := p.at
		switch {
		case p.accept(ellipsisText):
			if t.ellipsis >= 0 {
				return t, syntax(at, "a second ellipsis in one term")
			}
			t.ellipsis, t.ellipsisAt = len(t.indices), at
		case p.accept("["):
			n, err := p.bracketed(at)
			if err != nil {
				return t, err
			}
			t.indices = append(t.indices, n)
		default:
			w := p.index()
			if w == "" {
				return t, nil
			}
			t.indices = append(t.indices, name{w, at})
		}
		p.spaces()
	}
}

// index reads a letter or, in the long notation, a name; "" where there is none.
func (p *scanner) index() string {
	n := 0
	if p.words {
		n = word(p.rest())
	} else {
		n = letter(p.rest())
	}
	w := p.text[p.at : p.at+n]
	p.at += n
	return w
}

// bracketed reads a name up to the closing bracket; the opening one is at from.
func (p *scanner) bracketed(from int) (name, error) {
	p.spaces()
	at := p.at
	p.at += word(p.rest())
	w := p.text[at:p.at]
	p.spaces()
	switch {
	case p.at == len(p.text):
		return name{}, syntax(from, "a bracket that is not closed")
	case w == "" || !p.accept("]"):
		return name{}, p.unexpected()
	}
	return name{w, at}, nil
}

// unexpected is the error of a character that means nothing where it stands.
func (p *scanner) unexpected() error {
	r, _ := utf8.DecodeRuneInString(p.rest())
	err := syntax(p.at, "unexpected character %q", r)
	switch {
	case r == '-' || r == '>':
		return err.WithHint("The arrow before the output is written ->.")
	case r == '.':
		return err.WithHint("An ellipsis is written with three points.")
	case unicode.IsDigit(r) || r == '_':
		return err.WithHint("Every letter is an index; names stand in brackets, or are separated by spaces: [i1]k,k->[i1].")
	}
	return err.WithHint("An index is a letter, terms are separated by commas, and the output follows ->.")
}

// letter returns the bytes of the letter that a text begins with and of its marks;
// 0 where there is none.
func letter(s string) int {
	r, n := utf8.DecodeRuneInString(s)
	if n == 0 || !unicode.IsLetter(r) {
		return 0
	}
	return n + marks(s[n:])
}

func marks(s string) int { return len(s) - len(strings.TrimLeftFunc(s, unicode.IsMark)) }

// word returns the bytes of the name that a text begins with.
func word(s string) int {
	for i, r := range s {
		switch {
		case unicode.IsLetter(r), r == '_':
		case i > 0 && (unicode.IsDigit(r) || unicode.IsMark(r)):
		default:
			return i
		}
	}
	return len(s)
}
