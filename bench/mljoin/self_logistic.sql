-- Logistic regression over pairs of line items of one part, 124 features: for every
-- line item the expected number of matches.
-- data: tpch
-- target: 20x
-- timeout: 60s
SELECT i, sum(p) AS expected
FROM (SELECT f.i, f.j, 1 / (1 + exp(-sum(f.x * t.w))) AS p FROM pair_feature f JOIN theta t USING (feature) GROUP BY f.i, f.j) p
GROUP BY i
