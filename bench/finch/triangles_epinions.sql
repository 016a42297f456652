-- Triangles of a social network, each counted once for each of its six
-- orders.
-- data: epinions
-- target: 20x
SELECT count(*)
FROM edge a JOIN edge b ON a.dst = b.src JOIN edge c ON b.dst = c.dst AND a.src = c.src
