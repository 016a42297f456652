package engine

import (
	"strings"
	"testing"
)

// typeTables have neighbours of 2^53, which are one DOUBLE.
const typeTables = `CREATE TABLE w (k INTEGER, x BIGINT, a BIGINT, y DOUBLE, f FLOAT, d DECIMAL(18,2), dt DATE, ts TIMESTAMP, s VARCHAR);
INSERT INTO w VALUES (1, 9007199254740992, 9007199254740993, 9007199254740992.0, 16777216, 16777217, '2024-01-01', '2024-01-01 10:00:00', '2024-01-01'),
	(2, 9007199254740993, 9007199254740992, 9007199254740992.0, 16777216, 1.5, '2024-02-29', '2024-01-02', 'b'), (16777217, 1, 2, 3.5, 2, -1, '2023-12-31', NULL, '3'),
	(NULL, NULL, NULL, NULL, NULL, NULL, NULL, '2023-12-31', NULL), (1, 5, 5, 5, 5, 5, '2024-01-02', '2024-01-01', '5'), (4, 0, 1, 0.5, 0.5, 0.5, '2024-01-01', '2024-02-29', 'x'),
	(2, NULL, 9007199254740993, 1, 1, 1, NULL, '2024-01-01 10:00:00', NULL)`

// severalTypes compare one value with others of which the types differ.
var severalTypes = []string{
	"SELECT count(*) FROM w a, w b WHERE a.x BETWEEN b.a AND b.y",
	"SELECT count(*) FROM w a, w b WHERE a.x NOT BETWEEN b.a AND b.y",
	"SELECT count(*) FROM w a, w b WHERE NOT a.x BETWEEN b.y AND b.a",
	"SELECT count(*) FROM w a, w b WHERE a.x BETWEEN a.a AND b.y",
	"SELECT count(*) FROM w a, w b WHERE a.x IN (b.a, b.y)",
	"SELECT count(*) FROM w a, w b WHERE a.x NOT IN (b.a, b.y)",
	"SELECT a.x, b.a, count(*) FROM w a, w b WHERE a.x IN (b.a, b.y) AND a.k = b.k GROUP BY ALL",
	"SELECT count(*) FROM w a, w b WHERE a.k BETWEEN b.k AND b.f",
	"SELECT count(*) FROM w a, w b WHERE a.k BETWEEN b.f AND b.y",
	"SELECT count(*) FROM w a, w b WHERE a.k IN (b.f, b.y)",
	"SELECT count(*) FROM w a, w b WHERE a.k BETWEEN b.k AND b.y",
	"SELECT count(*) FROM w a, w b WHERE a.d BETWEEN b.d AND b.f",
	"SELECT count(*) FROM w a, w b WHERE a.y BETWEEN b.a AND b.d",
	"SELECT count(*) FROM w a, w b WHERE a.x BETWEEN b.k AND b.d",
	"SELECT count(*) FROM w a, w b WHERE a.dt BETWEEN b.dt AND b.ts",
	"SELECT count(*) FROM w a, w b WHERE a.dt BETWEEN '2024-01-01 09:00' AND b.ts",
	"SELECT count(*) FROM w a, w b WHERE a.dt IN ('2024-01-01 10:00', b.ts)",
	"SELECT count(*) FROM w a, w b WHERE a.k = b.k AND a.dt BETWEEN '2024-01-01' AND b.dt",
	"SELECT sum(CASE WHEN a.x BETWEEN b.a AND b.y THEN 1 ELSE 0 END) FROM w a JOIN w b ON a.k = b.k",
	"SELECT count(*) FILTER (WHERE a.x BETWEEN b.a AND b.y), count(*) FILTER (WHERE a.x IN (b.a, b.y)) FROM w a, w b",
	"SELECT a.x, count(*) FROM w a LEFT JOIN w b ON a.x IN (b.a, b.y) GROUP BY 1",
	"SELECT count(*) FROM w a WHERE EXISTS (SELECT 1 FROM w b WHERE a.x BETWEEN b.a AND b.y)",
	"SELECT count(*) FROM w a WHERE NOT EXISTS (SELECT 1 FROM w b WHERE b.x BETWEEN a.a AND b.y)",
	"SELECT bool_or(a.x BETWEEN b.a AND b.y), sum((a.x IN (b.a, b.y))::INTEGER) FROM w a JOIN w b ON a.k = b.k",
	"SELECT k, p, count(*) FROM (SELECT a.k, a.x BETWEEN b.a AND b.y AS p FROM w a, w b) GROUP BY ALL",
	"SELECT count(*) FROM (SELECT k, max(x) AS m, min(a) AS n, max(y) AS o FROM w GROUP BY k) q, w WHERE q.k = w.k AND m BETWEEN n AND o",
	"SELECT q.k, count(*) FROM (SELECT k, max(x) AS m, min(a) AS n, max(y) AS o FROM w GROUP BY k) q, w WHERE q.k = w.k GROUP BY q.k HAVING max(m) IN (min(n), max(o))",
	"SELECT a.k, max(a.x) BETWEEN min(b.a) AND max(b.y), max(a.x) IN (min(b.a), max(b.y)) FROM w a JOIN w b ON a.k = b.k GROUP BY a.k",
	"SELECT a.k, CASE max(a.x) WHEN min(b.a) THEN 1 WHEN max(b.y) THEN 2 END FROM w a JOIN w b ON a.k = b.k GROUP BY a.k",
	"SELECT count(*) FROM w a, w b WHERE (a.x, a.k) IN ((b.a, b.k), (b.y, b.k))",
	"SELECT count(*) FROM w a SEMI JOIN w b ON a.x BETWEEN b.a AND b.y",
	"SELECT count(*) FROM w a JOIN w b ON a.k = b.k WHERE a.x BETWEEN a.a AND a.y",
}

// TestSeveralTypes: BETWEEN and IN compare in one type all that they compare.
func TestSeveralTypes(t *testing.T) {
	s := openSession(t, openEngine(t))
	for _, sql := range strings.Split(typeTables, ";\n") {
		s.run(sql)
	}
	s.choosesNative()
	answered := 0
	for _, sql := range severalTypes {
		n := s.agrees(sql)
		if n < 0 {
			t.Errorf("DuckDB refuses %s", sql)
		}
		answered += n
	}
	if answered < len(severalTypes)/2 {
		t.Errorf("%d answers say little", answered)
	}
}
