package engine

import (
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
)

// recursiveAnswers are SELECTs over a recursion r (node, level) that are computed from
// its rows in memory.
var recursiveAnswers = []string{
	"SELECT count(*) FROM r",
	"SELECT count(*), count(node), sum(node), min(node), max(node), sum(level), min(level), max(level) FROM r",
	"SELECT level, count(*) FROM r GROUP BY level ORDER BY level",
	"SELECT level, node, count(*), sum(node) FROM r GROUP BY ALL ORDER BY level DESC, node NULLS FIRST",
	"SELECT node, min(level), max(level) FROM r GROUP BY node ORDER BY node LIMIT 5 OFFSET 1",
	"SELECT level, max(node) AS top FROM r GROUP BY level HAVING count(*) > 1 ORDER BY top DESC, level",
	"SELECT DISTINCT node FROM r ORDER BY node DESC",
	"SELECT x.level AS l, sum(x.node) FROM r AS x GROUP BY l ORDER BY 1",
	"SELECT sum(node) FROM r GROUP BY level",
}

// otherAnswers have other forms, which DuckDB computes from the rows.
var otherAnswers = []string{
	"SELECT node, level FROM r",
	"SELECT avg(node) FROM r",
	"SELECT count(DISTINCT node) FROM r",
	"SELECT sum(node + 1) FROM r",
	"SELECT count(*) FROM r WHERE level > 0",
	"SELECT count(*) FILTER (level > 0) FROM r",
	"SELECT level % 2, count(*) FROM r GROUP BY 1",
	"SELECT level, count(*) FROM r GROUP BY ROLLUP (level)",
	"SELECT count(*) + 1 FROM r",
	"SELECT x.level, count(*) FROM r x JOIN r y USING (node) GROUP BY 1",
	"SELECT count(*) FROM (SELECT node FROM r ORDER BY node LIMIT 2)",
	"SELECT (SELECT count(*) FROM e), count(*) FROM r",
	"SELECT median(level) FROM r",
}

// TestAnswersFromRowsInMemory holds which answers are computed from a recursion's rows
// in memory, and that they are DuckDB's, on graphs with NULLs, loops and none at all.
func TestAnswersFromRowsInMemory(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE TABLE e (src INTEGER, dst INTEGER, w INTEGER)")
	s.run("CREATE TABLE s (v INTEGER)")
	rnd := rand.New(rand.NewPCG(31, 7))
	for _, bodies := range []string{
		"r(node, level) AS (SELECT v, 0 FROM s UNION SELECT e.dst, r.level + 1 FROM r JOIN e ON e.src = r.node WHERE r.level < 4)",
		"r(node, level) AS (SELECT v, 0::BIGINT FROM s UNION ALL SELECT e.dst, r.level - 3 FROM r JOIN e ON e.src = r.node WHERE r.level > -8)",
		"r(node, level) USING KEY (node) AS (SELECT 1, 0 UNION SELECT e.dst, min(r.level + 1) FROM r JOIN e ON e.src = r.node WHERE e.dst NOT IN (SELECT node FROM recurring.r) GROUP BY e.dst)",
	} {
		for round := range 6 {
			randomGraph(s, rnd)
			for i, answer := range append(recursiveAnswers, otherAnswers...) {
				sql := "WITH RECURSIVE " + bodies + " " + answer
				s.force("duckdb")
				want, columns := s.sorted(sql), s.columns(sql)
				s.force("native")
				for range 2 { // the second time its text is known
					if got := s.sorted(sql); got != want || s.LastBackend() != "native" {
						t.Errorf("%s from %s, want %s: %s\n%s\n%s", got, s.LastBackend(), want, sql, s.run("FROM e"), s.run("FROM s"))
					}
				}
				if got := s.columns(sql); got != columns {
					t.Errorf("columns %s, want %s: %s", got, columns, sql)
				}
				if round > 0 {
					continue
				}
				if got, want := strings.Contains(s.run("EXPLAIN "+sql), groupedText), i < len(recursiveAnswers); got != want {
					t.Errorf("in memory %v, want %v: %s", got, want, sql)
				}
			}
		}
	}
}

// TestAnswersOfTexts: groups of VARCHAR and DATE.
func TestAnswersOfTexts(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE TABLE t AS SELECT * FROM (VALUES ('a', 'b'), ('b', 'c'), ('b', 'Ü'), ('c', 'a'), ('c', NULL)) v(a, b)")
	s.run("CREATE TABLE d AS SELECT DATE '2024-01-01' + i::INTEGER AS a, DATE '2024-01-01' + (i * 3 % 11)::INTEGER AS b FROM range(9) r(i)")
	for _, sql := range []string{
		"WITH RECURSIVE r(name) AS (SELECT 'a' UNION SELECT t.b FROM r JOIN t ON t.a = r.name) SELECT name, count(*) FROM r GROUP BY name ORDER BY name",
		"WITH RECURSIVE r(day) AS (SELECT DATE '2024-01-02' UNION SELECT d.b FROM r JOIN d ON d.a = r.day) SELECT day, count(*) FROM r GROUP BY day ORDER BY day DESC",
		"WITH RECURSIVE r(day) AS (SELECT DATE '2024-01-02' UNION SELECT d.b FROM r JOIN d ON d.a = r.day) SELECT min(day) FROM r",
	} {
		s.force("duckdb")
		want := s.run(sql)
		s.force("native")
		if got := s.run(sql); got != want || s.LastBackend() != "native" {
			t.Errorf("%s from %s, want %s: %s", got, s.LastBackend(), want, sql)
		}
	}
}

// TestAnswersOfManyGroups are DuckDB's from the rows.
func TestAnswersOfManyGroups(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE TABLE e AS SELECT i AS src, 2 * i + j AS dst FROM range(1, 10000) r(i), range(2) t(j)")
	s.run("SET trireme.backend = 'native'")
	const from = "WITH RECURSIVE r(node) AS (SELECT 1::BIGINT UNION SELECT e.dst FROM r JOIN e ON e.src = r.node) "
	for _, answer := range []string{"SELECT sum(node), count(*) FROM r", "SELECT node, count(*) FROM r GROUP BY node ORDER BY node DESC"} {
		if got, want := s.run(from+answer), s.duck(from+answer); got != want {
			t.Errorf("%s: an answer of %d bytes, want %d", answer, len(got), len(want))
		}
	}
}

// TestKnownTextsAtOnce: sessions share what a text is bound to, and the rows that it
// begins with.
func TestKnownTextsAtOnce(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE TABLE e AS SELECT i AS src, 2 * i + j AS dst FROM range(1, 500) r(i), range(2) t(j)")
	s.run("CREATE TABLE found (node BIGINT, n BIGINT)")
	want := s.duck(knownRecursion)
	var group sync.WaitGroup
	for range 4 {
		session := openSession(t, s.engine)
		session.run("SET trireme.backend = 'native'")
		group.Go(func() {
			for range 20 {
				if got, _, err := session.try(knownRecursion); err != nil || got != want {
					t.Errorf("%s, want %s; %v", got, want, err)
				}
				if _, tag, err := session.try("INSERT INTO found SELECT a.src, count(*) FROM e a JOIN e b ON a.dst = b.src WHERE a.src < 9 GROUP BY a.src"); err != nil || tag != "INSERT 0 8" {
					t.Errorf("%s; %v", tag, err)
				}
			}
		})
	}
	group.Wait()
	s.run("SET trireme.backend = 'duckdb'")
	s.want("SELECT count(*), sum(n) FROM found", "640|2560")
}

// isKnown reports whether a session's next Prepare of a text finds all of it bound.
func (s testSession) isKnown(sql string) bool {
	r, key, version := s.hostedKey(&Prepared{session: s.Session, sql: sql})
	if key == "" {
		return false
	}
	_, ok := r.hosted.Get(key, version)
	return ok
}

const knownRecursion = "WITH RECURSIVE r(node) AS (SELECT 1 UNION SELECT e.dst FROM r JOIN e ON e.src = r.node) SELECT count(*), sum(node), max(node) FROM r"

// TestKnownTextsFollowTheCatalog: a text that is known means what it means now, also
// to a session with other objects or settings.
func TestKnownTextsFollowTheCatalog(t *testing.T) {
	s := openSession(t, openEngine(t))
	other := openSession(t, s.engine)
	s.run("CREATE TABLE e AS SELECT * FROM (VALUES (1, 2), (2, 3), (4, 5)) v(src, dst)")
	s.run("SET trireme.backend = 'native'")
	other.run("SET trireme.backend = 'native'")
	check := func(what string) {
		t.Helper()
		want := s.duck(knownRecursion)
		for _, session := range []testSession{s, other, s} {
			if got := session.run(knownRecursion); got != want || session.LastBackend() != "native" {
				t.Errorf("%s: %s, want %s", what, got, want)
			}
			if !session.isKnown(knownRecursion) {
				t.Errorf("%s: the text is not kept", what)
			}
		}
	}
	check("at first")
	for _, sql := range []string{
		"INSERT INTO e VALUES (3, 4)",
		"ALTER TABLE e ALTER dst TYPE BIGINT",
		"ALTER TABLE e ADD COLUMN c INTEGER",
		"SET threads = 2",
		"DROP TABLE e",
		"CREATE VIEW e AS SELECT i AS src, i + 2 AS dst FROM range(9) x(i)",
		"CREATE OR REPLACE VIEW e AS SELECT i AS src, i + 3 AS dst FROM range(9) x(i)",
	} {
		other.run(sql)
		if sql == "DROP TABLE e" {
			s.wantError(knownRecursion, "42P01")
			continue
		}
		check(sql)
	}
	other.run("SET trireme.backend = 'auto'")
	other.run("CREATE TEMP TABLE e AS SELECT 1 AS src, 1 AS dst")
	other.want(knownRecursion, "1|1|1")
	if other.isKnown(knownRecursion) || !s.isKnown(knownRecursion) {
		t.Error("what a session has for itself concerns the others")
	}
	for _, setting := range []string{"default_null_order = 'nulls_first'", "integer_division = true"} {
		s.run("SET " + setting)
		if s.isKnown(knownRecursion) {
			t.Errorf("found with %s", setting)
		}
		s.run("RESET " + strings.Fields(setting)[0])
	}
	s.want(knownRecursion, s.duck(knownRecursion))
	if !s.isKnown(knownRecursion) {
		t.Error("not found with settings as they were")
	}
	s.run("SET trireme.plan_cache = 'off'")
	if s.isKnown(knownRecursion) {
		t.Error("found although no plans are kept")
	}
}

// TestKnownTextsInTransactions: a transaction sees its own rows and definitions, and
// what it has begun with.
func TestKnownTextsInTransactions(t *testing.T) {
	s := openSession(t, openEngine(t))
	other := openSession(t, s.engine)
	s.run("CREATE TABLE e AS SELECT * FROM (VALUES (1, 2), (2, 3), (4, 5)) v(src, dst)")
	s.run("SET trireme.backend = 'native'")
	s.want(knownRecursion, "3|6|3")
	s.run("SET trireme.backend = 'auto'")
	s.run("BEGIN")
	s.run("INSERT INTO e VALUES (3, 4)")
	s.want(knownRecursion, "5|15|5")
	other.want(knownRecursion, "3|6|3")
	s.run("ALTER TABLE e ADD COLUMN c INTEGER")
	if s.isKnown(knownRecursion) || other.isKnown(knownRecursion) {
		t.Error("a text is found while the catalog is changing")
	}
	s.want(knownRecursion, "5|15|5")
	s.run("ROLLBACK")
	s.want(knownRecursion, "3|6|3")
	s.run("BEGIN")
	s.want("SELECT count(*) FROM e", "3")
	other.run("INSERT INTO e VALUES (3, 1000)")
	s.want(knownRecursion, "3|6|3")
	s.run("COMMIT")
	s.want(knownRecursion, "4|1006|1000")
}

// TestKnownTextsThatWrite: INSERT of a block is known, and writes by its parameters into
// the table that there is.
func TestKnownTextsThatWrite(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE TABLE e AS SELECT i % 7 AS src, i % 5 AS dst FROM range(40) r(i)")
	s.run("CREATE TABLE found (node BIGINT, n BIGINT)")
	const sql = "INSERT INTO found (n, node) SELECT count(*), a.src FROM e a JOIN e b ON a.dst = b.src WHERE a.src < $1 GROUP BY a.src"
	const want = "SELECT count(*), a.src FROM e a JOIN e b ON a.dst = b.src WHERE a.src < 3 GROUP BY a.src ORDER BY 2"
	s.run("SET trireme.backend = 'native'")
	for _, change := range []string{"", "DELETE FROM e WHERE src = 1", "ALTER TABLE found ALTER n TYPE VARCHAR", "DROP TABLE found", "CREATE TABLE found (n INTEGER, node HUGEINT)"} {
		if change != "" {
			s.run(change)
		}
		if change == "DROP TABLE found" {
			s.wantError(strings.ReplaceAll(sql, "$1", "3"), "42P01")
			continue
		}
		rows := s.duck(want)
		for range 3 {
			s.run("DELETE FROM found")
			s.run(sql, "3")
			if s.LastBackend() != "native" {
				t.Errorf("after %q: answered by %s", change, s.LastBackend())
			}
			if got := s.duck("SELECT n, node FROM found ORDER BY node"); got != rows {
				t.Errorf("after %q: %s, want %s", change, got, rows)
			}
		}
		if !s.isKnown(sql) {
			t.Errorf("after %q: the text is not kept", change)
		}
	}
	for _, sql := range []string{
		"INSERT INTO found SELECT count(*), a.src FROM e a JOIN e b ON a.dst = b.src GROUP BY a.src RETURNING n",
		"CREATE OR REPLACE TABLE other AS SELECT count(*) AS n, a.src AS node FROM e a JOIN e b ON a.dst = b.src GROUP BY a.src",
	} {
		if _, _, err := s.try(sql); err != nil {
			t.Errorf("%s: %v", sql, err)
		}
		if s.isKnown(sql) {
			t.Errorf("kept: %s", sql)
		}
	}
}
