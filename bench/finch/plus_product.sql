-- A .+ B .* C, squared and summed: an element is where A has one, or both B and C.
-- data: matrices
-- target: 3x
SELECT sum(d.v * d.v)
FROM (
  SELECT i, j, sum(v) AS v
  FROM (SELECT i, j, v FROM a UNION ALL SELECT b.i, b.j, b.v * c.v FROM b JOIN c ON c.i = b.i AND c.j = b.j) s
  GROUP BY i, j
) d
