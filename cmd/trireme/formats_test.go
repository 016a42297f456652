package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/trireme-db/trireme/engine/difftest"
	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/internal/sqlerr"
)

var (
	formatQueries  = flag.Int("formats.queries", 150, "random statements with bound constants that are sent in both formats of the protocol")
	formatSeed     = flag.Uint64("formats.seed", 1, "seed of the random statements that are sent in both formats")
	formatFirst    = flag.Uint64("formats.first", 0, "number of the first random schema of the statements that are sent in both formats")
	formatWorkers  = flag.Int("formats.workers", 2, "servers that the run in both formats uses at a time")
	formatProgress = flag.Duration("formats.progress", 0, "how often the run in both formats says how far it is; 0: never")
)

// TestBoundFormats sends random statements with bound constants over the wire: with
// parameters and results in the binary format, and in the text format. pgx's codecs, which
// are not the server's, read the same rows from both, and from DuckDB's answer to the text
// with the constants.
func TestBoundFormats(t *testing.T) {
	run := &formatRun{count: map[string]int{}, next: *formatFirst, told: time.Now()}
	t.Run("workers", func(t *testing.T) {
		for w := range *formatWorkers {
			t.Run(fmt.Sprint(w), func(t *testing.T) {
				t.Parallel()
				run.work(t)
			})
		}
	})
	t.Log(run.report())
	if c := run.count; c["compared"]*2 < c["executions"] {
		t.Error("less than half of the executions were compared")
	}
}

// formatRun is what the workers of a run share.
type formatRun struct {
	mu    sync.Mutex
	count map[string]int // by what happened
	next  uint64         // number of the next schema
	told  time.Time
}

// add counts what a worker has seen, and gives it the next schema; false: there are enough.
func (run *formatRun) add(count map[string]int) (schema uint64, more bool) {
	run.mu.Lock()
	defer run.mu.Unlock()
	for what, n := range count {
		run.count[what] += n
	}
	if *formatProgress > 0 && time.Since(run.told) > *formatProgress {
		run.told = time.Now()
		fmt.Println(run.report())
	}
	run.next++
	return run.next - 1, run.count["statements"] < *formatQueries
}

func (run *formatRun) report() string {
	text := fmt.Sprintf("seed %d, schemas %d to %d:", *formatSeed, *formatFirst, run.next)
	for _, what := range slices.Sorted(maps.Keys(run.count)) {
		text += fmt.Sprintf(" %s %d;", what, run.count[what])
	}
	return text
}

func (run *formatRun) work(t *testing.T) {
	w := &formatWorker{T: t}
	url := "postgres://trireme@" + startServer(t).address + "/trireme"
	for _, session := range []struct {
		backend string
		conn    **pgx.Conn
	}{{"native", &w.native}, {"auto", &w.auto}, {"duckdb", &w.duck}} {
		conn, err := pgx.Connect(t.Context(), url)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close(context.WithoutCancel(t.Context()))
		*session.conn = conn
		w.must(conn, "SET trireme.backend = '"+session.backend+"'")
		w.must(conn, "SET statement_timeout = '60s'")
	}
	for n, more := run.add(nil); more && !t.Failed(); n, more = run.add(w.count) {
		w.count = map[string]int{}
		w.schema(n)
	}
}

// formatWorker has a server of its own.
type formatWorker struct {
	*testing.T
	native, auto, duck *pgx.Conn
	count              map[string]int
	history            []string // the schema and the changes of its data
}

func (w *formatWorker) must(conn *pgx.Conn, sql string) {
	w.Helper()
	if _, err := conn.PgConn().Exec(w.Context(), sql).ReadAll(); err != nil {
		w.Fatalf("%s: %v", sql, err)
	}
}

// schema sends the statements of a schema that have constants to bind.
func (w *formatWorker) schema(n uint64) {
	rng := rand.New(rand.NewPCG(*formatSeed, n))
	schema, steps := difftest.GenerateSteps(rng, 20)
	w.empty()
	w.history = nil
	change := func(statements []string) {
		for _, sql := range statements {
			w.must(w.duck, sql)
			w.history = append(w.history, sql)
		}
	}
	change(schema)
	for _, step := range steps {
		if change(step.Changes); step.Query.SQL == "" {
			continue
		}
		bound, err := difftest.Bind(rng, step.Query)
		if err != nil {
			w.Fatal(err)
		}
		w.statement(bound)
		if w.Failed() {
			return
		}
	}
}

// empty drops what the last schema has left.
func (w *formatWorker) empty() {
	for _, what := range []string{
		`SELECT 'TABLE "' || schema_name || '"."' || table_name || '"' FROM duckdb_tables() WHERE database_name = 'trireme' AND NOT temporary`,
		`SELECT 'TYPE "' || type_name || '"' FROM duckdb_types() WHERE database_name = 'trireme' AND NOT internal`,
		`SELECT 'SCHEMA "' || schema_name || '"' FROM duckdb_schemas() WHERE database_name = 'trireme' AND NOT internal AND schema_name NOT IN ('main', 'public')`,
	} {
		found, err := w.duck.Query(w.Context(), what)
		if err != nil {
			w.Fatal(err)
		}
		names, err := pgx.CollectRows(found, pgx.RowTo[string])
		if err != nil {
			w.Fatal(err)
		}
		for _, name := range names {
			w.must(w.duck, "DROP "+name)
		}
	}
}

// statement sends one statement, with types left open where the server has one for every
// parameter.
func (w *formatWorker) statement(bound difftest.Bound) {
	for _, q := range []difftest.Query{bound.Open, bound.Declared} {
		if q.SQL == "" {
			continue
		}
		oids := make([]uint32, len(q.Types))
		for i, t := range q.Types {
			oids[i] = w.oidOf(t)
		}
		conn := w.native
		described, err := conn.PgConn().Prepare(w.Context(), "", q.SQL, oids)
		if isState(err, sqlerr.FeatureNotSupported) {
			w.count["not native's"]++
			conn = w.auto
			described, err = conn.PgConn().Prepare(w.Context(), "", q.SQL, oids)
		}
		if err != nil {
			w.count["not prepared: "+stateOf(err)]++
			continue
		}
		w.count["statements"]++
		for i, args := range q.Args {
			if w.execution(conn, described, q, i, args); w.Failed() {
				return
			}
		}
		return
	}
}

func isState(err error, code string) bool { return err != nil && stateOf(err) == code }

// oidOf is the OID of a type of a parameter; 0: it is left open.
func (w *formatWorker) oidOf(t rows.Type) uint32 {
	if t.ID == rows.Invalid {
		return 0
	}
	name := t.String()
	if t.ID == rows.Decimal {
		name = "DECIMAL(4,1)"
	}
	described, err := w.duck.PgConn().Prepare(w.Context(), "", "SELECT NULL::"+name, nil)
	if err != nil {
		w.Fatal(err)
	}
	return described.Fields[0].DataTypeOID
}

// answer is what came out of one way to send a statement.
type answer struct {
	table difftest.Table
	oids  []uint32
	err   error
}

// execution sends one execution in both formats, and the text with its constants.
func (w *formatWorker) execution(conn *pgx.Conn, described *pgconn.StatementDescription, q difftest.Query, n int, args []difftest.Arg) {
	w.count["executions"]++
	text, binary := make([][]byte, len(args)), make([][]byte, len(args))
	formats := make([]int16, len(args))
	for i, arg := range args {
		if arg.Null {
			continue
		}
		oid := described.ParamOIDs[i]
		text[i] = w.postgresText(arg.Text, q.Types[i])
		if b, ok := w.inBinary(oid, text[i]); ok {
			binary[i], formats[i] = b, pgx.BinaryFormatCode
			w.count["binary parameters"]++
			continue
		}
		binary[i] = text[i]
		w.count["parameters that pgx has no binary form of"]++
	}
	asText := w.send(conn, described, q, text, make([]int16, len(args)), pgx.TextFormatCode)
	asBinary := w.send(conn, described, q, binary, formats, pgx.BinaryFormatCode)
	options := difftest.CompareOptions{Ordered: q.Ordered, ToleranceAbs: q.ToleranceAbs, EqualIntervals: true}
	fault := func(what string, err error) {
		w.Errorf("seed %d %s: %v\n%s;\n%s\n-- parameters %v of %v, written:\n%s", *formatSeed, what, err, strings.Join(w.history, ";\n"), q.SQL, args, q.Types, q.Written[n])
	}
	switch {
	case (asText.err == nil) != (asBinary.err == nil) || asText.err != nil && stateOf(asText.err) != stateOf(asBinary.err):
		fault("binary and text", fmt.Errorf("text: %w, binary: %w", cmp.Or(asText.err, errAnswered), cmp.Or(asBinary.err, errAnswered)))
		return
	case asText.err != nil:
		w.count["errors"]++
		return
	case !slices.Equal(asText.oids, asBinary.oids):
		fault("binary and text", fmt.Errorf("types %v, binary %v", asText.oids, asBinary.oids))
		return
	}
	if err := difftest.Compare(asText.table, asBinary.table, options); err != nil {
		fault("binary and text", err)
		return
	}
	written := w.written(q, n)
	if written.err != nil {
		w.count["errors of the text alone"]++ // the optimizer's
		return
	}
	want, got := alikeTypes(written, asBinary)
	if err := difftest.Compare(want, got, options); err != nil {
		w.must(w.duck, "PRAGMA disable_optimizer")
		written = w.written(q, n)
		w.must(w.duck, "PRAGMA enable_optimizer")
		want, got = alikeTypes(written, asBinary)
		if again := difftest.Compare(want, got, options); written.err != nil || again != nil {
			fault("DuckDB and binary", err)
			return
		}
		w.count["answers that DuckDB's optimizer changes"]++
	}
	w.count["compared"]++
}

var errAnswered = errors.New("no error")

// postgresText is a value in Postgres' text form, given DuckDB's.
func (w *formatWorker) postgresText(text string, typ rows.Type) []byte {
	if typ.ID != rows.Blob && typ.ID != rows.List {
		return []byte(text)
	}
	found, err := w.duck.PgConn().Exec(w.Context(), "SELECT CAST("+difftest.Arg{Text: text}.String()+" AS "+typ.String()+")").ReadAll()
	if err != nil {
		w.Fatal(err)
	}
	return found[0].Rows[0][0]
}

// inBinary is a value in the binary format, by pgx; false: it does not read the text, or writes no
// binary format of the type.
func (w *formatWorker) inBinary(oid uint32, text []byte) ([]byte, bool) {
	m := w.native.TypeMap()
	typ, known := m.TypeForOID(oid)
	if !known || oid == pgtype.JSONOID || oid == pgtype.JSONBOID {
		return nil, false
	}
	v, err := typ.Codec.DecodeValue(m, oid, pgx.TextFormatCode, text)
	if err != nil {
		return nil, false
	}
	b, err := m.Encode(oid, pgx.BinaryFormatCode, v, nil)
	return b, err == nil && b != nil
}

// send executes a prepared statement; what one has written is shown, and undone.
func (w *formatWorker) send(conn *pgx.Conn, described *pgconn.StatementDescription, q difftest.Query, values [][]byte, formats []int16, result int16) (a answer) {
	writes := q.Check != ""
	if writes {
		w.must(conn, "BEGIN")
		defer w.must(conn, "ROLLBACK")
	}
	var reader *pgconn.ResultReader
	if result == pgx.TextFormatCode {
		if _, err := conn.PgConn().Prepare(w.Context(), "", q.SQL, described.ParamOIDs); err != nil {
			return answer{err: err}
		}
		reader = conn.PgConn().ExecPrepared(w.Context(), "", values, formats, []int16{result})
	} else {
		reader = conn.PgConn().ExecParams(w.Context(), q.SQL, values, described.ParamOIDs, formats, []int16{result})
	}
	if a = w.read(reader); !writes || a.err != nil {
		return a
	}
	return w.read(conn.PgConn().ExecParams(w.Context(), q.Check, nil, nil, nil, []int16{result}))
}

// written is DuckDB's answer to the text with the constants.
func (w *formatWorker) written(q difftest.Query, n int) answer {
	if q.Check == "" {
		return w.read(w.duck.PgConn().ExecParams(w.Context(), q.Written[n], nil, nil, nil, nil))
	}
	w.must(w.duck, "BEGIN")
	defer w.must(w.duck, "ROLLBACK")
	if a := w.read(w.duck.PgConn().ExecParams(w.Context(), q.Written[n], nil, nil, nil, nil)); a.err != nil {
		return a
	}
	return w.read(w.duck.PgConn().ExecParams(w.Context(), q.Check, nil, nil, nil, nil))
}

// read reads the rows with pgx's codecs.
func (w *formatWorker) read(reader *pgconn.ResultReader) (a answer) {
	result := reader.Read()
	if a.err = result.Err; a.err != nil {
		return a
	}
	fields := reader.FieldDescriptions() // the result has none without rows
	for _, f := range fields {
		a.oids = append(a.oids, f.DataTypeOID)
		a.table.Columns = append(a.table.Columns, rows.Column{Name: f.Name})
	}
	for _, row := range result.Rows {
		cells := make([]difftest.Cell, len(row))
		for i, b := range row {
			cells[i] = w.cell(fields[i], b)
		}
		a.table.Rows = append(a.table.Rows, cells)
	}
	return a
}

// cell is a value as a cell in which equal values of a type are equal, whatever their format.
func (w *formatWorker) cell(f pgconn.FieldDescription, b []byte) difftest.Cell {
	if b == nil {
		return nil
	}
	m := w.native.TypeMap()
	typ, known := m.TypeForOID(f.DataTypeOID)
	if !known || f.DataTypeOID == pgtype.JSONOID || f.DataTypeOID == pgtype.JSONBOID {
		return string(b)
	}
	v, err := typ.Codec.DecodeValue(m, f.DataTypeOID, f.Format, b)
	if err != nil {
		w.Errorf("column %s of type %d in format %d: %q: %v", f.Name, f.DataTypeOID, f.Format, b, err)
	}
	return cellOf(v)
}

func cellOf(v any) difftest.Cell {
	switch v := v.(type) {
	case float32:
		return float64(v)
	case float64:
		return v
	case pgtype.Numeric:
		return numericText(v)
	case time.Time:
		return v.UTC().Format("2006-01-02 15:04:05.999999")
	case pgtype.Interval:
		return rows.IntervalValue{Months: v.Months, Days: v.Days, Micros: v.Microseconds}
	case []any:
		texts := make([]string, len(v))
		for i := range v {
			texts[i] = fmt.Sprint(cellOf(v[i]))
		}
		return "[" + strings.Join(texts, ", ") + "]"
	}
	return fmt.Sprint(v)
}

// numericText is a numeric without zeros behind its digits.
func numericText(n pgtype.Numeric) string {
	if n.Int == nil {
		return fmt.Sprint(n.NaN, n.InfinityModifier)
	}
	tens := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(n.Exp, -n.Exp))), nil)
	if n.Exp >= 0 {
		return new(big.Int).Mul(n.Int, tens).String()
	}
	return new(big.Rat).SetFrac(n.Int, tens).RatString()
}

// alikeTypes are two answers without what a text with constants and one with parameters say
// differently: names of expressions, and types of numbers where a constant has another one.
func alikeTypes(want, got answer) (wantTable, gotTable difftest.Table) {
	wantTable, gotTable = want.table, got.table
	if len(want.oids) != len(got.oids) {
		return wantTable, gotTable
	}
	wantTable.Columns = gotTable.Columns
	for i := range want.oids {
		if want.oids[i] != got.oids[i] {
			wantTable, gotTable = numbersAsText(wantTable, i), numbersAsText(gotTable, i)
		}
	}
	return wantTable, gotTable
}

// numbersAsText is a table with the floats of a column as the texts of numerics.
func numbersAsText(t difftest.Table, column int) difftest.Table {
	t.Rows = slices.Clone(t.Rows)
	for i, row := range t.Rows {
		f, isFloat := row[column].(float64)
		n, ok := new(big.Rat).SetString(fmt.Sprint(f))
		if isFloat && ok {
			row = slices.Clone(row)
			row[column] = n.RatString()
			t.Rows[i] = row
		}
	}
	return t
}
