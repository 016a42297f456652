-- (A .+ B) .* C, summed: an element of the first factor is where A or B has one.
-- data: matrices
-- target: 3x
SELECT sum(s.v * c.v)
FROM (SELECT i, j, v FROM a UNION ALL SELECT i, j, v FROM b) s JOIN c ON c.i = s.i AND c.j = s.j
