package engine

import "testing"

// TestUnreadSubqueries: a scalar subquery of several rows is an error also where a
// derived table has its value for nobody; of one row it is none.
func TestUnreadSubqueries(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE TABLE place AS SELECT * FROM (VALUES ('a'), ('b')) v(region)")
	s.run("CREATE TABLE sold AS SELECT * FROM (VALUES ('a', 1), ('a', 2), ('b', 3)) v(r, q)")
	s.run("CREATE VIEW valued AS SELECT region, (SELECT q FROM sold WHERE r = region) AS v FROM place")
	for _, c := range []struct{ sql, forced string }{
		{"SELECT count(*) FROM (SELECT region, (SELECT q FROM sold WHERE r = region) v FROM place) z", "0A000"},
		// The subquery is set apart; the statement around it, which raises the error, is DuckDB's.
		{"SELECT r, count(*) FROM (SELECT region, (SELECT sum(q) FROM sold WHERE r = region GROUP BY q) v FROM place) z JOIN sold ON region = r GROUP BY r", "21000"},
		{"WITH z AS (SELECT region, (SELECT q FROM sold WHERE r = place.region) v FROM place) SELECT count(*) FROM z JOIN sold ON z.region = sold.r", "0A000"},
		{"SELECT sum(q) FROM valued JOIN sold ON region = r", "0A000"},
	} {
		for backend, code := range map[string]string{"duckdb": "21000", "auto": "21000", "native": c.forced, "decomposed": c.forced} {
			s.run("SET trireme.backend = '" + backend + "'")
			s.wantError(c.sql, code) // a backend that is forced leaves the error to DuckDB
		}
	}
	for _, sql := range []string{
		"SELECT count(*) FROM (SELECT region, (SELECT max(q) FROM sold WHERE r = region) v FROM place) z JOIN sold ON region = r",
		"SELECT r, sum(q) FROM (SELECT region, (SELECT q FROM sold WHERE r = region LIMIT 1) v FROM place) z JOIN sold ON region = r GROUP BY r",
	} {
		s.equalsDuckDB(sql)
	}
}
