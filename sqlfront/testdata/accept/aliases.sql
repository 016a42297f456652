-- aliases of output columns in later ones
SELECT count(*) AS n, n * 2 AS nn, nn + n FROM e
SELECT sum(w) AS s, s / count(w) AS a, round(a, 2) FROM e GROUP BY src
SELECT src AS x, x + 1 AS y, sum(w) FROM e GROUP BY x
SELECT src AS x, x + 1 AS y, sum(w) FROM e GROUP BY 1 HAVING y > 2 ORDER BY y DESC
SELECT src AS x, x + 1 AS y, sum(w) AS s, s * 2 FROM e GROUP BY ALL
SELECT src AS x, x + 1 AS y, sum(w) AS s, s + y FROM e GROUP BY src
SELECT src AS x, x + 1 AS y, sum(w) FROM e GROUP BY x, src + 1
SELECT DISTINCT src AS x, x + 1 AS y FROM e
SELECT upper(name) AS u, u || '!' AS uu, count(*) FROM v GROUP BY ALL
SELECT CASE WHEN src > 1 THEN 'a' ELSE 'b' END AS c, CASE c WHEN 'a' THEN 1 END AS d, count(*) FROM e GROUP BY ALL
SELECT 5 AS k, k || 'a', k = '5', count(*) FROM e
SELECT e.src AS x, v.label AS y, x * y AS p, count(*) FROM e JOIN v ON dst = id GROUP BY ALL
-- in WHERE, of every output column
SELECT src AS x, count(*) FROM e WHERE x > 1 GROUP BY x
SELECT src + dst AS x, x * 2 AS y, count(*) FROM e WHERE y > 3 AND x < 100 GROUP BY ALL
SELECT count(*), src AS x FROM e WHERE x IN (SELECT id FROM v) GROUP BY ALL
SELECT '2' AS k, count(*) FROM e WHERE k = src
SELECT count(*) FROM e WHERE EXISTS (SELECT id AS k FROM v WHERE k = src)
SELECT count(*) FROM (SELECT src AS x, x + 1 AS y FROM e WHERE y > 2) q JOIN v ON q.y = v.id
-- a column of FROM goes before an alias
SELECT src AS w, w + 1 AS z, count(*) FROM e GROUP BY ALL
SELECT dst AS src, count(*) FROM e WHERE src > 1 GROUP BY ALL
