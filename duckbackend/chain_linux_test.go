//go:build !duckdb_use_lib

package duckbackend

import (
	"strings"
	"testing"
)

// A chain of names ends no process, whatever text it stands in.
func TestChainsOfNames(t *testing.T) {
	c := openConn(t, openMemory(t))
	mustExec(t, c, "CREATE MACRO run(q) AS TABLE FROM query(q)")
	long := "SELECT x.a" + strings.Repeat(".a", 100000) + " FROM (SELECT {'a': 1} AS x)"
	for _, sql := range []string{long, "FROM query('" + strings.ReplaceAll(long, "'", "''") + "')", "FROM run('SELECT x.a' || repeat('.a', 100000) || ' FROM (SELECT 1 AS x)')", "CREATE VIEW v AS " + long} {
		wantCode(t, runs(ctx, c, sql), "54001")
	}
	mustExec(t, c, "SELECT x.a.a.a.a FROM (SELECT {'a': {'a': {'a': {'a': 1}}}} AS x)")
}
