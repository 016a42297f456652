package rows

import (
	"slices"
	"strings"
)

// IsNested reports whether the values of a type are made of others, or are none that
// Go has: a Vector holds their texts.
func (t Type) IsNested() bool {
	switch t.ID {
	case List, Array, Struct, Other:
		return true
	}
	return false
}

// TextLosesValue reports whether DuckDB does not cast the text of a value, which is what
// a Vector holds, back to the value: it does not read that of a UNION or VARIANT, and JSON
// within others is shown as it is, but read by the syntax of what it is in, so that a
// string loses its quotes.
func (t Type) TextLosesValue() bool {
	if !t.IsNested() {
		return false
	}
	loses := false
	t.mapUnquoted(func(text string) string {
		loses = loses || slices.ContainsFunc(strings.FieldsFunc(text, notOfName), func(word string) bool {
			return word == "UNION" || word == "VARIANT" || word == "JSON" || word == "JSONB"
		})
		return text
	})
	return loses
}

func notOfName(r rune) bool {
	return r != '_' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
}

// WithLists is the type with a list in the place of each array. In the text of an array
// DuckDB puts no element into quotes, so that the value does not come back from it; that of the
// same list is the text to keep.
func (t Type) WithLists() Type {
	if !t.IsNested() {
		return t
	}
	out := Type{ID: t.ID, Name: t.mapUnquoted(func(text string) string {
		for from := 0; ; {
			open := strings.IndexByte(text[from:], '[')
			if open < 0 {
				return text
			}
			from += open + 1
			if length := strings.IndexByte(text[from:], ']'); length > 0 {
				text = text[:from] + text[from+length:]
			}
		}
	})}
	if t.ID == Array {
		out.ID = List
	}
	return out
}

// mapUnquoted is the name of the type with its parts outside of quotes mapped.
func (t Type) mapUnquoted(f func(string) string) string {
	var out strings.Builder
	rest := t.Name
	for {
		at := strings.IndexAny(rest, `"'`)
		if at < 0 {
			return out.String() + f(rest)
		}
		end := len(rest)
		if closing := strings.IndexByte(rest[at+1:], rest[at]); closing >= 0 { // a doubled quote begins another part
			end = at + 1 + closing + 1
		}
		out.WriteString(f(rest[:at]))
		out.WriteString(rest[at:end])
		rest = rest[end:]
	}
}
