-- Breadth-first search that keeps the level of every vertex: how many vertices
-- are at each distance from vertex 0 of a skewed synthetic graph.
-- data: rmat
-- target: 10x
WITH RECURSIVE reached(node, level) USING KEY (node) AS (
  SELECT 0::BIGINT, 0
  UNION
  SELECT e.dst, min(r.level + 1)
  FROM reached r JOIN edge e ON e.src = r.node
  WHERE e.dst NOT IN (SELECT node FROM recurring.reached)
  GROUP BY e.dst
)
SELECT level, count(*) FROM reached GROUP BY level ORDER BY level
