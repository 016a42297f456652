-- Breadth-first search of a grid with gaps, as of streets: how many vertices are reached
-- from vertex 0, and the sum of their numbers. A vertex is found once, in the
-- step of its level.
-- data: road
-- target: 10x
WITH RECURSIVE reached(node) AS (
  SELECT 0::BIGINT
  UNION
  SELECT e.dst FROM reached r JOIN edge e ON e.src = r.node
)
SELECT count(*), sum(node) FROM reached
