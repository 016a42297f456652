-- One step of a breadth-first search: the neighbours of the frontier that were
-- not visited.
-- data: weighted
SELECT e.dst
FROM frontier f JOIN edge e ON e.src = f.v JOIN unvisited u ON u.v = e.dst
GROUP BY e.dst
