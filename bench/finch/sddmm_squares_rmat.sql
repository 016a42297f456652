-- Sampled product of two dense matrices with 25 columns: over all edges of a skewed
-- synthetic graph, the dot product of the rows of both ends; the sum of their
-- squares, so that each must be made.
-- data: rmat
-- target: 20x
SELECT sum(s.d * s.d)
FROM (
  SELECT e.src, e.dst, sum(l.x * r.x) AS d
  FROM edge e JOIN lfactor l ON l.v = e.src JOIN rfactor r ON r.v = e.dst AND r.f = l.f
  GROUP BY e.src, e.dst
) s
