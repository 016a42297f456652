package copyfmt

import (
	"bytes"
	"encoding/binary"
	"strings"

	"golang.org/x/text/encoding"

	"github.com/trireme-db/trireme/internal/sqlerr"
)

// Writer turns values into fields and rows.
type Writer struct {
	opt        Options
	columns    []string
	forceQuote []bool
	special    [256]bool // bytes that need escapes, or quotes in CSV
	encoder    *encoding.Encoder
}

// NewWriter makes a writer; options must have been checked against the columns.
func NewWriter(opt Options, columns []string) (*Writer, error) {
	enc, err := encodingOf(opt.Encoding)
	if err != nil {
		return nil, err
	}
	w := &Writer{opt: opt, columns: columns, forceQuote: opt.ForceQuote.flags(columns)}
	if enc != nil && opt.Format != Binary {
		w.encoder = enc.NewEncoder()
	}
	special := "\b\f\n\r\t\v\\"
	if opt.Format == CSV {
		special = "\n\r" + string([]byte{opt.Quote})
	}
	for i := range len(special) {
		w.special[special[i]] = true
	}
	w.special[opt.Delimiter] = true
	return w, nil
}

// Header appends what comes before the rows, as rows of its own (own) or as the
// beginning of the first message.
func (w *Writer) Header(dst []byte) (out []byte, own bool, err error) {
	switch {
	case w.opt.Format == Binary:
		dst = append(dst, Signature...)
		return append(dst, 0, 0, 0, 0, 0, 0, 0, 0), false, nil
	case w.opt.Header == NoHeader:
		return dst, false, nil
	}
	begin := len(dst)
	for i, name := range w.columns {
		if i > 0 {
			dst = append(dst, w.opt.Delimiter)
		}
		start := len(dst)
		dst = append(dst, name...)
		if w.opt.Format == CSV {
			dst = w.quoteCSV(dst, start, false)
		} else {
			dst = w.escapeText(dst, start)
		}
	}
	out, err = w.EndRow(dst, begin)
	return out, true, err
}

// Trailer appends what comes after the rows.
func (w *Writer) Trailer(dst []byte) []byte {
	if w.opt.Format == Binary {
		return append(dst, 0xff, 0xff)
	}
	return dst
}

// BeginRow appends what comes before the first field.
func (w *Writer) BeginRow(dst []byte) []byte {
	if w.opt.Format == Binary {
		return binary.BigEndian.AppendUint16(dst, uint16(len(w.columns)))
	}
	return dst
}

// BeginField appends what comes before the value of column i.
func (w *Writer) BeginField(dst []byte, i int) []byte {
	switch {
	case w.opt.Format == Binary:
		return append(dst, 0xff, 0xff, 0xff, 0xff) // the length of NULL
	case i > 0:
		return append(dst, w.opt.Delimiter)
	}
	return dst
}

// EndField makes a field of column i of the value's bytes, which begin at start.
func (w *Writer) EndField(dst []byte, start, i int) []byte {
	switch w.opt.Format {
	case Binary:
		binary.BigEndian.PutUint32(dst[start-4:], uint32(len(dst)-start))
		return dst
	case CSV:
		return w.quoteCSV(dst, start, w.forceQuote[i])
	default:
		return w.escapeText(dst, start)
	}
}

// PlainNumbers reports whether numbers in column i are written as they are.
func (w *Writer) PlainNumbers(i int) bool {
	for _, c := range "+-.0123456789" {
		if w.special[c] {
			return false
		}
	}
	return !w.forceQuote[i] && (w.opt.Format == Text || !strings.ContainsAny(w.opt.Null, "0123456789"))
}

// NullField appends NULL.
func (w *Writer) NullField(dst []byte) []byte {
	if w.opt.Format == Binary {
		return dst
	}
	return append(dst, w.opt.Null...)
}

// EndRow appends what comes after the last field of the row that begins at start.
func (w *Writer) EndRow(dst []byte, start int) ([]byte, error) {
	if w.opt.Format == Binary {
		return dst, nil
	}
	dst = append(dst, '\n')
	if w.encoder == nil {
		return dst, nil
	}
	converted, err := w.encoder.Bytes(dst[start:])
	if err != nil {
		return dst, w.unencodable(string(dst[start:]))
	}
	return append(dst[:start], converted...), nil
}

// unencodable says which character of a text the encoding does not have.
func (w *Writer) unencodable(text string) error {
	for _, r := range text {
		if _, err := w.encoder.String(string(r)); err != nil {
			return sqlerr.New(codeUntranslatable, "character with byte sequence %# x in encoding \"UTF8\" has no equivalent in encoding %q", string(r), strings.ToUpper(w.opt.Encoding)).
				WithHint("Write it in UTF8.")
		}
	}
	return sqlerr.New(codeUntranslatable, "a row has no equivalent in encoding %q", strings.ToUpper(w.opt.Encoding))
}

// escapeText puts backslashes into the field from start on.
func (w *Writer) escapeText(dst []byte, start int) []byte {
	at := w.firstSpecial(dst[start:])
	if at < 0 {
		return dst
	}
	raw := bytes.Clone(dst[start+at:])
	dst = dst[:start+at]
	for _, c := range raw {
		if !w.special[c] {
			dst = append(dst, c)
			continue
		}
		dst = append(dst, '\\')
		switch c {
		case '\b':
			c = 'b'
		case '\f':
			c = 'f'
		case '\n':
			c = 'n'
		case '\r':
			c = 'r'
		case '\t':
			c = 't'
		case '\v':
			c = 'v'
		}
		dst = append(dst, c)
	}
	return dst
}

func (w *Writer) firstSpecial(field []byte) int {
	for i, c := range field {
		if w.special[c] {
			return i
		}
	}
	return -1
}

// quoteCSV puts the field from start on into quotes, if it has to be or must.
func (w *Writer) quoteCSV(dst []byte, start int, must bool) []byte {
	field := dst[start:]
	if !must && w.firstSpecial(field) < 0 && string(field) != w.opt.Null && !(len(w.columns) == 1 && string(field) == `\.`) {
		return dst
	}
	raw := bytes.Clone(field)
	dst = append(dst[:start], w.opt.Quote)
	for _, c := range raw {
		if c == w.opt.Quote || c == w.opt.Escape {
			dst = append(dst, w.opt.Escape)
		}
		dst = append(dst, c)
	}
	return append(dst, w.opt.Quote)
}
