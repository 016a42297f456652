"""Runs the statements of testdata/parameters/matrix.tsv with their parameters as texts,
whose types are left to the server: host, port, file and driver are the arguments. Prints
a line of JSON for each: what came out, the SQLSTATE after !, !client where the driver
refused a value, or - where it takes none such."""

import asyncio
import datetime
import decimal
import json
import math
import re
import sys
import uuid

HOST, PORT, FILE, DRIVER = sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4]


def cases():
    with open(FILE, encoding="utf-8") as file:
        for line in file:
            fields = line.rstrip("\n").split("\t")
            if len(fields) >= 3:
                yield fields[0], fields[1].split(" | ")


def spell(rows):
    return " / ".join("|".join("NULL" if c is None else str(c) for c in row) for row in rows)


def report(got):
    print(json.dumps({"got": got}), flush=True)


def with_psycopg():
    import psycopg

    conn = psycopg.connect(host=HOST, port=PORT, user="trireme", dbname="trireme", autocommit=True, cursor_factory=psycopg.RawCursor)
    for sql, values in cases():
        try:
            with conn.transaction(force_rollback=True):
                report(spell(conn.execute(sql, values).fetchall()))
        except psycopg.Error as e:
            report("!" + (e.sqlstate or "client"))


def with_psycopg2():
    import psycopg2

    conn = psycopg2.connect(host=HOST, port=PORT, user="trireme", dbname="trireme")
    for sql, values in cases():
        text = re.sub(r"\$(\d+)", r"%(p\1)s", sql.replace("%", "%%"))
        cur = conn.cursor()
        try:
            cur.execute(text, {f"p{i + 1}": v for i, v in enumerate(values)})
            report(spell(cur.fetchall()))
        except psycopg2.Error as e:
            report("!" + (e.pgcode or "client"))
        conn.rollback()


def finite(text):
    """A float; one that is too large is infinity to Python."""
    if math.isinf(number := float(text)):
        raise ValueError(text)
    return number


def date(text):
    """A date as asyncpg wants it, of a timestamp as well."""
    return datetime.date.max if text == "infinity" else datetime.datetime.fromisoformat(text).date()


TRUTH = dict.fromkeys(["true", "t", "yes", "y", "on", "1"], True) | dict.fromkeys(["false", "f", "no", "n", "off", "0"], False)

# What asyncpg wants for a type, of a text.
CONVERT = {
    "int2": int, "int4": int, "int8": int, "float4": finite, "float8": finite, "numeric": decimal.Decimal, "text": str, "varchar": str,
    "bool": TRUTH.__getitem__, "date": date,
    "timestamp": datetime.datetime.fromisoformat, "timestamptz": datetime.datetime.fromisoformat, "time": datetime.time.fromisoformat,
    "uuid": uuid.UUID, "bytea": lambda text: bytes.fromhex(text[2:]),
}


async def with_asyncpg():
    import asyncpg

    conn = await asyncpg.connect(host=HOST, port=PORT, user="trireme", database="trireme")
    for sql, values in cases():
        tx = conn.transaction()
        await tx.start()
        try:
            statement = await conn.prepare(sql)
            names = [p.name for p in statement.get_parameters()]
            if any(name not in CONVERT for name in names):
                report("-")
            else:
                report(spell(await statement.fetch(*[CONVERT[n](v) for n, v in zip(names, values)])))
        except (ValueError, KeyError, ArithmeticError, asyncpg.InterfaceError):
            report("!client")
        except asyncpg.PostgresError as e:
            report("!client" if e.sqlstate == "22000" else "!" + e.sqlstate)  # its own error has the class alone
        await tx.rollback()
    await conn.close()


if DRIVER == "asyncpg":
    asyncio.run(with_asyncpg())
else:
    {"psycopg": with_psycopg, "psycopg2": with_psycopg2}[DRIVER]()
