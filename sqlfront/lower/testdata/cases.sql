-- semi and anti joins
SELECT count(*), sum(a.x) FROM a WHERE EXISTS (SELECT 1 FROM b WHERE b.k = a.k)
SELECT count(*), sum(a.x) FROM a WHERE NOT EXISTS (SELECT 1 FROM b WHERE b.k = a.k)
SELECT count(*) FROM a WHERE a.k IN (SELECT k FROM b)
SELECT count(*) FROM a WHERE a.k NOT IN (SELECT k FROM b)
SELECT count(*) FROM a WHERE a.k NOT IN (SELECT k FROM b WHERE k IS NOT NULL)
SELECT count(*) FROM a WHERE a.k NOT IN (SELECT k FROM none)
SELECT count(*) FROM a WHERE a.x NOT IN (SELECT y FROM b WHERE b.k = a.k)
SELECT count(*) FROM a WHERE a.x NOT IN (SELECT y FROM b WHERE b.j < a.k)
SELECT count(*) FROM a WHERE NOT (a.x IN (SELECT y FROM b WHERE b.j < a.k AND a.x > 1))
SELECT count(*) FROM a WHERE EXISTS (SELECT 1 FROM b WHERE b.y > a.x)
SELECT count(*) FROM a WHERE NOT EXISTS (SELECT 1 FROM b WHERE b.y > a.x AND b.k = a.k)
SELECT count(*) FROM a WHERE EXISTS (SELECT 1 FROM b)
SELECT count(*) FROM a WHERE NOT EXISTS (SELECT 1 FROM none)
SELECT count(*) FROM a WHERE a.k IN (SELECT z FROM b)
SELECT count(*) FROM a WHERE 5 IN (SELECT y FROM b) AND 6 NOT IN (SELECT y FROM b WHERE y IS NOT NULL)
-- under OR, in CASE, as a group
SELECT count(*) FROM a WHERE a.x > 4 OR EXISTS (SELECT 1 FROM b WHERE b.k = a.k)
SELECT count(*) FROM a WHERE a.x > 4 OR a.k IN (SELECT k FROM b)
SELECT count(*) FROM a WHERE a.x > 4 OR a.k NOT IN (SELECT j FROM b WHERE b.k = a.k)
SELECT count(*) FROM a WHERE (a.k IN (SELECT k FROM b)) IS NULL
SELECT count(*) FROM a WHERE (a.x IN (SELECT y FROM b WHERE b.k = a.k)) IS NULL
SELECT a.k IN (SELECT j FROM c) AS m, count(*) FROM a GROUP BY 1
SELECT sum(CASE WHEN EXISTS (SELECT 1 FROM b WHERE b.k = a.k) THEN a.x ELSE 100 END) FROM a
SELECT count(*) FROM a WHERE (5 IN (SELECT y FROM b)) OR a.k = 1
SELECT count(*) FROM a WHERE (6 IN (SELECT y FROM b)) IS NULL
-- scalar subqueries
SELECT count(*) FROM a WHERE a.x > (SELECT avg(y) FROM b)
SELECT count(*) FROM a WHERE a.x < (SELECT max(y) FROM b WHERE b.k = a.k)
SELECT count(*) FROM a WHERE (SELECT count(*) FROM b WHERE b.k = a.k) = 0
SELECT (SELECT count(*) FROM b WHERE b.k = a.k) AS n, count(*) FROM a GROUP BY 1
SELECT (SELECT count(*) FROM b WHERE b.k = a.k GROUP BY b.k) AS n, count(*) FROM a GROUP BY 1
SELECT (SELECT count(*) FROM b WHERE b.k = a.k HAVING count(*) > 0) AS n, count(*) FROM a GROUP BY 1
SELECT (SELECT coalesce(sum(b.k), 5) FROM b WHERE b.k = a.k) AS n, count(*) FROM a GROUP BY 1
SELECT (SELECT 42 FROM b WHERE b.k = a.k HAVING count(*) = 0) AS n, count(*) FROM a GROUP BY 1
SELECT (SELECT sum(b.y * a.x) FROM b WHERE b.k = a.k) AS n, count(*) FROM a GROUP BY 1
SELECT (SELECT sum(b.y) + a.x FROM b WHERE b.j < a.k) AS n, count(*) FROM a GROUP BY 1
SELECT (SELECT max(b.y) + a.x FROM b) AS n, count(*) FROM a GROUP BY 1
SELECT sum(a.x) / (SELECT count(*) FROM b) AS r FROM a
SELECT a.k, sum(a.x) AS s FROM a GROUP BY a.k HAVING sum(a.x) > (SELECT min(y) FROM b)
SELECT a.k, (SELECT sum(y) FROM b WHERE b.k = a.k) AS s, count(*) FROM a GROUP BY a.k
SELECT a.k, count(*) FROM a GROUP BY a.k HAVING sum(a.x) IN (SELECT y FROM b) OR count(*) > 1
SELECT a.k, count(*) FROM a GROUP BY a.k HAVING EXISTS (SELECT 1 FROM b WHERE b.k = a.k)
SELECT count(*) FROM none HAVING count(*) IN (SELECT j - 1 FROM b)
SELECT count(*) + (SELECT count(*) FROM b) AS n FROM none
-- one row in EXISTS and IN
SELECT count(*) FROM a WHERE EXISTS (SELECT count(*) FROM b WHERE b.k = a.k)
SELECT count(*) FROM a WHERE EXISTS (SELECT count(*) FROM b WHERE b.k = a.k HAVING count(*) > 0)
SELECT count(*) FROM a WHERE a.k NOT IN (SELECT max(b.y) FROM b WHERE b.k = a.k)
SELECT count(*) FROM a WHERE a.k NOT IN (SELECT max(b.y) FROM b WHERE b.k = a.k GROUP BY b.k)
SELECT count(*) FROM a WHERE a.x IN (SELECT max(b.y) FROM b WHERE b.k = a.k HAVING count(*) < 5) OR a.x = 5
-- set operations
SELECT count(*), sum(v) FROM (SELECT k AS v FROM a UNION ALL SELECT y FROM b UNION ALL SELECT z FROM b) u
SELECT count(*), sum(v) FROM (SELECT k AS v FROM a UNION SELECT y FROM b) u
SELECT k FROM a INTERSECT SELECT k FROM b
SELECT k, x FROM a EXCEPT SELECT k, y FROM b
SELECT k FROM a UNION SELECT j FROM c ORDER BY 1 LIMIT 3
SELECT count(*) FROM a WHERE k IN (SELECT k FROM b UNION SELECT j FROM c)
SELECT k, count(*) AS n FROM a GROUP BY k UNION ALL SELECT j, count(*) FROM c GROUP BY j
SELECT u.v, count(*) FROM (SELECT k AS v, count(*) AS n FROM a GROUP BY k UNION ALL SELECT j, 7 FROM c) u GROUP BY u.v
SELECT k + 1 AS v, 1 AS one FROM a EXCEPT SELECT j, 1 FROM c
SELECT a.x + b.y AS v FROM a JOIN b ON a.k = b.k EXCEPT SELECT z FROM c
SELECT (a.x IN (SELECT y FROM b WHERE b.k = a.k)) AS m, count(*) FROM a GROUP BY 1
SELECT (a.x NOT IN (SELECT y FROM b)) AS m, count(*) FROM a GROUP BY 1
SELECT (a.x IN (SELECT y FROM b WHERE y IS NOT NULL)) AS m, count(*) FROM a GROUP BY 1
SELECT (a.x IN (SELECT k FROM none)) AS m, count(*) FROM a GROUP BY 1
-- grouping sets, DISTINCT over groups
SELECT a.k, a.s, count(*), sum(a.x) FROM a GROUP BY GROUPING SETS ((a.k, a.s), (a.k), ())
SELECT a.k, a.s, count(*), sum(a.x), grouping(a.k, a.s) AS g FROM a GROUP BY ROLLUP (a.k, a.s)
SELECT a.k, b.j, count(*), grouping(b.j) + grouping(a.k) AS g FROM a JOIN b ON a.k = b.k GROUP BY CUBE (a.k, b.j) HAVING count(*) > 1 ORDER BY a.k, g LIMIT 20
SELECT none.k, count(*) FROM none GROUP BY ROLLUP (none.k)
SELECT u.k, count(*), sum(u.n) FROM (SELECT a.k, a.s, count(*) AS n FROM a GROUP BY CUBE (a.k, a.s)) u GROUP BY u.k
SELECT DISTINCT count(*) AS n FROM a GROUP BY a.k
SELECT DISTINCT sum(a.x) AS total, a.s FROM a GROUP BY a.k, a.s ORDER BY a.s DESC, total
SELECT DISTINCT count(*) AS n FROM a GROUP BY ROLLUP (a.k, a.s)
SELECT a.k, count(*) FILTER (WHERE EXISTS (SELECT 1 FROM b WHERE b.k = a.k)), count(DISTINCT b.y) FROM a LEFT JOIN b ON a.k = b.k GROUP BY a.k
-- scalar subqueries that DuckDB executes
SELECT count(*) FROM a WHERE a.x > (SELECT y FROM b WHERE j = 2 AND k = 1) OR a.k = 1
SELECT count(*) FROM a WHERE a.x > (SELECT y FROM b WHERE z = 1)
SELECT count(*) FROM a WHERE a.x IN (SELECT y FROM b ORDER BY y LIMIT 3)
SELECT a.k, count(*) FROM a WHERE a.x < (SELECT y FROM b ORDER BY y DESC NULLS LAST LIMIT 1) GROUP BY a.k
-- BETWEEN over several sources
SELECT count(*) FROM a, b WHERE a.x BETWEEN b.j AND b.y
SELECT count(*), sum(b.y) FROM a LEFT JOIN b ON a.x BETWEEN b.j AND b.y
SELECT count(*), sum(b.y) FROM a FULL JOIN b ON a.k = b.k AND a.x NOT BETWEEN b.j AND b.y
SELECT count(*) FROM a WHERE NOT EXISTS (SELECT 1 FROM b WHERE a.x BETWEEN b.j AND b.y)
-- correlation over two blocks
SELECT count(*) FROM a WHERE EXISTS (SELECT 1 FROM b WHERE b.k = a.k AND EXISTS (SELECT 1 FROM c WHERE c.j = a.x))
SELECT count(*) FROM a WHERE NOT EXISTS (SELECT 1 FROM c WHERE NOT EXISTS (SELECT 1 FROM b WHERE b.k = a.k AND b.j = c.j))
SELECT count(*) FROM a WHERE a.x NOT IN (SELECT y FROM b WHERE b.k = a.k AND b.j IN (SELECT j FROM c WHERE c.z > a.x))
SELECT count(*) FROM a WHERE a.x < (SELECT sum(y) FROM b WHERE b.j > (SELECT min(j) FROM c WHERE c.z > b.k OR c.j = a.k))
SELECT a.k, (SELECT count(*) FROM b WHERE EXISTS (SELECT 1 FROM c WHERE c.j = b.j AND c.j = a.k)) AS n, count(*) FROM a GROUP BY a.k
-- rows cut by the first disjunct that is TRUE
SELECT count(*), sum(a.x), sum(b.y) FROM a JOIN b ON a.k = b.k WHERE a.x > 1 OR a.s = 'a' OR b.y > 6 OR EXISTS (SELECT 1 FROM c WHERE c.j = b.j)
SELECT a.s, count(*) FROM a WHERE a.x > 4 OR NOT EXISTS (SELECT 1 FROM b WHERE b.k = a.k) OR a.k NOT IN (SELECT j FROM c WHERE c.z > a.x) GROUP BY a.s
SELECT count(*) FROM a WHERE (a.x = 2 AND a.k IN (SELECT k FROM b)) OR a.x IS NULL OR a.k IN (SELECT j FROM c)
SELECT count(*) FROM a WHERE (a.k NOT IN (SELECT k FROM b WHERE k > 1) OR a.x = 5) AND (a.s = 'a' OR EXISTS (SELECT 1 FROM c WHERE c.j = a.k))
SELECT count(*), sum(b.y) FROM a LEFT JOIN b ON a.k = b.k WHERE b.k IS NULL OR EXISTS (SELECT 1 FROM c WHERE c.j = b.j)
SELECT count(*) FROM a WHERE a.x > 100 OR a.x > (SELECT max(y) FROM b WHERE b.k = a.k) OR EXISTS (SELECT 1 FROM b WHERE b.k = a.k)
SELECT count(*) FROM a WHERE (a.k NOT IN (SELECT k FROM b) OR a.x NOT IN (SELECT y FROM b))
SELECT count(*), sum(a.x), sum(b.y) FROM a JOIN b ON a.k = b.k OR a.x = b.y
SELECT a.s, count(*) FROM a JOIN b ON a.k = b.k OR a.x = b.y GROUP BY a.s
SELECT count(*), min(c.j) FROM a, b, c WHERE (a.k = b.k OR a.x = b.y AND b.j > 1) AND b.j = c.j
SELECT count(*) FROM a JOIN b ON a.k = b.k OR a.x = b.k OR a.k = b.y
SELECT count(*) FROM a JOIN b ON a.k = b.k AND (a.x = b.y OR a.x = b.j)
SELECT count(*) FROM (SELECT a.k FROM a JOIN b ON a.k = b.k OR a.x = b.y) q JOIN c ON c.j = q.k
SELECT count(*), sum(b.y) FROM a LEFT JOIN b ON a.k = b.k OR a.x = b.y
SELECT count(*), sum(a.x), sum(b.y) FROM a JOIN b ON b.y IN (a.k, a.x)
SELECT a.s, count(*) FROM a, b WHERE a.k IN (b.k, b.j, 3) AND b.y > 0 GROUP BY a.s
SELECT count(*) FROM a LEFT JOIN b ON a.k IN (b.k, b.y)
SELECT count(*) FROM a JOIN b ON a.k NOT IN (b.k, b.y)
-- an equality of an expression over several sources with others, which nothing else joins
SELECT count(*), sum(c.z) FROM a, b, c WHERE c.j = a.k + b.j - 1
SELECT a.s, count(*), sum(b.y) FROM a, b, c WHERE a.k + b.j = c.j GROUP BY a.s
SELECT count(*), sum(b.z) FROM a JOIN b ON a.k = b.k, c WHERE c.j = a.x + b.j - 1 AND c.z > a.x
SELECT count(*), sum(d.y), min(a.x) FROM a, b, c, b d WHERE a.k + b.k = c.j + d.j
SELECT count(*) FROM a, b, c, b d WHERE a.k + b.k = c.j AND a.x - b.j = d.k
SELECT count(*), sum(b.y) FROM a, b, c WHERE c.j = a.k + b.j AND c.z = a.x * 2 + b.y
SELECT count(*), sum(b.y) FROM a, b, c WHERE c.j = a.k + b.j AND c.z = a.k * 10
SELECT count(*), sum(b.y) FROM a, b, c WHERE c.j = a.k + b.j AND NOT EXISTS (SELECT 1 FROM b e WHERE e.k = a.k AND e.j = c.j)
SELECT q.n, count(*), sum(d.y) FROM (SELECT a.k + b.j AS n, c.z FROM a, b, c WHERE c.j = a.k + b.j) q LEFT JOIN b d ON d.j = q.n GROUP BY q.n
SELECT a.k, count(d.y), sum(d.y) FROM a LEFT JOIN (SELECT c.j, e.y FROM b e, b f, c WHERE c.j = e.k * f.j) d ON d.j = a.k GROUP BY a.k
SELECT count(*) FROM a WHERE EXISTS (SELECT 1 FROM b, c WHERE a.k = b.j + c.j)
SELECT count(*) FROM a WHERE EXISTS (SELECT 1 FROM b, b e, c WHERE c.j = b.j + e.j AND b.k = a.k)
