-- Predicates on one table: every operator, every type of constant.

-- name: const_int
-- expect: tensor
SELECT count(*), sum(b.y) FROM a JOIN b ON a.k = b.k WHERE a.x = 2;

-- name: const_int_key
-- expect: tensor
SELECT count(*), sum(b.y) FROM a JOIN b ON a.k = b.k WHERE a.k = 1;

-- name: const_int_key_both
-- expect: tensor
SELECT count(*) FROM a JOIN b ON a.k = b.k WHERE a.k = 1 AND b.k = 1;

-- name: const_key_contradiction
-- expect: tensor
SELECT count(*), sum(a.x) FROM a JOIN b ON a.k = b.k WHERE a.k = 1 AND b.k = 2;

-- name: const_key_absent
-- expect: tensor
SELECT count(*), min(a.x) FROM a JOIN b ON a.k = b.k WHERE a.k = 424242;

-- name: const_key_group
-- expect: tensor
SELECT a.k, count(*) FROM a JOIN b ON a.k = b.k WHERE b.k = 1 GROUP BY a.k;

-- name: const_reversed
-- expect: tensor
SELECT count(*) FROM a JOIN b ON a.k = b.k WHERE 1 = a.k;

-- name: const_negative
-- expect: tensor
SELECT count(*), sum(a.x) FROM a JOIN b ON a.k = b.k WHERE a.k = -1;

-- name: const_zero
-- expect: tensor
SELECT count(*) FROM a WHERE x = 0;

-- name: const_tinyint
-- expect: tensor
SELECT count(*), max(h) FROM ext WHERE t = -128;

-- name: const_smallint
-- expect: tensor
SELECT count(*) FROM ext WHERE s = 32767;

-- name: const_int_max
-- expect: tensor
SELECT count(*), min(b) FROM ext WHERE i = 2147483647;

-- name: const_bigint_min
-- expect: tensor
SELECT count(*) FROM ext WHERE b = -9223372036854775808;

-- name: const_bigint_max
-- expect: tensor
SELECT count(*) FROM far p JOIN far q ON p.k = q.k WHERE p.k = 9223372036854775807;

-- name: const_hugeint
-- expect: tensor
SELECT count(*) FROM ext WHERE h = 170141183460469231731687303715884105727;

-- name: const_hugeint_least
-- expect: tensor
SELECT count(*), min(b), sum(i) FROM ext WHERE h = -170141183460469231731687303715884105728;

-- name: const_hugeint_beyond_64_bits
-- expect: tensor
SELECT count(*) FROM ext p JOIN ext q ON p.id = q.id WHERE p.h < 18446744073709551616 AND q.h > -18446744073709551616;

-- name: const_uhugeint
-- expect: tensor
SELECT count(*) FROM ext p JOIN ext q ON p.id = q.id WHERE p.ub < 170141183460469231731687303715884105728;

-- name: const_ubigint
-- expect: tensor
SELECT count(*) FROM ext WHERE ub = 18446744073709551615;

-- name: const_out_of_range
-- expect: any (constant of another type)
SELECT count(*) FROM a WHERE k = 5000000000;

-- name: const_decimal_against_int
-- expect: any (constant of another type)
SELECT count(*) FROM a WHERE k = 1.0;

-- name: const_fraction_against_int
-- expect: any (constant of another type)
SELECT count(*) FROM a WHERE k = 1.5;

-- name: const_varchar
-- expect: tensor
SELECT count(*), sum(u.m) FROM txt t JOIN txt2 u ON t.s = u.s WHERE t.s = 'abc';

-- name: const_varchar_quote
-- expect: tensor
SELECT sum(n) FROM txt WHERE s = 'it''s';

-- name: const_varchar_double_quote
-- expect: tensor
SELECT sum(n) FROM txt WHERE s = 'say "hi"';

-- name: const_varchar_backslash
-- expect: tensor
SELECT sum(t.n), sum(u.m) FROM txt t JOIN txt2 u ON t.s = u.s WHERE t.s = 'back\slash';

-- name: const_varchar_empty
-- expect: tensor
SELECT count(*), sum(u.m) FROM txt t JOIN txt2 u ON t.s = u.s WHERE u.s = '';

-- name: const_varchar_trailing_blank
-- expect: tensor
SELECT sum(u.m) FROM txt t JOIN txt2 u ON t.s = u.s WHERE t.s = 'abc ';

-- name: const_varchar_emoji
-- expect: tensor
SELECT sum(u.m) FROM txt t JOIN txt2 u ON t.s = u.s WHERE t.s = '🚣🚣🚣';

-- name: const_varchar_accents
-- expect: tensor
SELECT sum(n) FROM txt WHERE s = 'é';

-- name: const_varchar_injection
-- expect: tensor
SELECT sum(n) FROM txt WHERE s = '''; DROP TABLE txt; --';

-- name: const_varchar_looks_like_null
-- expect: tensor
SELECT count(*), sum(n) FROM txt WHERE s = 'NULL';

-- name: const_varchar_against_int
-- expect: any (constant of another type)
SELECT count(*) FROM a WHERE k = '1';

-- name: const_int_against_varchar
-- expect: error 22
SELECT count(*) FROM txt WHERE s = 5;

-- name: const_date
-- expect: tensor
SELECT count(*), sum(cal.n) FROM ev JOIN cal ON ev.day = cal.day WHERE ev.day = DATE '2024-02-29';

-- name: const_date_before_epoch
-- expect: tensor
SELECT count(*) FROM ev WHERE day = DATE '1969-12-31';

-- name: const_date_as_text
-- expect: any (constant of another type)
SELECT count(*) FROM ev WHERE day = '2024-02-29';

-- name: const_timestamp
-- expect: tensor
SELECT count(*) FROM ev WHERE ts = TIMESTAMP '2024-02-29 23:59:59.999999';

-- name: const_boolean_true
-- expect: tensor
SELECT count(*), sum(cal.n) FROM ev JOIN cal ON ev.ok = cal.open WHERE ev.ok = true;

-- name: const_boolean_false
-- expect: tensor
SELECT count(*) FROM ev WHERE ok = false;

-- name: const_boolean_bare
-- expect: tensor
SELECT count(*) FROM ev WHERE ok;

-- name: const_boolean_not
-- expect: tensor
SELECT count(*) FROM ev WHERE NOT ok;

-- name: const_double
-- expect: tensor
SELECT count(*), sum(y) FROM qty WHERE x = 3.5;

-- name: const_double_zero
-- expect: tensor
SELECT count(*) FROM qty WHERE x = 0;

-- name: const_double_exponent
-- expect: tensor
SELECT count(*) FROM wide WHERE kf = 1e18;

-- name: const_decimal
-- expect: tensor
SELECT count(*), sum(q) FROM money WHERE p = 0.01;

-- name: const_decimal_other_scale
-- expect: any (constant of another type)
SELECT count(*) FROM money WHERE p = 0.010;

-- name: const_decimal_38
-- expect: tensor
SELECT count(*) FROM money WHERE r = 1.0000000001;

-- name: is_null
-- expect: tensor
SELECT count(*), sum(b.z) FROM a JOIN b ON a.k = b.k WHERE b.y IS NULL;

-- name: is_not_null
-- expect: tensor
SELECT count(*) FROM a JOIN b ON a.k = b.k WHERE b.tag IS NOT NULL;

-- name: is_null_key
-- expect: tensor
SELECT count(*), sum(x) FROM a WHERE k IS NULL;

-- name: is_null_join_key
-- expect: tensor
SELECT count(*) FROM a JOIN b ON a.k = b.k WHERE a.k IS NULL;

-- name: less
-- expect: tensor
SELECT count(*), sum(a.x) FROM a JOIN b ON a.k = b.k WHERE a.x < 0;

-- name: less_equal
-- expect: tensor
SELECT count(*) FROM a JOIN b ON a.k = b.k WHERE b.y <= 0;

-- name: greater
-- expect: tensor
SELECT count(*) FROM a JOIN b ON a.k = b.k WHERE a.k > 1;

-- name: greater_equal
-- expect: tensor
SELECT count(*) FROM a JOIN b ON a.k = b.k WHERE a.k >= 2 AND b.k <= 3;

-- name: not_equal
-- expect: tensor
SELECT count(*) FROM a JOIN b ON a.k = b.k WHERE b.tag <> 'red';

-- name: not_equal_bang
-- expect: tensor
SELECT count(*) FROM a JOIN b ON a.k = b.k WHERE b.tag != 'red';

-- name: between
-- expect: tensor
SELECT count(*), sum(x) FROM a WHERE k BETWEEN 1 AND 3;

-- name: not_between
-- expect: tensor
SELECT count(*), sum(x) FROM a WHERE k NOT BETWEEN 2 AND 3;

-- name: between_dates
-- expect: tensor
SELECT count(*) FROM ev WHERE day BETWEEN DATE '1970-01-01' AND DATE '2024-02-29';

-- name: between_columns
-- expect: tensor
SELECT count(*) FROM a WHERE x BETWEEN y AND z;

-- name: in_ints
-- expect: tensor
SELECT count(*), sum(b.y) FROM a JOIN b ON a.k = b.k WHERE a.k IN (1, 3, 99);

-- name: in_strings
-- expect: tensor
SELECT count(*) FROM a JOIN b ON a.k = b.k WHERE b.tag IN ('red', 'green');

-- name: not_in
-- expect: tensor
SELECT count(*) FROM a JOIN b ON a.k = b.k WHERE b.tag NOT IN ('red');

-- name: in_with_null
-- expect: tensor
SELECT count(*) FROM a WHERE x IN (2, NULL);

-- name: not_in_with_null
-- expect: tensor
SELECT count(*) FROM a WHERE x NOT IN (2, NULL);

-- name: in_one
-- expect: tensor
SELECT count(*) FROM a JOIN b ON a.k = b.k WHERE a.k IN (1);

-- name: like_prefix
-- expect: tensor
SELECT count(*), sum(n) FROM txt WHERE s LIKE 'a%';

-- name: like_suffix
-- expect: tensor
SELECT sum(n) FROM txt WHERE s LIKE '%c';

-- name: like_underscore
-- expect: tensor
SELECT sum(n) FROM txt WHERE s LIKE 'a_c';

-- name: like_no_wildcard
-- expect: tensor
SELECT sum(n) FROM txt WHERE s LIKE 'abc';

-- name: like_percent_only
-- expect: tensor
SELECT count(*) FROM txt WHERE s LIKE '%';

-- name: like_backslash
-- expect: any (LIKE escape differs between dialects)
SELECT sum(n) FROM txt WHERE s LIKE 'back\slash' ESCAPE '';

-- name: like_emoji
-- expect: tensor
SELECT sum(n) FROM txt WHERE s LIKE '🚣%';

-- name: not_like
-- expect: tensor
SELECT count(*), sum(n) FROM txt WHERE s NOT LIKE '%b%';

-- name: ilike
-- expect: tensor
SELECT sum(n) FROM txt WHERE s ILIKE 'ABC%';

-- name: like_in_join
-- expect: tensor
SELECT count(*), sum(u.m) FROM txt t JOIN txt2 u ON t.s = u.s WHERE t.s LIKE '%c%';

-- name: and_or
-- expect: tensor
SELECT count(*) FROM a JOIN b ON a.k = b.k WHERE (a.x > 0 OR a.y = 0) AND (b.z = 1 OR b.z IS NULL);

-- name: or_same_table
-- expect: tensor
SELECT count(*) FROM a WHERE x < 0 OR z > 4;

-- name: or_with_null
-- expect: tensor
SELECT count(*) FROM a WHERE x <= 0 OR x IS NULL;

-- name: not_and
-- expect: tensor
SELECT count(*) FROM a WHERE NOT (x > 0 AND z IS NULL);

-- name: not_or
-- expect: tensor
SELECT count(*) FROM a WHERE NOT (x > 0 OR z = 2);

-- name: precedence_and_or
-- expect: tensor
SELECT count(*) FROM a WHERE x = 2 OR x = -5 AND y = 0;

-- name: precedence_not
-- expect: tensor
SELECT count(*) FROM a WHERE NOT x = 2 AND y > 0;

-- name: precedence_arithmetic
-- expect: tensor
SELECT count(*) FROM a WHERE x + y * 2 > 7;

-- name: precedence_minus
-- expect: tensor
SELECT count(*) FROM a WHERE x - y - 1 = -2;

-- name: unary_minus
-- expect: tensor
SELECT count(*) FROM a WHERE -x = 5;

-- name: unary_minus_twice
-- expect: tensor
SELECT count(*) FROM a WHERE - -x = 6;

-- name: modulo
-- expect: tensor
SELECT count(*) FROM a WHERE x % 2 = 0;

-- name: modulo_negative
-- expect: tensor
SELECT count(*) FROM a WHERE x % 4 = -1;

-- name: division
-- expect: tensor
SELECT count(*) FROM a WHERE x / 2 = 1.5;

-- name: division_by_zero
-- expect: tensor
SELECT count(*) FROM a WHERE x / y > 100;

-- name: modulo_by_zero
-- expect: tensor
SELECT count(*) FROM a WHERE (x % y) IS NULL;

-- name: case_searched
-- expect: any (predicate over several tables)
SELECT count(*) FROM a JOIN b ON a.k = b.k WHERE CASE WHEN a.x > 0 THEN b.y END IS NULL;

-- name: case_one_table
-- expect: tensor
SELECT count(*) FROM a JOIN b ON a.k = b.k WHERE CASE WHEN a.x > 0 THEN 1 WHEN a.x IS NULL THEN 2 ELSE 3 END = 3;

-- name: case_simple
-- expect: tensor
SELECT count(*) FROM b WHERE CASE tag WHEN 'red' THEN y WHEN 'blue' THEN z END > 1;

-- name: coalesce
-- expect: tensor
SELECT count(*) FROM a JOIN b ON a.k = b.k WHERE coalesce(a.x, a.z, 0) = 2;

-- name: nullif
-- expect: tensor
SELECT count(*) FROM a WHERE nullif(x, 2) IS NULL;

-- name: nullif_grouped
-- expect: tensor
SELECT nullif(a.k, 1) AS n, sum(nullif(a.x, a.y)), count(nullif(b.tag, 'red')) FROM a JOIN b ON a.k = b.k GROUP BY n;

-- name: nullif_types
-- expect: tensor
SELECT sum(nullif(a.x, 2.5)), max(nullif(b.z, 3) + nullif(1, b.z)), min(nullif(b.tag, '')) FROM a JOIN b ON a.k = b.k;

-- name: greatest_least
-- expect: tensor
SELECT count(*) FROM a WHERE greatest(x, y) > least(y, z);

-- name: abs
-- expect: tensor
SELECT count(*), sum(b.y) FROM a JOIN b ON a.k = b.k WHERE abs(a.x) = 6;

-- name: length
-- expect: tensor
SELECT count(*), sum(n) FROM txt WHERE length(s) = 3;

-- name: lower
-- expect: tensor
SELECT sum(n) FROM txt WHERE lower(s) = 'abc';

-- name: upper_accent
-- expect: tensor
SELECT sum(n) FROM txt WHERE upper(s) = 'ŻÓŁĆ';

-- name: concat_operator
-- expect: tensor
SELECT sum(n) FROM txt WHERE s || '!' = 'abc!';

-- name: extract_year
-- expect: tensor
SELECT count(*) FROM ev WHERE extract(year FROM day) = 2024;

-- name: year_function
-- expect: tensor
SELECT count(*) FROM ev WHERE year(day) < 1970;

-- name: date_arithmetic
-- expect: any (date arithmetic)
SELECT count(*) FROM ev WHERE day + 1 = DATE '2024-03-01';

-- name: interval_arithmetic
-- expect: any (interval)
SELECT count(*) FROM ev WHERE ts > TIMESTAMP '2024-03-01 00:00:00' - INTERVAL '1' DAY;

-- name: cast_operator
-- expect: tensor
SELECT count(*) FROM a WHERE x::BIGINT = 2;

-- name: cast_function
-- expect: tensor
SELECT count(*) FROM a WHERE CAST(x AS VARCHAR) = '-5';

-- name: cast_that_may_raise
-- expect: any (cast may raise)
SELECT count(*) FROM txt WHERE TRY_CAST(s AS INTEGER) = 5;

-- name: nan_comparison
-- expect: tensor
SELECT count(*) FROM odd WHERE f > 1e308;

-- name: infinity_comparison
-- expect: tensor
SELECT count(*) FROM odd WHERE f < -1e308;

-- name: negative_zero
-- expect: tensor
SELECT count(*) FROM odd WHERE f = -0.0;

-- name: predicate_on_every_table
-- expect: tensor
SELECT count(*), sum(a.x) FROM a JOIN b ON a.k = b.k JOIN c ON b.k = c.k WHERE a.x > -6 AND b.y >= 0 AND c.v <> 2;

-- name: predicate_not_in_output
-- expect: tensor
SELECT a.k, count(*) FROM a JOIN b ON a.k = b.k WHERE a.z IS NULL AND b.z < 3 GROUP BY a.k;

-- name: predicate_empties_one_side
-- expect: tensor
SELECT count(*), sum(a.x), min(b.y) FROM a JOIN b ON a.k = b.k WHERE b.z > 1000;

-- name: predicate_same_table_twice
-- expect: tensor
SELECT count(*) FROM a p JOIN a q ON p.k = q.k WHERE p.x > 0 AND q.x < 0;

-- name: predicate_different_per_alias
-- expect: tensor
SELECT p.k, sum(q.x) FROM a p JOIN a q ON p.k = q.k WHERE p.y = 3 AND q.y <> 3 GROUP BY p.k;

-- name: is_distinct_from_constant
-- expect: any (IS DISTINCT FROM)
SELECT count(*) FROM a WHERE x IS DISTINCT FROM 2;

-- name: is_true
-- expect: any (IS TRUE)
SELECT count(*) FROM ev WHERE ok IS TRUE;

-- name: is_not_false
-- expect: any (IS FALSE)
SELECT count(*) FROM ev WHERE ok IS NOT FALSE;

-- name: zone_map_or_null
-- expect: tensor
SELECT count(*) FROM one_null WHERE x <= 0 OR x IS NULL;
