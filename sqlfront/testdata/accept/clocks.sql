-- the time of the transaction
SELECT count(*) FROM t WHERE d = current_date
SELECT count(*) FROM t WHERE ts < now() AND d < today() OR ts >= localtimestamp
SELECT max(d) - current_date AS days, count(*) FROM t WHERE d < CURRENT_TIMESTAMP - INTERVAL 7 DAY HAVING max(d) < get_current_timestamp()
SELECT count(*) FROM (SELECT d, current_date AS today FROM t) q JOIN t USING (d) WHERE q.today > t.d
