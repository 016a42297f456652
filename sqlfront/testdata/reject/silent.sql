-- What the parser alone would misread without an error.
ASOF join | SELECT count(*) FROM e a ASOF JOIN v b ON a.src >= b.id
positional join | SELECT count(*) FROM e a POSITIONAL JOIN v b
syntax: JOIN without ON | SELECT count(*) FROM e a JOIN v b
syntax: ISNULL | SELECT count(*) FROM e WHERE src isnull
syntax: ISNULL | SELECT src isnull, count(*) FROM e GROUP BY 1
syntax: NOTNULL | SELECT src notnull, count(*) FROM e GROUP BY 1
syntax: string with prefix | SELECT count(*) FROM v WHERE name = E'a\n'
syntax: string with prefix | SELECT count(*) FROM v WHERE name = U&'\0041'
syntax: string with prefix | SELECT count(*) FROM v WHERE name = $$x$$
syntax: string with prefix | SELECT count(*) FROM v WHERE name = $tag$x$tag$
syntax: number 1 | SELECT count(*) FROM e WHERE src = 1_000
syntax: number 0 | SELECT count(*) FROM e WHERE src = 0x1F
syntax: operator # | SELECT count(*) FROM e # comment
syntax: operator && | SELECT count(*) FROM e WHERE (src = 1) && (dst = 2)
syntax: operator -> | SELECT count(*) FROM v WHERE name -> 'a' = 1
syntax: operator ->> | SELECT count(*) FROM v WHERE name ->> 'a' = 1
syntax: operator @ | SELECT count(*) FROM e WHERE src = @a
syntax: operator ! | SELECT count(*) FROM e WHERE ! (src = 1)
syntax: operator <=> | SELECT count(*) FROM e WHERE src <=> dst
syntax: : | SELECT x : count(*) FROM e
syntax: : | SELECT count(*) FROM e WHERE src := 1
unknown name current_schema | SELECT current_schema, count(*) FROM e
UNNEST | SELECT DISTINCT unnest(src) FROM e
volatile function generate_series | SELECT DISTINCT generate_series(1, src) FROM e
syntax | SELECT count(*) FROM e WHERE src DIV dst = 1
syntax | SELECT count(*) FROM e WHERE src MOD dst = 1
syntax | SELECT count(*) FROM e WHERE src = 1 XOR dst = 2
syntax: typed literal | SELECT count(*) FROM v WHERE name REGEXP 'a'
syntax: typed literal | SELECT count(*) FROM v WHERE name RLIKE 'a'
syntax | SELECT count(*) FROM v WHERE name SOUNDS LIKE 'a'
syntax | SELECT SQL_NO_CACHE count(*) FROM e
syntax | SELECT HIGH_PRIORITY count(*) FROM e
syntax | SELECT count(*) FROM e STRAIGHT_JOIN v
syntax | SELECT count(*) FROM e USE INDEX (x)
syntax: WITH | SELECT count(*) FROM e GROUP BY src WITH ROLLUP
LIMIT expression | SELECT count(*) FROM e LIMIT 1, 2
unknown name a | SELECT count(*) FROM v WHERE name = "a"
unknown function if | SELECT sum(if(src > 1, 1)) FROM e
-- two ways to read it
operator precedence without parentheses | SELECT count(*) FROM v WHERE name || 'x' ~ 'c'
operator precedence without parentheses | SELECT sum(src | dst || 1) FROM e
operator precedence without parentheses | SELECT sum(~src + 1) FROM e
