-- The same as one flat join.
-- data: weighted
-- baseline: chain_of_four
SELECT sum(e1.w * e2.w * e3.w * e4.w * x.y)
FROM wedge e1 JOIN wedge e2 ON e1.dst = e2.src JOIN wedge e3 ON e2.dst = e3.src
  JOIN wedge e4 ON e3.dst = e4.src JOIN vec x ON e4.dst = x.v
