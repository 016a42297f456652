-- Statements in words that only DuckDB's parser knows, or whose last step only DuckDB
-- executes, over joins and groups of the tensor engine.

-- name: spelling_columns
-- expect: tensor
SELECT a.k, max(COLUMNS('^[xy]$')) FROM a JOIN c ON a.k = c.k GROUP BY a.k;

-- name: spelling_columns_star
-- expect: tensor
SELECT count(COLUMNS(*)) FROM a JOIN b ON a.k = b.k;

-- name: spelling_columns_using
-- expect: tensor
SELECT min(COLUMNS(c -> c IN ('k', 'v'))) FROM a JOIN c USING (k);

-- name: spelling_exclude_group_all
-- expect: tensor
SELECT b.* EXCLUDE (y, z), sum(a.x) FROM a JOIN b ON a.k = b.k GROUP BY ALL;

-- name: spelling_replace
-- expect: tensor
SELECT q.k, sum(q.x) FROM (SELECT a.* REPLACE (a.x + b.y AS x) FROM a JOIN b ON a.k = b.k) q GROUP BY q.k;

-- name: spelling_subscripts
-- expect: tensor
SELECT b.tag[1], b.tag[2:3], count(*) FROM a JOIN b ON a.k = b.k GROUP BY ALL;

-- name: spelling_method
-- expect: tensor
SELECT b.tag.upper(), count(*) FROM a JOIN b ON a.k = b.k GROUP BY 1;

-- name: spelling_alias_first
-- expect: tensor
SELECT key: a.k, n: count(*) FROM a JOIN b ON a.k = b.k GROUP BY a.k;

-- name: spelling_interval
-- expect: tensor
SELECT count(*) FROM a JOIN b ON a.k = b.k WHERE DATE '2020-01-01' + INTERVAL (a.x) DAY > DATE '2020-01-02';

-- name: spelling_macro_of_duckdb
-- expect: tensor
SELECT a.k, sum(fdiv(a.x, 2)), max(split_part(b.tag, 'e', 1)) FROM a JOIN b ON a.k = b.k GROUP BY a.k;

-- name: spelling_precedence
-- expect: tensor
SELECT sum(~a.x + 1), sum(a.y | b.y & 3) FROM a JOIN b ON a.k = b.k;

-- name: spelling_order_all
-- expect: tensor
-- order: total
SELECT b.tag, median(a.x) FROM a JOIN b ON a.k = b.k GROUP BY ALL ORDER BY ALL;

-- name: spelling_limit_expression
-- expect: tensor
-- order: total
SELECT b.tag, count(*) FROM a JOIN b ON a.k = b.k GROUP BY b.tag ORDER BY b.tag NULLS FIRST LIMIT 1 + 1;

-- name: rest_median_rollup
-- expect: tensor
SELECT b.tag, grouping(b.tag), median(a.x), count(*) FROM a JOIN b ON a.k = b.k GROUP BY ROLLUP (b.tag);

-- name: rest_window_rollup
-- expect: tensor
SELECT b.tag, sum(a.x), rank() OVER (PARTITION BY grouping(b.tag) ORDER BY sum(a.x)) FROM a JOIN b ON a.k = b.k GROUP BY ROLLUP (b.tag);

-- name: rest_percentiles
-- expect: tensor
SELECT b.tag, percentile_cont(0.25) WITHIN GROUP (ORDER BY a.x), percentile_disc(0.5) WITHIN GROUP (ORDER BY a.y DESC) FROM a JOIN b ON a.k = b.k GROUP BY b.tag;

-- name: rest_mode_ordered
-- expect: tensor
SELECT b.tag, mode(a.x ORDER BY a.x DESC), first(a.y ORDER BY a.x, a.y, a.z), last(a.y ORDER BY a.x, a.y) FROM a JOIN b ON a.k = b.k GROUP BY b.tag;

-- name: rest_list_sorted
-- expect: tensor
SELECT b.tag, list_sort(list(a.x)), list(DISTINCT a.y ORDER BY a.y) FROM a JOIN b ON a.k = b.k GROUP BY b.tag;

-- name: rest_list_of_rows
-- expect: duckdb (list in the order of rows)
SELECT len(string_agg(b.tag, ',')) FROM a JOIN b ON a.k = b.k;

-- name: rest_distinct_on
-- expect: tensor
-- order: total
SELECT DISTINCT ON (b.tag) b.tag, a.x, a.y FROM a JOIN b ON a.k = b.k ORDER BY b.tag, a.x DESC NULLS LAST, a.y;

-- name: rest_qualify_rows
-- expect: tensor
SELECT b.tag, a.x FROM a JOIN b ON a.k = b.k QUALIFY rank() OVER (PARTITION BY b.tag ORDER BY a.x DESC) = 1;

-- name: rest_except_all
-- expect: tensor
SELECT a.x FROM a JOIN b ON a.k = b.k EXCEPT ALL SELECT v FROM c;

-- name: rest_intersect_all
-- expect: tensor
SELECT a.k FROM a JOIN b ON a.k = b.k INTERSECT ALL SELECT c.k FROM c JOIN b ON c.k = b.k;

-- name: rest_correlated_order
-- expect: tensor
SELECT c.k, c.v, (SELECT sum(a.x) FROM a JOIN b ON a.k = b.k WHERE a.y < c.v) FROM c;

-- name: rest_lateral_order
-- expect: tensor
SELECT c.k, q.s FROM c, LATERAL (SELECT count(*) AS s FROM a JOIN b ON a.k = b.k WHERE a.y < c.v) q;

-- name: rest_pivot
-- expect: tensor
SELECT * FROM (SELECT a.k, b.tag, a.x FROM a JOIN b ON a.k = b.k) PIVOT (sum(x) FOR tag IN ('red', 'blue') GROUP BY k);
