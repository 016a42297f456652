SELECT count(*) FROM e SEMI JOIN v ON src = id
SELECT count(*), sum(w) FROM e ANTI JOIN v ON src = id AND v.label > 0
SELECT a.src, count(*) FROM e a SEMI JOIN v b ON a.src = b.id JOIN v c ON a.dst = c.id GROUP BY 1
SELECT a.src, count(*) FROM e a JOIN v c ON a.dst = c.id ANTI JOIN e b ON a.src = b.dst AND c.label = b.src GROUP BY 1
SELECT src, count(*) FROM e SEMI JOIN edge USING (src) GROUP BY src
SELECT src, count(*) FROM e ANTI JOIN edge USING (src, dst) GROUP BY src
SELECT count(*), sum(dst) FROM e NATURAL SEMI JOIN edge
SELECT count(*) FROM e NATURAL ANTI JOIN edge WHERE w > 0.25
SELECT src, dst, sum(w) FROM e JOIN edge USING (src, dst) SEMI JOIN s2.e c USING (src) GROUP BY ALL
SELECT count(*) FROM e a SEMI JOIN (v b JOIN vertex c ON b.id = c.id) ON a.src = b.id AND a.dst > c.label
SELECT count(*) FROM e a ANTI JOIN (v b LEFT JOIN vertex c ON b.id = c.id) ON a.src = b.id AND c.label IS NULL
SELECT count(*) FROM e a SEMI JOIN (v b SEMI JOIN vertex c ON b.id = c.id) ON a.src = b.id
SELECT count(*), count(c.id) FROM (e a SEMI JOIN v b ON a.src = b.id) LEFT JOIN v c ON a.dst = c.id
SELECT count(*), count(c.id) FROM e a LEFT JOIN v c ON a.dst = c.id ANTI JOIN v b ON c.label = b.id
SELECT count(*) FROM e a ANTI JOIN (SELECT id, count(*) AS n FROM v GROUP BY id) b ON a.src = b.id AND b.n > 1
SELECT count(*) FROM (SELECT src AS s FROM e SEMI JOIN v ON dst = id) x JOIN v y ON x.s = y.id
SELECT DISTINCT * FROM e ANTI JOIN v ON src = id
WITH t AS (SELECT id FROM v SEMI JOIN vertex USING (id)) SELECT count(*) FROM e ANTI JOIN t ON e.src = t.id
SELECT src, count(*) FROM e WHERE EXISTS (SELECT 1 FROM v ANTI JOIN vertex c ON v.id = c.id WHERE v.id = e.src) GROUP BY 1
SELECT count(*) FROM e a ANTI JOIN v b ON a.src <> b.id OR a.dst IS NULL
SELECT count(*) FROM e a SEMI JOIN v b ON true
SELECT count(*) AS both, sum(w) AS order, max(src) AS end FROM e ORDER BY "both"
SELECT sum(EXISTS (SELECT 1 FROM v WHERE id = src)::INT) FROM e
SELECT count(*) FILTER (WHERE NOT EXISTS (SELECT 1 FROM v WHERE id = src)::BOOL) FROM e
