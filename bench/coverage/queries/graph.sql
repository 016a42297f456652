-- Patterns in graphs: how many there are, in all and per vertex, with labels, of
-- paths, cycles, cliques, stars; nested counts; similarity; reachability.
-- family: graph
-- data: graph

-- name: graph_degree
SELECT src, count(*) AS degree FROM edge GROUP BY src;

-- name: graph_degree_histogram
-- order: total
SELECT degree, count(*) AS vertices
FROM (SELECT src, count(*) AS degree FROM edge GROUP BY src) d
GROUP BY degree
ORDER BY degree;

-- name: graph_in_out_degree
SELECT v.v, o.n AS following, i.n AS followers
FROM vertex v JOIN (SELECT src, count(*) AS n FROM follows GROUP BY src) o ON o.src = v.v JOIN (SELECT dst, count(*) AS n FROM follows GROUP BY dst) i ON i.dst = v.v
WHERE o.n > i.n;

-- name: graph_wedges
SELECT count(*) FROM edge a JOIN edge b ON a.dst = b.src;

-- name: graph_wedges_open
SELECT count(*) FROM edge a JOIN edge b ON a.dst = b.src WHERE a.src < b.dst;

-- name: graph_paths_3
SELECT count(*) FROM edge a JOIN edge b ON a.dst = b.src JOIN edge c ON b.dst = c.src;

-- name: graph_paths_4
SELECT count(*) FROM edge a JOIN edge b ON a.dst = b.src JOIN edge c ON b.dst = c.src JOIN edge d ON c.dst = d.src;

-- name: graph_paths_simple
SELECT count(*) FROM edge a JOIN edge b ON a.dst = b.src JOIN edge c ON b.dst = c.src WHERE a.src <> b.dst AND a.src <> c.dst AND b.src <> c.dst;

-- name: graph_triangles
SELECT count(*) FROM edge a JOIN edge b ON a.dst = b.src JOIN edge c ON b.dst = c.src AND c.dst = a.src;

-- name: graph_triangles_ordered
SELECT count(*) FROM edge a, edge b, edge c WHERE a.dst = b.src AND b.dst = c.dst AND a.src = c.src AND a.src < a.dst AND b.src < b.dst;

-- name: graph_triangles_per_vertex
SELECT a.src AS v, count(*) AS triangles
FROM edge a JOIN edge b ON a.dst = b.src JOIN edge c ON b.dst = c.src AND c.dst = a.src
GROUP BY a.src;

-- name: graph_triangles_per_edge
SELECT a.src, a.dst, count(*) AS support
FROM edge a JOIN edge b ON b.src = a.src JOIN edge c ON c.src = a.dst AND c.dst = b.dst
WHERE a.src < a.dst
GROUP BY a.src, a.dst
HAVING count(*) >= 5;

-- name: graph_triangles_top
-- order: total
SELECT a.src AS v, count(*) AS triangles
FROM edge a JOIN edge b ON a.dst = b.src JOIN edge c ON b.dst = c.src AND c.dst = a.src
GROUP BY a.src
ORDER BY triangles DESC, v
LIMIT 20;

-- name: graph_triangles_one_colour
-- order: total
SELECT x.color, count(*) AS triangles
FROM edge a JOIN edge b ON a.dst = b.src JOIN edge c ON b.dst = c.src AND c.dst = a.src JOIN vertex x ON x.v = a.src JOIN vertex y ON y.v = a.dst
  JOIN vertex z ON z.v = b.dst
WHERE x.color = y.color AND y.color = z.color
GROUP BY x.color
ORDER BY x.color;

-- name: graph_triangles_labelled
SELECT count(*)
FROM vertex x, vertex y, vertex z, edge a, edge b, edge c
WHERE x.label = 1 AND y.label = 2 AND z.label = 3 AND a.src = x.v AND a.dst = y.v AND b.src = y.v AND b.dst = z.v AND c.src = z.v AND c.dst = x.v;

-- name: graph_triangle_weights
SELECT sum(x.weight * y.weight * z.weight)
FROM vertex x, vertex y, vertex z, edge a, edge b, edge c
WHERE a.src = x.v AND a.dst = y.v AND b.src = y.v AND b.dst = z.v AND c.src = z.v AND c.dst = x.v;

-- name: graph_triangles_exist
SELECT count(*) AS vertices
FROM (SELECT DISTINCT a.src FROM edge a JOIN edge b ON a.dst = b.src JOIN edge c ON b.dst = c.src AND c.dst = a.src) t;

-- name: graph_triangles_by_community
SELECT x.community, count(*) AS triangles
FROM edge a JOIN edge b ON a.dst = b.src JOIN edge c ON b.dst = c.src AND c.dst = a.src JOIN vertex x ON x.v = a.src
GROUP BY x.community;

-- name: graph_transitivity
SELECT t.n / w.n AS transitivity
FROM (SELECT count(*) AS n FROM edge a JOIN edge b ON a.dst = b.src JOIN edge c ON b.dst = c.src AND c.dst = a.src) t,
  (SELECT sum(d.n * (d.n - 1)) AS n FROM (SELECT count(*) AS n FROM edge GROUP BY src) d) w;

-- name: graph_clustering
SELECT t.v, t.n / (d.n * (d.n - 1)) AS clustering
FROM (SELECT a.src AS v, count(*) AS n FROM edge a JOIN edge b ON a.dst = b.src JOIN edge c ON b.dst = c.src AND c.dst = a.src GROUP BY a.src) t
  JOIN (SELECT src AS v, count(*) AS n FROM edge GROUP BY src) d ON d.v = t.v
WHERE d.n > 1;

-- name: graph_clustering_mean
SELECT avg(t.n / (d.n * (d.n - 1))) AS clustering
FROM (SELECT a.src AS v, count(*) AS n FROM edge a JOIN edge b ON a.dst = b.src JOIN edge c ON b.dst = c.src AND c.dst = a.src GROUP BY a.src) t
  JOIN (SELECT src AS v, count(*) AS n FROM edge GROUP BY src) d ON d.v = t.v
WHERE d.n > 1;

-- name: graph_cycles_4
SELECT count(*) FROM edge a, edge b, edge c, edge d WHERE a.dst = b.src AND b.dst = c.src AND c.dst = d.src AND d.dst = a.src;

-- name: graph_cycles_4_simple
SELECT count(*)
FROM edge a, edge b, edge c, edge d
WHERE a.dst = b.src AND b.dst = c.src AND c.dst = d.src AND d.dst = a.src AND a.src < b.dst AND a.dst < c.dst;

-- name: graph_cycles_4_per_vertex
SELECT a.src AS v, count(*) AS cycles
FROM edge a, edge b, edge c, edge d
WHERE a.dst = b.src AND b.dst = c.src AND c.dst = d.src AND d.dst = a.src
GROUP BY a.src;

-- name: graph_cycles_5
SELECT count(*)
FROM edge a, edge b, edge c, edge d, edge e
WHERE a.dst = b.src AND b.dst = c.src AND c.dst = d.src AND d.dst = e.src AND e.dst = a.src;

-- name: graph_cycles_4_labelled
SELECT count(*)
FROM vertex w, vertex x, vertex y, vertex z, edge a, edge b, edge c, edge d
WHERE w.label = 0 AND x.label = 1 AND y.label = 0 AND z.label = 2 AND a.src = w.v AND a.dst = x.v AND b.src = x.v AND b.dst = y.v AND c.src = y.v AND c.dst = z.v
  AND d.src = z.v AND d.dst = w.v;

-- name: graph_cliques_4
SELECT count(*)
FROM edge ab, edge ac, edge ad, edge bc, edge bd, edge cd
WHERE ab.src = ac.src AND ac.src = ad.src AND ab.dst = bc.src AND bc.src = bd.src AND ac.dst = bc.dst AND bc.dst = cd.src AND ad.dst = bd.dst AND bd.dst = cd.dst
  AND ab.src < ab.dst AND bc.src < bc.dst AND cd.src < cd.dst;

-- name: graph_cliques_4_per_vertex
SELECT ab.src AS v, count(*) AS cliques
FROM edge ab, edge ac, edge ad, edge bc, edge bd, edge cd
WHERE ab.src = ac.src AND ac.src = ad.src AND ab.dst = bc.src AND bc.src = bd.src AND ac.dst = bc.dst AND bc.dst = cd.src AND ad.dst = bd.dst AND bd.dst = cd.dst
GROUP BY ab.src;

-- name: graph_diamonds
SELECT count(*)
FROM edge ab, edge ac, edge bd, edge cd, edge bc
WHERE ab.src = ac.src AND ab.dst = bd.src AND ac.dst = cd.src AND bd.dst = cd.dst AND bc.src = ab.dst AND bc.dst = ac.dst AND ab.src <> bd.dst;

-- name: graph_tailed_triangles
SELECT count(*)
FROM edge a JOIN edge b ON a.dst = b.src JOIN edge c ON b.dst = c.src AND c.dst = a.src JOIN edge t ON t.src = a.src
WHERE t.dst <> a.dst AND t.dst <> b.dst;

-- name: graph_bowties
SELECT sum(t.n * t.n) AS bowties
FROM (SELECT a.src AS v, count(*) AS n FROM edge a JOIN edge b ON a.dst = b.src JOIN edge c ON b.dst = c.src AND c.dst = a.src GROUP BY a.src) t;

-- name: graph_stars_3
SELECT count(*) FROM edge a JOIN edge b ON a.src = b.src JOIN edge c ON a.src = c.src;

-- name: graph_stars_3_from_degrees
SELECT sum(d.n * (d.n - 1) * (d.n - 2)) // 6 AS stars FROM (SELECT count(*) AS n FROM edge GROUP BY src) d;

-- name: graph_star_labelled
SELECT count(*)
FROM vertex m JOIN edge a ON a.src = m.v JOIN edge b ON b.src = m.v JOIN edge c ON c.src = m.v JOIN vertex x ON x.v = a.dst JOIN vertex y ON y.v = b.dst
  JOIN vertex z ON z.v = c.dst
WHERE m.color = 'red' AND x.color = 'blue' AND y.color = 'green' AND z.color = 'gold';

-- name: graph_path_labelled
SELECT count(*)
FROM vertex w, vertex x, vertex y, vertex z, edge a, edge b, edge c
WHERE w.label = 3 AND x.label = 5 AND y.label = 7 AND z.label = 1 AND a.src = w.v AND a.dst = x.v AND b.src = x.v AND b.dst = y.v AND c.src = y.v AND c.dst = z.v;

-- name: graph_edges_between_colours
-- order: total
SELECT x.color AS one, y.color AS other, count(*) AS edges
FROM vertex x JOIN edge e ON e.src = x.v JOIN vertex y ON y.v = e.dst
GROUP BY one, other
ORDER BY one, other;

-- name: graph_modularity_parts
SELECT x.community, count(*) FILTER (WHERE x.community = y.community) AS inside, count(*) AS total
FROM vertex x JOIN edge e ON e.src = x.v JOIN vertex y ON y.v = e.dst
GROUP BY x.community;

-- name: graph_assortativity
SELECT corr(a.n, b.n) AS assortativity
FROM edge e JOIN (SELECT src AS v, count(*) AS n FROM edge GROUP BY src) a ON a.v = e.src JOIN (SELECT src AS v, count(*) AS n FROM edge GROUP BY src) b ON b.v = e.dst;

-- name: graph_neighbour_degree
SELECT e.src AS v, avg(d.n) AS mean_degree
FROM edge e JOIN (SELECT src, count(*) AS n FROM edge GROUP BY src) d ON d.src = e.dst
GROUP BY e.src;

-- name: graph_common_neighbours
-- order: total
SELECT a.src AS u, b.src AS v, count(*) AS common
FROM edge a JOIN edge b ON a.dst = b.dst
WHERE a.src < b.src
GROUP BY u, v
ORDER BY common DESC, u, v
LIMIT 50;

-- name: graph_common_neighbours_squared
SELECT sum(p.n * p.n) FROM (SELECT a.src AS u, b.dst AS v, count(*) AS n FROM edge a JOIN edge b ON a.dst = b.src GROUP BY a.src, b.dst) p;

-- name: graph_jaccard
-- order: total
SELECT p.v, p.common / (d.n + s.n - p.common) AS jaccard
FROM (SELECT b.src AS v, count(*) AS common FROM edge a JOIN edge b ON a.dst = b.dst WHERE a.src = 17 AND b.src <> 17 GROUP BY b.src) p
  JOIN (SELECT src, count(*) AS n FROM edge GROUP BY src) d ON d.src = p.v, (SELECT count(*) AS n FROM edge WHERE src = 17) s
ORDER BY jaccard DESC, p.v
LIMIT 10;

-- name: graph_adamic_adar
-- order: total
SELECT b.src AS v, sum(1 / ln(d.n)) AS score
FROM edge a JOIN edge b ON a.dst = b.dst JOIN (SELECT src, count(*) AS n FROM edge GROUP BY src) d ON d.src = a.dst
WHERE a.src = 17 AND b.src <> 17 AND d.n > 1
GROUP BY b.src
ORDER BY score DESC, v
LIMIT 10;

-- name: graph_friends_of_friends
-- order: total
SELECT b.dst AS suggestion, count(*) AS common
FROM follows a JOIN follows b ON a.dst = b.src
WHERE a.src = 42 AND b.dst <> 42 AND b.dst NOT IN (SELECT dst FROM follows WHERE src = 42)
GROUP BY b.dst
ORDER BY common DESC, suggestion
LIMIT 10;

-- name: graph_friends_of_friends_all
SELECT count(*) AS pairs
FROM (SELECT DISTINCT a.src, b.dst FROM follows a JOIN follows b ON a.dst = b.src) p;

-- name: graph_mutual
SELECT count(*) FROM follows a JOIN follows b ON a.src = b.dst AND a.dst = b.src WHERE a.src < a.dst;

-- name: graph_not_mutual
SELECT a.src, count(*) AS unanswered
FROM follows a
WHERE NOT EXISTS (SELECT 1 FROM follows b WHERE b.src = a.dst AND b.dst = a.src)
GROUP BY a.src;

-- name: graph_leaves
SELECT count(*) FROM tree p LEFT JOIN tree c ON c.parent = p.node WHERE c.node IS NULL;

-- name: graph_degree_with_zero
SELECT v.v, count(e.dst) AS degree FROM vertex v LEFT JOIN edge e ON e.src = v.v GROUP BY v.v;

-- name: graph_feed_forward_loops
SELECT count(*) FROM follows a JOIN follows b ON a.dst = b.src JOIN follows c ON c.src = a.src AND c.dst = b.dst;

-- name: graph_directed_triangles
SELECT count(*) FROM follows a JOIN follows b ON a.dst = b.src JOIN follows c ON c.src = b.dst AND c.dst = a.src WHERE a.src <> a.dst AND b.src <> b.dst;

-- name: graph_path_weights
SELECT sum(a.w * b.w) FROM wedge a JOIN wedge b ON a.dst = b.src;

-- name: graph_two_hops_shortest
SELECT b.dst, min(a.hops + b.hops) AS distance FROM wedge a JOIN wedge b ON a.dst = b.src WHERE a.src = 42 GROUP BY b.dst;

-- name: graph_widest_path
SELECT b.dst, max(least(a.w, b.w)) AS width FROM wedge a JOIN wedge b ON a.dst = b.src WHERE a.src = 42 GROUP BY b.dst;

-- name: graph_pagerank_step
SELECT e.dst, 0.15 / 1000 + 0.85 * sum(r.r / d.n) AS rank
FROM follows e JOIN (SELECT v, 1.0 / 1000 AS r FROM vertex) r ON r.v = e.src JOIN (SELECT src, count(*) AS n FROM follows GROUP BY src) d ON d.src = e.src
GROUP BY e.dst;

-- name: graph_two_steps_of_weights
SELECT e.src AS v, sum(e.w * y.y) AS y
FROM wedge e JOIN (SELECT e.src AS v, sum(e.w * x.weight) AS y FROM wedge e JOIN vertex x ON x.v = e.dst GROUP BY e.src) y ON y.v = e.dst
GROUP BY e.src;

-- name: graph_label_vote
SELECT e.src AS v, x.label, count(*) AS votes FROM edge e JOIN vertex x ON x.v = e.dst GROUP BY e.src, x.label HAVING count(*) >= 4;

-- name: graph_neighbourhood_frontier
SELECT e.dst AS v FROM seed s JOIN edge e ON e.src = s.v WHERE e.dst NOT IN (SELECT v FROM seed) GROUP BY e.dst;

-- name: graph_two_hops_reach
SELECT s.v, count(DISTINCT b.dst) AS reached FROM seed s JOIN edge a ON a.src = s.v JOIN edge b ON b.src = a.dst GROUP BY s.v;

-- name: graph_three_hops_exist
SELECT count(*) FROM vertex v
WHERE v.label = 2 AND EXISTS (SELECT 1 FROM edge a JOIN edge b ON b.src = a.dst JOIN vertex w ON w.v = b.dst WHERE a.src = v.v AND w.label = 5 AND w.color = 'gold');

-- name: graph_reachable
WITH RECURSIVE reached (v) AS (
  SELECT 42::BIGINT
  UNION
  SELECT t.parent FROM reached r JOIN tree t ON t.node = r.v WHERE t.parent IS NOT NULL
)
SELECT count(*) FROM reached;

-- name: graph_component
WITH RECURSIVE reached (v) AS (
  SELECT v FROM seed WHERE v < 200
  UNION
  SELECT e.dst FROM reached r JOIN edge e ON e.src = r.v
)
SELECT count(*), min(v), max(v) FROM reached;

-- name: graph_levels
-- order: total
WITH RECURSIVE search (v, level) AS (
  SELECT 5::BIGINT, 0
  UNION
  SELECT e.dst, s.level + 1 FROM search s JOIN edge e ON e.src = s.v WHERE s.level < 3
)
SELECT level, count(*) AS vertices FROM (SELECT v, min(level) AS level FROM search GROUP BY v) f GROUP BY level ORDER BY level;

-- name: graph_tree_depth
WITH RECURSIVE down (node, depth) AS (
  SELECT node, 0 FROM tree WHERE parent IS NULL
  UNION ALL
  SELECT t.node, d.depth + 1 FROM down d JOIN tree t ON t.parent = d.node
)
SELECT max(depth) AS deepest, avg(depth) AS mean, count(*) AS nodes FROM down;

-- name: graph_subtree_sizes
WITH RECURSIVE up (node, ancestor) AS (
  SELECT node, node FROM tree WHERE node < 2000
  UNION ALL
  SELECT u.node, t.parent FROM up u JOIN tree t ON t.node = u.ancestor WHERE t.parent IS NOT NULL
)
SELECT u.ancestor, sum(t.size) AS total FROM up u JOIN tree t ON t.node = u.node GROUP BY u.ancestor HAVING sum(t.size) > 500;

-- name: graph_siblings
SELECT count(*) FROM tree a JOIN tree b ON a.parent = b.parent WHERE a.node < b.node;

-- name: graph_shortest_distances
WITH RECURSIVE distance (v, d) USING KEY (v) AS (
  SELECT 42::BIGINT, 0::BIGINT
  UNION
  SELECT e.dst, min(s.d + e.hops)::BIGINT
  FROM distance s JOIN wedge e ON e.src = s.v LEFT JOIN recurring.distance k ON k.v = e.dst
  WHERE s.d + e.hops < coalesce(k.d, 12)
  GROUP BY e.dst
)
SELECT d, count(*) AS vertices FROM distance GROUP BY d;

-- name: graph_bipartite_paths
SELECT count(*) FROM rated a JOIN rated b ON a.item = b.item WHERE a.person < b.person AND a.stars = 5 AND b.stars = 5;

-- name: graph_recommend
-- order: total
SELECT c.item, count(*) AS support, avg(c.stars) AS stars
FROM rated a JOIN rated b ON a.item = b.item JOIN rated c ON c.person = b.person
WHERE a.person BETWEEN 5 AND 9 AND a.stars >= 4 AND b.stars >= 4 AND b.person NOT BETWEEN 5 AND 9
GROUP BY c.item
ORDER BY support DESC, c.item
LIMIT 20;

-- name: graph_item_similarity
-- order: total
SELECT b.item, sum(a.stars * b.stars) / sqrt(sum(a.stars * a.stars) * sum(b.stars * b.stars)) AS cosine, count(*) AS common
FROM rated a JOIN rated b ON a.person = b.person
WHERE a.item = 3 AND b.item <> 3
GROUP BY b.item
HAVING count(*) >= 2
ORDER BY cosine DESC, common DESC, b.item
LIMIT 20;

-- name: graph_butterflies
SELECT sum(p.n * (p.n - 1) // 2) AS butterflies
FROM (SELECT a.person AS u, b.person AS v, count(*) AS n FROM rated a JOIN rated b ON a.item = b.item WHERE a.person < b.person GROUP BY u, v) p;

-- name: graph_kinds_per_colour
SELECT v.color, i.kind, count(DISTINCT r.person) AS people, avg(r.stars) AS stars
FROM rated r JOIN vertex v ON v.v = r.person JOIN item i ON i.item = r.item
GROUP BY v.color, i.kind;
