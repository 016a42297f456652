-- The loss of a factorisation by alternating least squares: sum((X - U H^T)^2), over
-- all cells, of which few have an entry.
-- data: matrices
-- cause: a cell may be NULL as far as the plan knows (the sum of no value), so that the square is not multiplied out and the dense product is stored.
SELECT sum(r.a * r.a) AS loss
FROM (
  SELECT i, j, sum(a) AS a
  FROM (SELECT i, j, a FROM x UNION ALL SELECT u.i, h.j, -u.a * h.a FROM u JOIN h USING (k)) t
  GROUP BY i, j
) r
