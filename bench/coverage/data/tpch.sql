-- The eight tables of the TPC-H benchmark with its keys, value domains and
-- dependencies between dates; texts are made of short lists of words. At scale 1
-- there are 1500 orders.
CREATE TABLE region AS
SELECT i::INTEGER AS r_regionkey, ['AFRICA', 'AMERICA', 'ASIA', 'EUROPE', 'MIDDLE EAST'][i + 1] AS r_name, 'region ' || i AS r_comment
FROM range(5) t(i);

CREATE TABLE nation AS
SELECT i::INTEGER AS n_nationkey,
  ['ALGERIA', 'ARGENTINA', 'BRAZIL', 'CANADA', 'EGYPT', 'ETHIOPIA', 'FRANCE', 'GERMANY', 'INDIA', 'INDONESIA', 'IRAN', 'IRAQ', 'JAPAN',
   'JORDAN', 'KENYA', 'MOROCCO', 'MOZAMBIQUE', 'PERU', 'CHINA', 'ROMANIA', 'SAUDI ARABIA', 'VIETNAM', 'RUSSIA', 'UNITED KINGDOM',
   'UNITED STATES'][i + 1] AS n_name,
  [0, 1, 1, 1, 4, 0, 3, 3, 2, 2, 4, 4, 2, 4, 0, 0, 0, 1, 2, 3, 4, 2, 3, 3, 1][i + 1]::INTEGER AS n_regionkey,
  'nation ' || i AS n_comment
FROM range(25) t(i);

CREATE TABLE supplier AS
SELECT k::INTEGER AS s_suppkey, 'Supplier#' || lpad(k::VARCHAR, 9, '0') AS s_name, 'address ' || pick(k, 'sa', 100000) AS s_address,
  nation::INTEGER AS s_nationkey,
  (10 + nation) || '-' || (100 + pick(k, 'sp1', 900)) || '-' || (100 + pick(k, 'sp2', 900)) || '-' || (1000 + pick(k, 'sp3', 9000)) AS s_phone,
  ((pick(k, 'sb', 1099999) - 99999) / 100.0)::DECIMAL(15, 2) AS s_acctbal,
  CASE WHEN pick(k, 'sc', 40) = 0 THEN 'some Customer voices many Complaints' ELSE 'ships on time ' || k END AS s_comment
FROM (SELECT k, pick(k, 'sn', 25) AS nation FROM range(1, 10 * scale() + 1) t(k)) s;

CREATE TABLE customer AS
SELECT k::INTEGER AS c_custkey, 'Customer#' || lpad(k::VARCHAR, 9, '0') AS c_name, 'street ' || pick(k, 'ca', 100000) AS c_address,
  nation::INTEGER AS c_nationkey,
  (10 + nation) || '-' || (100 + pick(k, 'cp1', 900)) || '-' || (100 + pick(k, 'cp2', 900)) || '-' || (1000 + pick(k, 'cp3', 9000)) AS c_phone,
  ((pick(k, 'cb', 1099999) - 99999) / 100.0)::DECIMAL(15, 2) AS c_acctbal,
  ['AUTOMOBILE', 'BUILDING', 'FURNITURE', 'MACHINERY', 'HOUSEHOLD'][pick(k, 'cm', 5) + 1] AS c_mktsegment, 'buys often ' || k AS c_comment
FROM (SELECT k, pick(k, 'cn', 25) AS nation FROM range(1, 150 * scale() + 1) t(k)) c;

CREATE TABLE part AS
SELECT k::INTEGER AS p_partkey,
  concat_ws(' ', words[pick(k, 'w1', 24) + 1], words[pick(k, 'w2', 24) + 1], words[pick(k, 'w3', 24) + 1]) AS p_name,
  'Manufacturer#' || m AS p_mfgr, 'Brand#' || m || (1 + pick(k, 'pb', 5)) AS p_brand,
  ['STANDARD', 'SMALL', 'MEDIUM', 'LARGE', 'ECONOMY', 'PROMO'][pick(k, 't1', 6) + 1] || ' '
    || ['ANODIZED', 'BURNISHED', 'PLATED', 'POLISHED', 'BRUSHED'][pick(k, 't2', 5) + 1] || ' '
    || ['TIN', 'NICKEL', 'BRASS', 'STEEL', 'COPPER'][pick(k, 't3', 5) + 1] AS p_type,
  (1 + pick(k, 'ps', 50))::INTEGER AS p_size,
  ['SM', 'LG', 'MED', 'JUMBO', 'WRAP'][pick(k, 'c1', 5) + 1] || ' '
    || ['CASE', 'BOX', 'BAG', 'JAR', 'PKG', 'PACK', 'CAN', 'DRUM'][pick(k, 'c2', 8) + 1] AS p_container,
  ((90000 + (k // 10) % 20001 + 100 * (k % 1000)) / 100.0)::DECIMAL(15, 2) AS p_retailprice, 'part ' || k AS p_comment
FROM (SELECT k, 1 + pick(k, 'pm', 5) AS m,
    ['almond', 'azure', 'black', 'blush', 'brown', 'chocolate', 'coral', 'cream', 'dodger', 'forest', 'ghost', 'green', 'honeydew', 'ivory',
     'khaki', 'lace', 'lime', 'linen', 'navy', 'olive', 'orchid', 'plum', 'sienna', 'tomato'] AS words
  FROM range(1, 200 * scale() + 1) t(k)) p;

CREATE TABLE partsupp AS
SELECT k::INTEGER AS ps_partkey, ((k + i * (s // 4 + (k - 1) // s)) % s + 1)::INTEGER AS ps_suppkey,
  (1 + pick(4 * k + i, 'pq', 9999))::INTEGER AS ps_availqty, ((100 + pick(4 * k + i, 'pc', 99900)) / 100.0)::DECIMAL(15, 2) AS ps_supplycost,
  'offer ' || k || ' ' || i AS ps_comment
FROM range(1, 200 * scale() + 1) t(k), range(4) f(i), (SELECT 10 * scale() AS s) n;

CREATE TABLE line AS
SELECT o, n, day, (1 + pick(7 * o + n, 'lp', 200 * scale())) AS part, pick(7 * o + n, 'ls', 4) AS offer, 10 * scale() AS s,
  1 + pick(7 * o + n, 'lq', 50) AS quantity, day + 1 + pick(7 * o + n, 'ld', 121)::INTEGER AS shipped
FROM (SELECT o, DATE '1992-01-01' + pick(o, 'od', 2406)::INTEGER AS day FROM range(1, 1500 * scale() + 1) t(o)) d, range(1, 8) l(n)
WHERE n <= 1 + pick(o, 'on', 7);

CREATE TABLE lineitem AS
SELECT o::INTEGER AS l_orderkey, part::INTEGER AS l_partkey, ((part + offer * (s // 4 + (part - 1) // s)) % s + 1)::INTEGER AS l_suppkey,
  n::INTEGER AS l_linenumber, quantity::DECIMAL(15, 2) AS l_quantity,
  (quantity * ((90000 + (part // 10) % 20001 + 100 * (part % 1000)) / 100.0))::DECIMAL(15, 2) AS l_extendedprice,
  (pick(7 * o + n, 'li', 11) / 100.0)::DECIMAL(15, 2) AS l_discount, (pick(7 * o + n, 'lt', 9) / 100.0)::DECIMAL(15, 2) AS l_tax,
  CASE WHEN received > DATE '1995-06-17' THEN 'N' WHEN pick(7 * o + n, 'lr', 2) = 0 THEN 'R' ELSE 'A' END AS l_returnflag,
  CASE WHEN shipped > DATE '1995-06-17' THEN 'O' ELSE 'F' END AS l_linestatus, shipped AS l_shipdate,
  day + 30 + pick(7 * o + n, 'lc', 61)::INTEGER AS l_commitdate, received AS l_receiptdate,
  ['DELIVER IN PERSON', 'COLLECT COD', 'NONE', 'TAKE BACK RETURN'][pick(7 * o + n, 'lx', 4) + 1] AS l_shipinstruct,
  ['REG AIR', 'AIR', 'RAIL', 'SHIP', 'TRUCK', 'MAIL', 'FOB'][pick(7 * o + n, 'lm', 7) + 1] AS l_shipmode, 'line ' || n AS l_comment
FROM (SELECT *, shipped + 1 + pick(7 * o + n, 'lv', 30)::INTEGER AS received FROM line) l
ORDER BY o, n;

CREATE TABLE orders AS
SELECT l_orderkey AS o_orderkey, (c + CASE WHEN c % 3 = 0 THEN 1 ELSE 0 END)::INTEGER AS o_custkey,
  CASE WHEN open = 0 THEN 'F' WHEN open = lines THEN 'O' ELSE 'P' END AS o_orderstatus, total::DECIMAL(15, 2) AS o_totalprice, day AS o_orderdate,
  ['1-URGENT', '2-HIGH', '3-MEDIUM', '4-NOT SPECIFIED', '5-LOW'][pick(l_orderkey, 'op', 5) + 1] AS o_orderpriority,
  'Clerk#' || lpad(pick(l_orderkey, 'oc', scale())::VARCHAR, 9, '0') AS o_clerk, 0::INTEGER AS o_shippriority,
  CASE WHEN pick(l_orderkey, 'os', 50) = 0 THEN 'very special requests' ELSE 'usual order ' || l_orderkey END AS o_comment
FROM (
  SELECT l_orderkey, 1 + pick(l_orderkey, 'ou', 150 * scale() - 1) AS c, count(*) AS lines, count(*) FILTER (WHERE l_linestatus = 'O') AS open,
    sum(l_extendedprice * (1 + l_tax) * (1 - l_discount)) AS total, any_value(day) AS day
  FROM lineitem JOIN line ON o = l_orderkey AND n = l_linenumber
  GROUP BY l_orderkey
) s
ORDER BY o_orderkey;

DROP TABLE line;
