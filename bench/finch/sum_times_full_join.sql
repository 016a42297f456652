-- (A .+ B) .* C, summed, with the addition as a full outer join.
-- data: matrices
-- target: 3x
-- cause: the columns that USING merges are keys of their own: the rows of either side alone
-- cause: are stored under them before C is looked up.
SELECT sum((coalesce(a.v, 0) + coalesce(b.v, 0)) * c.v)
FROM a FULL JOIN b USING (i, j) JOIN c USING (i, j)
