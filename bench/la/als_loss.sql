-- The loss of a factorisation by alternating least squares: sum((X - U H^T)^2), over
-- all cells, of which few have an entry.
-- data: matrices
SELECT sum(r.a * r.a) AS loss
FROM (
  SELECT i, j, sum(a) AS a
  FROM (SELECT i, j, a FROM x UNION ALL SELECT u.i, h.j, -u.a * h.a FROM u JOIN h USING (k)) t
  GROUP BY i, j
) r
