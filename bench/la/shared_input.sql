-- Two aggregates that share an input: sum(X * Y) and sum(X * Z).
-- data: matrices
-- cause: each aggregate is a block of its own that scans X, put together by a statement of DuckDB.
SELECT (SELECT sum(x.a * y.a) FROM x JOIN y USING (i, j)) AS xy, (SELECT sum(x.a * z.a) FROM x JOIN z USING (i, j)) AS xz
