//go:build !duckdb_use_lib

package duckbackend

import (
	"strconv"
	"strings"
	"testing"
)

// However a type comes to nest, it nests at most 100 deep, and has at most 20,000 parts.
func TestDepthOfTypes(t *testing.T) {
	c := openConn(t, openMemory(t))
	deep := "INTEGER" + strings.Repeat("[]", 99)
	mustExec(t, c, "CREATE TYPE deepest AS "+deep)
	mustExec(t, c, "CREATE TYPE half AS INTEGER"+strings.Repeat("[]", 50))
	mustExec(t, c, "CREATE TABLE t (x deepest)")
	mustExec(t, c, "INSERT INTO t VALUES (NULL), ("+strings.Repeat("[", 99)+"1"+strings.Repeat("]", 99)+")")
	mustExec(t, c, "CREATE TABLE s (x STRUCT(a INTEGER))")
	mustExec(t, c, "CREATE TABLE m (x MAP(INTEGER, half))")
	for _, sql := range []string{
		"CREATE TYPE deeper AS deepest[]",
		"CREATE TYPE deeper AS deepest[2]",
		"CREATE TYPE deeper AS STRUCT(a INTEGER, b deepest)",
		"CREATE TYPE deeper AS UNION(a INTEGER, b deepest)",
		"CREATE TYPE deeper AS MAP(INTEGER, INTEGER" + strings.Repeat("[]", 98) + ")",
		"CREATE TYPE deeper AS half" + strings.Repeat("[]", 50),
		"CREATE TABLE u (x deepest[])",
		"CREATE TABLE u (x half" + strings.Repeat("[]", 50) + ")",
		"CREATE TABLE u AS SELECT list(x) AS x FROM t",
		"CREATE TABLE u AS SELECT array_agg(x) AS x FROM t",
		"CREATE TABLE u AS SELECT [x] AS x FROM t",
		"CREATE TABLE u AS SELECT {'x': x} AS x FROM t",
		"CREATE TABLE u AS SELECT t AS x FROM t",
		"CREATE VIEW u AS SELECT [x] AS x FROM t",
		"ALTER TABLE t ADD COLUMN y deepest[]",
		"ALTER TABLE t ALTER COLUMN x TYPE deepest[]",
		"SELECT NULL::deepest[]",
		"SELECT list(x) FROM t",
		"SELECT histogram(x) FROM t",
		"SELECT map([1], [x]) FROM t",
		"SELECT list_value(x, x) FROM t",
		"SELECT array_value(x) FROM t",
		"SELECT struct_pack(a := x) FROM t",
		"SELECT union_value(a := x) FROM t",
		"SELECT (SELECT list(y) FROM (SELECT x AS y) s) FROM t",
		"SELECT from_json('[]', '" + strings.Repeat("[", 100) + `"INTEGER"` + strings.Repeat("]", 100) + "')",
		"PREPARE p AS SELECT $1::deepest[]",
		"ALTER TABLE s ADD COLUMN x.f deepest",
	} {
		wantCode(t, runs(ctx, c, sql), "54001")
	}
	// Values of a VARIANT may be deeper: the type is none of a column.
	mustExec(t, c, "CREATE TABLE v AS SELECT j::JSON::VARIANT AS x FROM (SELECT repeat('[', 400) || repeat(']', 400) AS j FROM range(3)) s")
	mustExec(t, c, "SELECT x::VARCHAR FROM v")
	var wide strings.Builder
	for i := range 20000 {
		wide.WriteString(", f" + strconv.Itoa(i) + " INTEGER")
	}
	wantCode(t, runs(ctx, c, "CREATE TYPE wide AS STRUCT("+wide.String()[2:]+")"), "54001")
	mustExec(t, c, "CREATE TYPE d0 AS STRUCT(a INTEGER, b INTEGER)")
	for i := range 12 {
		mustExec(t, c, "CREATE TYPE d"+strconv.Itoa(i+1)+" AS STRUCT(a d"+strconv.Itoa(i)+", b d"+strconv.Itoa(i)+")")
	}
	wantCode(t, runs(ctx, c, "CREATE TYPE d13 AS STRUCT(a d12, b d12)"), "54001")
	wantCode(t, runs(ctx, c, "SELECT NULL::d12, {'a': NULL::d12, 'b': NULL::d12}"), "54001")
	mustExec(t, c, "SELECT x FROM t")
}
