-- Errors carry SQLSTATE and position, and the session goes on after each.
\set VERBOSITY verbose
SELECT count(*) FROM missing;
SELECT nothing FROM (SELECT 1 AS one) t;
SELEC 1;
SELECT CAST('x' AS INTEGER);
\set VERBOSITY default
BEGIN;
CREATE TABLE kept (k INTEGER);
INSERT INTO kept VALUES (1), (2);
SELECT 1 / 'x'::INTEGER;
SELECT count(*) FROM kept;
ROLLBACK;
SELECT count(*) FROM kept;
SELECT 'still here' AS answer;
