-- Joins that one side or the other takes far longer for: by ranges, by one of two conditions,
-- expressions over what outer joins pad, chains of outer joins, recursions.
-- family: slow
-- data: slow

-- name: slow_window_between
SELECT sum(a.v * b.v) FROM signal a JOIN signal b ON b.i BETWEEN a.i - 2 AND a.i + 2;

-- name: slow_window_magnitude
SELECT sum(a.v * b.v) FROM signal a JOIN signal b ON abs(a.i - b.i) <= 2;

-- name: slow_shift
SELECT sum(a.v * b.v) FROM signal a JOIN signal b ON b.i - a.i = 2;

-- name: slow_convolution
SELECT sum(s.v * k.w) FROM signal o, kernel k, signal s WHERE s.i = o.i + k.d;

-- name: slow_spans
SELECT span.id, count(*), sum(event.n) FROM span JOIN event ON event.t BETWEEN span.lo AND span.hi GROUP BY span.id;

-- name: slow_spans_compared
SELECT span.id, count(*) FROM span JOIN event ON event.t >= span.lo AND event.t <= span.hi GROUP BY span.id;

-- name: slow_either
SELECT count(*) FROM message JOIN person ON message.sender = person.id OR message.receiver = person.id;

-- name: slow_either_by_team
SELECT p.team, count(*) FROM message m JOIN person p ON m.sender = p.id OR m.receiver = p.id GROUP BY p.team;

-- name: slow_closure
WITH RECURSIVE r(a, b) AS (SELECT a, b FROM chain WHERE a < 40 UNION SELECT r.a, c.b FROM r JOIN chain c ON r.b = c.a) SELECT count(*) FROM r;

-- name: slow_loss
-- float: 1e12
SELECT sum(pow(coalesce(x.v, 0) - u.v * w.v, 2)) FROM rowfactor u CROSS JOIN colfactor w LEFT JOIN matrix x ON x.i = u.i AND x.j = w.j;

-- name: slow_left_difference
SELECT sum(abs(x.v - y.v)) FROM matrix x LEFT JOIN other y ON x.i = y.i AND x.j = y.j;

-- name: slow_full_difference
SELECT sum(abs(coalesce(x.v, 0) - coalesce(y.v, 0))) FROM matrix x FULL JOIN other y ON x.i = y.i AND x.j = y.j;

-- name: slow_guards
SELECT count(*) FROM rowfactor a, colfactor b WHERE (a.i * 7 + b.j * 3) % 11 < 4;

-- name: slow_equal_groups
SELECT a.i, b.j, sum(b.v) FROM rowfactor a, colfactor b GROUP BY a.i, b.j HAVING a.i = b.j AND a.i < 5;

-- name: slow_full_chain
SELECT count(*), sum(a.v) FROM tiny a FULL JOIN tiny b ON a.i = b.k FULL JOIN tiny c ON b.i = c.k FULL JOIN tiny d ON c.i = d.k FULL JOIN tiny e ON d.i = e.k FULL JOIN tiny f ON e.i = f.k FULL JOIN tiny g ON f.i = g.k;

-- name: slow_full_of_full
WITH t AS (SELECT a.i, b.v FROM tiny a FULL JOIN tiny b ON a.i = b.k), u AS (SELECT p.i, q.v FROM t p FULL JOIN t q ON p.i = q.i), w AS (SELECT p.i, q.v FROM u p FULL JOIN u q ON p.i = q.i) SELECT count(*), sum(p.v) FROM w p FULL JOIN w q ON p.i = q.i WHERE p.i NOT IN (SELECT k FROM few WHERE k < 20) OR p.i IN (SELECT m FROM few);

-- name: slow_shortest_paths
WITH RECURSIVE d(i, w) USING KEY (i) AS (SELECT 0, 0::DOUBLE UNION SELECT x.j, min(d.w + x.v) FROM d JOIN matrix x ON x.i = d.i LEFT JOIN recurring.d r ON r.i = x.j WHERE d.w + x.v < coalesce(r.w, 1e9) GROUP BY x.j) SELECT count(*), sum(w) FROM d;
