-- Matrices as tables of coordinates and entries. X, Y and Z are sparse, with skew: low
-- rows and columns have more entries; Y has half of X's cells and as many others. The
-- rest is dense. Entries are multiples of small powers of two.
-- Before it: CREATE MACRO m() AS 10000; CREATE MACRO n() AS 1000; CREATE MACRO rank() AS 10;
CREATE MACRO unit(e, salt) AS (hash(hash(e, salt)) % 1048576)::DOUBLE / 1048576;
CREATE MACRO pick(e, salt, most) AS (hash(hash(e, salt)) % most::UBIGINT)::BIGINT;

CREATE TABLE x AS
SELECT DISTINCT ON (i, j) i, j, (1 + pick(e, 'x', 32)) / 16.0::DOUBLE AS a
FROM (SELECT e, floor(m() * unit(e, 'i') * unit(e, 'i2'))::INTEGER AS i, floor(n() * unit(e, 'j') * unit(e, 'j'))::INTEGER AS j FROM range(24 * m()) r(e)) c
ORDER BY i, j;
CREATE TABLE y AS
SELECT DISTINCT ON (i, j) i, j, a
FROM (
  SELECT i, j, (1 + pick(n() * i + j, 'y', 32)) / 16.0::DOUBLE AS a FROM x WHERE pick(n() * i + j, 'half', 2) = 0
  UNION ALL SELECT pick(e, 'yi', m())::INTEGER, pick(e, 'yj', n())::INTEGER, (1 + pick(e, 'ya', 32)) / 16.0 FROM range(12 * m()) r(e)
) c
ORDER BY i, j;
CREATE TABLE z AS SELECT i, j, (1 + pick(n() * i + j, 'z', 32)) / 16.0::DOUBLE AS a FROM y WHERE pick(n() * i + j, 'third', 3) > 0 ORDER BY i, j;

-- Factors of rank rank(): U is m x rank, H is n x rank.
CREATE TABLE u AS SELECT i::INTEGER AS i, k::INTEGER AS k, (1 + (i * 7 + k * 13) % 31) / 32.0::DOUBLE AS a FROM range(m()) r(i), range(rank()) s(k);
CREATE TABLE h AS SELECT j::INTEGER AS j, k::INTEGER AS k, (1 + (j * 11 + k * 5) % 29) / 32.0::DOUBLE AS a FROM range(n()) r(j), range(rank()) s(k);

-- Probabilities P of five classes for every row, a direction D per class, vectors over
-- columns (B, V) and over rows (the weight w, the label of +1 or -1).
CREATE TABLE p AS SELECT i::INTEGER AS i, c::INTEGER AS c, (1 + (i * 3 + c * 7) % 15) / 128.0::DOUBLE AS a FROM range(m()) r(i), range(5) s(c);
CREATE TABLE d AS SELECT j::INTEGER AS j, c::INTEGER AS c, ((j * 5 + c * 11) % 33 - 16) / 64.0::DOUBLE AS a FROM range(n()) r(j), range(5) s(c);
CREATE TABLE b AS SELECT j::INTEGER AS j, ((j * 13) % 31 - 15) / 256.0::DOUBLE AS a FROM range(n()) r(j);
CREATE TABLE v AS SELECT j::INTEGER AS j, ((j * 17) % 29 - 14) / 32.0::DOUBLE AS a FROM range(n()) r(j);
CREATE TABLE w AS SELECT i::INTEGER AS i, (1 + i * 5 % 16) / 16.0::DOUBLE AS a FROM range(m()) r(i);
CREATE TABLE label AS SELECT i::INTEGER AS i, (2 * (i * 7 % 3 % 2) - 1)::DOUBLE AS a FROM range(m()) r(i);
