package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// blanks are what DuckDB separates words at, beside a space.
var blanks = []string{"\u00a0", "\u2003", "\u200b", "\u202f", "\u205f", "\u2060", "\u3000", "\ufeff", "\n", "\f", "/**/", "--\n", "\u00a0/*'*/\u3000"}

// eachBlank is every statement with every blank where it has an underscore pair.
func eachBlank(statements ...string) (out []string) {
	for _, sql := range statements {
		for _, b := range blanks {
			out = append(out, strings.ReplaceAll(sql, "__", b))
		}
	}
	return out
}

// No blank carries a statement past what a role may run.
func TestBlanksPassNobody(t *testing.T) {
	g := serveGuarded(t)
	root, ann, bob := g.as(t, "root"), g.as(t, "ann"), g.as(t, "bob")
	mustRun(t, root, "CREATE TABLE t (x INTEGER)", "CREATE SEQUENCE sq", "INSERT INTO t VALUES (1), (2)")
	own := "'" + g.db + "'"
	codes(t, bob, "42501", eachBlank(
		"SELECT * FROM enable_logging__()", "SELECT * FROM read_blob__("+own+")", "SELECT nextval__('sq')", "DELETE__FROM t", "INSERT__INTO t VALUES (3)",
		"WITH a AS__(SELECT 1) DELETE FROM t", "WITH values__AS (SELECT 1) DELETE FROM t", "EXPLAIN__ANALYZE__DELETE FROM t", "CALL__force_checkpoint()", "DROP__TABLE t",
		"CREATE__TABLE u (x INTEGER)", "COPY__t FROM 'x'", "SELECT * FROM query__('SELECT nextval(''sq'')')", "PREPARE__p AS SELECT nextval('sq')", "PRAGMA__enable_profiling",
		"SELECT 1;__DELETE FROM t", "VACUUM__t", "ATTACH__':memory:' AS m", "SELECT * FROM checkpoint__()", "SELECT * FROM \"enable_logging\"__()", "SELECT * FROM query__('FROM enable_logging\u00a0()')",
	)...)
	codes(t, ann, "42501", eachBlank(
		"CALL__enable_logging__(storage:='file', storage_path:='/x')", "COPY__(SELECT 'x') TO "+own+" (FORMAT csv, USE_TMP_FILE false)", "SET__memory_limit = '1GB'", "SET GLOBAL__threads = 1",
		"CREATE__SECRET__s (TYPE s3)", "LOAD__json", "INSTALL__json", "PRAGMA__copy_database__('a', 'b')", "SELECT * FROM read_blob__("+own+")", "EXPORT__DATABASE 'x'", "IMPORT__DATABASE 'x'",
		"PRAGMA__threads = 1", "RESET__threads", "DROP__SCHEMA trireme_pg.pg_catalog CASCADE", "CREATE ROLE__x", "GRANT__trireme_admin TO ann", "ATTACH__'/tmp/x.db' AS x",
	)...)
	codes(t, ann, "55006", eachBlank(
		"DETACH__trireme", "DETACH__DATABASE__trireme", "ATTACH__OR__REPLACE ':memory:' AS__trireme", "ATTACH OR__REPLACE ':memory:' AS__system", "ALTER__DATABASE__trireme SET__ALIAS TO x", "USE memory; DETACH__trireme",
	)...)
	codes(t, root, "55006", "ATTACH OR REPLACE ':memory:' AS trireme", "ATTACH OR REPLACE ':memory:' AS system", "ALTER DATABASE trireme SET ALIAS TO x", "DETACH memory")
	for sql, want := range map[string]string{"SELECT count(*) FROM trireme.main.t": "2", "SELECT nextval('sq')": "1"} {
		res, err := run(g.as(t, "root"), sql)
		if err != nil || string(res[0].Rows[0][0]) != want {
			t.Errorf("%s afterwards: %v, %v", sql, res, err)
		}
	}
	if left, err := filepath.Glob(filepath.Join(filepath.Dir(g.db), "*.csv")); err != nil || len(left) > 0 {
		t.Error(left, err)
	}
}
