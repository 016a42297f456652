-- The product with the Hessian of multinomial logistic regression: X^T (Q - P rowsum(Q))
-- with Q = P * (X D), P and Q with a column per class.
-- data: matrices
WITH q AS (
  SELECT p.i, p.c, p.a * s.a AS a
  FROM p JOIN (SELECT x.i, d.c, sum(x.a * d.a) AS a FROM x JOIN d USING (j) GROUP BY x.i, d.c) s USING (i, c)
), total AS (
  SELECT i, sum(a) AS a FROM q GROUP BY i
)
SELECT x.j, q.c, sum(x.a * (q.a - p.a * t.a)) AS g
FROM x JOIN q USING (i) JOIN p ON p.i = q.i AND p.c = q.c JOIN total t ON t.i = q.i
GROUP BY x.j, q.c
