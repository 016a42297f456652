-- Statements that tell small mistakes of an engine from right answers where
-- the other files do not.

-- name: decimal_plus_integer_of_two_tables
-- expect: tensor
SELECT sum(rate.f + a.x), sum(a.x - rate.f) FROM rate JOIN a ON rate.k = a.k;

-- name: decimal_sum_of_two_scales
-- expect: tensor
SELECT p.k, sum(p.f + q.i * q.f), count(p.f - q.f * q.f) FROM rate p JOIN rate q ON p.k = q.k GROUP BY p.k;

-- name: derived_sum_null_is_not_counted
-- expect: tensor
SELECT count(t.s), avg(t.s), sum(t.s), min(t.s), max(t.s) FROM (SELECT g, k, sum(x) AS s FROM zero_sum GROUP BY g, k) t;

-- name: derived_sum_null_joined
-- expect: tensor
SELECT c.v, count(t.s), avg(t.s), sum(t.s * c.j), min(t.s) FROM (SELECT k, sum(x) AS s FROM zero_sum GROUP BY k) t JOIN c ON t.k = c.k GROUP BY c.v;

-- name: two_parameters_in_one_predicate
-- expect: tensor
-- params: 3 ;; 0
SELECT count(*), sum(b.y) FROM a JOIN b ON a.k = b.k WHERE a.y >= $1 AND a.x > $2;

-- name: same_predicate_other_parameters
-- expect: tensor
-- params: 0 ;; 3
SELECT count(*), sum(b.y) FROM a JOIN b ON a.k = b.k WHERE a.y >= $1 AND a.x > $2;

-- name: max_of_sum_skips_null_beside_infinity
-- expect: tensor
SELECT max(p.f + q.f) FROM odd p JOIN node n ON p.k = n.id CROSS JOIN odd q WHERE q.k = 2 AND p.k > 3 AND p.k < 6;

-- Fibers of a table whose rows are distinct are marked by bytes.
-- name: simple_triangle
-- expect: tensor
SELECT count(*) FROM simple p, simple q, simple r WHERE p.dst = q.src AND q.dst = r.src AND r.dst = p.src;

-- name: simple_transitive
-- expect: tensor
SELECT count(*) FROM simple p, simple q, simple r WHERE p.dst = q.src AND r.src = p.src AND r.dst = q.dst;

-- name: simple_transitive_by_corner
-- expect: tensor
SELECT p.src, count(*) FROM simple p, simple q, simple r WHERE p.dst = q.src AND r.src = p.src AND r.dst = q.dst GROUP BY p.src;

-- name: simple_star_of_three
-- expect: tensor
SELECT p.dst, q.dst, r.dst, count(*) FROM simple p, simple q, simple r WHERE p.src = q.src AND q.src = r.src GROUP BY p.dst, q.dst, r.dst;

-- name: simple_star_by_parity
-- expect: tensor
SELECT p.src % 2, q.dst, r.dst, count(*), sum(p.dst) FROM simple p, simple q, simple r WHERE p.dst = q.src AND p.dst = r.src GROUP BY p.src % 2, q.dst, r.dst;

-- A hash workspace that grows: no dense one has room for so many coordinates.
-- name: hash_of_many_groups
-- expect: tensor
SELECT p.src, q.dst, r.dst, count(*), sum(p.dst) FROM link p, link q, link r WHERE p.dst = q.src AND p.dst = r.src GROUP BY p.src, q.dst, r.dst;

-- One that is emptied for every p.src.
-- name: hash_below_a_prefix
-- expect: tensor
SELECT p.src, q.dst, r.dst, count(*), sum(p.dst) FROM link p, link q, link r WHERE p.dst = q.src AND p.dst = r.src AND p.src < 9 GROUP BY p.src, q.dst, r.dst;

-- The domain of simple has its values in order: comparisons bound the loops.
-- name: simple_ordered_path
-- expect: tensor
SELECT count(*) FROM simple p, simple q WHERE p.dst = q.src AND p.src < q.dst;

-- name: simple_ordered_path_down
-- expect: tensor
SELECT count(*) FROM simple p, simple q WHERE p.dst = q.src AND p.src > q.dst;

-- name: simple_ordered_triangle
-- expect: tensor
SELECT count(*) FROM simple p, simple q, simple r WHERE p.dst = q.src AND q.dst = r.src AND r.dst = p.src AND p.src < q.src AND r.src > q.src;

-- Every row fits 64 bits, their sum does not.
-- name: sum_past_int64_over_keys
-- expect: tensor
SELECT sum(ext.b), avg(ext.b) FROM ext JOIN node ON ext.id = node.id WHERE ext.id > 1;

-- name: sum_past_int64_over_keys_by_label
-- expect: tensor
SELECT node.label, sum(ext.b) FROM ext JOIN node ON ext.id = node.id WHERE ext.id > 1 GROUP BY node.label;

-- name: simple_square
-- expect: tensor
SELECT count(*) FROM simple p, simple q, simple r, simple s WHERE p.dst = q.src AND q.dst = r.src AND r.dst = s.src AND s.dst = p.src;

-- name: simple_square_by_corner
-- expect: tensor
SELECT p.src, count(*) FROM simple p, simple q, simple r, simple s WHERE p.dst = q.src AND q.dst = r.src AND r.dst = s.src AND s.dst = p.src GROUP BY p.src;

-- Two derived tables are one tensor but for the order of its modes.
-- name: derived_transposed
-- expect: tensor
SELECT t.x, sum(t.n), sum(u.n) FROM
  (SELECT p.src AS x, q.dst AS y, count(*) AS n FROM simple p JOIN simple q ON p.dst = q.src GROUP BY p.src, q.dst) t,
  (SELECT q.dst AS y, p.src AS x, count(*) AS n FROM simple p JOIN simple q ON p.dst = q.src GROUP BY q.dst, p.src) u
  WHERE t.x = u.x AND t.y = u.y GROUP BY t.x;

-- The same, with a product whose overflow is checked on the tensor that answers both.
-- name: derived_transposed_product
-- expect: tensor
SELECT count(*), sum(t.n * u.n) FROM
  (SELECT p.src AS x, q.dst AS y, count(*) AS n FROM simple p JOIN simple q ON p.dst = q.src GROUP BY p.src, q.dst) t,
  (SELECT q.dst AS y, p.src AS x, count(*) AS n FROM simple p JOIN simple q ON p.dst = q.src GROUP BY q.dst, p.src) u
  WHERE t.x = u.x AND t.y = u.y;
