-- Two aggregates that share an input: sum(X * Y) and sum(X * Z).
-- data: matrices
SELECT (SELECT sum(x.a * y.a) FROM x JOIN y USING (i, j)) AS xy, (SELECT sum(x.a * z.a) FROM x JOIN z USING (i, j)) AS xz
