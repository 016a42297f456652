-- Sums and products beyond 64 bits, and the error that is DuckDB's.

-- name: sum_past_int64
-- expect: tensor
SELECT k, sum(v) FROM big GROUP BY k;

-- name: sum_past_int64_all
-- expect: tensor
SELECT sum(v), min(v), max(v) FROM big;

-- name: sum_past_and_back
-- expect: tensor
SELECT sum(v) FROM big WHERE k = 3;

-- name: sum_past_by_multiplicity
-- expect: tensor
SELECT p.k, sum(p.v) FROM big p JOIN big q ON p.k = q.k GROUP BY p.k;

-- name: sum_past_by_cross
-- expect: tensor
SELECT sum(big.v) FROM big CROSS JOIN a;

-- name: sum_bigint_extremes
-- expect: tensor
SELECT sum(b), sum(i) FROM ext;

-- name: sum_bigint_extremes_join
-- expect: tensor
SELECT p.id, sum(p.b), sum(q.i) FROM ext p JOIN ext q ON p.id = q.id GROUP BY p.id;

-- name: sum_hugeint
-- expect: tensor
SELECT sum(h) FROM huge;

-- name: sum_hugeint_group
-- expect: tensor
SELECT k, sum(h), count(h), min(h), max(h) FROM huge GROUP BY k;

-- name: sum_hugeint_join
-- expect: tensor
SELECT a.k, sum(huge.h) FROM a JOIN huge ON a.k = huge.k GROUP BY a.k;

-- name: sum_hugeint_extremes
-- expect: duckdb (sum may pass 128 bits)
SELECT sum(h) FROM ext WHERE id = 5;

-- name: sum_decimal_large
-- expect: tensor
SELECT sum(r) FROM money WHERE k = 1;

-- name: product_fits_bigint
-- expect: tensor
SELECT sum(far.x::BIGINT * a.x) FROM far CROSS JOIN a;

-- name: product_int32_overflow
-- expect: error 22
SELECT sum(p.i * q.i) FROM ext p JOIN ext q ON p.id = q.id;

-- name: product_int64_overflow
-- expect: error 22
SELECT sum(big.v * a.x) FROM big JOIN a ON big.k = a.k;

-- name: product_might_overflow_but_does_not
-- expect: duckdb (may overflow)
SELECT sum(big.v * a.x) FROM big JOIN a ON big.k = a.k WHERE big.k = 4;

-- name: sum_might_overflow_but_does_not
-- expect: duckdb (may overflow)
SELECT sum(p.i + q.i) FROM ext p JOIN ext q ON p.id = q.id WHERE p.id = 3;

-- name: single_table_overflow
-- expect: error 22
SELECT sum(b * 2) FROM ext;

-- name: single_table_overflow_negate
-- expect: error 22
SELECT sum(-b) FROM ext;

-- name: filtered_overflow_not_reached
-- expect: any (load scan may raise)
SELECT count(*) FROM ext JOIN one ON ext.id = one.k WHERE ext.id = 3 AND ext.b * 2 = 0;

-- name: cast_overflow
-- expect: error 22
SELECT sum(b::INTEGER) FROM ext;

-- name: cast_raises_only_unjoined
-- expect: duckdb (load scan raised)
SELECT sum(wide.ks::INTEGER) FROM wide JOIN one ON wide.k32 = one.k;

-- name: sum_hugeint_overflow
-- expect: error 22
SELECT sum(h) FROM ext WHERE h > 0;
