INSERT INTO harbour (id, name, depth, opened, doc, tags, busy, width) VALUES (1001, 'new', 1.5, '2024-01-01', '{"a": [1, 2]}', '{x,"y z"}', true, 1.5) RETURNING id, name, tags;
INSERT INTO harbour (id, name) SELECT i, 'n' || i FROM generate_series(2001, 2010) i;
INSERT INTO harbour (id, name) VALUES (1001, 'twice') ON CONFLICT DO NOTHING;
INSERT INTO harbour (id, name) VALUES (1001, 'twice');
-- what the server can do by itself
EXPLAIN (VERBOSE, COSTS OFF) UPDATE harbour SET depth = depth + 1 WHERE id = 1001;
UPDATE harbour SET depth = depth + 1, name = name || '!' WHERE id = 1001 RETURNING id, name, depth;
UPDATE harbour h SET depth = s.oars FROM ship s WHERE s.id = h.id AND h.id = 5 RETURNING h.depth;
DELETE FROM harbour WHERE id > 2005 RETURNING id;
-- and row by row, found by ctid
EXPLAIN (VERBOSE, COSTS OFF) DELETE FROM ship WHERE id = 7 AND random() >= 0;
UPDATE ship SET oars = 9 WHERE id < 4 AND random() >= 0;
DELETE FROM ship WHERE id = 7 AND random() >= 0;
UPDATE ship a SET oars = length(b.id::text) FROM ship b WHERE b.id = a.id AND a.id = 8;
SELECT id, oars FROM ship WHERE id < 10 ORDER BY id;
DELETE FROM harbour h USING (VALUES (2002)) v(i) WHERE v.i = h.id;
SELECT count(*), sum(id) FROM harbour WHERE id > 1000;
SELECT * FROM ship WHERE id = 5 FOR UPDATE;
COPY ship FROM STDIN;
5001	1	3	2020-01-01
5002	\N	4	\N
\.
SELECT * FROM ship WHERE id > 5000 ORDER BY id;
ALTER SERVER trireme OPTIONS (ADD batch_size '50');
INSERT INTO ship SELECT i, 1, 1, NULL FROM generate_series(6000, 6200) i;
SELECT count(*) FROM ship WHERE id >= 6000;
