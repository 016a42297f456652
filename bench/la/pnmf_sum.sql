-- The sum of all cells of a product of factors, part of the loss of Poisson
-- non-negative matrix factorisation: sum(U H^T).
-- data: matrices
SELECT sum(u.a * h.a) AS s FROM u JOIN h USING (k)
