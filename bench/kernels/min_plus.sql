-- One relaxation of shortest paths: all edges, the least sum per target.
-- data: weighted
SELECT e.dst, min(d.dist + e.w)
FROM dist d JOIN wedge e ON e.src = d.v
GROUP BY e.dst
