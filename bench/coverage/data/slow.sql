-- Tables of joins by ranges, by one condition or another, and of expressions over what outer
-- joins pad: at scale 200 three thousand to two hundred thousand rows.
CREATE TABLE signal AS SELECT i::INTEGER AS i, (i % 17)::DOUBLE AS v FROM range(15 * scale()) t(i);
CREATE TABLE kernel AS SELECT i::INTEGER AS k, (i - 2)::INTEGER AS d, (1.0 / (1 + i))::DOUBLE AS w FROM range(5) t(i);
CREATE TABLE chain AS SELECT i::INTEGER AS a, (i + 1)::INTEGER AS b FROM range(15 * scale()) t(i);
CREATE TABLE span AS SELECT i::INTEGER AS id, lo::INTEGER AS lo, (lo + 50)::INTEGER AS hi FROM (SELECT i, pick(i, 'lo', 5000 * scale()) AS lo FROM range(25 * scale()) t(i));
CREATE TABLE event AS SELECT pick(i, 't', 5000 * scale())::INTEGER AS t, (i % 7)::INTEGER AS n FROM range(1000 * scale()) t(i);
CREATE TABLE message AS SELECT i::INTEGER AS id, pick(i, 'from', 20 * scale())::INTEGER AS sender, pick(i, 'to', 20 * scale())::INTEGER AS receiver FROM range(600 * scale()) t(i);
CREATE TABLE person AS SELECT i::INTEGER AS id, (i % 9)::INTEGER AS team FROM range(20 * scale()) t(i);
CREATE TABLE rowfactor AS SELECT i::INTEGER AS i, (i % 13)::DOUBLE AS v FROM range(10 * scale()) t(i);
CREATE TABLE colfactor AS SELECT i::INTEGER AS j, (i % 11)::DOUBLE AS v FROM range(10 * scale()) t(i);
CREATE TABLE matrix AS SELECT DISTINCT ON (i, j) pick(n, 'i', 10 * scale())::INTEGER AS i, pick(n, 'j', 10 * scale())::INTEGER AS j, (n % 7)::DOUBLE AS v FROM range(180 * scale()) t(n) ORDER BY 1, 2, 3;
CREATE TABLE other AS SELECT DISTINCT ON (i, j) pick(n, 'p', 10 * scale())::INTEGER AS i, pick(n, 'q', 10 * scale())::INTEGER AS j, (n % 5)::DOUBLE AS v FROM range(180 * scale()) t(n) ORDER BY 1, 2, 3;
CREATE TABLE tiny AS SELECT i::INTEGER AS i, CASE WHEN i % 7 > 0 THEN pick(i, 'k', 40)::INTEGER END AS k, pick(i, 'm', 6)::INTEGER AS m, (i % 11)::DOUBLE / 4 AS v FROM range(scale()) t(i);
CREATE TABLE few AS SELECT i::INTEGER AS i, CASE WHEN i % 9 > 0 THEN pick(i, 'k', 300)::INTEGER END AS k, pick(i, 'm', 20)::INTEGER AS m, (i % 13)::DOUBLE / 4 AS v FROM range(10 * scale()) t(i);
CREATE TABLE more AS SELECT i::INTEGER AS i, CASE WHEN i % 5 > 0 THEN pick(i, 'k', 2000)::INTEGER END AS k, pick(i, 'm', 50)::INTEGER AS m, (i % 17)::DOUBLE / 4 AS v FROM range(40 * scale()) t(i);
CREATE TABLE many AS SELECT i::INTEGER AS i, pick(i, 'k', 5000)::INTEGER AS k, pick(i, 'm', 300)::INTEGER AS m, (i % 19)::DOUBLE / 4 AS v FROM range(200 * scale()) t(i);
