package coofile

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strconv"

	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/internal/sqlerr"
)

// Write writes rows of coordinates, the value last, as a FROSTT or Matrix Market
// file. Coordinates are integers from 1 on, of a matrix there are two. What a Matrix
// Market file says first, its sizes, is known last: its entries are kept in memory.
func Write(ctx context.Context, out io.Writer, format Format, cur rows.Cursor) error {
	columns := cur.Columns()
	w := &writer{modes: len(columns) - 1, sizes: make([]int64, len(columns)-1)}
	if format == MatrixMarket && w.modes != 2 {
		return sqlerr.New(sqlerr.InvalidParameter, "a result of %d modes is no matrix", w.modes).WithHint("Write .tns, .csv or .parquet.")
	}
	if w.modes == 0 {
		return sqlerr.New(sqlerr.InvalidParameter, "a scalar has no coordinates to be written").WithHint("Write .csv or .parquet.")
	}
	for {
		b, err := cur.Next(ctx)
		if err != nil {
			return err
		}
		if b == nil {
			break
		}
		if err := w.batch(b); err != nil {
			return err
		}
	}
	to := bufio.NewWriter(out)
	if format == MatrixMarket {
		kind := "real"
		if t := columns[w.modes].Type; t.IsInteger() {
			kind = "integer"
		}
		fmt.Fprintf(to, "%%%%MatrixMarket matrix coordinate %s general\n%d %d %d\n", kind, w.sizes[0], w.sizes[1], w.entries)
	}
	_, _ = to.Write(w.text) // Flush has the error
	return to.Flush()
}

// writer gathers the lines of a file.
type writer struct {
	modes   int
	sizes   []int64
	entries int64
	text    []byte
}

func (w *writer) batch(b *rows.Batch) error {
	for i := range b.N {
		for m := range w.modes {
			c, ok := integer(&b.Cols[m], i)
			if !ok || c < 1 {
				return sqlerr.New(sqlerr.InvalidParameter, "an entry whose coordinate %d is no integer from 1 on", m+1).
					WithHint("Files of this format count from 1: write .csv or .parquet.")
			}
			w.sizes[m] = max(w.sizes[m], c)
			w.text = append(strconv.AppendInt(w.text, c, 10), ' ')
		}
		var err error
		if w.text, err = appendValue(w.text, &b.Cols[w.modes], i); err != nil {
			return err
		}
		w.text = append(w.text, '\n')
		w.entries++
	}
	return nil
}

// integer is an integer coordinate.
func integer(v *rows.Vector, i int) (int64, bool) {
	if v.IsNull(i) || !v.Type.IsInteger() {
		return 0, false
	}
	if v.Type.Physical() == rows.PhysInt128 {
		return v.I128[i].Int64()
	}
	return v.I64[i], true
}

func appendValue(text []byte, v *rows.Vector, i int) ([]byte, error) {
	switch p := v.Type.Physical(); {
	case v.IsNull(i):
	case p == rows.PhysFloat64:
		return strconv.AppendFloat(text, v.F64[i], 'g', -1, 64), nil
	case v.Type.IsInteger() && p == rows.PhysInt128:
		return append(text, v.I128[i].String()...), nil
	case v.Type.IsInteger():
		return strconv.AppendInt(text, v.I64[i], 10), nil
	}
	return nil, sqlerr.New(sqlerr.DatatypeMismatch, "a value of type %s is written to no file of this format, nor is NULL", v.Type).
		WithHint("Write .csv or .parquet.")
}
