package main

import (
	"context"
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
