-- The number of triangles at every vertex, each counted twice.
-- data: rmat
SELECT a.src, count(*)
FROM edge a JOIN edge b ON a.dst = b.src JOIN edge c ON b.dst = c.dst AND a.src = c.src
GROUP BY a.src
