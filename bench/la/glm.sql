-- The product with the Hessian of a generalised linear model with the logarithm for its
-- link function, X^T (w * exp(X b) * (X v)).
-- data: matrices
SELECT x.j, sum(x.a * w.a * exp(e.eta) * e.xv) AS g
FROM x JOIN w USING (i) JOIN (SELECT x.i, sum(x.a * b.a) AS eta, sum(x.a * v.a) AS xv FROM x JOIN b USING (j) JOIN v USING (j) GROUP BY x.i) e USING (i)
GROUP BY x.j
