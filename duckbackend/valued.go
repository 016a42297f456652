package duckbackend

import (
	"context"
	"errors"
	"slices"
	"strings"
	"unicode/utf8"

	bindings "github.com/duckdb/duckdb-go-bindings"

	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/internal/sqlerr"
)

// DuckDB takes no parameters in RETURNING and in the LIMIT of a correlated subquery. A
// statement that has one there is prepared for each execution, with the values in its text.

// takesNoParameter reports whether an error of preparing says so.
func takesNoParameter(err error, sql string) bool {
	var e *sqlerr.Error
	if !errors.As(err, &e) || len(findParams(sql)) == 0 {
		return false
	}
	switch e.Message {
	case "Non-constant limit not supported in correlated subquery", "Non-constant offset not supported in correlated subquery":
		return true
	case "Unexpected prepared parameter. This type of statement can't be prepared!":
		return mayReturn(sql) // others take none in Postgres either
	}
	return false
}

// awaitValues makes the statement one that is prepared when its values are known. refused is
// DuckDB's error for it as it stands, which comes when it is executed where a parameter had
// no type before.
func (s *Stmt) awaitValues(refused error) {
	s.conn.use.Lock()
	defer s.conn.use.Unlock()
	s.destroy()
	s.refused, s.unresolved, s.numbers, s.indexes = refused, true, nil, nil
	for _, p := range findParams(s.sql) {
		s.indexes = append(s.indexes, make([]bindings.IdxT, max(0, p.n-len(s.indexes)))...)
		s.indexes[p.n-1] = bindings.IdxT(p.n)
	}
	s.desc = Description{Params: make([]rows.Type, len(s.indexes))}
}

// resolveValued describes the statement with parameters of the types in d.
func (s *Stmt) resolveValued(ctx context.Context, d Description) (Description, error) {
	described, err := s.conn.describeValues(ctx, s.sql, findParams(s.sql), d)
	switch {
	case takesNoParameter(err, s.sql): // it is not the parameters
		return Description{}, s.refused
	case err != nil:
		return Description{}, withoutOffset(err)
	}
	s.described = described.Columns
	return described, nil
}

// executeValued executes the statement with the values in its text.
func (s *Stmt) executeValued(ctx context.Context, args []Arg) (*Cursor, error) {
	if err := s.takes(args); err != nil {
		return nil, err
	}
	args = slices.Clone(args)
	types := make([]rows.Type, len(args))
	for i := range args {
		args[i] = s.typed(args, i)
		types[i] = args[i].Type
		if err := args[i].check(); err != nil {
			return nil, bindError(i+1, err)
		}
	}
	value := func(n int, typ string) string { return args[n-1].cast(literal(args[n-1].Text), typ) }
	text := replaceParams(s.sql, findParams(s.sql), func(n int) string { return value(n, types[n-1].String()) })
	valued, err := s.conn.PrepareAs(ctx, text, s.admit)
	if err != nil {
		return nil, withoutOffset(err)
	}
	cur, err := valued.Execute(ctx, nil)
	if err != nil {
		return nil, errors.Join(withoutOffset(err), valued.Close())
	}
	cur.columns = namedByParams(cur.columns, types, value)
	if len(s.described) == len(cur.columns) { // release 2 names columns after values without their casts
		for i, col := range s.described {
			cur.columns[i].Name = col.Name
		}
	}
	cur.onClose = valued.Close
	return cur, nil
}

// takes is the error where there are more or fewer values than parameters.
func (s *Stmt) takes(args []Arg) error {
	if len(args) == len(s.desc.Params) {
		return nil
	}
	return sqlerr.New(sqlerr.ProtocolViolation, "the statement has %d parameters, but %d values are given", len(s.desc.Params), len(args))
}

// check is the error where the text is not one.
func (a Arg) check() error {
	if !a.Null && (!utf8.ValidString(a.Text) || strings.IndexByte(a.Text, 0) >= 0) {
		return sqlerr.New(sqlerr.InvalidText, "invalid byte sequence for encoding UTF8")
	}
	return nil
}

// cast is the argument as a value of a type, as it is written; text is SQL for its text.
func (a Arg) cast(text, typ string) string {
	switch {
	case a.Null:
		text = "NULL"
	case a.Type.IsJSONList() && (strings.HasPrefix(a.Text, "['") || strings.HasPrefix(a.Text, "[NULL")):
		text = "CAST(" + text + " AS VARCHAR[])" // a list, and not JSON itself
	}
	if a.Type.ID == rows.Invalid {
		typ = "VARCHAR"
	}
	return "CAST(" + text + " AS " + typ + ")"
}

// quotesMax is how many quotes a text in quotes has: DuckDB needs time by the square of them.
const quotesMax = 100

// literal is a text in SQL.
func literal(text string) string {
	if strings.Count(text, "'") <= quotesMax {
		return quoteText(text)
	}
	tag := "$q$"
	for strings.Contains(text+"$", tag) {
		tag = "$q" + tag[1:]
	}
	return tag + text + tag
}
