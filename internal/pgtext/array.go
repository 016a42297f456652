package pgtext

import "strings"

// Element is one element of an array or a list as text.
type Element struct {
	Text string
	Null bool
}

// List spells an array for DuckDB an element at a time: every one but NULL in quotes. The
// zero value is an empty one.
type List struct{ text []byte }

// Add adds an element.
func (l *List) Add(text []byte) {
	l.next()
	l.text = append(l.text, '\'')
	for _, c := range text {
		if c == '\'' || c == '\\' {
			l.text = append(l.text, '\\')
		}
		l.text = append(l.text, c)
	}
	l.text = append(l.text, '\'')
}

// AddNull adds NULL.
func (l *List) AddNull() {
	l.next()
	l.text = append(l.text, "NULL"...)
}

func (l *List) next() {
	if len(l.text) == 0 {
		l.text = append(l.text, '[')
	} else {
		l.text = append(l.text, ", "...)
	}
}

// AppendTo appends the text of the list.
func (l *List) AppendTo(dst []byte) []byte {
	if len(l.text) == 0 {
		return append(dst, "[]"...)
	}
	return append(append(dst, l.text...), ']')
}

// ParseArray reads Postgres's text of an array of one dimension; bounds before it,
// as in [0:2]={..}, are passed over. It gives the elements to each, one after the other,
// and ends where that returns false.
func ParseArray(text string, each func(Element) bool) (ok bool) {
	rest := strings.TrimSpace(text)
	if strings.HasPrefix(rest, "[") {
		_, rest, _ = strings.Cut(rest, "=")
	}
	rest, ok = strings.CutPrefix(rest, "{")
	if !ok {
		return false
	}
	if rest = strings.TrimLeft(rest, arraySpace); rest == "}" {
		return true
	}
	for {
		var e Element
		if e, rest, ok = cutElement(rest); !ok || !each(e) {
			return false
		}
		rest = strings.TrimLeft(rest, arraySpace)
		if rest == "}" {
			return true
		}
		if rest, ok = strings.CutPrefix(rest, ","); !ok {
			return false
		}
		rest = strings.TrimLeft(rest, arraySpace)
	}
}

const arraySpace = " \t\n\r\v\f"

// cutElement reads one element of Postgres's text.
func cutElement(s string) (e Element, rest string, ok bool) {
	if strings.HasPrefix(s, "\"") {
		e.Text, rest, ok = CutQuoted(s, '"')
		return e, rest, ok
	}
	var b strings.Builder
	i := 0
	for ; i < len(s) && s[i] != ',' && s[i] != '}'; i++ {
		if s[i] == '{' || s[i] == '"' {
			return e, "", false // arrays of arrays are not read
		}
		if s[i] == '\\' && i+1 < len(s) {
			i++
		}
		b.WriteByte(s[i])
	}
	e.Text = strings.TrimRight(b.String(), arraySpace)
	e.Null = strings.EqualFold(s[:i], "NULL")
	return e, s[i:], e.Text != ""
}

// CutQuoted reads a text in quotes, in which a backslash keeps the next byte, and
// returns what follows.
func CutQuoted(s string, quote byte) (text, rest string, ok bool) {
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == quote:
			return b.String(), s[i+1:], true
		case s[i] == '\\' && i+1 < len(s):
			i++
			b.WriteByte(s[i])
		default:
			b.WriteByte(s[i])
		}
	}
	return "", "", false
}
