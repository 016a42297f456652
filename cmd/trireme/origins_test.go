package main

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"
)

// Columns of results say of which column of which table they are, by the OIDs of
// pg_class: tools edit tables through results by that.
func TestColumnsHaveOrigins(t *testing.T) {
	conn := connect(t, serve(t))
	ctx := context.Background()
	mustExec(t, conn, `CREATE SCHEMA o; CREATE TABLE t (a INTEGER, "B c" VARCHAR); CREATE TABLE o.u (x INTEGER); CREATE VIEW v AS SELECT a AS y FROM t; INSERT INTO t VALUES (1, 'x')`)
	oid := map[string]uint32{}
	for _, name := range []string{"t", "o.u", "v", "pg_class"} {
		oid[name] = uint32(value[int64](t, conn, "SELECT '"+name+"'::regclass::oid::BIGINT"))
	}
	type origin struct {
		table  string
		column uint16
	}
	for sql, want := range map[string][]origin{
		"SELECT * FROM t": {{"t", 1}, {"t", 2}},
		`SELECT q."B c" AS z, a + 1, A FROM main.t q`: {{"t", 2}, {}, {"t", 1}},
		"SELECT a, count(*) FROM t GROUP BY a":        {{"t", 1}, {}},
		"SELECT * FROM o.u WHERE x = 1":               {{"o.u", 1}},
		"SELECT y FROM v":                             {{"v", 1}},
		"SELECT t.a FROM t JOIN o.u ON a = x":         {{}},
		"SELECT 1 AS a":                               {{}},
		"SELECT a FROM t UNION ALL SELECT x FROM o.u": {{}},
		"WITH t AS (SELECT 1 AS a) SELECT a FROM t":   {{}},
		"INSERT INTO t VALUES (2, 'y') RETURNING a":   {{}},
	} {
		for _, mode := range []pgx.QueryExecMode{pgx.QueryExecModeSimpleProtocol, pgx.QueryExecModeDescribeExec} {
			rows, err := conn.Query(ctx, sql, mode)
			if err != nil {
				t.Fatalf("%s: %v", sql, err)
			}
			fields := rows.FieldDescriptions()
			if len(fields) != len(want) {
				t.Fatalf("%s: %d columns", sql, len(fields))
			}
			for i, f := range fields {
				if f.TableOID != oid[want[i].table] || f.TableAttributeNumber != want[i].column {
					t.Errorf("%s in mode %v: column %d is column %d of %d, want %d of %d", sql, mode, i, f.TableAttributeNumber, f.TableOID, want[i].column, oid[want[i].table])
				}
			}
			rows.Close()
			if rows.Err() != nil {
				t.Fatalf("%s: %v", sql, rows.Err())
			}
		}
	}
	// A session with objects of its own says nothing rather than something else's.
	mustExec(t, conn, "CREATE TEMP TABLE t (z INTEGER); INSERT INTO t VALUES (1)")
	res := conn.PgConn().ExecParams(ctx, "SELECT * FROM t", nil, nil, nil, nil).Read()
	if res.Err != nil || res.FieldDescriptions[0].TableOID != 0 {
		t.Errorf("of a temporary table: %v, %v", res.FieldDescriptions, res.Err)
	}
}
