package pgtext

import "strings"

// Element is one element of an array or a list as text.
type Element struct {
	Text string
	Null bool
}

// List spells an array for DuckDB: every element but NULL in quotes.
func List(elements []Element) string {
	var b strings.Builder
	b.WriteByte('[')
	for n, e := range elements {
		if n > 0 {
			b.WriteString(", ")
		}
		if e.Null {
			b.WriteString("NULL")
			continue
		}
		b.WriteByte('\'')
		for i := 0; i < len(e.Text); i++ {
			if e.Text[i] == '\'' || e.Text[i] == '\\' {
				b.WriteByte('\\')
			}
			b.WriteByte(e.Text[i])
		}
		b.WriteByte('\'')
	}
	b.WriteByte(']')
	return b.String()
}

// ParseArray reads Postgres's text of an array of one dimension; bounds before it,
// as in [0:2]={..}, are passed over.
func ParseArray(text string) (out []Element, ok bool) {
	rest := strings.TrimSpace(text)
	if strings.HasPrefix(rest, "[") {
		_, rest, _ = strings.Cut(rest, "=")
	}
	rest, ok = strings.CutPrefix(rest, "{")
	if !ok {
		return nil, false
	}
	if rest = strings.TrimLeft(rest, arraySpace); rest == "}" {
		return nil, true
	}
	for {
		var e Element
		if e, rest, ok = cutElement(rest); !ok {
			return nil, false
		}
		out = append(out, e)
		rest = strings.TrimLeft(rest, arraySpace)
		if rest == "}" {
			return out, true
		}
		if rest, ok = strings.CutPrefix(rest, ","); !ok {
			return nil, false
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
