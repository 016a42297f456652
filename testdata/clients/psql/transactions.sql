-- What a transaction has written is seen inside it, and gone after ROLLBACK.
CREATE TABLE account (id INTEGER, amount INTEGER);
CREATE TABLE owner (id INTEGER, name VARCHAR);
INSERT INTO account VALUES (1, 70), (1, 30), (2, 50);
INSERT INTO owner VALUES (1, 'Ann'), (2, 'Bo');
SELECT o.name, sum(a.amount) FROM account a JOIN owner o ON a.id = o.id GROUP BY o.name ORDER BY o.name;
BEGIN;
UPDATE account SET amount = amount - 20 WHERE amount = 70;
SELECT o.name, sum(a.amount) FROM account a JOIN owner o ON a.id = o.id GROUP BY o.name ORDER BY o.name;
ROLLBACK;
SELECT o.name, sum(a.amount) FROM account a JOIN owner o ON a.id = o.id GROUP BY o.name ORDER BY o.name;
BEGIN;
INSERT INTO account VALUES (2, 1000);
COMMIT;
SELECT o.name, sum(a.amount) FROM account a JOIN owner o ON a.id = o.id GROUP BY o.name ORDER BY o.name;
