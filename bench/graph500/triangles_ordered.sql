-- Triangles i < j < k.
-- data: rmat
SELECT count(*)
FROM edge a JOIN edge b ON a.dst = b.src JOIN edge c ON b.dst = c.dst AND a.src = c.src
WHERE a.src < a.dst AND b.src < b.dst
