-- Sampled dense-dense product of rank 32: the squares of the dot products of
-- both ends' factors, over all edges.
-- data: weighted
SELECT sum(s.d * s.d)
FROM (
  SELECT e.src, e.dst, sum(l.x * r.x) AS d
  FROM wedge e JOIN lfactor l ON l.v = e.src JOIN rfactor r ON r.v = e.dst AND r.f = l.f
  GROUP BY e.src, e.dst
) s
