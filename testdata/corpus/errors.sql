-- What DuckDB refuses, by SQLSTATE class, on whichever backend is asked.

-- name: no_such_table
-- expect: error 42
SELECT count(*) FROM no_such_table;

-- name: no_such_table_in_join
-- expect: error 42
SELECT count(*) FROM a JOIN no_such_table t ON a.k = t.k;

-- name: no_such_schema
-- expect: error 42
SELECT count(*) FROM nowhere.a;

-- name: no_such_column
-- expect: error 42
SELECT sum(nothing) FROM a;

-- name: no_such_column_qualified
-- expect: error 42
SELECT count(*) FROM a JOIN b ON a.k = b.nothing;

-- name: no_such_alias
-- expect: error 42
SELECT count(*) FROM a JOIN b ON a.k = z.k;

-- name: table_name_hidden_by_alias
-- expect: error 42
SELECT count(a.k) FROM a AS p;

-- name: no_such_function
-- expect: error 42
SELECT count(*) FROM a WHERE no_such_function(x) = 1;

-- name: no_such_using_column
-- expect: error 42
SELECT count(*) FROM a JOIN b USING (nothing);

-- name: natural_without_common
-- expect: error 42
SELECT count(*) FROM one NATURAL JOIN odd2;

-- name: ambiguous_column
-- expect: error 42
SELECT sum(y) FROM a JOIN b ON a.k = b.k;

-- name: ambiguous_group
-- expect: error 42
SELECT count(*) FROM a JOIN b ON a.k = b.k GROUP BY z;

-- name: duplicate_alias
-- expect: error 42
SELECT count(*) FROM a t, b t WHERE t.k = 1;

-- name: not_grouped
-- expect: error 42
SELECT a.x, count(*) FROM a JOIN b ON a.k = b.k GROUP BY a.k;

-- name: not_grouped_no_group
-- expect: error 42
SELECT a.k, count(*) FROM a JOIN b ON a.k = b.k;

-- name: not_grouped_having
-- expect: error 42
SELECT a.k, count(*) FROM a GROUP BY a.k HAVING a.x > 1;

-- name: aggregate_in_where
-- expect: error 42
SELECT count(*) FROM a WHERE sum(x) > 1;

-- name: aggregate_in_group
-- expect: error 42
SELECT count(*) FROM a GROUP BY sum(x);

-- name: aggregate_in_aggregate
-- expect: error 42
SELECT sum(count(*)) FROM a GROUP BY k;

-- name: aggregate_in_on
-- expect: error 42
SELECT count(*) FROM a JOIN b ON sum(a.k) = b.k;

-- name: group_position_too_high
-- expect: error 42
SELECT k, count(*) FROM a GROUP BY 3;

-- name: group_position_zero
-- expect: error 42
SELECT k, count(*) FROM a GROUP BY 0;

-- name: order_position_too_high
-- expect: error 42
SELECT k, count(*) FROM a GROUP BY k ORDER BY 3;

-- name: sum_of_text
-- expect: error 42
SELECT sum(s) FROM txt;

-- name: minus_text
-- expect: error 42
SELECT count(*) FROM txt WHERE s - s = 0;

-- name: sum_of_date
-- expect: error 42
SELECT sum(day) FROM ev;

-- name: min_two_arguments_wrong
-- expect: error 42
SELECT sum(x, y) FROM a;

-- name: syntax_missing_from
-- expect: error 42
SELECT count(*) a WHERE;

-- name: syntax_trailing_comma_group
-- expect: error 42
SELECT count(*) FROM a GROUP BY k HAVING;

-- name: syntax_unbalanced
-- expect: error 42
SELECT count(* FROM a;

-- name: syntax_where_twice
-- expect: error 42
SELECT count(*) FROM a WHERE x = 1 WHERE y = 2;

-- name: syntax_misspelt
-- expect: error 42
SELEC count(*) FROM a;

-- name: syntax_on_missing
-- expect: error 42
SELECT count(*) FROM a JOIN b ON;

-- name: negative_limit
-- expect: error 22
SELECT k, count(*) FROM a GROUP BY k ORDER BY k LIMIT -1;

-- name: bad_date
-- expect: error 22
SELECT count(*) FROM ev WHERE day = DATE '2023-02-29';

-- name: bad_integer
-- expect: error 22
SELECT count(*) FROM a WHERE x = 'abc';

-- name: bad_cast_constant
-- expect: error 22
SELECT count(*) FROM a WHERE x = CAST('1.x' AS INTEGER);

-- name: integer_too_large
-- expect: error 22
SELECT count(*) FROM a WHERE x = CAST(3000000000 AS INTEGER);
