package engine

import (
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// describedFolder has what psql asks for \d ship and what SQLAlchemy asks to reflect
// tables, with {{ship}} for the table's number, and the statements that make it.
const describedFolder = "../testdata/clients/metadata/"

func openDescribed(b *testing.B, file string) (s testSession, statements []string) {
	b.Helper()
	s = openSession(b, openEngine(b))
	read := func(file string) []string {
		raw, err := os.ReadFile(describedFolder + file)
		if err != nil {
			b.Fatal(err)
		}
		return strings.Split(strings.TrimSuffix(string(raw), ";\n"), ";\n")
	}
	for _, sql := range read("schema.sql") {
		s.run(sql)
	}
	for _, sql := range read(file) {
		statements = append(statements, namedRelation.ReplaceAllStringFunc(sql, func(name string) string {
			return s.run("SELECT '" + strings.Trim(name, "{}") + "'::regclass::oid")
		}))
	}
	return s, statements
}

var namedRelation = regexp.MustCompile(`\{\{\w+\}\}`)

// BenchmarkDescribeTable: the statements of \d ship, over a catalog that stays, and
// after DDL.
func BenchmarkDescribeTable(b *testing.B) {
	for _, tc := range []struct{ name, ddl string }{
		{"after=nothing", "SELECT 1"},
		{"after=table", "CREATE OR REPLACE TABLE other(a INTEGER)"},
		{"after=macro", "CREATE OR REPLACE MACRO other(a) AS a"},
		{"after=own", "CREATE OR REPLACE TEMP TABLE other(a INTEGER)"}, // from the views
	} {
		b.Run(tc.name, func(b *testing.B) {
			s, statements := openDescribed(b, "psql_describe.sql")
			for b.Loop() {
				s.run(tc.ddl)
				for _, sql := range statements {
					s.run(sql)
				}
			}
		})
	}
}

// textParameter is a text as SQLAlchemy writes it, which psycopg sends as a parameter.
var textParameter = regexp.MustCompile(`'([^']*)'::VARCHAR`)

// withParameters is a statement with its texts as parameters.
func withParameters(sql string) (text string, args []string) {
	text = textParameter.ReplaceAllStringFunc(sql, func(literal string) string {
		args = append(args, textParameter.FindStringSubmatch(literal)[1])
		return "$" + strconv.Itoa(len(args)) + "::VARCHAR"
	})
	return text, args
}

// BenchmarkReflect: the statements by which SQLAlchemy reflects tables, of which
// DuckDB's planning is nearly all. That of columns planned alone, and all answered with
// their parameters.
func BenchmarkReflect(b *testing.B) {
	s, statements := openDescribed(b, "sqlalchemy.sql")
	columns := statements[slices.IndexFunc(statements, func(sql string) bool { return strings.Contains(sql, "pg_get_serial_sequence") })]
	b.Run("plan=columns", func(b *testing.B) {
		for b.Loop() {
			p, err := s.Prepare(b.Context(), columns, nil)
			if err != nil {
				b.Fatal(err)
			}
			if err := p.Close(); err != nil {
				b.Fatal(err)
			}
		}
	})
	for _, tc := range []struct {
		name       string
		statements []string
	}{{"answer=columns", []string{columns}}, {"answer=all", statements}} {
		b.Run(tc.name, func(b *testing.B) {
			for b.Loop() {
				for _, sql := range tc.statements {
					text, args := withParameters(sql)
					s.run(text, args...)
				}
			}
		})
	}
}

// BenchmarkFirstCatalogStatement is the first statement on the catalog of a server;
// the engine's opening is not counted.
func BenchmarkFirstCatalogStatement(b *testing.B) {
	for b.Loop() {
		b.StopTimer()
		s := openSession(b, openEngine(b))
		b.StartTimer()
		s.run("SELECT count(*) FROM pg_class")
	}
}
