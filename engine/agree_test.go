package engine

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/trireme-db/trireme/duckbackend"
	"github.com/trireme-db/trireme/sqlfront"
)

// TestAnswersFollowOddWrites: a write counts as one in whatever words and blanks it is
// written, and has the tag of what it is.
func TestAnswersFollowOddWrites(t *testing.T) {
	e := openEngine(t)
	s := openSession(t, e)
	s.choosesNative()
	const query = "SELECT a.k, count(*), sum(a.v * b.v) FROM x1 a JOIN x1 b ON a.k = b.k GROUP BY a.k ORDER BY a.k"
	answers := func(backend string) string {
		s.run("SET trireme.backend = " + backend)
		defer s.run("SET trireme.backend = auto")
		return s.run(query)
	}
	s.run("CREATE TABLE x1 (k INTEGER, v BIGINT)")
	for i, c := range []struct{ sql, tag string }{
		{"INSERT INTO x1 SELECT i % 5, i FROM range(60) r(i)", "INSERT 0 60"},
		{"WITH values AS (SELECT 1) DELETE FROM x1 WHERE v < 20", "DELETE 20"},
		{"WITH select AS (SELECT 1) SELECT 1", ""},
		{"WITH update AS (SELECT 1 AS one), \"select\" AS (SELECT 2) INSERT INTO x1 SELECT 1, one FROM update", "INSERT 0 1"},
		{"WITH RECURSIVE AS (SELECT 7 AS n) UPDATE x1 SET v = n FROM recursive WHERE k = 1", "UPDATE 9"},
		{"WITH 'a' AS (SELECT 7 AS n) UPDATE x1 SET v = v + 1 FROM a WHERE k = 2", "UPDATE 8"},
		{"INSERT INTO\u00a0x1 VALUES (1, 2)", "INSERT 0 1"},
		{"UPDATE x1\u2003SET v = v + 1 WHERE k = 3", "UPDATE 8"},
		{"UPDATE\u200bONLY x1 SET v = v + 1 WHERE k = 3", "UPDATE 8"},
		{"DELETE FROM ONLY x1 WHERE k = 3 AND v % 2 = 0", "DELETE 4"},
		{"UPDATE x1 * SET v = v - 1", "UPDATE 38"},
		{"EXPLAIN ANALYZE INSERT INTO x1 VALUES (2, 3)", "EXPLAIN"},
		{"EXPLAIN ANALYZE\u00a0INSERT INTO x1 VALUES (2, 4)", "EXPLAIN"},
		{"EXPLAIN (\"analyze\") INSERT INTO x1 VALUES (2, 5)", "EXPLAIN"},
		{"EXPLAIN (FORMAT json, ANALYZE) WITH values AS (SELECT 1) DELETE FROM x1 WHERE v = 4", "EXPLAIN"},
		{"WITH p AS (PIVOT x1 ON k USING sum(v)) DELETE FROM x1 WHERE v > (SELECT count(*) + 40 FROM p)", "DELETE 13"},
		{"MERGE INTO x1 USING (SELECT 3 AS y) s ON k = y WHEN MATCHED THEN UPDATE SET v = 1 WHEN NOT MATCHED THEN INSERT VALUES (3, 3)", "MERGE 2"},
		{"ALTER TABLE ONLY x1 ALTER v TYPE DECIMAL(9,2)", "ALTER TABLE"},
		{"TRUNCATE ONLY x1", "TRUNCATE TABLE"},
	} {
		_, tag, err := s.try(c.sql)
		if err != nil && c.tag != "" || tag != c.tag {
			t.Fatalf("%d. %s: tag %q, want %q: %v", i, c.sql, tag, c.tag, err)
		}
		if native, duck := answers("native"), answers("duckdb"); native != duck {
			t.Errorf("after %s\n native %s\n duckdb %s", c.sql, native, duck)
		}
	}
}

// TestClassesAgreeWithDuckDB: every statement that DuckDB runs is of the kind that the
// session takes it for, and none that is of another runs.
func TestClassesAgreeWithDuckDB(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE TABLE t (k INTEGER, v INTEGER)")
	s.run("CREATE SEQUENCE sq")
	for _, sql := range strings.Split(`SELECT 1;(SELECT 1);FROM t;TABLE t;VALUES (1);WITH a AS (SELECT 1) FROM a;DESCRIBE t;DESC t;SUMMARIZE t;SHOW TABLES;SHOW t;
		SHOW ALL TABLES;SHOW DATABASES;PIVOT t ON k USING sum(v);FROM (PIVOT t ON k USING sum(v));UNPIVOT t ON k, v;CREATE TABLE u AS FROM (PIVOT t ON k USING sum(v));
		DROP TABLE u;INSERT INTO t VALUES (1, 2);INSERT OR IGNORE INTO t FROM t;UPDATE t SET v = 1;DELETE FROM t WHERE k = 9;MERGE INTO t USING t s ON t.k = s.k WHEN MATCHED THEN DELETE;
		TRUNCATE t;CREATE TABLE IF NOT EXISTS t (k INTEGER);CREATE VIEW w AS FROM t;CREATE MACRO m(x) AS x;CREATE TYPE y AS ENUM ('a');CREATE INDEX i ON t (k);DROP INDEX i;
		ALTER TABLE t ADD COLUMN z INTEGER;COMMENT ON TABLE t IS 'x';SET VARIABLE a = 1;RESET VARIABLE a;SET threads = 1;RESET threads;PRAGMA table_info('t');PRAGMA version;
		PRAGMA threads = 1;CALL pragma_version();CHECKPOINT;FORCE CHECKPOINT;VACUUM;ANALYZE;ANALYZE t;VACUUM t;ATTACH ':memory:' AS d;USE d;USE trireme;COPY FROM DATABASE d TO trireme;DETACH d;
		EXPLAIN SELECT 1;EXPLAIN ANALYZE SELECT 1;EXPLAIN INSERT INTO t FROM t;EXPLAIN ANALYZE CREATE TABLE g AS SELECT 1;DROP TABLE g;PREPARE p AS SELECT $a;EXECUTE p(a := 1);DEALLOCATE p;
		PREPARE q AS SELECT $1;EXECUTE q(1);EXPLAIN SHOW TABLES;CREATE TEMP TABLE h (i INTEGER);EXPLAIN ANALYZE CREATE TEMP TABLE n AS SELECT 1;FROM n;ALTER SEQUENCE sq OWNED BY t;
		COPY t TO '/dev/null';COPY (SELECT 1) TO '/dev/null'`, ";") {
		for _, backend := range []string{"auto", "duckdb"} {
			s.run("SET trireme.backend = " + backend)
			if _, _, err := s.try(strings.TrimSpace(sql)); err != nil && strings.Contains(err.Error(), "to DuckDB") {
				t.Errorf("%s: %v", sql, err)
			}
		}
	}
	for kind, k := range map[sqlfront.ClassKind]duckbackend.StatementKind{
		sqlfront.ClassSelect: duckbackend.KindDelete, sqlfront.ClassShow: duckbackend.KindCall, sqlfront.ClassOther: duckbackend.KindSelect,
	} {
		if err := mustAgree(sqlfront.Class{Kind: kind})(k); err == nil || !strings.Contains(err.Error(), fmt.Sprint(k)) {
			t.Errorf("%s as %s: %v", k, kind, err)
		}
	}
	if _, err := s.prepareClassed(t.Context(), sqlfront.Class{Kind: sqlfront.ClassSelect}, "DELETE FROM t"); err == nil {
		t.Error("DELETE passes for SELECT")
	}
	if _, err := s.prepareClassed(t.Context(), sqlfront.Class{Kind: sqlfront.ClassExplain, Body: "FROM t"}, "EXPLAIN DELETE FROM t"); err != nil {
		t.Errorf("a body that agrees: %v", err)
	}
	if _, err := s.prepareClassed(t.Context(), sqlfront.Class{Kind: sqlfront.ClassSelect}, "WITH p AS (PIVOT t ON k USING sum(v)) DELETE FROM t"); err != nil {
		t.Errorf("of several statements the last is known when the others have run: %v", err)
	}
}

// TestSeveralStatementsOfOne: what DuckDB makes several statements of is one, also in a
// transaction, and leaves none open.
func TestSeveralStatementsOfOne(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE TABLE t (k INTEGER, v INTEGER)")
	s.run("INSERT INTO t VALUES (1, 2), (2, 3)")
	s.want("PIVOT t ON k USING sum(v)", "2|3")
	s.wantTag("CREATE TABLE u AS FROM (PIVOT t ON k USING sum(v))", "CREATE TABLE")
	s.want("FROM u", "2|3")
	s.wantTag("INSERT INTO t SELECT 9, \"1\" FROM (PIVOT t ON k USING sum(v))", "INSERT 0 1")
	for range 2 {
		if _, _, err := s.try("CREATE TABLE w AS FROM (PIVOT t ON k USING sum(error('no')))"); err == nil || strings.Contains(err.Error(), "transaction") {
			t.Fatal(err)
		}
		s.wantStatus(TxIdle)
		s.run("BEGIN")
		s.run("CREATE TABLE w AS FROM (PIVOT t ON k USING sum(v))")
		s.want("FROM w", "2|3|2")
		s.run("ROLLBACK")
	}
	s.run("BEGIN")
	if _, _, err := s.try("CREATE TABLE w AS FROM (PIVOT t ON k USING sum(error('no')))"); err == nil {
		t.Fatal("no error")
	}
	s.wantStatus(TxFailed)
	s.run("ROLLBACK")
	s.want("SELECT count(*) FROM t", "3")
	dir := t.TempDir()
	s.run("EXPORT DATABASE '" + dir + "/e'")
	if _, _, err := s.try("IMPORT DATABASE '" + dir + "/e'"); err == nil || strings.Contains(err.Error(), "transaction") {
		t.Errorf("tables that are there already: %v", err)
	}
	s.run("DROP TABLE t")
	s.run("DROP TABLE u")
	s.run("IMPORT DATABASE '" + dir + "/e'")
	s.want("SELECT count(*) FROM t JOIN u ON true", "3")
}

// TestExplainTakesNoStateAway: what EXPLAIN ANALYZE would execute behind the session.
func TestExplainTakesNoStateAway(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE TABLE t (k INTEGER)")
	for _, sql := range []string{
		"BEGIN", "SET TimeZone = 'Asia/Tokyo'", "PREPARE p AS SELECT 1", "DROP TABLE t", "CHECKPOINT", "LOAD json", "CALL force_checkpoint()",
		"ALTER DATABASE trireme SET ALIAS TO x", "ALTER TABLE t ADD COLUMN x INTEGER", "PRAGMA enable_profiling", "VACUUM", "RESET threads", "DEALLOCATE p",
	} {
		s.wantError("EXPLAIN ANALYZE "+sql, "42601")
		s.wantError("EXPLAIN (FORMAT json) "+sql, "42601")
	}
	s.wantError("EXPLAIN (ANALYZE off) INSERT INTO t VALUES (1)", "0A000")
	s.run("EXPLAIN (ANALYZE off) SELECT * FROM t")
	s.want("SELECT count(*) FROM t", "0")
	s.wantStatus(TxIdle)
}

// TestDatabasesStay: nobody takes a database of the server away, or writes into that of
// Postgres' catalog.
func TestDatabasesStay(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE TABLE t (k INTEGER)")
	s.run("SELECT count(*) FROM pg_catalog.pg_class, pg_catalog.pg_proc")
	for _, name := range []string{"trireme", "\"TRIREME\"", "memory", "system", "temp", "trireme_pg", "trireme_pg_kept"} {
		for _, sql := range []string{
			"ATTACH OR REPLACE ':memory:' AS %s", "ATTACH /**/ OR\u00a0REPLACE DATABASE ':memory:' AS %s (TYPE duckdb)",
			"DETACH %s", "DETACH DATABASE IF EXISTS %s /* x */", "ALTER DATABASE %s SET ALIAS TO y", "ALTER DATABASE IF EXISTS %s SET ALIAS TO y",
		} {
			s.wantError(fmt.Sprintf(sql, name), "55006")
		}
	}
	s.wantError("ATTACH OR REPLACE '/tmp/trireme.db'", "0A000")
	for _, sql := range []string{
		"DROP SCHEMA %s.pg_catalog CASCADE", "CREATE TABLE %s.main.x (i INTEGER)", "DELETE FROM %s.main._proc", "EXPLAIN ANALYZE DELETE FROM %s.main._proc",
		"CREATE INDEX i ON %s.main._proc (oid)", "COMMENT ON TABLE %s.main._proc IS 'x'", "COPY FROM DATABASE trireme TO %s", "COPY %s.main._proc FROM '/dev/null'", "DROP TABLE %s.main._proc",
		"MERGE INTO %s.main._proc USING (SELECT 1) ON false WHEN NOT MATCHED THEN INSERT DEFAULT VALUES",
	} {
		s.wantError(fmt.Sprintf(sql, "trireme_pg_kept"), "42501")
		s.wantError(fmt.Sprintf(sql, "TRIREME_PG"), "42501")
	}
	s.run("ATTACH ':memory:' AS other")
	s.run("ATTACH OR REPLACE ':memory:' AS other")
	s.run("DETACH other")
	s.run("INSERT INTO t VALUES (1)")
	s.want("SELECT count(*) FROM trireme.main.t", "1")
}

// TestSelectsThatMakeTables: functions that make tables where they are selected from, of
// extensions that a build may lack; a macro of the name stands for one.
func TestSelectsThatMakeTables(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE MACRO dbgen(sf) AS TABLE SELECT sf")
	for _, sql := range []string{"SELECT * FROM dbgen(1)", "WITH a AS (FROM \"DBGEN\"\u00a0(1)) FROM a"} {
		before, _ := s.engine.catalog.Versions.Schema()
		s.run(sql)
		if after, _ := s.engine.catalog.Versions.Schema(); after == before {
			t.Errorf("%s: the catalog is taken for the same", sql)
		}
	}
}

// TestRandomTextsAreReadAlike: of texts that are put together by chance, what DuckDB takes
// for one statement is one for the session, and of the class of its kind.
func TestRandomTextsAreReadAlike(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE TABLE t (x INTEGER)")
	r := rand.New(rand.NewPCG(4, 2))
	pick := func(from []string) string { return from[r.IntN(len(from))] }
	blanks := []string{" ", " ", "\n", "\u00a0", "\u2003", "\u200b", "\ufeff", "/**/", "/*'*/", "/*;*/ ", "--;\n", "--'\r", "/*/**/*/", "\f", "\t"}
	parts := []string{"a", "values", "select", "update", `"select"`, "'a'", "x", "recursive", "explain", "t", "a$b$", "é"}
	literals := []string{"1", "';'", "'('", "')'", "E'\\''", "E'a\\\\'", "$$;$$", "$q$'$q$", "\";\"", "[1]", "'\u00a0'", "x", "(1)", "1e1", "-1", "''''", "N'a'", "{'a': 1}"}
	ends := []string{"SELECT 1", "(SELECT 1)", "FROM t", "DELETE FROM t", "DELETE FROM ONLY t", "INSERT INTO t SELECT 1", "UPDATE t SET x = 1", "VALUES (1)", "TABLE t", "MERGE INTO t USING t s ON false WHEN MATCHED THEN DELETE", "PIVOT t ON x", "CREATE TABLE u AS SELECT 1", "DESCRIBE t", "SHOW t", "TRUNCATE t", "SET VARIABLE a = 1", "EXPLAIN SELECT 1", "CALL pragma_version()"}
	both := 0
	for range 6000 {
		text := ""
		if r.IntN(4) == 0 {
			text = pick([]string{"EXPLAIN ", "EXPLAIN ANALYZE ", "EXPLAIN (ANALYZE) ", "(", "; ", ""})
		}
		for n := r.IntN(3); n > 0; n-- {
			text += pick([]string{"WITH ", "WITH RECURSIVE ", ", "}) + pick(parts) + pick([]string{" ", "(x) ", " (x, y) USING KEY (x) "}) + pick([]string{"AS ", "AS MATERIALIZED ", "AS NOT MATERIALIZED ", ""}) +
				pick([]string{"(SELECT " + pick(literals) + ")", "(SELECT " + pick(literals) + " AS x, 2)", "(FROM t)", "(DELETE FROM t)", "((SELECT " + pick(literals) + "))", ""}) + " "
		}
		text += pick(ends)
		if r.IntN(4) == 0 {
			text += pick([]string{";", "; SELECT 2", ";;", " ; DELETE FROM t", " -- ; DELETE FROM t", " /* ; */", ")"})
		}
		words := strings.Split(text, " ")
		text = words[0]
		for _, w := range words[1:] {
			text += pick(blanks) + w
		}
		if s.readAlike(text) {
			both++
		}
	}
	if both < 1000 {
		t.Errorf("only %d texts were statements", both)
	}
}

// readAlike compares what the session and DuckDB make of a text, and reports whether it
// is a statement.
func (s testSession) readAlike(text string) bool {
	s.t.Helper()
	statements, err := sqlfront.Split(text)
	var kind duckbackend.StatementKind
	admitted := false
	sql := text
	if err == nil && len(statements) == 1 {
		sql = statements[0].Text // which is what DuckDB is given
	}
	stmt, duckErr := s.conn.PrepareAs(s.t.Context(), sql, func(k duckbackend.StatementKind) error { kind, admitted = k, true; return nil })
	if duckErr != nil {
		return false
	}
	multi := stmt.Describe().Kind == duckbackend.KindMulti
	if err := stmt.Close(); err != nil {
		s.t.Fatal(err)
	}
	if err != nil && strings.Contains(err.Error(), "blank of Unicode in quotes") {
		return false // refused, as DuckDB would change the string
	}
	if err != nil || len(statements) == 0 || len(statements) > 1 != (multi && !strings.Contains(text, "PIVOT")) && !strings.Contains(text, "PIVOT") {
		s.t.Errorf("%q: %d statements, DuckDB says several: %t: %v", text, len(statements), multi, err)
		return false
	}
	if !admitted || len(statements) != 1 {
		return false
	}
	class := sqlfront.Classify(sql)
	if err := mustAgree(class)(kind); err != nil {
		s.t.Errorf("%q: %v", text, err)
	}
	if class.Kind == sqlfront.ClassExplain {
		return true
	}
	if writes := len(class.Writes) > 0 || class.WritesUnknown; !writes && (kind == duckbackend.KindDelete || kind == duckbackend.KindInsert || kind == duckbackend.KindUpdate || kind == duckbackend.KindMerge) {
		s.t.Errorf("%q writes nothing", text)
	}
	return true
}
