package engine

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// apartTables has orders with times that differ, and prices from times on.
const apartTables = `CREATE TABLE customer AS SELECT * FROM (VALUES (1, 'north'), (2, 'north'), (3, 'south'), (4, NULL), (NULL, 'west')) v(id, region);
	CREATE TABLE orders AS SELECT * FROM (VALUES (1, 10, 5, 'a'), (1, 11, 3, 'b'), (2, 12, 8, 'a'), (2, 13, NULL, 'c'), (3, 14, 1, 'b'), (NULL, 15, 9, 'a')) v(cid, day, total, item);
	CREATE TABLE price AS SELECT * FROM (VALUES ('a', 9, 100), ('a', 12, 110), ('b', 11, 20), ('b', 20, 25), ('c', NULL, 7)) v(item, since, amount);
	CREATE TABLE area AS SELECT * FROM (VALUES ('north', 1), ('south', 2), ('west', 3)) v(region, boss)`

// TestApart: what DuckDB makes of one relation or join is a derived table of the tensor
// engine's statement.
func TestApart(t *testing.T) {
	s := openSession(t, openEngine(t))
	for _, sql := range strings.Split(apartTables, ";") {
		s.run(sql)
	}
	for _, sql := range []string{
		// the first rows of each, LATERAL
		"SELECT c.region, sum(o.total), count(*) FROM customer c, LATERAL (SELECT total FROM orders WHERE cid = c.id ORDER BY day DESC LIMIT 1) o GROUP BY c.region",
		"SELECT region, sum(total), count(total) FROM customer c LEFT JOIN LATERAL (SELECT total, day FROM orders WHERE cid = c.id ORDER BY day LIMIT 2) o ON true GROUP BY region ORDER BY region",
		"SELECT a.boss, max(o.total) m FROM customer c CROSS JOIN LATERAL (SELECT * FROM orders WHERE cid = c.id ORDER BY day DESC LIMIT 1 OFFSET 1) o JOIN area a ON a.region = c.region GROUP BY a.boss",
		"SELECT a.boss, max(o.total) m FROM area a JOIN customer c USING (region), LATERAL (SELECT * FROM orders WHERE cid <= c.id ORDER BY day DESC LIMIT 1) o GROUP BY ALL",
		"SELECT c.region, count(*) FROM customer c JOIN LATERAL (SELECT total FROM orders WHERE cid = c.id UNION SELECT 5 EXCEPT SELECT 8) o ON o.total > 1 GROUP BY c.region HAVING count(*) > 0",
		"SELECT count(*), sum(q.t) FROM (SELECT o.total AS t, c.region FROM customer c, LATERAL (SELECT total FROM orders WHERE cid = c.id ORDER BY day LIMIT 1) o) q JOIN area a ON a.region = q.region",
		"WITH o AS (SELECT * FROM orders WHERE total IS NOT NULL) SELECT c.region, sum(x.total) FROM customer c, LATERAL (SELECT total FROM o WHERE o.cid = c.id ORDER BY day DESC LIMIT 1) x JOIN area a ON true GROUP BY 1",
		// the first value of each, scalar
		"SELECT c.region, sum((SELECT total FROM orders o WHERE o.cid = c.id ORDER BY day DESC LIMIT 1)) FROM customer c JOIN area a USING (region) GROUP BY c.region",
		"SELECT region, count(*) FROM customer c JOIN area a USING (region) WHERE (SELECT total FROM orders o WHERE o.cid = c.id ORDER BY day LIMIT 1) > 2 GROUP BY region",
		"SELECT (SELECT item FROM orders WHERE cid = id ORDER BY day LIMIT 1) AS first, count(*) FROM customer JOIN area USING (region) GROUP BY first",
		"SELECT v, count(*) FROM (SELECT (SELECT total FROM orders o WHERE o.cid = c.id ORDER BY total LIMIT 1) AS v FROM customer c) GROUP BY v",
		"SELECT sum((SELECT total FROM orders o WHERE o.day > c.id + 10 ORDER BY day LIMIT 1)) s, count(*) FROM customer c JOIN orders p ON p.cid = c.id",
		"SELECT a.boss, sum((SELECT total FROM orders o WHERE o.cid = c.id ORDER BY day LIMIT 1)) AS x, min((SELECT boss FROM area b WHERE b.boss > a.boss ORDER BY boss LIMIT 1)) AS y FROM customer c, area a WHERE a.region = c.region GROUP BY a.boss",
		"SELECT count(*) FROM customer c JOIN area a USING (region) WHERE c.id IN (SELECT cid FROM orders o WHERE o.day > c.id ORDER BY day LIMIT 3)",
		// ASOF and POSITIONAL
		"SELECT o.item, sum(o.total * p.amount) AS value, count(*) FROM orders o ASOF JOIN price p ON o.item = p.item AND o.day >= p.since GROUP BY o.item",
		"SELECT c.region, sum(total * amount) FROM orders o ASOF LEFT JOIN price p ON o.item = p.item AND o.day >= p.since JOIN customer c ON c.id = o.cid GROUP BY c.region",
		"SELECT c.region, count(amount), count(DISTINCT p.item) FROM customer c JOIN (orders o ASOF JOIN price p ON o.item = p.item AND o.day > p.since) ON c.id = o.cid GROUP BY c.region ORDER BY 1",
		"SELECT o.cid, max(amount) FROM orders o ASOF JOIN price p ON o.item = p.item AND p.since <= o.day JOIN area a ON a.boss = o.cid WHERE p.amount > 20 GROUP BY o.cid",
		"SELECT o.item, count(*), sum(q.amount) FROM orders o ASOF JOIN price p ON o.item = p.item AND o.day >= p.since ASOF LEFT JOIN price q ON q.item = o.item AND p.since > q.since GROUP BY o.item",
		"SELECT c.region, sum(x.total), max(p.amount) FROM orders o ASOF JOIN price p ON o.item = p.item AND o.day >= p.since JOIN customer c ON c.id = o.cid, LATERAL (SELECT total FROM orders z WHERE z.cid = c.id ORDER BY day LIMIT 1) x GROUP BY c.region",
		"SELECT c.region, count(*) FROM customer c, LATERAL (SELECT total FROM orders z WHERE z.cid = c.id ORDER BY day LIMIT 1) x, LATERAL (SELECT day FROM orders z WHERE z.total = x.total ORDER BY day LIMIT 1) y GROUP BY c.region",
		"SELECT o.item, count(*) FROM orders o ASOF JOIN price p ON o.item = p.item AND o.day >= p.since, customer c, LATERAL (SELECT total FROM orders z WHERE z.cid = c.id ORDER BY day LIMIT 1) x GROUP BY o.item",
		"SELECT c.region, sum(p.amount) FROM customer c POSITIONAL JOIN price p JOIN area a ON a.region = c.region GROUP BY c.region",
	} {
		s.equalsDuckDB(sql)
	}
}

// TestApartRefused: what the derived table would change stays DuckDB's.
func TestApartRefused(t *testing.T) {
	s := openSession(t, openEngine(t))
	for _, sql := range strings.Split(apartTables, ";") {
		s.run(sql)
	}
	s.run("SET trireme.backend = 'native'")
	for _, sql := range []string{
		"SELECT count(*) FROM area a LEFT JOIN customer c USING (region) WHERE (SELECT total FROM orders o WHERE o.cid = c.id OR c.id IS NULL ORDER BY day LIMIT 1) IS NOT NULL",
		"SELECT DISTINCT * FROM orders o ASOF JOIN price p ON o.item = p.item AND o.day >= p.since",
		"SELECT count(*), sum((SELECT total FROM orders o WHERE o.cid = c.id AND o.day > a.boss ORDER BY day LIMIT 1)) FROM customer c JOIN area a USING (region)",
		"SELECT item, count(*) FROM orders o ASOF JOIN (SELECT item, since AS day FROM price) p USING (item, day) GROUP BY item",
	} {
		s.wantError(sql, "0A000")
	}
}

// TestFilesAsTables: a file in the place of a table is read by DuckDB for each execution.
func TestFilesAsTables(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "sold.csv")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("shop,qty\nnorth,1\nnorth,2\nsouth,5\n")
	s := openSession(t, openEngine(t))
	for _, sql := range strings.Split(apartTables, ";") {
		s.run(sql)
	}
	s.run("COPY (SELECT 'north' AS shop, 7 AS qty) TO '" + dir + "/sold.parquet' (FORMAT parquet)")
	queries := []string{
		"SELECT a.boss, sum(qty) FROM '" + path + "' f JOIN area a ON a.region = f.shop GROUP BY a.boss",
		`SELECT a.boss, sum(qty), count(*) FROM "` + path + `" AS f(place, qty) LEFT JOIN area a ON a.region = place GROUP BY a.boss`,
		"SELECT a.boss, sum(f.qty) FROM read_csv('" + path + "', header = true, columns = {'shop': 'VARCHAR', 'qty': 'BIGINT'}) f JOIN area a ON a.region = f.shop GROUP BY a.boss",
		"SELECT a.boss, sum(p.qty), count(f.qty) FROM read_parquet('" + dir + "/*.parquet') p JOIN area a ON a.region = p.shop LEFT JOIN (SELECT * FROM '" + path + "' ORDER BY qty LIMIT 2) f USING (shop) GROUP BY a.boss",
		"WITH f AS (SELECT shop, qty * 2 AS q FROM '" + path + "' WHERE qty > 1) SELECT count(*), sum(q) FROM f JOIN area ON region = shop",
	}
	for _, sql := range queries {
		s.equalsDuckDB(sql)
	}
	write("shop,qty\nnorth,10\nwest,20\n")
	for _, sql := range queries {
		s.equalsDuckDB(sql)
	}
	s.run("SET trireme.backend = 'native'")
	s.wantError("SELECT count(*) FROM 'missing.csv' m JOIN area ON true", "58P01")
}

// TestNestedKeys: lists and structures are keys of groups and of joins.
func TestNestedKeys(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run(`CREATE TABLE n AS SELECT * FROM (VALUES ([1, 2], {'a': 1, 'b': 'x'}, [-0.0::DOUBLE, 'nan'::DOUBLE], 1), ([1, 2], {'a': 1, 'b': 'x'}, [0.0::DOUBLE, 'nan'::DOUBLE], 2),
		([1, NULL], {'a': NULL, 'b': 'it''s'}, NULL, 3), ([1, NULL], {'a': NULL, 'b': 'it''s'}, [], 4), (NULL, NULL, NULL, 5), ([], {'a': 2, 'b': NULL}, [1.5::DOUBLE], 6), ([1], {'a': 2, 'b': NULL}, [1.5::DOUBLE, NULL], 7)) v(l, s, d, k)`)
	s.run("CREATE TABLE m AS SELECT l, s, d, k + 1 AS k, [k, 2]::INTEGER[2] AS arr, [[k % 2], NULL] AS deep, ['a, ' || k % 2, NULL]::VARCHAR[2] AS words, " +
		"{'w': [['NULL', '''', ''], ['x', NULL, ' ']]::VARCHAR[3][]} AS within FROM n")
	s.run("CREATE TABLE e AS SELECT * FROM (VALUES (1, 2), (2, 3), (3, 3), (4, 5), (7, 1)) v(k, j)")
	for _, sql := range []string{
		"SELECT n.l, count(*), sum(e.j) FROM n JOIN e USING (k) GROUP BY n.l",
		"SELECT n.s, count(*) FROM n LEFT JOIN e USING (k) GROUP BY n.s ORDER BY count(*), n.s",
		"SELECT n.l, n.s, min(e.j) FROM n LEFT JOIN e USING (k) GROUP BY ALL",
		"SELECT DISTINCT n.l, e.j FROM n JOIN e ON e.k <= n.k",
		"SELECT count(DISTINCT n.l), count(DISTINCT n.s) FROM n JOIN e ON e.k < n.k",
		"SELECT count(*), sum(n.k * m.k) FROM n JOIN m ON n.l = m.l",
		"SELECT n.k, count(*) FROM n JOIN m ON n.s = m.s AND n.l IS NOT DISTINCT FROM m.l GROUP BY n.k",
		"SELECT m.arr, count(*) FROM m JOIN e USING (k) GROUP BY m.arr",
		"SELECT m.deep, count(*) FROM m JOIN e USING (k) GROUP BY m.deep HAVING count(*) > 0",
		"SELECT m.words, count(*), sum(e.j) FROM m JOIN e USING (k) GROUP BY m.words",
		"SELECT m.within, m.words, min(m.words), max(m.within) FROM m JOIN e USING (k) GROUP BY m.within, m.words",
		"SELECT count(DISTINCT m.words), count(*) FROM m JOIN m AS o ON m.words = o.words AND m.within = o.within",
		"SELECT (n.s).a, n.l[1], count(*) FROM n JOIN e USING (k) GROUP BY ALL",
		"SELECT e.j, min(n.l), max(n.l), max(n.s), any_value(n.k) FROM n JOIN e USING (k) GROUP BY e.j",
		"SELECT len(q.l), sum(c) FROM (SELECT n.l, count(*) AS c FROM n JOIN e ON e.k <= n.k GROUP BY n.l) q JOIN m ON m.l = q.l GROUP BY 1",
		"SELECT n.l, count(*) FROM n JOIN e USING (k) GROUP BY n.l HAVING len(n.l) > 1 ORDER BY n.l DESC NULLS FIRST LIMIT 2",
		"SELECT n.s.a, count(*), sum(e.j) FROM n JOIN e USING (k) GROUP BY n.s.a ORDER BY n.s.a",
		"SELECT s.b, count(*) FROM n JOIN e USING (k) WHERE s.a IS NOT NULL GROUP BY s.b HAVING count(*) > 0",
		"SELECT count(*), max(m.s.b) FROM n JOIN m ON n.s.a = m.s.a",
		"SELECT count(*), sum(n.k) FROM n WHERE EXISTS (SELECT 1 FROM m JOIN e USING (k) WHERE m.s.a = n.s.a AND e.j > 2)",
	} {
		s.equalsDuckDB(sql)
	}
	for _, sql := range []string{
		"SELECT d, count(*) FROM n JOIN e USING (k) GROUP BY d",
	} {
		s.run("SET trireme.backend = 'native'")
		s.run(sql)
	}
}

// TestRowid: the rows of a block's relation have numbers of their own, which are not the
// table's.
func TestRowid(t *testing.T) {
	s := openSession(t, openEngine(t))
	s.run("CREATE TABLE r AS SELECT CASE WHEN i % 256 < 128 THEN i % 128 END AS i, i % 7 AS g FROM range(600) t(i)")
	s.run("CREATE TABLE q AS SELECT i AS k, i % 5 AS h FROM range(7) t(i)")
	for _, sql := range []string{
		"SELECT rowid // 200 AS n, count(i), count(rowid) FROM r GROUP BY n",
		"SELECT g, median(rowid) FROM r GROUP BY g",
		"SELECT g, string_agg(i, ',' ORDER BY rowid) FROM r WHERE i < 9 GROUP BY g",
		"SELECT g, median(i) FROM r WHERE rowid < 100 GROUP BY g",
		"SELECT h, median(i) FROM r JOIN q ON r.g = q.k WHERE r.rowid < 100 GROUP BY h",
		"SELECT h, median(r.rowid), mode(q.rowid) FROM r JOIN q ON r.g = q.k GROUP BY h",
		"SELECT g, i, row_number() OVER (PARTITION BY g ORDER BY rowid) AS n FROM r QUALIFY n < 3",
		"SELECT count(*) FROM r WHERE rowid IN (SELECT min(rowid) FROM r GROUP BY g, i)",
		"SELECT DISTINCT ON (g) g, rowid FROM r ORDER BY g, rowid DESC",
		"SELECT g, (SELECT max(q.rowid) FROM q WHERE q.k >= r.g) AS m, count(*) FROM r GROUP BY g",
		"SELECT q.k, x.i FROM q, LATERAL (SELECT i FROM r WHERE r.g = q.k ORDER BY rowid LIMIT 2) x",
		"SELECT median(n) FROM (SELECT g, count(rowid) AS n FROM r GROUP BY g)",
		"SELECT 'rowid' AS rowid, median(i) FROM r GROUP BY rowid",
	} {
		s.run("SET trireme.backend = 'duckdb'")
		want := s.sorted(sql)
		for _, backend := range []string{"native", "decomposed", "auto", "auto"} {
			s.run("SET trireme.backend = '" + backend + "'")
			if _, _, err := s.try(sql); err != nil {
				if _, refused := refusal(err); !refused {
					t.Errorf("%s: %v: %s", backend, err, sql)
				}
				continue
			}
			if got := s.sorted(sql); got != want {
				t.Errorf("%s: %.100q, want %.100q: %s", backend, got, want, sql)
			}
		}
	}
}
