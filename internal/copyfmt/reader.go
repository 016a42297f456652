package copyfmt

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"
	"unsafe"

	"golang.org/x/text/encoding"

	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/internal/sqlerr"
)

// Bounds of what is held at a time.
const (
	// BatchRows and BatchBytes, of input, end a Batch.
	BatchRows  = 60 * 2048
	BatchBytes = 8 << 20
	// heldBytes ends a Batch as well: its fields and what they were converted to.
	heldBytes = 4 * BatchBytes
	fieldSize = 16
	// RowBytesMax bounds one row.
	RowBytesMax = 256 << 20
)

// SQLSTATEs of COPY.
const (
	CodeBadCopy        = "22P04" // bad COPY file format
	codeUntranslatable = "22P05"
	codeLimit          = "54000"
)

// Convert turns a field into the text that is to be cast to its column's type: the
// field itself, or dst with the text appended; nil: as it is. What it returns is not
// changed any more.
type Convert func(dst, field []byte) ([]byte, error)

// Target is what rows are read for.
type Target struct {
	Table   string
	Columns []string
	Convert []Convert // one for each column
}

// Reader cuts a stream into batches of rows. Use: Add bytes, then Scan; while it reports a
// full batch, use Batch, Reset, and Scan again; so after End, whatever Rows there are.
type Reader struct {
	opt    Options
	target Target

	buf     []byte
	pos     int // start of the next row
	scan    lineScan
	line    int64 // number of the last line read
	eol     eol
	header  bool // the first line is still to come
	ended   bool // the end was marked in the data
	last    bool // nothing follows buf
	decoder *encoding.Decoder

	rowBytesMax int

	forceNotNull, forceNull []bool
	side                    []byte // fields that are not as in buf
	fields                  []field
	binary                  *binaryState

	batch  rows.Batch
	places []place // of the rows in batch
	held   int     // bytes that batch takes beside the input
	// skipped is the number of rows left out because a field could not be read.
	skipped int64
}

// place is where a row stood.
type place struct {
	line int64
	raw  []byte
}

// field is one field of the row at hand.
type field struct {
	text   []byte
	quoted bool
	null   bool
	deflt  bool // the marker of the column's default
}

// NewReader makes a reader; options must have been checked against the columns.
func NewReader(opt Options, target Target) (*Reader, error) {
	enc, err := encodingOf(opt.Encoding)
	if err != nil {
		return nil, err
	}
	r := &Reader{
		opt: opt, target: target, header: opt.Header != NoHeader, rowBytesMax: RowBytesMax,
		forceNotNull: opt.ForceNotNull.flags(target.Columns), forceNull: opt.ForceNull.flags(target.Columns),
	}
	if enc != nil && opt.Format != Binary {
		r.decoder = enc.NewDecoder()
	}
	if opt.Format == Binary {
		r.binary = &binaryState{}
	}
	n := len(target.Columns)
	if opt.HasDefault {
		n *= 2 // and for each column whether its default is asked for
	}
	r.batch.Cols = make([]rows.Vector, n)
	for i := range r.batch.Cols {
		r.batch.Cols[i].Type = rows.Type{ID: rows.Varchar}
	}
	return r, nil
}

// Add takes the next bytes of the stream; it copies them.
func (r *Reader) Add(data []byte) error {
	if r.ended && r.binary != nil && len(data) > 0 {
		return r.badBinary("received copy data after EOF marker")
	}
	if r.ended {
		return nil // what follows the end of text is not looked at
	}
	if r.decoder != nil {
		converted, err := r.decoder.Bytes(data)
		if err != nil {
			return sqlerr.New(sqlerr.BadEncoding, "invalid byte sequence for encoding %q", r.opt.Encoding)
		}
		data = converted
	}
	if len(r.buf)-r.pos > r.rowBytesMax {
		return r.fail(sqlerr.New(codeLimit, "a row of COPY is longer than %d bytes", r.rowBytesMax))
	}
	r.buf = append(r.buf, data...)
	return nil
}

// End says that the stream has ended.
func (r *Reader) End() { r.last = true }

// Scan reads rows into the batch and reports whether it is full; else the bytes
// are used up, but for the beginning of a row. On an error the rows before it are
// in the batch.
func (r *Reader) Scan() (full bool, err error) {
	for {
		if r.batch.N >= BatchRows || (r.batch.N > 0 && (r.pos >= BatchBytes || r.held >= heldBytes)) {
			return true, nil
		}
		var more bool
		if r.binary != nil {
			more, err = r.binaryRow()
		} else {
			more, err = r.textRow()
		}
		if err != nil || !more {
			return false, err
		}
	}
}

// Held is how many bytes the reader takes.
func (r *Reader) Held() int { return cap(r.buf) + cap(r.side) + r.held }

// Rows is the number of rows in the batch.
func (r *Reader) Rows() int { return r.batch.N }

// Skipped is the number of rows left out for ON_ERROR ignore.
func (r *Reader) Skipped() int64 { return r.skipped }

// Batch is what has been read since Reset. With the option DEFAULT it has twice as
// many columns: the second half is not NULL where a column's default is asked for.
func (r *Reader) Batch() *rows.Batch { return &r.batch }

// Reset empties the batch.
func (r *Reader) Reset() {
	rest := r.buf[r.pos:]
	// The beginning of a row goes to the front; the rest is free, as the strings of
	// the batch are.
	if cap(r.buf) > 4*BatchBytes && len(rest) < BatchBytes {
		r.buf = append(make([]byte, 0, 2*BatchBytes), rest...)
	} else {
		r.buf = r.buf[:copy(r.buf[:cap(r.buf)], rest)]
	}
	r.scan.at -= r.pos
	r.pos = 0
	r.side = nil
	r.places = r.places[:0]
	r.batch.N, r.held = 0, 0
	for i := range r.batch.Cols {
		v := &r.batch.Cols[i]
		clear(v.Str)
		v.Str = v.Str[:0]
		clear(v.Nulls)
	}
}

// textRow reads one row of text or CSV; false: there is no whole one.
func (r *Reader) textRow() (bool, error) {
	for {
		if r.ended {
			r.pos = len(r.buf)
			return false, nil
		}
		line, next, ok, err := r.nextLine()
		if err != nil || !ok {
			if err != nil {
				err = r.fail(err)
			}
			return false, err
		}
		r.scan = lineScan{at: next}
		r.pos = next
		if len(line) == 2 && line[0] == '\\' && line[1] == '.' {
			r.ended = true
			continue
		}
		if !utf8.Valid(line) || bytes.IndexByte(line, 0) >= 0 {
			return false, r.failAt(BadEncoding(line), nil)
		}
		if r.header {
			r.header = false
			if err := r.checkHeader(line); err != nil {
				return false, err
			}
			continue
		}
		return true, r.addRow(line)
	}
}

// badUTF8 is the error of text that begins with bytes that are no UTF-8. Like Postgres
// it names as many bytes as the first one announces.
func badUTF8(text []byte) error {
	announced := 1
	switch c := text[0]; {
	case c&0xe0 == 0xc0:
		announced = 2
	case c&0xf0 == 0xe0:
		announced = 3
	case c&0xf8 == 0xf0:
		announced = 4
	}
	var names strings.Builder
	for _, c := range text[:min(announced, len(text))] {
		fmt.Fprintf(&names, " 0x%02x", c)
	}
	return sqlerr.New(sqlerr.BadEncoding, "invalid byte sequence for encoding \"UTF8\":%s", names.String())
}

// BadEncoding names the bytes that are no UTF-8.
func BadEncoding(line []byte) error {
	for i := 0; i < len(line); {
		c, n := utf8.DecodeRune(line[i:])
		if c == utf8.RuneError && n <= 1 || line[i] == 0 {
			return badUTF8(line[i:])
		}
		i += n
	}
	return sqlerr.New(sqlerr.BadEncoding, "invalid byte sequence for encoding \"UTF8\"")
}

// split cuts a line into r.fields.
func (r *Reader) split(line []byte) error {
	r.fields = r.fields[:0]
	if r.opt.Format == CSV {
		return r.splitCSV(line)
	}
	return r.splitText(line)
}

// checkHeader compares the names of the first line, if that is asked for.
func (r *Reader) checkHeader(line []byte) error {
	if r.opt.Header != MatchHeader {
		return nil
	}
	if err := r.split(line); err != nil {
		return r.failAt(err, line)
	}
	if len(r.fields) != len(r.target.Columns) {
		return r.failAt(sqlerr.New(CodeBadCopy, "wrong number of fields in header line: got %d, expected %d", len(r.fields), len(r.target.Columns)), line)
	}
	for i, f := range r.fields {
		switch {
		case f.null:
			return r.failAt(sqlerr.New(CodeBadCopy, "column name mismatch in header line field %d: got null value (\"%s\"), expected %q",
				i+1, r.opt.Null, r.target.Columns[i]), line)
		case string(f.text) != r.target.Columns[i]:
			return r.failAt(sqlerr.New(CodeBadCopy, "column name mismatch in header line field %d: got %q, expected %q",
				i+1, f.text, r.target.Columns[i]), line)
		}
	}
	return nil
}

// addRow adds a line's fields to the batch.
func (r *Reader) addRow(line []byte) error {
	if err := r.split(line); err != nil {
		return r.failAt(err, line)
	}
	columns := r.target.Columns
	switch n := len(r.fields); {
	case n > len(columns):
		return r.failAt(sqlerr.New(CodeBadCopy, "extra data after last expected column"), line)
	case n < len(columns):
		return r.failAt(sqlerr.New(CodeBadCopy, "missing data for column %q", columns[n]), line)
	}
	for i := range r.fields {
		err := r.convertField(i)
		switch {
		case err == nil:
		case r.opt.IgnoreErrors:
			r.skipped++
			return nil
		default:
			return r.failIn(err, i, r.fields[i].text)
		}
	}
	r.push(line)
	return nil
}

// convertedBytes is the room for a converted field; longer ones get their own.
const convertedBytes = 64

// convertField applies what options and the column's type say to field i.
func (r *Reader) convertField(i int) error {
	f := &r.fields[i]
	if r.opt.Format == CSV {
		switch {
		case f.null && r.forceNotNull[i]:
			f.null, f.text = false, []byte(r.opt.Null)
		case !f.null && !f.deflt && r.forceNull[i] && string(f.text) == r.opt.Null:
			f.null = true
		}
	}
	if conv := r.target.Convert[i]; conv != nil && !f.null && !f.deflt {
		room := r.room(convertedBytes)
		text, err := conv(room, f.text)
		if err != nil {
			return err
		}
		r.held += len(text)
		if len(text) > 0 && &text[0] == &room[:1][0] {
			r.keep(text)
		}
		f.text = text
	}
	return nil
}

// push adds r.fields to the batch.
func (r *Reader) push(raw []byte) {
	n := r.batch.N
	r.batch.N++
	r.held += fieldSize * len(r.batch.Cols)
	for i := range r.fields {
		f := &r.fields[i]
		r.set(i, n, f.text, f.null || f.deflt)
		if r.opt.HasDefault {
			var mark []byte
			if f.deflt {
				mark = []byte("t")
			}
			r.set(len(r.fields)+i, n, mark, !f.deflt)
		}
	}
	r.places = append(r.places, place{r.line, raw})
}

func (r *Reader) set(col, row int, text []byte, null bool) {
	v := &r.batch.Cols[col]
	if null {
		v.Str = append(v.Str, "")
		v.SetNull(row, BatchRows+1)
		return
	}
	v.Str = append(v.Str, unsafe.String(unsafe.SliceData(text), len(text)))
}

// displayMax is how many bytes of the input an error shows.
const displayMax = 100

// shown is input as an error shows it.
func shown(raw []byte) string {
	if len(raw) > displayMax {
		n := displayMax
		for n > 0 && !utf8.RuneStart(raw[n]) {
			n--
		}
		return string(raw[:n]) + "..."
	}
	return string(raw)
}

// fail adds the line at hand to an error.
func (r *Reader) fail(err error) error {
	return withContext(err, fmt.Sprintf("COPY %s, line %d", r.target.Table, max(r.line, 1)))
}

// failAt adds the line at hand and its text.
func (r *Reader) failAt(err error, line []byte) error {
	if line == nil {
		return r.fail(err)
	}
	return withContext(err, fmt.Sprintf("COPY %s, line %d: \"%s\"", r.target.Table, r.line, shown(line)))
}

// failIn adds the line and column at hand and the field's text.
func (r *Reader) failIn(err error, col int, text []byte) error {
	context := fmt.Sprintf("COPY %s, line %d, column %s", r.target.Table, r.line, r.target.Columns[col])
	if r.binary == nil {
		context += ": \"" + shown(text) + "\""
	}
	return withContext(err, context)
}

// Context says of a row of the batch, and of its column if that is not negative,
// where it stood, for an error.
func (r *Reader) Context(row, col int) string {
	if row < 0 || row >= len(r.places) {
		return "COPY " + r.target.Table
	}
	p := r.places[row]
	context := fmt.Sprintf("COPY %s, line %d", r.target.Table, p.line)
	switch {
	case col >= 0 && col < len(r.target.Columns):
		context += ", column " + r.target.Columns[col]
		if v := &r.batch.Cols[col]; r.binary == nil && v.IsNull(row) {
			context += ": null input"
		} else if r.binary == nil {
			context += ": \"" + shown([]byte(v.Str[row])) + "\""
		}
	case p.raw != nil:
		context += ": \"" + shown(p.raw) + "\""
	}
	return context
}

// BatchContext says between which lines the rows of the batch stood.
func (r *Reader) BatchContext() string {
	switch n := len(r.places); {
	case n == 0:
		return "COPY " + r.target.Table
	case n == 1:
		return r.Context(0, -1)
	default:
		return fmt.Sprintf("COPY %s, lines %d to %d", r.target.Table, r.places[0].line, r.places[n-1].line)
	}
}

// withContext says where an error occurred, unless it says so already.
func withContext(err error, context string) error {
	e := *sqlerr.From(err)
	if e.Context == "" {
		e.Context = context
	}
	return &e
}
