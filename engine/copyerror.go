package engine

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/trireme-db/trireme/duckbackend"
	"github.com/trireme-db/trireme/internal/copyfmt"
	"github.com/trireme-db/trireme/internal/load"
	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/internal/sqlerr"
)

// SQLSTATEs of values that do not fit.
const (
	codeBadDatetime      = "22007"
	codeDatetimeOverflow = "22008"
)

// locate finds the first row of a batch that explains why it was refused, on a
// connection of its own: the session's transaction has failed. It returns failed
// with a place if it finds one.
func (c *copyIn) locate(ctx context.Context, b *rows.Batch, failed error) error {
	var e *sqlerr.Error
	if ctx.Err() != nil || !errors.As(failed, &e) {
		return failed
	}
	switch e.Code {
	case sqlerr.QueryCanceled, sqlerr.OutOfMemory, sqlerr.IOError, sqlerr.InternalError, sqlerr.AdminShutdown:
		return failed
	}
	found := &copyfmt.RowError{Row: -1, Column: -1, Err: c.session.explainViolation(ctx, failed)}
	err := c.session.engine.workers.lend(ctx, func(conn *duckbackend.Conn) (err error) {
		if err := conn.MakeRelation(ctx, copyRelation, c.cursor(c.strictBatch(b))); err != nil {
			return err
		}
		switch e.Code {
		case sqlerr.NotNullViolation:
			err = c.findNull(ctx, conn, e, found)
		case sqlerr.UniqueViolation:
			found.Row, err = c.findKey(ctx, conn, e.Message)
		case sqlerr.CheckViolation:
			found.Row, err = c.findUnchecked(ctx, conn, e.Message)
		default:
			err = c.findValue(ctx, conn, b, found)
		}
		return errors.Join(err, conn.DropRelation(ctx, copyRelation))
	})
	if err != nil { // to look was in vain; what failed is still known
		c.session.engine.log.Warn("looking for the row that COPY failed at", "error", err)
	}
	return found
}

// findNull finds the first row without a value for the column that DuckDB's message names.
func (c *copyIn) findNull(ctx context.Context, conn *duckbackend.Conn, e *sqlerr.Error, found *copyfmt.RowError) error {
	name, _ := nullColumn(e.Message, c.plan.Table)
	for i, col := range c.plan.Columns {
		if !load.SameName(col.Name, name) {
			continue
		}
		row, err := oneNumber(ctx, conn, "SELECT min(rowid) FROM "+copyTable+" WHERE "+copyColumn(i)+" IS NULL")
		found.Row = int(row)
		return err
	}
	return nil
}

// findValue finds the first value that does not fit its column's type.
func (c *copyIn) findValue(ctx context.Context, conn *duckbackend.Conn, b *rows.Batch, found *copyfmt.RowError) error {
	for i, col := range c.plan.Columns {
		if col.Type.ID == rows.Varchar {
			continue
		}
		row, err := oneNumber(ctx, conn, fmt.Sprintf("SELECT min(rowid) FROM %s WHERE %[2]s IS NOT NULL AND TRY_CAST(%[2]s AS %[3]s) IS NULL",
			copyTable, copyColumn(i), col.Type))
		if err == nil && col.Type.IsNested() {
			var at int
			at, err = c.findNested(ctx, conn, i, b.N)
			row = int64(at)
		}
		if err != nil {
			return err
		}
		if row >= 0 && (found.Row < 0 || int(row) < found.Row) {
			found.Row, found.Column = int(row), i
		}
	}
	if found.Row < 0 {
		return nil
	}
	col, text := c.plan.Columns[found.Column], b.Cols[found.Column].Str[found.Row]
	cur, err := conn.Query(ctx, "SELECT CAST("+quoteText(text)+" AS "+col.Type.String()+")")
	if err == nil {
		_, err = cur.Next(ctx)
		err = errors.Join(err, cur.Close())
	}
	found.Err = misfit(col.Type, text, err)
	return nil
}

// postgresNames are the names of types in messages, where Postgres has other ones.
var postgresNames = map[rows.TypeID]string{
	rows.Float: "real", rows.Double: "double precision", rows.Blob: "bytea", rows.Decimal: "numeric",
}

// misfit is the error of a text that is no value of a type; cause is DuckDB's.
func misfit(t rows.Type, text string, cause error) error {
	name := postgresNames[t.ID]
	if name == "" {
		name = strings.ToLower(t.String())
	}
	e := sqlerr.New(sqlerr.InvalidText, "invalid input syntax for type %s: %q", name, text)
	said := ""
	if cause != nil {
		said = sqlerr.From(cause).Message
	}
	e.Detail, e.Err = said, cause
	switch t.ID {
	case rows.Date, rows.Time, rows.TimeTZ, rows.Timestamp, rows.TimestampS, rows.TimestampMS, rows.TimestampNS, rows.TimestampTZ, rows.Interval:
		e.Code = codeBadDatetime
		if strings.Contains(said, "out of range") && !strings.Contains(said, "expected format") {
			e.Code, e.Message = codeDatetimeOverflow, fmt.Sprintf("date/time field value out of range: %q", text)
		}
	case rows.List, rows.Array:
		e.Message = fmt.Sprintf("malformed array literal: %q", text)
		item, found := noInteger(t, text)
		if rest, ok := strings.CutPrefix(said, "Could not convert string '"); ok {
			item, _, _ = strings.Cut(rest, "' to ")
			found = true
		}
		if found {
			e.Message = fmt.Sprintf("invalid input syntax for type %s: %q", strings.TrimRight(name, "[]0123456789"), item)
		}
	case rows.Decimal:
		if isNumber(text) {
			e.Code, e.Message = sqlerr.NumericOutOfRange, "numeric field overflow"
			e.Detail = fmt.Sprintf("A field with precision %d, scale %d must round to an absolute value less than 10^%d.", t.Width, t.Scale, t.Width-t.Scale)
		}
	default:
		switch {
		case isBeyond(t, text):
			e.Code, e.Message = sqlerr.NumericOutOfRange, fmt.Sprintf("%q is out of range for type %s", text, name)
		case t.IsInteger() && !saysInteger(text):
		case (t.IsExact() || t.IsFloat()) && isNumber(text):
			e.Code, e.Message = sqlerr.NumericOutOfRange, fmt.Sprintf("value %q is out of range for type %s", text, name)
		}
	}
	return e
}

// isNumber reports whether a text is a decimal number.
func isNumber(s string) bool {
	s = strings.TrimLeft(strings.TrimSpace(s), "+-")
	return s != "" && strings.Trim(s, "0123456789") == "" || strings.Count(s, ".") == 1 && len(s) > 1 && strings.Trim(s, "0123456789.") == ""
}
