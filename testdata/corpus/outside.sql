-- Statements of DuckDB: each names why it is not for the tensor engine.

-- name: no_aggregate
-- expect: duckdb (no aggregate)
SELECT a.x, b.y FROM a JOIN b ON a.k = b.k;

-- name: no_aggregate_star
-- expect: duckdb (no aggregate)
SELECT * FROM one;

-- name: no_from
-- expect: duckdb (no FROM)
SELECT 1 + 1;

-- name: no_from_aggregate
-- expect: duckdb (no FROM)
SELECT count(*);

-- name: left_join
-- expect: tensor
SELECT a.k, count(b.y) FROM a LEFT JOIN b ON a.k = b.k GROUP BY a.k;

-- name: right_join
-- expect: tensor
SELECT count(*) FROM a RIGHT JOIN b ON a.k = b.k;

-- name: full_join
-- expect: tensor
SELECT count(*) FROM a FULL OUTER JOIN b USING (k);

-- name: semi_join_padded
-- expect: duckdb (semi join below an outer join)
SELECT count(*) FROM c LEFT JOIN (a SEMI JOIN b ON a.k = b.k) ON a.k = c.k;

-- name: asof_join
-- expect: tensor
SELECT count(*) FROM a ASOF JOIN b ON a.k >= b.k;

-- name: positional_join
-- expect: tensor
SELECT count(*) FROM a POSITIONAL JOIN b;

-- name: window
-- expect: tensor
SELECT a.k, sum(count(*)) OVER (ORDER BY a.k) FROM a JOIN b ON a.k = b.k GROUP BY a.k;

-- name: window_rank
-- expect: tensor
SELECT k, rank() OVER (ORDER BY count(*), k) FROM a GROUP BY k;

-- name: subquery_in
-- expect: tensor
SELECT count(*) FROM a WHERE k IN (SELECT k FROM b);

-- name: subquery_not_in
-- expect: tensor
SELECT count(*) FROM a WHERE k NOT IN (SELECT k FROM b);

-- No member is NULL, some that are asked for are.
-- name: not_in_of_null
-- expect: tensor
SELECT count(*), sum(k) FROM a WHERE x NOT IN (SELECT v FROM c WHERE v > 1);

-- name: subquery_exists
-- expect: tensor
SELECT count(*) FROM a WHERE EXISTS (SELECT 1 FROM b WHERE b.k = a.k);

-- name: subquery_scalar
-- expect: tensor
SELECT count(*) FROM a WHERE x > (SELECT avg(y) FROM b);

-- name: subquery_select_list
-- expect: tensor
SELECT count(*), (SELECT max(y) FROM b) FROM a;

-- name: subquery_any
-- expect: tensor
SELECT count(*) FROM a WHERE x > ANY (SELECT y FROM b);

-- name: lateral
-- expect: tensor
SELECT count(*) FROM a, LATERAL (SELECT b.y FROM b WHERE b.k = a.k) t;

-- name: union_all
-- expect: tensor
SELECT count(*) FROM a UNION ALL SELECT count(*) FROM b;

-- name: union_distinct
-- expect: tensor
SELECT k FROM a UNION SELECT k FROM b;

-- name: except_operation
-- expect: tensor
SELECT k FROM a EXCEPT SELECT k FROM b;

-- name: intersect_operation
-- expect: tensor
SELECT k FROM a INTERSECT SELECT k FROM b;

-- name: union_in_derived
-- expect: tensor
SELECT t.k, count(*) FROM (SELECT k FROM a UNION ALL SELECT k FROM b) t GROUP BY t.k;

-- name: filter_clause
-- expect: tensor
SELECT count(*) FILTER (WHERE a.x > 0) FROM a JOIN b ON a.k = b.k;

-- name: count_distinct
-- expect: tensor
SELECT count(DISTINCT a.x) FROM a JOIN b ON a.k = b.k;

-- name: sum_distinct
-- expect: tensor
SELECT sum(DISTINCT a.x) FROM a JOIN b ON a.k = b.k;

-- name: select_distinct
-- expect: any (DISTINCT)
SELECT DISTINCT a.k FROM a JOIN b ON a.k = b.k;

-- name: select_distinct_two
-- expect: any (DISTINCT)
SELECT DISTINCT a.x, b.tag FROM a JOIN b ON a.k = b.k;

-- name: distinct_on
-- expect: tensor
SELECT DISTINCT ON (k) k, count(*) FROM a GROUP BY k ORDER BY k;

-- name: grouping_sets
-- expect: tensor
SELECT a.k, b.tag, count(*) FROM a JOIN b ON a.k = b.k GROUP BY GROUPING SETS ((a.k), (b.tag), ());

-- name: rollup
-- expect: tensor
SELECT a.k, b.tag, count(*) FROM a JOIN b ON a.k = b.k GROUP BY ROLLUP (a.k, b.tag);

-- name: cube
-- expect: tensor
SELECT a.k, b.tag, count(*) FROM a JOIN b ON a.k = b.k GROUP BY CUBE (a.k, b.tag);

-- name: group_by_all
-- expect: tensor
SELECT a.k, count(*) FROM a JOIN b ON a.k = b.k GROUP BY ALL;

-- name: order_by_all
-- expect: tensor
-- order: total
SELECT a.k, count(*) FROM a JOIN b ON a.k = b.k GROUP BY a.k ORDER BY ALL;

-- name: qualify
-- expect: tensor
SELECT k, count(*) AS n FROM a GROUP BY k QUALIFY row_number() OVER (ORDER BY count(*) DESC, k) = 1;

-- name: variance
-- expect: tensor
SELECT round(var_pop(a.x), 6) FROM a JOIN b ON a.k = b.k;

-- name: median
-- expect: tensor
SELECT median(a.x) FROM a JOIN b ON a.k = b.k;

-- name: string_agg
-- expect: tensor
SELECT string_agg(tag, ',' ORDER BY tag) FROM b;

-- name: list_aggregate
-- expect: tensor
SELECT len(list(a.x)) FROM a JOIN b ON a.k = b.k;

-- name: bool_or
-- expect: tensor
SELECT bool_or(ok) FROM ev;

-- name: product_aggregate
-- expect: tensor
SELECT product(x) FROM one;

-- name: volatile
-- expect: duckdb (volatile function)
SELECT count(*) FROM a JOIN b ON a.k = b.k WHERE random() >= 0;

-- name: current_setting
-- expect: tensor
SELECT count(*) FROM a WHERE current_setting('TimeZone') IS NOT NULL;

-- name: values_statement
-- expect: duckdb (VALUES)
VALUES (1, 'a'), (2, 'b');

-- name: row_value
-- expect: tensor
SELECT count(*) FROM a JOIN b ON (a.k, a.z) = (b.k, b.z);

-- name: struct_literal
-- expect: tensor
SELECT count(*), max({'k': k}) FROM one;

-- name: list_literal
-- expect: tensor
SELECT count(*) FROM a WHERE x IN [2, 6];

-- name: recursive_cte
-- expect: tensor
WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t WHERE n < 5) SELECT count(*), sum(n) FROM t;

-- name: system_table
-- expect: duckdb (system table)
SELECT count(*) FROM duckdb_tables() WHERE table_name = 'one' AND schema_name = 'main';

-- name: row_id
-- expect: duckdb (rowid)
SELECT max(rowid) FROM one;

-- name: row_of_table
-- expect: duckdb (row value)
SELECT count(t) FROM one t;

-- name: power_operator
-- expect: tensor
SELECT count(*), max(x ^ 2) FROM one;

-- name: integer_division
-- expect: tensor
SELECT sum(x // 2) FROM a;

-- The operator ~ searches where DuckDB's matches the whole text, so that no statement here has it.
-- name: regular_expression
-- expect: tensor
SELECT count(*) FROM txt WHERE regexp_matches(s, '[a-z]+');

-- name: similar_to
-- expect: tensor
SELECT count(*) FROM txt WHERE s SIMILAR TO 'a.*';

-- name: escape_string
-- expect: tensor
SELECT count(*) FROM txt WHERE s = E'line\nbreak';

-- name: dollar_string
-- expect: tensor
SELECT count(*) FROM txt WHERE s = $$it's$$;

-- name: digit_separator
-- expect: tensor
SELECT count(*) FROM a WHERE x < 1_000;

-- name: collate
-- expect: duckdb (COLLATE)
SELECT count(*) FROM txt t JOIN txt2 u ON t.s = u.s COLLATE NOCASE;

-- name: columns_expression
-- expect: tensor
SELECT sum(COLUMNS(*)) FROM one;

-- name: tablesample
-- expect: duckdb (TABLESAMPLE)
SELECT count(*) FROM a TABLESAMPLE 100 PERCENT;

-- name: pivot
-- expect: duckdb (PIVOT)
PIVOT b ON tag IN ('red', 'blue') USING count(*) GROUP BY k;

-- name: describe_statement
-- expect: duckdb (not a SELECT)
DESCRIBE one;

-- name: collation_join
-- expect: duckdb (collation)
SELECT count(*) FROM shelf p, shelf q WHERE p.s = q.s;

-- name: collation_join_using
-- expect: duckdb (collation)
SELECT count(*) FROM shelf JOIN shelf_twin USING (s);

-- name: collation_inherited
-- expect: duckdb (collation)
SELECT count(*) FROM shelf p JOIN shelf_twin q ON p.low = q.plain;

-- name: collation_groups
-- expect: duckdb (collation)
SELECT lower(s), count(*) FROM (SELECT s, count(*) AS n FROM shelf GROUP BY s) GROUP BY lower(s);

-- name: collation_constant
-- expect: duckdb (collation)
SELECT count(*) FROM shelf p JOIN shelf q ON p.id = q.id WHERE q.s = 'ABC';

-- name: collation_max
-- expect: duckdb (collation)
SELECT max(p.s) FROM shelf p JOIN shelf q ON p.id = q.id WHERE p.id IN (1, 6);
