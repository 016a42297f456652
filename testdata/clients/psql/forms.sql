-- psql's backslash commands with patterns, + and S, over objects of all kinds.
CREATE SCHEMA docks;
CREATE TYPE rig AS ENUM ('lateen', 'square');
CREATE TYPE docks.size AS ENUM ('small', 'big');
CREATE SEQUENCE tickets START 7 INCREMENT 3;
CREATE SEQUENCE docks.numbers;
CREATE TABLE harbour (id INTEGER PRIMARY KEY, name VARCHAR NOT NULL UNIQUE, depth DECIMAL(6,2) DEFAULT 4.5 CHECK (depth > 0));
CREATE TABLE ship (id BIGINT PRIMARY KEY DEFAULT nextval('tickets'), name VARCHAR(20) NOT NULL, sails rig, home INTEGER REFERENCES harbour (id),
  launched DATE, weighed TIMESTAMPTZ DEFAULT now(), crew INTEGER[], rigs rig[], tonnes DOUBLE, twice DOUBLE GENERATED ALWAYS AS (tonnes * 2), papers BLOB, active BOOLEAN DEFAULT true, note VARCHAR DEFAULT 'it''s', n INTEGER DEFAULT 42, j JSON, u UUID DEFAULT uuid(), st STRUCT(a INTEGER, b VARCHAR), CHECK (tonnes > 0 AND tonnes < 10));
CREATE INDEX ship_name ON ship (name);
CREATE UNIQUE INDEX ship_launched ON ship (launched, home);
CREATE INDEX ship_expr ON ship (lower(name));
CREATE TABLE berth (harbour INTEGER, number INTEGER, length FLOAT, PRIMARY KEY (harbour, number), FOREIGN KEY (harbour) REFERENCES harbour (id));
CREATE TABLE docks."Crane" ("Lift" INTEGER, note VARCHAR, s docks.size, "order" INTEGER);
CREATE VIEW fleet AS SELECT s.id, s.name, h.name AS harbour FROM ship s JOIN harbour h ON s.home = h.id;
CREATE VIEW docks.v AS SELECT 1 AS a;
CREATE MACRO tons(kilos) AS kilos / 1000;
CREATE MACRO docks.big(x) AS TABLE SELECT x AS y;
COMMENT ON TABLE ship IS 'what sails';
COMMENT ON COLUMN ship.home IS 'where it sleeps';
COMMENT ON VIEW fleet IS 'ships with harbours';
COMMENT ON TYPE rig IS 'how it sails';
COMMENT ON SEQUENCE tickets IS 'numbers of ships';
COMMENT ON INDEX ship_name IS 'by name';
COMMENT ON MACRO tons IS 'of kilos';
COMMENT ON COLUMN fleet.harbour IS 'a name';
INSERT INTO harbour (id, name) VALUES (1, 'Zea'), (2, 'Munichia');
CREATE ROLE ann LOGIN PASSWORD 'x' VALID UNTIL '2030-01-01';
CREATE ROLE crewmen;
GRANT crewmen TO ann;
ALTER ROLE ann SET statement_timeout = '5s';
\d
\d+
\d ship
\d+ ship
\d harbour
\d+ fleet
\d tickets
\d ship_name
\d+ ship_expr
\d ship_pkey
\d docks.*
\d docks."Crane"
\d docks.CRANE
\d nosuch
\dt
\dt+
\dt docks.*
\dtS pg_c*
\dv
\dv+
\dvS pg_t*
\di
\di+ ship*
\ds
\ds+
\ds *.*
\dn
\dn+
\dnS
\df
\df+ tons
\df docks.*
\dfS upper
\dfa count
\du
\du+ a*
\l
\l+ tri*
\dp
\dp ship
\dT
\dT+
\dT+ docks.*
\dTS int*
\sf tons
\sf+ tons
\sf chr
\sf any_value
SELECT proname, pg_get_functiondef(oid) LIKE '%$function$chr$function$%' AS chr FROM pg_proc WHERE proname IN ('any_value', 'chr') AND (proname = 'none' OR (prokind <> 'a' AND pg_get_functiondef(oid) LIKE 'CREATE%'));
\sf docks.big
\sf nosuch
\sv fleet
\drds
\da count
\db+
\dX
\dAo
\dc
\dL
\dconfig+ work_mem
\dtvs+
CREATE TEMP TABLE tmp (a INTEGER PRIMARY KEY);
\d tmp
\dt t*
SET search_path = docks;
\d
\dT
\d main.ship
