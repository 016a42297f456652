-- what DuckDB executes inside a statement
SELECT count(*) FROM (SELECT src FROM e LIMIT 3) q
SELECT q.src, count(*) FROM (SELECT src, dst FROM e ORDER BY src, dst, w LIMIT 5 OFFSET 1) q JOIN v ON v.id = q.src GROUP BY q.src
SELECT count(*), sum(x) FROM (SELECT 1 AS x) q
SELECT count(*), sum(x) FROM (VALUES (1, 'a'), (2, NULL), (3, 'it''s')) q(x, y) WHERE y IS NOT NULL
SELECT v.label, count(q.y) FROM v LEFT JOIN (VALUES (1, 2.5), (2, NULL)) q(x, y) ON v.id = q.x GROUP BY v.label
SELECT count(*) FROM s2.limited
SELECT r, count(*) FROM s2.windowed GROUP BY r
SELECT count(*) FROM s2.liked l JOIN e ON l.src = e.src
SELECT count(*) FROM range(10) r
SELECT i, count(e.src) FROM range(1, 5) AS t(i) LEFT JOIN e ON e.src = t.i GROUP BY i
SELECT count(*) FROM e, generate_series(1, 3) AS g(x), (SELECT unnest([1, 2]) AS y) u WHERE e.src = g.x AND e.dst = u.y
SELECT sum(x) FROM unnest([1, 2, 3]) AS u(x)
WITH r AS MATERIALIZED (SELECT src FROM e) SELECT count(*) FROM r
WITH r AS NOT MATERIALIZED (SELECT src FROM e) SELECT count(*) FROM r
WITH ranked AS (SELECT src, dst, row_number() OVER (PARTITION BY src ORDER BY dst, w) AS rn FROM e) SELECT v.label, count(*) FROM ranked JOIN v ON ranked.src = v.id WHERE rn = 1 GROUP BY v.label
WITH a AS (SELECT src, dst FROM e WHERE src > 0), b AS (SELECT src, sum(dst) OVER (PARTITION BY src) AS s FROM a) SELECT count(*), sum(b.s) FROM b JOIN v ON v.id = b.src
WITH a AS (TABLE e) SELECT count(*) FROM a
WITH a(x, y) AS (FROM v SELECT id, label) SELECT x, sum(y) FROM a GROUP BY x
SELECT count(*) FROM e WHERE src IN (SELECT id FROM v ORDER BY id, label, name LIMIT 2)
SELECT count(*) FROM e WHERE src IN (VALUES (1), (2))
SELECT count(*) FROM (SELECT src FROM e ORDER BY src + 1) q
SELECT label, count(*) FROM (SELECT DISTINCT ON (id) id, label FROM v ORDER BY id, label, name) q GROUP BY label
SELECT count(*), sum(m) FROM (SELECT src, median(dst) AS m, string_agg(tag, ',' ORDER BY tag) AS s FROM s2.e GROUP BY src) q
SELECT x, count(*) FROM (SELECT src AS x FROM e UNION ALL (SELECT id FROM v QUALIFY row_number() OVER (ORDER BY id, label, name) < 3)) q GROUP BY x
SELECT e.src, count(*) FROM e JOIN (SELECT src, list(dst) AS l, len(list(dst)) AS n FROM s2.e GROUP BY src) q ON e.src = q.n GROUP BY e.src
SELECT count(*) FROM (SELECT * EXCLUDE (dst) FROM e) q WHERE q.src > 1
SELECT count(*) FROM (SELECT src, w FROM e WHERE src ^ 2 > 1) q JOIN (SELECT id, lag(label) OVER (ORDER BY id, label, name) AS l FROM v) p ON p.id = q.src
SELECT n, count(*) FROM (SELECT src, count(*) AS n FROM e GROUP BY src ORDER BY n DESC, src LIMIT 3) q GROUP BY n
SELECT count(*) FROM (WITH big AS (SELECT id FROM v WHERE label > 1) SELECT id, rank() OVER (ORDER BY id) AS r FROM big) q, e WHERE e.src = q.id
