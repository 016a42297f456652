-- Triangles with a tail of two edges that ends at a labelled vertex.
-- data: rmat
SELECT count(*)
FROM edge a JOIN edge b ON a.dst = b.src JOIN edge c ON b.dst = c.dst AND a.src = c.src
  JOIN edge t ON t.src = a.src JOIN edge u ON u.src = t.dst
  JOIN vertex y ON y.id = u.dst
WHERE y.label = 3
