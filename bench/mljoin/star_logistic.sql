-- Logistic regression: the probability for every line item from the 139 features of
-- its order, customer, supplier and part.
-- data: tpch
-- target: 20x
-- cause: the sums of the four parts of the union, which run over indices of different tables, are stored
-- cause: for every line item before they are added up; exp takes a tenth of the time, in one thread.
SELECT f.i, 1 / (1 + exp(-sum(f.x * t.w))) AS p
FROM star f JOIN theta t USING (feature)
GROUP BY f.i
