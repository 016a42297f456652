-- The same with a logarithm, as in a Poisson loss.
-- data: weighted
SELECT sum(s.w * ln(s.d))
FROM (
  SELECT e.src, e.dst, e.w, sum(l.x * r.x) AS d
  FROM wedge e JOIN lfactor l ON l.v = e.src JOIN rfactor r ON r.v = e.dst AND r.f = l.f
  GROUP BY e.src, e.dst, e.w
) s
