-- How long it takes to build the tensor of a table of edges: the first
-- execution of this in a new database less the second.
-- data: epinions
-- cold: edge
SELECT count(*)
FROM edge a JOIN edge b ON a.src = b.src AND a.dst = b.dst
