package jsonb

import (
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"strings"

	"github.com/trireme-db/trireme/internal/sqlerr"
)

// kind is what a value is.
type kind uint8

const (
	null kind = iota
	boolean
	number
	text
	array
	object
)

// value is a value of JSON.
type value struct {
	kind kind
	// scalar is the text of a scalar: a string's without its quotes.
	scalar string
	items  []value // of an array, or of an object by keys
	keys   []string
	work   *work // that it was read for
}

// depthMax is how deep values may stand in one another, as DuckDB reads them.
const depthMax = 1000

// parse reads a text.
func parse(w *work, src string) (value, error) {
	d := &decoder{json.NewDecoder(&source{w, strings.NewReader(src)}), w}
	d.UseNumber()
	v, err := read(d, depthMax)
	if err == nil {
		if _, after := d.Token(); !errors.Is(after, io.EOF) {
			err = errMalformed("there is more behind its end")
		}
	}
	return v, err
}

func errMalformed(why string) error {
	return sqlerr.New(sqlerr.InvalidText, "invalid input syntax for type json: %s", why)
}

// decoder reads for a work.
type decoder struct {
	*json.Decoder
	work *work
}

// source is a text that is read for a work.
type source struct {
	work *work
	*strings.Reader
}

// Read reads a part.
func (s *source) Read(p []byte) (int, error) {
	s.work.take(len(p))
	return s.Reader.Read(p)
}

// read reads one value, in which others may stand so deep.
func read(d *decoder, depth int) (value, error) {
	t, err := d.Token()
	if err != nil {
		return value{}, errMalformed(err.Error())
	}
	switch t := t.(type) {
	case bool:
		return value{work: d.work, kind: boolean, scalar: strconv.FormatBool(t)}, nil
	case json.Number:
		return value{work: d.work, kind: number, scalar: t.String()}, nil
	case string:
		return value{work: d.work, kind: text, scalar: t}, nil
	case json.Delim:
		if depth == 0 {
			return value{}, errMalformed("it is nested too deeply")
		}
		if t == '[' {
			return readArray(d, depth-1)
		}
		return readObject(d, depth-1)
	}
	return value{work: d.work}, nil
}

func readArray(d *decoder, depth int) (value, error) {
	v := value{work: d.work, kind: array}
	for d.More() {
		item, err := read(d, depth)
		if err != nil {
			return v, err
		}
		v.items = append(v.items, item)
	}
	return v, closed(d)
}

func readObject(d *decoder, depth int) (value, error) {
	v := value{work: d.work, kind: object}
	places := map[string]int{}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return v, errMalformed(err.Error())
		}
		item, err := read(d, depth)
		if err != nil {
			return v, err
		}
		name, _ := key.(string) // the decoder takes no other key
		if at, twice := places[name]; twice {
			v.items[at] = item
			continue
		}
		places[name] = len(v.keys)
		v.keys, v.items = append(v.keys, name), append(v.items, item)
	}
	return v, closed(d)
}

// closed reads the bracket at the end.
func closed(d *decoder) error {
	if _, err := d.Token(); err != nil {
		return errMalformed(err.Error())
	}
	return nil
}

// key is the place of a key in an object; -1: it has none.
func (v *value) key(name string) int {
	if v.kind == object {
		v.work.take(len(v.keys))
		for i, k := range v.keys {
			if k == name {
				return i
			}
		}
	}
	return -1
}

func (v *value) isContainer() bool { return v.kind == array || v.kind == object }

// String is the text without blanks.
func (v *value) String() string {
	var b strings.Builder
	v.write(&b)
	return b.String()
}

func (v *value) write(b *strings.Builder) {
	switch v.kind {
	case null:
		b.WriteString("null")
	case text:
		writeText(b, v.scalar)
	case array, object:
		open, end := byte('['), byte(']')
		if v.kind == object {
			open, end = '{', '}'
		}
		b.WriteByte(open)
		for i := range v.items {
			v.work.made(b.Len())
			if i > 0 {
				b.WriteByte(',')
			}
			if v.kind == object {
				writeText(b, v.keys[i])
				b.WriteByte(':')
			}
			v.items[i].write(b)
		}
		b.WriteByte(end)
	default:
		b.WriteString(v.scalar)
	}
}

// writeText writes a string with quotes.
func writeText(b *strings.Builder, s string) {
	const hex = "0123456789abcdef"
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\b':
			b.WriteString(`\b`)
		case r == '\f':
			b.WriteString(`\f`)
		case r < ' ':
			b.WriteString(`\u00`)
			b.WriteByte(hex[r>>4])
			b.WriteByte(hex[r&15])
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
}

// pretty writes v with line ends, as jsonb_pretty does.
func (v *value) pretty(b *strings.Builder, indent string) {
	if !v.isContainer() {
		v.write(b)
		return
	}
	open, end := "[", "]"
	if v.kind == object {
		open, end = "{", "}"
	}
	inner := indent + "    "
	b.WriteString(open + "\n")
	for i := range v.items {
		v.work.made(b.Len())
		b.WriteString(inner)
		if v.kind == object {
			writeText(b, v.keys[i])
			b.WriteString(": ")
		}
		v.items[i].pretty(b, inner)
		if i < len(v.items)-1 {
			b.WriteByte(',')
		}
		b.WriteByte('\n')
	}
	b.WriteString(indent + end)
}
