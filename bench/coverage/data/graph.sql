-- Graphs: edge is undirected (every edge in both directions, no loops), follows
-- and wedge are directed, person and city label vertices. At scale 1 there are
-- 500 vertices and some 5000 rows of edge.
CREATE TABLE vertex AS
SELECT v, pick(v, 'l', 8)::INTEGER AS label, ['red', 'green', 'blue', 'gold'][pick(v, 'c', 4) + 1] AS color, (pick(v, 'w', 64) / 8.0)::DOUBLE AS weight,
  pick(v, 'g', 20 * scale()) AS community
FROM range(500 * scale()) t(v);

CREATE TABLE edge AS
WITH one AS (
  -- neighbours are near in most cases, so that there are triangles and cliques
  SELECT i % n AS a, CASE WHEN pick(i, 'k', 4) = 0 THEN pick(i, 'far', n) ELSE (i % n + 1 + skewed(i, 'near', 20)) % n END AS b
  FROM range(2800 * scale()) t(i), (SELECT 500 * scale() AS n) s
)
SELECT a AS src, b AS dst FROM one WHERE a <> b
UNION
SELECT b, a FROM one WHERE a <> b
ORDER BY 1, 2;

CREATE TABLE follows AS
SELECT DISTINCT i % n AS src, skewed(i, 'f', n) AS dst, DATE '2024-01-01' + pick(i % n, 'since', 700)::INTEGER AS since
FROM range(5000 * scale()) t(i), (SELECT 500 * scale() AS n) s
ORDER BY 1, 2;

CREATE TABLE wedge AS
SELECT src, dst, (1 + pick(src, dst, 64)) / 64.0::DOUBLE AS w, (1 + pick(dst, src, 20))::INTEGER AS hops FROM follows WHERE src <> dst;

CREATE TABLE rated AS
SELECT DISTINCT pick(i, 'p', 500 * scale()) AS person, skewed(i, 'i', 200 * scale()) AS item, (1 + pick(i, 's', 5))::INTEGER AS stars
FROM range(4000 * scale()) t(i);

CREATE TABLE item AS
SELECT i AS item, ['book', 'film', 'song', 'game'][pick(i, 'kind', 4) + 1] AS kind, (1990 + pick(i, 'y', 35))::INTEGER AS year FROM range(200 * scale()) t(i);

-- A forest: every node but the roots has one parent with a lower number.
CREATE TABLE tree AS
SELECT v AS node, CASE WHEN v % 100 = 0 THEN NULL ELSE v - 1 - pick(v, 'up', v % 100) END AS parent, (1 + pick(v, 'size', 50))::INTEGER AS size
FROM range(500 * scale()) t(v);

CREATE TABLE seed AS SELECT v FROM vertex WHERE v % 97 = 5;
