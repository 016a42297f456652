-- precedence that both grammars agree on
SELECT sum(a + b * c - ti / 2 % 3) FROM t
SELECT sum(-a * b + -c), sum(-(a + b)), sum(- a - - b) FROM t
SELECT sum((a + b) * (c - ti)) FROM t
SELECT count(*) FROM t WHERE a = 1 OR b = 2 AND c = 3 OR NOT ti = 4 AND p
SELECT count(*) FROM t WHERE (a = 1 OR b = 2) AND (c = 3 OR NOT (ti = 4 AND p))
SELECT count(*) FROM t WHERE NOT a + 1 = b AND NOT a IS NULL AND NOT s LIKE 'a%' AND NOT a IN (1, 2) AND NOT a BETWEEN 1 AND 2
SELECT count(*) FROM t WHERE NOT NOT p
SELECT count(*) FROM t WHERE a + b < c * 2 AND a - 1 >= b % 2
SELECT count(*) FROM t WHERE a + 1 BETWEEN b - 1 AND b * 2 AND c BETWEEN 1 AND 2 AND p
SELECT count(*) FROM t WHERE (a = 1) = (b = 2) AND (a < b) IS NULL AND (a IS NULL) = p
SELECT count(*) FROM t WHERE s || 'a' || s = 'aaa' AND s || (a + 1) = 'x' AND (s || 'a') LIKE 'b' || '%'
SELECT count(*) FROM t WHERE a + 1 IN (b, c + 1, -1) AND a NOT IN (1) AND (a = b) IN (true, p)
SELECT count(*) FROM t WHERE a::bigint + b::bigint = -c::bigint AND a::text || s = '1x' AND (a + b)::double / 2 > 1
SELECT count(*) FROM t WHERE a::int::text::varchar = '1' AND CAST(CAST(a AS text) AS int) = 1 AND CAST(a + 1 AS double precision) > 1
SELECT count(*) FROM t WHERE CASE WHEN a = 1 THEN b ELSE c END::int = 1 AND coalesce(a, 1)::bigint = 2 AND '5'::int = a AND 1.5::int = a
SELECT count(*) FROM t WHERE CASE a WHEN 1 THEN CASE WHEN p THEN 1 END ELSE -1 END = CASE WHEN a IS NULL THEN 0 WHEN b > 1 AND p THEN 1 END
SELECT count(*) FROM t WHERE a IS DISTINCT FROM (b + 1) OR a + 1 IS NOT DISTINCT FROM c OR NOT a IS DISTINCT FROM NULL
SELECT count(*) FROM t WHERE a=-1 AND b>-2 AND c<>-3 AND a*-1=1 AND a+-1=2 AND a- -1=3
SELECT count(*) FROM t WHERE a*b=c AND a<b AND a>=b AND a!=b
SELECT count(*) FROM t WHERE .5 < f AND 5. > f AND 1e-3 < f AND 1.25E+2 > f AND 0.0 = f AND 00012 = a
SELECT count(*) FROM t WHERE h = 170141183460469231731687303715884105727 OR b = -9223372036854775808 OR b = 9223372036854775807 OR a = -2147483648
SELECT count(*) FROM t WHERE dec = 12345678901234567890.123456789 OR f = 0.1234567890123456789
SELECT count(*) FROM t WHERE s = 'ünï' OR s = '漢字' OR s = '' OR s = '''' OR s = '"' OR s = 'a\b' OR s = '%' OR s LIKE '\%'
SELECT count(*) FROM t AS ünï WHERE ünï.a = 1
SELECT count(*) FROM t WHERE true AND NOT false AND NULL IS NULL
SELECT COUNT(*) FROM T WHERE A = 1 AND t.B = 2 AND T."C" = 3
SELECT count(*) FROM t WHERE h = -170141183460469231731687303715884105728 OR h = 18446744073709551616 OR h = 00018446744073709551615 OR h = 0000170141183460469231731687303715884105727
SELECT count(*) FROM t WHERE h = 170141183460469231731687303715884105728 OR f < 340282366920938463463374607431768211455
SELECT sum(nullif(a, 1)), nullif(sum(b), 0) / NULLIF(max(c), 2.5), "nullif"(min(s), 'x') FROM t WHERE nullif(s, '') IS NULL GROUP BY nullif(p, true)
SELECT nullif(nullif(a, 1), b) + nullif(1, ti) AS n, count(*) FROM t GROUP BY n
-- names
SELECT count(*), min(main.e.src), max(s2.e.tag) FROM e, s2.e WHERE main.e.src = s2.e.src AND memory.s2.e.dst = memory.main.e.dst
SELECT main.e.src, S2.E.SRC, count(*) FROM main.e JOIN s2.e ON main.e.src < s2.e.src GROUP BY main.e.src, s2.e.src ORDER BY s2.e.src, main.e.src
SELECT "v"."id", "V"."LABEL", count(*) FROM "V" GROUP BY "v"."ID", label
SELECT v.id AS "Id x", count(*) AS "count" FROM v GROUP BY "Id x" ORDER BY "count", "Id x"
SELECT date, text, count(*) FROM kw WHERE date = 1 AND text = 2 GROUP BY date, text
SELECT timestamp.src FROM e timestamp GROUP BY timestamp.src
SELECT "over".src, count(*) FROM e "over" GROUP BY "over".src
SELECT x.src AS year, count(*) n FROM e x GROUP BY year ORDER BY n, year
SELECT count(*) c, sum(id) s FROM v
SELECT key.key, count(*) FROM kw key GROUP BY key.key
SELECT min(kw.select_) FROM (SELECT key AS select_ FROM kw) kw
SELECT s2.e.tag, count(*) FROM s2.e GROUP BY s2.e.tag
SELECT e.tag, sum(b.val) FROM s2.e, s2.big b WHERE b.k = e.src GROUP BY e.tag
SELECT nulls, count(*) FROM "Odd Name" GROUP BY nulls ORDER BY nulls NULLS LAST
SELECT first, last FROM kw GROUP BY first, last ORDER BY first ASC NULLS LAST, last DESC NULLS FIRST
-- joins
SELECT count(*) FROM e a JOIN v b ON a.src = b.id JOIN v c ON a.dst = c.id WHERE b.label = c.label
SELECT count(*) FROM e a, e b JOIN v ON b.src = v.id, v v2 WHERE a.dst = b.src AND v2.id = a.src
SELECT count(*) FROM (e a CROSS JOIN v) JOIN e b ON a.dst = b.src AND v.id = b.dst
SELECT count(*) FROM e a JOIN (v b CROSS JOIN v c) ON a.src = b.id AND a.dst = c.id
SELECT count(*) FROM e JOIN edge USING (src) JOIN s2.e e2 USING (src)
SELECT count(*) FROM (e JOIN edge USING (src, dst)) NATURAL JOIN s2.e
SELECT src, e.dst, edge.dst, count(*) FROM e JOIN edge USING (src) GROUP BY src, e.dst, edge.dst
SELECT e.src, edge.src, count(*) FROM e JOIN edge USING (src) GROUP BY e.src, edge.src
SELECT count(*) FROM e JOIN edge ON e.src < edge.src AND e.dst = edge.dst OR e.w > 1
SELECT count(*) FROM e JOIN v ON true
SELECT count(*) FROM e a INNER JOIN e b USING (src) WHERE a.dst < b.dst AND src > 1
SELECT a.label, b.label, c.label, count(*) FROM v a, v b, v c, e x, e y, e z WHERE a.id = x.src AND b.id = x.dst AND b.id = y.src AND c.id = y.dst AND c.id = z.src AND a.id = z.dst GROUP BY a.label, b.label, c.label
-- groups, having, order
SELECT label, label, count(*), count(*) FROM v GROUP BY label, label
SELECT label % 2 AS par, max(name), min(name) FROM v GROUP BY label % 2 HAVING count(*) > 1 AND max(id) < 10 ORDER BY par DESC, max(name)
SELECT count(*) FROM v GROUP BY label HAVING label IS NOT NULL ORDER BY label
SELECT sum(id) FROM v GROUP BY label, name ORDER BY sum(id) + label DESC, name || 'x'
SELECT label + id, count(*) FROM v GROUP BY id, label
SELECT label AS a, id AS b, count(*) AS c FROM v GROUP BY a, b HAVING a < b AND c > 1 ORDER BY a + b, c
SELECT v.label AS l, sum(v.id) / count(*) AS m FROM v GROUP BY v.label ORDER BY m, l LIMIT 0
SELECT upper(name) AS name, count(*) FROM v GROUP BY upper(v.name)
SELECT max(CASE WHEN label = 1 THEN id END) - min(CASE WHEN label = 2 THEN id END) FROM v
SELECT DISTINCT label + 1 AS l, name FROM v WHERE id > 1 ORDER BY l, 2 LIMIT 3
SELECT DISTINCT a.src, b.dst FROM e a, e b WHERE a.dst = b.src
SELECT DISTINCT src FROM e ORDER BY src DESC NULLS FIRST
SELECT 1 FROM v HAVING count(*) > 100
SELECT 'a' AS k, count(*) FROM v ORDER BY k
SELECT max(id), 'x', NULL IS NULL, 2 * 3 FROM v
SELECT coalesce(sum(id), 0), coalesce(max(name), '-') FROM v WHERE id > 100
SELECT count(*) = 0, count(*) > 1 AND max(id) IS NULL FROM v
SELECT sum(id) FROM v ORDER BY count(*)
SELECT avg(dec), sum(dec), min(dec), max(dec), sum(dec * 1.5), avg(a), sum(f), sum(r), avg(r), min(p), max(m) FROM t
SELECT sum(a)::double / sum(b)::double, round(avg(f), 2), abs(sum(a)) FROM t
SELECT date_part('year', d) AS y, month(d), count(*) FROM t GROUP BY y, month(d)
SELECT d - DATE '1995-01-01', count(*) FROM t WHERE d + 1 > DATE '1995-06-01' GROUP BY 1
SELECT count(*) FROM t WHERE d < '1996-01-01' AND ts IS NULL AND d BETWEEN '1995-01-01' AND DATE '1996-01-01' - INTERVAL '2 months'
SELECT length(s), concat(s, 'x'), replace(s, 'a', 'b'), s || a, count(*) FROM t GROUP BY 1, 2, 3, 4
-- nesting
SELECT max(n), min(n), avg(n) FROM (SELECT a.src, count(*) AS n FROM e a, e b WHERE a.dst = b.src GROUP BY a.src HAVING count(*) > 1) q
SELECT q.label, sum(q.n) FROM (SELECT v.label, v.id, count(*) AS n FROM v, e WHERE v.id = e.src GROUP BY v.label, v.id) q GROUP BY q.label
WITH a AS (SELECT src, count(*) n FROM e GROUP BY src), b AS (SELECT n, count(*) m FROM a GROUP BY n) SELECT max(m) FROM b
WITH a AS (SELECT src AS x FROM e), b AS (SELECT x + 1 AS y FROM a WHERE x > 0) SELECT y, count(*) FROM a, b WHERE a.x = b.y GROUP BY y
SELECT count(*) FROM (WITH a AS (SELECT src FROM e) SELECT src FROM a WHERE src > 1) q
WITH v AS (SELECT id, label FROM v WHERE label > 0) SELECT v.label, count(*) FROM v, v w WHERE v.id = w.label GROUP BY v.label
SELECT count(*) FROM (SELECT * FROM (SELECT * FROM e WHERE src > 0) a WHERE dst > 0) b WHERE w > 0
SELECT sum(x) FROM (SELECT count(*) AS x FROM e) a
SELECT a.n, b.n FROM (SELECT count(*) AS n FROM e) a, (SELECT count(*) AS n FROM v) b GROUP BY a.n, b.n
SELECT a.n + b.n AS t, count(*) FROM (SELECT src, sum(w) AS n FROM e GROUP BY src) a JOIN (SELECT dst, sum(w) AS n FROM e GROUP BY dst) b ON a.src = b.dst GROUP BY 1
SELECT count(*) FROM (SELECT DISTINCT src, dst FROM e) x JOIN (SELECT DISTINCT src, dst FROM edge) y USING (src, dst)
SELECT src, count(*) FROM (SELECT src, dst FROM e JOIN edge USING (src, dst)) q GROUP BY src
SELECT sum(k + ti), sum(c2 + ti) FROM (SELECT 1 AS k, CASE WHEN p THEN 1 ELSE 2 END AS c2, ti FROM t) q
SELECT q.n, count(*) FROM (SELECT coalesce(a, 0) AS n, NOT p AS np FROM t) q WHERE np GROUP BY q.n
-- a name that is an alias and a column, where a column comes first
SELECT src, -src AS dst FROM e GROUP BY src ORDER BY sum(e.dst), 1
SELECT src, -src AS dst FROM e GROUP BY src ORDER BY sum(dst), 1
SELECT src, src * 100 AS dst FROM e GROUP BY src HAVING sum(dst) > 3
SELECT sum(w) AS w, max(dst) AS src FROM e WHERE src > 1 AND w > 0.25
SELECT sum(id) AS label, count(*) FROM v JOIN e ON label = src
SELECT src AS dst, sum(dst) AS s FROM e GROUP BY e.src ORDER BY s, 1
-- columns without a collation, beside some with one
SELECT plain, count(*), max("Collate") FROM coll WHERE id = 1 GROUP BY plain
SELECT "collate", count(*) FROM "collate me" WHERE "a, b COLLATE" = 'x' GROUP BY "collate"
SELECT count(*) FROM (SELECT * FROM coll) q WHERE id > 0
-- views
SELECT count(*), min(vw.src), max(x.dst) FROM vw JOIN vw AS x ON vw.dst = x.src
SELECT "to", mark, count(*) FROM s2.inner_e GROUP BY "to", mark
SELECT sum(degree), max(heaviest) FROM s2.degrees WHERE node > 1
SELECT a.node, a.degree, count(*) FROM s2.degrees a, s2.degrees AS b(n, d, h) WHERE a.degree = d GROUP BY a.node, a.degree
SELECT src, sum(k), count(*) FROM paths GROUP BY src ORDER BY src
WITH e AS (SELECT src, dst FROM edge WHERE src = 1), x AS (SELECT id FROM v) SELECT count(*), sum(src + k) FROM paths, x WHERE x.id = paths.dst
SELECT node, mark, count(*) FROM s2.stars GROUP BY node, mark
SELECT count(*) FROM (SELECT src AS q FROM s2.inner_e WHERE "To" > 0) z JOIN collated ON true
