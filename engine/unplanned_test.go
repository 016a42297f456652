package engine

import (
	"fmt"
	"strings"
	"testing"

	"github.com/trireme-db/trireme/internal/sqlerr"
)

// TestMoreTablesThanThePlannerTakes: sums of products, MIN and MAX of one table's values
// over 70 tables are divided into steps; what is not, is past the planner's limit: a forced backend refuses with the
// reason, and auto leaves the statement to DuckDB.
func TestMoreTablesThanThePlannerTakes(t *testing.T) {
	e := openEngine(t)
	s := openSession(t, e)
	s.run("CREATE TABLE link (a INTEGER, b INTEGER)")
	s.run("INSERT INTO link VALUES (1, 2), (2, 1)")
	const tables = 70
	var from, where []string
	for i := range tables {
		from = append(from, fmt.Sprintf("link l%d", i))
		if i > 0 {
			where = append(where, fmt.Sprintf("l%d.b = l%d.a", i-1, i))
		}
	}
	rest := " FROM " + strings.Join(from, ", ") + " WHERE " + strings.Join(where, " AND ")
	sql := "SELECT max(l0.a + l69.b)" + rest
	for _, backend := range []string{"native", "decomposed"} {
		s.run("SET trireme.backend = '" + backend + "'")
		if e := s.wantError(sql, sqlerr.FeatureNotSupported); !strings.Contains(e.Message, "64") {
			t.Errorf("%s: %s", backend, e.Message)
		}
		s.wantError("EXPLAIN "+sql, sqlerr.FeatureNotSupported)
		s.want("SELECT sum(l0.a * l69.b)"+rest, "5")
	}
	s.run("CREATE TABLE valued AS SELECT x % 5 AS a, (x * 3 + 1) % 5 AS b, CASE WHEN x % 4 <> 0 THEN x END AS v FROM range(6) r(x)")
	few := strings.ReplaceAll(rest, "link", "valued")
	for _, sql := range []string{
		"SELECT l0.a, max(l2.v), min(l69.v), min(l35.v), avg(l1.v), count(*)" + few + " GROUP BY l0.a ORDER BY l0.a",
		"SELECT max(l2.v), min(l69.v), min(l0.v)" + few + " AND l4.v > 3",
	} {
		s.run("SET trireme.backend = 'duckdb'")
		want := s.run(sql)
		for _, backend := range []string{"native", "decomposed"} {
			s.run("SET trireme.backend = '" + backend + "'")
			s.want(sql, want)
		}
	}
	s.run("SET trireme.backend = 'auto'")
	s.run(sql)
	if by := s.LastBackend(); by != "duckdb" {
		t.Errorf("answered by %s", by)
	}
}
