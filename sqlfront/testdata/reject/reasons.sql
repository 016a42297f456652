-- reason | statement
no aggregate | SELECT * FROM e
no aggregate | SELECT src, dst FROM e WHERE src = 1 ORDER BY 1 LIMIT 3
no table | SELECT 1
no table | SELECT count(*)
window function | SELECT src, count(*) OVER (PARTITION BY src) FROM e
window function | SELECT rank() OVER w FROM e WINDOW w AS (ORDER BY src)
window function | SELECT count(*) FROM e WINDOW w AS (ORDER BY src)
NATURAL JOIN without common columns | SELECT count(*) FROM e NATURAL LEFT JOIN v
ASOF join | SELECT count(*) FROM e ASOF JOIN v ON src >= id
positional join | SELECT count(*) FROM e POSITIONAL JOIN v
derived table without a table | SELECT count(*) FROM e, LATERAL (SELECT src) q
ordered-set aggregate | SELECT mode() WITHIN GROUP (ORDER BY src) FROM e
GROUPING SETS | SELECT src, count(*) FROM e GROUP BY src ORDER BY ALL, src
no aggregate | SELECT ALL src FROM e
ALL in an expression | SELECT src, count(*) FROM e GROUP BY src ORDER BY ALL ::INTEGER NULLS FIRST
ALL in an expression | SELECT src, count(*) FROM e GROUP BY ALL IS NULL
QUALIFY | SELECT src FROM e QUALIFY count(*) > 1
PIVOT | SELECT * FROM e PIVOT (count(*) FOR src IN (1, 2))
TABLESAMPLE | SELECT count(*) FROM e TABLESAMPLE 10%
TABLESAMPLE | SELECT count(*) FROM e USING SAMPLE 10
DISTINCT ON | SELECT DISTINCT ON (src) src, dst FROM e
recursive common table expression | WITH RECURSIVE r AS (SELECT src FROM e) SELECT count(*) FROM r
duplicate column name src | SELECT count(*) FROM (SELECT src, src FROM e) q
made-up column name | SELECT count(*) FROM (SELECT src + 1, dst AS "(src + 1)" FROM e) q
too many column aliases | SELECT count(*) FROM (SELECT src FROM e) AS q(a, b)
unknown table vertex | SELECT count(*) FROM s2.outside
collation: tensors compare texts by their bytes; keep what is compared in a column without COLLATE | SELECT t, count(*) FROM collated GROUP BY t
no aggregate | SELECT src, dst FROM vw
unknown name main | SELECT count(main.vw.src) FROM vw
unknown name w | SELECT count(w) FROM vw
unknown table nowhere | SELECT count(*) FROM nowhere
unknown table nowhere | SELECT count(*) FROM s2.nowhere
unknown name nix | SELECT count(nix) FROM e
unknown name nix | SELECT count(nix.src) FROM e
unknown name nix | SELECT count(e.nix) FROM e
unknown name rowid | SELECT count(rowid) FROM e
unknown name e | SELECT count(e) FROM e
unknown name e | SELECT count(e.src) FROM e AS x
unknown name s2 | SELECT count(s2.e.src) FROM e
ambiguous name e | SELECT count(e.src) FROM e, s2.e
unknown name memory | SELECT count(memory.e.src) FROM e, s2.e
field or column main | SELECT count(main.e.src) FROM e, s2.e, vertex main
unknown name current_schema | SELECT count(*), current_schema FROM e
ambiguous name src | SELECT count(src) FROM e a, e b
ambiguous name a | SELECT count(a.src) FROM e a, v a
ambiguous name label | SELECT -label AS label, count(*) FROM v GROUP BY v.label + 1, v.label * 2 HAVING label > 2
ambiguous name x | SELECT id AS x, label AS x, count(*) FROM v GROUP BY x, label, id
alias in GROUP BY | SELECT id AS x, x + 1, count(*) FROM v GROUP BY 1, 2
aggregate in WHERE | SELECT sum(id) AS x FROM v WHERE x > 1
alias x in an expression | SELECT label AS x, count(*) FROM v GROUP BY x + 1
alias of a constant | SELECT 5 AS k, count(*) FROM v HAVING k = '5'
alias x in an expression | SELECT label AS y, y + x, id AS x, count(*) FROM v GROUP BY ALL
alias x in an expression | SELECT label AS x, x + 1, id AS x, count(*) FROM v GROUP BY ALL
alias x in an expression | SELECT x + 1 AS x, count(*) FROM v GROUP BY ALL
alias x in an expression | SELECT x + 1 AS x, count(*) FROM v WHERE x > 1 GROUP BY ALL
alias x in an expression | SELECT label AS x, sum(x) FROM v GROUP BY 1
alias x in an expression | SELECT label AS x, count(*) FILTER (WHERE x > 1) FROM v GROUP BY 1
alias x in an expression | SELECT label AS x, count(*) FROM v JOIN e ON x = src GROUP BY 1
alias x in an expression | SELECT (SELECT max(src) FROM e) AS x, x + 1, count(*) FROM v
alias x in an expression | SELECT (SELECT max(src) FROM e) AS x, count(*) FROM v WHERE x > id GROUP BY ALL
alias x in an expression | SELECT id AS x, (SELECT max(src) FROM e WHERE dst = x), count(*) FROM v GROUP BY ALL
alias in GROUP BY | SELECT id AS x, x + 1 AS y, count(*) FROM v GROUP BY x, y
column beside an aggregate | SELECT count(*) AS n, n + id, id FROM v GROUP BY ALL
alias under grouping sets | SELECT id AS x, x IS NULL, count(*) FROM v GROUP BY CUBE (id, id IS NULL)
column outside GROUP BY label | SELECT label, count(*) FROM v
column outside GROUP BY label | SELECT label + id, count(*) FROM v GROUP BY id
column outside GROUP BY label | SELECT id, count(*) FROM v GROUP BY id ORDER BY label
constant in GROUP BY | SELECT count(*) FROM v GROUP BY NULL
constant in ORDER BY | SELECT count(*) FROM v ORDER BY 'x'
position in GROUP BY | SELECT label, count(*) FROM v GROUP BY 3
position in GROUP BY | SELECT label, count(*) FROM v GROUP BY 0
position in ORDER BY | SELECT count(*) FROM v ORDER BY 2
constant in ORDER BY | SELECT count(*) FROM v ORDER BY 1.5
parameter in ORDER BY | SELECT count(*) FROM v ORDER BY $1
aggregate in GROUP BY | SELECT count(*) FROM v GROUP BY 1
aggregate in WHERE | SELECT count(*) FROM v WHERE count(*) > 1
aggregate in WHERE | SELECT count(*) FROM v JOIN e ON sum(src) = id
nested aggregate | SELECT sum(count(*)) FROM v
aggregate median | SELECT median(label) FROM v
aggregate string_agg | SELECT string_agg(name, ',') FROM v
arguments of sum | SELECT sum(*) FROM v
arguments of count | SELECT count() FROM v
arguments of min | SELECT min(label, 2) FROM v
volatile function random | SELECT count(*) FROM v WHERE random() < 0.5
unknown function nofunc | SELECT nofunc(label), count(*) FROM v GROUP BY 1
macro list_sum | SELECT count(*) FROM v WHERE list_sum(label) = 1
syntax: NULLIF | SELECT sum(nullif(DISTINCT label, 1)) FROM v
function current_setting | SELECT count(*) FROM v WHERE current_setting('TimeZone') = 'x'
function typeof | SELECT typeof(label), count(*) FROM v GROUP BY 1
qualified function name | SELECT main.sum(label) FROM v
UNNEST | SELECT unnest(label), count(*) FROM v GROUP BY 1
COLUMNS | SELECT sum(COLUMNS(*)) FROM v
star EXCLUDE | SELECT DISTINCT * EXCLUDE (id) FROM v
star REPLACE | SELECT DISTINCT * REPLACE (1 AS id) FROM v
star over USING | SELECT DISTINCT * FROM e FULL JOIN edge USING (src)
star over USING | SELECT DISTINCT e.* FROM e JOIN edge USING (src)
row value | SELECT count(*) FROM e WHERE row(src, dst) = row(1, 2)
list | SELECT count(*) FROM e WHERE src = [1][1]
struct | SELECT count(*) FROM e WHERE {'a': src} = {'a': 1}
field or column st | SELECT count(st.x) FROM t
COLLATE | SELECT count(*) FROM v WHERE name COLLATE NOCASE = 'a'
AT TIME ZONE | SELECT count(*) FROM t WHERE -iv AT TIME ZONE 'UTC' > ts
AT TIME ZONE | SELECT count(*) FROM t WHERE ts AT TIME ZONE lower(s) > ts
AT TIME ZONE | SELECT count(*) FROM t WHERE ts AT TIME ZONE 'UTC'::VARCHAR > ts
AT TIME ZONE | SELECT count(*) FROM t WHERE ts AT TIME ZONE ('UTC') > ts
AT TIME ZONE | SELECT count(*) FROM t WHERE AT TIME ZONE 'UTC' > ts
cast to integer | SELECT count(*) FROM v WHERE label::integer[] = 1
cast to varchar(..) | SELECT count(*) FROM v WHERE name::varchar(3) = 'a'
cast to json | SELECT count(*) FROM v WHERE name::json IS NULL
LIMIT expression | SELECT src, count(*) FROM e GROUP BY src LIMIT 1 + 1
LIMIT expression | SELECT src, count(*) FROM e GROUP BY src LIMIT ALL
LIMIT expression | SELECT src, count(*) FROM e GROUP BY src LIMIT NULL
syntax | SELECT src, count(*) FROM e GROUP BY src LIMIT 10 PERCENT
FETCH FIRST | SELECT src, count(*) FROM e GROUP BY src FETCH FIRST 3 ROWS ONLY
FOR UPDATE | SELECT count(*) FROM e FOR UPDATE
SELECT INTO | SELECT count(*) INTO x FROM e
no aggregate | FROM e
not a SELECT | TABLE e
not a SELECT | INSERT INTO e VALUES (1, 2, 3)
not a SELECT | EXPLAIN SELECT count(*) FROM e
query of DuckDB's | SELECT count(*) FROM read_csv('x')
syntax: typed literal | SELECT count(*) FROM e 'x'
ONLY | SELECT count(*) FROM ONLY e
several statements | SELECT count(*) FROM e; SELECT 1
syntax: JOIN without ON | SELECT count(*) FROM e JOIN v
syntax: JOIN without ON | SELECT count(*) FROM e JOIN v, e e2 JOIN v v2
syntax: unbalanced parentheses | SELECT count(*) FROM e WHERE (src = 1
syntax: unbalanced parentheses | SELECT count(*) FROM e)
syntax: unbalanced parentheses | SELECT count(*) FROM e, range(3
UNNEST | SELECT src FROM e UNION SELECT dst FROM unnest( e EXCEPT SELECT id FROM v
USING name w | SELECT count(*) FROM e JOIN edge USING (w)
NATURAL JOIN without common columns | SELECT count(*) FROM e NATURAL JOIN v
named parameter | SELECT count(*) FROM e WHERE src = $name
mixed parameter styles | SELECT count(*) FROM e WHERE src = $1 AND dst = ?
operator precedence without parentheses | SELECT count(*) FROM e WHERE src = 1 IS NULL
operator precedence without parentheses | SELECT count(*) FROM e WHERE src < dst < 3
operator precedence without parentheses | SELECT count(*) FROM e WHERE src BETWEEN 1 AND 2 = true
operator precedence without parentheses | SELECT count(*) FROM v WHERE name || 'x' || id + 1 = 'a'
syntax | SELECT count(*) FROM v WHERE id = NOT label
operator precedence without parentheses | SELECT count(*) FROM v ORDER BY count(*) > 1 NULLS FIRST
syntax: repeated minus | SELECT sum(- -1) FROM e
quoted function name trim | SELECT count(*) FROM v WHERE "trim"(name) = 'a'
POSITION | SELECT count(*) FROM v WHERE position('a' IN name) = 1
TRIM | SELECT count(*) FROM v WHERE trim(BOTH 'x' FROM name) = 'a'
syntax | SELECT count(*) FROM v WHERE substring(name FROM 2) = 'a'
EXTRACT | SELECT count(*) FROM t WHERE extract('year' FROM d) = 2020
INTERVAL | SELECT count(*) FROM t WHERE d + INTERVAL (a) DAY > d
INTERVAL | SELECT count(*) FROM t WHERE d + INTERVAL a DAY > d
syntax: string with prefix | SELECT count(*) FROM v WHERE name = X'41'
syntax: adjacent strings | SELECT count(*) FROM v WHERE name = 'a' 'b'
syntax: empty name | SELECT count("") FROM v
syntax: DISTINCT | SELECT sum(src DISTINCT) FROM e
ordered aggregate | SELECT first(src ORDER BY dst) FROM e
ordered aggregate | SELECT sum(src ORDER BY dst + 1) FROM e
syntax | SELECT count(*) FROM
syntax | SELECT count(*) FROM e WHERE
syntax: DISTINCT | SELECT count(*) FROM e WHERE src IN DISTINCT (1)
several statements | SELECT count(*) FROM e;;
AT TIME ZONE | SELECT count(*) FROM e AT (VERSION => 1)
ARRAY | SELECT count(*) FROM e WHERE src = ARRAY[1]
MAP | SELECT count(*) FROM e WHERE src = MAP {1: 2}[1]
LIMIT expression | SELECT count(*) FROM e LIMIT 'x'
syntax: CROSS JOIN | SELECT count(*) FROM e a JOIN v b CROSS JOIN v c ON a.src = b.id AND a.dst = c.id
syntax | SELECT count(*) FROM t WHERE a IS DISTINCT FROM b + 1
syntax: number 340282366920938463463374607431768211456 | SELECT count(*) FROM t WHERE h = 340282366920938463463374607431768211456
syntax: number -170141183460469231731687303715884105729 | SELECT count(*) FROM t WHERE h = -170141183460469231731687303715884105729
USING name dst | SELECT count(*) FROM e JOIN edge USING (src) JOIN s2.e e2 USING (dst, src)
-- collations
collation: tensors compare texts by their bytes; keep what is compared in a column without COLLATE | SELECT count(*) FROM coll a, coll b WHERE a.s = b.s
collation: tensors compare texts by their bytes; keep what is compared in a column without COLLATE | SELECT count(*) FROM coll a JOIN coll b USING (s)
collation: tensors compare texts by their bytes; keep what is compared in a column without COLLATE | SELECT s, count(*) FROM coll GROUP BY s
collation: tensors compare texts by their bytes; keep what is compared in a column without COLLATE | SELECT DISTINCT z FROM coll
collation: tensors compare texts by their bytes; keep what is compared in a column without COLLATE | SELECT count(*) FROM coll WHERE s = 'a'
collation: tensors compare texts by their bytes; keep what is compared in a column without COLLATE | SELECT min(z) FROM coll
collation: tensors compare texts by their bytes; keep what is compared in a column without COLLATE | SELECT max(upper(s)) FROM coll
collation: tensors compare texts by their bytes; keep what is compared in a column without COLLATE | SELECT count(DISTINCT g) FROM coll
collation: tensors compare texts by their bytes; keep what is compared in a column without COLLATE | SELECT x, count(*) FROM (SELECT s AS x FROM coll) q GROUP BY x
collation: tensors compare texts by their bytes; keep what is compared in a column without COLLATE | SELECT count(*) FROM (SELECT s, count(*) AS n FROM coll GROUP BY s) q
-- outer joins, subqueries and set operations that are not taken
syntax: SEMI | SELECT count(*) FROM e LEFT SEMI JOIN v ON src = id
syntax: repeated NOT | SELECT count(*) FROM e WHERE NOT NOT EXISTS (SELECT 1 FROM v WHERE id = src)
syntax: JOIN without ON | SELECT count(*) FROM e LEFT JOIN v
syntax: JOIN without ON | SELECT count(*) FROM e a LEFT JOIN (v b JOIN v c) ON a.src = b.id ON true
syntax: JOIN expected | SELECT count(*) FROM e LEFT v ON true
subquery with several columns | SELECT count(*) FROM e WHERE src IN (SELECT id, label FROM v)
column outside GROUP BY src | SELECT dst, (SELECT max(id) FROM v WHERE id = src) FROM e GROUP BY dst
column outside GROUP BY src | SELECT count(*), (SELECT max(id) FROM v WHERE id = src) FROM e
ambiguous name id | SELECT count(*) FROM v a, v b WHERE EXISTS (SELECT 1 FROM e WHERE src = id)
EXCEPT ALL | SELECT src FROM e EXCEPT ALL SELECT dst FROM e
INTERSECT ALL | SELECT src FROM e INTERSECT ALL SELECT dst FROM e
UNION BY NAME | SELECT src FROM e UNION BY NAME SELECT dst FROM e
no aggregate | SELECT src FROM e UNION ALL SELECT dst FROM e
number of columns | SELECT src FROM e UNION SELECT src, dst FROM e
ORDER BY of a set operation | SELECT src FROM e UNION SELECT dst FROM e ORDER BY src + 1
ambiguous name dst | SELECT src, dst FROM e UNION SELECT dst, src FROM e ORDER BY dst
NULL in a subquery | SELECT count(*) FROM e WHERE src IN (SELECT NULL)
syntax: WITH | WITH a AS (SELECT src FROM e) (WITH b AS (SELECT src FROM a) SELECT count(*) FROM b)
collation: tensors compare texts by their bytes; keep what is compared in a column without COLLATE | SELECT count(*) FROM e WHERE EXISTS (SELECT 1 FROM coll WHERE s = 'a')
collation: tensors compare texts by their bytes; keep what is compared in a column without COLLATE | SELECT count(*) FROM coll WHERE EXISTS (SELECT 1 FROM v WHERE name = s)
collation: tensors compare texts by their bytes; keep what is compared in a column without COLLATE | SELECT count(*) FROM coll a LEFT JOIN coll b ON a.s = b.s
-- aggregates, grouping sets
LIKE .. ESCAPE | SELECT count(*) FROM v WHERE name LIKE 'a!%' ESCAPE ''
syntax | SELECT count(*) FILTER () FROM e
aggregate in WHERE | SELECT count(*) FROM e WHERE count(*) FILTER (WHERE src > 1) > 1
nested aggregate | SELECT count(*) FILTER (WHERE count(*) > 1) FROM e
syntax: function abs | SELECT sum(abs(src) FILTER (WHERE src > 1)) FROM e
arguments of corr | SELECT corr(src) FROM e
arguments of arg_min | SELECT arg_min(src, dst, 2) FROM e
arguments of max | SELECT max(src, 2) FROM e
one group written in two ways | SELECT src, count(*) FROM e GROUP BY GROUPING SETS ((src), (e.src))
constant in GROUPING SETS | SELECT 5 AS k, count(*) FROM e GROUP BY GROUPING SETS ((src), (k))
GROUPING of no group | SELECT GROUPING(src + 1 - 1), count(*) FROM (SELECT src + 0 AS src FROM e) q GROUP BY src + 1
column outside GROUP BY dst | SELECT GROUPING(dst), count(*) FROM e GROUP BY src
GROUPING | SELECT sum(GROUPING(src)) FROM e GROUP BY src
GROUPING SETS in ROLLUP or CUBE | SELECT src, count(*) FROM e GROUP BY ROLLUP (CUBE (src))
GROUP BY ALL | SELECT 1, count(*) FROM e GROUP BY ALL
subquery over grouping sets | SELECT src, (SELECT max(id) FROM v WHERE id = src) FROM e GROUP BY ROLLUP (src)
GROUP BY () without an aggregate | SELECT 1 FROM e GROUP BY ()
ORDER BY of DISTINCT | SELECT DISTINCT count(*) FROM e GROUP BY src ORDER BY src
syntax: TRY_CAST | SELECT count(*) FROM e WHERE try_cast = 1
aggregate of outer columns | SELECT src, count(*) FROM e GROUP BY src HAVING (SELECT sum(e.src) FROM v) > 1
-- queries that could be texts but for what is in them
ORDER BY or LIMIT in a derived table | SELECT count(*) FROM (SELECT src FROM e WHERE src = $1 LIMIT 3) q
ORDER BY or LIMIT in a derived table | SELECT count(*) FROM (SELECT src, random() FROM e LIMIT 3) q
ORDER BY or LIMIT in a derived table | SELECT count(*) FROM (SELECT src, current_date FROM e LIMIT 3) q
ORDER BY or LIMIT in a derived table | SELECT count(*) FROM e a WHERE a.src IN (SELECT id FROM v WHERE label = a.dst LIMIT 2)
query of DuckDB's | SELECT count(*) FROM (SELECT src FROM e TABLESAMPLE 10%) q
query of DuckDB's | SELECT count(*) FROM (SELECT rank() OVER (ORDER BY src) FROM coll, e) q
DESCRIBE | SELECT count(*) FROM (DESCRIBE e) q
query of DuckDB's | SELECT count(*) FROM e, unnest([e.src]) q(x)
query of DuckDB's | SELECT count(*) FROM (SELECT src, [src] AS l, list_sum([src]) AS s FROM e) q
row value | SELECT count(*) FROM e WHERE (src, dst) < (1, 2)
row value | SELECT count(*) FROM e WHERE (src, dst) = (1, '2')
row value | SELECT sum(src) FROM e GROUP BY dst HAVING (dst, count(*)) = (1, 2)
row value | SELECT min((src, dst)) FROM e
no aggregate | SELECT src FROM e UNION ALL SELECT count(*) FROM e
no aggregate | SELECT 5 FROM e UNION ALL SELECT 6 UNION ALL SELECT count(*) FROM e
