-- The numerator of an update of Poisson non-negative matrix factorisation:
-- (X / (U H^T)) H.
-- data: matrices
SELECT q.i, h.k, sum(q.q * h.a) AS g
FROM (SELECT x.i, x.j, x.a / sum(u.a * h.a) AS q FROM x JOIN u USING (i) JOIN h USING (j, k) GROUP BY x.i, x.j, x.a) q JOIN h USING (j)
GROUP BY q.i, h.k
