-- Triangles, each counted once for each of its six orders.
-- data: rmat
SELECT count(*)
FROM edge a JOIN edge b ON a.dst = b.src JOIN edge c ON b.dst = c.dst AND a.src = c.src
