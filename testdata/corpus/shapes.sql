-- Cycles, cliques, stars, chains, diamonds over the graph and the star tables.

-- name: edges
-- expect: tensor
SELECT count(*), count(src), count(dst), sum(w) FROM e;

-- name: out_degree
-- expect: tensor
SELECT src, count(*), sum(w) FROM e GROUP BY src;

-- name: wedge
-- expect: tensor
SELECT count(*) FROM e p JOIN e q ON p.dst = q.src;

-- name: wedge_by_middle
-- expect: tensor
SELECT p.dst, count(*), sum(p.w * q.w) FROM e p JOIN e q ON p.dst = q.src GROUP BY p.dst;

-- name: wedge_by_ends
-- expect: tensor
SELECT p.src, q.dst, count(*) FROM e p JOIN e q ON p.dst = q.src GROUP BY p.src, q.dst;

-- name: shared_target
-- expect: tensor
SELECT p.src, q.src, count(*) FROM e p JOIN e q ON p.dst = q.dst GROUP BY p.src, q.src;

-- name: shared_source
-- expect: tensor
SELECT count(*), sum(p.w * q.w) FROM e p JOIN e q ON p.src = q.src;

-- name: mutual
-- expect: tensor
SELECT count(*) FROM e p JOIN e q ON p.src = q.dst AND p.dst = q.src;

-- name: self_loop
-- expect: tensor
SELECT count(*), sum(w) FROM e WHERE src = dst;

-- name: self_loop_join
-- expect: tensor
SELECT count(*) FROM e p JOIN e q ON p.src = q.src AND p.src = q.dst;

-- name: path_three
-- expect: tensor
SELECT count(*) FROM e p, e q, e r WHERE p.dst = q.src AND q.dst = r.src;

-- name: path_three_sum
-- expect: tensor
SELECT p.src, sum(p.w * q.w * r.w) FROM e p, e q, e r WHERE p.dst = q.src AND q.dst = r.src GROUP BY p.src;

-- name: path_four
-- expect: tensor
SELECT count(*) FROM e p, e q, e r, e s WHERE p.dst = q.src AND q.dst = r.src AND r.dst = s.src;

-- name: triangle
-- expect: tensor
SELECT count(*) FROM e p, e q, e r WHERE p.dst = q.src AND q.dst = r.src AND r.dst = p.src;

-- name: triangle_on
-- expect: tensor
SELECT count(*) FROM e p JOIN e q ON p.dst = q.src JOIN e r ON q.dst = r.src AND r.dst = p.src;

-- name: triangle_transitive
-- expect: tensor
SELECT count(*) FROM e p JOIN e q ON p.dst = q.src JOIN e r ON p.src = r.src AND q.dst = r.dst;

-- name: triangle_per_vertex
-- expect: tensor
SELECT p.src, count(*) FROM e p, e q, e r WHERE p.dst = q.src AND q.dst = r.src AND r.dst = p.src GROUP BY p.src;

-- name: triangle_per_edge
-- expect: tensor
SELECT p.src, p.dst, count(*), max(r.w) FROM e p, e q, e r WHERE p.dst = q.src AND q.dst = r.src AND r.dst = p.src GROUP BY p.src, p.dst;

-- name: triangle_weights
-- expect: tensor
SELECT sum(p.w * q.w * r.w), sum(p.w + q.w + r.w), min(p.w), max(q.w) FROM e p, e q, e r WHERE p.dst = q.src AND q.dst = r.src AND r.dst = p.src;

-- name: triangle_labelled
-- expect: tensor
SELECT count(*) FROM e p, e q, e r, node m, node n WHERE p.dst = q.src AND q.dst = r.src AND r.dst = p.src AND p.src = m.id AND q.src = n.id AND m.label = 'A' AND n.label = 'B';

-- name: triangle_label_groups
-- expect: tensor
SELECT m.label, count(*), sum(m.weight) FROM e p, e q, e r, node m WHERE p.dst = q.src AND q.dst = r.src AND r.dst = p.src AND p.src = m.id GROUP BY m.label;

-- name: triangle_fixed_corner
-- expect: tensor
SELECT count(*) FROM e p, e q, e r WHERE p.dst = q.src AND q.dst = r.src AND r.dst = p.src AND p.src = 1;

-- name: four_cycle
-- expect: tensor
SELECT count(*) FROM e p, e q, e r, e s WHERE p.dst = q.src AND q.dst = r.src AND r.dst = s.src AND s.dst = p.src;

-- name: four_cycle_weights
-- expect: tensor
SELECT count(*), sum(p.w * r.w) FROM e p, e q, e r, e s WHERE p.dst = q.src AND q.dst = r.src AND r.dst = s.src AND s.dst = p.src;

-- name: diamond
-- expect: tensor
SELECT count(*) FROM e p, e q, e r, e s WHERE p.src = r.src AND p.dst = q.src AND r.dst = s.src AND q.dst = s.dst;

-- name: diamond_ends
-- expect: tensor
SELECT p.src, q.dst, count(*) FROM e p, e q, e r, e s WHERE p.src = r.src AND p.dst = q.src AND r.dst = s.src AND q.dst = s.dst GROUP BY p.src, q.dst;

-- name: diamond_distinct
-- expect: tensor
SELECT count(*) FROM e p, e q, e r, e s WHERE p.src = r.src AND p.dst = q.src AND r.dst = s.src AND q.dst = s.dst AND p.dst < r.dst;

-- name: clique_four
-- expect: tensor
SELECT count(*) FROM e ab, e ac, e ad, e bc, e bd, e cd WHERE ab.src = ac.src AND ab.src = ad.src AND ab.dst = bc.src AND ab.dst = bd.src AND ac.dst = bc.dst AND ac.dst = cd.src AND ad.dst = bd.dst AND ad.dst = cd.dst;

-- name: clique_four_group
-- expect: tensor
SELECT ab.src, count(*) FROM e ab, e ac, e ad, e bc, e bd, e cd WHERE ab.src = ac.src AND ab.src = ad.src AND ab.dst = bc.src AND ab.dst = bd.src AND ac.dst = bc.dst AND ac.dst = cd.src AND ad.dst = bd.dst AND ad.dst = cd.dst GROUP BY ab.src;

-- name: tailed_triangle
-- expect: tensor
SELECT count(*) FROM e p, e q, e r, e t WHERE p.dst = q.src AND q.dst = r.src AND r.dst = p.src AND t.src = p.src;

-- name: bow_tie
-- expect: tensor
SELECT count(*) FROM e p, e q, e r, e s, e t, e u WHERE p.dst = q.src AND q.dst = r.src AND r.dst = p.src AND s.src = p.src AND s.dst = t.src AND t.dst = u.src AND u.dst = s.src;

-- name: star_three
-- expect: tensor
SELECT count(*) FROM e p, e q, e r WHERE p.src = q.src AND q.src = r.src;

-- name: star_leaves
-- expect: tensor
SELECT p.src, count(*), sum(p.w * q.w * r.w) FROM e p, e q, e r WHERE p.src = q.src AND q.src = r.src GROUP BY p.src;

-- name: two_hops_labels
-- expect: tensor
SELECT m.label, n.label, count(*) FROM node m, e p, e q, node n WHERE m.id = p.src AND p.dst = q.src AND q.dst = n.id GROUP BY m.label, n.label;

-- name: neighbour_weight
-- expect: tensor
SELECT e.src, sum(n.weight), avg(n.weight), count(n.weight) FROM e JOIN node n ON e.dst = n.id GROUP BY e.src;

-- name: edge_difference
-- expect: tensor
SELECT sum((m.weight - n.weight) * (m.weight - n.weight)) FROM e, node m, node n WHERE e.src = m.id AND e.dst = n.id;

-- name: star_schema
-- expect: tensor
SELECT cust.region, prod.cat, count(*), sum(fact.qty) FROM fact JOIN cust ON fact.cust = cust.id JOIN prod ON fact.prod = prod.id GROUP BY cust.region, prod.cat;

-- name: star_schema_total
-- expect: tensor
SELECT count(*), sum(fact.qty * fact.price), sum(fact.qty), avg(fact.price) FROM fact JOIN cust ON fact.cust = cust.id JOIN prod ON fact.prod = prod.id;

-- name: star_schema_filter
-- expect: tensor
SELECT prod.name, sum(fact.qty) FROM fact JOIN cust ON fact.cust = cust.id JOIN prod ON fact.prod = prod.id WHERE cust.region = 'north' AND fact.day < DATE '2024-02-01' GROUP BY prod.name;

-- name: star_schema_cost
-- expect: tensor
SELECT cust.name, sum(fact.qty * prod.cost) FROM fact JOIN cust ON fact.cust = cust.id JOIN prod ON fact.prod = prod.id GROUP BY cust.name;

-- name: star_schema_margin
-- expect: tensor
-- float: terms up to 1000
SELECT prod.cat, sum(fact.qty * fact.price - fact.qty * prod.cost) FROM fact JOIN prod ON fact.prod = prod.id GROUP BY prod.cat;

-- name: star_schema_credit
-- expect: tensor
SELECT prod.cat, sum(cust.credit), max(cust.credit) FROM fact JOIN cust ON fact.cust = cust.id JOIN prod ON fact.prod = prod.id GROUP BY prod.cat;

-- name: star_schema_top
-- expect: tensor
-- order: total
SELECT cust.name, sum(fact.qty) AS pieces FROM fact JOIN cust ON fact.cust = cust.id GROUP BY cust.name HAVING sum(fact.qty) IS NOT NULL ORDER BY pieces DESC, cust.name LIMIT 3;

-- name: bought_together
-- expect: tensor
SELECT p.prod, q.prod, count(*) FROM fact p JOIN fact q ON p.cust = q.cust WHERE p.prod < q.prod GROUP BY p.prod, q.prod;

-- name: covariance_like
-- expect: tensor
SELECT count(*), sum(p.x * q.y), sum(p.x), sum(q.y) FROM qty p JOIN qty q ON p.k = q.k;

-- name: cross_then_mask_then_join
-- expect: tensor
SELECT c.j, count(*) FROM a, b, c WHERE a.k <= b.k AND b.z = c.v GROUP BY c.j;

-- name: from_first
-- expect: tensor
FROM a JOIN b ON a.k = b.k SELECT a.k, count(*) GROUP BY a.k;

-- name: from_first_inside
-- expect: tensor
WITH q AS (FROM b SELECT k, sum(y) AS s GROUP BY k) FROM a JOIN q USING (k) SELECT count(*), sum(s) WHERE k IN (FROM a SELECT k);

-- name: reserved_alias
-- expect: tensor
SELECT count(*) AS end, sum(a.x) AS order, FROM a JOIN b ON a.k = b.k;

-- name: cast_of_exists
-- expect: tensor
SELECT sum(EXISTS (SELECT 1 FROM b WHERE b.k = a.k)::INT) FROM a;
