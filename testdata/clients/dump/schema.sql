-- What pg_dump takes along: types, keys, constraints, defaults, sequences, indexes, views,
-- comments, schemas, and rows that need care. The schemas are psql's variables.
CREATE SCHEMA :"schema";
CREATE SCHEMA :"docks";
SET search_path = :"schema";
CREATE TYPE mood AS ENUM ('sad', 'so so', 'it''s ok');
CREATE TABLE harbour (
  id serial CONSTRAINT harbour_key PRIMARY KEY,
  name varchar(40) NOT NULL CONSTRAINT one_name UNIQUE,
  code char(3) DEFAULT 'XXX',
  open boolean DEFAULT true NOT NULL,
  depth numeric(8,2) DEFAULT 10.5 CHECK (depth > 0),
  mood mood
);
CREATE TABLE ship (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name text NOT NULL,
  home integer CONSTRAINT ship_home REFERENCES harbour (id),
  sister bigint REFERENCES ship (id),
  tonnes double precision,
  "Mixed Case" integer DEFAULT 7,
  CONSTRAINT twice CHECK (tonnes > 0 AND tonnes < 1e6),
  UNIQUE (name, home)
);
CREATE TABLE :"docks".berth (
  harbour integer, number integer, since date DEFAULT current_date, PRIMARY KEY (harbour, number)
);
CREATE TABLE "A b" ("c d" integer PRIMARY KEY, "select" text);
CREATE TABLE kinds (
  b boolean, s smallint, i integer, l bigint, f real, d double precision, n numeric(20,6), t text, v varchar(10), c char(4),
  y bytea, da date, ti time, ts timestamp, tz timestamptz, iv interval, u uuid, j json, jb jsonb, ia integer[], ta text[], m mood
);
CREATE TABLE defaults (
  b boolean DEFAULT false, s smallint DEFAULT '1'::smallint, i integer DEFAULT (1 + 2) * 3, l bigint DEFAULT 0, f real DEFAULT 'NaN', d double precision DEFAULT '0'::double precision,
  n numeric DEFAULT '1'::numeric, n2 numeric(10,2) DEFAULT 0.00, t text DEFAULT 'it''s'::text, v varchar(10) DEFAULT 'new'::character varying,
  y bytea DEFAULT '\x00ff'::bytea, da date DEFAULT '2024-01-01'::date, dn date DEFAULT CURRENT_DATE, ti time DEFAULT '10:00:00'::time, ts timestamp DEFAULT now(),
  tz timestamptz DEFAULT '2024-01-01 10:00:00+00'::timestamptz, iv interval DEFAULT '1 day 02:00'::interval, u uuid DEFAULT gen_random_uuid(), jb jsonb DEFAULT '{}'::jsonb NOT NULL,
  ia integer[] DEFAULT ARRAY[1, 2], ta text[] DEFAULT '{a,"b c",NULL}'::text[], m mood DEFAULT 'sad':::"schema".mood,
  at integer, show text CHECK (show ~ '^[a-z]+$' OR show !~* 'X'),
  CHECK (v IN ('new', 'old')), CHECK (i <> ALL (ARRAY[7, 8])), CHECK (da > '2000-01-01'::date), CHECK (m <> 'so so':::"schema".mood), CHECK (y <> '\x41'::bytea), CHECK (n >= 0::numeric)
);
CREATE SEQUENCE tickets START 100 INCREMENT 5;
CREATE INDEX ship_name_index ON ship (name);
CREATE INDEX ship_lower ON ship (lower(name), tonnes);
CREATE UNIQUE INDEX berth_since ON :"docks".berth (since, number);
CREATE VIEW heavy AS SELECT s.name, h.name AS home FROM ship s JOIN harbour h ON h.id = s.home WHERE s.tonnes > 100;
CREATE VIEW above AS SELECT name FROM heavy;
CREATE VIEW :"docks".counts AS SELECT harbour, count(*) AS n FROM :"docks".berth GROUP BY harbour;
CREATE VIEW words AS SELECT da + 1 AS da, n::integer AS n, jb ->> 'a' AS ja, jb @> '{"a": 1}' AS jc, 5 = ANY (ia) AS has, t ~ 'x' AS found, at AS by
  FROM defaults WHERE tz >= '2020-01-01 00:00:00+00'::timestamptz AND m = 'sad':::"schema".mood AND iv > interval '1 hour';
COMMENT ON TABLE ship IS 'what sails; it''s "of" steel';
COMMENT ON COLUMN ship.name IS 'painted on the bow';
COMMENT ON COLUMN harbour.name IS 'as pilots say';
COMMENT ON VIEW heavy IS 'above a hundred';
COMMENT ON INDEX ship_name_index IS 'by name';
COMMENT ON SEQUENCE tickets IS 'by fives';
INSERT INTO harbour (name, code, mood) VALUES ('Aa', 'AAX', 'sad'), ('B''b', NULL, 'it''s ok'), (E'tab\there\\ back', 'C', NULL);
INSERT INTO ship (name, home, tonnes) VALUES ('Argo', 1, 120.5), (E'new\nline', 2, 0.1), ('', NULL, NULL);
INSERT INTO ship (name, sister) VALUES ('Second', 1);
INSERT INTO :"docks".berth VALUES (1, 1, '2024-02-29'), (1, 2, '2023-01-01');
INSERT INTO "A b" VALUES (1, '\N'), (2, NULL);
INSERT INTO kinds VALUES
 (true, -32768, -2147483648, -9223372036854775808, 1.5, 0.1, 12345678901234.567891, E'a\tb', 'v', 'cc', '\x00ff41', '2024-02-29', '12:34:56.789', '2024-02-29 12:34:56.789', '2024-02-29 12:34:56.789+02', '1 year 2 mons 3 days 04:05:06', '12345678-1234-1234-1234-123456789abc', '{"a": [1, null]}', '{"b": "c"}', '{1,NULL,3}', '{"a b",NULL,"","c,d","e\"f"}', 'so so'),
 (false, 32767, 2147483647, 9223372036854775807, 'NaN', 'Infinity', -0.000001, '', '', '', '', '0001-01-01', '00:00:00', '1900-01-01 00:00:00', '1970-01-01 00:00:00+00', '-3 days', '00000000-0000-0000-0000-000000000000', 'null', '[]', '{}', '{}', 'sad'),
 (NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO defaults (dn, ts, u, at, show) VALUES ('2024-01-01', '2024-01-01 01:02:03', '12345678-1234-1234-1234-123456789abc', 1, 'x');
SELECT nextval('tickets'), nextval('tickets');
