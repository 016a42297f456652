-- The covariance matrix, not centred, of the 139 features over all line items.
-- data: tpch
-- target: 1x
SELECT a.feature AS j, b.feature AS k, sum(a.x * b.x) AS c
FROM star a JOIN star b USING (i)
GROUP BY a.feature, b.feature
