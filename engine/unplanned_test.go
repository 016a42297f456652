package engine

import (
	"fmt"
	"strings"
	"testing"

	"github.com/trireme-db/trireme/internal/sqlerr"
)

// TestMoreTablesThanThePlannerTakes: a sum of products of 70 tables is divided into
// steps; what is not, is past the planner's limit: a forced backend refuses with the
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
	s.run("SET trireme.backend = 'auto'")
	s.run(sql)
	if by := s.LastBackend(); by != "duckdb" {
		t.Errorf("answered by %s", by)
	}
}
