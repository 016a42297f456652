"""asyncpg: its introspection of types, prepared statements, COPY, cursors and nested transactions."""

import asyncio
import datetime
import decimal
import uuid

import asyncpg

from steps import (CREATE, ENDLESS, HOST, ITEMS, JOIN, LARGE, PORT, SALES, SCHEMA, VALUES, WORDS, equal, joined, run)

loop = asyncio.new_event_loop()
conn = None


def step(coroutine):
    return lambda: loop.run_until_complete(coroutine())


def rows(records):
    return [tuple(r) for r in records]


async def connect():
    global conn
    conn = await asyncpg.connect(host=HOST, port=PORT, user="trireme", database="trireme", server_settings={"application_name": "asyncpg test"})
    equal(await conn.fetchval("SELECT 40 + 2"), 42)
    equal(await conn.fetchval("SHOW application_name"), "asyncpg test")
    equal(conn.get_server_version().major, 15)
    async with asyncpg.create_pool(host=HOST, port=PORT, user="trireme", database="trireme", min_size=1, max_size=2) as pool:
        for _ in range(3):  # each time the connection is reset
            equal(await pool.fetchval("SELECT $1::int + 1", 1), 2)


async def create():
    for sql in CREATE:
        await conn.execute(sql)


async def load():
    async with conn.transaction():
        await conn.executemany(f"INSERT INTO {SCHEMA}.item VALUES ($1, $2, $3)", ITEMS)
        await conn.executemany(f"INSERT INTO {SCHEMA}.sale VALUES ($1, $2, $3)", SALES)
    equal(rows(await conn.fetch(f"SELECT * FROM {SCHEMA}.item ORDER BY id")), ITEMS)


async def copy():
    equal(await conn.copy_records_to_table("copied", schema_name=SCHEMA, records=WORDS), f"COPY {len(WORDS)}")
    equal(rows(await conn.fetch(f"SELECT * FROM {SCHEMA}.copied ORDER BY n")), WORDS)
    parts = []

    async def take(data):
        parts.append(data)

    await conn.copy_from_query(f"SELECT n FROM {SCHEMA}.copied WHERE n < $1 ORDER BY n", 3, output=take)
    equal(b"".join(parts), b"0\n1\n2\n")


async def tensors():
    answers = []
    for backend in ["native", "duckdb"]:
        await conn.execute(f"SET trireme.backend = '{backend}'")
        answers.append(rows(await conn.fetch(JOIN)))
        equal(await conn.fetchval("SHOW trireme.last_backend"), backend)
    await conn.execute("RESET trireme.backend")
    equal(answers[0], joined())
    equal(answers[1], answers[0])


LISTS = [
    ([1, None, -3], "INTEGER[]"), (["a\"b", "c,d", None, "\\", "{}"], "VARCHAR[]"), ([datetime.date(2020, 2, 29)], "DATE[]"),
    ([uuid.UUID("a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11")], "UUID[]"), ([decimal.Decimal("1.50")], "DECIMAL(9,2)[]"),
    (datetime.timedelta(days=3, seconds=5, microseconds=7), "INTERVAL"), (datetime.time(23, 59, 59, 999999), "TIME"),
]


async def prepared():
    for value, sql_type in VALUES + LISTS:
        for _ in range(2):  # the second time from its cache of statements
            equal(tuple(await conn.fetchrow(f"SELECT $1::{sql_type}, $1::{sql_type} IS NULL", value)), (value, value is None))
    statement = await conn.prepare(f"SELECT kind FROM {SCHEMA}.item WHERE id = $1")
    equal([p.name for p in statement.get_parameters()], ["int4"])
    equal([(a.name, a.type.name) for a in statement.get_attributes()], [("kind", "text")])
    equal([await statement.fetchval(k) for k in [1, 2, 3]], [kind for _, kind, _ in ITEMS])
    equal(await conn.fetchval(f"SELECT count(*) FROM {SCHEMA}.item WHERE id = ANY($1::int[])", [1, 3]), 2)


async def stream():
    got = []
    async with conn.transaction():
        async for i, name in conn.cursor(LARGE, prefetch=50_000):
            got.append(i)
            if name != f"row {i}":
                raise AssertionError(name)
            if len(got) == 100_000:
                streams_first = got[-1]
    equal((len(got), streams_first), (1_000_000, 99_999))


async def fails(error, sql, *params):
    try:
        await conn.execute(sql, *params)
    except error:
        return
    raise AssertionError(f"{sql}: no {error.__name__}")


async def cancel():
    try:
        await conn.fetch(ENDLESS, timeout=0.3)
        raise AssertionError("no timeout")
    except asyncio.TimeoutError:
        pass
    equal(await conn.fetchval("SELECT 1"), 1)
    await conn.execute("SET statement_timeout = '200ms'")
    await fails(asyncpg.QueryCanceledError, ENDLESS)
    await conn.execute("RESET statement_timeout")


async def errors():
    await fails(asyncpg.PostgresSyntaxError, "SELEC 1")
    await fails(asyncpg.UndefinedTableError, "SELECT * FROM absent")
    await fails(asyncpg.UniqueViolationError, f"INSERT INTO {SCHEMA}.item VALUES ($1, 'oar', 1)", 1)
    count = f"SELECT count(*) FROM {SCHEMA}.item"
    for isolation in ["read_committed", "repeatable_read", "serializable"]:
        outer = conn.transaction(isolation=isolation)
        await outer.start()
        await conn.execute(f"INSERT INTO {SCHEMA}.item VALUES (7, 'keel', 1)")
        try:
            async with conn.transaction():
                await conn.execute(f"INSERT INTO {SCHEMA}.item VALUES (8, 'keel', 1)")
                await conn.execute(f"INSERT INTO {SCHEMA}.item VALUES (7, 'keel', 1)")
        except asyncpg.UniqueViolationError:
            pass
        async with conn.transaction():
            await conn.execute(f"INSERT INTO {SCHEMA}.item VALUES (9, 'keel', 1)")
        equal(await conn.fetchval(count), 5)
        await outer.rollback()
        equal(await conn.fetchval(count), 3)


async def metadata():
    await conn.execute(f"CREATE TYPE {SCHEMA}.mood AS ENUM ('calm', 'rough')")
    await conn.execute(f"CREATE TABLE {SCHEMA}.sea (name VARCHAR, state {SCHEMA}.mood, states {SCHEMA}.mood[])")
    await conn.execute(f"INSERT INTO {SCHEMA}.sea VALUES ('Ionian', 'calm', ['rough', 'calm'])")
    equal(rows(await conn.fetch(f"SELECT * FROM {SCHEMA}.sea")), [("Ionian", "calm", ["rough", "calm"])])
    equal(await conn.fetchval(f"SELECT name FROM {SCHEMA}.sea WHERE state = $1", "calm"), "Ionian")
    await conn.set_type_codec("json", encoder=str, decoder=lambda text: ("json", text), schema="pg_catalog")
    equal(await conn.fetchval("SELECT '{}'::JSON"), ("json", "{}"))


run("asyncpg", asyncpg.__version__, {name: step(f) for name, f in [
    ("connect", connect), ("create", create), ("load", load), ("tensors", tensors), ("prepared", prepared), ("copy", copy),
    ("stream", stream), ("cancel", cancel), ("errors", errors), ("metadata", metadata),
]})
