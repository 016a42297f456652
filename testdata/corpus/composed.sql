-- Aggregates of aggregates as one program: functions of inner aggregates,
-- conditions on them, keys as values, and what must be a statement of its own.

-- name: inner_abs
-- expect: tensor
SELECT sum(abs(t.s)), min(abs(t.s)), max(abs(t.s)), count(abs(t.s)) FROM (SELECT k, sum(x) AS s FROM a GROUP BY k) t;

-- name: inner_abs_double
-- expect: tensor
SELECT b.tag, sum(abs(t.s)), max(abs(t.s)) FROM (SELECT k, sum(x * y) AS s FROM qty GROUP BY k) t JOIN b ON t.k = b.k GROUP BY b.tag;

-- name: inner_abs_decimal
-- expect: tensor
SELECT sum(abs(t.s)), min(abs(t.s)) FROM (SELECT k, sum(f) AS s FROM rate GROUP BY k) t;

-- name: inner_abs_of_min
-- expect: tensor
SELECT sum(abs(t.lo)), avg(abs(t.lo)) FROM (SELECT k, min(x) AS lo FROM a GROUP BY k) t;

-- name: inner_abs_overflow
-- expect: error 22
SELECT sum(abs(t.lo)) FROM (SELECT id, min(b) AS lo FROM ext GROUP BY id) t;

-- name: inner_sqrt
-- expect: tensor
-- float: terms up to 10
SELECT sum(sqrt(t.n)), count(*) FROM (SELECT k, count(*) AS n FROM a GROUP BY k) t;

-- name: inner_sqrt_extremes
-- expect: tensor
SELECT min(sqrt(t.n)), max(sqrt(t.n)) FROM (SELECT k, count(*) AS n FROM a GROUP BY k) t;

-- name: inner_sqrt_of_sum
-- expect: tensor
-- float: terms up to 10
SELECT sum(sqrt(t.s)), count(t.s) FROM (SELECT k, sum(y * y) AS s FROM a GROUP BY k) t;

-- name: inner_sqrt_of_negative
-- expect: error 22
SELECT sum(sqrt(t.s)) FROM (SELECT k, sum(x) AS s FROM a GROUP BY k) t;

-- name: inner_sqrt_of_product
-- expect: tensor
-- float: terms up to 100
SELECT sum(sqrt(t.n * u.n)) FROM (SELECT k, count(*) AS n FROM a GROUP BY k) t JOIN (SELECT k, count(*) AS n FROM b GROUP BY k) u ON t.k = u.k;

-- name: inner_sqrt_times_column
-- expect: tensor
-- float: terms up to 100
SELECT b.tag, sum(sqrt(t.n) * b.y), count(*) FROM (SELECT k, count(*) AS n FROM a GROUP BY k) t JOIN b ON t.k = b.k GROUP BY b.tag;

-- name: inner_exp
-- expect: tensor
-- float: terms up to 1000
SELECT sum(exp(t.n)), avg(exp(t.n)) FROM (SELECT k, count(*) AS n FROM a GROUP BY k) t;

-- name: inner_exp_largest
-- expect: tensor
-- float: terms up to 1000
SELECT max(exp(t.n)) FROM (SELECT k, count(*) AS n FROM a GROUP BY k) t;

-- name: inner_ln
-- expect: tensor
-- float: terms up to 10
SELECT sum(ln(t.n)), avg(ln(t.n)) FROM (SELECT k, count(*) AS n FROM a GROUP BY k) t;

-- name: inner_ln_of_zero
-- expect: error 22
SELECT sum(ln(t.c)) FROM (SELECT k, count(x) AS c FROM zero_sum GROUP BY k) t;

-- name: inner_ln_where_positive
-- expect: any (the logarithm is of rows that the condition keeps)
-- float: terms up to 10
SELECT sum(ln(t.c)) FROM (SELECT k, count(x) AS c FROM zero_sum GROUP BY k) t WHERE t.c > 0;

-- name: inner_greatest
-- expect: tensor
SELECT sum(greatest(t.s, 0)), min(greatest(t.s, 0)), count(greatest(t.s, 0)) FROM (SELECT k, sum(x) AS s FROM a GROUP BY k) t;

-- name: inner_greatest_double
-- expect: tensor
SELECT sum(greatest(t.s, 0)), min(greatest(t.s, 0)), avg(greatest(t.s, 0.5)) FROM (SELECT k, sum(x) AS s FROM qty GROUP BY k) t;

-- name: inner_greatest_negative
-- expect: tensor
SELECT sum(greatest(t.s, -1)), count(*) FROM (SELECT k, sum(x) AS s FROM a GROUP BY k) t;

-- name: inner_least
-- expect: tensor
SELECT sum(least(t.s, 0)), sum(least(t.n, 1)), count(least(t.s, 0)) FROM (SELECT k, sum(x) AS s, count(*) AS n FROM a GROUP BY k) t;

-- name: inner_greatest_two_columns
-- expect: tensor
SELECT sum(greatest(t.s, t.n)), sum(greatest(t.s, t.u)) FROM (SELECT k, sum(x) AS s, sum(y) AS u, count(*) AS n FROM a GROUP BY k) t;

-- name: inner_coalesce_zero
-- expect: tensor
SELECT count(*), count(t.s), count(coalesce(t.s, 0)), sum(coalesce(t.s, 0)), avg(coalesce(t.s, 0)), min(coalesce(t.s, 0)) FROM (SELECT k, sum(x) AS s FROM a GROUP BY k) t;

-- name: inner_coalesce_inside
-- expect: tensor
SELECT avg(t.s), sum(t.s * t.s), count(*) FROM (SELECT k, coalesce(sum(x), 0) AS s FROM a GROUP BY k) t JOIN b ON t.k = b.k;

-- name: inner_coalesce_other
-- expect: tensor
SELECT sum(coalesce(t.s, 7)), sum(coalesce(t.lo, 0)) FROM (SELECT k, sum(x) AS s, min(x) AS lo FROM a GROUP BY k) t;

-- name: inner_scaled
-- expect: tensor
SELECT sum(t.s * 2), sum(t.s * 2.5), sum(-t.s), min(t.s * 2), max(t.s - 1) FROM (SELECT k, sum(x) AS s FROM a GROUP BY k) t;

-- name: inner_decimal_times_double
-- expect: tensor
-- float: terms up to 1000
SELECT sum(t.s * qty.x), min(t.s * qty.x), sum(t.s + qty.x) FROM (SELECT k, sum(f) AS s FROM rate GROUP BY k) t JOIN qty ON t.k = qty.k;

-- name: inner_integer_times_double
-- expect: tensor
-- float: terms up to 1000
SELECT sum(t.s * qty.x), max(t.s * qty.x), sum(t.s + qty.x) FROM (SELECT k, sum(x) AS s FROM a GROUP BY k) t JOIN qty ON t.k = qty.k;

-- name: inner_cast_double
-- expect: tensor
-- float: terms up to 1000
SELECT sum(CAST(t.s AS DOUBLE)), min(CAST(t.n AS DOUBLE)), avg(CAST(t.n AS DOUBLE) * 0.5) FROM (SELECT k, sum(x) AS s, count(*) AS n FROM a GROUP BY k) t;

-- name: inner_cast_bigint
-- expect: tensor
SELECT sum(CAST(t.s AS BIGINT)), max(CAST(t.s AS INTEGER) * 2) FROM (SELECT k, sum(x) AS s FROM a GROUP BY k) t;

-- name: inner_cast_overflow
-- expect: error 22
SELECT sum(CAST(t.s AS INTEGER)) FROM (SELECT k, sum(v) AS s FROM big GROUP BY k) t;

-- name: inner_quotient
-- expect: tensor
-- float: terms up to 1000
SELECT sum(t.s / t.n) FROM (SELECT k, sum(x) AS s, count(*) AS n FROM a GROUP BY k) t;

-- name: inner_case
-- expect: tensor
SELECT sum(CASE WHEN t.n > 1 THEN t.s ELSE 0 END), count(CASE WHEN t.n > 1 THEN 1 END) FROM (SELECT k, sum(x) AS s, count(*) AS n FROM a GROUP BY k) t;

-- name: inner_distributed
-- expect: tensor
SELECT sum((t.s + t.n) * b.y - t.n), count((t.s + t.n) * b.y) FROM (SELECT k, sum(x) AS s, count(*) AS n FROM a GROUP BY k) t JOIN b ON t.k = b.k;

-- name: inner_double_not_finite
-- expect: tensor
SELECT max(t.hi * (t.lo - t.n)), min(t.hi - t.lo), count(*) FROM (SELECT k, max(f) AS hi, min(f) AS lo, count(*) AS n FROM odd GROUP BY k) t;

-- name: inner_key_as_value
-- expect: tensor
SELECT sum(t.k), sum(t.k * t.n), avg(t.k), count(t.k), max(t.k + t.n) FROM (SELECT k, count(*) AS n FROM a GROUP BY k) t;

-- name: inner_string_key_counted
-- expect: tensor
SELECT count(t.tag), count(*), min(t.tag), max(t.tag) FROM (SELECT tag, count(*) AS n FROM b GROUP BY tag) t;

-- name: inner_strings_again
-- expect: tensor
SELECT t.k, min(t.lo), max(t.hi), count(t.lo) FROM (SELECT k, y, min(tag) AS lo, max(tag) AS hi FROM b GROUP BY k, y) t GROUP BY t.k;

-- name: inner_dates_again
-- expect: tensor
SELECT min(t.d), max(t.d), count(t.d) FROM (SELECT kind, max(day) AS d FROM ev GROUP BY kind) t;

-- name: inner_key_expression
-- expect: tensor
SELECT t.k % 2, sum(t.n), count(*) FROM (SELECT k, count(*) AS n FROM a GROUP BY k) t GROUP BY t.k % 2;

-- name: inner_key_expression_joined
-- expect: tensor
SELECT count(*), sum(t.n) FROM (SELECT k, count(*) AS n FROM a GROUP BY k) t JOIN b ON t.k + 1 = b.k;

-- name: inner_selected_key_expression
-- expect: tensor
SELECT u.h, sum(u.n) FROM (SELECT k + 1 AS h, count(*) AS n FROM a GROUP BY k + 1) u JOIN b ON u.h = b.k GROUP BY u.h;

-- name: inner_constant
-- expect: tensor
SELECT sum(t.seven), sum(t.seven * t.n), count(*) FROM (SELECT k, 7 AS seven, count(*) AS n FROM a GROUP BY k) t;

-- name: outer_constant
-- expect: tensor
SELECT sum(1), sum(2.5), count(1) FROM (SELECT k, count(*) AS n FROM a GROUP BY k) t JOIN b ON t.k = b.k;

-- name: inner_unused_average
-- expect: tensor
SELECT max(t.n) FROM (SELECT k, count(*) AS n, avg(x) AS m FROM a GROUP BY k) t;

-- name: having_inside
-- expect: tensor
SELECT b.tag, count(*), sum(t.s), max(t.s) FROM (SELECT k, sum(x) AS s FROM a GROUP BY k HAVING count(*) > 1 AND sum(x) <> 0) t JOIN b ON t.k = b.k GROUP BY b.tag;

-- name: having_inside_removes_groups
-- expect: tensor
SELECT b.tag, count(*) FROM (SELECT k FROM a GROUP BY k HAVING count(*) = 1) t JOIN b ON t.k = b.k GROUP BY b.tag HAVING count(*) < 5;

-- name: having_inside_removes_all
-- expect: tensor
SELECT b.tag, count(*) FROM (SELECT k FROM a GROUP BY k HAVING count(*) > 100) t JOIN b ON t.k = b.k GROUP BY b.tag;

-- name: having_inside_scalar_outside
-- expect: tensor
SELECT count(*), sum(t.n), min(t.n) FROM (SELECT k, count(*) AS n FROM a GROUP BY k HAVING count(*) > 100) t;

-- name: where_outside
-- expect: tensor
SELECT count(*), sum(t.s), min(t.s), max(t.s) FROM (SELECT k, sum(x) AS s, count(*) AS n FROM a GROUP BY k) t WHERE t.s >= 0 AND t.n BETWEEN 1 AND 2;

-- name: where_outside_three_valued
-- expect: tensor
SELECT count(*), sum(t.n) FROM (SELECT k, sum(x) AS s, count(*) AS n FROM a GROUP BY k) t WHERE NOT (t.s > 0 AND t.n < 3) OR t.s IS NULL;

-- name: where_outside_not_null
-- expect: tensor
SELECT count(*), sum(t.n) FROM (SELECT k, sum(x) AS s, count(*) AS n FROM a GROUP BY k) t WHERE t.s IS NOT NULL AND NOT (t.s IS NULL OR t.s = 0);

-- name: where_outside_in
-- expect: tensor
SELECT count(*), sum(t.s) FROM (SELECT k, sum(x) AS s, count(*) AS n FROM a GROUP BY k) t WHERE t.n IN (1, 3) AND t.s NOT IN (0, 5);

-- name: where_outside_double
-- expect: tensor
SELECT count(*), sum(t.s) FROM (SELECT k, sum(x) AS s FROM qty GROUP BY k) t WHERE t.s > 0.25 OR t.s < -1;

-- name: where_outside_double_equal
-- expect: tensor
SELECT count(*), sum(t.s) FROM (SELECT k, sum(x) AS s FROM qty GROUP BY k) t WHERE t.s >= 0;

-- name: where_outside_not_finite
-- expect: tensor
SELECT count(*), min(t.s) FROM (SELECT k, max(f) AS s FROM odd GROUP BY k) t WHERE t.s > 1;

-- name: where_outside_decimal
-- expect: tensor
SELECT count(*), sum(t.s) FROM (SELECT k, sum(f) AS s FROM rate GROUP BY k) t WHERE t.s > 1 AND t.s <> 10.00 AND t.s < 99.5;

-- name: where_outside_key_and_value
-- expect: tensor
SELECT count(*), sum(t.n) FROM (SELECT k, count(*) AS n FROM a GROUP BY k) t WHERE t.k > t.n OR t.k = 1;

-- name: where_outside_two_values
-- expect: tensor
SELECT count(*), sum(p.n) FROM (SELECT k, count(*) AS n FROM a GROUP BY k) p JOIN (SELECT k, count(*) AS n FROM b GROUP BY k) q ON p.k = q.k WHERE p.n > q.n;

-- name: where_outside_value_and_column
-- expect: any (types differ)
SELECT count(*) FROM (SELECT k, count(*) AS n FROM a GROUP BY k) p JOIN b ON p.k = b.k WHERE p.n > b.y;

-- name: where_outside_grouped
-- expect: tensor
-- order: total
SELECT b.tag, count(*), sum(t.n) FROM (SELECT k, count(*) AS n FROM a GROUP BY k) t JOIN b ON t.k = b.k WHERE t.n > 1 GROUP BY b.tag ORDER BY b.tag NULLS LAST;

-- name: hollow_three_deep
-- expect: tensor
SELECT count(*), sum(u.c), min(u.m), max(u.m) FROM (SELECT b.tag, count(*) AS c, min(t.n) AS m FROM (SELECT k, count(*) AS n FROM a GROUP BY k HAVING count(*) > 1) t JOIN b ON t.k = b.k GROUP BY b.tag) u;

-- name: hollow_three_deep_joined
-- expect: tensor
SELECT u.tag, d.w, sum(u.c), count(*) FROM (SELECT b.tag, b.z, sum(t.n) AS c FROM (SELECT k, count(*) AS n FROM a GROUP BY k) t JOIN b ON t.k = b.k WHERE t.n < 3 GROUP BY b.tag, b.z) u JOIN c ON u.z = c.v JOIN d ON c.j = d.j GROUP BY u.tag, d.w;

-- name: hollow_distinct
-- expect: tensor
SELECT DISTINCT b.tag FROM (SELECT k FROM a GROUP BY k HAVING count(*) > 2) t JOIN b ON t.k = b.k;

-- name: hollow_value_squared
-- expect: tensor
SELECT sum(u.c * u.c), sum(u.c), sum(u.l) FROM (SELECT b.tag, count(*) AS c, sum(b.y) AS l FROM (SELECT k, count(*) AS n FROM a GROUP BY k) t JOIN b ON t.k = b.k WHERE t.n = 2 GROUP BY b.tag) u;

-- name: cte_twice_on_other_columns
-- expect: tensor
WITH w AS (SELECT p.src AS u, q.dst AS v, count(*) AS n FROM e p JOIN e q ON p.dst = q.src GROUP BY p.src, q.dst) SELECT count(*), sum(x.n * y.n) FROM w x JOIN w y ON x.v = y.u;

-- name: cte_twice_without_nulls
-- expect: tensor
WITH w AS (SELECT p.src AS u, q.dst AS v, count(*) AS n FROM simple p JOIN simple q ON p.dst = q.src GROUP BY p.src, q.dst) SELECT x.u, count(*), sum(x.n * y.n), max(x.n) FROM w x JOIN w y ON x.v = y.u GROUP BY x.u;

-- name: cte_three_times
-- expect: tensor
WITH w AS (SELECT src, count(*) AS n FROM e GROUP BY src) SELECT sum(x.n * y.n * z.n), count(*) FROM w x JOIN e ON x.src = e.src JOIN w y ON e.dst = y.src JOIN w z ON z.src = x.src;

-- name: cte_twice_one_filtered
-- expect: tensor
WITH w AS (SELECT k, count(*) AS n, sum(x) AS s FROM a GROUP BY k) SELECT count(*), sum(p.n * q.s) FROM w p JOIN w q ON p.k = q.k WHERE p.n > 1;

-- name: covariance
-- expect: tensor
-- float: terms up to 1000
WITH f AS (SELECT fact.cust, prod.cat, sum(fact.qty) AS s FROM fact JOIN prod ON fact.prod = prod.id GROUP BY fact.cust, prod.cat) SELECT x.cat, y.cat, sum(x.s * y.s) FROM f x JOIN f y ON x.cust = y.cust GROUP BY x.cat, y.cat;

-- name: two_derived_and_table
-- expect: tensor
SELECT c.j, sum(sqrt(p.n) * abs(q.s)), count(*) FROM (SELECT k, count(*) AS n FROM a GROUP BY k) p JOIN (SELECT k, sum(y) AS s FROM b GROUP BY k) q ON p.k = q.k JOIN c ON c.k = q.k GROUP BY c.j;

-- name: rowwise_function
-- expect: tensor
SELECT sum(abs(a.x - b.y)), max(abs(a.x - b.y)), min(abs(a.x * b.y)) FROM a JOIN b ON a.k = b.k;

-- name: rowwise_greatest
-- expect: tensor
SELECT sum(greatest(a.x, b.y)) FROM a JOIN b ON a.k = b.k;

-- name: rowwise_sqrt
-- expect: tensor
-- float: terms up to 100
SELECT b.tag, sum(sqrt(a.y * a.y + b.z * b.z)) FROM a JOIN b ON a.k = b.k GROUP BY b.tag;

-- name: average_of_averages
-- expect: tensor
SELECT avg(t.m), max(t.m) FROM (SELECT k, avg(x) AS m FROM qty GROUP BY k) t JOIN b ON t.k = b.k;

-- name: group_by_inner_value_again
-- expect: tensor
SELECT t.n, sum(sqrt(t.n)), count(*) FROM (SELECT k, count(*) AS n FROM a GROUP BY k) t GROUP BY t.n;

-- A group of u may have no row left: its minimum must not become one.
-- name: hollow_value_of_no_row
-- expect: tensor
SELECT count(*), sum(u.c), min(u.c), sum(u.c * c.v) FROM (SELECT b.k, count(*) AS c FROM (SELECT k, count(*) AS n FROM a GROUP BY k) t JOIN b ON t.k = b.k WHERE t.n > 2 GROUP BY b.k) u JOIN c ON u.k = c.k;

-- name: hollow_value_over_no_rows
-- expect: tensor
SELECT c.j, count(*), sum(u.c + 1), max(u.c) FROM (SELECT b.k, count(*) AS c FROM (SELECT k, count(*) AS n FROM a GROUP BY k) t JOIN b ON t.k = b.k WHERE t.n > 2 GROUP BY b.k) u JOIN c ON u.k = c.k GROUP BY c.j;

-- A sum that is NULL is neither below nor above anything.
-- name: where_outside_unknown
-- expect: tensor
SELECT count(*), sum(t.n) FROM (SELECT k, y, sum(x) AS s, count(*) AS n FROM a GROUP BY k, y) t WHERE t.s < 1;

-- name: where_outside_unknown_negated
-- expect: tensor
SELECT count(*), sum(t.n) FROM (SELECT k, y, sum(x) AS s, count(*) AS n FROM a GROUP BY k, y) t WHERE NOT (t.s >= 1 OR t.s <> 0);

-- name: inner_sum_past_its_type
-- expect: error 22
SELECT sum(t.s * t.s) FROM (SELECT k, sum(v) AS s FROM big GROUP BY k) t;

-- Some groups of u have no row left, whose minimum is no value.
-- name: hollow_minimum
-- expect: tensor
SELECT count(*), sum(u.lo), max(u.lo) FROM (SELECT s.dst, min(s.src) AS lo FROM (SELECT src, min(src) AS m FROM simple GROUP BY src) t JOIN simple s ON t.src = s.src WHERE t.m > 8 GROUP BY s.dst) u;

-- Every value fits the type, the sum of a group does not.
-- name: inner_sum_cast_narrow
-- expect: error 22
SELECT sum(CAST(t.s AS TINYINT)) FROM (SELECT cat, sum(id) AS s FROM prod GROUP BY cat) t;

-- name: table_function
-- expect: tensor
SELECT count(*), sum(range) FROM range(10);

-- name: values_list
-- expect: tensor
SELECT count(*), sum(t.y) FROM (VALUES (1, 2), (3, 4)) t(x, y);

-- name: range_left_join
-- expect: tensor
SELECT t.i, count(a.k), sum(a.x) FROM range(1, 5) AS t(i) LEFT JOIN a ON a.k = t.i GROUP BY t.i;

-- name: values_join
-- expect: tensor
SELECT t.name, sum(a.x) FROM a JOIN (VALUES (1, 'one'), (2, 'two')) t(k, name) ON a.k = t.k GROUP BY t.name;

-- name: window_in_derived
-- expect: tensor
SELECT b.k, count(*) FROM (SELECT k, row_number() OVER (PARTITION BY k ORDER BY x, y) AS rn FROM a) t JOIN b ON t.k = b.k WHERE t.rn = 1 GROUP BY b.k;

-- name: in_limited
-- expect: tensor
SELECT count(*) FROM a WHERE k IN (SELECT k FROM b WHERE k IS NOT NULL ORDER BY k LIMIT 1);

-- name: distinct_on_in_cte
-- expect: tensor
WITH t AS (SELECT DISTINCT ON (k) k, y FROM b ORDER BY k, y) SELECT a.k, sum(t.y) FROM a JOIN t ON a.k = t.k GROUP BY a.k;
