package engine

import (
	"slices"
	"strings"
	"testing"
)

// formTables are tables with several rows for most keys.
const formTables = `CREATE TABLE e AS SELECT (i * 7 % 20)::INTEGER AS a, (i * 11 % 17)::INTEGER AS b, (i * 13 % 9)::INTEGER AS w, 's' || i % 4 AS s FROM range(120) t(i);
INSERT INTO e VALUES (NULL, 1, 2, 'x'), (3, NULL, NULL, NULL), (NULL, NULL, 4, '100%');
CREATE TABLE d AS SELECT i::INTEGER AS k, 'n_' || i % 5 AS name, DATE '2020-01-01' + (i::INTEGER * 97) AS dt, TIMESTAMP '2020-01-01 10:00:00' + INTERVAL (i * 31) HOUR AS ts, [i % 3, i % 2] AS l FROM range(20) t(i);
CREATE TABLE q AS SELECT (i % 20)::INTEGER AS k, TIMESTAMP '2020-01-01' + INTERVAL (i * 17) HOUR AS tm, (i * 7 % 13)::INTEGER AS price FROM range(60) t(i);
CREATE TEMP TABLE tt AS SELECT a AS k, count(*) AS n FROM e GROUP BY a;
CREATE TEMP VIEW tv AS SELECT a, b, w FROM e WHERE w > 2;
ATTACH ':memory:' AS other;
CREATE TABLE other.o AS SELECT k, name AS oname FROM d;
CREATE SCHEMA sch;
CREATE TABLE sch.z AS SELECT k, name AS zname FROM d;
CREATE MACRO inc(x) AS x + 1;
CREATE MACRO twice(x) AS inc(x) * 2;
CREATE MACRO msum(x) AS sum(x);
CREATE MACRO heavy(t) AS TABLE SELECT a AS k, count(*) AS n FROM e WHERE w > t GROUP BY a`

// manyForms are statements in words that only DuckDB's parser knows, or with parts that
// only DuckDB executes, around joins and groups that are the tensor engine's.
var manyForms = []string{
	// Objects of the session, of other databases and schemas.
	"SELECT d.name, sum(tt.n) FROM tt JOIN d ON tt.k = d.k GROUP BY d.name",
	"SELECT count(*), max(x.n) FROM tt x JOIN tt y USING (k) JOIN d USING (k)",
	"SELECT d.name, sum(tv.w) FROM tv JOIN d ON tv.a = d.k GROUP BY d.name",
	"SELECT t.n, count(*) FROM (SELECT n, k FROM tt ORDER BY k LIMIT 7) t JOIN e ON e.a = t.k GROUP BY t.n",
	"SELECT o.oname, sum(e.w) FROM e JOIN other.o ON o.k = e.a GROUP BY o.oname",
	"SELECT o.oname, sum(e.w) FROM e JOIN other.main.o ON o.k = e.a GROUP BY ALL",
	"SELECT z.zname, sum(e.w) FROM e JOIN sch.z ON z.k = e.a GROUP BY z.zname",
	// Macros.
	"SELECT d.name, sum(inc(e.w)), sum(twice(e.w + d.k)) FROM e JOIN d ON e.a = d.k GROUP BY d.name",
	"SELECT d.name, sum(e.w) FROM e JOIN d ON e.a = d.k WHERE inc(e.w) > 4 GROUP BY d.name",
	"SELECT d.name, msum(e.w), inc(sum(e.w)), sum(inc(x := e.w)) FROM e JOIN d ON e.a = d.k GROUP BY d.name",
	"SELECT d.name, sum(h.n) FROM heavy(2) h JOIN d ON h.k = d.k GROUP BY d.name",
	"SELECT geomean(e.w + d.k + 1) > 2 FROM e JOIN d ON e.a = d.k",
	// Lists of columns.
	"SELECT d.name, sum(COLUMNS('^[wb]$')) FROM e JOIN d ON e.a = d.k GROUP BY d.name",
	"SELECT count(COLUMNS(*)) FROM e JOIN d ON e.a = d.k",
	"SELECT d.name, min(COLUMNS(['w', 'b'])), max(COLUMNS(c -> c LIKE 'w%')) FROM e JOIN d ON e.a = d.k GROUP BY d.name",
	"SELECT e.* EXCLUDE (w, s, b), sum(e.w) FROM e JOIN d ON e.a = d.k GROUP BY ALL",
	"SELECT t.name, sum(t.w) FROM (SELECT e.* REPLACE (e.w + d.k AS w), d.name FROM e JOIN d ON e.a = d.k) t GROUP BY t.name",
	// Other spellings.
	"SELECT d.l[1], sum(e.w) FROM e JOIN d ON e.a = d.k GROUP BY d.l[1]",
	"SELECT d.name[1:2], sum(e.w) FROM e JOIN d ON e.a = d.k WHERE 2 IN d.l GROUP BY 1",
	"SELECT d.name.upper(), sum(e.w) FROM e JOIN d ON e.a = d.k GROUP BY 1",
	"SELECT n: d.name, count(*) FROM e JOIN d ON e.a == d.k WHERE d.dt + INTERVAL (e.w) DAY > DATE '2020-06-01' GROUP BY d.name",
	"SELECT d.name, count(*) FROM e q1(x, y) JOIN d ON q1.y = d.k WHERE d.name LIKE 'n!_1%' ESCAPE '!' GROUP BY d.name",
	"SELECT d.name, count(*) FROM e JOIN d ON e.a = d.k GROUP BY d.name ORDER BY ALL FETCH FIRST 2 ROWS ONLY",
	"SELECT d.name, count(*) FROM e JOIN d ON e.a = d.k GROUP BY d.name ORDER BY ALL LIMIT 50%",
	"SELECT d.name, count(*) FROM e JOIN d ON e.a = d.k GROUP BY d.name ORDER BY ALL DESC LIMIT 1 + 1",
	// Aggregates without tensors, over groups of every kind.
	"SELECT d.name, median(e.w), count(*) FROM e JOIN d ON e.a = d.k GROUP BY ROLLUP (d.name)",
	"SELECT d.name, e.s, mad(e.w) FROM e JOIN d ON e.a = d.k GROUP BY CUBE (d.name, e.s)",
	"SELECT d.name, median(e.w) AS m FROM e JOIN d ON e.a = d.k GROUP BY ALL ORDER BY ALL",
	"SELECT d.name, percentile_cont(0.5) WITHIN GROUP (ORDER BY e.w), percentile_disc(0.3) WITHIN GROUP (ORDER BY e.w DESC) FROM e JOIN d ON e.a = d.k GROUP BY d.name",
	"SELECT d.name, mode(e.w ORDER BY e.w), mode() WITHIN GROUP (ORDER BY e.b) FROM e JOIN d ON e.a = d.k GROUP BY d.name",
	"SELECT d.name, first(e.b ORDER BY e.w, e.b), last(e.b ORDER BY e.w, e.b), histogram(e.w) FROM e JOIN d ON e.a = d.k GROUP BY d.name",
	"SELECT d.name, list(DISTINCT e.w ORDER BY e.w), list_sort(list(e.b)), len(list(e.b)), max(e.w, 3) FROM e JOIN d ON e.a = d.k GROUP BY d.name",
	"SELECT d.name, string_agg(e.s, ',' ORDER BY e.w, e.s) FROM e JOIN d ON e.a = d.k GROUP BY d.name",
	"SELECT d.name, string_agg(e.a::VARCHAR, ',' ORDER BY d.k) FROM e JOIN d ON e.a = d.k GROUP BY d.name",
	"SELECT mode(z.k) FROM (SELECT e.a % 3 AS k FROM e JOIN d ON e.a = d.k WHERE e.a <> 1) z",
	// Rows that are chosen.
	"SELECT DISTINCT ON (d.name) d.name, e.w, e.b FROM e JOIN d ON e.a = d.k ORDER BY d.name, e.w DESC, e.b",
	"SELECT DISTINCT ON (n) d.name AS n, e.b, sum(e.w) FROM e JOIN d ON e.a = d.k GROUP BY d.name, e.b ORDER BY n, sum(e.w) DESC, e.b",
	"SELECT d.name, e.b, e.w FROM e JOIN d ON e.a = d.k QUALIFY row_number() OVER (PARTITION BY d.name ORDER BY e.w DESC, e.b) = 1",
	"SELECT e.a FROM e JOIN d ON e.a = d.k EXCEPT ALL SELECT k FROM d",
	"SELECT e.a, e.w FROM e JOIN d ON e.a = d.k INTERSECT ALL SELECT q.k, e.w FROM q JOIN e ON e.b = q.k",
	// Windows over groups.
	"SELECT d.name, sum(e.w), rank() OVER (PARTITION BY grouping(d.name) ORDER BY sum(e.w) DESC) FROM e JOIN d ON e.a = d.k GROUP BY ROLLUP (d.name)",
	"SELECT d.name, sum(e.w), rank() OVER (ORDER BY sum(e.w) DESC) FROM e JOIN d ON e.a = d.k GROUP BY ALL",
	"SELECT d.name, median(e.w), rank() OVER (ORDER BY median(e.w) DESC, d.name) FROM e JOIN d ON e.a = d.k GROUP BY d.name",
	// Correlation by other than equality.
	"SELECT d.k, (SELECT sum(e.w) FROM e JOIN q ON q.k = e.b WHERE e.a < d.k) FROM d",
	"SELECT d.k, (SELECT sum(e.w) FROM e JOIN q ON q.k = e.b WHERE e.a = d.k OR e.b = d.k) FROM d",
	"SELECT d.name, (SELECT count(*) FROM q WHERE q.tm BETWEEN d.ts AND d.ts + INTERVAL 100 HOUR) FROM d",
	"SELECT d.k, l.s FROM d, LATERAL (SELECT sum(e.w) AS s FROM e JOIN q ON q.k = e.b WHERE e.a < d.k) l",
	// Structures, and lists of columns of derived tables without a name.
	"SELECT {'n': d.name, 'w': sum(e.w)} AS q FROM e JOIN d ON e.a = d.k GROUP BY d.name",
	"SELECT d.name, struct_pack(w := sum(e.w), c := count(*)) AS q, max({'a': e.a, 'b': [e.b]}) AS m FROM e JOIN d ON e.a = d.k GROUP BY d.name",
	"SELECT max(COLUMNS(*)) FROM (SELECT e.a, d.name FROM e JOIN d ON e.a = d.k)",
	"SELECT min(COLUMNS('^[aw]$')), count(*) FROM (SELECT a, w FROM e), (SELECT k FROM d WHERE k < 3)",
	// PIVOT.
	"SELECT * FROM (SELECT d.name, e.s, e.w FROM e JOIN d ON e.a = d.k) PIVOT (sum(w) FOR s IN ('s0', 's1') GROUP BY name)",
	"PIVOT (SELECT d.name, e.s, e.w FROM e JOIN d ON e.a = d.k) ON s IN ('s0', 's1') USING sum(w) GROUP BY name",
	"SELECT name, sum(value) FROM (SELECT d.name, e.w, e.b FROM e JOIN d ON e.a = d.k) UNPIVOT (value FOR col IN (w, b)) GROUP BY name",
	// The time of the transaction beside a window.
	"SELECT d.name, count(*), rank() OVER (ORDER BY count(*), d.name) FROM e JOIN d ON e.a = d.k WHERE d.ts < now() GROUP BY d.name",
}

// TestManyForms compares the forms on all backends with DuckDB. Nothing of them is refused.
func TestManyForms(t *testing.T) {
	s := openSession(t, openEngine(t))
	for _, sql := range strings.Split(formTables, ";\n") {
		s.run(sql)
	}
	sorted := func(sql string) []string {
		text, _, err := s.try(sql)
		if err != nil {
			return []string{err.Error()}
		}
		lines := strings.Split(text, ";")
		if !strings.Contains(sql, "ORDER BY ALL") {
			slices.Sort(lines)
		}
		return lines
	}
	check := func(sql string) {
		t.Helper()
		s.run("SET trireme.backend = 'duckdb'")
		if _, _, err := s.try(sql); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
		want := sorted(sql)
		for _, backend := range []string{"native", "decomposed", "auto"} {
			s.run("SET trireme.backend = '" + backend + "'")
			if got := sorted(sql); !slices.Equal(got, want) {
				t.Errorf("%s: %s\n got %q\nwant %q", backend, sql, got, want)
			}
			if by := s.LastBackend(); backend != "auto" && by != backend {
				t.Errorf("%s: %s answers: %s", backend, by, sql)
			}
		}
	}
	for _, sql := range manyForms {
		check(sql)
	}
	s.run("SET search_path = 'sch,main'")
	check("SELECT z.zname, sum(e.w) FROM e JOIN z ON z.k = e.a GROUP BY z.zname")
	s.run("RESET search_path")
	s.run("CREATE OR REPLACE MACRO inc(x) AS x + 100")
	check(manyForms[slices.IndexFunc(manyForms, func(sql string) bool { return strings.Contains(sql, "inc(e.w)") })])
	s.run("INSERT INTO tt VALUES (3, 1000)")
	check(manyForms[0])
	s.run("INSERT INTO other.o SELECT 3, 'new'")
	s.run("UPDATE other.main.o SET oname = 'changed' WHERE k = 4")
	check("SELECT o.oname, sum(e.w) FROM e JOIN other.o ON o.k = e.a GROUP BY o.oname")
	s.run("DETACH other")
	s.run("ATTACH ':memory:' AS other")
	s.run("CREATE TABLE other.o AS SELECT 5 AS k, 'again' AS oname")
	check("SELECT o.oname, sum(e.w) FROM e JOIN other.o ON o.k = e.a GROUP BY o.oname")
}

// TestRefusedForms: what depends on the order of rows is refused, with what to write.
func TestRefusedForms(t *testing.T) {
	s := openSession(t, openEngine(t))
	for _, sql := range strings.Split(formTables, ";\n") {
		s.run(sql)
	}
	s.run("SET trireme.backend = 'native'")
	for sql, want := range map[string]string{
		"SELECT d.name, string_agg(e.s, ',') FROM e JOIN d ON e.a = d.k GROUP BY d.name":                 "write ORDER BY",
		"SELECT d.name, list(e.w) FROM e JOIN d ON e.a = d.k GROUP BY d.name":                            "write ORDER BY",
		"SELECT d.name, last(e.w) FROM e JOIN d ON e.a = d.k GROUP BY d.name":                            "write ORDER BY",
		"SELECT d.name, mode(e.w % 2) FROM e JOIN d ON e.a = d.k WHERE e.w IN (0, 1) GROUP BY d.name":    "write mode(x ORDER BY x)",
		"SELECT d.name, string_agg(e.s, ',' ORDER BY d.name) FROM e JOIN d ON e.a = d.k GROUP BY d.name": "order by what it lists",
		"SELECT DISTINCT ON (d.name) d.name, e.w FROM e JOIN d ON e.a = d.k ORDER BY d.name":             "order by more columns",
		"SELECT DISTINCT ON (d.name) d.name, e.w FROM e JOIN d ON e.a = d.k":                             "write ORDER BY",
		"SELECT d.name, approx_quantile(e.w, 0.5) FROM e JOIN d ON e.a = d.k GROUP BY d.name":            "order of rows",
		"SELECT d.name, e.w FROM e JOIN d ON e.a = d.k":                                                  "no aggregate",
		"PIVOT (SELECT d.name, e.s, e.w FROM e JOIN d ON e.a = d.k) ON s USING sum(w) GROUP BY name":     "write its values, ON .. IN (..)",
		"SELECT d.name, count(*) FROM e JOIN d ON e.a = d.k WHERE random() < 2 GROUP BY d.name":          "volatile function random",
	} {
		if e := s.wantError(sql, "0A000"); !strings.Contains(e.Message, want) {
			t.Errorf("%s\nrefused: %s\nwant %s", sql, e.Message, want)
		}
	}
}
