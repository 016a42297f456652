CREATE TYPE rig AS ENUM ('lateen', 'square');
CREATE SEQUENCE tickets START 7 INCREMENT 3;
CREATE TABLE harbour (id INTEGER PRIMARY KEY, name VARCHAR NOT NULL UNIQUE, depth DECIMAL(6,2) DEFAULT 4.5 CHECK (depth > 0));
CREATE TABLE ship (id BIGINT PRIMARY KEY DEFAULT nextval('tickets'), name VARCHAR NOT NULL, sails rig, home INTEGER REFERENCES harbour (id),
  launched DATE, weighed TIMESTAMP WITH TIME ZONE, crew INTEGER[], tonnes DOUBLE, papers BLOB, active BOOLEAN DEFAULT true);
CREATE INDEX ship_name ON ship (name);
CREATE UNIQUE INDEX ship_launched ON ship (launched, home);
CREATE TABLE berth (harbour INTEGER, number INTEGER, length FLOAT, PRIMARY KEY (harbour, number), FOREIGN KEY (harbour) REFERENCES harbour (id));
CREATE VIEW fleet AS SELECT s.id, s.name, h.name AS harbour FROM ship s JOIN harbour h ON s.home = h.id;
CREATE SCHEMA "Old Docks";
CREATE TABLE "Old Docks"."Crane" ("Lift" INTEGER, note VARCHAR);
CREATE MACRO tons(kilos) AS kilos / 1000;
COMMENT ON TABLE ship IS 'what sails';
COMMENT ON COLUMN ship.home IS 'where it sleeps';
COMMENT ON VIEW fleet IS 'ships with harbours';
INSERT INTO harbour (id, name) VALUES (1, 'Zea'), (2, 'Munichia');
INSERT INTO ship (name, sails, home, launched, weighed) VALUES ('Argo', 'square', 1, '2001-02-03', '2020-01-01 00:00:00+00'), ('Salaminia', 'lateen', 2, NULL, '2020-01-01 00:07:00+00');
