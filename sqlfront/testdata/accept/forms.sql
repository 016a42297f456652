-- outer joins
SELECT count(*), sum(v.label) FROM e LEFT JOIN v ON src = id
SELECT v.id, count(*), max(w) FROM e RIGHT OUTER JOIN v ON src = id GROUP BY v.id
SELECT e.src, v.id, count(*) FROM e FULL JOIN v ON src = id AND w > 0.5 GROUP BY 1, 2
SELECT count(*) FROM e a FULL OUTER JOIN v b ON a.src = b.id OR a.dst = b.label WHERE a.src IS NOT NULL
SELECT a.src, b.dst, c.label, count(*) FROM e a LEFT JOIN edge b ON a.dst = b.src LEFT JOIN v c ON b.dst = c.id AND c.label > 1 GROUP BY 1, 2, 3
SELECT count(b.id), count(c.id), count(*) FROM e a LEFT JOIN (v b JOIN vertex c ON b.id = c.id) ON a.src = b.id
SELECT count(b.id), count(c.id), count(*) FROM e a LEFT JOIN v b LEFT JOIN vertex c ON b.id = c.id ON a.src = b.id
SELECT count(b.id), count(c.id), count(*) FROM e a FULL JOIN v b FULL JOIN vertex c ON b.id = c.id ON a.src = b.id
SELECT count(*), sum(a.src), sum(c.label) FROM e a FULL JOIN v b ON a.src = b.id FULL JOIN vertex c ON c.id = b.id AND c.label = a.dst
SELECT count(*) FROM e a LEFT JOIN v b ON a.src = b.id, vertex c WHERE c.id = a.dst
SELECT count(*) FROM vertex c, e a LEFT JOIN v b ON a.src = b.id WHERE c.id = a.dst AND b.label IS NULL
SELECT count(*) FROM e a LEFT JOIN v b ON a.src = b.id CROSS JOIN vertex c
SELECT src, count(*), sum(e.dst), sum(edge.dst) FROM e LEFT JOIN edge USING (src) GROUP BY src
SELECT src, count(*), sum(e.dst), sum(edge.dst) FROM e RIGHT JOIN edge USING (src) GROUP BY src
SELECT src, count(*), sum(e.dst), sum(edge.dst) FROM e FULL JOIN edge USING (src) GROUP BY src
SELECT src, dst, count(*), count(e.dst) FROM e FULL OUTER JOIN edge USING (src, dst) GROUP BY src, dst
SELECT src, count(*), count(a.src), count(b.src), count(c.src) FROM e a FULL JOIN edge b USING (src) FULL JOIN s2.e c USING (src) GROUP BY src
SELECT src, count(*), count(c.src) FROM e a FULL JOIN edge b USING (src) LEFT JOIN s2.e c USING (src) GROUP BY src
SELECT src, count(*), count(c.src) FROM e a LEFT JOIN edge b USING (src) JOIN s2.e c USING (src) GROUP BY src
SELECT src, count(*), count(c.src) FROM e a RIGHT JOIN edge b USING (src) FULL JOIN s2.e c USING (src) GROUP BY src
SELECT src, dst, count(*) FROM e NATURAL LEFT JOIN edge GROUP BY src, dst
SELECT src, dst, count(*) FROM e NATURAL RIGHT OUTER JOIN edge GROUP BY src, dst
SELECT count(*) FROM e a LEFT JOIN v b ON a.src = b.id AND a.w > 0.5 AND b.label IN (1, 2) AND a.dst < b.label
SELECT count(*), sum(q.c) FROM e a LEFT JOIN (SELECT id, coalesce(label, 7) AS c FROM v) q ON a.src = q.id
SELECT count(*), sum(q.seven), count(q.seven) FROM e a LEFT JOIN (SELECT id, 7 AS seven FROM v) q ON a.src = q.id
SELECT count(*), count(q.id) FROM e a LEFT JOIN (SELECT id, label FROM v WHERE label > 1) q ON a.src = q.id
SELECT count(*), count(q.id) FROM e a LEFT JOIN (SELECT id, label AS x FROM v) q ON a.src = q.id AND q.x = a.dst
SELECT count(*), count(q.id) FROM (SELECT src, dst + 1 AS d FROM e WHERE src > 0) a LEFT JOIN (SELECT b.id, c.label FROM v b JOIN vertex c ON b.id = c.id) q ON a.src = q.id AND a.d = q.label
SELECT count(*), count(q.id), count(a.d) FROM (SELECT src, dst + 1 AS d FROM e WHERE src > 0) a FULL JOIN (SELECT id FROM v WHERE label = 1) q ON a.src = q.id
SELECT count(*), sum(q.n) FROM e a LEFT JOIN (SELECT id, count(*) AS n FROM v GROUP BY id) q ON a.src = q.id
WITH p AS (SELECT a.src, b.dst FROM e a LEFT JOIN e b ON a.dst = b.src) SELECT p.src, count(*), count(q.dst) FROM p LEFT JOIN p q ON p.dst = q.src GROUP BY p.src
SELECT count(*), count(p.src), count(v.id) FROM paths p RIGHT JOIN v ON p.dst = v.id
SELECT count(*) FROM e a LEFT JOIN v b ON true
SELECT count(*) FROM e a LEFT JOIN v b ON a.src IS NOT DISTINCT FROM b.id AND left(b.name, 1) = 'a' LEFT JOIN vertex c ON right(b.name, 1) = 'a'
SELECT count(*) FROM e a FULL JOIN v b ON left(b.name, 1) = 'a' AND CASE WHEN a.src = b.id THEN true ELSE false END WHERE a.w > 0.25
SELECT count(*) FROM (e a FULL JOIN v b ON a.src = b.id)
SELECT count(*) FROM e a JOIN v b ON a.src = b.id FULL JOIN vertex c ON (c.id = a.src)
-- subqueries
SELECT count(*) FROM e WHERE src IN (SELECT id FROM v)
SELECT count(*) FROM e WHERE src NOT IN (SELECT id FROM v WHERE label > 1)
SELECT count(*) FROM e WHERE NOT src IN (SELECT id FROM v WHERE label > 100)
SELECT count(*) FROM e WHERE EXISTS (SELECT 1 FROM v)
SELECT count(*) FROM e WHERE EXISTS (SELECT * FROM v WHERE id = src AND label = e.dst)
SELECT count(*) FROM e WHERE NOT EXISTS (SELECT 1 FROM v WHERE v.id = e.src LIMIT 1)
SELECT count(*) FROM e a WHERE NOT EXISTS (SELECT NULL FROM v WHERE v.id = a.src ORDER BY 1)
SELECT count(*) FROM e WHERE src = (SELECT max(id) FROM v)
SELECT count(*) FROM e WHERE src > (SELECT avg(label) FROM v WHERE v.id = e.dst)
SELECT count(*) FROM e WHERE src = ANY (SELECT id FROM v) AND dst <> ALL (SELECT id FROM v WHERE id IS NOT NULL AND label = 2) AND w = SOME (SELECT w FROM e)
SELECT count(*) + (SELECT 1) FROM e
SELECT src, count(*), (SELECT max(label) FROM v WHERE id = src) AS m FROM e GROUP BY src ORDER BY m, src
SELECT src, sum(w) FROM e GROUP BY src HAVING sum(w) > (SELECT avg(label) * 0.1 FROM v) OR src IN (SELECT id FROM v)
SELECT sum(CASE WHEN src IN (SELECT id FROM v) THEN 1 ELSE 0 END), count(*) FROM e
SELECT sum(CASE WHEN EXISTS (SELECT 1 FROM v WHERE id = src) THEN w END) FROM e
SELECT count(*) FROM e WHERE src = 1 OR EXISTS (SELECT 1 FROM v WHERE id = dst)
SELECT count(*) FROM e WHERE (src IN (SELECT id FROM v)) IS NULL
SELECT count(*) FROM e a WHERE EXISTS (SELECT 1 FROM v b WHERE b.id = a.src AND NOT EXISTS (SELECT 1 FROM vertex c WHERE c.id = b.label AND c.label = a.dst))
SELECT count(*) FROM e a WHERE a.src IN (SELECT b.id FROM v b WHERE b.label IN (SELECT c.label FROM vertex c WHERE c.id = a.dst))
SELECT count(*) FROM e a WHERE (SELECT count(*) FROM (SELECT label FROM v WHERE v.id = a.src) q WHERE q.label > 1) = 0
SELECT count(*) FROM e a WHERE (SELECT max(n) FROM (SELECT label, count(*) AS n FROM v WHERE v.id = a.src GROUP BY label) q) > 1
SELECT count(*) FROM e LEFT JOIN v ON src = id AND label IN (SELECT label FROM vertex)
SELECT count(*) FROM (SELECT src, (SELECT max(label) FROM v WHERE id = src) AS m FROM e) q WHERE q.m > 1
SELECT m, count(*) FROM (SELECT src, (SELECT max(label) FROM v WHERE id = src) AS m FROM e) q GROUP BY m
SELECT DISTINCT (SELECT max(label) FROM v WHERE id = src) AS m FROM e
WITH big AS (SELECT id FROM v WHERE label > 1) SELECT count(*) FROM e WHERE src IN (SELECT id FROM big) AND dst IN (SELECT id FROM big WHERE id > 1)
SELECT count(*) FROM e WHERE src IN (SELECT id FROM v GROUP BY id HAVING count(*) > 1)
SELECT count(*) FROM e WHERE src IN (SELECT 1 UNION ALL SELECT label FROM v WHERE id = dst)
SELECT count(*) FROM e WHERE EXISTS (SELECT id FROM v WHERE id = src EXCEPT SELECT label FROM v)
SELECT count(*) FROM e WHERE src NOT IN (SELECT 1 WHERE false)
SELECT count(*) FROM e WHERE EXISTS (SELECT count(*) FROM v WHERE id = src HAVING count(*) > 0)
SELECT count(*) FROM e WHERE src NOT IN (SELECT max(label) FROM v WHERE id = src)
SELECT sum((SELECT count(*) FROM v WHERE id = src)) FROM e
SELECT count(*) FROM e JOIN edge USING (src) WHERE EXISTS (SELECT 1 FROM v WHERE id = src)
SELECT count(*) FROM e a JOIN v b ON a.src = b.id AND EXISTS (SELECT 1 FROM vertex c WHERE c.id = a.dst AND c.label = b.label)
-- set operations
SELECT count(*) FROM e UNION ALL SELECT 1
SELECT count(*) FROM e INTERSECT SELECT 1
SELECT count(*) FROM (SELECT src FROM e EXCEPT SELECT dst FROM e) q
SELECT src FROM e UNION SELECT dst FROM e UNION SELECT id FROM v ORDER BY 1
SELECT src AS k FROM e UNION SELECT dst FROM e INTERSECT SELECT id FROM v ORDER BY k DESC LIMIT 3
(SELECT src AS k FROM e UNION SELECT dst FROM e) INTERSECT SELECT id FROM v ORDER BY k NULLS FIRST OFFSET 1
SELECT src FROM e EXCEPT SELECT dst FROM e EXCEPT SELECT id FROM v WHERE label = 1
SELECT src FROM e EXCEPT (SELECT dst FROM e EXCEPT SELECT id FROM v WHERE label = 1)
(SELECT src, count(*) AS n FROM e GROUP BY src) UNION ALL (SELECT id, count(*) FROM v GROUP BY id) UNION ALL SELECT 7, 8.5 ORDER BY n, src
SELECT k, count(*), sum(x) FROM (SELECT src AS k, w AS x FROM e UNION ALL SELECT id, label FROM v UNION ALL SELECT a, dec FROM t) q GROUP BY k
SELECT count(*), sum(k) FROM (SELECT src AS k FROM e UNION SELECT id FROM v) q
SELECT q.k, count(*) FROM (SELECT src AS k FROM e UNION ALL SELECT dst FROM e) q JOIN v ON v.id = q.k GROUP BY q.k
WITH q AS (SELECT src AS k FROM e UNION ALL SELECT dst FROM e) SELECT a.k, count(*) FROM q a JOIN q b ON a.k = b.k GROUP BY a.k
SELECT count(*), count(q.k) FROM v LEFT JOIN (SELECT src AS k FROM e UNION SELECT dst FROM e) q ON v.id = q.k
SELECT count(*) FROM (SELECT count(*) AS n FROM e UNION ALL SELECT NULL UNION ALL SELECT sum(label) FROM v) q WHERE n > 1
SELECT x, count(*) FROM ((SELECT src AS x FROM e) UNION ALL (SELECT NULL) UNION ALL (SELECT 2.5)) q GROUP BY x
SELECT x, count(*) FROM (SELECT 1 AS x UNION ALL SELECT ti FROM t UNION ALL SELECT c FROM t) q GROUP BY x
WITH a AS (SELECT src FROM e), b AS (SELECT dst FROM e) SELECT * FROM a UNION SELECT * FROM b
SELECT count(*) FROM (WITH a AS (SELECT src FROM e) SELECT src FROM a UNION SELECT dst FROM e) q
SELECT DISTINCT src FROM e UNION ALL SELECT DISTINCT b FROM t
(SELECT src, count(*) FROM e GROUP BY src ORDER BY 2 DESC, 1 LIMIT 2) UNION ALL (SELECT id, label FROM v GROUP BY ALL)
((SELECT src FROM e UNION SELECT dst FROM e))
-- stars, integer division
SELECT DISTINCT * FROM e JOIN edge USING (src)
SELECT DISTINCT * FROM e LEFT JOIN edge USING (src, dst) JOIN s2.e x USING (dst)
SELECT q.dst, count(*), sum(q.w) FROM (SELECT * FROM e NATURAL JOIN s2.e) q GROUP BY q.dst
SELECT * FROM v JOIN vertex USING (id) UNION SELECT * FROM v JOIN vertex USING (id)
SELECT sum(a // 2 * 3), sum(a * 2 // b), sum(-a // c % 4), sum(a // b // c) FROM t WHERE a // 2 + 1 = b
-- operators and tests of truth
SELECT count(*) FROM v WHERE name SIMILAR TO 'a' AND name NOT SIMILAR TO 'b' || 'c'
SELECT count(*) FROM v WHERE name GLOB 'a*' OR NOT name GLOB 'b' || '*'
SELECT count(*) FROM v WHERE name ~ 'a' AND name !~ 'b' AND (name || 'x') ~ 'c'
SELECT count(*) FROM t WHERE p IS TRUE OR p IS NOT TRUE OR p IS FALSE OR NOT p IS NOT FALSE OR p IS UNKNOWN OR p IS NOT UNKNOWN
SELECT count(*) FROM e WHERE (src < dst) IS NOT TRUE AND src IS FALSE
SELECT sum(src & 1), sum(dst & 3 | src), sum(src << 1 + 2), sum(src >> dst), sum(~src), sum(~ (src + 1) & 7), sum((~ src) + 1) FROM e
SELECT sum(src ^ 2 * dst), sum(2 * src ** 2 ^ dst), sum(-src ^ 2), sum(- 2 ** - dst) FROM e
SELECT xor(src, dst), bit_count(src), count(*) FROM e GROUP BY ALL
SELECT count(*) FROM e NATURAL FULL JOIN edge
SELECT count(*) FROM e NATURAL FULL OUTER JOIN edge AS f CROSS JOIN v WHERE v.id = 1
SELECT count(*) FROM e WHERE src < ANY (SELECT id FROM v) OR src = ALL (SELECT id FROM v) OR src <> ANY (SELECT id FROM v)
SELECT count(*) FROM e WHERE NOT src >= ALL (SELECT id FROM v) AND src <= SOME (SELECT id FROM v)
-- derived tables that read what is before them
SELECT count(*) FROM e, LATERAL (SELECT max(id) AS m FROM v WHERE v.label = e.src) AS q WHERE q.m > 1
SELECT count(q.m) FROM e LEFT JOIN LATERAL (SELECT max(id) AS m, label FROM v WHERE id = e.src GROUP BY label) AS q ON q.m = e.dst
SELECT sum(q.z) FROM e JOIN (SELECT id + src AS z FROM v WHERE label < dst) AS q ON true
-- orders
SELECT src, count(*) FROM e GROUP BY src ORDER BY ALL
SELECT src, count(*) FROM e GROUP BY src ORDER BY ALL DESC NULLS FIRST LIMIT 2
SELECT src FROM e UNION SELECT dst FROM e ORDER BY ALL
SELECT sum(src ORDER BY dst), min(DISTINCT src ORDER BY src DESC), count(src ORDER BY dst ASC NULLS FIRST, src DESC NULLS LAST, w) FILTER (WHERE dst > 1) FROM e
-- row values
SELECT count(*) FROM e WHERE (src, dst) = (1, 2) OR (src, w) <> (dst, 1.5::DOUBLE) OR (src, dst) IS DISTINCT FROM (dst, src)
SELECT count(*) FROM e WHERE (src, dst) IN ((1, 2), (3, 4)) AND (src, dst) NOT IN ((2, 1))
SELECT count(*) FROM e WHERE (src, dst) IN (SELECT id, label FROM v) AND NOT (dst, src) IN (SELECT id, label FROM v)
SELECT (src, dst) IN (SELECT id, label FROM v), count(*) FROM e GROUP BY 1
SELECT count(DISTINCT (src, dst)), count((src, dst)), count(DISTINCT (src, w)) FILTER (WHERE dst > 1) FROM e
-- IF is CASE
SELECT if(src > 1, dst, 0) AS x, count(*) FROM e GROUP BY x
SELECT sum(if(src > 1, w, 0)), "if"(count(*) > 1, 'many', 'one') FROM e
SELECT count(*) FROM e JOIN v ON src = id WHERE IF(label > dst, w > 1, w IS NULL)
-- FILTER without WHERE
SELECT src, count(*) FILTER (dst > 1), sum(w) FILTER ((w > 0.5) OR src = 1) FROM e GROUP BY src
