-- Element-wise product of three matrices, A .* B .* C, summed.
-- data: matrices
-- target: 3x
SELECT sum(a.v * b.v * c.v)
FROM a JOIN b ON b.i = a.i AND b.j = a.j JOIN c ON c.i = a.i AND c.j = a.j
