package main

import (
	"encoding/json"
	"strings"

	"github.com/trireme-db/trireme/internal/rows"
)

// nestedTypes are the types whose values are JSON arrays and objects.
var nestedTypes = map[rows.TypeID]bool{rows.List: true, rows.Array: true, rows.Struct: true, rows.Other: true}

// nestedJSON is the JSON of a list, a struct or a map: an array, or an object whose names are the fields or
// the keys. text is DuckDB's text of the value, typ DuckDB's name of its type. ok is false for
// what has another form.
func nestedJSON(typ, text string) (out []byte, ok bool) {
	r := &nestedReader{rest: text}
	out, ok = r.value(typ, false)
	return out, ok && r.rest == ""
}

// nestedReader reads DuckDB's text of a nested value: elements are separated by commas, and in single
// quotes with backslashes where they have to be.
type nestedReader struct{ rest string }

func (r *nestedReader) take(prefix string) bool {
	rest, ok := strings.CutPrefix(r.rest, prefix)
	r.rest = rest
	return ok
}

// value reads one value; isKey: it ends before =.
func (r *nestedReader) value(typ string, isKey bool) ([]byte, bool) {
	if r.isNull() {
		r.take("NULL")
		return []byte("null"), true
	}
	if strings.HasSuffix(typ, "]") {
		element := typ[:strings.LastIndexByte(typ, '[')]
		return r.series("[", "]", '[', ']', func(int) ([]byte, bool) { return r.value(element, false) })
	}
	if parts, ok := typeParts(typ, "STRUCT"); ok {
		return r.structure(parts)
	}
	if parts, ok := typeParts(typ, "MAP"); ok && len(parts) == 2 {
		return r.series("{", "}", '{', '}', func(int) ([]byte, bool) { return r.entry(parts[0], parts[1]) })
	}
	return r.scalar(typ, isKey)
}

// isNull reports whether a NULL comes next, which stands without quotes.
func (r *nestedReader) isNull() bool {
	rest, ok := strings.CutPrefix(r.rest, "NULL")
	return ok && (rest == "" || strings.HasPrefix(rest, ", ") || strings.ContainsAny(rest[:1], "]})="))
}

// series reads values between an opening and a closing sign.
func (r *nestedReader) series(open, end string, jsonOpen, jsonEnd byte, one func(i int) ([]byte, bool)) ([]byte, bool) {
	if !r.take(open) {
		return nil, false
	}
	out := []byte{jsonOpen}
	for i := 0; !r.take(end); i++ {
		if i > 0 {
			if !r.take(", ") {
				return nil, false
			}
			out = append(out, ", "...)
		}
		value, ok := one(i)
		if !ok {
			return nil, false
		}
		out = append(out, value...)
	}
	return append(out, jsonEnd), true
}

// structure reads a struct whose fields have names, or one that has none: a row, which is an array.
func (r *nestedReader) structure(fields []string) ([]byte, bool) {
	if strings.HasPrefix(r.rest, "(") {
		return r.series("(", ")", '[', ']', func(i int) ([]byte, bool) {
			if i >= len(fields) {
				return nil, false
			}
			return r.value(fields[i], false)
		})
	}
	return r.series("{", "}", '{', '}', func(i int) ([]byte, bool) {
		if i >= len(fields) {
			return nil, false
		}
		name, ok := r.quoted()
		if !ok || !r.take(": ") {
			return nil, false
		}
		_, typ := cutName(fields[i])
		value, ok := r.value(typ, false)
		key, err := marshal(name)
		return append(append(key, ": "...), value...), ok && err == nil
	})
}

// entry reads an entry of a map. A key that is not a text is one in JSON.
func (r *nestedReader) entry(keyType, valueType string) ([]byte, bool) {
	key, ok := r.value(keyType, true)
	if !ok || !r.take("=") {
		return nil, false
	}
	if len(key) == 0 || key[0] != '"' {
		quoted, err := marshal(string(key))
		if err != nil {
			return nil, false
		}
		key = quoted
	}
	value, ok := r.value(valueType, false)
	return append(append(key, ": "...), value...), ok
}

// scalar reads a value that is not nested.
func (r *nestedReader) scalar(typ string, isKey bool) ([]byte, bool) {
	text, quoted := r.quoted()
	if !quoted && typ == "JSON" {
		d := json.NewDecoder(strings.NewReader(r.rest))
		var value json.RawMessage
		err := d.Decode(&value)
		r.rest = r.rest[d.InputOffset():]
		return value, err == nil
	}
	if !quoted {
		end := len(r.rest)
		for _, sign := range []string{", ", "]", "}", ")"} {
			if at := strings.Index(r.rest, sign); at >= 0 {
				end = min(end, at)
			}
		}
		if at := strings.IndexByte(r.rest, '='); isKey && at >= 0 {
			end = min(end, at)
		}
		text, r.rest = r.rest[:end], r.rest[end:]
	}
	switch name, _, _ := strings.Cut(typ, "("); name {
	case "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", "UHUGEINT",
		"DECIMAL", "FLOAT", "DOUBLE", "BOOLEAN", "JSON":
		if json.Valid([]byte(text)) {
			return []byte(text), true
		}
	}
	out, err := marshal(text)
	return out, err == nil
}

// quoted reads a text in single quotes, if one comes next.
func (r *nestedReader) quoted() (string, bool) {
	if !strings.HasPrefix(r.rest, "'") {
		return "", false
	}
	var out strings.Builder
	for i := 1; i < len(r.rest); i++ {
		switch c := r.rest[i]; {
		case c == '\\' && i+1 < len(r.rest):
			i++
			out.WriteByte(r.rest[i])
		case c == '\'':
			r.rest = r.rest[i+1:]
			return out.String(), true
		default:
			out.WriteByte(c)
		}
	}
	return "", false
}

// typeParts are the parts of a type such as STRUCT(a INTEGER, b VARCHAR[]).
func typeParts(typ, name string) (parts []string, ok bool) {
	inner, ok := strings.CutPrefix(typ, name+"(")
	if !ok || !strings.HasSuffix(inner, ")") {
		return nil, false
	}
	inner = inner[:len(inner)-1]
	depth, from, inName := 0, 0, false
	for i := range len(inner) {
		switch inner[i] {
		case '"', '\'':
			inName = !inName
		case '(':
			depth++
		case ')':
			depth--
		case ',':
			if depth == 0 && !inName {
				parts = append(parts, strings.TrimSpace(inner[from:i]))
				from = i + 1
			}
		}
	}
	return append(parts, strings.TrimSpace(inner[from:])), true
}

// cutName splits the name of a field from its type.
func cutName(field string) (name, typ string) {
	if strings.HasPrefix(field, `"`) {
		for i := 1; i < len(field); i++ {
			if field[i] == '"' {
				if i+1 < len(field) && field[i+1] == '"' {
					i++
					continue
				}
				return field[:i+1], strings.TrimSpace(field[i+1:])
			}
		}
	}
	name, typ, _ = strings.Cut(field, " ")
	return name, typ
}
