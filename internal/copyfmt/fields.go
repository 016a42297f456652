package copyfmt

import (
	"bytes"
	"unicode/utf8"

	"github.com/trireme-db/trireme/internal/sqlerr"
)

// splitText cuts a line of the text format into r.fields.
func (r *Reader) splitText(line []byte) error {
	if bytes.IndexByte(line, '\\') < 0 {
		r.splitPlain(line)
		return nil
	}
	for {
		end, escaped := fieldEnd(line, r.opt.Delimiter)
		raw := line[:end]
		f := field{text: raw, null: string(raw) == r.opt.Null, deflt: r.isDefault(raw)}
		if escaped && !f.null && !f.deflt {
			text, err := r.unescape(raw)
			if err != nil {
				return err
			}
			f.text = text
		}
		r.fields = append(r.fields, f)
		if end == len(line) {
			return nil
		}
		line = line[end+1:]
	}
}

func (r *Reader) isDefault(raw []byte) bool { return r.opt.HasDefault && string(raw) == r.opt.Default }

// splitPlain cuts a line in which nothing but the delimiter has a meaning.
func (r *Reader) splitPlain(line []byte) {
	for {
		i := bytes.IndexByte(line, r.opt.Delimiter)
		raw := line
		if i >= 0 {
			raw = line[:i]
		}
		r.fields = append(r.fields, field{text: raw, null: string(raw) == r.opt.Null, deflt: r.isDefault(raw)})
		if i < 0 {
			return
		}
		line = line[i+1:]
	}
}

// fieldEnd finds the end of a field and whether it has a backslash.
func fieldEnd(line []byte, delimiter byte) (end int, escaped bool) {
	for i := 0; i < len(line); i++ {
		switch line[i] {
		case '\\':
			escaped = true
			i++
		case delimiter:
			return i, escaped
		}
	}
	return len(line), escaped
}

// escapes are the letters behind a backslash that stand for another byte.
var escapes = [256]byte{'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t', 'v': '\v'}

// unescape resolves the backslashes of a field, into r.side.
func (r *Reader) unescape(raw []byte) ([]byte, error) {
	out := r.room(len(raw))
	coded := false
	for i := 0; i < len(raw); i++ {
		c := raw[i]
		if c != '\\' || i+1 == len(raw) {
			out = append(out, c)
			continue
		}
		i++
		switch c = raw[i]; {
		case escapes[c] != 0:
			out = append(out, escapes[c])
		case c >= '0' && c <= '7':
			value, n := digits(raw[i:], 8, 3)
			out, coded = append(out, value), true
			i += n - 1
		case c == 'x' && i+1 < len(raw) && hexValue(raw[i+1]) < 16:
			value, n := digits(raw[i+1:], 16, 2)
			out, coded = append(out, value), true
			i += n
		case c == '.':
			return nil, sqlerr.New(CodeBadCopy, "end-of-copy marker corrupt")
		default:
			out = append(out, c)
		}
	}
	if coded && (!utf8.Valid(out) || bytes.IndexByte(out, 0) >= 0) {
		return nil, BadEncoding(out)
	}
	r.keep(out)
	return out, nil
}

// digits reads up to width digits of a base, and how many there are.
func digits(s []byte, base, width int) (value byte, n int) {
	v := 0
	for n < width && n < len(s) && hexValue(s[n]) < base {
		v = v*base + hexValue(s[n])
		n++
	}
	return byte(v), n
}

// hexValue is a digit's value; 16 for what is none.
func hexValue(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c >= 'a' && c <= 'f':
		return int(c-'a') + 10
	case c >= 'A' && c <= 'F':
		return int(c-'A') + 10
	}
	return 16
}

// sideBytes is the size of a block of r.side.
const sideBytes = 64 << 10

// room returns an empty slice at the end of r.side with space for n bytes; what is
// put there stays when keep is told of it.
func (r *Reader) room(n int) []byte {
	if cap(r.side)-len(r.side) < n {
		r.side = make([]byte, 0, max(n, sideBytes))
	}
	return r.side[len(r.side):]
}

func (r *Reader) keep(b []byte) { r.side = r.side[:len(r.side)+len(b)] }

// splitCSV cuts a row of CSV into r.fields.
func (r *Reader) splitCSV(line []byte) error {
	if bytes.IndexByte(line, r.opt.Quote) < 0 {
		r.splitPlain(line)
		return nil
	}
	for {
		f, rest, more, err := r.fieldCSV(line)
		if err != nil {
			return err
		}
		r.fields = append(r.fields, f)
		if !more {
			return nil
		}
		line = rest
	}
}

// fieldCSV takes the first field of a row; more says that another one follows.
func (r *Reader) fieldCSV(line []byte) (f field, rest []byte, more bool, err error) {
	out := r.room(len(line))
	i := 0
	for i < len(line) && line[i] != r.opt.Delimiter {
		if line[i] != r.opt.Quote {
			out = append(out, line[i])
			i++
			continue
		}
		f.quoted = true
		var n int
		if out, n = r.quotedCSV(out, line[i+1:]); n < 0 {
			return f, nil, false, sqlerr.New(CodeBadCopy, "unterminated CSV quoted field")
		}
		i += 1 + n
	}
	r.keep(out)
	f.text = out
	f.null = !f.quoted && string(out) == r.opt.Null
	f.deflt = !f.quoted && r.isDefault(out)
	if i == len(line) {
		return f, nil, false, nil
	}
	return f, line[i+1:], true, nil
}

// quotedCSV appends what stands between quotes, of which the first has been read,
// and returns how far the last one reaches; -1: there is none.
func (r *Reader) quotedCSV(out, in []byte) ([]byte, int) {
	quote, escape := r.opt.Quote, r.opt.Escape
	for i := 0; i < len(in); i++ {
		c := in[i]
		if c == escape && i+1 < len(in) && (in[i+1] == escape || in[i+1] == quote) {
			out = append(out, in[i+1])
			i++
			continue
		}
		if c == quote {
			return out, i + 1
		}
		out = append(out, c)
	}
	return out, -1
}
