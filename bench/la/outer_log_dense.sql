-- The same as it is written down: the outer product of all cells, then the sparse
-- matrix.
-- data: matrices
SELECT sum(x.a * ln(q.a + 1e-15)) AS s
FROM x JOIN (SELECT u.i, h.j, sum(u.a * h.a) AS a FROM u JOIN h USING (k) GROUP BY u.i, h.j) q USING (i, j)
