SELECT count(*) FROM harbour;
SELECT * FROM harbour WHERE id = 3;
-- what is sent: conditions, joins, groups, orders and limits
EXPLAIN (VERBOSE, COSTS OFF) SELECT h.name, sum(s.oars) FROM harbour h JOIN ship s ON s.home = h.id WHERE h.name ~ 'op[12]' GROUP BY h.name ORDER BY 1;
SELECT h.name, sum(s.oars), count(DISTINCT s.home) FROM harbour h JOIN ship s ON s.home = h.id WHERE h.name ~ 'op[12]' GROUP BY h.name ORDER BY 1;
-- estimates are the server's
CREATE FUNCTION estimate(sql text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE line text; BEGIN EXECUTE 'EXPLAIN ' || sql INTO line; RETURN line ~ 'Foreign Scan.*rows=1000 '; END $$;
SELECT estimate('SELECT * FROM ship');
SELECT id FROM harbour WHERE name ~ 'op1' ORDER BY id LIMIT 3 OFFSET 1;
SELECT count(*) FROM harbour WHERE name LIKE 'o\p_' AND name NOT LIKE 'o\_%' AND name ILIKE 'OP1%';
SELECT count(*) FROM harbour WHERE id = ANY (ARRAY[1, 2, -3]) AND name IN ('op1', 'op2');
SELECT count(*) FROM harbour WHERE opened > '2024-05-01' AND seen < '2024-01-10 10:00:00' AND zoned = '2024-01-01 10:00:00+00';
SELECT count(*) FROM harbour WHERE busy AND NOT (width < 3) AND key = '00000000-0000-0000-0000-000000000001' AND depth BETWEEN -1.5 AND 10.25;
SELECT count(*) FROM harbour WHERE name IS DISTINCT FROM 'op1' AND opened IS NOT NULL AND id / 2 = 4 AND id % 2 = 1;
SELECT count(*) FROM harbour WHERE doc @> '{"k": 3}' OR doc ->> 'k' = '5' OR doc -> 'k' = '7';
SELECT count(*) FROM harbour WHERE tags @> ARRAY['b1'] AND 'a' = ANY(tags);
SELECT h.id, s.id FROM harbour h LEFT JOIN ship s ON s.home = h.id AND s.oars > 48 WHERE h.id IN (1, 50) ORDER BY 1, 2 LIMIT 4;
SELECT count(*), avg(depth), min(opened), max(seen), bool_and(busy), string_agg(name, ',' ORDER BY id) FILTER (WHERE id < 4) FROM harbour;
SELECT name, count(*) FROM harbour GROUP BY name HAVING count(*) > 2 ORDER BY 2 DESC, 1 DESC LIMIT 2 OFFSET 1;
SELECT a.id, b.id FROM ship a FULL JOIN (SELECT * FROM ship WHERE oars < 2) b ON a.id = b.id WHERE a.id < 3 ORDER BY 1 NULLS FIRST;
SELECT a, b FROM ship a LEFT JOIN ship b ON b.id = a.id AND b.id < 2 WHERE a.id < 3 ORDER BY a.id;
SELECT id, CASE WHEN id > 2 THEN 'x' ELSE name END FROM harbour WHERE (CASE WHEN id > 2 THEN 'x' ELSE name END) = 'op1';
SELECT f.id FROM fleet f WHERE f.oars = 11 ORDER BY f.id LIMIT 2;
PREPARE named(integer) AS SELECT name FROM harbour WHERE id = $1;
SET plan_cache_mode = force_generic_plan;
EXECUTE named(8);
-- the inner side of a loop is read again from its beginning
SET enable_hashjoin = off; SET enable_mergejoin = off; SET enable_material = off;
SELECT sum(n) FROM generate_series(1, 3) g, LATERAL (SELECT count(*) AS n FROM ship s WHERE s.oars < g AND random() >= 0) x;
