-- A matrix and its transpose by a vector: X^T (X v).
-- data: matrices
SELECT x.j, sum(x.a * s.a) AS g
FROM x JOIN (SELECT x.i, sum(x.a * v.a) AS a FROM x JOIN v USING (j) GROUP BY x.i) s USING (i)
GROUP BY x.j
