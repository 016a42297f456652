-- Over all pairs of vertices, the squares of the number of their common neighbours.
-- data: epinions
SELECT sum(p.n * p.n)
FROM (
  SELECT a.src AS u, b.dst AS v, count(*) AS n
  FROM edge a JOIN edge b ON a.dst = b.src
  GROUP BY a.src, b.dst
) p
