-- Breadth-first search iterated by the client: a statement finds the next level,
-- another adds it to the vertices reached so far, until no vertex is added. The
-- statements after "repeat" are repeated until the last of them gives the answer
-- that it gave before.
-- data: epinions
-- cause: the tables of every statement have changed since the one before, so that their columns are
-- cause: measured and their tensors made anew, and what it finds goes through DuckDB into the table.
CREATE OR REPLACE TABLE reached (node BIGINT, level INTEGER);
CREATE OR REPLACE TABLE found (node BIGINT, level INTEGER);
INSERT INTO reached VALUES (0, 0);
-- repeat
INSERT INTO found
  SELECT e.dst, max(r.level) + 1
  FROM reached r JOIN edge e ON e.src = r.node
  WHERE r.level = (SELECT max(level) FROM reached) AND e.dst NOT IN (SELECT node FROM reached)
  GROUP BY e.dst;
INSERT INTO reached SELECT node, level FROM found WHERE level > (SELECT max(level) FROM reached);
SELECT count(*) FROM found;
-- end
SELECT level, count(*) FROM reached GROUP BY level ORDER BY level
