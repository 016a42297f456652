package main

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgtype"
)

// Arrays of every element type are Postgres' in text and in binary, in both directions:
// what is sent in binary is taken back as a parameter.
func TestArraysOfEveryType(t *testing.T) {
	conn := connect(t, serve(t)).PgConn()
	ctx := context.Background()
	const timetzArray = 1270
	for _, c := range []struct {
		sql  string
		oid  uint32
		want string
		cast string // of a parameter whose array is text until then
	}{
		{"[true, NULL, false]", pgtype.BoolArrayOID, "{t,NULL,f}", ""},
		{"[1, -2]::SMALLINT[]", pgtype.Int2ArrayOID, "{1,-2}", ""},
		{"[1, NULL]::BIGINT[]", pgtype.Int8ArrayOID, "{1,NULL}", ""},
		{"[1.50, -2.25]::DECIMAL(9,2)[]", pgtype.NumericArrayOID, "{1.50,-2.25}", "::DECIMAL(9,2)[]"},
		{"['nan', '-inf', '0.5']::DOUBLE[]", pgtype.Float8ArrayOID, "{NaN,-Infinity,0.5}", ""},
		{"['', 'a b', 'NULL', NULL, '\"\\']", pgtype.TextArrayOID, `{"","a b","NULL",NULL,"\"\\"}`, ""},
		{"[DATE '2020-02-29', DATE '0044-03-15 (BC)']", pgtype.DateArrayOID, `{2020-02-29,"0044-03-15 BC"}`, ""},
		{"[TIME '01:02:03.5']", pgtype.TimeArrayOID, "{01:02:03.5}", ""},
		{"['12:34:56+05:30'::TIMETZ, NULL]", timetzArray, "{12:34:56+05:30,NULL}", ""},
		{"[TIMESTAMP '2001-02-03 04:05:06.7']", pgtype.TimestampArrayOID, `{"2001-02-03 04:05:06.7"}`, ""},
		{"['2001-02-03 04:05:06.123456789']::TIMESTAMP_NS[]", pgtype.TimestampArrayOID, `{"2001-02-03 04:05:06.123456"}`, ""},
		{"[INTERVAL '1 year 2 months 3 days 04:05:06.5', INTERVAL '-1 month', INTERVAL '0 days', NULL]", pgtype.IntervalArrayOID, `{"1 year 2 mons 3 days 04:05:06.5","-1 mons",00:00:00,NULL}`, ""},
		{"[to_days(-3) + to_microseconds(5), to_hours(-100)]", pgtype.IntervalArrayOID, `{"-3 days +00:00:00.000005",-100:00:00}`, ""},
		{`['\x00\xFF'::BLOB, 'a\x5Cb'::BLOB, ''::BLOB, NULL]`, pgtype.ByteaArrayOID, `{"\\x00ff","\\x615c62","\\x",NULL}`, ""},
		{"['{\"a\": [1, \"x,y\"]}'::JSON, 'null'::JSON, NULL]", pgtype.JSONArrayOID, `{"{\"a\": [1, \"x,y\"]}","null",NULL}`, "::JSON[]"},
		{"['0101'::BIT, '1'::BIT]", pgtype.VarbitArrayOID, "{0101,1}", ""},
		{"['01020300-0000-0000-0000-000000000000'::UUID]", pgtype.UUIDArrayOID, "{01020300-0000-0000-0000-000000000000}", ""},
		{"[]::JSON[]", pgtype.JSONArrayOID, "{}", "::JSON[]"},
		{`['a, b', 'NULL', NULL, '', '''', '"\']::VARCHAR[6]`, pgtype.TextArrayOID, `{"a, b","NULL",NULL,"",',"\"\\"}`, ""},
		{"array_value('x'::BLOB, ', '::BLOB)", pgtype.ByteaArrayOID, `{"\\x78","\\x2c20"}`, ""},
		{"['NULL', 'a, b']::ENUM('a, b', 'NULL')[2]", pgtype.TextArrayOID, `{"NULL","a, b"}`, ""},
		{"array_value('{\"a\": [1, \"x,y\"]}'::JSON, NULL)", pgtype.JSONArrayOID, `{"{\"a\": [1, \"x,y\"]}",NULL}`, "::JSON[]"},
	} {
		text := conn.ExecParams(ctx, "SELECT "+c.sql+" AS x", nil, nil, nil, []int16{0}).Read()
		if text.Err != nil {
			t.Errorf("%s: %v", c.sql, text.Err)
			continue
		}
		if got := string(text.Rows[0][0]); got != c.want || text.FieldDescriptions[0].DataTypeOID != c.oid {
			t.Errorf("%s: %s of type %d, want %s of type %d", c.sql, got, text.FieldDescriptions[0].DataTypeOID, c.want, c.oid)
		}
		binary := conn.ExecParams(ctx, "SELECT "+c.sql+" AS x", nil, nil, nil, []int16{1}).Read()
		if binary.Err != nil {
			t.Errorf("%s in binary: %v", c.sql, binary.Err)
			continue
		}
		for format, value := range [][]byte{text.Rows[0][0], binary.Rows[0][0]} {
			back := conn.ExecParams(ctx, "SELECT $1"+c.cast+" AS x", [][]byte{value}, []uint32{c.oid}, []int16{int16(format)}, []int16{0}).Read()
			if back.Err != nil || string(back.Rows[0][0]) != c.want {
				t.Errorf("%s comes back in format %d as %q (%v), want %s", c.sql, format, back.Rows, back.Err, c.want)
			}
		}
	}
}

// Arrays of a length keep their values through COPY, EXECUTE and statements on any backend.
func TestArraysOfLengthKeepTheirValues(t *testing.T) {
	conn := connect(t, serve(t)).PgConn()
	ctx := context.Background()
	run := func(sql string) string {
		t.Helper()
		results, err := conn.Exec(ctx, sql).ReadAll()
		if err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
		var out strings.Builder
		for _, row := range results[len(results)-1].Rows {
			out.Write(append(bytes.Join(row, []byte("|")), '\n'))
		}
		return out.String()
	}
	run(`CREATE TABLE ar (i INTEGER, a VARCHAR[2], s STRUCT(f VARCHAR[2]), d VARCHAR[1][2]);
		CREATE TABLE back AS FROM ar;
		INSERT INTO ar VALUES (1, ['a, b', 'NULL'], {'f': ['', '''']}, [['x, y'], ['NULL']]), (2, ['\', NULL], {'f': [NULL, 'null']}, NULL)`)
	var copied bytes.Buffer
	if _, err := conn.CopyTo(ctx, &copied, "COPY ar TO STDOUT"); err != nil {
		t.Fatal(err)
	}
	if want := "1\t{\"a, b\",\"NULL\"}\t"; !strings.HasPrefix(copied.String(), want) {
		t.Errorf("COPY TO STDOUT: %s, want %s..", copied.String(), want)
	}
	if _, err := conn.CopyFrom(ctx, &copied, "COPY back FROM STDIN"); err != nil {
		t.Fatal(err)
	}
	same := func(how string) {
		t.Helper()
		if got := run("SELECT count(*) FROM ar JOIN back b ON ar.i = b.i AND ar IS NOT DISTINCT FROM b"); got != "2\n" {
			t.Errorf("%s: %s of 2 rows are the same: %s", how, got, run("FROM back ORDER BY i"))
		}
	}
	same("COPY")
	run(`DELETE FROM back;
		PREPARE ip AS INSERT INTO back VALUES ($1::INTEGER, $2::VARCHAR[2], $3::STRUCT(f VARCHAR[2]), $4::VARCHAR[1][2]);
		EXECUTE ip(1, ['a, b', 'NULL'], {'f': ['', '''']}, [['x, y'], ['NULL']]);
		EXECUTE ip(2, '{"\\",NULL}', {'f': [NULL, 'null']}, NULL)`)
	same("EXECUTE")
	for _, backend := range []string{"auto", "duckdb"} { // the others refuse both statements
		run("SET trireme.backend = " + backend)
		run("PREPARE q" + backend + " AS SELECT count(*) FROM ar, back WHERE ar.i = back.i AND ar.a = $1::VARCHAR[2]")
		if got := run("EXECUTE q" + backend + "(['a, b', 'NULL'])"); got != "1\n" {
			t.Errorf("%s: %s rows have the argument", backend, got)
		}
		if got := run("SELECT a, count(*) FROM ar WHERE i = 1 GROUP BY a"); got != "{\"a, b\",\"NULL\"}|1\n" {
			t.Errorf("%s: %s", backend, got)
		}
	}
}

// A time with a zone within a list is the time that it is alone, in a zone of which the
// distance from UTC has seconds, or about which DuckDB and Go have different histories.
func TestTimesOfFormerZonesInArrays(t *testing.T) {
	conn := connect(t, serve(t)).PgConn()
	ctx := context.Background()
	for zone, at := range map[string]string{"America/New_York": "1850-01-01 00:00:00+00", "Europe/Amsterdam": "1930-06-01 00:00:00+00"} {
		if err := conn.Exec(ctx, "SET TimeZone = '"+zone+"'").Close(); err != nil {
			t.Fatal(err)
		}
		sql := "SELECT x, [x, NULL] FROM (SELECT TIMESTAMPTZ '" + at + "') v(x)"
		text := conn.ExecParams(ctx, sql, nil, nil, nil, []int16{0}).Read()
		binary := conn.ExecParams(ctx, sql, nil, nil, nil, []int16{1}).Read()
		if text.Err != nil || binary.Err != nil {
			t.Fatal(text.Err, binary.Err)
		}
		if one, list := string(text.Rows[0][0]), string(text.Rows[0][1]); list != `{"`+one+`",NULL}` {
			t.Errorf("%s: %s in the list %s", zone, one, list)
		}
		const headBytes = 24
		if one, list := string(binary.Rows[0][0]), string(binary.Rows[0][1]); len(list) < headBytes+8 || list[headBytes:headBytes+8] != one {
			t.Errorf("%s: %x in the list %x", zone, one, list)
		}
	}
}
