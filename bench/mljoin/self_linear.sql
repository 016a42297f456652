-- Linear regression over pairs of line items of one part, 124 features: for every
-- line item its greatest prediction.
-- data: tpch
-- target: 20x
-- timeout: 60s
-- cause: whether each of the three parts of a score has a row is asked cell by cell, and what is made is
-- cause: handed to MAX entry by entry.
SELECT i, max(y) AS best
FROM (SELECT f.i, f.j, sum(f.x * t.w) AS y FROM pair_feature f JOIN theta t USING (feature) GROUP BY f.i, f.j) p
GROUP BY i
