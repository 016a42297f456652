-- The gradient of that loss: X^T (label * max(0, 1 - label * (X v))), up to its sign.
-- data: matrices
SELECT x.j, sum(x.a * o.a) AS g
FROM x JOIN (
  SELECT l.i, l.a * greatest(1 - l.a * s.a, 0) AS a
  FROM label l JOIN (SELECT x.i, sum(x.a * v.a) AS a FROM x JOIN v USING (j) GROUP BY x.i) s USING (i)
) o USING (i)
GROUP BY x.j
