"""The steps by psycopg 3."""

import threading

import psycopg
import psycopg.errors

from steps import (CREATE, ENDLESS, HOST, ITEMS, JOIN, LARGE, PORT, SALES, SCHEMA, VALUES, WORDS, equal, joined, run, streams)

conn = None


def connect():
    global conn
    conn = psycopg.connect(host=HOST, port=PORT, user="trireme", dbname="trireme", autocommit=True, application_name="psycopg test")
    equal(conn.execute("SELECT 40 + 2").fetchone(), (42,))
    equal(conn.execute("SHOW application_name").fetchone(), ("psycopg test",))


def create():
    for sql in CREATE:
        conn.execute(sql)


def load():
    with conn.transaction(), conn.cursor() as cur:
        cur.executemany(f"INSERT INTO {SCHEMA}.item VALUES (%s, %s, %s)", ITEMS)
        cur.executemany(f"INSERT INTO {SCHEMA}.sale VALUES (%s, %s, %s)", SALES)
        equal(cur.rowcount, len(SALES))
    equal(conn.execute(f"SELECT * FROM {SCHEMA}.item ORDER BY id").fetchall(), ITEMS)


def copy():
    for options in ["", "(FORMAT binary)"]:
        conn.execute(f"DELETE FROM {SCHEMA}.copied")
        with conn.cursor() as cur:
            with cur.copy(f"COPY {SCHEMA}.copied FROM STDIN {options}") as copying:
                if options:
                    copying.set_types(["int4", "text"])
                for row in WORDS:
                    copying.write_row(row)
            equal(cur.rowcount, len(WORDS))
            equal(cur.execute(f"SELECT * FROM {SCHEMA}.copied ORDER BY n").fetchall(), WORDS)
            with cur.copy(f"COPY (SELECT * FROM {SCHEMA}.copied ORDER BY n) TO STDOUT {options}") as copying:
                copying.set_types(["int4", "text"])
                equal(list(copying.rows()), WORDS)


def tensors():
    answers = []
    for backend in ["native", "duckdb"]:
        conn.execute(f"SET trireme.backend = '{backend}'")
        answers.append(conn.execute(JOIN).fetchall())
        equal(conn.execute("SHOW trireme.last_backend").fetchone(), (backend,))
    conn.execute("RESET trireme.backend")
    equal(answers[0], joined())
    equal(answers[1], answers[0])


def prepared():
    for binary in [False, True]:
        with conn.cursor(binary=binary) as cur:
            for value, sql_type in VALUES:
                for marker in ["%s", "%b"]:
                    for _ in range(2):  # the second time by name
                        cur.execute(f"SELECT {marker}::{sql_type}, {marker}::{sql_type} IS NULL", (value, value), prepare=True)
                        equal(cur.fetchone(), (value, value is None))
            for k in [1, 2, 3]:
                cur.execute(f"SELECT kind FROM {SCHEMA}.item WHERE id = %s", (k,), prepare=True)
                equal(cur.fetchone(), (ITEMS[k - 1][1],))
            cur.execute(f"SELECT count(*) FROM {SCHEMA}.item WHERE id = ANY(%s)", ([1, 3],))
            equal(cur.fetchone(), (2,))
    with conn.pipeline():
        pipelined = [conn.execute("SELECT %s::INTEGER", (k,)) for k in [1, 2, 3]]
        equal([cur.fetchone() for cur in pipelined], [(1,), (2,), (3,)])


def stream():
    with conn.cursor() as cur:
        streams(cur.stream(LARGE))
    with conn.transaction(), conn.cursor("far") as cur:
        cur.itersize = 10_000
        cur.execute(LARGE)
        streams(cur)


def fails(error, sql, *params):
    try:
        conn.execute(sql, *params)
    except error:
        return
    raise AssertionError(f"{sql}: no {error.__name__}")


def cancel():
    timer = threading.Timer(0.3, conn.cancel_safe)
    timer.start()
    fails(psycopg.errors.QueryCanceled, ENDLESS)
    timer.join()
    conn.execute("SET statement_timeout = '200ms'")
    fails(psycopg.errors.QueryCanceled, ENDLESS)
    conn.execute("RESET statement_timeout")
    equal(conn.execute("SELECT 1").fetchone(), (1,))


def errors():
    fails(psycopg.errors.SyntaxError, "SELEC 1")
    fails(psycopg.errors.UndefinedTable, "SELECT * FROM absent")
    fails(psycopg.errors.UndefinedColumn, f"SELECT absent FROM {SCHEMA}.item")
    fails(psycopg.errors.UniqueViolation, f"INSERT INTO {SCHEMA}.item VALUES (%s, 'oar', 1)", (1,))
    fails(psycopg.errors.NotNullViolation, f"INSERT INTO {SCHEMA}.item VALUES (9, NULL, 1)")
    conn.autocommit = False
    conn.execute(f"INSERT INTO {SCHEMA}.item VALUES (7, 'keel', 1)")
    fails(psycopg.errors.UniqueViolation, f"INSERT INTO {SCHEMA}.item VALUES (1, 'oar', 1)")
    fails(psycopg.errors.InFailedSqlTransaction, "SELECT 1")
    conn.rollback()
    conn.autocommit = True
    equal(conn.execute(f"SELECT count(*) FROM {SCHEMA}.item").fetchone(), (3,))
    violated()
    nested()


def violated():
    """What an error says beside its text."""
    try:
        conn.execute(f"INSERT INTO {SCHEMA}.item VALUES (1, 'oar', 1)")
    except psycopg.errors.UniqueViolation as e:
        equal((e.diag.schema_name, e.diag.table_name, e.diag.constraint_name, e.diag.message_detail), (SCHEMA, "item", "item_pkey", "Key (id)=(1) already exists."))
    try:
        conn.execute(f"INSERT INTO {SCHEMA}.item VALUES (9, NULL, 1)")
    except psycopg.errors.NotNullViolation as e:
        equal((e.diag.schema_name, e.diag.table_name, e.diag.column_name), (SCHEMA, "item", "kind"))


def nested():
    """Blocks in a transaction, one of which fails and one of which is left."""
    insert = f"INSERT INTO {SCHEMA}.item VALUES (%s, %s, %s)"
    with conn.transaction(force_rollback=True):
        conn.execute(insert, (7, "keel", 1))
        try:
            with conn.transaction():
                conn.execute(insert, (8, "keel", 1))
                with conn.transaction():
                    conn.execute(f"UPDATE {SCHEMA}.item SET price = 0")
                conn.execute(insert, (1, "oar", 1))
        except psycopg.errors.UniqueViolation:
            pass
        with conn.transaction():
            conn.execute(insert, (9, "keel", 1))
            with conn.transaction(force_rollback=True), conn.cursor() as cur:
                with cur.copy(f"COPY {SCHEMA}.item FROM STDIN") as copying:
                    copying.write_row((10, "keel", 1))
                equal(cur.execute(f"SELECT count(*) FROM {SCHEMA}.item").fetchone(), (6,))
        equal(conn.execute(f"SELECT id, price FROM {SCHEMA}.item ORDER BY id").fetchall(), [(1, 4), (2, 90), (3, 700), (7, 1), (9, 1)])
    equal(conn.execute(f"SELECT count(*) FROM {SCHEMA}.item").fetchone(), (3,))


def metadata():
    cur = conn.execute(f"SELECT id, kind, 1::DECIMAL(9,2) AS d FROM {SCHEMA}.item")
    equal([(c.name, c.type_display) for c in cur.description], [("id", "int4"), ("kind", "text"), ("d", "numeric(9,2)")])
    equal((cur.description[2].precision, cur.description[2].scale), (9, 2))
    cur = conn.execute(
        "SELECT column_name, data_type, is_nullable FROM information_schema.columns "
        "WHERE table_schema = %s AND table_name = 'item' ORDER BY ordinal_position", (SCHEMA,))
    equal([row[0] for row in cur], ["id", "kind", "price"])
    cur = conn.execute(
        "SELECT c.relname FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace "
        "WHERE n.nspname = %s AND c.relkind = 'r' ORDER BY 1", (SCHEMA,))
    equal(cur.fetchall(), [("copied",), ("item",), ("sale",)])


run("psycopg", psycopg.__version__, {
    "connect": connect, "create": create, "load": load, "tensors": tensors, "prepared": prepared, "copy": copy,
    "stream": stream, "cancel": cancel, "errors": errors, "metadata": metadata,
})
