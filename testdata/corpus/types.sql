-- Values and types at their edges, where splitting an aggregate over its tables,
-- or comparing codes instead of values, shows.

-- name: extreme_negated_nan
-- expect: tensor
SELECT max(b.n - a.f), min(b.n - a.f) FROM odd a, odd2 b;

-- name: extreme_of_infinities
-- expect: tensor
SELECT a.k, max(a.f + b.f), min(a.f + b.f), max(a.f - b.f), min(a.f - b.f) FROM odd a JOIN odd b ON a.k = b.k GROUP BY a.k;

-- name: extreme_of_infinities_regrouped
-- expect: tensor
SELECT b.f, max(a.f + b.f), max(b.f - a.f) FROM odd a JOIN odd b ON a.k = b.k GROUP BY b.f;

-- name: sum_infinity_times_difference
-- expect: tensor
SELECT a.k, sum(a.f * (b.n - 1)), avg(a.f * (1 - b.n)) FROM odd a, odd2 b WHERE b.n = 3 GROUP BY a.k;

-- name: sum_infinity_beside_null
-- expect: tensor
SELECT sum(a.f + b.f) FROM odd a JOIN odd2 b ON a.k = b.n - 4 WHERE a.f > 2 AND b.n <> 7;

-- name: sum_near_the_end_of_double
-- expect: tensor
SELECT sum(a.x * 2e307 - b.x * 2e307) FROM qty a, qty b WHERE a.k = 1 AND b.k = 1;

-- name: sum_times_infinite_aggregate
-- expect: tensor
SELECT a.k, sum(a.x * q.m) FROM a, (SELECT k, min(f) AS m FROM odd GROUP BY k) q WHERE q.k = 8 GROUP BY a.k;

-- name: extreme_minus_infinite_aggregate
-- expect: tensor
SELECT max(a.x - q.m), min(a.x - q.m), max(o.f + q.m) FROM a, odd o, (SELECT k, max(f) AS m FROM odd GROUP BY k) q WHERE a.k = o.k;

-- name: enum_key
-- expect: tensor
SELECT p.m, count(*), sum(q.x) FROM mood p JOIN mood q ON p.m = q.m GROUP BY p.m ORDER BY p.m DESC;

-- name: enum_differs
-- expect: tensor
SELECT count(*) FROM mood p, mood q WHERE p.m <> q.m;

-- name: enum_order
-- expect: tensor
SELECT p.m, count(*) FROM mood p JOIN mood q ON p.m >= q.m GROUP BY p.m;

-- name: enum_extremes
-- expect: tensor
SELECT p.x, min(p.m), max(q.m), count(*) FROM mood p JOIN mood q ON p.x = q.x GROUP BY p.x;

-- name: bits_of_integers
-- expect: tensor
SELECT p.m, bit_and(q.x), bit_or(q.x), bit_xor(q.x) FROM mood p JOIN mood q ON p.m = q.m GROUP BY p.m;

-- name: interval_group
-- expect: tensor
SELECT p.x * INTERVAL '1 day' AS i, count(*) FROM mood p JOIN mood q ON p.x = q.x GROUP BY 1;
