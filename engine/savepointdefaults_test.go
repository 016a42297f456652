package engine

import (
	"strings"
	"testing"
)

// A statement is refused for the defaults that it fills alone, and a foreign key to its table changes
// nothing.
func TestSavepointDefaultsThatAreFilled(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE TABLE p (id SERIAL PRIMARY KEY, name VARCHAR UNIQUE, v INTEGER, u UUID DEFAULT uuid())")
	s.run("CREATE TABLE c (id INTEGER PRIMARY KEY, p INTEGER REFERENCES p(id))")
	s.run("INSERT INTO p (name, v) VALUES ('a', 1), ('b', 2)")
	s.run("CREATE TABLE o (id SERIAL PRIMARY KEY, k INTEGER)")
	s.run("INSERT INTO o (k) VALUES (1)")
	for _, change := range []string{
		"UPDATE p SET name = 'a', v = v + 1 WHERE id = 1", "UPDATE p SET name = 'c' WHERE id = 2", "UPDATE p SET v = DEFAULT, name = 'd' WHERE id = 2",
		"INSERT INTO o (id, k) VALUES (1, 3) ON CONFLICT (id) DO UPDATE SET k = o.k + 16", "INSERT INTO o VALUES (1, 3) ON CONFLICT (id) DO UPDATE SET k = o.k + 1",
		"MERGE INTO o USING (SELECT 7 AS i) q ON o.id = q.i WHEN NOT MATCHED THEN INSERT (id, k) VALUES (q.i, 3)",
		"MERGE INTO o USING (SELECT 1 AS i) q ON o.id = q.i WHEN MATCHED THEN UPDATE SET k = o.k + 1",
	} {
		for _, first := range []bool{false, true} {
			s.run("BEGIN")
			if first {
				s.run("SAVEPOINT s")
			}
			s.wantTag(change, map[byte]string{'U': "UPDATE 1", 'I': "INSERT 0 1", 'M': "MERGE 1"}[change[0]])
			told := s.run("SELECT id, name, v FROM p ORDER BY id") + s.run("SELECT * FROM o ORDER BY id")
			s.run("SAVEPOINT t")
			fail(s)
			s.run("ROLLBACK TO t")
			if got := s.run("SELECT id, name, v FROM p ORDER BY id") + s.run("SELECT * FROM o ORDER BY id"); got != told {
				t.Errorf("%s: %s after ROLLBACK TO, not %s", change, got, told)
			}
			s.run("ROLLBACK")
		}
	}
	s.run("BEGIN")
	s.run("SAVEPOINT s")
	if e := s.wantError("UPDATE p SET name = 'x', v = random() WHERE id = 1", "0A000"); !strings.HasPrefix(e.Message, "UPDATE cannot") {
		t.Errorf("the error says %q", e.Message)
	}
	s.run("ROLLBACK TO s")
	s.wantError("UPDATE p SET u = DEFAULT WHERE id = 1", "0A000")
	s.run("ROLLBACK TO s")
	s.wantError("MERGE INTO o USING (SELECT 8 AS i) q ON o.id = q.i WHEN NOT MATCHED THEN INSERT (k) VALUES (3)", "0A000")
	s.run("ROLLBACK")
}

// The time of a statement stays, and one that asks for the time of the moment is refused.
func TestSavepointTimeOfStatement(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE TABLE t (k INTEGER, at TIMESTAMPTZ)")
	s.run("INSERT INTO t VALUES (1, NULL), (2, NULL)")
	s.run("BEGIN")
	s.run("UPDATE t SET at = statement_timestamp() WHERE k = 1")
	s.run("UPDATE t SET at = statement_timestamp() WHERE k = 2")
	told := s.run("SELECT k, at FROM t ORDER BY k")
	s.run("CREATE TABLE u AS SELECT statement_timestamp() AS at")
	made := s.run("SELECT at FROM u")
	s.run("SAVEPOINT s")
	for range 2 {
		fail(s)
		s.run("ROLLBACK TO s")
		s.want("SELECT k, at FROM t ORDER BY k", told)
		s.want("SELECT at FROM u", made)
	}
	s.want("SELECT statement_timestamp() > max(at) FROM t", "1")
	for _, change := range []string{
		"UPDATE t SET at = clock_timestamp()", "DELETE FROM t WHERE at < clock_timestamp()", "CREATE TABLE v AS SELECT pg_catalog.clock_timestamp() AS x",
		"MERGE INTO t USING (SELECT 1 AS i) q ON t.k = q.i WHEN MATCHED THEN UPDATE SET at = clock_timestamp()",
	} {
		s.wantError(change, "0A000")
		s.run("ROLLBACK TO s")
	}
	s.run("COMMIT")
	s.want("SELECT k, at FROM t ORDER BY k", told)
}

// What defines a column by the time is done again, and asks for the time of later transactions then.
func TestSavepointAfterDefaultOfTime(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE TABLE t (k INTEGER)")
	s.run("INSERT INTO t VALUES (1)")
	s.run("BEGIN")
	s.run("ALTER TABLE t ADD COLUMN at TIMESTAMPTZ DEFAULT now()")
	s.run("CREATE TABLE n (k INTEGER, at TIMESTAMPTZ DEFAULT now(), d DATE DEFAULT current_date CHECK (d <= current_date))")
	s.run("CREATE VIEW w AS SELECT now() AS at")
	s.run("INSERT INTO n (k) VALUES (1)")
	told := s.run("SELECT now(), t.at, n.at FROM t, n")
	s.run("SAVEPOINT s")
	for range 2 {
		fail(s)
		s.run("ROLLBACK TO s")
		s.want("SELECT now(), t.at, n.at FROM t, n", told)
		s.run("ALTER TABLE n ADD COLUMN late TIMESTAMPTZ DEFAULT now()")
		s.want("SELECT late = now() FROM n", "1")
	}
	s.run("COMMIT")
	for _, table := range []string{"t", "n"} {
		s.run("INSERT INTO " + table + " (k) VALUES (2)")
		s.want("SELECT count(DISTINCT at) FROM "+table, "2")
	}
	s.want("SELECT at = now() FROM w", "1")
}
