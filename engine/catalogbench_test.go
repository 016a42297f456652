package engine

import (
	"os"
	"strings"
	"testing"
)

// describedFolder has what psql asks for \d ship, with {{ship}} for the table's number,
// and the statements that make it.
const describedFolder = "../testdata/clients/metadata/"

func openDescribed(b *testing.B) (s testSession, statements []string) {
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
	oid := s.run("SELECT 'ship'::regclass::oid")
	for _, sql := range read("psql_describe.sql") {
		statements = append(statements, strings.ReplaceAll(sql, "{{ship}}", oid))
	}
	return s, statements
}

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
			s, statements := openDescribed(b)
			for b.Loop() {
				s.run(tc.ddl)
				for _, sql := range statements {
					s.run(sql)
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
