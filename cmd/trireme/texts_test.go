package main

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5/pgtype"
)

// A parameter that is declared a text and stands alone under a cast is read as one without a type: drivers
// declare every string so.
func TestTextsUnderCastsAreRead(t *testing.T) {
	conn := connect(t, serve(t)).PgConn()
	ctx := context.Background()
	for _, c := range []struct{ sql, value, want string }{
		{"SELECT $1::bytea", `\x00ff`, `\x00ff`},
		{"SELECT ($1)::bytea, CAST($1 AS bytea)", `\000a`, `\x0061`},
		{"SELECT $1::int[]", "{1,2}", "{1,2}"},
		{"SELECT cast($1 as integer array)", "{1,NULL}", "{1,NULL}"},
		{"SELECT $1::text[]", `{a,"b c",NULL}`, `{a,"b c",NULL}`},
		{"SELECT $1::numeric(4,1)[]", "{1.5,2}", "{1.5,2.0}"},
		{"SELECT $1::uuid[]", "{00000000-0000-0000-0000-000000000001}", "{00000000-0000-0000-0000-000000000001}"},
		{"SELECT $1::timestamp[]", "{2024-01-01}", `{"2024-01-01 00:00:00"}`},
		{"SELECT $1::timestamp with time zone = '2024-01-01 08:00:00+00'", "2024-01-01 10:00+02", "t"},
		{"SELECT $1::date", "0044-03-15 BC", "0044-03-15 BC"},
		{"SELECT $1::bool", "on", "t"},
		{"SELECT $1::int", "5", "5"},
		{"SELECT $1::int", "1.5", "22P02"},
		{"SELECT $1::int || $1", "5", "55"},
		{"SELECT $1", `\x00ff`, `\x00ff`},
	} {
		for _, oid := range []uint32{pgtype.TextOID, pgtype.VarcharOID} {
			for _, format := range []int16{0, 1} {
				res := conn.ExecParams(ctx, c.sql, [][]byte{[]byte(c.value)}, []uint32{oid}, []int16{format}, nil).Read()
				got := ""
				if res.Err != nil {
					got = codeOf(res.Err)
				} else if len(res.Rows) == 1 {
					got = string(res.Rows[0][0])
				}
				if got != c.want {
					t.Errorf("%s of %q, declared %d in format %d: %q (%v), want %q", c.sql, c.value, oid, format, got, res.Err, c.want)
				}
			}
		}
	}
	described, err := conn.Prepare(ctx, "", "SELECT $1::bytea", []uint32{pgtype.VarcharOID})
	if err != nil || described.ParamOIDs[0] != pgtype.VarcharOID {
		t.Errorf("the parameter is described as %v (%v)", described, err)
	}
}

// A PIVOT of all values of a column has its columns in the extended protocol, too.
func TestPivotOfAllValuesOnTheWire(t *testing.T) {
	conn := connect(t, serve(t))
	mustExec(t, conn, "CREATE TABLE b (k INTEGER, w INTEGER); INSERT INTO b VALUES (1, 2), (2, 4)")
	for range 2 {
		res := conn.PgConn().ExecParams(context.Background(), "PIVOT b ON k USING sum(w)", nil, nil, nil, nil).Read()
		if res.Err != nil || len(res.FieldDescriptions) != 2 || len(res.Rows) != 1 || string(res.Rows[0][1]) != "4" {
			t.Errorf("%v: columns %v, rows %q", res.Err, res.FieldDescriptions, res.Rows)
		}
	}
}
