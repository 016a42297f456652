-- \copy and COPY as psql shows them.
CREATE TABLE t (id INTEGER PRIMARY KEY, name VARCHAR NOT NULL, born DATE);
\copy t from stdin
1	Ann	1990-02-03
2	Bob	\N
\.
COPY t (name, id) FROM STDIN (FORMAT csv, HEADER);
name,id
"Carla, the third",3
\.
\copy t to stdout csv header
\copy (select id, name from t where born is null order by id) to stdout with (format csv, delimiter ';', force_quote (name))
COPY (SELECT count(*), min(born) FROM t) TO STDOUT;

-- Errors say where.
\copy t from stdin
4	Dora	1990-02-03
x	Emil	1990-02-03
\.
\copy t from stdin
4	Dora	1990-02-03
2	Bob again	\N
\.
\copy t from stdin
4	\N	1990-02-03
\.
\copy t from stdin csv
4,Dora
\.
COPY t FROM STDIN (FORMAT csv, HEADER match);
id,nom,born
\.
-- What psql does with lines of data for a COPY that never starts differs between its versions: these have none.
\copy nothing from '/dev/null'
\copy t from '/dev/null' (format xml)
\copy t (id, nope) to stdout

-- Nothing of them stays; inside a transaction they end it.
BEGIN;
\copy t from stdin
5	Eve	2000-01-01
\.
SELECT count(*) FROM t;
\copy t from stdin
6
\.
SELECT count(*) FROM t;
ROLLBACK;
SELECT count(*) FROM t;
