-- Features of orders, customers, suppliers and parts, one-hot encoded: 139 of them
-- over the star of line items, 124 over pairs of line items for one part. Numbers
-- are rounded down, and what they leave modulo 100 is the feature. Weights are
-- small multiples of powers of two.
CREATE MACRO number(v) AS ((floor(v)::BIGINT % 100 + 100) % 100)::DOUBLE;

CREATE TABLE order_feature AS
SELECT o_orderkey AS orderkey, list_position(['F', 'O', 'P'], o_orderstatus)::INTEGER - 1 AS feature, 1.0::DOUBLE AS x FROM orders
UNION ALL SELECT o_orderkey, 3, number(o_totalprice) FROM orders
UNION ALL SELECT o_orderkey, 4 + left(o_orderpriority, 1)::INTEGER - 1, 1 FROM orders
UNION ALL SELECT o_orderkey, 9 + o_shippriority, 1 FROM orders;

CREATE TABLE customer_feature AS
SELECT c_custkey AS custkey, (10 + c_nationkey)::INTEGER AS feature, 1.0::DOUBLE AS x FROM customer
UNION ALL SELECT c_custkey, 35, number(c_acctbal) FROM customer
UNION ALL SELECT c_custkey, 36 + list_position(['AUTOMOBILE', 'BUILDING', 'FURNITURE', 'HOUSEHOLD', 'MACHINERY'], c_mktsegment)::INTEGER - 1, 1 FROM customer;

CREATE TABLE supplier_feature AS
SELECT s_suppkey AS suppkey, (41 + s_nationkey)::INTEGER AS feature, 1.0::DOUBLE AS x FROM supplier
UNION ALL SELECT s_suppkey, 66, number(s_acctbal) FROM supplier;

CREATE TABLE part_feature AS
SELECT p_partkey AS partkey, 67 + right(p_mfgr, 1)::INTEGER - 1 AS feature, 1.0::DOUBLE AS x FROM part
UNION ALL SELECT p_partkey, 72 + 5 * (p_brand[7]::INTEGER - 1) + p_brand[8]::INTEGER - 1, 1 FROM part
UNION ALL SELECT p_partkey, 97, number(p_size) FROM part
UNION ALL SELECT p_partkey, 98 + 8 * (list_position(['JUMBO', 'LG', 'MED', 'SM', 'WRAP'], split_part(p_container, ' ', 1))::INTEGER - 1)
    + list_position(['BAG', 'BOX', 'CAN', 'CASE', 'DRUM', 'JAR', 'PACK', 'PKG'], split_part(p_container, ' ', 2))::INTEGER - 1, 1 FROM part
UNION ALL SELECT p_partkey, 138, number(p_retailprice) FROM part;

-- The features of a line item: those of its order, of the customer of that, of its
-- supplier and of its part.
CREATE VIEW star AS
SELECT l_id AS i, feature, x FROM lineitem JOIN order_feature ON orderkey = l_orderkey
UNION ALL SELECT l_id, feature, x FROM lineitem JOIN orders ON o_orderkey = l_orderkey JOIN customer_feature ON custkey = o_custkey
UNION ALL SELECT l_id, feature, x FROM lineitem JOIN supplier_feature ON suppkey = l_suppkey
UNION ALL SELECT l_id, feature, x FROM lineitem JOIN part_feature ON partkey = l_partkey;

-- The features of a pair of line items of one part: those of the first's supplier
-- (0 to 25), of the second's (26 to 51) and of the part (52 to 123).
CREATE VIEW pair AS
SELECT a.l_id AS i, b.l_id AS j, a.l_suppkey AS one, b.l_suppkey AS other, a.l_partkey AS part
FROM lineitem a JOIN lineitem b ON a.l_partkey = b.l_partkey;

CREATE VIEW pair_feature AS
SELECT i, j, feature - 41 AS feature, x FROM pair JOIN supplier_feature ON suppkey = one
UNION ALL SELECT i, j, feature - 15, x FROM pair JOIN supplier_feature ON suppkey = other
UNION ALL SELECT i, j, feature - 15, x FROM pair JOIN part_feature ON partkey = part;

-- A linear model, and the three layers of a network: 25 units, 25 units and one.
CREATE TABLE theta AS SELECT f::INTEGER AS feature, ((f * 37 + 11) % 33 - 16) / 2048.0::DOUBLE AS w FROM range(139) t(f);
CREATE TABLE layer1 AS
SELECT f::INTEGER AS feature, h::INTEGER AS h1, ((f * 29 + h * 47 + 5) % 41 - 20) / 512.0::DOUBLE AS w FROM range(139) a(f), range(25) b(h);
CREATE TABLE layer2 AS
SELECT g::INTEGER AS h1, h::INTEGER AS h2, ((g * 31 + h * 43 + 7) % 37 - 16) / 64.0::DOUBLE AS w FROM range(25) a(g), range(25) b(h);
CREATE TABLE layer3 AS SELECT h::INTEGER AS h2, ((h * 19 + 3) % 23 - 11) / 64.0::DOUBLE AS w FROM range(25) a(h);
