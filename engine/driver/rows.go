package driver

import (
	"context"
	"database/sql/driver"
	"errors"
	"io"
	"reflect"
	"time"

	"github.com/trireme-db/trireme/engine"
	"github.com/trireme-db/trireme/internal/rows"
)

// Rows are the rows of a statement; it implements driver.Rows and the optional
// interfaces that describe columns.
type Rows struct {
	ctx      context.Context
	result   *engine.Result
	prepared *engine.Prepared // closed with the rows; nil: not ours
	columns  []rows.Column
	batch    *rows.Batch
	next     int // row of batch
}

// Columns are the columns' names.
func (r *Rows) Columns() []string {
	names := make([]string, len(r.columns))
	for i, c := range r.columns {
		names[i] = c.Name
	}
	return names
}

// Next fills dest with the next row, or returns io.EOF.
func (r *Rows) Next(dest []driver.Value) error {
	for r.batch == nil || r.next == r.batch.N {
		b, err := r.result.Next(r.ctx)
		if err != nil {
			return err
		}
		if b == nil {
			return io.EOF
		}
		r.batch, r.next = b, 0
	}
	for i := range dest {
		dest[i] = value(&r.batch.Cols[i], r.next)
	}
	r.next++
	return nil
}

// Close ends the statement. Where its context is done, it is undone as far as it is not committed.
func (r *Rows) Close() error {
	end := r.result.Close
	if why := context.Cause(r.ctx); why != nil {
		end = func() error { return r.result.Abandon(why) }
	}
	err := end()
	if r.prepared != nil {
		err = errors.Join(err, r.prepared.Close())
		r.prepared = nil
	}
	return err
}

// ColumnTypeDatabaseTypeName is DuckDB's name of a column's type, without the
// digits of a DECIMAL or the values of an ENUM.
func (r *Rows) ColumnTypeDatabaseTypeName(i int) string {
	switch t := r.columns[i].Type; t.ID {
	case rows.Decimal:
		return "DECIMAL"
	case rows.Enum:
		return "ENUM"
	default:
		return t.String()
	}
}

// ColumnTypeNullable is true: a result column may always hold NULL.
func (r *Rows) ColumnTypeNullable(int) (nullable, ok bool) { return true, true }

// ColumnTypePrecisionScale gives the digits of a DECIMAL.
func (r *Rows) ColumnTypePrecisionScale(i int) (precision, scale int64, ok bool) {
	t := r.columns[i].Type
	return int64(t.Width), int64(t.Scale), t.ID == rows.Decimal
}

// ColumnTypeScanType is the Go type of the column's values (value.go).
func (r *Rows) ColumnTypeScanType(i int) reflect.Type {
	t := r.columns[i].Type
	switch t.ID {
	case rows.Boolean:
		return reflect.TypeFor[bool]()
	case rows.Date, rows.Timestamp, rows.TimestampTZ, rows.TimestampS, rows.TimestampMS, rows.TimestampNS:
		return reflect.TypeFor[time.Time]()
	case rows.Blob:
		return reflect.TypeFor[[]byte]()
	case rows.Decimal, rows.Time:
		return reflect.TypeFor[string]()
	}
	switch t.Physical() {
	case rows.PhysInt64:
		return reflect.TypeFor[int64]()
	case rows.PhysFloat64:
		return reflect.TypeFor[float64]()
	default:
		return reflect.TypeFor[string]()
	}
}
