SELECT count(*) FROM e
SELECT COUNT(*) FROM e e0, e e1 WHERE e0.dst = e1.src
select count(*) from e a, e b, e c where a.dst = b.src and b.dst = c.src and c.dst = a.src
SELECT a.src, count(*) AS n FROM e a JOIN e b ON a.dst = b.src GROUP BY a.src
SELECT a.src, count(*) AS n FROM e a INNER JOIN e b ON a.dst = b.src GROUP BY 1 ORDER BY n DESC, 1 LIMIT 10
SELECT count(*) FROM e a CROSS JOIN v
SELECT count(*) FROM e JOIN s2.e AS f USING (src, dst)
SELECT src, count(*) FROM e JOIN s2.e AS f USING (src) GROUP BY src
SELECT count(*) FROM e NATURAL JOIN edge
SELECT count(*) FROM e NATURAL INNER JOIN edge
SELECT label, sum(w), avg(w), min(w), max(w), count(w) FROM e, v WHERE id = src GROUP BY label
SELECT label FROM v GROUP BY label
SELECT DISTINCT label FROM v
SELECT DISTINCT label, name FROM v ORDER BY 1, 2
SELECT DISTINCT * FROM v
SELECT DISTINCT v.* FROM v, e WHERE id = src
SELECT label + 1 AS l1, count(*) FROM v GROUP BY label + 1
SELECT (label + 1) * 2, count(*) FROM v GROUP BY label + 1
SELECT label AS l, count(*) FROM v GROUP BY l
SELECT label AS l, count(*) FROM v GROUP BY l HAVING l > 3 AND count(*) > 1 ORDER BY l + 1
SELECT label AS label, count(*) FROM v GROUP BY label ORDER BY label
SELECT sum(w) AS w FROM e WHERE w > 0.5
SELECT count(*) FROM v WHERE label = $1 AND name = $2
SELECT count(*) FROM v WHERE label = ?
SELECT sum(src * 2 + 1) / count(*) FROM e
SELECT count(*) + 1, -count(*), count(*) * 2.5 FROM e
SELECT sum(a.w * b.w) FROM e a, e b WHERE a.dst = b.src
SELECT avg(w) FROM e GROUP BY src % 10
SELECT count(*) FROM e HAVING count(*) > 5
SELECT max(src) FROM e WHERE dst IN (1, 2, 3) AND src NOT IN (4)
SELECT count(*) FROM v WHERE name LIKE 'a%' OR name NOT LIKE '%b' OR name ILIKE 'X' OR name NOT ILIKE 'Y'
SELECT count(*) FROM v WHERE label BETWEEN 1 AND 10 AND id NOT BETWEEN 3 AND 4
SELECT count(*) FROM v WHERE name IS NULL OR label IS NOT NULL
SELECT count(*) FROM v WHERE NOT (label = 1 OR label = 2) AND NOT id = 3
SELECT count(*) FROM e WHERE src IS DISTINCT FROM dst AND src IS NOT DISTINCT FROM 3
SELECT sum(CASE WHEN label = 1 THEN 1 ELSE 0 END), sum(CASE label WHEN 1 THEN 10 WHEN 2 THEN 20 END) FROM v
SELECT count(*) FROM v WHERE CAST(label AS BIGINT) = 3 AND label::VARCHAR = '3' AND name::text = 'x'
SELECT sum(label::DECIMAL(10,2)), sum(CAST(label AS decimal(5))), sum(label::numeric) FROM v
SELECT sum(-label), sum(- 1), sum(-1::INTEGER), sum((label + 1)::double precision) FROM v
SELECT count(*) FROM v WHERE name = 'it''s' AND name <> '' AND name != 'x'
SELECT count(*) FROM v WHERE name || 'x' = 'yx'
SELECT lower(name), length(name), count(*) FROM v GROUP BY lower(name), length(name)
SELECT year(d), count(*) FROM t GROUP BY year(d)
SELECT extract(month FROM d), count(*) FROM t GROUP BY extract(month FROM d)
SELECT count(*) FROM t WHERE d >= DATE '2020-01-01' AND d < DATE '2020-01-01' + INTERVAL 1 MONTH
SELECT count(*) FROM t WHERE ts < TIMESTAMP '2020-01-01 00:00:00' + INTERVAL '3' DAY - INTERVAL '1 hour'
SELECT coalesce(a, b, 0), count(*) FROM t GROUP BY coalesce(a, b, 0)
SELECT ifnull(a, 1), count(*) FROM t GROUP BY ifnull(a, 1)
SELECT substring(s, 1, 2), trim(s), left(s, 3), right(s, 1), count(*) FROM t GROUP BY 1, 2, 3, 4
SELECT src, count(*) FROM e GROUP BY src ORDER BY count(*) DESC NULLS LAST, src ASC NULLS FIRST LIMIT 5 OFFSET 2
SELECT src, count(*) FROM e GROUP BY src ORDER BY src NULLS FIRST OFFSET 2 LIMIT 5
SELECT src, count(*) FROM e GROUP BY src ORDER BY src OFFSET 3
SELECT src, count(*) FROM e GROUP BY src LIMIT $1 OFFSET $2
SELECT src, count(*) FROM e GROUP BY src OFFSET 3 ROWS
WITH deg AS (SELECT src, count(*) AS n FROM e GROUP BY src) SELECT n, count(*) FROM deg GROUP BY n
WITH a(x, y) AS (SELECT src, dst FROM e), b AS (SELECT x FROM a WHERE y > 3) SELECT count(*) FROM a, b WHERE a.x = b.x
SELECT sum(n) FROM (SELECT src, count(*) AS n FROM e GROUP BY src) q WHERE n > 2
SELECT sum(q.n * q.n) FROM (SELECT a.src AS s, b.dst AS d, count(*) AS n FROM e a, e b WHERE a.dst = b.src GROUP BY a.src, b.dst) AS q
SELECT count(*) FROM (SELECT src AS x FROM e WHERE dst > 3) a, (SELECT dst AS x FROM e) b WHERE a.x = b.x
SELECT q.x, count(*) FROM (SELECT src, dst FROM e) AS q(x, y) GROUP BY q.x
SELECT count(*) FROM (SELECT * FROM e WHERE src > 1) x JOIN v ON x.src = v.id
SELECT count(*) FROM (SELECT DISTINCT src FROM e) q
SELECT main.e.src, count(*) FROM main.e GROUP BY main.e.src
SELECT memory.main.e.src, count(*) FROM memory.main.e GROUP BY e.src
SELECT "Odd Name"."select", count(*) FROM "Odd Name" GROUP BY "Odd Name"."select"
SELECT "a b", count(*) FROM "Odd Name" WHERE "key" = 1 AND user = 2 GROUP BY "a b"
SELECT key, rank, row, groups, mod, lead, lag, range, rows, option, usage, schema, count(*) FROM kw GROUP BY key, rank, row, groups, mod, lead, lag, range, rows, option, usage, schema
SELECT year, month, date, value, first, last, div, xor, status, text, system, rlike, count(*) FROM kw GROUP BY year, month, date, value, first, last, div, xor, status, text, system, rlike
SELECT sum(kw.over), sum(kw.filter), sum(count), sum(sum), sum(dec) FROM kw
SELECT count(*) FROM e key, v rank WHERE key.src = rank.id
SELECT count(*) FROM e AS "E 1", e AS "e 2" WHERE "E 1".dst = "E 2".src
SELECT COUNT ( * ) FROM e /* c /* nested */ */ WHERE src = 1 -- end
SELECT count(*) FROM e WHERE src=1--c
SELECT "count"(*), "SUM"(src) FROM e
SELECT count(*) FROM ((e a JOIN e b ON a.dst = b.src) JOIN e c ON b.dst = c.src)
SELECT count(*) FROM e a JOIN (e b JOIN e c ON b.dst = c.src) ON a.dst = b.src
SELECT count(*) FROM e a JOIN e b JOIN e c ON b.dst = c.src ON a.dst = b.src
SELECT count(*) FROM e a JOIN e b ON a.dst = b.src CROSS JOIN v, v v2
SELECT count(*) FROM e a CROSS JOIN v JOIN e b ON a.dst = b.src
SELECT count(*) FROM v, e a JOIN e b ON a.dst = b.src WHERE v.id = a.src
SELECT count(*) FROM e a JOIN e b USING (src) JOIN e c USING (src)
SELECT 1 AS one, count(*) FROM e
SELECT count(1), count(src), count(*) FROM e
SELECT sum(src) AS s, sum(src) + 1 AS s1 FROM e ORDER BY s
SELECT count(DISTINCT src) FROM e
SELECT sum(a + b), sum(a * c), sum(ti + 1), sum(a - 1), sum(a / 2), sum(a % 3), sum(dec * 2), sum(dec * dec), sum(f + a), sum(r * 2) FROM t
SELECT sum(h), sum(u), avg(dec), min(s), max(d), min(m), max(ts), sum(p::int), min(iv) FROM t
SELECT count(*) FROM t WHERE a = 5 AND b = 5000000000 AND f = 1e3 AND dec = 1.50 AND p = true AND p AND NOT p AND s = NULL
SELECT count(*) FROM t, u WHERE t.a < u.a AND t.a + u.x > 3 AND t.s <> u.y
SELECT l_returnflag, l_linestatus, sum(l_quantity) AS sum_qty, sum(l_extendedprice * (1 - l_discount) * (1 + l_tax)) AS sum_charge, avg(l_quantity), count(*) AS count_order FROM lineitem WHERE l_shipdate <= DATE '1998-12-01' - INTERVAL '90' DAY GROUP BY l_returnflag, l_linestatus ORDER BY l_returnflag, l_linestatus
SELECT l_orderkey, sum(l_extendedprice * (1 - l_discount)) AS revenue, o_orderdate, o_shippriority FROM customer, orders, lineitem WHERE c_mktsegment = 'BUILDING' AND c_custkey = o_custkey AND l_orderkey = o_orderkey AND o_orderdate < DATE '1995-03-15' AND l_shipdate > DATE '1995-03-15' GROUP BY l_orderkey, o_orderdate, o_shippriority ORDER BY revenue DESC, o_orderdate LIMIT 10
SELECT n_name, sum(l_extendedprice * (1 - l_discount)) AS revenue FROM customer, orders, lineitem, nation, region WHERE c_custkey = o_custkey AND l_orderkey = o_orderkey AND c_nationkey = n_nationkey AND n_regionkey = r_regionkey AND r_name = 'ASIA' GROUP BY n_name ORDER BY revenue DESC
SELECT sum(l_extendedprice * l_discount) AS revenue FROM lineitem WHERE l_discount BETWEEN 0.06 - 0.01 AND 0.06 + 0.01 AND l_quantity < 24
SELECT x.p, count(*) FROM e AS x(p, q) GROUP BY x.p
