-- Triangles with one labelled vertex, which has an edge to a vertex of another
-- label outside the triangle or in it.
-- data: rmat
SELECT count(*)
FROM edge a JOIN edge b ON a.dst = b.src JOIN edge c ON b.dst = c.dst AND a.src = c.src
  JOIN edge t ON t.src = a.src
  JOIN vertex x ON x.id = a.src JOIN vertex y ON y.id = t.dst
WHERE x.label = 1 AND y.label = 2
