CREATE TABLE e(src INTEGER, dst INTEGER, w DOUBLE);
CREATE TABLE v(id INTEGER, label INTEGER, name VARCHAR);
CREATE TABLE edge(src INTEGER, dst INTEGER);
CREATE TABLE vertex(id INTEGER, label INTEGER);
CREATE TYPE mood AS ENUM ('sad', 'ok');
CREATE TABLE t(a INTEGER, b BIGINT, c SMALLINT, ti TINYINT, h HUGEINT, u UINTEGER, f DOUBLE, r REAL, dec DECIMAL(10,2),
  s VARCHAR, d DATE, ts TIMESTAMP, p BOOLEAN, m mood, st STRUCT(x INTEGER), iv INTERVAL);
CREATE TABLE u(a INTEGER, x INTEGER, y VARCHAR);
CREATE TABLE "Odd Name"("select" INTEGER, "a b" INTEGER, "key" INTEGER, "user" INTEGER, "nulls" INTEGER);
CREATE TABLE kw(key INTEGER, rank INTEGER, row INTEGER, groups INTEGER, mod INTEGER, lead INTEGER, lag INTEGER, range INTEGER,
  rows INTEGER, option INTEGER, usage INTEGER, schema INTEGER, year INTEGER, month INTEGER, date INTEGER, value INTEGER,
  first INTEGER, last INTEGER, over INTEGER, filter INTEGER, div INTEGER, "div2" INTEGER, xor INTEGER, status INTEGER,
  dec INTEGER, interval_ INTEGER, text INTEGER, count INTEGER, sum INTEGER, system INTEGER, window_ INTEGER, rlike INTEGER);
CREATE SCHEMA s2;
CREATE TABLE s2.e(src INTEGER, dst INTEGER, tag VARCHAR);
CREATE TABLE s2.big(k BIGINT, val DECIMAL(12,3));
CREATE VIEW vw AS SELECT src, dst FROM e;
CREATE TABLE customer(c_custkey BIGINT, c_name VARCHAR, c_nationkey INTEGER, c_acctbal DECIMAL(15,2), c_mktsegment VARCHAR);
CREATE TABLE orders(o_orderkey BIGINT, o_custkey BIGINT, o_orderstatus VARCHAR, o_totalprice DECIMAL(15,2), o_orderdate DATE, o_shippriority INTEGER);
CREATE TABLE lineitem(l_orderkey BIGINT, l_partkey BIGINT, l_suppkey BIGINT, l_quantity DECIMAL(15,2), l_extendedprice DECIMAL(15,2),
  l_discount DECIMAL(15,2), l_tax DECIMAL(15,2), l_returnflag VARCHAR, l_linestatus VARCHAR, l_shipdate DATE);
CREATE TABLE nation(n_nationkey INTEGER, n_name VARCHAR, n_regionkey INTEGER);
CREATE TABLE region(r_regionkey INTEGER, r_name VARCHAR);
CREATE TABLE coll(id INTEGER, s VARCHAR COLLATE NOCASE, plain VARCHAR DEFAULT 'collate', "Collate" VARCHAR, g VARCHAR GENERATED ALWAYS AS (s),
  w STRUCT(a VARCHAR), z VARCHAR COLLATE NOCASE.NOACCENT, CHECK (plain COLLATE NOCASE <> 'x'));
CREATE TABLE "collate me"("collate" VARCHAR, "a, b COLLATE" VARCHAR DEFAULT 'x COLLATE y');
CREATE VIEW s2.inner_e AS SELECT src, dst AS "To", tag || '!' AS mark FROM e WHERE src IS NOT NULL AND NOT (dst IN (1, 2) AND src <> 3);
CREATE VIEW s2.degrees(node, degree, heaviest) AS SELECT src, count(*), max(tag) FROM e GROUP BY src HAVING count(*) > 1;
CREATE VIEW paths AS WITH x AS (SELECT src, dst FROM main.e) SELECT a.src, b.dst, CASE WHEN a.src = b.dst THEN 1 ELSE nullif(b.src, 2) END AS k FROM x AS a JOIN vw AS b ON a.dst = b.src;
CREATE VIEW s2.stars AS SELECT * FROM inner_e JOIN degrees ON inner_e.src = degrees.node;
CREATE VIEW s2.outside AS SELECT id FROM vertex;
CREATE VIEW s2.limited AS SELECT src FROM e ORDER BY src LIMIT 2;
CREATE VIEW s2.windowed AS SELECT src, rank() OVER (ORDER BY src) AS r FROM e;
CREATE VIEW s2.liked AS SELECT src FROM e WHERE tag LIKE 'a%';
CREATE VIEW collated AS SELECT s AS t FROM coll;
