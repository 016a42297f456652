-- Comparisons between columns of different tables.

-- name: not_equal_beside_join
-- expect: tensor
SELECT count(*) FROM a JOIN b ON a.k = b.k WHERE a.y <> b.y;

-- name: not_equal_self
-- expect: tensor
SELECT count(*) FROM a p JOIN a q ON p.k = q.k WHERE p.x <> q.x;

-- name: not_equal_neighbours
-- expect: tensor
SELECT count(*) FROM e p JOIN e q ON p.dst = q.src WHERE p.src <> q.dst;

-- name: less_beside_join
-- expect: tensor
SELECT count(*), sum(a.x) FROM a JOIN b ON a.k = b.k WHERE a.x < b.y;

-- name: less_equal_beside_join
-- expect: tensor
SELECT count(*) FROM a JOIN b ON a.k = b.k WHERE a.x <= b.y;

-- name: greater_beside_join
-- expect: tensor
SELECT a.k, count(*) FROM a JOIN b ON a.k = b.k WHERE a.y > b.z GROUP BY a.k;

-- name: greater_equal_beside_join
-- expect: tensor
SELECT a.k, count(*), sum(b.y) FROM a JOIN b ON a.k = b.k WHERE a.z >= b.z GROUP BY a.k;

-- name: mask_in_on
-- expect: tensor
SELECT count(*) FROM a JOIN b ON a.k = b.k AND a.x < b.y;

-- name: less_only_link
-- expect: tensor
SELECT count(*) FROM a JOIN b ON a.k < b.k;

-- name: not_equal_only_link
-- expect: tensor
SELECT count(*), sum(a.x) FROM a, b WHERE a.k <> b.k;

-- name: less_equal_only_link
-- expect: tensor
SELECT count(*), sum(a.x * b.y) FROM a, b WHERE a.x <= b.y;

-- name: greater_only_link_group
-- expect: tensor
SELECT b.tag, count(*), min(a.x) FROM a, b WHERE a.x > b.z GROUP BY b.tag;

-- name: greater_equal_only_link
-- expect: tensor
SELECT count(*) FROM a JOIN b ON a.y >= b.y;

-- name: two_masks
-- expect: tensor
SELECT count(*) FROM a, b WHERE a.k < b.k AND a.x > b.y;

-- name: mask_on_group_columns
-- expect: tensor
SELECT a.k, b.k, count(*) FROM a, b WHERE a.k < b.k GROUP BY a.k, b.k;

-- name: mask_on_measure_column
-- expect: tensor
SELECT a.k, sum(b.y) FROM a JOIN b ON a.k = b.k WHERE b.y < a.y GROUP BY a.k;

-- name: mask_band
-- expect: tensor
SELECT count(*) FROM a, b WHERE a.x >= b.y AND a.x <= b.z;

-- name: mask_strings
-- expect: tensor
SELECT count(*) FROM txt t, txt2 u WHERE t.s < u.s;

-- name: mask_strings_not_equal
-- expect: tensor
SELECT count(*) FROM txt t JOIN txt2 u ON t.s <> u.s;

-- name: mask_dates
-- expect: tensor
SELECT count(*), sum(cal.n) FROM ev, cal WHERE ev.day < cal.day;

-- name: mask_dates_beside_join
-- expect: tensor
SELECT count(*) FROM ev JOIN cal ON ev.ok = cal.open WHERE ev.day <= cal.day;

-- name: mask_double_nan
-- expect: tensor
SELECT count(*) FROM odd, odd2 WHERE odd.f < odd2.f;

-- name: mask_double_not_equal
-- expect: tensor
SELECT count(*) FROM odd, odd2 WHERE odd.f <> odd2.f;

-- name: mask_decimal
-- expect: tensor
SELECT count(*) FROM money p, money q WHERE p.p < q.p;

-- name: mask_bigint_extremes
-- expect: tensor
SELECT count(*) FROM far p, far q WHERE p.k < q.k;

-- name: mask_all_null
-- expect: tensor
SELECT count(*), sum(a.x) FROM a, nulls n WHERE a.k <> n.k;

-- name: mask_empty
-- expect: tensor
SELECT count(*), sum(a.x) FROM a, empty_a n WHERE a.k < n.k;

-- name: mask_mixed_types
-- expect: any (types differ)
SELECT count(*) FROM a, far WHERE a.k < far.k;

-- name: mask_with_product
-- expect: tensor
SELECT a.k, sum(a.x * b.y), min(b.y) FROM a JOIN b ON a.k = b.k WHERE a.x <> b.y GROUP BY a.k;

-- name: mask_then_min
-- expect: tensor
SELECT min(a.x), max(b.y) FROM a, b WHERE a.k < b.k;

-- name: mask_salary
-- expect: tensor
SELECT m.name, count(*), sum(s.salary) FROM emp s JOIN emp m ON s.boss = m.id WHERE s.salary < m.salary GROUP BY m.name;

-- name: mask_chain
-- expect: tensor
SELECT count(*) FROM a p, a q, a r WHERE p.k < q.k AND q.k < r.k;

-- name: mask_triangle_order
-- expect: tensor
SELECT count(*) FROM e p, e q, e r WHERE p.dst = q.src AND q.dst = r.src AND r.dst = p.src AND p.src < p.dst AND q.src < q.dst;

-- name: mask_distinct_corners
-- expect: tensor
SELECT count(*) FROM e p, e q, e r WHERE p.dst = q.src AND q.dst = r.src AND r.dst = p.src AND p.src <> q.src AND q.src <> r.src AND p.src <> r.src;

-- name: mask_reversed_sides
-- expect: tensor
SELECT count(*) FROM a, b WHERE b.k > a.k;

-- name: mask_same_class
-- expect: tensor
SELECT count(*) FROM a JOIN b ON a.k = b.k WHERE a.k <> b.k;

-- name: mask_same_class_or_equal
-- expect: tensor
SELECT count(*) FROM a JOIN b ON a.k = b.k WHERE a.k <= b.k;

-- name: mask_nested_value
-- expect: tensor
SELECT count(*) FROM (SELECT k, count(*) AS n FROM a GROUP BY k) p, (SELECT k, count(*) AS n FROM b GROUP BY k) q WHERE p.n < q.n;

-- name: mask_expression
-- expect: any (mask over expressions)
SELECT count(*) FROM a JOIN b ON a.k = b.k WHERE a.x + 1 < b.y * 2;

-- name: mask_or
-- expect: any (predicate over several tables)
SELECT count(*) FROM a JOIN b ON a.k = b.k WHERE a.x < b.y OR a.z IS NULL;

-- name: mask_between
-- expect: any (predicate over several tables)
SELECT count(*) FROM a JOIN b ON a.k = b.k WHERE a.x BETWEEN b.y AND b.z;

-- name: mask_not
-- expect: any (predicate over several tables)
SELECT count(*) FROM a JOIN b ON a.k = b.k WHERE NOT a.x < b.y;

-- name: mask_is_distinct
-- expect: any (IS DISTINCT FROM)
SELECT count(*) FROM a JOIN b ON a.k = b.k WHERE a.x IS DISTINCT FROM b.y;

-- name: order_implied_by_others
-- expect: tensor
SELECT count(*), sum(q.v) FROM c p JOIN c q ON p.j = q.k JOIN c r ON q.j = r.j AND p.k = r.k WHERE p.k < p.j AND q.k < q.j;

-- name: order_implied_through_itself
-- expect: tensor
SELECT count(*), sum(r.v) FROM c p JOIN c q ON p.k = q.k AND p.j = q.j JOIN c r ON r.k = q.k AND r.j = p.j WHERE p.k <= p.j AND q.k < q.j;

-- name: order_not_implied_backwards
-- expect: tensor
SELECT count(*), sum(r.v) FROM c p JOIN c q ON p.j = q.j JOIN c r ON r.k = p.j AND r.j = p.k WHERE p.k < p.j;

-- name: orders_of_a_cycle
-- expect: tensor
SELECT count(*) FROM c p JOIN c q ON p.j = q.k JOIN c r ON q.j = r.k AND r.j = p.k WHERE p.k < p.j AND q.k < q.j;

-- name: exists_other_and_less
-- expect: tensor
SELECT count(*), sum(a.x) FROM a WHERE EXISTS (SELECT 1 FROM a o WHERE o.k <> a.k AND o.x < a.x);

-- name: not_exists_distinct_and_more
-- expect: tensor
SELECT count(*), sum(a.x) FROM a WHERE NOT EXISTS (SELECT 1 FROM b WHERE b.k IS DISTINCT FROM a.k AND b.y >= a.x);
