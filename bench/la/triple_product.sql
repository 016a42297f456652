-- The sum of an element-wise product of three matrices: sum(X * Y * Z).
-- data: matrices
SELECT sum(x.a * y.a * z.a) AS s FROM x JOIN y USING (i, j) JOIN z USING (i, j)
