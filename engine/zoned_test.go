package engine

import (
	"slices"
	"strings"
	"testing"
)

// zonedTables have the same instant written in several zones, and the wall clock of
// each; New York's clock shows 01:30 twice on one night and 02:30 not at all on another.
const zonedTables = `CREATE TABLE z (k INTEGER, inst TIMESTAMPTZ, wall TIMESTAMP);
CREATE TABLE y (k INTEGER, inst TIMESTAMPTZ, day DATE);
INSERT INTO z VALUES (1, '2024-03-10 06:30:00+00', '2024-03-10 06:30:00'), (1, '2024-03-10 01:30:00-05', '2024-03-10 01:30:00'),
  (2, '2024-11-03 05:30:00+00', '2024-11-03 01:30:00'), (2, '2024-11-03 06:30:00+00', '2024-11-03 01:30:00'), (3, NULL, NULL),
  (3, '1969-12-31 23:59:59.999999+00', '1969-12-31 23:59:59.999999'), (NULL, 'infinity', 'infinity'), (4, '2024-03-10 00:00:00+05:30', '2024-03-10 00:00:00');
INSERT INTO y VALUES (1, '2024-03-10 12:00:00+05:30', '2024-03-10'), (2, '2024-11-03 01:30:00-04', '2024-11-03'), (2, '2024-11-03 01:30:00-05', '2024-11-03'),
  (3, NULL, NULL), (4, '2024-03-09 18:30:00+00', '2024-03-09'), (5, 'infinity', 'infinity'), (3, '1969-12-31 18:59:59.999999-05', '1969-12-31')`

// zonedKeys are answered on tensors in the engine's zone.
var zonedKeys = []string{
	"SELECT inst, count(*) FROM z GROUP BY inst",
	"SELECT k, min(inst), max(inst) FROM z GROUP BY k",
	"SELECT z.inst, count(*), sum(y.k) FROM z JOIN y ON z.inst = y.inst GROUP BY z.inst",
	"SELECT count(*) FROM z JOIN y ON z.inst <= y.inst",
	"SELECT z.k, min(y.inst), max(z.inst) FROM z JOIN y USING (k) GROUP BY z.k",
	"SELECT count(*) FROM z WHERE NOT EXISTS (SELECT 1 FROM y WHERE y.inst = z.inst)",
	"SELECT z.k, count(*) FROM z LEFT JOIN y ON z.inst = y.inst GROUP BY z.k",
	"SELECT q.inst, sum(q.n) FROM (SELECT inst, count(*) AS n FROM z GROUP BY inst) q JOIN y ON q.inst = y.inst GROUP BY q.inst",
}

// zonedExpressions depend on the session's zone: whoever answers, it is by the zone
// that is set now.
var zonedExpressions = []string{
	"SELECT CAST(inst AS DATE), count(*) FROM z GROUP BY CAST(inst AS DATE)",
	"SELECT extract(hour FROM inst), count(*) FROM z GROUP BY 1",
	"SELECT count(*) FROM z JOIN y ON z.wall = y.inst",
	"SELECT count(*) FROM z JOIN y ON CAST(z.inst AS DATE) = y.day",
	"SELECT count(*), max(z.k) FROM z JOIN y USING (k) WHERE z.inst > TIMESTAMPTZ '2024-03-10 03:00:00'",
	"SELECT count(*) FROM z JOIN y USING (k) WHERE z.wall = y.inst",
	"SELECT count(*) FROM z JOIN y ON z.wall::TIMESTAMP WITH TIME ZONE = y.inst",
	"SELECT z.wall::TIMESTAMPTZ, count(*) FROM z JOIN y USING (k) GROUP BY 1",
	"SELECT z.k, max(CAST(z.inst AS VARCHAR)) FROM z JOIN y USING (k) GROUP BY z.k",
	"SELECT date_trunc('day', z.inst), count(*) FROM z JOIN y USING (k) GROUP BY 1",
}

// TestKeysWithTimeZone compares all backends with DuckDB in several zones, with
// tensors that were made in another one.
func TestKeysWithTimeZone(t *testing.T) {
	s := openSession(t, openEngine(t))
	for _, sql := range strings.Split(zonedTables, ";\n") {
		s.run(sql)
	}
	for _, zone := range []string{"", "America/New_York", "Asia/Kolkata", ""} {
		s.run("RESET TimeZone")
		if zone != "" {
			s.run("SET TimeZone = '" + zone + "'")
		}
		for _, sql := range slices.Concat(zonedKeys, zonedExpressions) {
			s.run("SET trireme.backend = 'duckdb'")
			want, columns := s.sorted(sql), s.columns(sql)
			for _, backend := range []string{"native", "decomposed", "auto"} {
				s.run("SET trireme.backend = '" + backend + "'")
				text, _, err := s.try(sql)
				if _, refused := refusal(err); refused && (zone != "" || !slices.Contains(zonedKeys, sql)) {
					continue
				}
				lines := strings.Split(text, ";")
				slices.Sort(lines)
				if got := strings.Join(lines, ";"); err != nil || got != want {
					t.Fatalf("zone %q, %s on %s: %s, want %s, error %v", zone, sql, backend, got, want, err)
				}
				if got := s.columns(sql); got != columns {
					t.Errorf("%s on %s: columns %s, want %s", sql, backend, got, columns)
				}
			}
		}
	}
}
