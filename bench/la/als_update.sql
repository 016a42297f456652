-- The gradient of alternating least squares: (U H^T - X) H.
-- data: matrices
SELECT r.i, h.k, sum(r.a * h.a) AS g
FROM (SELECT u.i, h.j, u.a * h.a AS a FROM u JOIN h USING (k) UNION ALL SELECT i, j, -a FROM x) r JOIN h USING (j)
GROUP BY r.i, h.k
