-- One statement for each shape that the logical optimizer is known by: the
-- product chain, cycles, regressions, nested aggregates. Plans of some of them
-- are in testdata/plans/shapes.txt.

-- A matrix chain times a vector: the vector side goes first.
-- name: chain_times_vector
-- expect: tensor
SELECT a.src, sum(a.w * b.w * c.w * v.n) FROM e a, e b, e c, cal v WHERE a.dst = b.src AND b.dst = c.src AND c.dst = v.n GROUP BY a.src;

-- A triangle is one kernel over its three indices.
-- name: triangle_one_kernel
-- expect: tensor
SELECT count(*) FROM simple p, simple q, simple r WHERE p.dst = q.src AND q.dst = r.src AND r.dst = p.src;

-- A four-cycle goes through the pairs with a common neighbour.
-- name: four_cycle_pairs
-- expect: tensor
SELECT count(*) FROM simple p, simple q, simple r, simple s WHERE p.dst = q.src AND q.dst = r.src AND r.dst = s.src AND s.dst = p.src;

-- A path goes through degrees.
-- name: three_edges
-- expect: tensor
SELECT count(*) FROM simple p, simple q, simple r WHERE p.dst = q.src AND q.dst = r.src;

-- A labelled triangle with a tail.
-- name: triangle_label_tail
-- expect: tensor
SELECT count(*) FROM e p, e q, e r, e t, node m, node n WHERE p.dst = q.src AND q.dst = r.src AND r.dst = p.src AND t.src = r.src AND m.id = p.src AND m.label = 'A' AND n.id = t.dst AND n.label = 'B';

-- A star regression: the facts times the sum of the dimensions' features.
-- name: star_regression
-- expect: tensor
SELECT f.cust, sum(f.qty * (p.cost + c.credit + q.x)) FROM fact f, prod p, cust c, qty q WHERE f.prod = p.id AND f.cust = c.id AND f.cust = q.k GROUP BY f.cust;

-- The squared error of a product of two vectors.
-- name: squared_error
-- expect: tensor
SELECT sum((e.w - u.x * v.x) * (e.w - u.x * v.x)) FROM e, qty u, qty v WHERE e.src = u.k AND e.dst = v.k;

-- A product of matrices summed to a scalar.
-- name: product_summed
-- expect: tensor
SELECT sum(p.w * q.w), count(*) FROM e p JOIN e q ON p.dst = q.src;

-- A sum of roots of sums: the inner sum is finished first.
-- name: roots_of_sums
-- expect: tensor
-- float: terms up to 100
SELECT sum(sqrt(t.s)) FROM (SELECT e.src, sum(e.w * e.w * n.id) AS s FROM e JOIN node n ON e.dst = n.id GROUP BY e.src) t;

-- name: roots_of_sums_by_label
-- expect: tensor
-- float: terms up to 100
SELECT m.label, sum(sqrt(t.s)), max(sqrt(t.s)) FROM (SELECT e.src, sum(e.w * e.w * n.id) AS s FROM e JOIN node n ON e.dst = n.id GROUP BY e.src) t JOIN node m ON t.src = m.id GROUP BY m.label;

-- A maximum of sums.
-- name: largest_of_sums
-- expect: tensor
SELECT t.k, max(t.s) FROM (SELECT p.src AS i, q.dst AS k, sum(p.w * q.w) AS s FROM e p JOIN e q ON p.dst = q.src GROUP BY p.src, q.dst) t GROUP BY t.k;

-- A minimum of a sum of weights: the shortest of the paths of two edges.
-- name: shortest_of_two
-- expect: tensor
SELECT p.src, min(p.w + q.w + n.id) FROM e p JOIN e q ON p.dst = q.src JOIN node n ON q.dst = n.id GROUP BY p.src;

-- A sampled product: the sparse factor filters the sum.
-- name: sampled_product
-- expect: tensor
SELECT s.src, s.dst, sum(s.w * u.w * v.w) FROM e s JOIN e u ON u.src = s.src JOIN e v ON v.src = s.dst AND v.dst = u.dst GROUP BY s.src, s.dst;

-- name: sampled_product_nested
-- expect: tensor
SELECT e.src, e.dst, sum(e.w * t.s) FROM e JOIN (SELECT u.src AS i, v.src AS j, sum(u.w * v.w) AS s FROM e u JOIN e v ON u.dst = v.dst GROUP BY u.src, v.src) t ON e.src = t.i AND e.dst = t.j GROUP BY e.src, e.dst;

-- A sum with one array in each of its parts.
-- name: sum_of_parts
-- expect: tensor
SELECT a.k, sum(a.x * (b.y + c.v)) FROM a JOIN b ON a.k = b.k JOIN c ON b.k = c.k GROUP BY a.k;

-- Two facts meet on a customer: both are summed before they meet.
-- name: fact_times_fact
-- expect: tensor
SELECT c.region, sum(f.qty * g.qty), count(*) FROM fact f JOIN fact g ON f.cust = g.cust JOIN cust c ON f.cust = c.id GROUP BY c.region;

-- Distinct pairs, counted.
-- name: distinct_counted
-- expect: tensor
SELECT t.k, count(*), count(t.v) FROM (SELECT DISTINCT a.k, c.v FROM a JOIN b ON a.k = b.k JOIN c ON b.z = c.v) t GROUP BY t.k;

-- A selective dimension of a dimension: the chain of filters goes before the facts.
-- name: selective_dimension
-- expect: tensor
SELECT r.cust, sum(r.qty) FROM fact r JOIN cust d ON r.cust = d.id JOIN (SELECT region FROM cust GROUP BY region HAVING count(*) = 1) f ON d.region = f.region GROUP BY r.cust;

-- A sum of two tables' columns.
-- name: sum_of_two_tables
-- expect: tensor
SELECT b.tag, sum(a.x + b.y), count(a.x + b.y), count(*) FROM a JOIN b ON a.k = b.k GROUP BY b.tag;

-- An outer join with values of both sides.
-- name: outer_join_of_values
-- expect: tensor
SELECT a.k, count(*), sum(a.x), sum(b.y) FROM a LEFT JOIN b ON a.k = b.k GROUP BY a.k;

-- Groups whose sum is zero, and one without a value.
-- name: zero_groups
-- expect: tensor
SELECT z.g, sum(z.x), count(*) FROM zero_sum z JOIN one ON z.k >= one.k GROUP BY z.g;

-- A rectifier between two sums, the outer one along a foreign key.
-- name: rectified_sums
-- expect: tensor
SELECT t.region, sum(greatest(t.s, 0)) FROM (SELECT c.id, c.region, sum(c.credit * x.w) AS s FROM cust c JOIN e x ON c.id = x.src GROUP BY c.id, c.region) t JOIN fact f ON f.cust = t.id GROUP BY t.region;

-- name: rectified_doubles
-- expect: tensor
SELECT t.cat, sum(greatest(t.s, 0)), max(greatest(t.s, 0)) FROM (SELECT f.cust, p.cat, sum(f.qty * p.cost) AS s FROM fact f JOIN prod p ON f.prod = p.id GROUP BY f.cust, p.cat) t GROUP BY t.cat;

-- The sum of squared counts of common neighbours, and the same unnested.
-- name: squared_counts
-- expect: tensor
SELECT sum(c.n * c.n), count(*) FROM (SELECT p.src AS x, q.dst AS y, count(*) AS n FROM simple p JOIN simple q ON p.dst = q.src GROUP BY p.src, q.dst) c;

-- name: squared_counts_unnested
-- expect: tensor
SELECT count(*) FROM simple p JOIN simple q ON p.dst = q.src JOIN simple r ON p.src = r.src JOIN simple s ON r.dst = s.src AND s.dst = q.dst;
