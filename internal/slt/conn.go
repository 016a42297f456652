package slt

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
)

// Server is what the runner runs against. A file starts it at least once.
type Server interface {
	// Start opens a database, a new one in memory when path is "", stops what
	// ran before, and returns the address to connect to.
	Start(ctx context.Context, path string) (address string, err error)
	// Stop ends the server. It may be called when nothing runs.
	Stop() error
}

// Column is a column of a result as the wire describes it.
type Column struct {
	Name string
	OID  uint32
}

// Cell is a value in text; Text is "" for NULL.
type Cell struct {
	Text string
	Null bool
}

// Result is what a query returned.
type Result struct {
	Columns []Column
	Rows    [][]Cell // a Cell per column
}

// conn is a connection with the settings of the run.
type conn struct{ pg *pgconn.PgConn }

// dial connects and sets what Options ask for.
func dial(ctx context.Context, address string, setup []string) (*conn, error) {
	pg, err := pgconn.Connect(ctx, "postgres://trireme@"+address+"/trireme?sslmode=disable")
	if err != nil {
		return nil, err
	}
	c := &conn{pg}
	for _, sql := range setup {
		if _, err := c.exec(ctx, sql); err != nil {
			return nil, errors.Join(fmt.Errorf("%s: %w", sql, err), c.close())
		}
	}
	return c, nil
}

// closeWait bounds the goodbye to a server that may be gone.
const closeWait = 5 * time.Second

func (c *conn) close() error {
	ctx, cancel := context.WithTimeout(context.Background(), closeWait)
	defer cancel()
	return c.pg.Close(ctx)
}

// exec runs a text of one or more statements by the simple protocol and returns
// the last result. That of a statement without columns has one: how many rows it
// changed, and no row where it changes none.
func (c *conn) exec(ctx context.Context, sql string) (Result, error) {
	var last Result
	reader := c.pg.Exec(ctx, sql)
	for reader.NextResult() {
		rows := reader.ResultReader()
		last = readAll(rows)
		if tag, err := rows.Close(); err == nil && len(last.Columns) == 0 {
			last = changed(tag)
		}
	}
	return last, reader.Close()
}

// changed is the count in a command tag as a result.
func changed(tag pgconn.CommandTag) Result {
	r := Result{Columns: []Column{{"Count", pgtype.Int8OID}}}
	if tag.Insert() || tag.Update() || tag.Delete() || strings.HasPrefix(tag.String(), "COPY ") || strings.HasPrefix(tag.String(), "MERGE ") {
		r.Rows = [][]Cell{{{Text: strconv.FormatInt(tag.RowsAffected(), 10)}}}
	}
	return r
}

// execParams runs one statement with parameters, all as text, by the extended protocol.
func (c *conn) execParams(ctx context.Context, sql string, literals []string) (Result, error) {
	values := make([][]byte, len(literals))
	for i, literal := range literals {
		values[i] = literalValue(literal)
	}
	reader := c.pg.ExecParams(ctx, sql, values, nil, nil, nil)
	result := readAll(reader)
	tag, err := reader.Close()
	if err == nil && len(result.Columns) == 0 {
		result = changed(tag)
	}
	return result, err
}

func readAll(reader *pgconn.ResultReader) Result {
	var r Result
	for _, f := range reader.FieldDescriptions() {
		r.Columns = append(r.Columns, Column{f.Name, f.DataTypeOID})
	}
	for reader.NextRow() {
		row := make([]Cell, 0, len(r.Columns))
		for _, value := range reader.Values() {
			row = append(row, Cell{string(value), value == nil})
		}
		r.Rows = append(r.Rows, row)
	}
	return r
}

// literalValue is the text of a parameter given as a SQL literal, perhaps with
// its type before or behind it; nil for NULL.
func literalValue(literal string) []byte {
	literal = strings.TrimSpace(literal)
	if strings.HasPrefix(strings.ToUpper(literal), "NULL") {
		return nil
	}
	from, to := strings.IndexByte(literal, '\''), strings.LastIndexByte(literal, '\'')
	if from >= 0 && from < to {
		return []byte(strings.ReplaceAll(literal[from+1:to], "''", "'"))
	}
	number, _, _ := strings.Cut(literal, "::")
	return []byte(number)
}
