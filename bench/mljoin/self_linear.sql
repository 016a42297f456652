-- Linear regression over pairs of line items of one part, 124 features: for every
-- line item its greatest prediction.
-- data: tpch
-- target: 20x
-- timeout: 60s
SELECT i, max(y) AS best
FROM (SELECT f.i, f.j, sum(f.x * t.w) AS y FROM pair_feature f JOIN theta t USING (feature) GROUP BY f.i, f.j) p
GROUP BY i
