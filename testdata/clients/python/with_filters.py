"""Filters and groups by time as Superset and Metabase write them, sent by psycopg2, as both do or might."""

import datetime

import psycopg2

from steps import HOST, PORT, SCHEMA, equal, run

conn = None
AT = datetime.datetime(2024, 2, 29, 13, 47, 58, 600000)


def rows(sql):
    with conn.cursor() as cur:
        cur.execute(sql.replace("@", f"{SCHEMA}.calls"))
        return cur.fetchall()


def connect():
    global conn
    conn = psycopg2.connect(host=HOST, port=PORT, user="trireme", dbname="trireme")
    conn.autocommit = True
    with conn.cursor() as cur:
        cur.execute(f"CREATE SCHEMA {SCHEMA}")
        cur.execute(f"CREATE TABLE {SCHEMA}.calls (id INTEGER, at TIMESTAMP, day DATE, seen TIMESTAMPTZ, cargo INTEGER)".replace(" at ", ' "at" '))
        cur.execute(f"INSERT INTO {SCHEMA}.calls VALUES (1, %s, %s, %s, 5), (2, '2023-12-31 23:59:59', '2023-12-31', '2023-12-31 23:59:59+00', 7)",
                    (AT, AT.date(), AT.replace(tzinfo=datetime.timezone.utc)))


def grains():
    day = datetime.datetime(2024, 2, 29)
    for expression, want in [
        ("DATE_TRUNC('second', \"at\")", AT.replace(microsecond=0)),
        ("DATE_TRUNC('minute', \"at\") + INTERVAL '5 seconds' * FLOOR(EXTRACT(SECOND FROM \"at\") / 5)", day.replace(hour=13, minute=47, second=55)),
        ("DATE_TRUNC('minute', \"at\") + INTERVAL '30 seconds' * FLOOR(EXTRACT(SECOND FROM \"at\") / 30)", day.replace(hour=13, minute=47, second=30)),
        ("DATE_TRUNC('minute', \"at\")", day.replace(hour=13, minute=47)),
        ("DATE_TRUNC('hour', \"at\") + INTERVAL '5 minutes' * FLOOR(EXTRACT(MINUTE FROM \"at\") / 5)", day.replace(hour=13, minute=45)),
        ("DATE_TRUNC('hour', \"at\") + INTERVAL '10 minutes' * FLOOR(EXTRACT(MINUTE FROM \"at\") / 10)", day.replace(hour=13, minute=40)),
        ("DATE_TRUNC('hour', \"at\") + INTERVAL '30 minutes' * FLOOR(EXTRACT(MINUTE FROM \"at\") / 30)", day.replace(hour=13, minute=30)),
        ("DATE_TRUNC('hour', \"at\")", day.replace(hour=13)),
        ("DATE_TRUNC('day', \"at\")", day),
        ("DATE_TRUNC('week', \"at\")", datetime.datetime(2024, 2, 26)),
        ("DATE_TRUNC('month', \"at\")", datetime.datetime(2024, 2, 1)),
        ("DATE_TRUNC('quarter', \"at\")", datetime.datetime(2024, 1, 1)),
        ("DATE_TRUNC('year', \"at\")", datetime.datetime(2024, 1, 1)),
        ("CAST(\"at\" AS date)", datetime.date(2024, 2, 29)),
        ("CAST(EXTRACT(dow FROM \"at\") AS integer) + 1", 5),
        ("CAST(extract(hour from \"at\") AS integer)", 13),
        ("(CAST(DATE_TRUNC('week', (\"at\" + INTERVAL '1 day')) AS timestamp) + INTERVAL '-1 day')", datetime.datetime(2024, 2, 25)),
    ]:
        equal(rows(f"SELECT {expression} AS grain, SUM(cargo) AS s FROM @ WHERE id = 1 GROUP BY {expression} ORDER BY s DESC LIMIT 1000"), [(want, 5)])


def filters():
    for condition, ids in [
        ("\"at\" >= TO_TIMESTAMP('2024-01-02 03:04:05.600000', 'YYYY-MM-DD HH24:MI:SS.US') AND \"at\" < TO_TIMESTAMP('2024-03-01 00:00:00.000000', 'YYYY-MM-DD HH24:MI:SS.US')", [1]),
        ("day >= TO_DATE('2024-02-29', 'YYYY-MM-DD') AND day < TO_DATE('2024-03-01', 'YYYY-MM-DD')", [1]),
        ("day <= TO_DATE('2023-12-31', 'YYYY-MM-DD')", [2]),
        ("seen BETWEEN timestamp with time zone '2024-01-01 00:00:00.000Z' AND timestamp with time zone '2024-12-31 23:59:59.999Z'", [1]),
        ("\"at\" >= timestamp '2024-01-01 00:00:00.000'", [1]),
        ("seen >= DATE_TRUNC('day', (NOW() + INTERVAL '-300000 day')) AND seen < DATE_TRUNC('day', NOW())", [1, 2]),
        ("CAST(\"at\" AS date) = date '2024-02-29'", [1]),
        ("DATE_TRUNC('month', \"at\") = DATE_TRUNC('month', timestamp '2024-02-10 00:00:00')", [1]),
        ("extract(year from day) IN (2023)", [2]),
    ]:
        equal(rows(f"SELECT id FROM @ WHERE {condition} ORDER BY id"), [(i,) for i in ids])


run("time filters of Superset and Metabase", psycopg2.__version__.split()[0], {"connect": connect, "grains": grains, "filters": filters})
