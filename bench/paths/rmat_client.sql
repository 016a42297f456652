-- Shortest paths iterated by the client: a statement finds the vertices whose
-- distance became smaller, another notes them, until there is none. The
-- statements after "repeat" are repeated until the last of them gives the answer
-- that it gave before.
-- data: rmat
-- cause: the tables of every statement have changed since the one before, so that their columns are
-- cause: measured and their tensors made anew, and what it finds goes through DuckDB into the table.
CREATE OR REPLACE TABLE reached (node BIGINT, dist BIGINT, round INTEGER);
CREATE OR REPLACE TABLE found (node BIGINT, dist BIGINT, round INTEGER);
INSERT INTO reached VALUES (0, 0, 0);
-- repeat
INSERT INTO found
  SELECT n.node, n.dist, n.round
  FROM (
    SELECT e.dst AS node, min(r.dist + e.w) AS dist, max(r.round) + 1 AS round
    FROM reached r JOIN wedge e ON e.src = r.node
    WHERE r.round = (SELECT max(round) FROM reached)
    GROUP BY e.dst
  ) n LEFT JOIN (SELECT node, min(dist) AS dist FROM reached GROUP BY node) known ON known.node = n.node
  WHERE known.dist IS NULL OR n.dist < known.dist;
INSERT INTO reached SELECT node, dist, round FROM found WHERE round > (SELECT max(round) FROM reached);
SELECT count(*) FROM found;
-- end
SELECT count(*), sum(dist), max(dist) FROM (SELECT node, min(dist) AS dist FROM reached GROUP BY node) d
