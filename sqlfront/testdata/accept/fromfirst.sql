FROM e SELECT src, count(*) GROUP BY src
FROM e a JOIN v b ON a.src = b.id SELECT b.label, sum(a.w) AS s WHERE a.dst > 0 GROUP BY 1 HAVING count(*) > 1 ORDER BY 2, 1
FROM e, v SELECT DISTINCT v.label WHERE src = id
SELECT count(*) FROM (FROM e WHERE w > 0.25) x JOIN v ON x.src = v.id
SELECT count(*) FROM (FROM e SELECT src AS s WHERE w > 0.25) x JOIN v ON x.s = v.id
WITH t AS (FROM v SELECT id, label), u AS (FROM t WHERE id > 0) FROM e JOIN u ON e.src = u.id SELECT u.label, count(*) GROUP BY ALL
FROM e SELECT src UNION FROM v SELECT id
FROM (FROM e SELECT src, count(*) AS n GROUP BY src) SELECT max(n)
FROM (FROM (FROM e SELECT src)) x SEMI JOIN (FROM v) y ON x.src = y.id SELECT count(*)
SELECT count(*) FROM e WHERE EXISTS (FROM v WHERE id = src) AND dst IN (FROM vertex SELECT id)
FROM e SELECT count(*) AS order, CAST(max(src) AS BIGINT), sum(w) FILTER (WHERE src IS DISTINCT FROM dst)
FROM e a SELECT a.src, (FROM v SELECT count(*) WHERE v.id = a.src) AS n GROUP BY a.src
SELECT src, count(*), FROM e, v, WHERE src = id GROUP BY src, ORDER BY src
