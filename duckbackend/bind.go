package duckbackend

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	bindings "github.com/duckdb/duckdb-go-bindings"

	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/internal/sqlerr"
)

// withoutGaps numbers the parameters of a statement anew where numbers between
// them are missing, which DuckDB does not bind; all else stays in its place.
func withoutGaps(sql string, args []Arg) (string, []Arg) {
	if len(args) == 0 {
		return sql, args
	}
	places := findParams(sql)
	var numbers []int
	for _, p := range places {
		numbers = append(numbers, p.n)
	}
	slices.Sort(numbers)
	numbers = slices.Compact(numbers)
	n := len(numbers)
	if n == 0 || numbers[n-1] == n || numbers[n-1] > len(args) {
		return sql, args
	}
	text := []byte(sql)
	kept := make([]Arg, n)
	for i, number := range numbers {
		kept[i] = args[number-1]
	}
	for _, p := range places {
		rank, _ := slices.BinarySearch(numbers, p.n)
		copy(text[p.start:p.end], fmt.Sprintf("$%-*d", p.end-p.start-1, rank+1))
	}
	return string(text), kept
}

// bind binds args as values of their types, so that binding never changes the
// types DuckDB prepared the statement for.
func (s *Stmt) bind(args []Arg) error {
	if s.handle.Ptr == nil && len(args) == 0 {
		return nil
	}
	if err := s.takes(args); err != nil || len(args) == 0 {
		return err
	}
	values := make([]bindings.Value, len(args))
	defer destroyValues(values)
	slow, err := s.directValues(args, values)
	if err != nil {
		return err
	}
	for _, i := range slow {
		v, err := s.conn.castText(s.typed(args, i))
		if err != nil {
			return bindError(i+1, err)
		}
		values[i] = v
	}
	for i, v := range values {
		index, ok := s.paramIndex(i + 1)
		if !ok {
			continue // a gap: the text uses $1 and $3
		}
		if bindings.BindValue(s.handle, index, v) == bindings.StateError {
			return sqlerr.New(sqlerr.InvalidParameter, "cannot bind parameter $%d", i+1)
		}
	}
	return nil
}

// directValues makes the values that need no cast of DuckDB's; slow are the others.
func (s *Stmt) directValues(args []Arg, values []bindings.Value) (slow []int, err error) {
	err = unfailing(func() error {
		for i := range args {
			v, ok := directValue(s.typed(args, i))
			if !ok {
				slow = append(slow, i)
				continue
			}
			values[i] = v
		}
		return nil
	})
	return slow, err
}

// typed is an argument with its type.
func (s *Stmt) typed(args []Arg, i int) Arg {
	a := args[i]
	if a.Type.ID == rows.Invalid {
		a.Type = s.desc.Params[i]
	}
	return a
}

func bindError(n int, err error) error {
	e := *sqlerr.From(err)
	e.Offset = -1
	e.Message = "parameter $" + strconv.Itoa(n) + ": " + e.Message
	return &e
}

// directValue makes a value without DuckDB's cast where the text is plainly one
// of the type.
func directValue(a Arg) (bindings.Value, bool) {
	if a.Null {
		if a.Type.ID == rows.Invalid {
			return bindings.CreateNullValue(), true
		}
		return bindings.Value{}, false
	}
	switch a.Type.ID {
	case rows.Varchar, rows.Invalid:
		if utf8.ValidString(a.Text) {
			return bindings.CreateVarchar(a.Text), true
		}
	case rows.SmallInt:
		if v, err := strconv.ParseInt(a.Text, 10, 16); err == nil {
			return bindings.CreateInt16(int16(v)), true
		}
	case rows.Integer:
		if v, err := strconv.ParseInt(a.Text, 10, 32); err == nil {
			return bindings.CreateInt32(int32(v)), true
		}
	case rows.BigInt:
		if v, err := strconv.ParseInt(a.Text, 10, 64); err == nil {
			return bindings.CreateInt64(v), true
		}
	case rows.Double:
		// Only plain decimal notation is sure to mean the same to both.
		if strings.Trim(a.Text, "0123456789.-+eE") == "" {
			if v, err := strconv.ParseFloat(a.Text, 64); err == nil {
				return bindings.CreateDouble(v), true
			}
		}
	case rows.Boolean:
		if a.Text == "true" || a.Text == "false" {
			return bindings.CreateBool(a.Text == "true"), true
		}
	}
	return bindings.Value{}, false
}

// castText returns the argument's value by DuckDB's CAST. The text is a parameter of that,
// since DuckDB needs time by the square of the quotes in a literal. It runs inside an
// operation of the connection.
func (c *Conn) castText(a Arg) (bindings.Value, error) {
	var none bindings.Value
	if err := a.check(); err != nil {
		return none, err
	}
	var res bindings.Result
	defer bindings.DestroyResult(&res)
	if err := c.castInto(&res, "SELECT "+a.cast("CAST($1 AS VARCHAR)", a.Type.String()), a); err != nil {
		return none, err
	}
	dt := newDuckType(bindings.ColumnLogicalType(&res, 0))
	defer dt.close()
	chunk := bindings.FetchChunk(res)
	if chunk.Ptr == nil {
		return none, duckError(bindings.ResultError(&res))
	}
	defer bindings.DestroyDataChunk(&chunk)
	if a.Null {
		return typedValue(dt, bindings.CreateNullValue()), nil
	}
	var v bindings.Value
	err := unfailing(func() (err error) {
		v, err = valueAt(dt, bindings.DataChunkGetVector(chunk, 0), 0)
		if err == nil && dt.sql.ID == rows.JSON { // else it would be a text
			v = typedValue(dt, v)
		}
		return err
	})
	return v, err
}

// castInto runs a SELECT whose parameter, if it has one, is the argument's text.
func (c *Conn) castInto(res *bindings.Result, sql string, a Arg) error {
	if a.Null {
		return c.queryInto(res, sql)
	}
	var extracted bindings.ExtractedStatements
	defer bindings.DestroyExtracted(&extracted)
	if _, err := (&Stmt{conn: c}).extract(sql, &extracted); err != nil {
		return err
	}
	var handle bindings.PreparedStatement
	defer bindings.DestroyPrepare(&handle)
	if err := c.prepareOne(extracted, 0, &handle, nil); err != nil {
		return err
	}
	err := unfailing(func() error {
		text := bindings.CreateVarchar(a.Text)
		defer bindings.DestroyValue(&text)
		if bindings.BindValue(handle, 1, text) == bindings.StateError {
			return sqlerr.New(sqlerr.InvalidParameter, "cannot bind the text of a parameter")
		}
		return nil
	})
	if err != nil {
		return err
	}
	if bindings.ExecutePrepared(handle, res) == bindings.StateError {
		return duckError(bindings.ResultError(res))
	}
	return nil
}

// typedValue returns v as a value of type t, in its place. The C API makes only NULLs
// without a type, and no JSON, but a list casts its elements.
func typedValue(t *duckType, v bindings.Value) bindings.Value {
	defer bindings.DestroyValue(&v)
	list := bindings.CreateListValue(t.logical, []bindings.Value{v})
	defer bindings.DestroyValue(&list)
	return bindings.GetListChild(list, 0)
}
