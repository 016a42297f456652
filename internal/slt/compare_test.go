package slt

import (
	"math"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
)

func newChecker(dialect Dialect) *checker {
	labels := map[string]string{}
	return &checker{
		dialect: dialect, toleranceRel: 1e-9,
		expand: func(s string) string { return strings.ReplaceAll(s, "__TEST_DIR__", "/tmp/x") },
		labels: func(label, hash string) (string, bool) {
			first, known := labels[label]
			if !known {
				labels[label] = hash
			}
			return first, known
		},
	}
}

// table makes a result of rows with blanks between values; - is NULL.
func table(oids []uint32, rows ...string) Result {
	var r Result
	for _, oid := range oids {
		r.Columns = append(r.Columns, Column{"c", oid})
	}
	for _, row := range rows {
		var cells []Cell
		for _, text := range strings.Split(row, " ") {
			if text == "-" {
				cells = append(cells, Cell{Null: true})
			} else {
				cells = append(cells, Cell{Text: text})
			}
		}
		r.Rows = append(r.Rows, cells)
	}
	return r
}

func TestCheckResult(t *testing.T) {
	intText := []uint32{pgtype.Int4OID, pgtype.TextOID}
	tests := []struct {
		name   string
		record string
		got    Result
		holds  bool
	}{
		{"rows", "query IT\nq\n----\n1\ta\n-2\tNULL\n", table(intText, "1 a", "-2 -"), true},
		{"values", "query IT\nq\n----\n1\na\n", table(intText, "1 a"), true},
		{"order", "query IT\nq\n----\n1\ta\n2\tb\n", table(intText, "2 b", "1 a"), false},
		{"rowsort", "query IT rowsort\nq\n----\n1\ta\n2\tb\n", table(intText, "2 b", "1 a"), true},
		{"rowsort of a file in another order", "query IT rowsort\nq\n----\n2\tb\n1\ta\n", table(intText, "2 b", "1 a"), true},
		{"valuesort", "query IT valuesort\nq\n----\n1\n2\na\nb\n", table(intText, "2 b", "1 a"), true},
		{"a value too many", "query IT rowsort\nq\n----\n1\ta\n2\tb\n", table(intText, "1 a"), false},
		{"a wrong value", "query IT rowsort\nq\n----\n1\tb\n", table(intText, "1 a"), false},
		{"columns", "query I\nq\n----\n1\ta\n", table(intText, "1 a"), false},
		{"empty", "query T\nq\n----\n(empty)\n", table([]uint32{pgtype.TextOID}, ""), true},
		{"no rows", "query T\nq\n----\n", table([]uint32{pgtype.TextOID}), true},
		{"rows where none are wanted", "query T\nq\n----\n", table([]uint32{pgtype.TextOID}, "x"), false},
		{"boolean as digit", "query I\nq\n----\n1\n", table([]uint32{pgtype.BoolOID}, "t"), true},
		{"boolean as word", "query T\nq\n----\nfalse\n", table([]uint32{pgtype.BoolOID}, "t"), false},
		{"float within tolerance", "query R\nq\n----\n0.3\n", table([]uint32{pgtype.Float8OID}, "0.30000000000000004"), true},
		{"float outside of tolerance", "query R\nq\n----\n0.3\n", table([]uint32{pgtype.Float8OID}, "0.3000001"), false},
		{"numeric in another spelling", "query R\nq\n----\n1.50\n", table([]uint32{pgtype.NumericOID}, "1.5"), true},
		{"numeric has no tolerance", "query R\nq\n----\n1.5000000001\n", table([]uint32{pgtype.NumericOID}, "1.5"), false},
		{"text has no tolerance", "query R\nq\n----\n1.50\n", table([]uint32{pgtype.TextOID}, "1.5"), false},
		{"pattern", "query T\nq\n----\n<REGEX>:a.*c\n", table([]uint32{pgtype.TextOID}, "abbc"), true},
		{"pattern of all", "query T\nq\n----\n<REGEX>:b\n", table([]uint32{pgtype.TextOID}, "abbc"), false},
		{"not the pattern", "query T\nq\n----\n<!REGEX>:a.*\n", table([]uint32{pgtype.TextOID}, "abbc"), false},
		{"folder", "query T\nq\n----\n__TEST_DIR__/a\n", table([]uint32{pgtype.TextOID}, "/tmp/x/a"), true},
		{"hash", "query I\nq\n----\n3 values hashing to c0710d6b4f15dfa88f600b0e6b624077\n", table([]uint32{pgtype.Int4OID}, "1", "2", "3"), true},
		{"another hash", "query I\nq\n----\n3 values hashing to c0710d6b4f15dfa88f600b0e6b624070\n", table([]uint32{pgtype.Int4OID}, "1", "2", "3"), false},
	}
	for _, tt := range tests {
		r := parse(t, tt.record, DuckDB)[0]
		if err := newChecker(DuckDB).result(&r, tt.got); (err == nil) != tt.holds {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}

func TestCheckLabels(t *testing.T) {
	c := newChecker(DuckDB)
	one := parse(t, "query I rowsort same\nq\n", DuckDB)[0]
	if err := c.result(&one, table([]uint32{pgtype.Int4OID}, "2", "1")); err != nil {
		t.Error(err)
	}
	if err := c.result(&one, table([]uint32{pgtype.Int4OID}, "1", "2")); err != nil {
		t.Error(err)
	}
	if err := c.result(&one, table([]uint32{pgtype.Int4OID}, "1", "3")); err == nil {
		t.Error("another result under the same label holds")
	}
}

func TestRender(t *testing.T) {
	tests := []struct {
		text    string
		oid     uint32
		dialect Dialect
		letter  byte
		want    string
	}{
		{"1", pgtype.Float8OID, DuckDB, 'R', "1.0"},
		{"1e+20", pgtype.Float8OID, DuckDB, 'R', "1e+20"},
		{"1e+15", pgtype.Float8OID, DuckDB, 'R', "1000000000000000.0"},
		{"-0", pgtype.Float8OID, DuckDB, 'R', "0.0"},
		{"NaN", pgtype.Float8OID, DuckDB, 'R', "nan"},
		{"-Infinity", pgtype.Float4OID, DuckDB, 'R', "-inf"},
		{`\x61005c`, pgtype.ByteaOID, DuckDB, 'T', `a\x00\x5C`},
		{"1 year 2 mons -1 days +02:03:04", pgtype.IntervalOID, DuckDB, 'T', "1 year 2 months -1 day 02:03:04"},
		{"0044-03-15 BC", pgtype.DateOID, DuckDB, 'T', "0044-03-15 (BC)"},
		{"0044-03-15 01:00:00 BC", pgtype.TimestampOID, DuckDB, 'T', "0044-03-15 (BC) 01:00:00"},
		{"t", pgtype.BoolOID, DuckDB, 'I', "true"},
		{"2.9", pgtype.Float8OID, SQLite, 'I', "2"},
		{"2", pgtype.Int4OID, SQLite, 'R', "2.000"},
		{"f", pgtype.BoolOID, SQLite, 'I', "0"},
		{"a\nb", pgtype.TextOID, SQLite, 'T', "a@b"},
	}
	for _, tt := range tests {
		if got := render(Cell{Text: tt.text}, tt.oid, tt.dialect, tt.letter); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.text, got, tt.want)
		}
	}
}

func TestCheckError(t *testing.T) {
	binder := &pgconn.PgError{Code: "42703", Message: "Referenced column \"x\" not found", Hint: "Candidate bindings: \"y\""}
	tests := []struct {
		want  string
		err   error
		holds bool
	}{
		{"", binder, true},
		{"Referenced column", binder, true},
		{"Binder Error: Referenced   column", binder, true},
		{"Binder Error", binder, true},
		{"not found\nCandidate bindings", binder, true},
		{"Conversion Error", binder, false},
		{"Referenced table", binder, false},
		{"<REGEX>:.*column.*found.*", binder, true},
		{"<REGEX>:Binder Error: Ref.*", binder, true},
		{"<!REGEX>:.*nothing.*", binder, true},
		{"", &pgconn.PgError{Code: "XX000", Message: "INTERNAL Error"}, false},
		{"", errSkip("no connection"), false},
	}
	for _, tt := range tests {
		if err := newChecker(DuckDB).checkError(tt.want, tt.err); (err == nil) != tt.holds {
			t.Errorf("%q of %v: %v", tt.want, tt.err, err)
		}
	}
	if reason, ok := refusal(&pgconn.PgError{Code: "0A000", Message: "backend native cannot answer this statement: window"}); !ok || reason != "window" {
		t.Errorf("refusal: %q, %v", reason, ok)
	}
	if _, ok := refusal(&pgconn.PgError{Code: "0A000", Message: "savepoints are not supported"}); ok {
		t.Error("any missing feature passes for a refusal")
	}
}

func TestScopes(t *testing.T) {
	loop := Record{Variable: "a,b"}
	s, err := (&scope{}).with(&loop, "x,2", nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := s.expand("${a} {b} {c}"); got != "x 2 {c}" {
		t.Errorf("%q", got)
	}
	if _, err := s.with(&loop, "one", nil); err == nil {
		t.Error("one value for two variables")
	}
	for condition, want := range map[Condition]bool{
		{"b", ">=", "2", false}: true, {"b", "<", "2", false}: false, {"a", "=", "x", true}: false, {"a", "<>", "x", true}: true,
	} {
		if got, err := s.holds([]Condition{condition}); err != nil || got != want {
			t.Errorf("%+v: %v, %v", condition, got, err)
		}
	}
	if _, err := s.holds([]Condition{{"z", "=", "1", false}}); err == nil {
		t.Error("a condition on no loop's variable")
	}
}

func TestLiteralValues(t *testing.T) {
	for literal, want := range map[string]string{"1": "1", "-2.5": "-2.5", "'it''s'": "it's", "DATE '2024-01-01'": "2024-01-01", "5::BIGINT": "5", "''": ""} {
		if got := literalValue(literal); got == nil || string(got) != want {
			t.Errorf("%s: %q, want %q", literal, got, want)
		}
	}
	if got := literalValue("NULL::INTEGER"); got != nil {
		t.Errorf("NULL: %q", got)
	}
	if !closeFloats("nan", "nan", 0) || closeFloats("nan", "1", math.Inf(1)) {
		t.Error("NaN equals NaN alone")
	}
}
