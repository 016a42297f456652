package coofile

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"
	"unsafe"

	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/internal/sqlerr"
)

// Format is a format of files.
type Format string

// The formats.
const (
	MatrixMarket Format = "mtx"
	FROSTT       Format = "tns"
	SNAP         Format = "edges"
)

// FormatOf tells the format from a file's name; false: it does not say.
func FormatOf(name string) (Format, bool) {
	name = filepath.Base(strings.TrimSuffix(strings.ToLower(name), ".gz"))
	switch {
	case strings.HasSuffix(name, ".mtx"):
		return MatrixMarket, true
	case strings.HasSuffix(name, ".tns"):
		return FROSTT, true
	case strings.HasSuffix(name, ".txt"), strings.HasSuffix(name, ".edges"), strings.HasSuffix(name, ".el"), strings.HasSuffix(name, ".tsv"),
		strings.HasSuffix(name, ".csv"), strings.HasPrefix(name, konectPrefix):
		return SNAP, true
	}
	return "", false
}

// konectPrefix begins the names of KONECT's files.
const konectPrefix = "out."

// NameOf is what a file is called without its folder and what says its format.
func NameOf(path string) string {
	name := strings.TrimSuffix(filepath.Base(path), ".gz")
	if rest, ok := strings.CutPrefix(name, konectPrefix); ok && rest != "" {
		return rest
	}
	return strings.TrimSuffix(name, filepath.Ext(name))
}

// Options say how a file is read.
type Options struct {
	Format Format
	// Integers makes values BIGINT where the format does not say what they are: in
	// FROSTT files and on edges. The default is DOUBLE.
	Integers bool
}

// batchRows is the number of rows of a batch.
const batchRows = 2048

// lineMaxBytes bounds a line: no line of numbers is as long.
const lineMaxBytes = 1 << 20

// Reader delivers the entries of a file.
type Reader struct {
	name    string
	in      *bufio.Reader
	line    int
	columns []rows.Column
	integer []bool // per column
	// entry reads the next entry into cells, or reports the end. mirrored says that
	// the same entry follows with the first two indices exchanged, its value negated
	// where negate says so.
	entry    func(cells []cell) (ok, mirrored bool, err error)
	negate   bool
	cells    []cell
	pending  bool // the mirror of cells is to be delivered
	batch    rows.Batch
	finished bool
	// ahead is a line that was read to learn the columns.
	ahead []byte
}

// cell is a number: i of a column of integers, else f.
type cell struct {
	i int64
	f float64
}

// NewReader reads the header of a file, whose name is for errors.
func NewReader(name string, in io.Reader, opt Options) (*Reader, error) {
	r := &Reader{name: name, in: bufio.NewReaderSize(in, lineMaxBytes)}
	err := r.skipMark()
	if err != nil {
		return nil, err
	}
	switch opt.Format {
	case MatrixMarket:
		err = r.openMatrix()
	case FROSTT:
		err = r.openTensor(opt)
	case SNAP:
		err = r.openEdges(opt)
	default:
		err = sqlerr.New(sqlerr.InvalidParameter, "unknown format %q of %s", opt.Format, name).
			WithHint("The formats are mtx (Matrix Market), tns (FROSTT) and edges (SNAP, KONECT, CSV).")
	}
	if err != nil {
		return nil, err
	}
	r.cells = make([]cell, len(r.columns))
	r.batch.Cols = make([]rows.Vector, len(r.columns))
	for c, col := range r.columns {
		r.integer = append(r.integer, !col.Type.IsFloat())
		v := rows.Vector{Type: col.Type}
		if r.integer[c] {
			v.I64 = make([]int64, batchRows)
		} else {
			v.F64 = make([]float64, batchRows)
		}
		r.batch.Cols[c] = v
	}
	return r, nil
}

// byteOrderMark begins files of some editors and says nothing of UTF-8.
const byteOrderMark = "\ufeff"

// skipMark passes over a byte order mark.
func (r *Reader) skipMark() error {
	head, err := r.in.Peek(len(byteOrderMark))
	if string(head) == byteOrderMark {
		_, err = r.in.Discard(len(head))
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return sqlerr.New(sqlerr.IOError, "cannot read %s: %v", r.name, err)
	}
	return nil
}

// Columns are the indices, then the value if there is one.
func (r *Reader) Columns() []rows.Column { return r.columns }

// Close does nothing: the stream is the caller's.
func (r *Reader) Close() error { return nil }

// Next delivers the next entries.
func (r *Reader) Next(ctx context.Context) (*rows.Batch, error) {
	if err := ctx.Err(); err != nil {
		return nil, context.Cause(ctx)
	}
	n := 0
	for n < batchRows && !r.finished {
		if r.pending {
			r.pending = false
			r.mirror()
			r.put(n)
			n++
			continue
		}
		ok, mirrored, err := r.entry(r.cells)
		if err != nil {
			return nil, err
		}
		if !ok {
			r.finished = true
			break
		}
		r.pending = mirrored
		r.put(n)
		n++
	}
	if n == 0 {
		return nil, nil
	}
	r.batch.N = n
	return &r.batch, nil
}

func (r *Reader) put(row int) {
	for c := range r.cells {
		if r.integer[c] {
			r.batch.Cols[c].I64[row] = r.cells[c].i
		} else {
			r.batch.Cols[c].F64[row] = r.cells[c].f
		}
	}
}

// mirror makes the entry on the other side of the diagonal.
func (r *Reader) mirror() {
	r.cells[0], r.cells[1] = r.cells[1], r.cells[0]
	if r.negate {
		r.cells[2].i, r.cells[2].f = -r.cells[2].i, -r.cells[2].f
	}
}

// failed is an error at the present line.
func (r *Reader) failed(format string, args ...any) error {
	return sqlerr.New(sqlerr.InvalidText, "%s:%d: %s", r.name, r.line, fmt.Sprintf(format, args...))
}

// next returns the next line without its end; io.EOF after the last.
func (r *Reader) next() ([]byte, error) {
	if r.ahead != nil {
		line := r.ahead
		r.ahead = nil
		return line, nil
	}
	r.line++
	line, err := r.in.ReadSlice('\n')
	switch {
	case errors.Is(err, bufio.ErrBufferFull):
		return nil, r.failed("a line is longer than %d bytes", lineMaxBytes)
	case errors.Is(err, io.EOF) && len(line) > 0:
	case errors.Is(err, io.EOF):
		return nil, io.EOF
	case err != nil:
		return nil, r.failed("cannot read: %v", err)
	}
	return bytes.TrimRight(line, "\r\n"), nil
}

// data returns the next line that is neither empty nor a comment, which begins with one of
// some signs; io.EOF after the last.
func (r *Reader) data(comments string) ([]byte, error) {
	for {
		line, err := r.next()
		if err != nil {
			return nil, err
		}
		if line = bytes.TrimLeft(line, " \t"); len(line) > 0 && strings.IndexByte(comments, line[0]) < 0 {
			return line, nil
		}
	}
}

// field cuts the first field off a line; nil: there is none.
func field(line []byte) (word, rest []byte) {
	i := 0
	for i < len(line) && isBlank(line[i]) {
		i++
	}
	start := i
	for i < len(line) && !isBlank(line[i]) {
		i++
	}
	if i == start {
		return nil, nil
	}
	return line[start:i], line[i:]
}

func isBlank(b byte) bool { return b == ' ' || b == '\t' || b == ',' }

// fieldCount is the number of fields of a line.
func fieldCount(line []byte) (n int) {
	for word, rest := field(line); word != nil; word, rest = field(rest) {
		n++
	}
	return n
}

// integer64 reads the next field as an integer.
func (r *Reader) integer64(line []byte, what string) (int64, []byte, error) {
	word, rest := field(line)
	if word == nil {
		return 0, nil, r.failed("%s is missing", what)
	}
	if len(word) < 18 { // fits without looking
		n, digits := int64(0), word
		if word[0] == '-' && len(word) > 1 {
			digits = word[1:]
		}
		for _, d := range digits {
			if d < '0' || d > '9' {
				return 0, nil, r.failed("%s: an integer is expected, not %q", what, word)
			}
			n = 10*n + int64(d-'0')
		}
		if len(digits) < len(word) {
			n = -n
		}
		return n, rest, nil
	}
	n, err := strconv.ParseInt(string(word), 10, 64)
	if err != nil {
		return 0, nil, r.failed("%s: an integer of 64 bits is expected, not %q", what, word)
	}
	return n, rest, nil
}

// float64 reads the next field as a number.
func (r *Reader) float(line []byte, what string) (float64, []byte, error) {
	word, rest := field(line)
	if word == nil {
		return 0, nil, r.failed("%s is missing", what)
	}
	f, err := strconv.ParseFloat(unsafe.String(&word[0], len(word)), 64) // the text is not kept
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return 0, nil, r.failed("%s: a number is expected, not %q", what, word)
	}
	if err != nil && f != 0 {
		return 0, nil, r.failed("%s: %q does not fit a DOUBLE", what, word)
	}
	return f, rest, nil
}

// value reads a value into a cell of a column.
func (r *Reader) value(c *cell, integer bool, line []byte, what string) (rest []byte, err error) {
	if integer {
		c.i, rest, err = r.integer64(line, what)
	} else {
		c.f, rest, err = r.float(line, what)
	}
	return rest, err
}

// ended refuses what follows the last field of a line.
func (r *Reader) ended(rest []byte) error {
	if word, _ := field(rest); word != nil {
		return r.failed("the line should end before %q", word)
	}
	return nil
}

func bigint(name string) rows.Column {
	return rows.Column{Name: name, Type: rows.Type{ID: rows.BigInt}}
}

// numbers is a column of values.
func numbers(name string, integers bool) rows.Column {
	if integers {
		return bigint(name)
	}
	return rows.Column{Name: name, Type: rows.Type{ID: rows.Double}}
}
