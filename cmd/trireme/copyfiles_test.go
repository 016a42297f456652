package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A file holds what a client would get, and what a client would send: values of all
// types, in all formats.
func TestCopyFilesRoundTrip(t *testing.T) {
	dir := t.TempDir()
	conn := connect(t, serve(t, "--allow-files", dir))
	mustExec(t, conn, copyTypes)
	path := filepath.Join(dir, "data")
	for _, options := range []string{
		"(FORMAT text)", "(FORMAT binary)", "(FORMAT text, HEADER, DELIMITER '|', NULL 'none')", "BINARY", "(FORMAT csv, ENCODING 'UTF8', HEADER)",
		"(FORMAT csv)", "CSV HEADER", `(FORMAT csv, HEADER, DELIMITER ';', QUOTE '''', ESCAPE '\', NULL 'none')`,
	} {
		t.Run(options, func(t *testing.T) {
			mustExec(t, conn, "CREATE OR REPLACE TABLE dst AS FROM src LIMIT 0")
			tag, err := conn.Exec(context.Background(), "COPY src TO '"+path+"' "+options)
			if err != nil || tag.String() != "COPY 700" {
				t.Fatal(tag, err)
			}
			got, err := os.ReadFile(path)
			if err != nil || string(got) != copyOut(t, conn, "COPY src TO STDOUT "+options) {
				t.Fatalf("the file is not what a client gets (%v)", err)
			}
			tag, err = conn.Exec(context.Background(), "COPY dst FROM '"+path+"' "+options)
			if err != nil || tag.String() != "COPY 700" {
				t.Fatal(tag, err)
			}
			for _, sql := range []string{"SELECT count(*) FROM (FROM dst EXCEPT ALL FROM src)", "SELECT count(*) FROM (FROM src EXCEPT ALL FROM dst)"} {
				if n := value[int64](t, conn, sql); n != 0 {
					t.Errorf("%d rows differ: %s", n, sql)
				}
			}
		})
	}
	onlyFile(t, dir, "data")
}

// onlyFile requires that a directory holds one file.
func onlyFile(t *testing.T, dir, name string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.Name() != name {
			t.Errorf("%s was left", e.Name())
		}
	}
}

// Options that are Postgres' alone mean for files what they mean for clients.
func TestCopyFileOptions(t *testing.T) {
	dir := t.TempDir()
	conn := connect(t, serve(t, "--allow-files", dir))
	mustExec(t, conn, "CREATE TABLE t (a INTEGER, b VARCHAR DEFAULT 'd')")
	path := filepath.Join(dir, "in")
	for _, c := range []struct{ text, statement, want string }{
		{"1\tx\ny\tz\n2\tw\n", "COPY t FROM '%' (FORMAT text, ON_ERROR ignore)", "1\tx\n2\tw\n"},
		{"1,x\ny,z\n", "COPY t FROM '%' (FORMAT csv, ON_ERROR ignore)", "1\tx\n"},
		{"a,b\n1,x\n", "COPY t FROM '%' (FORMAT csv, HEADER match)", "1\tx\n"},
		{"1,x\n2,y\n3,\n", "COPY t FROM '%' (FORMAT csv) WHERE a % 2 = 1 AND b IS NOT NULL", "1\tx\n"},
		{"1,\"n\"\n2,n\n", "COPY t FROM '%' (FORMAT csv, NULL 'n', FORCE_NULL (b))", "1\t\\N\n2\t\\N\n"},
		{"1,*\n", "COPY t FROM '%' (FORMAT csv, DEFAULT '*')", "1\td\n"},
		{"1\t\\x\n2\n", "COPY t (a) FROM '%' (FORMAT text, DELIMITER '|', ON_ERROR ignore)", "2\td\n"},
		{"1,caf\xe9\n", "COPY t FROM '%' WITH CSV ENCODING 'LATIN1'", "1\tcafé\n"},
		{"1\tx\n", "COPY t FROM '%' (FORMAT text, FREEZE)", "1\tx\n"},
		{"", "COPY t FROM '%' (FORMAT text)", ""},
	} {
		mustExec(t, conn, "DELETE FROM t")
		if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		sql := strings.Replace(c.statement, "%", path, 1)
		mustExec(t, conn, sql)
		if got := copyOut(t, conn, "COPY (FROM t ORDER BY a) TO STDOUT"); got != c.want {
			t.Errorf("%s: %q, want %q", c.statement, got, c.want)
		}
	}
	mustExec(t, conn, "COPY (SELECT 'café' AS x) TO '"+path+"' (FORMAT csv, ENCODING 'LATIN1')")
	if got, err := os.ReadFile(path); err != nil || string(got) != "caf\xe9\n" {
		t.Errorf("%q, %v", got, err)
	}
}

// An error of a file names the line and the column, and leaves neither rows nor files.
func TestCopyFileErrors(t *testing.T) {
	dir := t.TempDir()
	conn := connect(t, serve(t, "--allow-files", dir))
	mustExec(t, conn, "CREATE TABLE t (a INTEGER, b VARCHAR)")
	path := filepath.Join(dir, "in")
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "folder"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ text, statement, code, message, where string }{
		{"1\tx\ny\tz\n", "COPY t FROM '%' (FORMAT text)", "22P02", `invalid input syntax for type integer: "y"`, `COPY t, line 2, column a: "y"`},
		{strings.Repeat("1,x\n", 200_000) + "2\n", "COPY t FROM '%' (FORMAT csv, ON_ERROR stop)", "22P04", `missing data for column "b"`, `COPY t, line 200001: "2"`},
		{"b,a\n1,x\n", "COPY t FROM '%' (FORMAT csv, HEADER match)", "22P04", `column name mismatch in header line field 1: got "b", expected "a"`, `COPY t, line 1: "b,a"`},
		{"no", "COPY t FROM '%' (FORMAT binary)", "22P04", "COPY file signature not recognized", ""},
		{"", "COPY t FROM '%.nosuch' (FORMAT text)", "58P01", `could not open file "` + path + `.nosuch": no such file or directory`, ""},
		{"", "COPY t FROM '" + dir + "/pipe' (FORMAT text)", "42809", `could not open file "` + dir + `/pipe": it is not a regular file`, ""},
		{"", "COPY t TO '" + dir + "/pipe' (FORMAT text)", "42809", `could not open file "` + dir + `/pipe": it is not a regular file`, ""},
		{"", "COPY t FROM '" + dir + "/folder' (FORMAT text)", "42809", `could not open file "` + dir + `/folder": it is not a regular file`, ""},
		{"", "COPY t TO '" + dir + "/nosuch/x' (FORMAT text)", "58P01", `could not create file "` + dir + `/nosuch/x": no such file or directory`, ""},
		{"", "COPY (SELECT error('no') FROM range(3)) TO '" + dir + "/out' (FORMAT text)", "22023", "no", ""},
		{"", "COPY (SELECT '€') TO '" + dir + "/out' (FORMAT csv, ENCODING 'LATIN1')", "22P05", "", ""},
		{"", "COPY t FROM '%' (ON_ERROR ignore)", "0A000", `option "on_error" is only available with FORMAT text, csv or binary`, ""},
		{"", "COPY t FROM '%' WHERE a > 1", "0A000", "WHERE is only available with FORMAT text, csv or binary", ""},
		{"", "COPY t FROM '%' (FORMAT text, AUTO_DETECT true)", "42601", `option "auto_detect" not recognized`, ""},
		{"", "COPY t FROM '%' (FORMAT text", "42601", "syntax error at end of input", ""},
	} {
		if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := conn.Exec(context.Background(), strings.Replace(c.statement, "%", path, 1))
		e := wantCode(t, err, c.code)
		if c.message != "" && e.Message != c.message || c.where != "" && e.Where != c.where {
			t.Errorf("%s: message %q, where %q", c.statement, e.Message, e.Where)
		}
		if n := value[int64](t, conn, "SELECT count(*) FROM t"); n != 0 {
			t.Fatalf("%s: %d rows are left", c.statement, n)
		}
	}
	for _, name := range []string{"pipe", "folder", "in"} {
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
	onlyFile(t, dir, "")
}

// TestCopyOfWhatWrites: a COPY that fails to put the rows of RETURNING where they belong has
// written nothing.
func TestCopyOfWhatWrites(t *testing.T) {
	dir := t.TempDir()
	conn := connect(t, serve(t, "--allow-files", dir))
	mustExec(t, conn, "CREATE TABLE t (a INTEGER, b VARCHAR)")
	file := "'" + filepath.Join(dir, "out") + "'"
	for _, c := range []struct{ to, code string }{
		{"STDOUT (FORMAT csv, ENCODING 'LATIN1')", "22P05"},
		{file + " (FORMAT csv, ENCODING 'LATIN1')", "22P05"},
		{"'" + filepath.Join(dir, "nosuch", "out") + "' (FORMAT text)", "58P01"},
	} {
		_, err := conn.Exec(context.Background(), "COPY (INSERT INTO t SELECT i, '€' FROM range(5000) r(i) RETURNING b) TO "+c.to)
		wantCode(t, err, c.code)
		if n := value[int64](t, conn, "SELECT count(*) FROM t"); n != 0 {
			t.Fatalf("%s: %d rows are left", c.to, n)
		}
	}
	mustExec(t, conn, "COPY (INSERT INTO t VALUES (1, 'x'), (2, '€') RETURNING a, [b]) TO "+file+" (FORMAT csv)")
	if got := copyOut(t, conn, "COPY (UPDATE t SET a = a + 1 RETURNING a) TO STDOUT"); got != "2\n3\n" {
		t.Errorf("%q", got)
	}
	if got, err := os.ReadFile(filepath.Join(dir, "out")); err != nil || string(got) != "1,{x}\n2,{€}\n" {
		t.Errorf("%q, %v", got, err)
	}
	if got := copyOut(t, conn, "COPY t TO STDOUT"); got != "2\tx\n3\t€\n" {
		t.Errorf("%q", got)
	}
	onlyFile(t, dir, "out")
}
