-- Values of every common type as psql prints them, NULL and odd strings included.
\pset null '(null)'
SELECT 1::SMALLINT AS small, -2147483648 AS int, 9223372036854775807 AS big, 170141183460469231731687303715884105727::HUGEINT AS huge;
SELECT 1.50::DECIMAL(9,2) AS money, 0.1::DOUBLE AS tenth, 'NaN'::DOUBLE AS nan, '-Infinity'::DOUBLE AS low, 1e300 AS great;
SELECT true AS yes, false AS no, NULL::INTEGER AS none;
SELECT DATE '2024-02-29' AS day, TIMESTAMP '1969-12-31 23:59:59.5' AS moment, TIME '12:34:56' AS clock;
SELECT 'it''s' AS quote, 'back\slash' AS slash, 'żółć 🚣' AS unicode, '' AS empty;
SELECT sum(v) AS total, avg(v) AS mean FROM (VALUES (9223372036854775807), (9223372036854775807)) t(v);
