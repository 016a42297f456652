-- COUNT, SUM, AVG, MIN, MAX over columns and over expressions of one or several tables.

-- name: count_star
-- expect: tensor
SELECT count(*) FROM a;

-- name: count_column
-- expect: tensor
SELECT count(x), count(y), count(z), count(k) FROM a;

-- name: count_column_join
-- expect: tensor
SELECT count(a.x), count(b.y), count(a.z), count(*) FROM a JOIN b ON a.k = b.k;

-- name: count_constant
-- expect: tensor
SELECT count(1) FROM a JOIN b ON a.k = b.k;

-- name: count_expression
-- expect: tensor
SELECT count(a.x + a.z) FROM a JOIN b ON a.k = b.k;

-- name: count_expression_across
-- expect: tensor
SELECT count(a.x * b.y), count(a.z + b.z) FROM a JOIN b ON a.k = b.k;

-- name: count_string
-- expect: tensor
SELECT count(tag) FROM a JOIN b ON a.k = b.k;

-- name: sum_one_table
-- expect: tensor
SELECT sum(x), sum(y), sum(z) FROM a;

-- name: sum_join
-- expect: tensor
SELECT sum(a.x), sum(b.y) FROM a JOIN b ON a.k = b.k;

-- name: sum_key
-- expect: tensor
SELECT sum(a.k), sum(b.k) FROM a JOIN b ON a.k = b.k;

-- name: sum_key_unmatched
-- expect: tensor
SELECT sum(a.k) FROM a CROSS JOIN one;

-- name: sum_constant
-- expect: tensor
SELECT sum(1), sum(2) FROM a JOIN b ON a.k = b.k;

-- name: sum_null_constant
-- expect: any (constant argument)
SELECT sum(NULL::INTEGER) FROM a JOIN b ON a.k = b.k;

-- name: sum_product
-- expect: tensor
SELECT sum(a.x * b.y) FROM a JOIN b ON a.k = b.k;

-- name: sum_product_group
-- expect: tensor
SELECT a.k, sum(a.x * b.y) FROM a JOIN b ON a.k = b.k GROUP BY a.k;

-- name: sum_product_one_table
-- expect: tensor
SELECT a.k, sum(a.x * a.y) FROM a JOIN b ON a.k = b.k GROUP BY a.k;

-- name: sum_product_three
-- expect: tensor
SELECT sum(a.x * b.y * c.v) FROM a JOIN b ON a.k = b.k JOIN c ON b.k = c.k;

-- name: sum_square
-- expect: tensor
SELECT sum(a.x * a.x) FROM a JOIN b ON a.k = b.k;

-- name: sum_sum
-- expect: tensor
SELECT sum(a.x + b.y) FROM a JOIN b ON a.k = b.k;

-- name: sum_sum_group
-- expect: tensor
SELECT b.tag, sum(a.x + b.y), count(a.x + b.y) FROM a JOIN b ON a.k = b.k GROUP BY b.tag;

-- name: sum_sum_three
-- expect: tensor
SELECT sum(a.x + b.y + c.v) FROM a JOIN b ON a.k = b.k JOIN c ON b.k = c.k;

-- name: sum_difference
-- expect: tensor
SELECT sum(a.x - b.y) FROM a JOIN b ON a.k = b.k;

-- name: sum_difference_chain
-- expect: tensor
SELECT sum(a.x - b.y - a.z) FROM a JOIN b ON a.k = b.k;

-- name: sum_negated
-- expect: tensor
SELECT sum(-a.x) FROM a JOIN b ON a.k = b.k;

-- name: sum_negated_product
-- expect: tensor
SELECT sum(-a.x * b.y), sum(-(a.x * b.y)) FROM a JOIN b ON a.k = b.k;

-- name: sum_times_constant
-- expect: tensor
SELECT sum(a.x * 2), sum(3 * b.y) FROM a JOIN b ON a.k = b.k;

-- name: sum_plus_constant
-- expect: tensor
SELECT sum(a.x + 10), sum(a.x * b.y + 1) FROM a JOIN b ON a.k = b.k;

-- name: sum_product_plus_column
-- expect: tensor
SELECT sum(a.x * b.y + a.z) FROM a JOIN b ON a.k = b.k;

-- name: sum_product_plus_other
-- expect: tensor
SELECT sum(a.x * b.y + b.z) FROM a JOIN b ON a.k = b.k;

-- name: sum_product_plus_product
-- expect: tensor
SELECT sum(a.x * b.y + a.y * b.z) FROM a JOIN b ON a.k = b.k;

-- name: sum_distributed
-- expect: tensor
SELECT sum((a.x + b.y) * c.v) FROM a JOIN b ON a.k = b.k JOIN c ON b.k = c.k;

-- name: sum_distributed_both
-- expect: tensor
SELECT sum((a.x + b.y) * (a.z - b.z)) FROM a JOIN b ON a.k = b.k;

-- name: sum_distributed_deep
-- expect: tensor
SELECT sum((a.x + b.y * 2) * (c.v - 1)) FROM a JOIN b ON a.k = b.k JOIN c ON b.k = c.k;

-- name: sum_case
-- expect: tensor
SELECT sum(CASE WHEN a.x > 0 THEN a.x ELSE 0 END) FROM a JOIN b ON a.k = b.k;

-- name: sum_case_count
-- expect: tensor
SELECT b.tag, sum(CASE WHEN a.x > 0 THEN 1 ELSE 0 END) FROM a JOIN b ON a.k = b.k GROUP BY b.tag;

-- name: sum_case_no_else
-- expect: tensor
SELECT sum(CASE WHEN b.tag = 'red' THEN b.y END), count(CASE WHEN b.tag = 'red' THEN 1 END) FROM a JOIN b ON a.k = b.k;

-- name: sum_case_times_other
-- expect: tensor
SELECT sum(a.x * CASE WHEN b.tag = 'red' THEN b.y ELSE -1 END) FROM a JOIN b ON a.k = b.k;

-- name: sum_coalesce
-- expect: tensor
SELECT sum(coalesce(a.x, 100)), sum(coalesce(b.y, 0) * a.y) FROM a JOIN b ON a.k = b.k;

-- name: sum_boolean_comparison
-- expect: any (sum of BOOLEAN)
SELECT sum(b.tag = 'red') FROM a JOIN b ON a.k = b.k;

-- name: sum_length
-- expect: tensor
SELECT sum(length(t.s)), sum(length(t.s) * u.m) FROM txt t JOIN txt2 u ON t.s = u.s;

-- name: sum_cast
-- expect: tensor
SELECT sum(a.x::BIGINT * b.y) FROM a JOIN b ON a.k = b.k;

-- name: sum_all_null
-- expect: tensor
SELECT sum(x), count(x), avg(x), min(x), max(x), count(*) FROM nulls;

-- name: sum_all_null_join
-- expect: tensor
SELECT sum(o.x), count(o.x), count(*) FROM a JOIN one_null o ON a.k = o.k;

-- name: sum_null_times_value
-- expect: tensor
SELECT sum(o.x * a.x), count(o.x * a.x), sum(o.x + a.x) FROM a JOIN one_null o ON a.k = o.k;

-- name: avg_int
-- expect: tensor
SELECT avg(x), avg(y) FROM a;

-- name: avg_join
-- expect: tensor
SELECT avg(a.x), avg(b.y) FROM a JOIN b ON a.k = b.k;

-- name: avg_group
-- expect: tensor
SELECT b.tag, avg(a.x), avg(b.z) FROM a JOIN b ON a.k = b.k GROUP BY b.tag;

-- name: avg_product
-- expect: tensor
SELECT avg(a.x * b.y) FROM a JOIN b ON a.k = b.k;

-- name: avg_sum
-- expect: tensor
SELECT avg(a.x + b.y), avg(a.x - b.y) FROM a JOIN b ON a.k = b.k;

-- name: avg_thirds
-- expect: tensor
SELECT k, avg(x + y) FROM a GROUP BY k;

-- name: avg_bigint_large
-- expect: tensor
SELECT k, avg(v) FROM big GROUP BY k;

-- name: avg_bigint_large_all
-- expect: tensor
SELECT avg(v), count(v) FROM big;

-- name: avg_double
-- expect: tensor
SELECT k, avg(x), avg(y) FROM qty GROUP BY k;

-- name: avg_decimal
-- expect: tensor
SELECT k, avg(p), avg(q) FROM money GROUP BY k;

-- name: avg_hugeint
-- expect: tensor
SELECT avg(h) FROM huge;

-- name: min_max_int
-- expect: tensor
SELECT min(x), max(x), min(z), max(z) FROM a;

-- name: min_max_join
-- expect: tensor
SELECT min(a.x), max(a.x), min(b.y), max(b.y) FROM a JOIN b ON a.k = b.k;

-- name: min_max_group
-- expect: tensor
SELECT a.k, min(b.y), max(b.y), min(a.z), max(a.z) FROM a JOIN b ON a.k = b.k GROUP BY a.k;

-- name: min_max_key
-- expect: tensor
SELECT min(a.k), max(b.k) FROM a JOIN b ON a.k = b.k;

-- name: min_max_negated
-- expect: tensor
SELECT min(-a.x), max(-a.x) FROM a JOIN b ON a.k = b.k;

-- name: min_max_sum
-- expect: tensor
SELECT min(a.x + b.y), max(a.x + b.y) FROM a JOIN b ON a.k = b.k;

-- name: min_max_difference
-- expect: tensor
SELECT a.k, min(a.x - b.y), max(a.x - b.y) FROM a JOIN b ON a.k = b.k GROUP BY a.k;

-- name: min_max_product
-- expect: tensor
SELECT min(a.x * b.y), max(a.x * b.y) FROM a JOIN b ON a.k = b.k;

-- name: min_max_product_group
-- expect: tensor
SELECT a.k, min(a.x * b.y), max(a.x * b.y) FROM a JOIN b ON a.k = b.k GROUP BY a.k;

-- name: min_max_expression
-- expect: tensor
SELECT min(abs(a.x)), max(a.x % 3) FROM a JOIN b ON a.k = b.k;

-- name: min_max_string
-- expect: tensor
SELECT min(s), max(s) FROM txt;

-- name: min_max_string_join
-- expect: tensor
SELECT min(b.tag), max(b.tag) FROM a JOIN b ON a.k = b.k;

-- name: min_max_string_group
-- expect: tensor
SELECT a.k, min(b.tag), max(b.tag) FROM a JOIN b ON a.k = b.k GROUP BY a.k;

-- name: min_max_string_unicode
-- expect: tensor
SELECT u.m, min(t.s), max(t.s) FROM txt t JOIN txt2 u ON t.s = u.s GROUP BY u.m;

-- name: min_max_string_expression
-- expect: tensor
SELECT min(lower(t.s)), max(t.s || '~') FROM txt t JOIN txt2 u ON t.s = u.s;

-- name: min_max_date
-- expect: tensor
SELECT min(day), max(day) FROM ev;

-- name: min_max_date_join
-- expect: tensor
SELECT m.name, min(s.hired), max(s.hired) FROM emp s JOIN emp m ON s.boss = m.id GROUP BY m.name;

-- name: min_max_timestamp
-- expect: tensor
SELECT ev.kind, min(ev.ts), max(ev.ts) FROM ev JOIN cal ON ev.day = cal.day GROUP BY ev.kind;

-- name: min_max_boolean
-- expect: tensor
SELECT kind, min(ok), max(ok) FROM ev GROUP BY kind;

-- name: min_max_decimal
-- expect: tensor
SELECT k, min(p), max(q), min(r), max(r) FROM money GROUP BY k;

-- name: min_max_double
-- expect: tensor
SELECT k, min(x), max(x) FROM qty GROUP BY k;

-- name: min_max_double_nan
-- expect: tensor
SELECT k, min(f), max(f) FROM odd GROUP BY k;

-- name: min_max_double_nan_join
-- expect: tensor
SELECT odd.k, min(p.f), max(p.f) FROM odd JOIN odd p ON odd.k = p.k GROUP BY odd.k;

-- name: min_max_widths
-- expect: tensor
SELECT min(t), max(t), min(s), max(s), min(i), max(i), min(b), max(b) FROM ext;

-- name: min_max_hugeint
-- expect: tensor
SELECT min(h), max(h) FROM ext;

-- name: min_max_unsigned
-- expect: tensor
SELECT min(ut), max(ut), min(us), max(us), min(ui), max(ui), min(ub), max(ub) FROM ext;

-- name: sum_double
-- expect: tensor
SELECT sum(x), sum(y) FROM qty;

-- name: sum_double_group
-- expect: tensor
SELECT k, sum(x), count(x) FROM qty GROUP BY k;

-- name: sum_double_product
-- expect: tensor
SELECT p.k, sum(p.x * q.y) FROM qty p JOIN qty q ON p.k = q.k GROUP BY p.k;

-- name: sum_double_int_product
-- expect: tensor
SELECT sum(qty.x * b.y) FROM qty JOIN b ON qty.k = b.k;

-- name: sum_double_sum
-- expect: tensor
SELECT sum(p.x + q.y), sum(p.x - q.y) FROM qty p JOIN qty q ON p.k = q.k;

-- name: sum_double_nonfinite
-- expect: tensor
SELECT k, sum(f) FROM odd GROUP BY k;

-- name: sum_double_nonfinite_join
-- expect: tensor
SELECT odd.k, sum(odd.f), count(*) FROM odd JOIN odd2 ON odd.f = odd2.f GROUP BY odd.k;

-- name: sum_double_nonfinite_product
-- expect: any (factor not finite)
SELECT odd.k, sum(odd.f * odd2.n) FROM odd JOIN odd2 ON odd.f = odd2.f GROUP BY odd.k;

-- name: sum_double_infinity_times_zero
-- expect: any (factor not finite)
SELECT odd.k, sum(odd.f * a.y) FROM odd JOIN a ON odd.k = a.k GROUP BY odd.k;

-- name: sum_decimal
-- expect: tensor
SELECT sum(p), sum(q), sum(r) FROM money;

-- name: sum_decimal_group
-- expect: tensor
SELECT k, sum(p), sum(q), sum(r), count(*) FROM money GROUP BY k;

-- name: sum_decimal_join
-- expect: tensor
SELECT money.k, sum(money.p), sum(rate.f) FROM money JOIN rate ON money.k = rate.k GROUP BY money.k;

-- name: sum_decimal_product
-- expect: tensor
SELECT money.k, sum(money.p * rate.f) FROM money JOIN rate ON money.k = rate.k GROUP BY money.k;

-- name: sum_decimal_int_product
-- expect: tensor
SELECT sum(money.p * rate.i) FROM money JOIN rate ON money.k = rate.k;

-- name: sum_decimal_sum
-- expect: tensor
SELECT sum(money.p + rate.f), sum(money.p - rate.f) FROM money JOIN rate ON money.k = rate.k;

-- name: sum_decimal_sum_scales
-- expect: error 22
SELECT sum(money.q + rate.f) FROM money JOIN rate ON money.k = rate.k;

-- name: sum_decimal_times_constant
-- expect: tensor
SELECT sum(money.p * 2), sum(money.p * 0.5) FROM money JOIN rate ON money.k = rate.k;

-- name: sum_decimal_one_table
-- expect: tensor
SELECT sum(qty * price), count(qty * price) FROM fact;

-- name: min_max_decimal_product
-- expect: tensor
SELECT min(money.p * rate.f), max(money.p * rate.f) FROM money JOIN rate ON money.k = rate.k;

-- name: sum_smallint
-- expect: tensor
SELECT sum(s), sum(t) FROM ext;

-- name: sum_unsigned
-- expect: tensor
SELECT sum(ut), sum(us), sum(ui) FROM ext;

-- name: sum_ubigint
-- expect: tensor
SELECT sum(ub) FROM ext;

-- name: many_leaves
-- expect: tensor
SELECT count(*), count(a.x), sum(a.x), avg(a.x), min(a.x), max(a.x), count(b.y), sum(b.y), avg(b.y), min(b.y), max(b.y), sum(a.x * b.y), min(b.tag), max(b.tag) FROM a JOIN b ON a.k = b.k;

-- name: many_leaves_group
-- expect: tensor
SELECT a.k, count(*), sum(a.x), sum(a.y), sum(a.z), sum(b.y), sum(b.z), min(a.x), max(b.z), avg(a.y), sum(a.x * b.y), sum(a.x + b.y) FROM a JOIN b ON a.k = b.k GROUP BY a.k;

-- name: same_aggregate_twice
-- expect: tensor
SELECT sum(a.x), sum(a.x), sum(a.x) + sum(a.x) FROM a JOIN b ON a.k = b.k;

-- name: leaves_with_different_nulls
-- expect: tensor
SELECT a.k, count(a.x), count(a.y), count(a.z), count(a.x + a.y + a.z), sum(a.x + a.y + a.z) FROM a JOIN b ON a.k = b.k GROUP BY a.k;

-- name: validity_is_of_the_whole
-- expect: tensor
SELECT a.k, sum(a.x * b.y + a.z), sum(a.z + b.y * a.x), sum(a.x * b.y) FROM a JOIN b ON a.k = b.k GROUP BY a.k;

-- name: string_aggregates_only
-- expect: tensor
SELECT count(s), min(s), max(s) FROM txt;

-- name: aggregate_of_group_key
-- expect: tensor
SELECT a.k, sum(a.k), count(a.k), max(a.k) FROM a JOIN b ON a.k = b.k GROUP BY a.k;

-- name: sum_group_key_product
-- expect: tensor
SELECT a.k, sum(a.k * b.y) FROM a JOIN b ON a.k = b.k GROUP BY a.k;
