package duckbackend

import (
	"errors"
	"fmt"
	"strconv"
	"testing"

	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/internal/sqlerr"
)

func typ(id rows.TypeID) rows.Type { return rows.Type{ID: id} }

func TestDescribeParameters(t *testing.T) {
	db := openMemory(t)
	mustExec(t, openConn(t, db), "CREATE TABLE t(a INT, d DECIMAL(9,2), s VARCHAR)")
	c, err := db.PlainConn(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		sql    string
		given  []rows.Type
		params string
		cols   string
	}{
		{"SELECT a FROM t WHERE a = $1 AND d < $2", nil, "[INTEGER DECIMAL(9,2)]", "[{a INTEGER}]"},
		{"SELECT a FROM t WHERE a = ?", nil, "[INTEGER]", "[{a INTEGER}]"},
		{"SELECT $1 AS x", nil, "", ""},
		{"SELECT $1 AS x", []rows.Type{typ(rows.BigInt)}, "[BIGINT]", "[{x BIGINT}]"},
		{"SELECT $1::int AS x, CAST($2 AS double precision) AS y", nil, "[INTEGER DOUBLE]", "[{x INTEGER} {y DOUBLE}]"},
		{"SELECT $2 || '$1 ?' AS x /* $3 */, $1 -- $4", []rows.Type{typ(rows.Varchar), typ(rows.Varchar)}, "[VARCHAR VARCHAR]", "[{x VARCHAR} {$1 VARCHAR}]"},
		{"SELECT a + $1 AS x FROM t", nil, "", ""},
		{"SELECT sum(a) AS s, $1 AS b FROM t WHERE s = $2", []rows.Type{typ(rows.Varchar), {}}, "[VARCHAR VARCHAR]", "[{s HUGEINT} {b VARCHAR}]"},
		{"SELECT a FROM t WHERE a = $1", []rows.Type{typ(rows.Double)}, "[DOUBLE]", "[{a INTEGER}]"},
		{"SELECT CASE WHEN a = 1 THEN $1 ELSE a END AS x FROM t", []rows.Type{typ(rows.Double)}, "[DOUBLE]", "[{x DOUBLE}]"},
		{"SELECT a * $1, s FROM t", []rows.Type{{ID: rows.Decimal, Width: 4, Scale: 1}}, "[DECIMAL(4,1)]", "[{(a * $1) DECIMAL(14,1)} {s VARCHAR}]"},
		{"INSERT INTO t VALUES ($1, $2, $3)", nil, "[INTEGER DECIMAL(9,2) VARCHAR]", "[]"},
		{"SELECT a FROM t LIMIT $1", nil, "[BIGINT]", "[{a INTEGER}]"},
		{"SELECT a FROM t WHERE s = $3", nil, "[VARCHAR VARCHAR VARCHAR]", "[{a INTEGER}]"},
		{"SELECT sum($1 * a) AS s FROM t", nil, "", ""},
		{"SELECT json_object($1::VARCHAR, $2) AS x", []rows.Type{{}, typ(rows.Integer)}, "[VARCHAR INTEGER]", "[{x JSON}]"},
		{"SELECT string_agg(x, $1) AS l FROM (VALUES ($2::VARCHAR::DATE::VARCHAR)) v(x)", []rows.Type{typ(rows.Varchar), typ(rows.Varchar)}, "[VARCHAR VARCHAR]", "[{l VARCHAR}]"},
		{"SELECT strftime(d, $1) FROM (VALUES ($2::VARCHAR::DATE)) v(d)", []rows.Type{typ(rows.Varchar), typ(rows.Varchar)}, "[VARCHAR VARCHAR]", "[{strftime(d, $1) VARCHAR}]"},
		{"SELECT quantile_cont(x, $1), min($2) FROM (VALUES ($3::VARCHAR::INT)) v(x)", []rows.Type{typ(rows.Double), typ(rows.Varchar), typ(rows.Varchar)}, "[DOUBLE VARCHAR VARCHAR]", "[{quantile_cont(x, $1) DOUBLE} {min($2) VARCHAR}]"},
		{"SELECT strftime(d, $1) AS x FROM (VALUES (DATE '2000-01-01' + log($2 - 1)::INT)) v(d)", []rows.Type{typ(rows.Varchar), typ(rows.Integer)}, "[VARCHAR INTEGER]", "[{x VARCHAR}]"},
	} {
		d, err := c.Describe(ctx, tc.sql, tc.given)
		if missing := (*Undetermined)(nil); tc.params == "" && errors.As(err, &missing) {
			wantCode(t, err, sqlerr.IndeterminateType)
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", tc.sql, err)
			continue
		}
		cols := "["
		for i, col := range d.Columns {
			if i > 0 {
				cols += " "
			}
			cols += fmt.Sprintf("{%s %s}", col.Name, col.Type)
		}
		cols += "]"
		if got := fmt.Sprint(d.Params); got != tc.params || cols != tc.cols {
			t.Errorf("%s: params %s columns %s", tc.sql, got, cols)
		}
	}
	_, err = c.Describe(ctx, "SELECT $1 + nosuch", nil)
	wantCode(t, err, sqlerr.UndefinedColumn)
}

// TestBindWithGaps: a text need not use all numbers up to its greatest.
func TestBindWithGaps(t *testing.T) {
	c := openConn(t, openMemory(t))
	args := make([]Arg, 12)
	for i := range args {
		args[i] = Arg{Type: typ(rows.Integer), Text: strconv.Itoa(10 * (i + 1))}
	}
	for sql, want := range map[string]string{
		"SELECT $2::INTEGER": "20",
		"SELECT $3::INTEGER, $1::INTEGER, '$2', $3::INTEGER":   "30|10|$2|30",
		"SELECT $12::INTEGER AS a, $9::INTEGER+$12::INTEGER":   "120|210",
		"SELECT [$2::INTEGER], $4::INTEGER, INTERVAL 1 DAY":    "[20]|40|{0 1 0}",
		"SELECT $1::INTEGER, $2::INTEGER /* $7 */ -- and $8\n": "10|20",
	} {
		given := make([]rows.Type, len(args))
		for i := range given {
			given[i] = typ(rows.Integer)
		}
		d, err := c.Describe(t.Context(), sql, given)
		if err != nil {
			t.Fatal(err)
		}
		if got := query(t, c, sql, args[:len(d.Params)]...); got != want+"\n" {
			t.Errorf("%s: %q", sql, got)
		}
	}
	_, err := c.Describe(t.Context(), "SELECT $12 + nosuch", nil)
	wantCode(t, err, sqlerr.UndefinedColumn)
	if e := sqlerr.From(err); e.Offset != 13 {
		t.Errorf("offset %d", e.Offset)
	}
}

func TestBindValues(t *testing.T) {
	c := openConn(t, openMemory(t))
	for _, tc := range []struct {
		typ        string
		id         rows.Type
		text, want string
	}{
		{"INTEGER", typ(rows.Integer), "-7", "-7"},
		{"BIGINT", typ(rows.BigInt), "9223372036854775807", "9223372036854775807"},
		{"SMALLINT", typ(rows.SmallInt), " 12 ", "12"},
		{"HUGEINT", typ(rows.HugeInt), "170141183460469231731687303715884105727", "170141183460469231731687303715884105727"},
		{"DOUBLE", typ(rows.Double), "1e3", "1000"},
		{"DOUBLE", typ(rows.Double), "NaN", "NaN"},
		{"FLOAT", typ(rows.Float), "1.5", "1.5"},
		{"BOOLEAN", typ(rows.Boolean), "t", "1"},
		{"VARCHAR", typ(rows.Varchar), "it's", "it's"},
		{"DECIMAL(10,2)", rows.Type{ID: rows.Decimal, Width: 10, Scale: 2}, "1.25", "125"},
		{"DATE", typ(rows.Date), "1970-01-02", "1"},
		{"TIMESTAMP", typ(rows.Timestamp), "1970-01-01 00:00:01", "1000000"},
		{"UUID", typ(rows.UUID), "00000000-0000-0000-0000-00000000000a", "00000000-0000-0000-0000-00000000000a"},
		{"BLOB", typ(rows.Blob), `\x00a`, "\x00a"},
		{"INTERVAL", typ(rows.Interval), "1 month", "{1 0 0}"},
		{"INTEGER[]", rows.Type{ID: rows.List, Name: "INTEGER[]"}, "[1, 2]", "[1, 2]"},
		{"TIME", typ(rows.Time), "00:00:01", "1000000"},
		{"JSON", typ(rows.JSON), `{"a": [1, null]}`, `{"a": [1, null]}`},
		{"UBIGINT", typ(rows.UBigInt), "18446744073709551615", "18446744073709551615"},
	} {
		if got := query(t, c, "SELECT $1", Arg{Type: tc.id, Text: tc.text}); got != tc.want+"\n" {
			t.Errorf("%s %q: %q", tc.typ, tc.text, got)
		}
		// Values and NULLs keep their type.
		for _, arg := range []Arg{{Type: tc.id, Text: tc.text}, {Type: tc.id, Null: true}} {
			if got := query(t, c, "SELECT typeof($1)", arg); got != tc.typ+"\n" {
				t.Errorf("%s bound as %q", tc.typ, got)
			}
		}
		if got := query(t, c, "SELECT $1", Arg{Type: tc.id, Null: true}); got != "NULL\n" {
			t.Errorf("%s NULL: %q", tc.typ, got)
		}
	}
	for _, tc := range []struct {
		arg  Arg
		code string
	}{
		{Arg{Type: typ(rows.Integer), Text: "x"}, sqlerr.InvalidText},
		{Arg{Type: typ(rows.SmallInt), Text: "99999"}, sqlerr.NumericOutOfRange},
		{Arg{Type: typ(rows.Varchar), Text: "\xff"}, sqlerr.InvalidText},
	} {
		_, err := c.Query(ctx, "SELECT $1", tc.arg)
		wantCode(t, err, tc.code)
	}
	_, err := c.Query(ctx, "SELECT $1")
	wantCode(t, err, sqlerr.ProtocolViolation)
	if got := query(t, c, "SELECT $2 || $1", Arg{Text: "a"}, Arg{Text: "b"}); got != "ba\n" {
		t.Errorf("untyped: %q", got)
	}
}

func TestStatementReuse(t *testing.T) {
	c := openConn(t, openMemory(t))
	mustExec(t, c, "CREATE TABLE t(a INT); INSERT INTO t VALUES (1),(2),(3)")
	stmt, err := c.Prepare(ctx, "SELECT count(*) FROM t WHERE a >= $1")
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range [][2]string{{"1", "3\n"}, {"3", "1\n"}, {"2", "2\n"}} {
		cur, err := stmt.Execute(ctx, []Arg{{Text: tc[0]}})
		if got := drain(t, cur, err); got != tc[1] {
			t.Errorf("$1 = %s: %q", tc[0], got)
		}
	}
	mustExec(t, c, "ALTER TABLE t ADD COLUMN b INT")
	cur, err := stmt.Execute(ctx, []Arg{{Text: "1"}})
	if got := drain(t, cur, err); got != "3\n" {
		t.Errorf("after ALTER: %q", got)
	}
	if err := stmt.Close(); err != nil {
		t.Fatal(err)
	}
	_, err = stmt.Execute(ctx, []Arg{{Text: "1"}})
	wantCode(t, err, sqlerr.UndefinedPrepared)
}
