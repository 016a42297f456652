-- psql's backslash commands, names of objects, settings.
CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy');
CREATE SEQUENCE ids START 5;
CREATE TABLE harbour (id INTEGER PRIMARY KEY, name VARCHAR NOT NULL DEFAULT 'Piraeus', depth DECIMAL(10,2) CHECK (depth > 0), code INTEGER UNIQUE);
CREATE TABLE ship (id BIGINT DEFAULT nextval('ids'), home INTEGER REFERENCES harbour(id), "Launched on" DATE, oars SMALLINT, twice INTEGER GENERATED ALWAYS AS (oars * 2), PRIMARY KEY (id), UNIQUE (home, oars));
CREATE UNIQUE INDEX ship_expr ON ship ((oars + 1), home);
CREATE VIEW fleet AS SELECT id, oars FROM ship WHERE oars > 10;
COMMENT ON TABLE ship IS 'all ships';
CREATE SCHEMA sch;
CREATE TABLE sch.cargo (a INTEGER, b VARCHAR);
CREATE MACRO plus(a, b) AS a + b;
\d
\dt s*
\d harbour
\d ship
\d fleet
\d sch.cargo
\d no_such_table
\dn
\df
\sf plus
\l
\du
\dT
\dx
BEGIN;
CREATE TABLE uncommitted (a INTEGER);
\dt un*
ROLLBACK;
\dt un*
SET trireme.backend = 'native';
\dv
RESET trireme.backend;
SELECT 'ship'::regclass, 'sch.cargo'::regclass AS c, 'int4'::regtype AS i, 'character varying'::regtype::oid AS v;
SELECT conname, conrelid::regclass, pg_get_constraintdef(oid) FROM pg_constraint WHERE contype = 'f';
SELECT version() LIKE 'PostgreSQL 15%' AS version, current_user, pg_backend_pid() > 0 AS pid;
SELECT current_setting('server_version_num'), set_config('work_mem', '8MB', false), current_setting('work_mem');
SELECT name, setting FROM pg_settings WHERE name IN ('server_encoding', 'work_mem') ORDER BY name;
SELECT table_name, column_name, data_type, is_nullable FROM information_schema.columns WHERE table_name = 'harbour' ORDER BY ordinal_position;
SELECT 'no_such_table'::regclass;
SELECT pg_catalog.no_such_function(1);
SELECT * FROM pg_catalog.pg_no_such_table;
INSERT INTO trireme_pg.pg.pg_cast VALUES (1, 1, 1, 1, 'a', 'b');
DETACH trireme_pg;
SHOW trireme.last_backend;
