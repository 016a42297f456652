package engine

import "testing"

// unions are statements whose rows are those of several queries together.
var unions = []string{
	"SELECT c.country, count(*) AS n FROM c JOIN o ON o.c = c.id GROUP BY 1 UNION ALL SELECT 'all', count(*) FROM c JOIN o ON o.c = c.id ORDER BY n DESC, 1",
	"SELECT c.country, sum(o.x) FROM c JOIN o ON o.c = c.id GROUP BY 1 UNION ALL SELECT c.country, max(o.id) FROM c JOIN o ON o.c = c.id GROUP BY 1 ORDER BY 2, 1 LIMIT 4 OFFSET 1",
	"SELECT count(*) FROM c JOIN o ON o.c = c.id WHERE c.id > 1000 UNION ALL SELECT sum(o.x) FROM c JOIN o ON o.c = c.id WHERE c.id > 1000 UNION ALL SELECT count(DISTINCT o.c) FROM c JOIN o ON o.c = c.id",
	"SELECT c.country, c.s, count(*), sum(o.x), grouping(c.country, c.s) FROM c JOIN o ON o.c = c.id GROUP BY ROLLUP (c.country, c.s) ORDER BY 5, 1, 2",
	"SELECT c.country, c.s, count(*) FROM c JOIN o ON o.c = c.id GROUP BY CUBE (c.country, c.s) HAVING count(*) > 20 ORDER BY 1, 2, 3",
	"SELECT c.s, count(*) FROM c JOIN o ON o.c = c.id WHERE c.id > 1000 GROUP BY GROUPING SETS ((c.s), ()) ORDER BY 1",
	"(SELECT c.s, count(*) AS n FROM c JOIN o ON o.c = c.id GROUP BY c.s ORDER BY n DESC, 1 LIMIT 1) UNION ALL SELECT o.c, count(*) FROM c JOIN o ON o.c = c.id GROUP BY o.c ORDER BY 2, 1",
}

func TestUnions(t *testing.T) {
	_, s := hostSession(t)
	for _, sql := range unions {
		s.run("SET trireme.backend = 'duckdb'")
		want, columns := s.run(sql), s.columns(sql)
		for _, backend := range []string{"native", "decomposed", "auto"} {
			s.run("SET trireme.backend = '" + backend + "'")
			s.want(sql, want)
			if by := s.LastBackend(); by == "duckdb" || backend != "auto" && by != backend {
				t.Errorf("%s: answered by %s, backend %s", sql, by, backend)
			}
			if got := s.columns(sql); got != columns {
				t.Errorf("%s: columns %s, want %s", sql, got, columns)
			}
			s.run("EXPLAIN " + sql)
			s.run("EXPLAIN ANALYZE " + sql)
		}
	}
	s.run("SET trireme.backend = 'auto'")
	s.run("SELECT country, count(*) FROM c GROUP BY 1 UNION ALL SELECT 'all', count(*) FROM c")
	if by := s.LastBackend(); by != "duckdb" {
		t.Errorf("a union without joins: answered by %s under auto", by)
	}
}
