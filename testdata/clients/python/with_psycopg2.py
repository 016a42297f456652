"""The steps by psycopg2, which puts parameters into the text of statements."""

import datetime
import decimal
import io
import threading

import psycopg2
import psycopg2.errors
import psycopg2.extras

from steps import (CREATE, ENDLESS, HOST, ITEMS, JOIN, LARGE, PORT, SALES, SCHEMA, VALUES, WORDS, equal, joined, run, streams)

conn = None

# Values that it writes in forms of Postgres.
LITERALS = [
    ([1, None, -3], "INTEGER[]"),
    (['a"b', "c,d", "e'f", None, "\\", "{}"], "VARCHAR[]"),
    ([], "DATE[]"),
    ([datetime.date(2020, 2, 29)], "DATE[]"),
    ([True, False], "BOOLEAN[]"),
    (datetime.timedelta(days=-3, seconds=5, microseconds=7), "INTERVAL"),
    (float("-inf"), "DOUBLE"),
    (decimal.Decimal("0.123456789"), "DECIMAL(18,9)"),
    ("\\x0041 it's {1,2}\n\\'", "VARCHAR"),
    (datetime.time(23, 59, 59, 999999), "TIME"),
    (datetime.datetime(2024, 3, 31, 1, 2, 3, 4, datetime.timezone(datetime.timedelta(hours=-5, minutes=-30))), "TIMESTAMPTZ"),
]


def execute(sql, *params):
    cur = conn.cursor()
    cur.execute(sql, *params)
    return cur


def connect():
    global conn
    conn = psycopg2.connect(host=HOST, port=PORT, user="trireme", dbname="trireme", application_name="psycopg2 test")
    conn.autocommit = True
    equal(execute("SELECT 40 + 2").fetchone(), (42,))


def create():
    for sql in CREATE:
        execute(sql)


def load():
    conn.autocommit = False
    with conn, conn.cursor() as cur:
        cur.executemany(f"INSERT INTO {SCHEMA}.item VALUES (%s, %s, %s)", ITEMS)
        psycopg2.extras.execute_values(cur, f"INSERT INTO {SCHEMA}.sale VALUES %s", SALES, page_size=1000)
        equal(cur.rowcount, len(SALES))
    conn.autocommit = True
    equal(execute(f"SELECT * FROM {SCHEMA}.item ORDER BY id").fetchall(), ITEMS)


def copy():
    lines = "".join(
        f"{n}\t" + (r"\N" if word is None else word.replace("\\", "\\\\").replace("\n", "\\n").replace("\t", "\\t")) + "\n"
        for n, word in WORDS)
    with conn.cursor() as cur:
        cur.copy_expert(f"COPY {SCHEMA}.copied FROM STDIN", io.StringIO(lines))
        equal(execute(f"SELECT * FROM {SCHEMA}.copied ORDER BY n").fetchall(), WORDS)
        out = io.StringIO()
        cur.copy_expert(f"COPY (SELECT * FROM {SCHEMA}.copied ORDER BY n) TO STDOUT", out)
        equal(out.getvalue(), lines)


def tensors():
    answers = []
    for backend in ["native", "duckdb"]:
        execute(f"SET trireme.backend = '{backend}'")
        answers.append(execute(JOIN).fetchall())
        equal(execute("SHOW trireme.last_backend").fetchone(), (backend,))
    execute("RESET trireme.backend")
    equal(answers[0], joined())
    equal(answers[1], answers[0])


def prepared():
    psycopg2.extras.register_uuid()
    for value, sql_type in VALUES:
        got, is_null = execute(f"SELECT CAST(%s AS {sql_type}), CAST(%s AS {sql_type}) IS NULL", (value, value)).fetchone()
        equal((bytes(got) if isinstance(value, bytes) else got, is_null), (value, value is None))
    every = bytes(range(256))
    for value in [every, every[::-1], b"", *(every[i:i + 1] for i in range(256))]:  # it writes literals of Postgres
        got, equals = execute("SELECT %s, %s = CAST(%s AS BLOB)", (value, value, value)).fetchone()
        equal((bytes(got), equals), (value, True))
    for value, sql_type in LITERALS:
        equal(execute(f"SELECT CAST(%s AS {sql_type})", (value,)).fetchone(), (value,))
    execute("PREPARE by_id AS SELECT kind FROM " + SCHEMA + ".item WHERE id = $1")
    for k, kind, _ in ITEMS:
        equal(execute("EXECUTE by_id(%s)", (k,)).fetchone(), (kind,))
    execute("DEALLOCATE by_id")


def stream():
    conn.autocommit = False
    with conn, conn.cursor("far") as cur:
        cur.itersize = 10_000
        cur.execute(LARGE)
        streams(cur)
    conn.autocommit = True


def fails(error, sql, *params):
    try:
        execute(sql, *params)
    except error:
        return
    raise AssertionError(f"{sql}: no {error.__name__}")


def cancel():
    timer = threading.Timer(0.3, conn.cancel)
    timer.start()
    fails(psycopg2.errors.QueryCanceled, ENDLESS)
    timer.join()
    execute("SET statement_timeout = 200")
    fails(psycopg2.errors.QueryCanceled, ENDLESS)
    execute("RESET statement_timeout")
    equal(execute("SELECT 1").fetchone(), (1,))


def errors():
    fails(psycopg2.errors.SyntaxError, "SELEC 1")
    fails(psycopg2.errors.UndefinedTable, "SELECT * FROM absent")
    fails(psycopg2.errors.UniqueViolation, f"INSERT INTO {SCHEMA}.item VALUES (%s, 'oar', 1)", (1,))
    conn.autocommit = False
    execute(f"INSERT INTO {SCHEMA}.item VALUES (7, 'keel', 1)")
    fails(psycopg2.errors.UniqueViolation, f"INSERT INTO {SCHEMA}.item VALUES (1, 'oar', 1)")
    fails(psycopg2.errors.InFailedSqlTransaction, "SELECT 1")
    conn.rollback()
    conn.autocommit = True
    equal(execute(f"SELECT count(*) FROM {SCHEMA}.item").fetchone(), (3,))
    savepoints()


def savepoints():
    """A savepoint around each statement, as Django has them."""
    conn.autocommit = False
    execute(f"INSERT INTO {SCHEMA}.item VALUES (7, 'keel', 1)")
    for number in (8, 1, 9, 7):
        execute("SAVEPOINT one")
        try:
            execute(f"INSERT INTO {SCHEMA}.item VALUES (%s, 'keel', 1)", (number,))
            execute("RELEASE SAVEPOINT one")
        except psycopg2.errors.UniqueViolation:
            execute("ROLLBACK TO SAVEPOINT one")
            execute("RELEASE SAVEPOINT one")
    conn.commit()
    conn.autocommit = True
    equal(execute(f"SELECT id FROM {SCHEMA}.item ORDER BY id").fetchall(), [(1,), (2,), (3,), (7,), (8,), (9,)])
    execute(f"DELETE FROM {SCHEMA}.item WHERE id > 3")


def metadata():
    cur = execute(f"SELECT id, kind, 1::DECIMAL(9,2) AS d FROM {SCHEMA}.item")
    equal([(c.name, c.type_code) for c in cur.description], [("id", 23), ("kind", 25), ("d", 1700)])
    equal((cur.description[2].precision, cur.description[2].scale), (9, 2))
    cur = execute(
        "SELECT column_name FROM information_schema.columns "
        "WHERE table_schema = %s AND table_name = 'item' ORDER BY ordinal_position", (SCHEMA,))
    equal(cur.fetchall(), [("id",), ("kind",), ("price",)])


run("psycopg2", psycopg2.__version__.split()[0], {
    "connect": connect, "create": create, "load": load, "tensors": tensors, "prepared": prepared, "copy": copy,
    "stream": stream, "cancel": cancel, "errors": errors, "metadata": metadata,
})
