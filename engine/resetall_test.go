package engine

import "testing"

// TestSettingsOfDuckDBEnd: RESET ALL, ROLLBACK and DISCARD ALL concern the settings that only
// DuckDB has, as they do those of Postgres.
func TestSettingsOfDuckDBEnd(t *testing.T) {
	e := openEngine(t)
	s, other := openSession(t, e), openSession(t, e)
	const shown = "SELECT current_setting('integer_division'), current_setting('default_order'), current_setting('default_null_order')"
	begins := s.run(shown)
	change := func() {
		s.run("SET integer_division = true")
		s.run("SET default_order TO 'desc'")
		s.run("/* all */ SET null_order = 'nulls_first'")
		s.want("SELECT 7/2", "3")
		s.want("SELECT x FROM (VALUES (1), (2)) t(x) ORDER BY x", "2;1")
		other.want(shown, begins)
		openSession(t, e).want(shown, begins)
	}
	change()
	s.run("RESET ALL")
	s.want(shown, begins)
	change()
	s.run("RESET integer_division")
	s.run("RESET default_order")
	s.run("RESET default_null_order")
	s.want(shown, begins)
	change()
	s.run("DISCARD ALL")
	s.want(shown, begins)
	s.run("BEGIN")
	change()
	s.run("ROLLBACK")
	s.want(shown, begins)
	s.run("BEGIN")
	change()
	s.wantError("SELECT error('x')", "22023")
	s.run("COMMIT")
	s.want(shown, begins)
	s.run("SET default_order = 'desc'")
	kept := s.run(shown)
	s.run("BEGIN")
	s.run("SET default_order = 'asc'")
	s.run("RESET integer_division")
	s.run("ROLLBACK")
	s.want(shown, kept)
	s.run("BEGIN")
	s.run("SET default_order = 'asc'")
	s.run("COMMIT")
	s.run("ROLLBACK")
	s.want("SELECT x FROM (VALUES (1), (2)) t(x) ORDER BY x", "1;2")
	other.want(shown, begins)
}

// TestResetAllReturnsToTheStart: a setting that the session began with is not DuckDB's default.
func TestResetAllReturnsToTheStart(t *testing.T) {
	e := openEngine(t)
	raw, err := e.NewSession(t.Context(), SessionOptions{User: "u", Options: map[string]string{"options": "-c integer_division=true -c default_order=desc"}})
	if err != nil {
		t.Fatal(err)
	}
	s := testSession{raw, t}
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	for _, end := range []string{"RESET ALL", "DISCARD ALL"} {
		s.run("SET integer_division = false")
		s.run("SET default_order = 'asc'")
		s.run(end)
		s.want("SELECT 7/2, current_setting('default_order')", "3|DESC")
	}
	openSession(t, e).want("SELECT current_setting('default_order')", "ASCENDING")
}

// TestDiscardAllReleasesLocks: advisory locks of the session end with DISCARD ALL.
func TestDiscardAllReleasesLocks(t *testing.T) {
	e := openEngine(t)
	s, other := openSession(t, e), openSession(t, e)
	s.run("SELECT pg_advisory_lock(1), pg_advisory_lock(1), pg_advisory_lock_shared(2)")
	other.want("SELECT pg_try_advisory_lock(1)", "0")
	s.run("DISCARD ALL")
	other.want("SELECT pg_try_advisory_lock(1), pg_try_advisory_lock(2)", "1|1")
}

// TestReadOnlyRefusesEachWrite: COPY of a statement that writes, and nextval, are writes.
func TestReadOnlyRefusesEachWrite(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE TABLE ro (k INTEGER)")
	s.run("CREATE SEQUENCE q")
	s.run("PREPARE p AS SELECT nextval('q')")
	for _, sql := range []string{
		"COPY (INSERT INTO ro VALUES (9) RETURNING k) TO STDOUT", "COPY (UPDATE ro SET k = 1 RETURNING k) TO STDOUT", "COPY (DELETE FROM ro RETURNING k) TO STDOUT",
		"SELECT nextval('q')", "EXECUTE p", "SELECT pg_catalog.NextVal('q'), 1", "CREATE TEMP TABLE t AS SELECT nextval('q') AS n", "EXPLAIN ANALYZE SELECT nextval('q')",
	} {
		s.run("BEGIN READ ONLY")
		s.wantError(sql, "25006")
		s.run("ROLLBACK")
	}
	s.run("BEGIN READ ONLY")
	s.run("CREATE TEMP TABLE t (n INTEGER DEFAULT nextval('q'))")
	s.run("EXPLAIN SELECT nextval('q')")
	s.run("SELECT 'nextval(1)'")
	s.run("COMMIT")
	s.want("SELECT count(*) FROM ro", "0")
	s.want("SELECT nextval('q')", "1")
}

// TestCommitSaysWhy: what COMMIT finds has the SQLSTATE of its reason.
func TestCommitSaysWhy(t *testing.T) {
	e := openEngine(t)
	s, other := openSession(t, e), openSession(t, e)
	s.run("CREATE TABLE u (k INTEGER PRIMARY KEY)")
	s.run("BEGIN")
	s.run("INSERT INTO u VALUES (1)")
	other.run("INSERT INTO u VALUES (1)")
	s.wantError("COMMIT", "23505")
	s.run("CREATE TABLE gone (k INTEGER)")
	s.run("BEGIN")
	s.run("INSERT INTO gone VALUES (1)")
	openUnlocked(t, e)("DROP TABLE gone")
	s.wantError("COMMIT", "40001")
}
