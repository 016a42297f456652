-- HAVING, ORDER BY, LIMIT, OFFSET and expressions over aggregates.

-- name: having_count
-- expect: tensor
SELECT a.k, count(*) FROM a JOIN b ON a.k = b.k GROUP BY a.k HAVING count(*) > 2;

-- name: having_sum_null
-- expect: tensor
SELECT a.k, sum(b.y) FROM a JOIN b ON a.k = b.k GROUP BY a.k HAVING sum(b.y) > 0;

-- name: having_is_null
-- expect: tensor
SELECT k, sum(x) FROM a GROUP BY k HAVING sum(z) IS NULL;

-- name: having_unselected_aggregate
-- expect: tensor
SELECT a.k FROM a JOIN b ON a.k = b.k GROUP BY a.k HAVING max(b.z) >= 3;

-- name: having_on_key
-- expect: tensor
SELECT a.k, count(*) FROM a JOIN b ON a.k = b.k GROUP BY a.k HAVING a.k > 1;

-- name: having_and_or
-- expect: tensor
SELECT a.k, count(*) FROM a JOIN b ON a.k = b.k GROUP BY a.k HAVING count(*) > 2 AND (min(a.x) < 0 OR max(b.y) IS NULL);

-- name: having_expression
-- expect: tensor
SELECT a.k, sum(a.x) FROM a JOIN b ON a.k = b.k GROUP BY a.k HAVING sum(a.x) * 2 < sum(b.y) + 10;

-- name: having_where_both
-- expect: tensor
SELECT b.tag, count(*) FROM a JOIN b ON a.k = b.k WHERE a.x > 0 GROUP BY b.tag HAVING count(*) >= 2;

-- name: having_no_group_keeps
-- expect: tensor
SELECT count(*) FROM a JOIN b ON a.k = b.k HAVING count(*) > 1;

-- name: having_no_group_removes
-- expect: tensor
SELECT count(*), sum(a.x) FROM a JOIN b ON a.k = b.k HAVING count(*) < 0;

-- name: having_no_group_empty_input
-- expect: tensor
SELECT count(*), sum(x) FROM empty_a HAVING count(*) = 0;

-- name: having_no_group_null
-- expect: tensor
SELECT count(*) FROM empty_a HAVING sum(x) > 0;

-- name: having_no_aggregate_selected
-- expect: tensor
SELECT 1 FROM a JOIN b ON a.k = b.k HAVING count(*) > 1;

-- name: having_removes_all
-- expect: tensor
SELECT k, count(*) FROM a GROUP BY k HAVING count(*) > 100;

-- name: having_between
-- expect: tensor
SELECT a.k, avg(b.y) FROM a JOIN b ON a.k = b.k GROUP BY a.k HAVING avg(b.y) BETWEEN -1 AND 4;

-- name: having_in
-- expect: tensor
SELECT b.tag, count(*) FROM a JOIN b ON a.k = b.k GROUP BY b.tag HAVING count(*) IN (2, 3, 6);

-- name: order_key
-- expect: tensor
-- order: total
SELECT a.k, count(*) FROM a JOIN b ON a.k = b.k GROUP BY a.k ORDER BY a.k;

-- name: order_key_desc
-- expect: tensor
-- order: total
SELECT k, count(*), sum(x) FROM a GROUP BY k ORDER BY k DESC;

-- name: order_null_key_last
-- expect: tensor
-- order: total
SELECT k, count(*) FROM a GROUP BY k ORDER BY k;

-- name: order_position
-- expect: tensor
-- order: total
SELECT a.k, count(*) FROM a JOIN b ON a.k = b.k GROUP BY a.k ORDER BY 1 DESC;

-- name: order_two
-- expect: tensor
-- order: total
SELECT a.k, b.tag, count(*) FROM a JOIN b ON a.k = b.k GROUP BY a.k, b.tag ORDER BY b.tag DESC, a.k;

-- name: order_count_then_key
-- expect: tensor
-- order: total
SELECT a.k, count(*) AS n FROM a JOIN b ON a.k = b.k GROUP BY a.k ORDER BY n DESC, a.k;

-- name: order_aggregate
-- expect: tensor
-- order: total
SELECT a.k, sum(b.y) FROM a JOIN b ON a.k = b.k GROUP BY a.k ORDER BY sum(b.y), a.k;

-- name: order_unselected_aggregate
-- expect: tensor
-- order: total
SELECT b.tag FROM a JOIN b ON a.k = b.k GROUP BY b.tag ORDER BY max(a.x) DESC, count(*), b.tag;

-- name: order_expression
-- expect: tensor
-- order: total
SELECT a.k, sum(a.x) FROM a JOIN b ON a.k = b.k GROUP BY a.k ORDER BY -sum(a.x) + a.k, a.k;

-- name: order_by_string
-- expect: tensor
-- order: total
SELECT t.s, count(*) FROM txt t JOIN txt2 u ON t.s = u.s GROUP BY t.s ORDER BY t.s;

-- name: order_by_string_desc
-- expect: tensor
-- order: total
SELECT s, count(*) FROM txt GROUP BY s ORDER BY s DESC;

-- name: order_by_date
-- expect: tensor
-- order: total
SELECT ev.day, sum(cal.n) FROM ev JOIN cal ON ev.day = cal.day GROUP BY ev.day ORDER BY ev.day;

-- name: order_by_double_nan
-- expect: tensor
-- order: total
SELECT k, max(f) FROM odd GROUP BY k ORDER BY max(f) DESC, k;

-- name: order_by_decimal
-- expect: tensor
-- order: total
SELECT k, sum(p) FROM money GROUP BY k ORDER BY sum(p), k;

-- name: order_not_total
-- expect: tensor
SELECT a.k, count(*) FROM a JOIN b ON a.k = b.k GROUP BY a.k ORDER BY count(*) % 2;

-- name: order_alias_of_sum
-- expect: tensor
-- order: total
SELECT a.k AS grp, sum(a.x) AS total FROM a JOIN b ON a.k = b.k GROUP BY a.k ORDER BY total, grp;

-- name: order_alias_in_expression
-- expect: any (alias in expression)
SELECT a.k AS grp, sum(a.x) AS total FROM a JOIN b ON a.k = b.k GROUP BY a.k ORDER BY total + grp, grp;

-- name: order_one_row
-- expect: tensor
-- order: total
SELECT count(*) FROM a ORDER BY 1;

-- name: order_nulls_first
-- expect: tensor
-- order: total
SELECT k, count(*) FROM a GROUP BY k ORDER BY k NULLS FIRST;

-- name: order_expression_nulls_first
-- expect: tensor
-- order: total
SELECT k, count(*) FROM a GROUP BY k ORDER BY abs(k) NULLS FIRST, k;

-- name: order_desc_nulls_first
-- expect: tensor
-- order: total
SELECT k, sum(x) FROM a GROUP BY k ORDER BY k DESC NULLS FIRST;

-- name: order_nulls_last
-- expect: tensor
-- order: total
SELECT k, sum(x) FROM a GROUP BY k ORDER BY sum(x) NULLS LAST, k NULLS LAST;

-- name: limit
-- expect: tensor
-- order: total
SELECT a.k, count(*) FROM a JOIN b ON a.k = b.k GROUP BY a.k ORDER BY a.k LIMIT 2;

-- name: limit_offset
-- expect: tensor
-- order: total
SELECT a.k, count(*) FROM a JOIN b ON a.k = b.k GROUP BY a.k ORDER BY a.k LIMIT 2 OFFSET 1;

-- name: limit_offset_of_expression
-- expect: tensor
-- order: total
SELECT a.k, count(*) FROM a JOIN b ON a.k = b.k GROUP BY a.k ORDER BY abs(a.k), a.k LIMIT 2 OFFSET 1;

-- name: limit_top
-- expect: tensor
-- order: total
SELECT b.tag, sum(a.x) AS total FROM a JOIN b ON a.k = b.k GROUP BY b.tag ORDER BY total DESC, b.tag LIMIT 1;

-- name: limit_zero
-- expect: tensor
SELECT a.k, count(*) FROM a JOIN b ON a.k = b.k GROUP BY a.k ORDER BY a.k LIMIT 0;

-- name: limit_past_end
-- expect: tensor
-- order: total
SELECT k, count(*) FROM a GROUP BY k ORDER BY k LIMIT 100;

-- name: offset_only
-- expect: tensor
-- order: total
SELECT k, count(*) FROM a GROUP BY k ORDER BY k OFFSET 3;

-- name: offset_before_limit
-- expect: tensor
-- order: total
SELECT k, count(*) FROM a GROUP BY k ORDER BY k OFFSET 1 LIMIT 3;

-- name: offset_past_end
-- expect: tensor
SELECT k, count(*) FROM a GROUP BY k ORDER BY k LIMIT 5 OFFSET 100;

-- name: limit_with_having
-- expect: tensor
-- order: total
SELECT a.k, count(*) AS n FROM a JOIN b ON a.k = b.k GROUP BY a.k HAVING count(*) > 1 ORDER BY n DESC, a.k LIMIT 2;

-- name: limit_scalar
-- expect: tensor
-- order: total
SELECT count(*), sum(x) FROM a ORDER BY 1 LIMIT 1;

-- name: ratio
-- expect: tensor
SELECT a.k, sum(b.y) / count(*) FROM a JOIN b ON a.k = b.k GROUP BY a.k;

-- name: ratio_of_sums
-- expect: tensor
SELECT sum(a.x) / sum(b.y) FROM a JOIN b ON a.k = b.k;

-- name: percent
-- expect: tensor
SELECT b.tag, 100 * sum(a.x) / count(*) FROM a JOIN b ON a.k = b.k GROUP BY b.tag;

-- name: sum_plus_sum
-- expect: tensor
SELECT a.k, sum(a.x) + sum(b.y) FROM a JOIN b ON a.k = b.k GROUP BY a.k;

-- name: difference_max_min
-- expect: tensor
SELECT a.k, max(b.y) - min(b.y) FROM a JOIN b ON a.k = b.k GROUP BY a.k;

-- name: key_times_aggregate
-- expect: tensor
SELECT a.k * count(*), a.k + sum(a.x) FROM a JOIN b ON a.k = b.k GROUP BY a.k;

-- name: coalesce_of_sum
-- expect: tensor
SELECT k, coalesce(sum(x), -1) FROM a GROUP BY k;

-- name: coalesce_of_sum_empty
-- expect: tensor
SELECT coalesce(sum(x), 0), coalesce(max(s), 'none') FROM empty_a;

-- name: case_of_aggregate
-- expect: tensor
SELECT a.k, CASE WHEN count(*) > 3 THEN 'many' ELSE 'few' END FROM a JOIN b ON a.k = b.k GROUP BY a.k;

-- name: case_of_key
-- expect: tensor
SELECT CASE WHEN a.k = 1 THEN 'first' ELSE 'other' END, count(*) FROM a JOIN b ON a.k = b.k GROUP BY a.k;

-- name: cast_of_aggregate
-- expect: tensor
SELECT CAST(count(*) AS DOUBLE), sum(a.x)::VARCHAR FROM a JOIN b ON a.k = b.k;

-- name: round_of_average
-- expect: tensor
SELECT round(avg(a.x), 2) FROM a JOIN b ON a.k = b.k;

-- name: sqrt_of_sum
-- expect: tensor
SELECT sqrt(sum(a.y)) FROM a JOIN b ON a.k = b.k;

-- name: nullif_in_denominator
-- expect: tensor
SELECT a.k, sum(a.x) / nullif(sum(b.z), 0) FROM a JOIN b ON a.k = b.k GROUP BY a.k;

-- name: boolean_of_aggregate
-- expect: tensor
SELECT a.k, count(*) > 2, sum(a.x) IS NULL FROM a JOIN b ON a.k = b.k GROUP BY a.k;

-- name: constant_beside_aggregate
-- expect: tensor
SELECT 'rows', count(*), 1.5 FROM a JOIN b ON a.k = b.k;

-- name: constant_beside_group
-- expect: tensor
SELECT a.k, 'x' AS mark, count(*) FROM a JOIN b ON a.k = b.k GROUP BY a.k;

-- name: concat_of_key
-- expect: tensor
SELECT b.tag || '!', count(*) FROM a JOIN b ON a.k = b.k GROUP BY b.tag;

-- name: overflow_after_aggregate
-- expect: error 22
SELECT count(*) * 9223372036854775807 FROM a JOIN b ON a.k = b.k;

-- name: division_by_zero_after_aggregate
-- expect: tensor
SELECT sum(a.x) / (count(*) - count(*)) FROM a JOIN b ON a.k = b.k;

-- name: order_alias_like_internal
-- expect: tensor
-- order: total
SELECT a.k AS k1, CASE WHEN count(*) > 0 THEN 'plus' ELSE 'rest' END AS a0 FROM a JOIN b ON a.k = b.k GROUP BY a.k ORDER BY count(*) DESC, a.k;

-- name: order_key_alias_like_internal
-- expect: tensor
-- order: total
SELECT count(*) AS k0, sum(a.x) AS a1, a.k AS a0 FROM a JOIN b ON a.k = b.k GROUP BY a.k ORDER BY a.k DESC;

-- name: having_alias_like_internal
-- expect: tensor
SELECT a.k AS a0, sum(a.x) AS k0 FROM a JOIN b ON a.k = b.k GROUP BY a.k HAVING count(*) > 2 AND a.k < 3;
