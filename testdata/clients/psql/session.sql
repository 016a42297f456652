-- A first session: tables, rows, a join under an aggregate, and who answered.
CREATE TABLE person (id INTEGER, name VARCHAR, born DATE);
CREATE TABLE likes (who INTEGER, whom INTEGER);
INSERT INTO person VALUES (1, 'Ann', DATE '1990-05-01'), (2, 'Bo', DATE '1985-12-31'), (3, 'O''Hara', NULL);
INSERT INTO likes VALUES (1, 2), (2, 1), (2, 3), (3, 1), (NULL, 1);
SET trireme.backend = 'native';
SHOW trireme.backend;
SELECT p.name, count(*) AS admirers, min(q.born) AS eldest
FROM likes l JOIN person p ON l.whom = p.id JOIN person q ON l.who = q.id
GROUP BY p.name ORDER BY admirers DESC, p.name;
SHOW trireme.last_backend;
SELECT count(*) FROM likes a, likes b, likes c WHERE a.whom = b.who AND b.whom = c.who AND c.whom = a.who;
SET trireme.backend = 'decomposed';
SELECT count(*) FROM likes a, likes b, likes c WHERE a.whom = b.who AND b.whom = c.who AND c.whom = a.who;
SHOW trireme.last_backend;
SET trireme.backend = 'auto';
SELECT name, born FROM person ORDER BY id;
SHOW trireme.last_backend;
UPDATE person SET name = 'Bob' WHERE id = 2;
DELETE FROM likes WHERE who IS NULL;
SELECT name, count(*) FROM likes JOIN person ON whom = id GROUP BY name ORDER BY name;
DROP TABLE likes;
