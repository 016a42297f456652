-- Walks of three edges.
-- data: rmat
SELECT count(*)
FROM edge a JOIN edge b ON a.dst = b.src JOIN edge c ON b.dst = c.src
