-- Shortest paths from vertex 0 of a skewed synthetic graph with weights: how many
-- vertices are reached, the sum of their distances and the largest. A vertex goes
-- into the next step when its distance became smaller (Bellman-Ford).
-- data: rmat
WITH RECURSIVE reached(node, dist) USING KEY (node) AS (
  SELECT 0::BIGINT, 0::BIGINT
  UNION
  SELECT e.dst, min(r.dist + e.w)
  FROM reached r JOIN wedge e ON e.src = r.node
    LEFT JOIN recurring.reached known ON known.node = e.dst
  WHERE known.dist IS NULL OR r.dist + e.w < known.dist
  GROUP BY e.dst
)
SELECT count(*), sum(dist), max(dist) FROM reached
