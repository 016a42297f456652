-- The covariance matrix, not centred, of the 124 features over all pairs of line
-- items of one part.
-- data: tpch
-- timeout: 60s
-- target: 1x
SELECT a.feature AS k, b.feature AS l, sum(a.x * b.x) AS c
FROM pair_feature a JOIN pair_feature b USING (i, j)
GROUP BY a.feature, b.feature
