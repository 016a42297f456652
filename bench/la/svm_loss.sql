-- The loss of a support vector machine: sum(max(0, 1 - label * (X v))^2) / 2.
-- data: matrices
SELECT sum(greatest(1 - l.a * s.a, 0) * greatest(1 - l.a * s.a, 0)) / 2 AS loss
FROM label l JOIN (SELECT x.i, sum(x.a * v.a) AS a FROM x JOIN v USING (j) GROUP BY x.i) s USING (i)
