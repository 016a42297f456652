"""Data frames: ADBC, and polars by ADBC and by connectorx."""

import datetime

import adbc_driver_postgresql
import adbc_driver_postgresql.dbapi
import polars
import pyarrow

from steps import HOST, PORT, SCHEMA, equal, run

URI = f"postgresql://trireme@{HOST}:{PORT}/trireme"
SHIPS = pyarrow.table({
    "id": pyarrow.array([1, 2, 3], pyarrow.int64()), "name": ["Argo", None, "Paralos"], "crew": pyarrow.array([50, 170, None], pyarrow.int32()),
    "tonnes": [1.5, None, 40.25], "built": [datetime.date(480, 9, 20), None, datetime.date(2024, 2, 29)], "afloat": [True, False, None],
})
QUERY = f"SELECT id, name, crew, tonnes, built, afloat FROM {SCHEMA}.ships ORDER BY id"
conn = None


def connect():
    global conn
    conn = adbc_driver_postgresql.dbapi.connect(URI, autocommit=True)
    with conn.cursor() as cur:
        cur.execute("SELECT 40 + 2 AS n")
        equal(cur.fetch_arrow_table().to_pylist(), [{"n": 42}])
        cur.execute(f"CREATE SCHEMA {SCHEMA}")


def ingest():
    with conn.cursor() as cur:
        equal(cur.adbc_ingest("ships", SHIPS, mode="create", db_schema_name=SCHEMA), 3)
        equal(cur.adbc_ingest("ships", SHIPS.slice(0, 0), mode="append", db_schema_name=SCHEMA), 0)


def query():
    with conn.cursor() as cur:
        cur.execute(QUERY)
        equal(cur.fetch_arrow_table().to_pylist(), SHIPS.to_pylist())
        cur.execute(f"SELECT name FROM {SCHEMA}.ships WHERE id = $1", (3,))
        equal(cur.fetchall(), [("Paralos",)])
        cur.execute(f"SELECT i, [i, i + 1] AS pair, now() AS at FROM range(100000) r(i)")
        equal(cur.fetch_arrow_table().num_rows, 100_000)


def metadata():
    equal(conn.adbc_get_table_schema("ships", db_schema_filter=SCHEMA).names, SHIPS.schema.names)
    objects = conn.adbc_get_objects(depth="all", db_schema_filter=SCHEMA).read_all().to_pylist()
    tables = [t["table_name"] for c in objects for s in c["catalog_db_schemas"] or [] for t in s["db_schema_tables"] or []]
    equal(tables, ["ships"])


def frames():
    for engine in ["adbc", "connectorx"]:
        got = polars.read_database_uri(QUERY, URI, engine=engine)
        equal(got.rows(), [tuple(r.values()) for r in SHIPS.to_pylist()])
    got = polars.read_database(QUERY, conn)
    equal(got.height, 3)
    got.write_database(f"{SCHEMA}.copied", URI, engine="adbc", if_table_exists="replace")
    equal(polars.read_database_uri(f"SELECT count(*) AS n FROM {SCHEMA}.copied", URI, engine="adbc").rows(), [(3,)])


run("ADBC, polars", adbc_driver_postgresql.__version__, {"connect": connect, "ingest": ingest, "query": query, "metadata": metadata, "frames": frames})
