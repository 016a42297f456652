-- The same in one block of SQL: the joins are X^T X, if the vector does not come first.
-- data: matrices
SELECT t.j, sum(t.a * x.a * v.a) AS g FROM x t JOIN x USING (i) JOIN v ON v.j = x.j GROUP BY t.j
