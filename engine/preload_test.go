package engine

import (
	"strings"
	"testing"
)

// preloaded returns EXPLAIN's lines that declare tensors, and its estimate of
// the first step.
func (s testSession) preloaded(sql string) (declared []string, estimate string) {
	for _, line := range strings.Split(s.run("EXPLAIN "+sql), ";") {
		switch {
		case strings.HasPrefix(line, "PHYSICAL PLAN"):
			return declared, estimate
		case strings.HasPrefix(line, "tensor "):
			declared = append(declared, line)
		case strings.HasPrefix(line, "-- ") && estimate == "":
			estimate = line
		}
	}
	return declared, estimate
}

func TestFactsBeforeLoading(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE TABLE d(id INT PRIMARY KEY, code VARCHAR UNIQUE, x INT, y INT, UNIQUE (x, y))")
	s.run("INSERT INTO d SELECT i, 'c' || i, i % 10, i // 10 FROM range(100) r(i)")
	s.run("CREATE TABLE f AS SELECT CAST(i % 100 AS INT) AS d, i AS v, -i AS w FROM range(1000) r(i)")
	s.run("SET trireme.backend = 'native'")
	for _, c := range []struct{ sql, want string }{
		{"SELECT count(*) FROM f, d WHERE f.d = d.id", "tensor d(0) { n i64 >=0 } key(0)"},
		{"SELECT count(*) FROM f, d WHERE f.d = d.x", "tensor d(0) { n i64 >=0 }\n"},
		{"SELECT d.code, count(*) FROM f, d WHERE f.d = d.x GROUP BY d.code", "tensor d(2,0) { n i64 >=0 }\n"},
		{"SELECT d.y, count(*) FROM f, d WHERE f.d = d.x GROUP BY d.y", "tensor d(0,2) { n i64 >=0 }\n"},
		{"SELECT count(*) FROM f, f g, d WHERE f.d = d.x AND g.d = d.y", "tensor d(0,0) { n i64 >=0 } key(0,1)"},
		{"SELECT sum(f.v) FROM f, d WHERE f.d = d.id", "s_v i64 >=0"},
		{"SELECT sum(f.w) FROM f, d WHERE f.d = d.id", "!s_w i64 >=0"},
	} {
		declared, _ := s.preloaded(c.sql)
		want, none := strings.CutPrefix(c.want, "!")
		if text := strings.Join(declared, "\n") + "\n"; strings.Contains(text, want) == none {
			t.Errorf("%s: %s in\n%s", c.sql, c.want, text)
		}
	}
}

func TestEstimatesBeforeLoading(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE TABLE v AS SELECT i AS id, CASE WHEN i < 900 THEN 1 ELSE i END AS label FROM range(1000) r(i)")
	s.run("CREATE TABLE e AS SELECT i % 1000 AS src, i AS dst FROM range(5000) r(i)")
	s.run("SET trireme.backend = 'native'")
	for _, c := range []struct{ where, want string }{
		{"v.label = 1", "-- ~900 cells"},      // counted
		{"v.label = 950", "-- ~1 cells"},      // counted
		{"v.id + v.label < 3", "-- ~2 cells"}, // predicate of the load: counted
	} {
		if _, got := s.preloaded("SELECT count(*) FROM v, e WHERE v.id = e.src AND " + c.where); !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: %s, want %s", c.where, got, c.want)
		}
	}
}
