-- The small tables of the differential corpus, in DuckDB's dialect. Each table
-- is there for what its comment says; all are small enough to enumerate.

-- General tables for joins: NULLs in keys and measures, duplicate rows,
-- negative and zero values; k is many-to-many between them.
CREATE TABLE a (k INTEGER, x INTEGER, y INTEGER, z INTEGER);
INSERT INTO a VALUES
  (1, 2, 3, NULL), (1, 2, 3, NULL), (1, -5, 0, 10), (2, 0, 7, -1), (2, NULL, 4, 2), (3, 6, NULL, 0),
  (3, -6, 1, 4), (4, 9, 9, 9), (NULL, 1, 1, 1), (NULL, NULL, NULL, NULL), (7, 3, -2, 5), (-1, 8, 2, NULL);

CREATE TABLE b (k INTEGER, y INTEGER, z INTEGER, tag VARCHAR);
INSERT INTO b VALUES
  (1, 3, 1, 'red'), (1, NULL, 2, 'blue'), (1, 4, NULL, 'red'), (2, 7, 0, NULL), (2, -7, 5, 'green'), (3, 0, 3, 'blue'),
  (3, 0, 3, 'blue'), (5, 11, 2, 'red'), (NULL, 2, 2, 'red'), (NULL, 2, 9, NULL), (-1, 1, -4, 'green');

CREATE TABLE c (k INTEGER, j INTEGER, v INTEGER);
INSERT INTO c VALUES
  (1, 10, 1), (1, 20, 2), (2, 10, -3), (3, 30, NULL), (3, 10, 4), (NULL, 20, 5), (4, NULL, 6), (-1, 40, 7), (6, 50, 8);

CREATE TABLE d (j INTEGER, w INTEGER, note VARCHAR);
INSERT INTO d VALUES (10, 5, 'ten'), (10, 6, 'ten'), (20, NULL, 'twenty'), (30, 0, NULL), (NULL, 3, 'none'), (50, -2, 'fifty');

-- Empty tables, and one with rows of nothing but NULL.
CREATE TABLE empty_a (k INTEGER, x INTEGER, s VARCHAR, q DOUBLE, p DECIMAL(9,2));
CREATE TABLE empty_b (k INTEGER, y BIGINT);
CREATE TABLE nulls (k INTEGER, x INTEGER, s VARCHAR);
INSERT INTO nulls VALUES (NULL, NULL, NULL), (NULL, NULL, NULL), (NULL, NULL, NULL);

-- One row, and one row that is NULL.
CREATE TABLE one (k INTEGER, x INTEGER);
INSERT INTO one VALUES (1, 5);
CREATE TABLE one_null (k INTEGER, x INTEGER);
INSERT INTO one_null VALUES (1, NULL);

-- Groups whose sum is zero though they have rows.
CREATE TABLE zero_sum (g VARCHAR, k INTEGER, x INTEGER, f DOUBLE);
INSERT INTO zero_sum VALUES
  ('cancel', 1, 5, 0.5), ('cancel', 1, -5, -0.5), ('zeros', 2, 0, 0), ('zeros', 2, 0, -0.0), ('one', 3, 0, 1.25),
  (NULL, 3, 3, -2.25), (NULL, 1, -3, 2.25), ('empty value', 4, NULL, NULL);

-- A graph with loops, parallel edges and missing endpoints.
CREATE TABLE e (src INTEGER, dst INTEGER, w INTEGER);
INSERT INTO e VALUES
  (1, 2, 1), (2, 3, 2), (3, 1, 3), (1, 3, -1), (3, 4, 2), (4, 1, 0), (4, 4, 5), (2, 1, 1), (1, 2, 4), (5, 6, 1),
  (6, 5, NULL), (5, NULL, 2), (NULL, 5, 3), (NULL, NULL, 1), (4, 2, 1), (2, 4, 1), (3, 2, -2), (6, 7, 1), (7, 8, 1);
CREATE TABLE node (id INTEGER, label VARCHAR, weight DOUBLE);
INSERT INTO node VALUES
  (1, 'A', 0.5), (2, 'B', -1.25), (3, 'A', NULL), (4, 'C', 2), (5, 'B', 0), (6, NULL, 3.75), (7, 'A', 1), (8, 'C', 0.25), (NULL, 'A', 9);

-- A dense graph without loops or parallel edges: its multiplicities are all 1.
CREATE TABLE simple (src INTEGER, dst INTEGER);
INSERT INTO simple SELECT i, j FROM range(1, 10) s(i), range(1, 10) t(j) WHERE i <> j AND (2 * i + j) % 5 <> 2;

-- People below people: a self-join along a tree.
CREATE TABLE emp (id INTEGER, boss INTEGER, name VARCHAR, salary INTEGER, hired DATE);
INSERT INTO emp VALUES
  (1, NULL, 'Ada', 900, DATE '2001-03-04'), (2, 1, 'Bob', 500, DATE '2010-01-01'), (3, 1, 'Cyd', 700, DATE '2005-12-31'),
  (4, 2, 'Dan', 300, DATE '2019-07-15'), (5, 2, 'Eve', NULL, DATE '2020-02-29'), (6, 3, 'Fay', 400, NULL), (7, 4, 'Gus', 100, DATE '2024-02-29');

-- Strings: quotes, backslash, unicode, emoji, empty, trailing blanks, case,
-- composed and decomposed accents, LIKE's own characters, numbers as text.
CREATE TABLE txt (id INTEGER, s VARCHAR, n INTEGER);
INSERT INTO txt VALUES
  (1, 'abc', 1), (2, 'ABC', 2), (3, 'it''s', 3), (4, 'say "hi"', 4), (5, 'back\slash', 5), (6, '', 6), (7, ' ', 7), (8, 'abc ', 8),
  (9, 'żółć', 9), (10, '日本語', 10), (11, '🚣🚣🚣', 11), (12, '50%', 12), (13, 'a_c', 13), (14, NULL, 14), (15, 'abc', NULL),
  (16, '05', 16), (17, '5', 17), (18, 'é', 18), (19, 'é', 19), (20, 'line' || chr(10) || 'break', 20), (21, 'NULL', 21), (22, '''; DROP TABLE txt; --', 22);
CREATE TABLE txt2 (s VARCHAR, m INTEGER);
INSERT INTO txt2 VALUES
  ('abc', 10), ('abc', 20), ('ABC', 30), ('abc ', 40), ('', 50), (NULL, 60), ('🚣🚣🚣', 70), ('back\slash', 80), ('it''s', 90), ('é', 100), ('missing', 110);

-- The ends of every integer type.
CREATE TABLE ext (id INTEGER, t TINYINT, s SMALLINT, i INTEGER, b BIGINT, h HUGEINT, ut UTINYINT, us USMALLINT, ui UINTEGER, ub UBIGINT);
INSERT INTO ext VALUES
  (1, -128, -32768, -2147483648, -9223372036854775808, -170141183460469231731687303715884105728, 0, 0, 0, 0),
  (2, 127, 32767, 2147483647, 9223372036854775807, 170141183460469231731687303715884105727, 255, 65535, 4294967295, 18446744073709551615),
  (3, 0, 0, 0, 0, 0, 1, 1, 1, 1),
  (4, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
  (5, -1, -1, -1, -1, -1, 128, 32768, 2147483648, 9223372036854775808),
  (5, 127, 32767, 2147483647, 9223372036854775807, 1, 255, 65535, 4294967295, 18446744073709551615);

-- Sums that leave 64 bits and sums that leave them on the way and come back.
CREATE TABLE big (k INTEGER, v BIGINT);
INSERT INTO big VALUES
  (1, 9223372036854775807), (1, 9223372036854775807), (1, 1), (2, -9223372036854775808), (2, -9223372036854775808),
  (3, 9223372036854775807), (3, 9223372036854775807), (3, -9223372036854775807), (3, -9223372036854775807), (4, 4000000000), (4, NULL), (NULL, 9223372036854775807);
CREATE TABLE huge (k INTEGER, h HUGEINT);
INSERT INTO huge VALUES
  (1, 100000000000000000000000000000), (1, 23), (2, -100000000000000000000000000000), (2, 18446744073709551616), (3, NULL), (NULL, 5), (1, NULL);

-- Doubles: multiples of a quarter, so that sums are exact in any order ...
CREATE TABLE qty (k INTEGER, x DOUBLE, y DOUBLE);
INSERT INTO qty VALUES
  (1, 0.25, 4), (1, -1.75, NULL), (2, 3.5, 0.5), (2, 3.5, -0.5), (3, NULL, 2.25), (3, 0, 8), (4, -0.0, -8), (NULL, 7.75, 1), (1, 12, 0.75);
-- ... and the values that are not numbers or not finite, and both zeros.
CREATE TABLE odd (k INTEGER, f DOUBLE);
INSERT INTO odd VALUES
  (1, 'NaN'), (1, 1), (2, 'Infinity'), (2, 5), (3, '-Infinity'), (3, 'Infinity'), (4, 0), (4, '-0'), (5, NULL), (6, '-0'), (7, 'NaN'), (7, 'NaN'), (8, '-Infinity'), (NULL, 'NaN');
CREATE TABLE odd2 (f DOUBLE, n INTEGER);
INSERT INTO odd2 VALUES ('NaN', 1), ('Infinity', 2), ('-Infinity', 3), ('-0', 4), (1, 5), (NULL, 6), ('NaN', 7);

-- Decimals of each width.
CREATE TABLE money (k INTEGER, p DECIMAL(9,2), q DECIMAL(18,4), r DECIMAL(38,10));
INSERT INTO money VALUES
  (1, 19.99, 0.0001, 1.0000000001), (1, -19.99, 12345678901234.5678, 9999999999999999999999999999.9999999999), (2, 0.01, -0.0001, -1.5),
  (2, NULL, 3.1400, NULL), (3, 9999999.99, NULL, 0), (NULL, 5.00, 5.0000, 5), (2, 0.01, 7.0000, 0.0000000001), (4, -9999999.99, 99999999999999.9999, -9999999999999999999999999999.9999999999);
CREATE TABLE rate (k INTEGER, f DECIMAL(9,2), i INTEGER);
INSERT INTO rate VALUES (1, 1.50, 2), (1, -0.05, 3), (2, 10.00, 0), (3, NULL, 4), (4, 2.25, -1), (NULL, 1.00, 1);

-- Dates, timestamps, booleans as keys and as measures.
CREATE TABLE ev (id INTEGER, day DATE, ts TIMESTAMP, ok BOOLEAN, kind VARCHAR);
INSERT INTO ev VALUES
  (1, DATE '2024-02-29', TIMESTAMP '2024-02-29 23:59:59.999999', true, 'start'), (2, DATE '1969-12-31', TIMESTAMP '1969-12-31 23:59:59', false, 'stop'),
  (3, DATE '1970-01-01', TIMESTAMP '1970-01-01 00:00:00', NULL, 'start'), (4, NULL, NULL, true, 'stop'), (5, DATE '2024-02-29', TIMESTAMP '2024-02-29 12:00:00', false, NULL),
  (6, DATE '0001-01-01', TIMESTAMP '0001-01-01 00:00:00.000001', true, 'start'), (7, DATE '9999-12-31', TIMESTAMP '9999-12-31 00:00:00', true, 'stop'),
  (1, DATE '2024-03-01', TIMESTAMP '2024-02-29 12:00:00', NULL, 'pause');
CREATE TABLE cal (day DATE, open BOOLEAN, n INTEGER);
INSERT INTO cal VALUES
  (DATE '2024-02-29', true, 1), (DATE '2024-03-01', false, 2), (DATE '1969-12-31', true, 3), (DATE '2024-02-29', false, 4), (NULL, true, 5), (DATE '1970-01-01', NULL, 6);

-- A star: facts and two dimensions.
CREATE TABLE fact (cust INTEGER, prod INTEGER, day DATE, qty INTEGER, price DECIMAL(9,2));
INSERT INTO fact VALUES
  (1, 100, DATE '2024-01-01', 2, 9.99), (1, 101, DATE '2024-01-01', 1, 20.00), (2, 100, DATE '2024-01-02', 5, 9.49), (2, 102, DATE '2024-01-02', NULL, 1.00),
  (3, 101, DATE '2024-02-03', 3, NULL), (3, 103, DATE '2024-02-03', 0, 4.25), (NULL, 100, DATE '2024-02-04', 7, 9.99), (4, NULL, NULL, 2, 3.33),
  (1, 100, DATE '2024-01-01', 2, 9.99), (9, 999, DATE '2024-05-05', 1, 1.00), (2, 101, DATE '2024-01-01', -1, 20.00);
CREATE TABLE cust (id INTEGER, name VARCHAR, region VARCHAR, credit BIGINT);
INSERT INTO cust VALUES (1, 'Ann', 'north', 100), (2, 'Ben', 'south', -50), (3, 'Cat', 'north', NULL), (4, 'Dov', NULL, 0), (5, 'Eli', 'east', 5000000000), (NULL, 'nobody', 'south', 1);
CREATE TABLE prod (id INTEGER, name VARCHAR, cat VARCHAR, cost DOUBLE);
INSERT INTO prod VALUES (100, 'pen', 'office', 1.25), (101, 'lamp', 'home', 10.5), (102, 'cup', 'home', 0.75), (103, 'rug', NULL, 20), (104, 'ink', 'office', NULL);

-- The same name in two schemas.
CREATE SCHEMA north;
CREATE SCHEMA south;
CREATE TABLE north.item (id INTEGER, n INTEGER);
INSERT INTO north.item VALUES (1, 10), (2, 20), (2, 21), (NULL, 5);
CREATE TABLE south.item (id INTEGER, n INTEGER);
INSERT INTO south.item VALUES (2, 200), (3, 300), (2, -200), (NULL, 7);

-- Names that need quotes.
CREATE TABLE "order" ("select" INTEGER, "Group By" INTEGER, "UPPER" VARCHAR, "sp ace" INTEGER, "qu""ote" INTEGER);
INSERT INTO "order" VALUES (1, 10, 'x', 5, 1), (2, 20, 'y', NULL, 2), (1, NULL, 'x', 7, 3), (NULL, 30, 'z', 1, 4);
CREATE TABLE "My Table" ("key" INTEGER, "naïve" INTEGER, "table" VARCHAR);
INSERT INTO "My Table" VALUES (1, 100, 'from'), (1, 200, 'where'), (2, NULL, 'having'), (3, 300, NULL);

-- One key stored at several widths and types.
CREATE TABLE wide (k16 SMALLINT, k32 INTEGER, k64 BIGINT, k128 HUGEINT, kf DOUBLE, ks VARCHAR, v INTEGER);
INSERT INTO wide VALUES
  (1, 1, 1, 1, 1, '1', 10), (2, 2, 2, 2, 2, '2', 20), (2, 2, 2, 2, 2.5, '02', 21), (NULL, NULL, NULL, NULL, NULL, NULL, 30),
  (-3, -3, -3, -3, -3, '-3', 40), (300, 70000, 5000000000, 170141183460469231731687303715884105727, 1e18, 'x', 50);

-- Sparse keys far apart: no dense domain pays.
CREATE TABLE far (k BIGINT, x INTEGER);
INSERT INTO far VALUES (-9000000000000000000, 1), (9000000000000000000, 2), (0, 3), (123456789012, 4), (123456789012, 5), (NULL, 6), (9223372036854775807, 7), (-9223372036854775808, 8);

-- A graph of more vertices than dense workspaces pay for, with two edges from each.
-- Every path of two edges has a second one with its ends.
CREATE TABLE link AS SELECT i % 170 AS src, (i % 170 * 37 + i // 170 * 85) % 170 AS dst FROM range(340) r(i);

-- Golden cases of the semantics, by number.
CREATE TABLE g13a (k INTEGER, x INTEGER, z INTEGER);
INSERT INTO g13a VALUES (1, 2, NULL), (1, 1, 10);
CREATE TABLE g13b (k INTEGER, y INTEGER);
INSERT INTO g13b VALUES (1, 3);
CREATE TABLE g14a (x INTEGER);
INSERT INTO g14a VALUES (-2), (1);
CREATE TABLE g14b (y INTEGER);
INSERT INTO g14b VALUES (-3), (4);
CREATE TABLE g20a (x DOUBLE);
INSERT INTO g20a VALUES (1048575.9990234375), (-1048575.998046875);
CREATE TABLE g20b (y DOUBLE);
INSERT INTO g20b VALUES (1048575.9990234375);
CREATE TABLE g23 (k INTEGER, j INTEGER);
INSERT INTO g23 VALUES (2, NULL), (2, 2);

-- Columns with a collation, declared and inherited; DuckDB tells nobody but the
-- text of the table. Its twin is made from it, and keeps them.
CREATE TABLE shelf (id INTEGER, s VARCHAR COLLATE NOCASE, plain VARCHAR, low VARCHAR GENERATED ALWAYS AS (s));
INSERT INTO shelf VALUES (1, 'abc', 'abc'), (2, 'ABC', 'ABC'), (3, 'Abc', 'abc'), (4, 'x', NULL), (5, NULL, 'x'), (6, 'X', 'X');
CREATE TABLE shelf_twin AS SELECT * FROM shelf;

-- Values that do not order as their text.
CREATE TABLE mood (m ENUM ('z', 'a', 'm'), x INTEGER);
INSERT INTO mood VALUES ('z', 1), ('a', 2), ('m', 3), (NULL, 4), ('z', 5);

-- Views: a selection, one in a schema with names of its own, groups, a view of
-- views, and one that the tensor fragment does not have.
CREATE VIEW forward AS SELECT src, dst AS "DST", w FROM e WHERE src < dst;
CREATE VIEW north.item_sums(id, twice) AS SELECT id, nullif(n * 2, 20) FROM item WHERE n > 5;
CREATE VIEW degrees AS SELECT src AS id, count(*) AS degree, max(w) AS heaviest FROM e GROUP BY src;
CREATE VIEW reach AS SELECT f.dst AS far, d.degree FROM forward AS f JOIN degrees AS d ON f.src = d.id;
CREATE VIEW both_ends AS SELECT src AS id FROM e UNION ALL SELECT dst FROM e;
