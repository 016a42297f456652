-- Pairs of vertex and number of steps, at most three, on some walk from vertex 0
-- of a skewed synthetic graph: the form for systems that cannot see what was
-- found before.
-- data: rmat
WITH RECURSIVE reached(node, level) AS (
  SELECT 0::BIGINT, 0
  UNION
  SELECT e.dst, r.level + 1 FROM reached r JOIN edge e ON e.src = r.node WHERE r.level < 3
)
SELECT level, count(*) FROM reached GROUP BY level ORDER BY level
