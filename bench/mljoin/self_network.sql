-- A network of layers of 25, 25 and 1 units (relu, relu, sigmoid) over the 124
-- features of every pair of line items of one part: for every line item the
-- expected number of matches.
-- data: tpch
-- target: 20x
-- timeout: 300s
-- cause: the units of the first layer are stored for every pair of classes of line items, three times, and added up by merging lists.
WITH a1 AS (
  SELECT f.i, f.j, w.h1, greatest(sum(f.x * w.w), 0) AS a FROM pair_feature f JOIN layer1 w USING (feature) GROUP BY f.i, f.j, w.h1
), a2 AS (
  SELECT a1.i, a1.j, w.h2, greatest(sum(a1.a * w.w), 0) AS a FROM a1 JOIN layer2 w USING (h1) GROUP BY a1.i, a1.j, w.h2
), a3 AS (
  SELECT a2.i, a2.j, 1 / (1 + exp(-sum(a2.a * w.w))) AS p FROM a2 JOIN layer3 w USING (h2) GROUP BY a2.i, a2.j
)
SELECT i, sum(p) AS expected FROM a3 GROUP BY i
