-- The star schema benchmark's five tables with its keys, hierarchies and value
-- domains. At scale 1 there are 6000 line orders.
CREATE TABLE dates AS
SELECT strftime(d, '%Y%m%d')::INTEGER AS d_datekey, strftime(d, '%B %-d, %Y') AS d_date, dayname(d) AS d_dayofweek, monthname(d) AS d_month,
  year(d)::INTEGER AS d_year, (year(d) * 100 + month(d))::INTEGER AS d_yearmonthnum, strftime(d, '%b%Y') AS d_yearmonth,
  day(d)::INTEGER AS d_daynuminmonth, month(d)::INTEGER AS d_monthnuminyear, ((dayofyear(d) - 1) // 7 + 1)::INTEGER AS d_weeknuminyear,
  CASE WHEN month(d) = 12 THEN 'Christmas' WHEN month(d) IN (6, 7, 8) THEN 'Summer' WHEN month(d) IN (1, 2) THEN 'Winter' ELSE 'Fall' END AS d_sellingseason,
  dayofweek(d) IN (0, 6) AS d_weekendfl
FROM (SELECT DATE '1992-01-01' + i::INTEGER AS d FROM range(2557) t(i)) t;

CREATE TABLE places AS
SELECT i AS nation, name, ['AFRICA', 'AMERICA', 'ASIA', 'EUROPE', 'MIDDLE EAST'][i // 5 + 1] AS region
FROM (SELECT i, ['ALGERIA', 'ETHIOPIA', 'KENYA', 'MOROCCO', 'MOZAMBIQUE', 'ARGENTINA', 'BRAZIL', 'CANADA', 'PERU', 'UNITED STATES', 'CHINA', 'INDIA',
  'INDONESIA', 'JAPAN', 'VIETNAM', 'FRANCE', 'GERMANY', 'ROMANIA', 'RUSSIA', 'UNITED KINGDOM', 'EGYPT', 'IRAN', 'IRAQ', 'JORDAN',
  'SAUDI ARABIA'][i + 1] AS name FROM range(25) t(i)) p;

CREATE TABLE customer AS
SELECT k::INTEGER AS c_custkey, 'Customer#' || k AS c_name, rpad(left(name, 9), 9, ' ') || pick(k, 'cc', 10) AS c_city, name AS c_nation, region AS c_region,
  ['AUTOMOBILE', 'BUILDING', 'FURNITURE', 'MACHINERY', 'HOUSEHOLD'][pick(k, 'cm', 5) + 1] AS c_mktsegment
FROM range(1, 30 * scale() + 1) t(k) JOIN places ON nation = pick(k, 'cn', 25);

CREATE TABLE supplier AS
SELECT k::INTEGER AS s_suppkey, 'Supplier#' || k AS s_name, rpad(left(name, 9), 9, ' ') || pick(k, 'sc', 10) AS s_city, name AS s_nation, region AS s_region
FROM range(1, 20 * scale() + 1) t(k) JOIN places ON nation = pick(k, 'sn', 25);

CREATE TABLE part AS
SELECT k::INTEGER AS p_partkey, 'part ' || k AS p_name, 'MFGR#' || m AS p_mfgr, 'MFGR#' || m || c AS p_category,
  'MFGR#' || m || c || (1 + pick(k, 'pb', 40)) AS p_brand1,
  ['red', 'green', 'blue', 'black', 'white'][pick(k, 'pc', 5) + 1] AS p_color, (1 + pick(k, 'ps', 50))::INTEGER AS p_size
FROM (SELECT k, 1 + pick(k, 'pm', 5) AS m, 1 + pick(k, 'pg', 5) AS c FROM range(1, 200 * scale() + 1) t(k)) p;

CREATE TABLE lineorder AS
SELECT i::INTEGER AS lo_orderkey, 1 AS lo_linenumber, (1 + pick(i, 'c', 30 * scale()))::INTEGER AS lo_custkey,
  (1 + pick(i, 'p', 200 * scale()))::INTEGER AS lo_partkey, (1 + pick(i, 's', 20 * scale()))::INTEGER AS lo_suppkey,
  strftime(DATE '1992-01-01' + pick(i, 'd', 2406)::INTEGER, '%Y%m%d')::INTEGER AS lo_orderdate, q::INTEGER AS lo_quantity,
  (q * price)::INTEGER AS lo_extendedprice, d::INTEGER AS lo_discount, (q * price * (100 - d) // 100)::INTEGER AS lo_revenue,
  (price * 6 // 10)::INTEGER AS lo_supplycost, pick(i, 't', 9)::INTEGER AS lo_tax,
  ['REG AIR', 'AIR', 'RAIL', 'SHIP', 'TRUCK', 'MAIL', 'FOB'][pick(i, 'm', 7) + 1] AS lo_shipmode
FROM (SELECT i, 1 + pick(i, 'q', 50) AS q, 90000 + pick(i, 'e', 20000) AS price, pick(i, 'x', 11) AS d FROM range(1, 6000 * scale() + 1) t(i)) l;

DROP TABLE places;
