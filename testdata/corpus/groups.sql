-- GROUP BY columns, positions, expressions; NULL groups; groups with sum zero; no groups.

-- name: group_one
-- expect: tensor
SELECT k, count(*) FROM a GROUP BY k;

-- name: group_null_key
-- expect: tensor
SELECT k, sum(x), count(*) FROM a GROUP BY k;

-- name: group_two
-- expect: tensor
SELECT k, x, count(*) FROM a GROUP BY k, x;

-- name: group_three
-- expect: tensor
SELECT a.k, b.y, b.tag, count(*) FROM a JOIN b ON a.k = b.k GROUP BY a.k, b.y, b.tag;

-- name: group_all_null
-- expect: tensor
SELECT k, s, count(*), sum(x) FROM nulls GROUP BY k, s;

-- name: group_unselected
-- expect: tensor
SELECT count(*) FROM a GROUP BY k;

-- name: group_unselected_join
-- expect: tensor
SELECT sum(a.x) FROM a JOIN b ON a.k = b.k GROUP BY b.tag, a.y;

-- name: group_selected_twice
-- expect: tensor
SELECT k, k, count(*) FROM a GROUP BY k;

-- name: group_listed_twice
-- expect: tensor
SELECT k, count(*) FROM a GROUP BY k, k;

-- name: group_non_join_column
-- expect: tensor
SELECT b.tag, count(*), sum(a.x) FROM a JOIN b ON a.k = b.k GROUP BY b.tag;

-- name: group_columns_of_both
-- expect: tensor
SELECT a.x, b.y, count(*) FROM a JOIN b ON a.k = b.k GROUP BY a.x, b.y;

-- name: group_other_side_of_equality
-- expect: tensor
SELECT b.k, count(*) FROM a JOIN b ON a.k = b.k GROUP BY b.k;

-- name: group_both_sides_of_equality
-- expect: tensor
SELECT a.k, b.k, count(*) FROM a JOIN b ON a.k = b.k GROUP BY a.k, b.k;

-- name: group_null_value_beside_join
-- expect: tensor
SELECT b.y, count(*), sum(a.x) FROM a JOIN b ON a.k = b.k GROUP BY b.y;

-- name: group_position
-- expect: tensor
SELECT b.tag, count(*) FROM a JOIN b ON a.k = b.k GROUP BY 1;

-- name: group_positions
-- expect: tensor
SELECT a.k, count(*), b.tag, sum(b.y) FROM a JOIN b ON a.k = b.k GROUP BY 1, 3;

-- name: group_position_reversed
-- expect: tensor
SELECT a.k, b.tag, count(*) FROM a JOIN b ON a.k = b.k GROUP BY 2, 1;

-- name: group_position_of_expression
-- expect: tensor
SELECT a.x % 3, count(*) FROM a JOIN b ON a.k = b.k GROUP BY 1;

-- name: group_alias
-- expect: tensor
SELECT a.x AS measure, count(*) FROM a JOIN b ON a.k = b.k GROUP BY measure;

-- name: group_expression
-- expect: tensor
SELECT a.x % 2, count(*), sum(b.y) FROM a JOIN b ON a.k = b.k GROUP BY a.x % 2;

-- name: group_expression_alias
-- expect: tensor
SELECT a.x + a.y AS total, count(*) FROM a JOIN b ON a.k = b.k GROUP BY total;

-- name: group_expression_case
-- expect: tensor
SELECT CASE WHEN x > 0 THEN 'plus' WHEN x < 0 THEN 'minus' ELSE 'none' END, count(*), sum(x) FROM a GROUP BY 1;

-- name: group_expression_coalesce
-- expect: tensor
SELECT coalesce(b.tag, '?'), count(*) FROM a JOIN b ON a.k = b.k GROUP BY coalesce(b.tag, '?');

-- name: group_expression_is_null
-- expect: tensor
SELECT x IS NULL, count(*) FROM a GROUP BY x IS NULL;

-- name: group_expression_boolean
-- expect: tensor
SELECT b.y > 2, count(*), sum(a.x) FROM a JOIN b ON a.k = b.k GROUP BY b.y > 2;

-- name: group_expression_of_key
-- expect: tensor
SELECT a.k % 2, count(*), sum(b.y) FROM a JOIN b ON a.k = b.k GROUP BY a.k % 2;

-- name: group_expression_over_group
-- expect: tensor
SELECT a.k + 1, count(*) FROM a JOIN b ON a.k = b.k GROUP BY a.k;

-- name: group_expression_lower
-- expect: tensor
SELECT lower(s), count(*), sum(n) FROM txt GROUP BY lower(s);

-- name: group_expression_year
-- expect: tensor
SELECT year(fact.day), count(*), sum(fact.qty) FROM fact JOIN cust ON fact.cust = cust.id GROUP BY year(fact.day);

-- name: group_expression_month
-- expect: tensor
SELECT date_trunc('month', fact.day), sum(fact.qty) FROM fact JOIN cust ON fact.cust = cust.id GROUP BY 1;

-- name: group_expression_concat
-- expect: tensor
SELECT s || '/' || s, count(*) FROM txt GROUP BY 1;

-- name: group_expression_two_tables
-- expect: any (group expression over several tables)
SELECT a.x + b.y, count(*) FROM a JOIN b ON a.k = b.k GROUP BY a.x + b.y;

-- name: group_string
-- expect: tensor
SELECT s, count(*), sum(n) FROM txt GROUP BY s;

-- name: group_date
-- expect: tensor
SELECT day, count(*) FROM ev GROUP BY day;

-- name: group_timestamp
-- expect: tensor
SELECT ts, count(*) FROM ev GROUP BY ts;

-- name: group_boolean
-- expect: tensor
SELECT ok, count(*), min(id) FROM ev GROUP BY ok;

-- name: group_decimal
-- expect: tensor
SELECT p, count(*) FROM money GROUP BY p;

-- name: group_double
-- expect: tensor
SELECT x, count(*), sum(y) FROM qty GROUP BY x;

-- name: group_double_zeros_and_nan
-- expect: tensor
SELECT f, count(*) FROM odd GROUP BY f;

-- name: group_tinyint
-- expect: tensor
SELECT t, count(*), sum(s) FROM ext GROUP BY t;

-- name: group_bigint
-- expect: tensor
SELECT b, count(*) FROM ext GROUP BY b;

-- name: group_hugeint
-- expect: tensor
SELECT h, count(*) FROM ext GROUP BY h;

-- name: group_unsigned
-- expect: tensor
SELECT ut, ub, count(*) FROM ext GROUP BY ut, ub;

-- name: group_sum_zero
-- expect: tensor
SELECT g, sum(x), count(*) FROM zero_sum GROUP BY g;

-- name: group_sum_zero_double
-- expect: tensor
SELECT g, sum(f), avg(f), count(*) FROM zero_sum GROUP BY g;

-- name: group_sum_zero_join
-- expect: tensor
SELECT z.g, sum(z.x), sum(z.x * one.x), count(*) FROM zero_sum z CROSS JOIN one GROUP BY z.g;

-- name: group_sum_zero_only
-- expect: tensor
SELECT z.g, sum(z.x) FROM zero_sum z JOIN a ON z.k = a.k GROUP BY z.g;

-- name: group_product_zero
-- expect: tensor
SELECT z.g, sum(z.x * a.x), sum(z.f) FROM zero_sum z JOIN a ON z.k = a.k GROUP BY z.g;

-- name: group_without_aggregate
-- expect: any (GROUP BY without aggregate)
SELECT a.k FROM a JOIN b ON a.k = b.k GROUP BY a.k;

-- name: group_constant_position
-- expect: any (constant group)
SELECT 'x', count(*) FROM a GROUP BY 1;

-- name: group_constant_empty
-- expect: any (constant group)
SELECT 7, count(*) FROM empty_a GROUP BY 1;

-- name: group_alias_is_column
-- expect: error 42
SELECT a.x AS y, count(*) FROM a GROUP BY y;

-- name: group_alias_same_as_column
-- expect: any (ambiguous name)
SELECT a.k AS k, count(*) FROM a JOIN c ON a.k = c.k GROUP BY a.k;

-- name: no_group_join
-- expect: tensor
SELECT count(*), sum(a.x), min(b.y), max(c.v), avg(a.y) FROM a JOIN b ON a.k = b.k JOIN c ON b.k = c.k;

-- name: no_group_empty
-- expect: tensor
SELECT count(*), count(x), sum(x), avg(x), min(x), max(x) FROM empty_a;

-- name: no_group_empty_types
-- expect: tensor
SELECT sum(q), avg(q), min(q), sum(p), avg(p), max(p), min(s), max(s) FROM empty_a;

-- name: no_group_empty_join
-- expect: tensor
SELECT count(*), sum(a.x), sum(e.y), min(a.y) FROM a JOIN empty_b e ON a.k = e.k;

-- name: no_group_empty_both
-- expect: tensor
SELECT count(*), sum(p.x * q.y) FROM empty_a p JOIN empty_b q ON p.k = q.k;

-- name: no_group_empty_cross
-- expect: tensor
SELECT count(*), sum(a.x), max(a.y) FROM a CROSS JOIN empty_a;

-- name: no_group_nothing_matches
-- expect: tensor
SELECT count(*), sum(a.x), avg(n.x) FROM a JOIN nulls n ON a.k = n.k;

-- name: no_group_filtered_away
-- expect: tensor
SELECT count(*), sum(x), min(x) FROM a WHERE x > 1000;

-- name: group_empty
-- expect: tensor
SELECT k, count(*), sum(x) FROM empty_a GROUP BY k;

-- name: group_empty_join
-- expect: tensor
SELECT a.k, count(*), sum(e.y) FROM a JOIN empty_b e ON a.k = e.k GROUP BY a.k;

-- name: group_nothing_matches
-- expect: tensor
SELECT n.s, count(*) FROM a JOIN nulls n ON a.k = n.k GROUP BY n.s;

-- name: group_filtered_away
-- expect: tensor
SELECT k, sum(x) FROM a WHERE x > 1000 GROUP BY k;

-- name: quoted_names
-- expect: tensor
SELECT "select", count(*), sum("Group By"), sum("sp ace"), max("UPPER"), min("qu""ote") FROM "order" GROUP BY "select";

-- name: quoted_join
-- expect: tensor
SELECT o."select", m."table", sum(o."Group By" * m."naïve") FROM "order" o JOIN "My Table" m ON o."select" = m."key" GROUP BY o."select", m."table";

-- name: quoted_aliases
-- expect: tensor
SELECT count(*) AS "from", sum(o."sp ace") AS "Sum Of" FROM "order" AS o JOIN "My Table" AS "join" ON o."select" = "join"."key";

-- name: quoted_case_insensitive
-- expect: tensor
SELECT COUNT(*), SUM("group by") FROM "ORDER";

-- name: output_names
-- expect: tensor
SELECT count(*) AS n, sum(a.x) AS total, avg(b.y) mean, a.k AS ключ FROM a JOIN b ON a.k = b.k GROUP BY a.k;

-- Two columns of the result are bound below the summed index: their cells are
-- gathered by hash.
-- name: group_three_tables
-- expect: tensor
SELECT a.x, b.y, c.v, count(*), sum(a.z) FROM a, b, c WHERE a.k = b.k AND b.k = c.k GROUP BY a.x, b.y, c.v;
