-- A network of layers of 25, 25 and 1 units (relu, relu, sigmoid) over the 139
-- features of every line item.
-- data: tpch
-- target: 20x
-- cause: the features of all line items are put together, more than half of the time, before the first layer reads them;
-- cause: the units of a layer are stored for every line item.
WITH a1 AS (
  SELECT f.i, w.h1, greatest(sum(f.x * w.w), 0) AS a FROM star f JOIN layer1 w USING (feature) GROUP BY f.i, w.h1
), a2 AS (
  SELECT a1.i, w.h2, greatest(sum(a1.a * w.w), 0) AS a FROM a1 JOIN layer2 w USING (h1) GROUP BY a1.i, w.h2
)
SELECT a2.i, 1 / (1 + exp(-sum(a2.a * w.w))) AS p
FROM a2 JOIN layer3 w USING (h2)
GROUP BY a2.i
