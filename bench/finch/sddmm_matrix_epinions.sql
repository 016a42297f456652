-- Sampled product of two dense matrices with 25 columns: for every edge of a social
-- network the dot product of the rows of both ends, as rows.
-- data: epinions
-- target: 20x
SELECT e.src, e.dst, sum(l.x * r.x)
FROM edge e JOIN lfactor l ON l.v = e.src JOIN rfactor r ON r.v = e.dst AND r.f = l.f
GROUP BY e.src, e.dst
