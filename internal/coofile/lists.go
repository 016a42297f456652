package coofile

import (
	"errors"
	"io"
	"math"
	"strconv"
)

// modesMax bounds the modes of a tensor.
const modesMax = 64

// openTensor learns from the first entry how many modes there are: a line is
// "i1 i2 .. iN value".
func (r *Reader) openTensor(opt Options) error {
	n, err := r.width("#", "an entry is expected: indices and a value")
	if err != nil {
		return err
	}
	if n < 2 || n > modesMax+1 {
		return r.failed("an entry of %d numbers: 1 to %d indices and a value are expected", n, modesMax)
	}
	for m := range n - 1 {
		r.columns = append(r.columns, bigint("i"+strconv.Itoa(m+1)))
	}
	r.columns = append(r.columns, numbers("value", opt.Integers))
	r.entry = func(cells []cell) (ok, mirrored bool, err error) {
		line, err := r.data("#")
		if err != nil {
			return false, false, endOf(err)
		}
		for m := range len(cells) - 1 {
			if line, err = r.index(&cells[m], math.MaxInt64, line, "index "+strconv.Itoa(m+1)); err != nil {
				return false, false, err
			}
		}
		if line, err = r.value(&cells[len(cells)-1], opt.Integers, line, "the value"); err != nil {
			return false, false, err
		}
		return true, false, r.ended(line)
	}
	return nil
}

// edgeComments begin comments in lists of edges: those of SNAP, and of KONECT.
const edgeComments = "#%"

// openEdges learns from the first edge whether it has a weight and a time: a line is "src
// dst", "src dst weight" or "src dst weight time". A first line of names is passed over.
func (r *Reader) openEdges(opt Options) error {
	const expected = "an edge is expected: two vertices"
	n, err := r.width(edgeComments, expected)
	if err == nil && r.isHeader() {
		r.ahead = nil
		n, err = r.width(edgeComments, expected)
	}
	if err != nil {
		return err
	}
	values := []string{"weight", "time"}
	if n < 2 || n > 2+len(values) {
		return r.failed("an edge of %d numbers: two vertices are expected, and perhaps a weight and a time", n)
	}
	values = values[:n-2]
	r.columns = append(r.columns, bigint("src"), bigint("dst"))
	for _, name := range values {
		r.columns = append(r.columns, numbers(name, opt.Integers))
	}
	r.entry = func(cells []cell) (ok, mirrored bool, err error) {
		line, err := r.data(edgeComments)
		if err != nil {
			return false, false, endOf(err)
		}
		if cells[0].i, line, err = r.integer64(line, "the first vertex"); err != nil {
			return false, false, err
		}
		if cells[1].i, line, err = r.integer64(line, "the second vertex"); err != nil {
			return false, false, err
		}
		for i, name := range values {
			if line, err = r.value(&cells[2+i], opt.Integers, line, "the "+name); err != nil {
				return false, false, err
			}
		}
		return true, false, r.ended(line)
	}
	return nil
}

// isHeader reports whether no field of the line that was read to learn the columns is a
// number.
func (r *Reader) isHeader() bool {
	for word, rest := field(r.ahead); word != nil; word, rest = field(rest) {
		if _, err := strconv.ParseFloat(string(word), 64); err == nil || errors.Is(err, strconv.ErrRange) {
			return false
		}
	}
	return true
}

// width is the number of fields of the first line of data, which stays to be read.
func (r *Reader) width(comments, expected string) (int, error) {
	line, err := r.data(comments)
	if errors.Is(err, io.EOF) {
		return 0, r.failed("the file has no entries: %s", expected)
	}
	if err != nil {
		return 0, err
	}
	r.ahead = append([]byte(nil), line...)
	return fieldCount(line), nil
}

// endOf takes the end of the file for no error.
func endOf(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}
