package main

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
)

// OIDs of objects are of the type oid, as results and as parameters, in text and
// binary: drivers read their lists of types by them.
func TestOIDsAreOfTheirType(t *testing.T) {
	conn := connect(t, serve(t))
	ctx := context.Background()
	mustExec(t, conn, "CREATE TABLE t (a INTEGER)")
	for _, mode := range []pgx.QueryExecMode{pgx.QueryExecModeSimpleProtocol, pgx.QueryExecModeDescribeExec, pgx.QueryExecModeExec} {
		var oid, again uint32
		var keys []uint32
		rows, err := conn.Query(ctx, "SELECT oid FROM pg_class WHERE relname = 't'", mode)
		if err != nil {
			t.Fatal(err)
		}
		if f := rows.FieldDescriptions()[0]; f.DataTypeOID != pgtype.OIDOID || f.DataTypeSize != 4 {
			t.Errorf("mode %v: a column of type %d, %d bytes", mode, f.DataTypeOID, f.DataTypeSize)
		}
		oid, err = pgx.CollectExactlyOneRow(rows, pgx.RowTo[uint32])
		if err != nil {
			t.Fatalf("mode %v: %v", mode, err)
		}
		if oid < 16384 {
			t.Errorf("mode %v: OID %d of a table", mode, oid)
		}
		if err := conn.QueryRow(ctx, "SELECT oid, array[oid] FROM pg_class WHERE oid = $1", mode, oid).Scan(&again, &keys); err != nil {
			t.Fatalf("mode %v: %v", mode, err)
		}
		if again != oid || len(keys) != 1 || keys[0] != oid {
			t.Errorf("mode %v: %d and %v, want %d", mode, again, keys, oid)
		}
	}
	d, err := conn.Prepare(ctx, "", "SELECT relname FROM pg_class WHERE oid = $1::oid AND relnamespace = ANY($2::oid[])")
	if err != nil {
		t.Fatal(err)
	}
	if d.ParamOIDs[0] != pgtype.OIDOID || d.ParamOIDs[1] != pgtype.OIDArrayOID {
		t.Errorf("parameters of types %v", d.ParamOIDs)
	}
}

// Columns of enumerations are of the types that pg_type lists, whatever they come from,
// and a driver that has loaded such a type reads and writes its values; what has no name
// is text.
func TestEnumerationsAreTypes(t *testing.T) {
	conn := connect(t, serve(t))
	ctx := context.Background()
	mustExec(t, conn, "CREATE TYPE mood AS ENUM ('sad', 'it''s'); CREATE TABLE t (a INTEGER, m mood, x ENUM('one')); CREATE TABLE u (a INTEGER); INSERT INTO t VALUES (1, 'it''s', 'one'); INSERT INTO u VALUES (1)")
	oid := uint32(value[int64](t, conn, "SELECT 'mood'::regtype::oid::BIGINT"))
	for _, mode := range []pgx.QueryExecMode{pgx.QueryExecModeSimpleProtocol, pgx.QueryExecModeDescribeExec, pgx.QueryExecModeCacheStatement} {
		for sql, want := range map[string]uint32{
			"SELECT m FROM t":                                    oid,
			"SELECT t.m FROM t JOIN u USING (a)":                 oid,
			"SELECT max(m) FROM t GROUP BY a":                    oid,
			"UPDATE t SET a = 1 RETURNING m":                     oid,
			"SELECT m::VARCHAR FROM t":                           pgtype.TextOID,
			"SELECT concat('it', '''s') FROM t":                  pgtype.TextOID,
			"SELECT 'it''s'::ENUM('it''s', 'of another') FROM t": pgtype.TextOID,
		} {
			rows, err := conn.Query(ctx, sql, mode)
			if err != nil {
				t.Fatalf("%s: %v", sql, err)
			}
			fields := rows.FieldDescriptions()
			got, err := pgx.CollectExactlyOneRow(rows, pgx.RowTo[string])
			if err != nil {
				t.Errorf("%s in mode %v: %v", sql, mode, err)
				continue
			}
			if described := fields[0].DataTypeOID; got != "it's" || described != want {
				t.Errorf("%s in mode %v: %q of type %d, want it's of type %d", sql, mode, got, described, want)
			}
		}
	}
	mood, err := conn.LoadType(ctx, "mood")
	if err != nil {
		t.Fatal(err)
	}
	conn.TypeMap().RegisterType(mood)
	mustExec(t, conn, "DISCARD ALL")
	if _, err := conn.Exec(ctx, "INSERT INTO t (a, m) VALUES (2, $1)", "sad"); err != nil {
		t.Fatal(err)
	}
	var got string
	if err := conn.QueryRow(ctx, "SELECT m FROM t WHERE m = $1", "sad").Scan(&got); err != nil || got != "sad" {
		t.Errorf("%q, %v", got, err)
	}
	// With another type of the same labels before it in order, its name is shown.
	mustExec(t, conn, "CREATE TYPE humour AS ENUM ('sad', 'it''s')")
	if name := value[string](t, conn, "SELECT format_type(atttypid, atttypmod) FROM pg_attribute WHERE attrelid = 't'::regclass AND attname = 'm'"); name != "humour" {
		t.Errorf("the first of two is %s", name)
	}
	// So is that of a table that the session sees alone.
	mustExec(t, conn, "CREATE TEMP TABLE own (m mood); INSERT INTO own VALUES ('sad')")
	res := conn.PgConn().ExecParams(ctx, "SELECT m FROM own", nil, nil, nil, nil).Read()
	if humour := value[uint32](t, conn, "SELECT oid FROM pg_type WHERE typname = 'humour'"); res.Err != nil || res.FieldDescriptions[0].DataTypeOID != humour {
		t.Errorf("of a temporary table: %v, %v", res.FieldDescriptions, res.Err)
	}
}
