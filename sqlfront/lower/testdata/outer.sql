SELECT a.k, count(*), sum(b.y), count(b.j) FROM a LEFT JOIN b ON a.k = b.k GROUP BY a.k
SELECT count(*), sum(b.y) FROM a LEFT JOIN b ON a.k = b.k AND b.y > 1 AND a.x > 1
SELECT count(*), sum(b.y) FROM a LEFT JOIN b ON a.x > 1
SELECT count(*), sum(b.y) FROM a LEFT JOIN b ON true
SELECT count(*) FROM a LEFT JOIN none ON true
SELECT count(*), sum(none.x) FROM a LEFT JOIN none ON none.x > 1
SELECT count(*) FROM none LEFT JOIN a ON none.k = a.k
SELECT count(*), sum(b.y) FROM a LEFT JOIN b ON a.k = b.k AND a.s = 'a' WHERE a.x > 0
SELECT count(*), sum(b.y) FROM a LEFT JOIN b ON a.k = b.z
SELECT count(*), sum(b.y) FROM a LEFT JOIN b ON a.y < b.y AND a.k = b.k
SELECT count(*), sum(b.y) FROM a LEFT JOIN b ON a.k + b.k = 2
SELECT count(*), sum(c.z), sum(b.y) FROM a LEFT JOIN b ON a.k = b.k LEFT JOIN c ON b.j = c.j
SELECT count(*), sum(c.z), sum(b.y) FROM a LEFT JOIN (b JOIN c ON b.j = c.j) ON a.k = b.k
SELECT count(*), sum(c.z), sum(b.y) FROM a LEFT JOIN (b LEFT JOIN c ON b.j = c.j AND b.y > 2) ON a.k = b.k AND c.z IS NULL
SELECT count(*), sum(b.y) FROM a RIGHT JOIN b ON a.k = b.k
SELECT b.k, count(a.x), count(*) FROM a RIGHT JOIN b USING (k) GROUP BY b.k
SELECT k, count(*), sum(a.x), sum(b.y) FROM a FULL JOIN b USING (k) GROUP BY k
SELECT count(*), sum(a.x), sum(b.y) FROM a FULL JOIN b ON a.k = b.k AND a.x > 1 AND b.y > 2
SELECT count(*), sum(a.x), sum(b.y) FROM a FULL JOIN b ON a.x < b.y
SELECT count(*), sum(a.x), sum(b.y) FROM a FULL JOIN b ON true
SELECT count(*) FROM a FULL JOIN none ON true
SELECT count(*), sum(a.x), sum(b.y) FROM a FULL JOIN b ON a.k = b.k WHERE a.k IS NOT NULL
SELECT count(*), sum(a.x), sum(b.y) FROM a FULL JOIN b ON a.k = b.k WHERE b.y > 1
SELECT count(*), sum(a.x), sum(b.y) FROM a FULL JOIN b ON a.k = b.k WHERE b.y > 1 AND a.x < 9
SELECT count(*), sum(a.x), sum(c.z) FROM a FULL JOIN b ON a.k = b.k FULL JOIN c ON b.j = c.j
SELECT count(*), sum(b.y) FROM a LEFT JOIN b ON a.k = b.k WHERE b.y > 1
SELECT count(*), sum(b.y) FROM a LEFT JOIN b ON a.k = b.k WHERE b.y IS NULL
SELECT count(*), sum(b.y) FROM a LEFT JOIN b ON a.k = b.k WHERE b.y IS DISTINCT FROM 5
SELECT count(*), sum(b.y) FROM a LEFT JOIN b ON a.k = b.k WHERE NOT (b.y IS NULL OR b.y > 5)
SELECT count(*), sum(b.y) FROM a LEFT JOIN b ON a.k = b.k JOIN c ON b.j = c.j
SELECT count(*), sum(d.n) FROM a LEFT JOIN (SELECT k, count(*) AS n FROM b GROUP BY k) d ON a.k = d.k
SELECT d.one, count(*) FROM a LEFT JOIN (SELECT DISTINCT k, 1 AS one FROM b WHERE y > 1) d ON a.k = d.k GROUP BY d.one
SELECT count(*), sum(d.v) FROM a LEFT JOIN (SELECT b.k, b.y + c.z AS v FROM b JOIN c USING (j) WHERE c.z < 11) d ON a.k = d.k
SELECT count(*) FROM a LEFT JOIN b ON a.k = b.k AND EXISTS (SELECT 1 FROM c WHERE c.j = b.j)
SELECT count(*) FROM a LEFT JOIN b ON a.k = b.k WHERE EXISTS (SELECT 1 FROM c WHERE c.j = b.j OR b.j IS NULL)
SELECT count(*) FROM a WHERE EXISTS (SELECT 1 FROM b LEFT JOIN c ON b.j = c.j WHERE b.k = a.k AND c.z IS NULL)
SELECT count(*) FROM a WHERE a.x > (SELECT count(c.z) FROM b LEFT JOIN c ON b.j = c.j WHERE b.k = a.k)
SELECT count(*), sum(u.v) FROM a LEFT JOIN (SELECT k, y AS v FROM b UNION ALL SELECT j, z FROM c) u ON a.k = u.k
SELECT DISTINCT a.s, b.y FROM a LEFT JOIN b ON a.k = b.k
SELECT a.s FROM a LEFT JOIN b ON a.k = b.k EXCEPT SELECT a.s FROM a JOIN b ON a.k = b.k
SELECT count(*), sum(b.y), sum(c.z) FROM a LEFT JOIN b ON a.k = b.k LEFT JOIN c ON a.k = c.j AND b.y > c.z - 5
SELECT count(*), sum(b.y), sum(c.z) FROM a CROSS JOIN b LEFT JOIN c ON a.x = c.z AND b.y = c.j
SELECT count(*), sum(b.y), sum(c.z) FROM a JOIN b ON a.k = b.k LEFT JOIN c ON a.x + b.y = c.z
SELECT count(*) FROM a LEFT JOIN b ON a.k IS NOT DISTINCT FROM b.k
SELECT count(*), sum(b.y) FROM a LEFT JOIN b ON a.k IS NOT DISTINCT FROM b.k AND a.x > 1
SELECT count(*), sum(a.x), sum(c.z), sum(b2.y) FROM a FULL JOIN b ON a.k = b.k FULL JOIN c ON b.j = c.j FULL JOIN b AS b2 ON c.j = b2.k
SELECT a.s, count(*), sum(c2.z) FROM a FULL JOIN b ON a.k = b.k FULL JOIN c ON b.j = c.j FULL JOIN b AS b2 ON c.j = b2.k FULL JOIN c AS c2 ON b2.j = c2.j AND c2.z > 10 GROUP BY a.s
SELECT count(*) FROM a FULL JOIN (b FULL JOIN (c FULL JOIN b AS b2 ON c.j = b2.k) ON b.j = c.j) ON a.k = b.k
SELECT count(*), sum(b2.y) FROM a LEFT JOIN (b FULL JOIN (c FULL JOIN b AS b2 ON c.j = b2.k) ON b.j = c.j) ON a.k = b.k
SELECT count(*), sum(a.x) FROM a LEFT JOIN (b LEFT JOIN (c LEFT JOIN b AS b2 ON c.j = b2.k) ON b.j = c.j) ON a.k = b.k
SELECT k, count(*), sum(x), sum(b2.y) FROM a FULL JOIN b USING (k) FULL JOIN c ON c.j = k FULL JOIN b AS b2 USING (k) GROUP BY k
WITH t AS (SELECT a.k, b.y FROM a FULL JOIN b ON a.k = b.k), u AS (SELECT p.k, q.y FROM t p FULL JOIN t q ON p.k = q.k), v AS (SELECT p.k, q.y FROM u p FULL JOIN u q ON p.k = q.y) SELECT count(*), sum(p.y) FROM v p FULL JOIN v q ON p.k = q.k
WITH t AS (SELECT k, sum(b.y) AS y FROM a FULL JOIN b USING (k) GROUP BY k), u AS (SELECT p.k, sum(q.y) AS y FROM t p FULL JOIN t q ON p.k = q.k GROUP BY p.k) SELECT count(*), sum(p.y) FROM u p FULL JOIN u q ON p.k = q.k WHERE p.k NOT IN (SELECT j FROM c WHERE j IS NOT NULL)
SELECT count(*), (SELECT count(*) FROM a FULL JOIN b ON a.k = b.k FULL JOIN c ON b.j = c.j FULL JOIN b AS b2 ON c.j = b2.k WHERE b2.y > n.k) FROM none n GROUP BY n.k
