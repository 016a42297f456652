-- Logistic regression: the probability for every line item from the 139 features of
-- its order, customer, supplier and part.
-- data: tpch
-- target: 20x
-- cause: at the size of all suites together kernels take less than half of the time: the rest is memory,
-- cause: binding steps and reading rows in one thread.
SELECT f.i, 1 / (1 + exp(-sum(f.x * t.w))) AS p
FROM star f JOIN theta t USING (feature)
GROUP BY f.i
