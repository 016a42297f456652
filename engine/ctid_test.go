package engine

import "testing"

// ctid is the place of a row, which is found by it again in the same transaction.
func TestCTID(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE TABLE t AS SELECT i AS a, i % 3 AS b FROM range(70000) r(i)")
	s.want("SELECT ctid, a FROM t WHERE a IN (0, 1, 32768, 69999) ORDER BY a", "(0,1)|0;(0,2)|1;(1,1)|32768;(2,4464)|69999")
	s.want("SELECT x.ctid AS place FROM t x WHERE x.ctid = '(1,1)'", "(1,1)")
	s.want("SELECT a FROM t WHERE '(1,1)'::tid = ctid OR ctid IN ('(0,1)', '(0,3)') ORDER BY ctid", "0;2;32768")
	s.want("SELECT a FROM t WHERE ctid = ANY(ARRAY['(1,1)', '(0,1)']::tid[]) ORDER BY a", "0;32768")
	s.want("SELECT count(*) FROM t WHERE ctid >= '(1,1)' AND ctid < '(2,1)'", "32768")
	if got := s.run("SELECT ctid FROM t WHERE ctid = $1", "(0,5)"); got != "(0,5)" {
		t.Errorf("%s", got)
	}
	if got := s.run("SELECT a FROM t WHERE ctid = ANY($1) ORDER BY a", "[(0,1), (0,2)]"); got != "0;1" {
		t.Errorf("%s", got)
	}
	s.wantTag("DELETE FROM t WHERE ctid IN (SELECT ctid FROM t WHERE a >= 3 ORDER BY a LIMIT 10)", "DELETE 10")
	s.wantTag("DELETE FROM t x USING t y WHERE x.ctid < y.ctid AND x.b = y.b AND x.a < 3", "DELETE 3")
	s.run("BEGIN ISOLATION LEVEL REPEATABLE READ")
	s.run("DECLARE c CURSOR FOR SELECT a, ctid FROM t WHERE a > 69990 ORDER BY a FOR UPDATE")
	s.want("FETCH 2 FROM c", "69991|(2,4456);69992|(2,4457)")
	s.run("PREPARE u AS UPDATE t SET b = $2 WHERE ctid = $1")
	s.wantTag("EXECUTE u('(2,4457)', 100)", "UPDATE 1")
	s.want("FETCH 1 FROM c", "69993|(2,4458)")
	s.run("INSERT INTO t VALUES (-1, -1), (-2, -2)")
	s.want("SELECT a, ctid FROM t WHERE a < 0 ORDER BY a", "-2|(2147483648,2);-1|(2147483648,1)")
	s.wantTag("DELETE FROM t WHERE ctid = '(2147483648,2)'", "DELETE 1")
	s.want("SELECT a FROM t WHERE a < 0 OR b = 100 ORDER BY a", "-1;69992")
	s.run("COMMIT")
	s.wantError("SELECT a FROM t WHERE ctid = 'nonsense'", "22P02")
	if e := s.wantError("UPDATE t SET b = 1 WHERE ctid = '(0,1)' RETURNING ctid", "42703"); e.Offset != 50 {
		t.Errorf("offset %d: %v", e.Offset, e)
	}
	s.run("CREATE TABLE own (ctid INTEGER)")
	s.run("INSERT INTO own VALUES (5)")
	s.want("SELECT ctid FROM own WHERE ctid = 5", "5")
}

// A column of a subquery that is named ctid is a place of a row, too: duplicates are deleted so.
func TestCTIDOfSubquery(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE TABLE t AS SELECT i AS a, i % 3 AS k FROM range(6) r(i)")
	s.play(`
		BEGIN => BEGIN
		DELETE FROM t a USING (SELECT min(ctid) AS ctid, k FROM t GROUP BY k HAVING count(*) > 1) b WHERE a.k = b.k AND a.ctid <> b.ctid => DELETE 3
		SELECT a FROM t ORDER BY a : 0;1;2
		ROLLBACK => ROLLBACK
		BEGIN => BEGIN
		WITH b AS (SELECT max(ctid) ctid, k FROM t GROUP BY k) DELETE FROM t a USING b WHERE a.k = b.k AND a.ctid < b.ctid => DELETE 3
		SELECT a FROM t ORDER BY a : 3;4;5
		ROLLBACK => ROLLBACK
		DELETE FROM t WHERE ctid IN (SELECT b.ctid FROM (SELECT ctid AS ctid, row_number() OVER (PARTITION BY k ORDER BY a) AS n FROM t) b WHERE n > 1) => DELETE 3
		SELECT b.ctid, t.a FROM t JOIN (SELECT max(ctid) AS ctid, k FROM t GROUP BY k) b ON t.ctid = b.ctid ORDER BY a : (0,1)|0;(0,2)|1;(0,3)|2
	`)
}

// What postgres_fdw asks for where it wants all of a row, which an outer join may not have.
func TestWholeRowAsText(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE TABLE t (a INTEGER, b VARCHAR, c DATE)")
	s.run(`INSERT INTO t VALUES (1, 'x "y", \z', NULL), (2, NULL, '2024-01-02'), (3, NULL, NULL)`)
	s.want("SELECT l.a, CASE WHEN (r.*)::text IS NOT NULL THEN ROW(r.a, r.b, r.c) END FROM (public.t l LEFT JOIN public.t r ON (((l.a = r.a)) AND ((r.a > 1)))) ORDER BY 1",
		`1|NULL;2|("2",,"2024-01-02");3|("3",,)`)
	s.want("SELECT CASE WHEN (r.*)::text IS NOT NULL THEN ROW(r.b) END FROM t r WHERE a = 1", `("x ""y"", \\z")`)
}
