-- Triangles of a graph stored in both directions, each counted six times.
-- data: epinions
SELECT count(*)
FROM edge a JOIN edge b ON a.dst = b.src JOIN edge c ON b.dst = c.dst AND a.src = c.src
