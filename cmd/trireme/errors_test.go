package main

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/trireme-db/trireme/internal/slt"
)

const (
	errorsDir = "../../testdata/errors"
	// errorsMin is how many erroneous statements there must be.
	errorsMin = 200
)

// badStatement is a statement that must fail, with the class of its SQLSTATE.
type badStatement struct{ file, class, sql string }

// badStatements reads testdata/errors: records between blank lines, the class in
// the first line, the statement in the rest.
func badStatements(t *testing.T) []badStatement {
	t.Helper()
	files, err := filepath.Glob(errorsDir + "/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	var all []badStatement
	for _, file := range files {
		for _, record := range strings.Split(readFile(t, file), "\n\n") {
			record = strings.Trim(record, "\n")
			if record == "" || strings.HasPrefix(record, "#") {
				continue
			}
			class, sql, ok := strings.Cut(record, "\n")
			if !ok || len(class) != 2 {
				t.Fatalf("%s: %q is not a class and a statement", file, record)
			}
			all = append(all, badStatement{filepath.Base(file), class, sql})
		}
	}
	return all
}

// duckFailure is an error as DuckDB reports it under errors_as_json.
type duckFailure struct {
	Message  string `json:"exception_message"`
	Position string `json:"position"`
}

// ask runs a statement in a transaction that is rolled back, and returns how it fails.
func (d *plainDuckDB) ask(t *testing.T, sql string) (failure duckFailure, failed bool) {
	t.Helper()
	_, _, err := d.rows(sql)
	if err == nil {
		return failure, false
	}
	text := err.Error()
	start := strings.IndexByte(text, '{')
	if start < 0 || json.Unmarshal([]byte(text[start:]), &failure) != nil {
		t.Errorf("%s: DuckDB's error is not JSON: %s", sql, text)
	}
	return failure, true
}

func schemaOf(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(errorsDir, "schema.sql"))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(strings.TrimSpace(string(text)), ";"), ";\n")
}

// TestErrorParity compares what a client is told of erroneous statements with
// what DuckDB says of the same text: the class of the SQLSTATE, which the list
// has, the message and the position, which DuckDB is asked for. A forced backend
// fails alike where DuckDB refuses to prepare a statement; what fails only when
// it runs, it may decline to take.
func TestErrorParity(t *testing.T) {
	list := badStatements(t)
	if len(list) < errorsMin {
		t.Errorf("%d statements, want at least %d", len(list), errorsMin)
	}
	duck := newPlainDuckDB(t)
	for _, sql := range append(schemaOf(t), "SET errors_as_json = true") {
		if err := duck.Exec(sql); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
	}
	for _, backend := range []string{"auto", "native", "decomposed"} {
		t.Run(backend, func(t *testing.T) {
			conn := connect(t, serve(t, "--allow-files", ".")).PgConn() // where DuckDB's errors of files come from
			exec := func(sql string) error { return conn.Exec(context.Background(), sql).Close() }
			for _, sql := range append(schemaOf(t), "SET trireme.backend = '"+backend+"'") {
				if err := exec(sql); err != nil {
					t.Fatalf("%s: %v", sql, err)
				}
			}
			declined := 0
			for _, bad := range list {
				want, failed := duck.ask(t, bad.sql)
				if !failed {
					t.Errorf("%s: DuckDB answers\n%s", bad.file, bad.sql)
					continue
				}
				err := exec(bad.sql)
				if isDeclined(err) && backend != "auto" && duck.prepares(t, bad.sql) {
					declined++
					continue
				}
				wantAlike(t, bad, want, err)
			}
			t.Logf("%s: %d statements fail alike, %d fail only when they run and are not taken", backend, len(list)-declined, declined)
		})
	}
}

// isDeclined reports whether a forced backend has not taken a statement.
func isDeclined(err error) bool {
	var e *pgconn.PgError
	return errors.As(err, &e) && e.Code == "0A000" && strings.HasPrefix(e.Message, "backend ")
}

// prepares reports whether DuckDB binds a statement.
func (d *plainDuckDB) prepares(t *testing.T, sql string) bool {
	t.Helper()
	stmt, err := d.conn.PrepareContext(t.Context(), sql)
	if err != nil {
		return false
	}
	if err := stmt.Close(); err != nil {
		t.Error(err)
	}
	return true
}

// wantAlike compares one error.
func wantAlike(t *testing.T, bad badStatement, want duckFailure, err error) {
	t.Helper()
	var e *pgconn.PgError
	if !errors.As(err, &e) {
		t.Errorf("%s: %v, want %q\n%s", bad.file, err, want.Message, bad.sql)
		return
	}
	if e.Code[:2] != bad.class {
		t.Errorf("%s: SQLSTATE %s, want class %s, for %q\n%s", bad.file, e.Code, bad.class, e.Message, bad.sql)
	}
	said, text := squeezed(e.Message+" "+e.Hint), ourWords.Replace(squeezed(want.Message))
	unnamed := func(s string) string { return keyName.ReplaceAllString(s, `key "`) }    // of a foreign key DuckDB names the other table's column
	isViolation := func(t string) bool { return unnamed(squeezed(t)) == unnamed(text) } // which has Postgres' words
	if said != text && !slices.ContainsFunc(slt.ViolationTexts(e), isViolation) {
		t.Errorf("%s: message\n%q, want\n%q\n%s", bad.file, said, text, bad.sql)
	}
	position := int32(0) // none
	if offset, err := strconv.Atoi(want.Position); err == nil {
		position = int32(utf8.RuneCountInString(bad.sql[:offset])) + 1
	}
	if e.Position != position {
		t.Errorf("%s: position %d, want %d, for %q\n%s", bad.file, e.Position, position, e.Message, bad.sql)
	}
}

// keyName begins a key with the name of its column.
var keyName = regexp.MustCompile(`key "\w+: `)

// ourWords are said in place of DuckDB's: its advice to drop dependents would lose tables.
var ourWords = strings.NewReplacer(
	"is not an table", "is not a table",
	"Use DROP...CASCADE to drop all dependents.", "Change or drop what depends on it first. CASCADE takes along defaults that a sequence counts, foreign keys, functions and indexes, but no table that is not named.",
)

// squeezed has one blank for every run of white space.
func squeezed(s string) string { return strings.Join(strings.Fields(s), " ") }
