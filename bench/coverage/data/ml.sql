-- Sales of items in stores by day with what is known of stores, items, days and
-- weather, and the parameters of models that were trained elsewhere. Features and
-- parameters are multiples of small powers of two. At scale 1 there are 6000 sales.
CREATE TABLE store AS
SELECT s::INTEGER AS store, (pick(s, 'a', 64) / 8.0)::DOUBLE AS area, (pick(s, 'd', 64) / 16.0)::DOUBLE AS distance, pick(s, 'k', 4)::INTEGER AS kind,
  pick(s, 'city', 8)::INTEGER AS city
FROM range(50) t(s);

CREATE TABLE item AS
SELECT i::INTEGER AS item, ((4 + pick(i, 'p', 200)) / 4.0)::DOUBLE AS price, (pick(i, 'w', 64) / 16.0)::DOUBLE AS weight, pick(i, 'c', 6)::INTEGER AS category,
  pick(i, 'perishable', 4) = 0 AS perishable
FROM range(200 * scale()) t(i);

CREATE TABLE day AS
SELECT d::INTEGER AS day, DATE '2023-01-01' + d::INTEGER AS date, (d % 7)::INTEGER AS weekday, pick(d, 'h', 20) = 0 AS holiday,
  (16 + pick(d, 'oil', 64) / 16.0)::DOUBLE AS oil
FROM range(365) t(d);

CREATE TABLE weather AS
SELECT city::INTEGER AS city, day::INTEGER AS day, (pick(8 * day + city, 't', 128) / 4.0)::DOUBLE AS temperature,
  (pick(8 * day + city, 'r', 32) / 8.0)::DOUBLE AS rain
FROM range(8) c(city), range(365) d(day);

CREATE TABLE sale AS
SELECT i::INTEGER AS id, pick(i, 's', 50)::INTEGER AS store, skewed(i, 'i', 200 * scale())::INTEGER AS item, pick(i, 'd', 365)::INTEGER AS day,
  (1 + pick(i, 'u', 40))::INTEGER AS units, pick(i, 'promo', 5) = 0 AS promoted, (pick(i, 'ret', 10) = 0)::INTEGER AS returned
FROM range(6000 * scale()) t(i);

-- Samples and features in long form, sparse.
CREATE TABLE sample AS
SELECT s::INTEGER AS sample, (pick(s, 'y', 2))::INTEGER AS label, pick(s, 'fold', 5)::INTEGER AS fold, (pick(s, 'target', 128) / 16.0)::DOUBLE AS target
FROM range(700 * scale()) t(s);

CREATE TABLE feature AS
SELECT DISTINCT ON (sample, feature) pick(i, 's', 700 * scale())::INTEGER AS sample, pick(i, 'f', 40)::INTEGER AS feature,
  ((1 + pick(pick(i, 's', 700 * scale()), pick(i, 'f', 40), 32)) / 16.0)::DOUBLE AS x
FROM range(7000 * scale()) t(i);

CREATE TABLE coefficient AS SELECT f::INTEGER AS feature, ((pick(f, 'w', 65) - 32) / 64.0)::DOUBLE AS w FROM range(40) t(f);

-- Two layers of a network: 40 features, 16 hidden units, 4 outputs.
CREATE TABLE layer1 AS
SELECT f::INTEGER AS feature, h::INTEGER AS hidden, ((pick(16 * f + h, 'w1', 65) - 32) / 64.0)::DOUBLE AS w FROM range(40) a(f), range(16) b(h);
CREATE TABLE layer2 AS
SELECT h::INTEGER AS hidden, o::INTEGER AS output, ((pick(4 * h + o, 'w2', 65) - 32) / 64.0)::DOUBLE AS w FROM range(16) a(h), range(4) b(o);
CREATE TABLE bias1 AS SELECT h::INTEGER AS hidden, ((pick(h, 'b1', 33) - 16) / 32.0)::DOUBLE AS b FROM range(16) t(h);

CREATE TABLE centre AS
SELECT c::INTEGER AS centre, f::INTEGER AS feature, (pick(40 * c + f, 'm', 32) / 16.0)::DOUBLE AS x FROM range(5) a(c), range(40) b(f);

-- Weights of one-hot encoded attributes of sales.
CREATE TABLE onehot AS
SELECT 'store' AS attribute, s::INTEGER AS value, ((pick(s, 'ws', 65) - 32) / 64.0)::DOUBLE AS w FROM range(50) t(s)
UNION ALL SELECT 'weekday', d, (pick(d, 'wd', 65) - 32) / 64.0 FROM range(7) t(d)
UNION ALL SELECT 'category', c, (pick(c, 'wc', 65) - 32) / 64.0 FROM range(6) t(c)
UNION ALL SELECT 'kind', k, (pick(k, 'wk', 65) - 32) / 64.0 FROM range(4) t(k);

-- Factors of rank 8 of a recommender.
CREATE TABLE store_factor AS SELECT s::INTEGER AS store, r::INTEGER AS r, ((pick(8 * s + r, 'sf', 33) - 16) / 32.0)::DOUBLE AS x FROM range(50) a(s), range(8) b(r);
CREATE TABLE item_factor AS
SELECT i::INTEGER AS item, r::INTEGER AS r, ((pick(8 * i + r, 'if', 33) - 16) / 32.0)::DOUBLE AS x FROM range(200 * scale()) a(i), range(8) b(r);

-- Documents for naive Bayes and similarity of texts.
CREATE TABLE document AS SELECT d::INTEGER AS doc, pick(d, 'c', 4)::INTEGER AS class FROM range(200 * scale()) t(d);
CREATE TABLE term AS
SELECT doc::INTEGER AS doc, term::INTEGER AS term, count(*)::INTEGER AS n
FROM (SELECT pick(i, 'doc', 200 * scale()) AS doc, skewed(i, 'term', 300) AS term FROM range(6000 * scale()) t(i)) t
GROUP BY ALL;
