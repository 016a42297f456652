-- aggregate functions
SELECT count(*), count(src), count(DISTINCT src), sum(DISTINCT dst), avg(DISTINCT w), min(DISTINCT src), mean(w) FROM e
SELECT src, bool_and(w > 0.5), bool_or(dst = 1), bit_and(dst), bit_or(dst), bit_xor(dst), count_if(w > 1), countif(w > 1) FROM e GROUP BY src
SELECT var_pop(w), var_samp(w), variance(src), stddev_pop(w), stddev_samp(src), stddev(w) FROM e
SELECT covar_pop(src, dst), covar_samp(src, w), corr(src, dst), regr_avgx(src, dst), regr_avgy(src, dst), regr_count(src, dst) FROM e
SELECT regr_intercept(src, dst), regr_r2(src, dst), regr_slope(src, dst), regr_sxx(src, dst), regr_sxy(src, dst), regr_syy(src, dst) FROM e
SELECT product(src) FROM e
SELECT arg_min(dst, w), arg_max(dst, w), argmin(w, dst), argmax(w, dst), min_by(src, w), max_by(src, w) FROM e WHERE false
SELECT src, any_value(src), first(src), arbitrary(src) FROM e GROUP BY src
SELECT bit_and(b), bit_or(ti), bit_xor(u), product(dec), var_pop(dec), bool_or(p), min(ts), max(iv), min(m) FROM t
SELECT "sum"(src) FROM e
SELECT sum(src) FILTER (WHERE w > 0.5), count(*) FILTER (WHERE src IS NULL), count(*) FROM e
SELECT src, sum(DISTINCT dst) FILTER (WHERE dst > 1 AND w < 1.5) AS x, count(dst) FILTER (WHERE true)::DOUBLE / 2 AS y FROM e GROUP BY src HAVING count(*) FILTER (WHERE dst = 1) >= 0 ORDER BY x, y, src
SELECT sum(e.w) FILTER (WHERE v.label > 1), avg(v.label) FILTER (WHERE e.w < v.id) FROM e JOIN v ON e.src = v.id
SELECT sum(CASE WHEN p THEN a END) FILTER (WHERE s IN ('a', 'b') OR d > DATE '1995-06-01') FROM t
SELECT corr(src, dst) FILTER (WHERE w > 0.25) + 1 AS c, count(*) FILTER (WHERE src IN (SELECT id FROM v)) FROM e
SELECT filter.src, count(*) FROM e AS filter GROUP BY filter.src
-- grouping sets
SELECT src, count(*) FROM e GROUP BY ROLLUP (src)
SELECT src, dst, count(*), GROUPING(src), GROUPING(dst), GROUPING(src, dst), GROUPING_ID(dst, src) FROM e GROUP BY ROLLUP (src, dst)
SELECT src, dst, sum(w) FROM e GROUP BY CUBE (src, dst) HAVING GROUPING(src) = 0 ORDER BY GROUPING(dst), src, dst
SELECT src, count(*) FROM e GROUP BY GROUPING SETS (src, ())
SELECT src, dst, count(*) FROM e GROUP BY GROUPING SETS ((src, dst), (dst), src, ())
SELECT src, dst, w, count(*) FROM e GROUP BY src, ROLLUP (dst, w)
SELECT src, dst, w, count(*) FROM e GROUP BY ROLLUP (src), CUBE (dst, w), ()
SELECT src, dst, w, count(*) FROM e GROUP BY ROLLUP ((src, dst), w)
SELECT src, dst, count(*) FROM e GROUP BY GROUPING SETS (ROLLUP (src, dst), CUBE (src), (dst), (dst))
SELECT src + 1 AS k, dst, count(*) FROM e GROUP BY GROUPING SETS ((k), (dst), (k, dst))
SELECT src + 1, dst, count(*) FROM e GROUP BY ROLLUP (1, 2)
SELECT src + 1, count(*) FROM e GROUP BY ROLLUP (src + 1)
SELECT src, count(*) FROM e WHERE false GROUP BY ROLLUP (src)
SELECT src, count(*) FROM e WHERE false GROUP BY GROUPING SETS ((src))
SELECT count(*), sum(src) FROM e WHERE false GROUP BY ()
SELECT GROUPING(src), src, count(*) FROM e GROUP BY src
SELECT k, count(*) FROM (SELECT src AS k, dst, count(*) AS n FROM e GROUP BY ROLLUP (src, dst)) q GROUP BY k
SELECT src, grouping, sets, rollup, cube FROM (SELECT src, dst AS grouping, w AS sets, 1 AS rollup, 2 AS cube FROM e) q GROUP BY ALL
SELECT src, name, sum(label) FROM e LEFT JOIN v ON src = id GROUP BY CUBE (src, name)
-- DISTINCT over groups
SELECT DISTINCT count(*) FROM e GROUP BY src
SELECT DISTINCT count(*) AS n, src > 1 AS b FROM e GROUP BY src ORDER BY n DESC, b LIMIT 2
SELECT DISTINCT src FROM e GROUP BY src, dst ORDER BY 1
SELECT DISTINCT sum(w) FROM e
SELECT DISTINCT src, src AS again, max(w) FROM e GROUP BY src HAVING count(*) > 1
SELECT n, count(*) FROM (SELECT DISTINCT src, count(*) AS n FROM e GROUP BY src, dst) q GROUP BY n
-- GROUP BY ALL, constants
SELECT src, count(*) FROM e GROUP BY ALL
SELECT src + dst AS s, name, 1 AS one, sum(w) + 1 FROM e JOIN v ON src = id GROUP BY ALL ORDER BY s, name
SELECT *, count(*) FROM vertex GROUP BY ALL
SELECT 1 AS x, count(*) FROM v GROUP BY x
SELECT k, count(*) FROM (SELECT 5 AS k, src FROM e) q GROUP BY k
SELECT count(*) FROM v WHERE false GROUP BY 'x'
SELECT label, 'x' AS x, count(*) FROM v GROUP BY label, 'x'
SELECT count(*), $1::INTEGER + 1 FROM v WHERE label > $2 GROUP BY label + $3::INTEGER LIMIT $4
-- casts, literals, LIKE
SELECT sum(TRY_CAST(name AS INTEGER)), count(TRY_CAST(label AS DECIMAL(4, 2))) FROM v
SELECT count(*) FROM t WHERE ts::timestamptz = ts OR ts::timestamp with time zone > timestamptz '2020-01-01' OR ts::timestamp without time zone = ts
SELECT count(*) FROM t WHERE ts::time > TIME '10:00:00' AND a::uhugeint > 1 AND s::blob = 'a'::bytea AND s::interval > INTERVAL 1 DAY AND s::uuid IS NULL AND s::char = 'a'
SELECT count(*) FROM v WHERE name LIKE 'a!%' ESCAPE '!' OR name NOT LIKE 'b' ESCAPE 'x' OR name ILIKE 'A' ESCAPE '$' AND NOT name NOT ILIKE 'q' ESCAPE '"'
SELECT date_trunc('month', d), date_part('year', ts), extract(epoch FROM ts), count(*) FROM t GROUP BY ALL
