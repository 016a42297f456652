package coofile

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/trireme-db/trireme/internal/sqlerr"
)

// matrix is the header of a Matrix Market file.
type matrix struct {
	array    bool
	field    string // real, integer or pattern
	symmetry string // general, symmetric or skew-symmetric
	rows     int64
	cols     int64
	entries  int64 // in the file
	read     int64
	i, j     int64 // of an array, the next place
}

// openMatrix reads "%%MatrixMarket matrix coordinate real general" and the sizes.
func (r *Reader) openMatrix() error {
	line, err := r.next()
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	m, err := r.banner(string(line))
	if err != nil {
		return err
	}
	if err := r.sizes(m); err != nil {
		return err
	}
	r.columns = append(r.columns, bigint("i"), bigint("j"))
	if m.field != "pattern" {
		r.columns = append(r.columns, numbers("value", m.field == "integer"))
	}
	r.negate = m.symmetry == "skew-symmetric"
	r.entry = func(cells []cell) (ok, mirrored bool, err error) {
		if m.read == m.entries {
			return false, false, r.nothingMore("%")
		}
		if m.array {
			return r.arrayEntry(m, cells)
		}
		return r.matrixEntry(m, cells)
	}
	return nil
}

func (r *Reader) banner(line string) (*matrix, error) {
	words := strings.Fields(strings.ToLower(line))
	if len(words) != 5 || words[0] != "%%matrixmarket" || words[1] != "matrix" {
		return nil, r.failed("a Matrix Market header is expected, as %q", "%%MatrixMarket matrix coordinate real general")
	}
	m := &matrix{array: words[2] == "array", field: words[3], symmetry: words[4]}
	switch {
	case !m.array && words[2] != "coordinate":
		return nil, r.failed("the format %q is not known: coordinate or array is expected", words[2])
	case m.field == "complex" || m.symmetry == "hermitian":
		return nil, sqlerr.New(sqlerr.FeatureNotSupported, "%s:%d: complex matrices cannot be imported", r.name, r.line).
			WithHint("SQL has no complex numbers: import the real and the imaginary part as two matrices.")
	case !slices.Contains([]string{"real", "double", "integer", "pattern"}, m.field):
		return nil, r.failed("the field %q is not known: real, integer or pattern is expected", m.field)
	case !slices.Contains([]string{"general", "symmetric", "skew-symmetric"}, m.symmetry):
		return nil, r.failed("the symmetry %q is not known: general, symmetric or skew-symmetric is expected", m.symmetry)
	case m.field == "pattern" && (m.array || m.symmetry == "skew-symmetric"):
		return nil, r.failed("a pattern is neither an array nor skew-symmetric")
	}
	return m, nil
}

// sizes reads the line after the comments: rows, columns and, of coordinates, the
// number of entries.
func (r *Reader) sizes(m *matrix) error {
	line, err := r.data("%")
	if errors.Is(err, io.EOF) {
		return r.failed("the line of sizes is missing")
	}
	if err != nil {
		return err
	}
	for _, size := range []struct {
		into *int64
		what string
	}{{&m.rows, "the number of rows"}, {&m.cols, "the number of columns"}, {&m.entries, "the number of entries"}} {
		if m.array && size.into == &m.entries {
			continue
		}
		if *size.into, line, err = r.integer64(line, size.what); err != nil {
			return err
		}
		if *size.into < 0 {
			return r.failed("%s is negative", size.what)
		}
	}
	if m.symmetry != "general" && m.rows != m.cols {
		return r.failed("a %s matrix of %d rows and %d columns", m.symmetry, m.rows, m.cols)
	}
	if m.array {
		if m.entries, err = r.arraySize(m); err != nil {
			return err
		}
	}
	return r.ended(line)
}

// arraySizeMax keeps the number of entries of an array in 64 bits.
const arraySizeMax = 1 << 31

// arraySize is how many values an array lists: of a symmetric one the lower
// triangle, of a skew-symmetric one without the diagonal.
func (r *Reader) arraySize(m *matrix) (int64, error) {
	if m.rows > arraySizeMax || m.cols > arraySizeMax {
		return 0, r.failed("an array of %d rows and %d columns is too large", m.rows, m.cols)
	}
	m.i, m.j = 1, 1
	switch m.symmetry {
	case "symmetric":
		return m.rows * (m.rows + 1) / 2, nil
	case "skew-symmetric":
		m.i = 2
		return m.rows * (m.rows - 1) / 2, nil
	}
	return m.rows * m.cols, nil
}

func (r *Reader) matrixEntry(m *matrix, cells []cell) (ok, mirrored bool, err error) {
	line, err := r.matrixLine(m)
	if err != nil {
		return false, false, err
	}
	if line, err = r.index(&cells[0], m.rows, line, "the row"); err != nil {
		return false, false, err
	}
	if line, err = r.index(&cells[1], m.cols, line, "the column"); err != nil {
		return false, false, err
	}
	if len(cells) > 2 {
		if line, err = r.value(&cells[2], m.field == "integer", line, "the value"); err != nil {
			return false, false, err
		}
	}
	i, j := cells[0].i, cells[1].i
	switch {
	case m.symmetry == "general":
	case i < j:
		return false, false, r.failed("entry (%d, %d) of a %s matrix is above the diagonal", i, j, m.symmetry)
	case i == j && m.symmetry == "skew-symmetric":
		return false, false, r.failed("entry (%d, %d) of a skew-symmetric matrix is on the diagonal", i, j)
	default:
		mirrored = i != j
	}
	return true, mirrored, r.ended(line)
}

// arrayEntry reads a value of an array, column by column.
func (r *Reader) arrayEntry(m *matrix, cells []cell) (ok, mirrored bool, err error) {
	line, err := r.matrixLine(m)
	if err != nil {
		return false, false, err
	}
	if line, err = r.value(&cells[2], m.field == "integer", line, "the value"); err != nil {
		return false, false, err
	}
	cells[0].i, cells[1].i = m.i, m.j
	mirrored = m.symmetry != "general" && m.i != m.j
	if m.i++; m.i > m.rows {
		m.j++
		switch m.symmetry {
		case "general":
			m.i = 1
		case "symmetric":
			m.i = m.j
		default:
			m.i = m.j + 1
		}
	}
	return true, mirrored, r.ended(line)
}

func (r *Reader) matrixLine(m *matrix) ([]byte, error) {
	line, err := r.data("%")
	if errors.Is(err, io.EOF) {
		return nil, r.failed("the file ends after %d of %d entries", m.read, m.entries)
	}
	m.read++
	return line, err
}

// index reads an index from 1 to limit.
func (r *Reader) index(c *cell, limit int64, line []byte, what string) (rest []byte, err error) {
	if c.i, rest, err = r.integer64(line, what); err != nil {
		return nil, err
	}
	if c.i < 1 || c.i > limit {
		return nil, r.failed("%s is %d: an index from 1 to %d is expected", what, c.i, limit)
	}
	return rest, nil
}

// nothingMore refuses lines after the last entry.
func (r *Reader) nothingMore(comments string) error {
	line, err := r.data(comments)
	if errors.Is(err, io.EOF) {
		return nil
	}
	if err != nil {
		return err
	}
	return r.failed("the file should end here, but there is %q", bytes.TrimSpace(line[:min(len(line), 40)]))
}
