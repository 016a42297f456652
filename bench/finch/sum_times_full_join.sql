-- (A .+ B) .* C, summed, with the addition as a full outer join.
-- data: matrices
-- target: 3x
SELECT sum((coalesce(a.v, 0) + coalesce(b.v, 0)) * c.v)
FROM a FULL JOIN b USING (i, j) JOIN c USING (i, j)
