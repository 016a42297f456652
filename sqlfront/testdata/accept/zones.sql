-- AT TIME ZONE binds closer than operators, less than :: and signs
SELECT ts AT TIME ZONE 'UTC', count(*) FROM t GROUP BY 1
SELECT date_trunc('day', ts AT TIME ZONE 'Europe/Berlin') AS x, count(*) FROM t GROUP BY x
SELECT count(*) FROM t WHERE ts AT TIME ZONE 'UTC' > ts::TIMESTAMPTZ
SELECT count(*) FROM t WHERE ts::TIMESTAMP AT TIME ZONE 'UTC' AT TIME ZONE 'Asia/Tokyo' < ts
SELECT (ts AT TIME ZONE 'UTC')::DATE AS x, count(*) FROM t GROUP BY ALL
SELECT count(*) FROM t WHERE ts AT TIME ZONE s IS NULL
SELECT count(*) FROM t WHERE iv + ts AT TIME ZONE t.s > ts
SELECT count(*) FROM t WHERE (ts + INTERVAL '1' DAY) AT TIME ZONE 'UTC' BETWEEN '2024-01-01' AND '2024-02-01'
SELECT hour(ts AT TIME ZONE 'UTC' - INTERVAL '1' HOUR), count(*) FROM t GROUP BY 1
SELECT max(ts AT TIME ZONE 'UTC'), count(*) FROM t
SELECT count(*) FROM t WHERE CASE WHEN p THEN ts AT TIME ZONE 'UTC' ELSE ts AT TIME ZONE 'Asia/Tokyo' END > ts
SELECT extract(hour FROM ts AT TIME ZONE 'UTC') AS hr, count(*) FROM t GROUP BY hr
