-- The tables of TPC-H as far as models over joins use them, with its numbers of
-- rows, keys, and distributions: one order key in four is used, a third of the
-- customers have no orders, an order has 1 to 7 line items, a part comes from four
-- suppliers; statuses and total prices follow from the line items. Texts that no
-- feature is made of are left out; l_id numbers the line items.
-- Before it: CREATE MACRO sf() AS 0.25;
CREATE MACRO pick(i, salt, n) AS (hash(hash(i, salt)) % n::UBIGINT)::BIGINT;
CREATE MACRO suppliers() AS greatest(4, (10000 * sf())::BIGINT);
CREATE MACRO customers() AS greatest(3, (150000 * sf())::BIGINT);
CREATE MACRO parts() AS greatest(4, (200000 * sf())::BIGINT);

CREATE TABLE supplier AS
SELECT k AS s_suppkey, pick(k, 'sn', 25) AS s_nationkey, ((pick(k, 'sb', 1099999) - 99999) / 100.0)::DECIMAL(15, 2) AS s_acctbal
FROM range(1, suppliers() + 1) t(k);

CREATE TABLE customer AS
SELECT k AS c_custkey, pick(k, 'cn', 25) AS c_nationkey, ((pick(k, 'cb', 1099999) - 99999) / 100.0)::DECIMAL(15, 2) AS c_acctbal,
  ['AUTOMOBILE', 'BUILDING', 'FURNITURE', 'HOUSEHOLD', 'MACHINERY'][pick(k, 'cm', 5) + 1] AS c_mktsegment
FROM range(1, customers() + 1) t(k);

CREATE TABLE part AS
SELECT k AS p_partkey, 'Manufacturer#' || m AS p_mfgr, 'Brand#' || m || (1 + pick(k, 'pb', 5)) AS p_brand, 1 + pick(k, 'ps', 50) AS p_size,
  ['JUMBO', 'LG', 'MED', 'SM', 'WRAP'][pick(k, 'c1', 5) + 1] || ' '
    || ['BAG', 'BOX', 'CAN', 'CASE', 'DRUM', 'JAR', 'PACK', 'PKG'][pick(k, 'c2', 8) + 1] AS p_container,
  ((90000 + (k // 10) % 20001 + 100 * (k % 1000)) / 100.0)::DECIMAL(15, 2) AS p_retailprice
FROM (SELECT k, 1 + pick(k, 'pm', 5) AS m FROM range(1, parts() + 1) t(k)) p;

CREATE TABLE line AS
SELECT o, 8 * o + n AS id, o // 8 * 32 + o % 8 + 1 AS orderkey, n + 1 AS linenumber, 1 + pick(8 * o + n, 'lp', parts()) AS partkey,
  1 + pick(8 * o + n, 'lq', 50) AS quantity, pick(8 * o + n, 'ld', 11) / 100.0 AS discount, pick(8 * o + n, 'lt', 9) / 100.0 AS tax,
  DATE '1992-01-01' + (pick(o, 'od', 2406) + 1 + pick(8 * o + n, 'ls', 121))::INTEGER AS shipdate
FROM range((1500000 * sf())::BIGINT) a(o), range(7) b(n)
WHERE n <= pick(o, 'ol', 7);

CREATE TABLE lineitem AS
SELECT (row_number() OVER (ORDER BY id) - 1)::INTEGER AS l_id, orderkey AS l_orderkey, linenumber AS l_linenumber, partkey AS l_partkey,
  (partkey + pick(id, 'lf', 4) * (suppliers() // 4 + (partkey - 1) // suppliers())) % suppliers() + 1 AS l_suppkey,
  (quantity * p_retailprice)::DECIMAL(15, 2) AS l_extendedprice, discount::DECIMAL(15, 2) AS l_discount, tax::DECIMAL(15, 2) AS l_tax,
  shipdate AS l_shipdate, CASE WHEN shipdate > DATE '1995-06-17' THEN 'O' ELSE 'F' END AS l_linestatus
FROM line JOIN part ON p_partkey = partkey
ORDER BY id;
DROP TABLE line;

CREATE TABLE orders AS
SELECT o // 8 * 32 + o % 8 + 1 AS o_orderkey, least(3 * (c // 2) + 1 + c % 2, customers()) AS o_custkey, status AS o_orderstatus, total AS o_totalprice,
  DATE '1992-01-01' + pick(o, 'od', 2406)::INTEGER AS o_orderdate,
  ['1-URGENT', '2-HIGH', '3-MEDIUM', '4-NOT SPECIFIED', '5-LOW'][pick(o, 'op', 5) + 1] AS o_orderpriority, 0 AS o_shippriority
FROM (SELECT o, pick(o, 'oc', customers() * 2 // 3) AS c FROM range((1500000 * sf())::BIGINT) t(o)) o
  JOIN (
    SELECT l_orderkey, CASE WHEN min(l_linestatus) <> max(l_linestatus) THEN 'P' ELSE min(l_linestatus) END AS status,
      sum(l_extendedprice * (1 + l_tax) * (1 - l_discount))::DECIMAL(15, 2) AS total
    FROM lineitem
    GROUP BY l_orderkey
  ) l ON l_orderkey = o // 8 * 32 + o % 8 + 1
ORDER BY o_orderkey;
