-- An outer product of which only the cells of a sparse matrix count:
-- sum(X * log(U H^T + 1e-15)).
-- data: matrices
SELECT sum(q.x * ln(q.a + 1e-15)) AS s
FROM (SELECT x.i, x.j, x.a AS x, sum(u.a * h.a) AS a FROM x JOIN u USING (i) JOIN h USING (j, k) GROUP BY x.i, x.j, x.a) q
