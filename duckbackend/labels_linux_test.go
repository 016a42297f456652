//go:build !duckdb_use_lib

package duckbackend

import (
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/trireme-db/trireme/internal/sqlerr"
)

// halfLetter is a text of DuckDB's that is not UTF-8, of a column s.
const halfLetter = `regexp_extract(s, '\C')`

// A text that is not UTF-8 becomes no label, in whatever way the type is made.
func TestInvalidLabelsAreRefused(t *testing.T) {
	c := openConn(t, openMemory(t))
	mustExec(t, c, "CREATE TABLE w AS SELECT 'é' AS s, 1 AS v")
	for _, sql := range []string{
		"CREATE TYPE e AS ENUM (SELECT " + halfLetter + " FROM w)",
		"CREATE TEMP TYPE e AS ENUM (SELECT 'a label that is long ' || " + halfLetter + " FROM w)",
		`CREATE OR REPLACE TYPE e AS ENUM (SELECT regexp_extract('é', '\C'))`,
		"PIVOT (SELECT " + halfLetter + " AS h, v FROM w) ON h USING sum(v)",
	} {
		wantCode(t, runs(ctx, c, sql), sqlerr.BadEncoding)
	}
	mustExec(t, c, "CREATE TYPE e AS ENUM (SELECT s FROM w); CREATE TABLE x AS SELECT s::e AS s FROM w")
	if got := query(t, c, "SELECT labels FROM duckdb_types() WHERE type_name = 'e'"); got != "[é]\n" {
		t.Errorf("afterwards: %q", got)
	}
}

// No regular expression finds half of a letter.
func TestAnyByteIsRefused(t *testing.T) {
	c := openConn(t, openMemory(t))
	mustExec(t, c, `CREATE TABLE w AS SELECT 'aé' AS s, '(\C)' AS p`)
	for _, sql := range []string{
		`SELECT regexp_extract('aé', '\C')`, `SELECT regexp_extract(s, p) FROM w`, `SELECT regexp_extract(s, '(a)(\C)', ['x', 'y']) FROM w`, `SELECT regexp_extract_all(s, 'a*\C') FROM w`,
		`SELECT regexp_replace(s, p, '', 'g') FROM w`, `SELECT regexp_split_to_array(s, '\C') FROM w`, `SELECT string_split_regex(s, p) FROM w`, `SELECT s SIMILAR TO p FROM w`, `SELECT * FROM w WHERE regexp_matches(s, '^[b]?\C')`,
	} {
		wantCode(t, runs(ctx, c, sql), sqlerr.BadEncoding)
	}
	for sql, want := range map[string]string{
		`SELECT regexp_extract(s, 'a.') FROM w`: "aé", `SELECT regexp_extract('a\C', 'a\\C')`: `a\C`, `SELECT regexp_extract('x\C', '\Q\C\E')`: `\C`, `SELECT regexp_matches('a', '(?s).')`: "1",
	} {
		if got := query(t, c, sql); got != want+"\n" {
			t.Errorf("%s: %q", sql, got)
		}
	}
}

// A file of DuckDB's own that has such labels is opened, and its catalog can be read.
func TestInvalidLabelsOfAFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	extract(t, "testdata/invalidlabel.db.gz", path)
	for range 2 { // the second time as this library has written it
		db, err := Open(ctx, Config{Path: path})
		if err != nil {
			t.Fatal(err)
		}
		c := openConn(t, db)
		const labels = `[a, half of a letter é, \xC3, a long label \xC3 é]`
		if got := query(t, c, "SELECT labels FROM duckdb_types() WHERE type_name = 'half'"); got != labels+"\n" {
			t.Errorf("labels %q", got)
		}
		if got := query(t, c, "SELECT data_type FROM duckdb_columns() WHERE table_name = 't' AND column_name = 'x'"); got != `ENUM('a', 'half of a letter é', '\xC3', 'a long label \xC3 é')`+"\n" {
			t.Errorf("type %q", got)
		}
		if got := query(t, c, "SELECT x, [x], y FROM t ORDER BY y"); got != "a|[a]|1\n\\xC3|[\\xC3]|2\n" {
			t.Errorf("rows %q", got)
		}
		if got := query(t, c, `SELECT y FROM t WHERE x = '\xC3'`); got != "2\n" {
			t.Errorf("found %q", got)
		}
		mustExec(t, c, "CREATE OR REPLACE TABLE other AS FROM t; CHECKPOINT")
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// extract writes what a compressed file holds.
func extract(t *testing.T, from, to string) {
	t.Helper()
	f, err := os.Open(from)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// A label that is written as another one of its type is stays apart from it, in whatever order they are.
func TestInvalidLabelsStayApart(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	extract(t, "testdata/equallabels.db.gz", path)
	for range 2 { // the second time as this library has written it
		db, err := Open(ctx, Config{Path: path})
		if err != nil {
			t.Fatal(err)
		}
		c := openConn(t, db)
		const labels = `\xC3' \xC3'' a \xC3 \xA9 \xA9'`
		if got := query(t, c, "SELECT array_to_string(labels, ' ') FROM duckdb_types() WHERE type_name = 'e'"); got != labels+"\n" {
			t.Errorf("labels %q", got)
		}
		if got := query(t, c, "SELECT y, x FROM t ORDER BY y"); got != "0|\\xC3'\n1|\\xC3''\n2|a\n3|\\xC3\n4|\\xA9\n5|\\xA9'\n" {
			t.Errorf("rows %q", got)
		}
		if got := query(t, c, `SELECT y FROM t WHERE x IN ('\xC3', '\xA9''') ORDER BY y`); got != "3\n5\n" {
			t.Errorf("found %q", got)
		}
		mustExec(t, c, `INSERT INTO t VALUES (9, '\xC3'); DELETE FROM t WHERE y = 9; CREATE OR REPLACE TABLE other AS FROM t; CHECKPOINT`)
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
