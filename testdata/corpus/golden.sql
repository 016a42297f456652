-- Golden cases 13, 14, 20 and 23 of the semantics over tables, and the rules of the single row.

-- name: golden_13
-- expect: tensor
SELECT sum(a.x * b.y + a.z) FROM g13a a JOIN g13b b ON a.k = b.k;

-- name: golden_14
-- expect: tensor
SELECT min(a.x * b.y), max(a.x * b.y) FROM g14a a, g14b b;

-- name: golden_20
-- expect: tensor
-- float: terms up to 2.2e12
SELECT sum(a.x * b.y) FROM g20a a, g20b b;

-- name: golden_23
-- expect: tensor
SELECT q2.j, count(*) FROM g23 q1 JOIN g23 q2 ON q2.k = q1.j JOIN g23 q3 ON q1.k = q3.j JOIN g23 q4 ON q1.k = q4.k GROUP BY q2.j;

-- name: golden_single_row_empty
-- expect: tensor
SELECT count(*), sum(x), min(x), avg(x) FROM empty_a;

-- name: golden_single_row_having
-- expect: tensor
SELECT count(*) FROM empty_a HAVING count(*) > 0;

-- name: golden_group_by_empty_set
-- expect: any (GROUP BY ())
SELECT count(*) FROM empty_a GROUP BY ();

-- name: golden_average_not_double_division
-- expect: tensor
SELECT avg(v) FROM big WHERE k = 1;

-- name: golden_nan_minimum
-- expect: tensor
SELECT min(f), max(f) FROM odd WHERE k = 1;

-- name: golden_zero_times_infinity_masked
-- expect: tensor
SELECT sum(odd.f) FROM odd JOIN a ON odd.k = a.k WHERE odd.f < 1e300;

-- name: golden_masked_zero_does_not_win
-- expect: tensor
SELECT min(b.y) FROM a, b WHERE b.y > a.x AND a.x = 2;

-- name: golden_explicit_zero_kept
-- expect: tensor
SELECT z.g, sum(z.x) FROM zero_sum z JOIN one ON z.k = 2 GROUP BY z.g;

-- name: golden_null_group_kept
-- expect: tensor
SELECT a.x, sum(b.y) FROM a JOIN b ON a.k = b.k GROUP BY a.x;

-- name: golden_null_never_joins
-- expect: tensor
SELECT count(*) FROM nulls p JOIN nulls q ON p.k = q.k;

-- name: golden_01
-- expect: tensor
SELECT count(*) FROM nulls a LEFT JOIN one b ON a.k = b.k;

-- name: golden_02
-- expect: tensor
SELECT count(*), sum(b.y) FROM one a LEFT JOIN b ON a.k = b.k AND a.k < b.y - 2;

-- name: golden_04
-- expect: tensor
SELECT b.y, count(*) FROM a LEFT JOIN b ON a.k = b.k GROUP BY b.y;

-- name: golden_05
-- expect: tensor
SELECT count(*) FROM one a FULL JOIN b ON a.k = b.k AND b.y > 3;

-- name: golden_06
-- expect: tensor
SELECT count(*) FROM empty_a FULL JOIN one b ON empty_a.k = b.k WHERE b.k = 1;

-- name: golden_09
-- expect: tensor
SELECT COALESCE(b.y, 7) g, count(*) FROM a LEFT JOIN b ON a.k = b.k GROUP BY g;

-- name: golden_12
-- expect: tensor
SELECT a.k, b.k, count(*) FROM a FULL JOIN b ON a.k = b.k GROUP BY 1, 2;

-- name: golden_15
-- expect: tensor
SELECT count(*) FROM a WHERE EXISTS (SELECT count(*) FROM b WHERE b.k = a.k);

-- name: golden_16
-- expect: tensor
SELECT count(*) FROM a WHERE a.k NOT IN (SELECT max(b.y) FROM b WHERE b.k = a.k);

-- name: golden_19
-- expect: tensor
SELECT count(*) FROM a WHERE NOT EXISTS (SELECT 1 FROM b WHERE b.k = a.k);

-- name: golden_21
-- expect: tensor
SELECT count(*) FROM a LEFT JOIN empty_a l2 ON a.k = l2.k LEFT JOIN b l3 ON l2.k = l3.k;

-- name: golden_22
-- expect: tensor
SELECT count(*) FROM a LEFT JOIN empty_b ON a.k = empty_b.k LEFT JOIN c ON empty_b.y = c.j;
