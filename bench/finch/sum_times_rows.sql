-- (A .+ B) .* C, the sums of its rows.
-- data: matrices
-- target: 3x
SELECT c.i, sum(s.v * c.v)
FROM (SELECT i, j, v FROM a UNION ALL SELECT i, j, v FROM b) s JOIN c ON c.i = s.i AND c.j = s.j
GROUP BY c.i
