-- Derived tables and common table expressions with aggregates inside aggregates.

-- name: derived_count
-- expect: tensor
SELECT count(*), sum(t.n) FROM (SELECT k, count(*) AS n FROM a GROUP BY k) t;

-- name: derived_join_table
-- expect: tensor
SELECT sum(t.sx * b.y), count(*) FROM (SELECT k, sum(x) AS sx FROM a GROUP BY k) t JOIN b ON t.k = b.k;

-- name: derived_null_key_kept
-- expect: tensor
SELECT count(*), count(t.k), sum(t.n) FROM (SELECT k, count(*) AS n FROM a GROUP BY k) AS t;

-- name: derived_null_value_skipped
-- expect: tensor
SELECT count(*), count(t.sx), sum(t.sx), avg(t.sx), min(t.sx) FROM (SELECT k, sum(x) AS sx FROM a GROUP BY k) t;

-- name: derived_group_by_value
-- expect: tensor
SELECT t.n, count(*) FROM (SELECT k, count(*) AS n FROM a GROUP BY k) t GROUP BY t.n;

-- name: derived_group_by_sum
-- expect: tensor
SELECT t.total, count(*) FROM (SELECT k, sum(x) AS total FROM a GROUP BY k) t GROUP BY t.total;

-- name: derived_group_by_min
-- expect: tensor
SELECT t.lo, count(*), sum(t.n) FROM (SELECT k, min(y) AS lo, count(*) AS n FROM a GROUP BY k) t GROUP BY t.lo;

-- name: derived_max_of_count
-- expect: tensor
SELECT max(t.n), min(t.n), avg(t.n) FROM (SELECT b.tag, count(*) AS n FROM a JOIN b ON a.k = b.k GROUP BY b.tag) t;

-- name: derived_of_join
-- expect: tensor
SELECT t.tag, sum(t.s), max(t.m) FROM (SELECT a.k, b.tag, sum(a.x) AS s, max(a.y) AS m FROM a JOIN b ON a.k = b.k GROUP BY a.k, b.tag) t GROUP BY t.tag;

-- name: derived_two
-- expect: tensor
SELECT count(*), sum(p.n * q.n) FROM (SELECT k, count(*) AS n FROM a GROUP BY k) p JOIN (SELECT k, count(*) AS n FROM b GROUP BY k) q ON p.k = q.k;

-- name: derived_two_and_table
-- expect: tensor
SELECT c.j, sum(p.n * q.s) FROM (SELECT k, count(*) AS n FROM a GROUP BY k) p JOIN (SELECT k, sum(y) AS s FROM b GROUP BY k) q ON p.k = q.k JOIN c ON c.k = q.k GROUP BY c.j;

-- name: derived_comma
-- expect: tensor
SELECT sum(t.n), count(*) FROM (SELECT k, count(*) AS n FROM a GROUP BY k) t, b WHERE t.k = b.k;

-- name: derived_filter_on_key
-- expect: tensor
SELECT sum(t.n) FROM (SELECT k, count(*) AS n FROM a GROUP BY k) t WHERE t.k > 1;

-- name: derived_filter_on_value
-- expect: tensor
SELECT count(*), sum(t.s) FROM (SELECT k, sum(x) AS s FROM a GROUP BY k) t WHERE t.s > 0;

-- name: derived_having
-- expect: tensor
SELECT count(*), sum(t.n) FROM (SELECT k, count(*) AS n FROM a GROUP BY k HAVING count(*) > 1) t;

-- name: derived_having_joined
-- expect: tensor
SELECT b.tag, count(*), sum(t.n) FROM (SELECT k, count(*) AS n FROM a GROUP BY k HAVING sum(x) IS NOT NULL) t JOIN b ON t.k = b.k GROUP BY b.tag;

-- name: derived_where_inside
-- expect: tensor
SELECT sum(t.n) FROM (SELECT k, count(*) AS n FROM a WHERE x > 0 GROUP BY k) t JOIN b ON t.k = b.k;

-- name: derived_expression_of_aggregate
-- expect: tensor
SELECT sum(t.r), count(t.r) FROM (SELECT k, sum(x) + count(*) AS r FROM a GROUP BY k) t;

-- name: derived_average_of_average
-- expect: tensor
SELECT avg(t.m), count(t.m) FROM (SELECT k, avg(x) AS m FROM qty GROUP BY k) t;

-- name: derived_scalar_row
-- expect: tensor
SELECT count(*), sum(t.n) FROM (SELECT count(*) AS n, sum(x) AS s FROM empty_a) t;

-- name: derived_scalar_row_join
-- expect: tensor
SELECT count(*), sum(a.x * t.n) FROM a CROSS JOIN (SELECT count(*) AS n FROM b) t;

-- name: derived_scalar_null_join
-- expect: tensor
SELECT count(*), count(t.s), sum(a.x + t.s) FROM a CROSS JOIN (SELECT sum(x) AS s FROM empty_a) t;

-- name: derived_empty_groups
-- expect: tensor
SELECT count(*), sum(t.n) FROM (SELECT k, count(*) AS n FROM empty_a GROUP BY k) t;

-- name: derived_squares
-- expect: tensor
SELECT sum(t.n * t.n) FROM (SELECT p.src, q.dst, count(*) AS n FROM e p JOIN e q ON p.dst = q.src GROUP BY p.src, q.dst) t;

-- name: derived_common_neighbours
-- expect: tensor
SELECT sum(t.n * t.n), count(*), max(t.n) FROM (SELECT p.src AS u, q.src AS v, count(*) AS n FROM e p JOIN e q ON p.dst = q.dst GROUP BY p.src, q.src) t;

-- name: derived_degree_histogram
-- expect: tensor
SELECT t.deg, count(*) FROM (SELECT src, count(*) AS deg FROM e GROUP BY src) t GROUP BY t.deg;

-- name: derived_min_of_max
-- expect: tensor
SELECT min(t.hi), max(t.lo) FROM (SELECT k, max(y) AS hi, min(y) AS lo FROM b GROUP BY k) t;

-- name: derived_string_aggregate
-- expect: tensor
SELECT t.first, count(*) FROM (SELECT k, min(tag) AS first FROM b GROUP BY k) t GROUP BY t.first;

-- name: derived_join_on_min
-- expect: tensor
SELECT count(*), sum(d.w) FROM (SELECT k, min(j) AS lo FROM c GROUP BY k) t JOIN d ON t.lo = d.j;

-- name: derived_join_on_count
-- expect: any (key types differ)
SELECT count(*), sum(b.y) FROM (SELECT k, count(*) AS n FROM a GROUP BY k) t JOIN b ON t.n = b.k;

-- name: derived_join_counts
-- expect: tensor
SELECT p.n, count(*) FROM (SELECT k, count(*) AS n FROM a GROUP BY k) p JOIN (SELECT k, count(*) AS n FROM b GROUP BY k) q ON p.n = q.n GROUP BY p.n;

-- name: derived_projection
-- expect: tensor
SELECT count(*), sum(t.m) FROM (SELECT k, x AS m FROM a WHERE z IS NOT NULL) t JOIN b ON t.k = b.k;

-- name: derived_projection_expression
-- expect: tensor
SELECT t.g, sum(t.m) FROM (SELECT k, x + y AS m, z AS g FROM a) t JOIN b ON t.k = b.k GROUP BY t.g;

-- name: derived_projection_star
-- expect: tensor
SELECT count(*), sum(t.x) FROM (SELECT * FROM a WHERE x > 0) t JOIN b ON t.k = b.k;

-- name: derived_projection_of_join
-- expect: tensor
SELECT t.tag, sum(t.x) FROM (SELECT b.tag, a.x FROM a JOIN b ON a.k = b.k) t GROUP BY t.tag;

-- name: derived_projection_cross_product
-- expect: tensor
SELECT sum(t.p) FROM (SELECT a.x * b.y AS p FROM a JOIN b ON a.k = b.k) t;

-- name: three_deep
-- expect: tensor
SELECT count(*), sum(u.c) FROM (SELECT t.n, count(*) AS c FROM (SELECT k, count(*) AS n FROM a GROUP BY k) t GROUP BY t.n) u;

-- name: three_deep_max
-- expect: tensor
SELECT max(u.c), min(u.n) FROM (SELECT t.n, count(*) AS c FROM (SELECT src, count(*) AS n FROM e GROUP BY src) t GROUP BY t.n) u;

-- name: three_deep_join
-- expect: tensor
SELECT b.tag, sum(u.c) FROM (SELECT t.k, sum(t.n) AS c FROM (SELECT k, x, count(*) AS n FROM a GROUP BY k, x) t GROUP BY t.k) u JOIN b ON u.k = b.k GROUP BY b.tag;

-- name: three_deep_filters
-- expect: tensor
SELECT count(*), sum(u.s) FROM (SELECT t.k, sum(t.n) AS s FROM (SELECT k, y, count(*) AS n FROM a WHERE y > 0 GROUP BY k, y HAVING count(*) > 0) t WHERE t.k IS NOT NULL GROUP BY t.k HAVING sum(t.n) < 5) u;

-- name: three_deep_scalar
-- expect: tensor
SELECT sum(u.m) FROM (SELECT max(t.n) AS m FROM (SELECT k, count(*) AS n FROM a GROUP BY k) t) u;

-- name: three_deep_sum_null
-- expect: tensor
SELECT sum(u.s2), count(*), count(u.s2) FROM (SELECT t.k, sum(t.s1) AS s2 FROM (SELECT k, y, sum(x) AS s1 FROM a GROUP BY k, y) t GROUP BY t.k) u;

-- name: cte_one
-- expect: tensor
WITH t AS (SELECT k, count(*) AS n FROM a GROUP BY k) SELECT sum(t.n), count(*) FROM t JOIN b ON t.k = b.k;

-- name: cte_two_references
-- expect: tensor
WITH t AS (SELECT k, count(*) AS n FROM a GROUP BY k) SELECT count(*), sum(p.n * q.n) FROM t p JOIN t q ON p.k = q.k;

-- name: cte_two
-- expect: tensor
WITH p AS (SELECT k, sum(x) AS s FROM a GROUP BY k), q AS (SELECT k, sum(y) AS s FROM b GROUP BY k) SELECT p.k, p.s AS left_sum, count(*) FROM p JOIN q ON p.k = q.k GROUP BY p.k, p.s;

-- name: cte_chain
-- expect: tensor
WITH t AS (SELECT k, count(*) AS n FROM a GROUP BY k), u AS (SELECT n, count(*) AS c FROM t GROUP BY n) SELECT sum(u.c), max(u.n) FROM u;

-- name: cte_column_names
-- expect: tensor
WITH t(key, number) AS (SELECT k, count(*) FROM a GROUP BY k) SELECT sum(t.number) FROM t JOIN b ON t.key = b.k;

-- name: cte_projection
-- expect: tensor
WITH t AS (SELECT k, x FROM a WHERE x > 0) SELECT t.k, count(*), sum(t.x) FROM t JOIN b ON t.k = b.k GROUP BY t.k;

-- name: cte_shadows_table
-- expect: tensor
WITH a AS (SELECT k, y AS x FROM b) SELECT count(*), sum(a.x) FROM a JOIN c ON a.k = c.k;

-- name: cte_unused
-- expect: any (unused CTE)
WITH t AS (SELECT 1 AS one) SELECT count(*) FROM a JOIN b ON a.k = b.k;

-- name: cte_edges_both_ways
-- expect: tensor
WITH s AS (SELECT src, dst FROM e UNION ALL SELECT dst, src FROM e) SELECT count(*) FROM s p JOIN s q ON p.dst = q.src;

-- name: cte_wedges
-- expect: tensor
WITH w AS (SELECT p.src AS u, q.dst AS v, count(*) AS n FROM e p JOIN e q ON p.dst = q.src GROUP BY p.src, q.dst) SELECT sum(w.n) FROM w JOIN e ON w.u = e.src AND w.v = e.dst;

-- name: cte_wedge_pairs
-- expect: tensor
WITH w AS (SELECT p.src AS u, q.src AS v, count(*) AS n FROM e p JOIN e q ON p.dst = q.dst GROUP BY p.src, q.src) SELECT w.u, sum(w.n * w.n) FROM w GROUP BY w.u;

-- name: cte_having_order_limit
-- expect: tensor
-- order: total
WITH t AS (SELECT b.tag, count(*) AS n FROM a JOIN b ON a.k = b.k GROUP BY b.tag) SELECT t.n, count(*) AS c FROM t GROUP BY t.n HAVING count(*) > 0 ORDER BY t.n DESC LIMIT 2;

-- name: derived_order_limit
-- expect: tensor
SELECT sum(t.n) FROM (SELECT k, count(*) AS n FROM a GROUP BY k ORDER BY n DESC, k LIMIT 2) t JOIN b ON t.k = b.k;

-- name: derived_column_alias_list
-- expect: any (column alias list)
SELECT sum(t.number) FROM (SELECT k, count(*) FROM a GROUP BY k) AS t(key, number) JOIN b ON t.key = b.k;

-- name: derived_distinct
-- expect: any (DISTINCT)
SELECT count(*) FROM (SELECT DISTINCT k FROM a) t JOIN b ON t.k = b.k;

-- name: view_plain
-- expect: tensor
SELECT count(*), sum(p.w * q.w) FROM forward p JOIN forward q ON p.dst = q.src;

-- name: view_in_its_own_schema
-- expect: tensor
SELECT item.id, sum(item.n * m.twice) FROM north.item_sums m JOIN north.item ON m.id = item.id GROUP BY item.id;

-- name: view_grouped
-- expect: tensor
SELECT degree, count(*), max(heaviest) FROM degrees GROUP BY degree;

-- name: view_of_views
-- expect: tensor
SELECT count(*), sum(degree) FROM reach JOIN node ON reach.far = node.id;

-- name: view_shadowed_by_cte
-- expect: tensor
WITH e AS (SELECT src, dst, w FROM e WHERE src = 1) SELECT count(*) FROM e JOIN forward ON e.dst = forward.src;

-- name: view_beyond_the_fragment
-- expect: tensor
SELECT count(*) FROM both_ends p JOIN both_ends q ON p.id = q.id;

-- A sum of HUGEINT inside a CTE that is referenced twice: the check on its rows
-- belongs to the one tensor that both references are.
-- name: cte_of_huge_sums_twice
-- expect: tensor
WITH s AS (SELECT k, sum(x) AS s0 FROM a GROUP BY k), t AS (SELECT b.k, sum(s.s0) AS s1 FROM b JOIN s ON b.k = s.k GROUP BY b.k)
SELECT c.k, sum(c.v), sum(p.s1) FROM t p JOIN t q ON p.k = q.k JOIN c ON q.k = c.k GROUP BY c.k;

-- A derived table may equate two of its columns; its reader joins on one and
-- uses the other.
-- name: derived_columns_equated_inside
-- expect: tensor
SELECT p.bk, count(*), sum(c.v) FROM (SELECT a.k AS ak, b.k AS bk, count(*) AS n FROM a, b WHERE a.k = b.k GROUP BY a.k, b.k) p JOIN c ON c.k = p.ak GROUP BY p.bk;

-- name: derived_columns_equated_inside_join_both
-- expect: tensor
SELECT count(*), sum(c.v), sum(p.n) FROM (SELECT a.k AS ak, b.k AS bk, count(*) AS n FROM a, b WHERE a.k = b.k GROUP BY a.k, b.k) p JOIN c ON c.k = p.ak AND c.j = p.bk;

-- name: derived_columns_equated_inside_two_readers
-- expect: tensor
WITH p AS (SELECT a.k AS ak, b.k AS bk, sum(a.x) AS s FROM a, b WHERE a.k = b.k GROUP BY a.k, b.k)
SELECT q.ak, c.k, count(*), sum(p.s) FROM p, p q, c WHERE p.ak = q.bk AND c.k = p.bk AND q.ak = c.j - 9 GROUP BY q.ak, c.k;

-- name: derived_columns_equated_inside_compared
-- expect: tensor
SELECT count(*), sum(p.n) FROM (SELECT a.k AS ak, b.k AS bk, count(*) AS n FROM a, b WHERE a.k = b.k GROUP BY a.k, b.k) p JOIN c ON c.k <= p.ak AND p.bk < 3 WHERE c.v > 0;

-- name: derived_columns_equated_inside_grouped_both
-- expect: tensor
SELECT p.ak, p.bk, max(p.n) FROM (SELECT a.k AS ak, b.k AS bk, count(*) AS n FROM a, b WHERE a.k = b.k GROUP BY a.k, b.k) p GROUP BY p.bk, p.ak;

-- name: negated_comparison_of_doubles
-- expect: tensor
SELECT max(b.y), count(*) FROM b JOIN (SELECT k, -min(x) AS s, count(*) AS n FROM qty GROUP BY k HAVING NOT (-min(x) <> 0)) t ON t.k = b.k;

-- name: negated_less_of_doubles
-- expect: tensor
SELECT count(*), sum(t.n) FROM (SELECT k, min(x) AS s, count(*) AS n FROM qty GROUP BY k) t JOIN b ON t.k = b.k WHERE NOT (t.s < 0.75) AND NOT (t.n >= 9 OR t.s > 20);

-- name: negated_equality_of_doubles
-- expect: tensor
SELECT count(*), sum(t.n) FROM (SELECT k, min(x) AS s, count(*) AS n FROM qty GROUP BY k) t JOIN b ON t.k = b.k WHERE NOT (t.s = 0.5);

-- name: range_of_doubles_negated
-- expect: tensor
SELECT count(*), sum(t.n) FROM (SELECT k, max(x) AS s, count(*) AS n FROM qty GROUP BY k) t JOIN b ON t.k = b.k WHERE t.s NOT BETWEEN 0.25 AND 1.5;

-- name: union_multiplies_measure
-- expect: tensor
SELECT sum(b.y) FROM (SELECT k FROM a UNION ALL SELECT k FROM c) t JOIN b ON b.k = t.k;

-- name: union_multiplies_measure_of_group
-- expect: tensor
SELECT t.k, sum(b.y), max(b.z) FROM (SELECT k, x AS v FROM a UNION ALL SELECT k, 1 FROM a) t JOIN b ON b.k = t.v GROUP BY t.k;

-- name: filter_on_what_is_computed_from_a_derived_table
-- expect: tensor
SELECT d.g, sum(d.v) FILTER (WHERE d.w > 9), count(*) FILTER (WHERE d.w < 4 AND d.v > 0) FROM (SELECT k AS g, z, sum(y) AS v, sum(y) + z AS w FROM b GROUP BY k, z) d GROUP BY d.g;

-- name: arg_min_by_what_is_computed_from_a_group
-- expect: tensor
SELECT d.k, arg_min(d.z, d.w) FROM (SELECT k, z, sum(y) * 8 + z AS w FROM b GROUP BY k, z) d GROUP BY d.k;
