CREATE SCHEMA :schema;
SET search_path = :schema;
CREATE TABLE harbour (id INTEGER PRIMARY KEY, name VARCHAR(40) NOT NULL DEFAULT 'Piraeus', depth DECIMAL(10,2), opened DATE, seen TIMESTAMP, zoned TIMESTAMPTZ,
  doc JSONB, tags VARCHAR[], busy BOOLEAN, width DOUBLE, key UUID);
INSERT INTO harbour SELECT i, 'op' || i % 10, i * 0.5, DATE '2024-01-01' + i::INTEGER, TIMESTAMP '2024-01-01 10:00:00' + to_hours(i), '2024-01-01 10:00:00+00',
  '{"k": ' || i || '}', ['a', 'b' || i % 2], i % 2 = 0, i * 0.25, '00000000-0000-0000-0000-000000000001' FROM range(1, 301) r(i);
CREATE TABLE ship (id BIGINT PRIMARY KEY, home INTEGER, oars SMALLINT, "Launched on" DATE);
INSERT INTO ship SELECT i, i % 300 + 1, i % 50, DATE '2020-01-01' + i::INTEGER FROM range(1, 1001) r(i);
CREATE VIEW fleet AS SELECT id, oars FROM ship WHERE oars > 10;
