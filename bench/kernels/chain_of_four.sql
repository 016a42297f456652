-- Four chained products of a weighted matrix and a vector, summed.
-- data: weighted
SELECT sum(y4.y)
FROM (
  SELECT e.src AS v, sum(e.w * y3.y) AS y FROM (
    SELECT e.src AS v, sum(e.w * y2.y) AS y FROM (
      SELECT e.src AS v, sum(e.w * y1.y) AS y FROM (
        SELECT e.src AS v, sum(e.w * x.y) AS y FROM wedge e JOIN vec x ON e.dst = x.v GROUP BY e.src
      ) y1 JOIN wedge e ON e.dst = y1.v GROUP BY e.src
    ) y2 JOIN wedge e ON e.dst = y2.v GROUP BY e.src
  ) y3 JOIN wedge e ON e.dst = y3.v GROUP BY e.src
) y4
