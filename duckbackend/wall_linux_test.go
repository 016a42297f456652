//go:build !duckdb_use_lib

package duckbackend

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/trireme-db/trireme/internal/sqlerr"
)

// A wall stands in every way to a function, whoever made the definitions.
func TestWall(t *testing.T) {
	db, err := Open(ctx, Config{Path: filepath.Join(t.TempDir(), "x.db")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	if err := db.Guard(func(Change) error { return nil }); err != nil {
		t.Fatal(err)
	}
	c := openConn(t, db)
	mustExec(t, c, "CREATE VIEW logs AS SELECT write_log('x') AS n; CREATE MACRO m() AS TABLE FROM logs; CREATE TABLE t (x INTEGER)")
	no := func(what string) error { return sqlerr.New("42501", "no %s", what).WithHint("Say yes.") }
	walled := WithWall(ctx, NewWall(map[string]error{"write_log": no("log"), "checkpoint": no("checkpoint")}, no("setting")))
	// DuckDB binds these on threads of all connections, where it has some.
	wantCode(t, runs(walled, c, "ALTER TABLE t ADD COLUMN y VARCHAR DEFAULT write_log('x')"), "42501")
	wantCode(t, runs(walled, c, "ALTER TABLE t ALTER x TYPE VARCHAR USING current_setting('temp_' || 'directory')"), "42501")
	for _, sql := range []string{
		"SELECT write_log('x')", "FROM logs", "FROM m()", "FROM checkpoint()", "FROM query('FROM lo' || 'gs')", "FROM query_table('lo' || 'gs')",
		"FROM histogram_values('lo' || 'gs', n)", "SELECT current_setting('temp_' || 'directory')", "SELECT * FROM t WHERE x = length(write_log('x'))",
	} {
		if e := sqlerr.From(runs(walled, c, sql)); e == nil || e.Code != "42501" || !strings.HasPrefix(e.Message, "no ") || e.Hint != "Say yes." {
			t.Errorf("%s: %+v", sql, e)
		}
		if err := runs(ctx, c, sql); err != nil {
			t.Errorf("%s without a wall: %v", sql, err)
		}
	}
	for _, sql := range []string{
		"SELECT concat(path, '') FROM duckdb_databases() WHERE database_name = current_database()", "SELECT coalesce(value, '') FROM duckdb_settings() WHERE name = 'temp_directory'",
		"SELECT coalesce(setting, '') FROM pg_catalog.pg_settings WHERE name = 'temp_directory'",
	} {
		for of, hides := range map[context.Context]bool{ctx: false, walled: true} {
			text, err := c.oneText(of, sql)
			if err != nil || (text == "") != hides {
				t.Errorf("%s shows %q, %v", sql, text, err)
			}
		}
	}
}
