-- One row with a value of every type.
CREATE TABLE pm (id INTEGER, si SMALLINT, b BIGINT, r REAL, f DOUBLE PRECISION, v NUMERIC(10,2), w NUMERIC(30,10), s VARCHAR, bo BOOLEAN,
	d DATE, ts TIMESTAMP, tz TIMESTAMP WITH TIME ZONE, tm TIME, iv INTERVAL, u UUID, bl BYTEA, l INTEGER[], lt TEXT[], lv NUMERIC(10,2)[]);
INSERT INTO pm VALUES (2, 3, 4, 1.5, 2.0, 10, 1234567890.0123456789, 'abc', true, '2024-02-28', '2024-02-28 12:00:00', '2024-02-28 12:00:00+00',
	'10:00:00', '1 day 02:00:00', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', '\x616263', ARRAY[1, 2], ARRAY['a', 'b'], ARRAY[1.25, 2.50]);

-- A key, and types that the table above has not.
CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy');
CREATE TABLE pk (id INTEGER PRIMARY KEY, v NUMERIC(10,2), f DOUBLE PRECISION, s VARCHAR, m mood, j JSON, bo BOOLEAN, u UUID, iv INTERVAL, d DATE, ts TIMESTAMP, si SMALLINT, r REAL);
INSERT INTO pk VALUES (1, 10, 2.0, 'abc', 'ok', '{"a": 1.5, "b": [1, 2]}', true, 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', '1 day', '2024-02-28', '2024-02-28 12:00:00', 3, 1.5);
