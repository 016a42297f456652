package engine

import "testing"

// paddings are statements in which the rows that an outer join or a mark adds have
// no value where something is calculated.
var paddings = []string{
	"SELECT max(b.s) FROM a LEFT JOIN b ON a.s = b.s",
	"SELECT a.k, max(b.s), min(b.s || 'x'), count(b.s) FROM a LEFT JOIN b ON a.s = b.s GROUP BY a.k",
	"SELECT a.k, max(b.k), count(*) FROM a RIGHT JOIN b ON a.s = b.s GROUP BY a.k",
	"SELECT count(a.u) FROM a WHERE NOT (a.k > (SELECT coalesce(sum(b.k), 5) FROM a b WHERE b.u = a.u))",
	"SELECT count(a.u) FROM a WHERE a.k < (SELECT coalesce(max(b.k), 5) FROM a b WHERE b.u = a.u AND b.k > 0)",
	"SELECT a.s, min(a.k + b.k), max(a.k - b.k) FROM a LEFT JOIN b ON a.s = b.s GROUP BY a.s",
	"SELECT b.s, min(a.k + b.k), max(a.k - b.k), sum(a.k * b.k) FROM a LEFT JOIN b ON a.s = b.s GROUP BY b.s",
}

func TestPaddings(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE TABLE a (k BIGINT, s VARCHAR, u UUID)")
	s.run("CREATE TABLE b (k BIGINT, s VARCHAR)")
	s.run("INSERT INTO a VALUES (-1, 'é', 'ffffffff-0000-0000-0000-000000000001'), (7, 'a', NULL), (NULL, 'a', '00000000-0000-0000-0000-000000000002'), (3, NULL, '00000000-0000-0000-0000-000000000002')")
	for _, change := range []string{"", "INSERT INTO b VALUES (1, 'a'), (NULL, 'a'), (2, 'b'), (3, NULL)", "DELETE FROM a WHERE k = 7"} {
		if change != "" {
			s.run(change)
		}
		for _, sql := range paddings {
			s.run("SET trireme.backend = 'duckdb'")
			want := s.run(sql + " ORDER BY ALL")
			for _, backend := range []string{"native", "decomposed"} {
				s.run("SET trireme.backend = '" + backend + "'")
				s.want(sql+" ORDER BY ALL", want)
			}
		}
	}
}
