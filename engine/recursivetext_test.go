package engine

import (
	"errors"
	"strings"
	"testing"

	"github.com/trireme-db/trireme/internal/sqlerr"
)

// textualSteps are recursions whose steps have something that only DuckDB reads, in all
// of the step or in a part of it.
var textualSteps = []string{
	"WITH RECURSIVE t(x, k) AS (SELECT 1, 0 UNION SELECT e.dst, k + 1 FROM t JOIN e ON e.src = t.x WHERE k < 5 AND position('7' IN e.dst::VARCHAR) = 0) SELECT count(*), max(x), sum(k) FROM t",
	"WITH RECURSIVE t(x, k) AS (SELECT 1, 0 UNION ALL SELECT e.dst, k + 1 FROM t JOIN e ON e.src = t.x WHERE k < 4 AND position('7' IN e.dst::VARCHAR) = 0) SELECT count(*), max(x), sum(k) FROM t",
	"WITH RECURSIVE t(x) AS (SELECT 1 UNION SELECT z + 1 FROM t t1(z) WHERE z < 3) SELECT x FROM t ORDER BY x",
	"WITH RECURSIVE t(x) AS (SELECT 1 UNION ALL SELECT z + 1 FROM t t1(z) WHERE z < 3) SELECT x FROM t ORDER BY x",
	"WITH RECURSIVE t(x, k) AS (SELECT 1, 0 UNION SELECT n.dst, k + 1 FROM t, LATERAL (SELECT dst FROM e WHERE e.src = t.x ORDER BY dst DESC LIMIT 2) n WHERE k < 4) SELECT count(*), sum(x) FROM t",
	"WITH RECURSIVE t(x, k) AS (SELECT 1, 0 UNION SELECT e.dst, k + 1 FROM t JOIN e ON e.src = t.x WHERE k < 4 QUALIFY row_number() OVER (PARTITION BY e.src ORDER BY e.dst) = 1) SELECT count(*), sum(x) FROM t",
	"WITH RECURSIVE t(x) AS (SELECT 1 UNION SELECT unnest([t.x + 1, t.x + 2]) FROM t WHERE t.x < 9) SELECT x FROM t ORDER BY x",
	"WITH RECURSIVE t(x) AS (SELECT 1 UNION SELECT u.v FROM t, unnest([t.x + 1, t.x + 2]) u(v) WHERE t.x < 9) SELECT x FROM t ORDER BY x",
	"WITH RECURSIVE t(x, n) AS (SELECT 1, 1::BIGINT UNION SELECT e.dst, count(*) OVER () FROM t JOIN e ON e.src = t.x WHERE n < 50) SELECT count(*), sum(x), max(n) FROM t",
	"WITH RECURSIVE t(x, k) AS (SELECT 1, 0 UNION SELECT max(e.dst), max(k) + 1 FROM t JOIN e ON e.src = t.x WHERE k < 5 HAVING median(e.dst) > 3) SELECT count(*), sum(x) FROM t",
	"WITH RECURSIVE t(x) AS (SELECT 1 UNION SELECT [x + 1, 7][1] FROM t WHERE x < 5) SELECT x FROM t ORDER BY x",
	"WITH RECURSIVE t(x) AS (SELECT 1 UNION SELECT (SELECT max(x) FROM t) + 1 WHERE (SELECT max(x) FROM t) < 4) SELECT x FROM t ORDER BY x",
	"WITH RECURSIVE t(x) AS (SELECT 1 UNION SELECT e.dst FROM e WHERE e.src = (SELECT max(x) FROM t)) SELECT count(*), sum(x) FROM t",
	"WITH RECURSIVE t(x) AS (SELECT 1 UNION SELECT x + +1 FROM t WHERE x < 5) SELECT x FROM t ORDER BY x",
	"WITH RECURSIVE t(x) AS (SELECT 1 UNION SELECT x + 1 FROM t WHERE x < 5 AND x == x) SELECT x FROM t ORDER BY x",
	"WITH RECURSIVE t(x) AS (SELECT 1 UNION SELECT x + 1 FROM t WHERE x < 5 AND x::VARCHAR !~~ '4%') SELECT x FROM t ORDER BY x",
	"WITH RECURSIVE t(x) AS (SELECT 1 UNION SELECT ALL x + 1 FROM t WHERE x < 5) SELECT x FROM t ORDER BY x",
	"WITH RECURSIVE t(x) AS (SELECT 1 UNION SELECT u.y FROM (WITH RECURSIVE u(y) AS (SELECT x + 1 FROM t WHERE x < 5 UNION SELECT y + 2 FROM u WHERE y < 6) SELECT y FROM u) u) SELECT x FROM t ORDER BY x",
	"WITH RECURSIVE t(x) AS (SELECT 1 UNION SELECT e.dst FROM (SELECT x FROM t WHERE position('9' IN x::VARCHAR) = 0) q JOIN e ON e.src = q.x) SELECT count(*), sum(x) FROM t",
	"WITH RECURSIVE t(x) AS (SELECT 1 UNION SELECT e.dst FROM e WHERE e.src IN (SELECT x FROM t WHERE position('9' IN x::VARCHAR) = 0)) SELECT count(*), sum(x) FROM t",
	"WITH RECURSIVE t(x, w) AS (SELECT 1, 'trireme_working' UNION SELECT e.dst, q.w FROM (SELECT x, w FROM t WHERE position('9' IN x::VARCHAR) = 0) q JOIN e ON e.src = q.x) SELECT count(*), sum(x), max(w) FROM t",
	"WITH RECURSIVE t(x, m) USING KEY (x) AS (SELECT 1, 0::BIGINT UNION SELECT e.dst, min(t.m + w) FROM t JOIN e ON e.src = t.x LEFT JOIN recurring.t r ON r.x = e.dst WHERE (r.x IS NULL OR t.m + w < r.m) AND position('7' IN e.dst::VARCHAR) = 0 GROUP BY e.dst) SELECT count(*), sum(m) FROM t",
}

// TestTextualSteps: what of a step is left to DuckDB reads the rows that the step before
// has found. A backend answers as DuckDB does, or refuses.
func TestTextualSteps(t *testing.T) {
	s := graphSession(t)
	for _, sql := range textualSteps {
		s.run("SET trireme.backend = 'duckdb'")
		want := s.run(sql)
		for _, backend := range []string{"auto", "native", "decomposed"} {
			s.run("SET trireme.backend = '" + backend + "'")
			got, _, err := s.try(sql)
			var e *sqlerr.Error
			if errors.As(err, &e) && e.Code == sqlerr.FeatureNotSupported && backend != "auto" {
				t.Logf("%s refuses %s: %s", backend, sql, strings.TrimPrefix(e.Message, "backend "))
				continue
			}
			if err != nil || got != want {
				t.Errorf("%s on %s: %q, want %q, error %v", sql, backend, got, want, err)
			}
		}
	}
}

// TestTextualStepOfManyRows: auto leaves such a step to DuckDB.
func TestTextualStepOfManyRows(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.choosesNative()
	s.run("CREATE TABLE e AS SELECT (hash(i) % 20000)::INTEGER AS a, (hash(i + 7) % 20000)::INTEGER AS b FROM range(80000) t(i)")
	const sql = "WITH RECURSIVE t(x, k) AS (SELECT 1, 0 UNION SELECT e.b, k + 1 FROM t JOIN e ON e.a = t.x WHERE k < 12 AND position('7' IN e.b::VARCHAR) = 0) SELECT count(*), max(x) FROM t"
	for _, backend := range []string{"duckdb", "auto", "native", "decomposed"} {
		s.run("SET trireme.backend = '" + backend + "'")
		if got := s.run(sql); got != "52659|19999" {
			t.Errorf("%s answers %s", backend, got)
		}
		if by := s.LastBackend(); backend == "auto" && by != "duckdb" {
			t.Errorf("auto answers on %s", by)
		}
	}
}

// TestTextOfANameOfOurs: a value that looks like a name of the engine's is a value.
func TestTextOfANameOfOurs(t *testing.T) {
	s := graphSession(t)
	for _, name := range []string{"trireme: rows from the step before", "trireme: rows of all steps before", `SELECT * FROM "temp"."main"."trireme_working"`} {
		sql := "SELECT t.k, count(*) FROM (SELECT src, '" + name + "' AS k FROM e ORDER BY src, dst LIMIT 5) t JOIN e ON e.src = t.src GROUP BY t.k"
		for _, backend := range []string{"duckdb", "auto", "native", "decomposed"} {
			s.run("SET trireme.backend = '" + backend + "'")
			s.want(sql, name+"|15")
		}
	}
}
