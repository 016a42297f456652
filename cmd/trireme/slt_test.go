package main

import (
	"context"
	"database/sql"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	_ "github.com/duckdb/duckdb-go/v2" // the oracle of TestSLT
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/trireme-db/trireme/internal/slt"
)

var sltRecord = flag.Bool("slt.record", false, "write what plain DuckDB answers into the files of testdata/slt")

const (
	sltDir = "../../testdata/slt"
	// sltQueriesMin is how many queries the own files must have together.
	sltQueriesMin = 1500
	// sltToleranceRel is for sums of floats, whose order is free.
	sltToleranceRel = 1e-9
)

// inProcess runs the server inside of the test.
type inProcess struct {
	t    *testing.T
	stop func()
}

func (s *inProcess) Start(_ context.Context, path string) (string, error) {
	if err := s.Stop(); err != nil {
		return "", err
	}
	args := []string{"--threads", "2"}
	if path != "" {
		args = append(args, "--db", path)
	}
	address, stop := serveUntil(s.t, args...)
	s.stop = stop
	return address, nil
}

func (s *inProcess) Stop() error {
	if s.stop != nil {
		s.stop()
		s.stop = nil
	}
	return nil
}

func sltFiles(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob(sltDir + "/*.test")
	if err != nil || len(files) == 0 {
		t.Fatalf("no files in %s: %v", sltDir, err)
	}
	return files
}

func readFile(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestSLT runs the files of testdata/slt over the wire, once for each backend.
// A forced backend may refuse what it does not take; it is counted and its
// reason shown.
func TestSLT(t *testing.T) {
	queries := 0
	for _, backend := range []string{"auto", "native", "decomposed"} {
		t.Run(backend, func(t *testing.T) {
			answered, reasons, refused := map[string]int{}, map[string]int{}, 0
			for _, o := range runAllSLT(t, backend) {
				for by, n := range o.Answered {
					answered[by] += n
				}
				for _, r := range o.Refusals {
					refused++
					reasons[r.Reason]++
				}
			}
			all := refused
			for _, n := range answered {
				all += n
			}
			if backend == "auto" {
				queries = all
			}
			t.Logf("%s: %d queries, answered by %v, %d refused", backend, all, answered, refused)
			if testing.Verbose() {
				logReasons(t, reasons)
			}
		})
	}
	if queries > 0 && queries < sltQueriesMin && !t.Failed() { // 0: auto was not asked for
		t.Errorf("%d queries, want at least %d", queries, sltQueriesMin)
	}
}

// runAllSLT runs all files, several at a time.
func runAllSLT(t *testing.T, backend string) []slt.Outcome {
	t.Helper()
	files := sltFiles(t)
	outcomes := make([]slt.Outcome, len(files))
	t.Run("files", func(t *testing.T) {
		for i, file := range files {
			t.Run(filepath.Base(file), func(t *testing.T) {
				t.Parallel()
				outcomes[i] = runSLT(t, file, backend)
			})
		}
	})
	return outcomes
}

func runSLT(t *testing.T, file, backend string) slt.Outcome {
	t.Helper()
	records, err := slt.Parse(file, readFile(t, file), slt.DuckDB)
	if err != nil {
		t.Fatal(err)
	}
	server := &inProcess{t: t}
	defer func() { _ = server.Stop() }()
	o, err := slt.Run(t.Context(), server, records, slt.Options{
		Backend: backend, TempDir: t.TempDir(), ToleranceRel: sltToleranceRel, Answerers: true,
	})
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	if o.Skipped != "" {
		t.Errorf("%s is skipped: %s", file, o.Skipped)
	}
	for _, f := range o.Failures {
		t.Errorf("%s:%d: %s\n%s", filepath.Base(file), f.Line, f.Reason, f.SQL)
	}
	return o
}

// logReasons prints why statements were refused, the most frequent first.
func logReasons(t *testing.T, reasons map[string]int) {
	t.Helper()
	for _, reason := range slices.SortedFunc(maps.Keys(reasons), func(a, b string) int {
		if reasons[a] != reasons[b] {
			return reasons[b] - reasons[a]
		}
		return strings.Compare(a, b)
	}) {
		t.Logf("%5d %s", reasons[reason], reason)
	}
}

// TestSLTIsDuckDB holds the rows in the files against plain DuckDB, which no
// part of the project has touched; with -slt.record it writes them.
func TestSLTIsDuckDB(t *testing.T) {
	for _, file := range sltFiles(t) {
		text := readFile(t, file)
		recorded, err := slt.Rewrite(file, text, newPlainDuckDB(t))
		if err != nil {
			t.Error(err)
			continue
		}
		switch {
		case recorded == text:
		case *sltRecord:
			if err := os.WriteFile(file, []byte(recorded), 0o644); err != nil {
				t.Fatal(err)
			}
		default:
			t.Errorf("%s does not say what DuckDB says; write it with -slt.record", file)
		}
	}
}

// plainDuckDB is DuckDB as it comes, but for its optimizer, which has wrong answers.
type plainDuckDB struct{ conn *sql.Conn }

func newPlainDuckDB(t *testing.T) *plainDuckDB {
	t.Helper()
	db, err := sql.Open("duckdb", "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	conn, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	d := &plainDuckDB{conn}
	for _, setup := range []string{"PRAGMA disable_optimizer", "SET threads = 1", "SET TimeZone = 'UTC'"} {
		if err := d.Exec(setup); err != nil {
			t.Fatal(err)
		}
	}
	return d
}

// Exec implements slt.Oracle.
func (d *plainDuckDB) Exec(text string) error {
	_, err := d.conn.ExecContext(context.Background(), text)
	return err
}

// Query implements slt.Oracle. DuckDB itself casts the columns to text, where
// the statement can stand in a FROM; otherwise plain values are printed here.
func (d *plainDuckDB) Query(text string, params []string) (result slt.Result, err error) {
	if params == nil {
		if columns, err := d.described(text); err == nil {
			_, cells, err := d.rows("SELECT COLUMNS(*)::VARCHAR FROM (" + text + "\n)")
			if err == nil {
				return slt.Result{Columns: columns, Rows: cells}, nil
			}
		}
		columns, cells, err := d.rows(text)
		return slt.Result{Columns: columns, Rows: cells}, err
	}
	if err := d.Exec("PREPARE recorded AS " + text); err != nil {
		return result, err
	}
	columns, cells, err := d.rows("EXECUTE recorded(" + strings.Join(params, ", ") + ")")
	err = errors.Join(err, d.Exec("DEALLOCATE recorded"))
	return slt.Result{Columns: columns, Rows: cells}, err
}

// described are the columns of a statement with their types.
func (d *plainDuckDB) described(text string) ([]slt.Column, error) {
	_, cells, err := d.rows("DESCRIBE " + text)
	var columns []slt.Column
	for _, row := range cells {
		columns = append(columns, slt.Column{Name: row[0].Text, OID: oidOf(row[1].Text)})
	}
	return columns, err
}

// oidOf is a type of the wire that is printed and lettered like DuckDB's type.
func oidOf(typ string) uint32 {
	switch typ, _, _ := strings.Cut(typ, "("); typ {
	case "BOOLEAN":
		return pgtype.BoolOID
	case "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", "UHUGEINT":
		return pgtype.Int8OID
	case "DECIMAL":
		return pgtype.NumericOID
	case "FLOAT", "DOUBLE":
		return pgtype.Float8OID
	}
	return pgtype.TextOID
}

// rows reads a result to its end.
func (d *plainDuckDB) rows(text string) (columns []slt.Column, cells [][]slt.Cell, err error) {
	result, err := d.conn.QueryContext(context.Background(), text)
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, result.Close()) }()
	types, err := result.ColumnTypes()
	if err != nil {
		return nil, nil, err
	}
	for _, t := range types {
		columns = append(columns, slt.Column{Name: t.Name(), OID: oidOf(t.DatabaseTypeName())})
	}
	for result.Next() {
		values, targets := make([]any, len(columns)), make([]any, len(columns))
		for i := range values {
			targets[i] = &values[i]
		}
		if err := result.Scan(targets...); err != nil {
			return nil, nil, err
		}
		row := make([]slt.Cell, len(values))
		for i, v := range values {
			if row[i], err = plainCell(v); err != nil {
				return nil, nil, err
			}
		}
		cells = append(cells, row)
	}
	return columns, cells, result.Err()
}

// plainCell prints the driver's value where its text is beyond doubt.
func plainCell(value any) (slt.Cell, error) {
	switch v := value.(type) {
	case nil:
		return slt.Cell{Null: true}, nil
	case string:
		return slt.Cell{Text: v}, nil
	case bool:
		return slt.Cell{Text: strconv.FormatBool(v)}, nil
	case int8, int16, int32, int64, uint8, uint16, uint32, uint64, *big.Int:
		return slt.Cell{Text: fmt.Sprint(v)}, nil
	}
	return slt.Cell{}, fmt.Errorf("a value of type %T has no text of its own here: cast it to VARCHAR", value)
}
