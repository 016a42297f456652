package duckbackend

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/internal/sqlerr"
)

// exoticValues are SQL expressions whose values travel as DuckDB's text.
var exoticValues = []string{
	"gen_random_uuid()", "'00000000-0000-0000-0000-000000000001'::UUID", "'ffffffff-ffff-ffff-ffff-ffffffffffff'::UUID",
	"340282366920938463463374607431768211455::UHUGEINT", "0::UHUGEINT",
	"'12:34:56.789+05:30'::TIMETZ", "'101'::BIT", "'0000000011111111'::BIT",
	"123456789012345678901234567890::BIGNUM", "-123456789012345678901234567890::BIGNUM", "0::BIGNUM", "-255::BIGNUM",
	"[1,2,NULL]", "[]::INT[]", "[['a','b, c'],[NULL],['''q''']]", "array_value(1.5::DOUBLE,'NaN'::DOUBLE)",
	"{'a': 1, 'b': 'x y', 'c': NULL}", "row(1,'z')", "{'d': DATE '2020-02-29', 't': TIMESTAMP '2020-01-01 12:34:56.5'}",
	"MAP {'k': 1, 'l': NULL}", "MAP {1: [1,2]}", "union_value(num := 3)", "union_value(num := NULL::INT)", "union_value(s := 'x')::UNION(i INT, s VARCHAR)",
	"[{'m': MAP {'a': [1.10::DECIMAL(5,2)]}}]", "[1.5::DECIMAL(30,10), -0.1]", "[INTERVAL '1 month -2 days 3 seconds']",
	"['\\x00\\xFF'::BLOB]", "['{\"x\": 1}'::JSON]", "{'j': '[1,2]'::JSON}", "['b'::ENUM('a','b')]",
	"[true,false]", "[1::TINYINT,-1::TINYINT]", "[255::UTINYINT]", "[1.25::FLOAT, 'inf'::FLOAT]", "[170141183460469231731687303715884105727::HUGEINT]",
	"[TIME '01:02:03']", "['2020-01-01'::TIMESTAMP_S]", "['2020-01-01 00:00:00.123'::TIMESTAMP_MS]", "['2020-01-01 00:00:00.123456789'::TIMESTAMP_NS]",
	"[TIMESTAMPTZ '2020-01-01 00:00:00+02']", "{'z': TIMESTAMPTZ '2020-07-01 00:00:00+00'}", "'2020-01-01 00:00:00.123456789'::TIME_NS",
	"[gen_random_uuid()]", "'1'::VARIANT", "[{'a':1}::VARIANT]", "[18446744073709551615::UBIGINT, 65535::USMALLINT]",
	"[4294967295::UINTEGER]", "['101'::BIT]", "[5::UHUGEINT]", "['infinity'::DATE]",
}

func TestExoticTextEqualsCast(t *testing.T) {
	c := openConn(t, openMemory(t))
	for _, expr := range exoticValues {
		// One row with the value, one with NULL; the value once as itself, once cast.
		sql := fmt.Sprintf("WITH v AS MATERIALIZED (SELECT 1 AS i, %s AS x UNION ALL SELECT 2, NULL) SELECT x, CAST(x AS VARCHAR) FROM v ORDER BY i", expr)
		cur, err := c.Query(ctx, sql)
		if err != nil {
			t.Errorf("%s: %v", expr, err)
			continue
		}
		if p := cur.Columns()[0].Type.Physical(); p != rows.PhysString {
			t.Errorf("%s: physical %d", expr, p)
		}
		text, err := drainErr(cur)
		if err != nil {
			t.Errorf("%s: %v", expr, err)
			continue
		}
		lines := strings.Split(text, "\n")
		got, want, _ := strings.Cut(lines[0], "|")
		if got != want || lines[1] != "NULL|NULL" {
			t.Errorf("%s: read %q, DuckDB casts to %q; NULL row %q", expr, got, want, lines[1])
		}
	}
}

// TestNulInsideOfValues: a part of a value that holds 0x00 does not end its text.
func TestNulInsideOfValues(t *testing.T) {
	c := openConn(t, openMemory(t))
	for expr, want := range map[string]string{
		"['a', chr(0) || 'b']": "[a, \x00b]\n", "{'i': 42, 'v': 'hello' || chr(0)}": "{'i': 42, 'v': hello\x00}\n",
		"map {'k' || chr(0): 1}": "{k\x00=1}\n", "[{'a': [chr(0)]}]": "[{'a': [\x00]}]\n", "'a' || chr(0) || 'b'": "a\x00b\n",
	} {
		if got := query(t, c, "SELECT "+expr); got != want {
			t.Errorf("%s is %q, want %q", expr, got, want)
		}
	}
}

func TestTypeNameIsCastable(t *testing.T) {
	c := openConn(t, openMemory(t))
	for _, expr := range append([]string{"'a'::ENUM('a','it''s')", "1::DECIMAL(7,3)", "'{}'::JSON", "now()", "1.5::FLOAT"}, exoticValues...) {
		if strings.HasPrefix(expr, "row(") {
			continue // a struct without names has no spelling in SQL
		}
		stmt, err := c.Prepare(ctx, "SELECT "+expr)
		if err != nil {
			t.Fatal(err)
		}
		typ := stmt.Describe().Columns[0].Type
		if err := stmt.Close(); err != nil {
			t.Fatal(err)
		}
		stmt, err = c.Prepare(ctx, "SELECT CAST(NULL AS "+typ.String()+")")
		if err != nil {
			t.Errorf("%s: type %s: %v", expr, typ, err)
			continue
		}
		if again := stmt.Describe().Columns[0].Type; again != typ {
			t.Errorf("%s: %s became %s", expr, typ, again)
		}
		if err := stmt.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// plainValues covers every representation, extremes included: SQL, then the text
// cellText gives.
var plainValues = [][2]string{
	{"true", "1"},
	{"(-128)::TINYINT", "-128"},
	{"255::UTINYINT", "255"},
	{"(-32768)::SMALLINT", "-32768"},
	{"65535::USMALLINT", "65535"},
	{"(-2147483648)::INT", "-2147483648"},
	{"4294967295::UINTEGER", "4294967295"},
	{"(-9223372036854775808)::BIGINT", "-9223372036854775808"},
	{"18446744073709551615::UBIGINT", "18446744073709551615"},
	{"170141183460469231731687303715884105727::HUGEINT", "170141183460469231731687303715884105727"},
	{"(-170141183460469231731687303715884105728)::HUGEINT", "-170141183460469231731687303715884105728"},
	{"1.5::FLOAT", "1.5"},
	{"-0.1::DOUBLE", "-0.1"},
	{"'nan'::DOUBLE", "NaN"},
	{"'-inf'::FLOAT", "-Inf"},
	{"-1.23::DECIMAL(4,2)", "-123"},
	{"12345.678::DECIMAL(9,3)", "12345678"},
	{"1234567890.1::DECIMAL(18,1)", "12345678901"},
	{"-12345678901234567890.5::DECIMAL(38,1)", "-123456789012345678905"},
	{"DATE '1969-12-31'", "-1"},
	{"TIME '00:00:01'", "1000000"},
	{"TIMESTAMP '1970-01-01 00:00:01'", "1000000"},
	{"TIMESTAMPTZ '1970-01-01 00:00:01+00'", "1000000"},
	{"'1970-01-02'::TIMESTAMP_S", "86400"},
	{"'1970-01-01 00:00:01'::TIMESTAMP_MS", "1000"},
	{"'1970-01-01 00:00:01'::TIMESTAMP_NS", "1000000000"},
	{"INTERVAL '1 month 2 days 3 seconds'", "{1 2 3000000}"},
	{"''", ""},
	{"'short'", "short"},
	{"'exactly12byt'", "exactly12byt"},
	{"'longer than twelve bytes é'", "longer than twelve bytes é"},
	{"'\\x00\\x01'::BLOB", "\x00\x01"},
	{"chr(0) || 'a'", "\x00a"},
	{"'b'::ENUM('a','b')", "b"},
	{"'{\"a\":  1}'::JSON", "{\"a\":  1}"},
}

func TestPlainValues(t *testing.T) {
	c := openConn(t, openMemory(t))
	for _, tc := range plainValues {
		sql := fmt.Sprintf("SELECT x FROM (SELECT 1 AS i, %s AS x UNION ALL SELECT 2, NULL) ORDER BY i", tc[0])
		if got := query(t, c, sql); got != tc[1]+"\nNULL\n" {
			t.Errorf("%s: got %q, want %q", tc[0], got, tc[1])
		}
	}
	if got := query(t, c, "SELECT NULL"); got != "NULL\n" {
		t.Errorf("untyped NULL: %q", got)
	}
}

func TestNullBitmapAcrossChunks(t *testing.T) {
	c := openConn(t, openMemory(t))
	cur, err := c.Query(ctx, "SELECT CASE WHEN range % 3 <> 0 THEN range END, CASE WHEN range % 5 <> 0 THEN 's' || range END FROM range(5000) ORDER BY range")
	if err != nil {
		t.Fatal(err)
	}
	defer cur.Close()
	row := int64(0)
	for {
		b, err := cur.Next(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if b == nil {
			break
		}
		for i := range b.N {
			if b.Cols[0].IsNull(i) != (row%3 == 0) || (row%3 != 0 && b.Cols[0].I64[i] != row) {
				t.Fatalf("row %d: integer wrong", row)
			}
			if b.Cols[1].IsNull(i) != (row%5 == 0) || (row%5 != 0 && b.Cols[1].Str[i] != fmt.Sprint("s", row)) {
				t.Fatalf("row %d: string wrong", row)
			}
			row++
		}
	}
	if row != 5000 {
		t.Errorf("%d rows", row)
	}
}

// TestCastColumns: a statement whose columns must be cast keeps its names, types,
// order and parameters.
func TestCastColumns(t *testing.T) {
	c := openConn(t, openMemory(t))
	stmt, err := c.Prepare(ctx, `SELECT [TIMESTAMPTZ '2020-01-01 00:00:00+00'] AS "a ""b", range AS a, $1::INT AS a FROM range(30000) ORDER BY -range LIMIT 25000; -- end`)
	if err != nil {
		t.Fatal(err)
	}
	d := stmt.Describe()
	if len(d.Params) != 1 || d.Columns[0].Name != `a "b` || d.Columns[0].Type.String() != "TIMESTAMP WITH TIME ZONE[]" || d.Columns[2].Name != "a" {
		t.Errorf("described as %+v", d)
	}
	cur, err := stmt.Execute(ctx, []Arg{{Type: typ(rows.Integer), Text: "7"}})
	if err == nil && !slices.Equal(cur.Columns(), d.Columns) {
		t.Errorf("columns %v", cur.Columns())
	}
	text := drain(t, cur, err)
	lines := strings.Split(text, "\n")
	if len(lines) != 25001 || !strings.HasSuffix(lines[0], "|29999|7") || !strings.HasSuffix(lines[24999], "|5000|7") {
		t.Errorf("%d lines, %q .. %q", len(lines), lines[0], lines[len(lines)-2])
	}
	if err := stmt.Close(); err != nil {
		t.Fatal(err)
	}
	cur, err = c.Query(ctx, "SELECT '1'::VARIANT, 'x'::INT FROM range(1)")
	if err == nil { // DuckDB 2 folds no casts that fail
		_, err = drainErr(cur)
	}
	if e := wantCode(t, err, sqlerr.InvalidText); e.Offset != 24 {
		t.Errorf("offset %d is not that of the cast", e.Offset)
	}
}
