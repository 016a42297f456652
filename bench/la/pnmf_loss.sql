-- The loss of Poisson non-negative matrix factorisation: sum(U H^T) - sum(X log(U H^T)).
-- data: matrices
WITH product AS (SELECT x.i, x.j, x.a AS x, sum(u.a * h.a) AS a FROM x JOIN u USING (i) JOIN h USING (j, k) GROUP BY x.i, x.j, x.a)
SELECT (SELECT sum(u.a * h.a) FROM u JOIN h USING (k)) - (SELECT sum(x * ln(a)) FROM product) AS loss
