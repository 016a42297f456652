package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// TestCSVFilesAreWhatClientsSend: a CSV file with FORMAT csv means what a client's text
// means: nothing is guessed by looking at it, and what does not fit is an error.
func TestCSVFilesAreWhatClientsSend(t *testing.T) {
	dir := t.TempDir()
	conn := connect(t, serve(t, "--allow-files", dir))
	mustExec(t, conn, `CREATE TABLE fc (id INT, s TEXT, b BOOLEAN, d DATE, ts TIMESTAMP, tz TIMESTAMPTZ, x BYTEA, j JSONB, a TEXT[], f FLOAT8, iv INTERVAL, n NUMERIC(10,2))`)
	for _, c := range []struct{ columns, text, options string }{
		{"id, s", "1, \"a\"\n2,a\"b\"c\n3, x \n", "(FORMAT csv)"},
		{"id, s", "\n1,x\n", "(FORMAT csv, HEADER)"},
		{"id, s", "", "(FORMAT csv, HEADER)"},
		{"id, s", "id,s\n1,x\r\n", "(FORMAT csv)"},
		{"id, s", "1,x\r\n2,y\r\n", "CSV"},
		{"id, s", "1,x\n\n2,y\n", "(FORMAT csv)"},
		{"id, s", "1,x\n\\.\n2,y\n", "(FORMAT csv)"},
		{"id, s", "#1,x\n", "(FORMAT csv)"},
		{"id, s", "1\n", "(FORMAT csv)"},
		{"id, s", "1,x,3\n", "(FORMAT csv)"},
		{"id, s", "1,\"abc\n", "(FORMAT csv)"},
		{"id, s", "1.5,x\n", "(FORMAT csv)"},
		{"id, s", "1,NULL\n2,\"NULL\"\n3,\n", "(FORMAT csv, NULL 'NULL')"},
		{"id, s", "1;'a''b'\n2;\n", "(FORMAT csv, DELIMITER ';', QUOTE '''', FORCE_NOT_NULL (s))"},
		{"b", "on\noff\nt\n1\n", "(FORMAT csv)"},
		{"b", "x\n", "(FORMAT csv)"},
		{"d", "0044-03-15 BC\n2024-01-01\n", "(FORMAT csv)"},
		{"d", "01/02/2024\n", "(FORMAT csv)"},
		{"ts", "2024-01-01T10:00:00\n01/02/2024 10:00\n", "(FORMAT csv)"},
		{"tz", "2024-01-01 10:00+02\n2024-01-01T10:00:00Z\n", "(FORMAT csv)"},
		{"tz", "garbage\n", "(FORMAT csv)"},
		{"x", "\\x00ff\n\"a\\\\b\"\n", "(FORMAT csv)"},
		{"j", "\"{\"\"a\"\": 1}\"\n", "(FORMAT csv)"},
		{"a", "{}\n\"{\"\"a b\"\",NULL}\"\n", "(FORMAT csv)"},
		{"f", "Infinity\nNaN\n1e3\n", "(FORMAT csv)"},
		{"iv", "P1DT2S\n-1 mons +3 days\n02:00\n", "(FORMAT csv)"},
		{"n", "1.005\n\" 2\"\n", "(FORMAT csv)"},
	} {
		path := filepath.Join(dir, "in.csv")
		if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		mustExec(t, conn, "DELETE FROM fc")
		_, err := copyText(conn, "COPY fc("+c.columns+") FROM STDIN "+c.options, c.text)
		want := copied(t, conn, c.columns, err)
		mustExec(t, conn, "DELETE FROM fc")
		_, err = conn.Exec(t.Context(), "COPY fc("+c.columns+") FROM '"+path+"' "+c.options)
		if got := copied(t, conn, c.columns, err); got != want {
			t.Errorf("%q %s: %s, want %s", c.text, c.options, got, want)
		}
	}
}

// copied is what a COPY into fc has brought, or its error.
func copied(t *testing.T, conn *pgx.Conn, columns string, err error) string {
	t.Helper()
	var e *pgconn.PgError
	switch {
	case errors.As(err, &e):
		return strings.Join([]string{e.Code, e.Message, e.Where}, ": ")
	case err != nil:
		t.Fatal(err)
	}
	return copyOut(t, conn, "COPY fc("+columns+") TO STDOUT")
}

// TestCSVFilesOfDuckDB: patterns, compressed files and options that are DuckDB's alone are
// DuckDB's to read and write.
func TestCSVFilesOfDuckDB(t *testing.T) {
	dir := t.TempDir()
	conn := connect(t, serve(t, "--allow-files", dir))
	mustExec(t, conn, "CREATE TABLE t (a INTEGER, b TEXT)")
	mustExec(t, conn, "INSERT INTO t VALUES (1, 'x'), (2, '')")
	in := func(name string) string { return "'" + filepath.Join(dir, name) + "'" }
	mustExec(t, conn, "COPY t TO "+in("one.csv")+" (FORMAT csv)")
	mustExec(t, conn, "COPY t TO "+in("two.csv.gz")+" (FORMAT csv)")
	mustExec(t, conn, "COPY t TO "+in("three.csv")+" (FORMAT csv, HEADER false, COMPRESSION 'none')")
	packed, err := os.ReadFile(filepath.Join(dir, "two.csv.gz"))
	if err != nil || !strings.HasPrefix(string(packed), "\x1f\x8b") {
		t.Errorf("%q, %v", packed, err)
	}
	for _, from := range []string{in("one.csv") + " (FORMAT csv)", in("two.csv.gz") + " (FORMAT csv)", in("*.csv") + " (FORMAT csv)", in("three.csv") + " (FORMAT csv, AUTO_DETECT false)"} {
		mustExec(t, conn, "COPY t FROM "+from)
	}
	if got := copyOut(t, conn, "COPY (SELECT a, count(*) FROM t GROUP BY a ORDER BY a) TO STDOUT"); got != "1\t6\n2\t6\n" {
		t.Errorf("%q", got)
	}
}
