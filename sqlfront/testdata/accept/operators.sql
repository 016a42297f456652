-- == binds as || does, ~~ and ~~* are LIKE and ILIKE that bind so
SELECT count(*) FROM e WHERE src == dst
SELECT count(*) FROM e WHERE src + 1 == dst * 2 AND NOT src == 3
SELECT sum(CASE WHEN src == dst THEN 1 ELSE 0 END), src == 1 AS one FROM e GROUP BY src == 1
SELECT count(*) FROM e WHERE src == ANY (SELECT id FROM v) OR dst == ALL (SELECT id FROM v)
SELECT count(*) FROM t WHERE s || 'x' == 'ax'
SELECT count(*) FROM t WHERE s ~~ 'a%' OR s !~~ '%b' OR s ~~* 'A%' OR s !~~* (s || '%')
SELECT count(*) FROM t WHERE s || s ~~ 'a%' AND a == a + 1 - 1
SELECT src == dst, count(*) FROM e GROUP BY 1
-- a plus before an operand
SELECT sum(+w), +src, count(*) FROM e WHERE src > +1 AND dst < - +2 + +w GROUP BY +src
SELECT sum(+e.w * v.label) + +1, max(+dec) FROM e JOIN v ON e.src = +v.id, t
-- ALL is what is so without it
SELECT ALL src, count(ALL dst), sum(ALL w) FILTER (WHERE src > 0) FROM e GROUP BY src
SELECT count(*) FROM (SELECT ALL (src), dst FROM e) q WHERE EXISTS (SELECT ALL 1 FROM v)
-- an alias with columns and without AS
SELECT a, count(b) FROM e q(a, b, c) GROUP BY a
SELECT sum(x.a), y.k FROM e x(a, b), v y(k), (SELECT src FROM e) z(z) WHERE x.b = y.k AND z.z == x.a GROUP BY y.k
SELECT count(*) FROM e x(a) LEFT JOIN v "Y"("K") ON x.a = "Y"."K"
WITH c AS (SELECT src, dst FROM e) SELECT count(*) FROM c d(a, b) JOIN c ON c.src = d.b WHERE d.a > 0
SELECT count(p) FROM e PARTITION (p)
SELECT count(*) FROM v WHERE name LIKE 'a\%' ESCAPE '\' OR name NOT ILIKE '\_' ESCAPE '\'
-- what tells grouping sets apart, in an expression
SELECT CASE WHEN grouping(src) = 1 THEN 'total' ELSE src::VARCHAR END AS l, count(*) FROM e GROUP BY ROLLUP (src)
SELECT CASE GROUPING_ID(src, dst) WHEN 3 THEN 'all' WHEN 1 THEN 'src' ELSE 'both' END AS l, sum(w) * (1 + grouping(dst)) FROM e GROUP BY CUBE (src, dst) HAVING grouping(src) + 1 < 3
