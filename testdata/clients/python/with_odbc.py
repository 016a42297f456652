"""The steps by psqlODBC, through pyodbc: what ODBC's catalog functions list, statements with
parameters, and transactions. The expected rows are those of PostgreSQL 15."""

import datetime
import decimal

import pyodbc
from steps import HOST, PORT, SCHEMA, equal, run

DRIVER = "psqlodbcw.so"


def connect(autocommit=True):
    where = f"DRIVER={DRIVER};SERVER={HOST};PORT={PORT};UID=trireme;DATABASE=trireme;"
    return pyodbc.connect(where, autocommit=autocommit)


def cursor():
    return connect().cursor()


def rows(of):
    return [tuple(r) for r in of.fetchall()]


def make():
    c = cursor()
    c.execute(f"CREATE SCHEMA {SCHEMA}")
    c.execute(f"CREATE TABLE {SCHEMA}.port (id INTEGER PRIMARY KEY, name VARCHAR(20))")
    c.execute(
        f"CREATE TABLE {SCHEMA}.ship (id INTEGER NOT NULL, home INTEGER, name TEXT DEFAULT 'x', tonnes NUMERIC(8,2), "
        f"launched TIMESTAMP, sails BOOLEAN, PRIMARY KEY (id), CONSTRAINT of_port FOREIGN KEY (home) REFERENCES {SCHEMA}.port (id))"
    )
    c.execute(f"CREATE UNIQUE INDEX ship_place ON {SCHEMA}.ship (home, name)")


def catalog():
    c = cursor()
    c.tables(schema=SCHEMA)
    equal(rows(c), [("trireme", SCHEMA, n, "TABLE", "") for n in ("port", "ship")])
    c.columns(schema=SCHEMA, table="ship")
    listed = [(r[3], r[4], r[5], r[6], r[8], r[10], r[12]) for r in rows(c)]
    equal(
        listed,
        [
            ("id", 4, "int4", 10, 0, 0, None),
            ("home", 4, "int4", 10, 0, 1, None),
            ("name", -10, "text", 8190, None, 1, "'x'"),
            ("tonnes", 2, "numeric", 8, 2, 1, None),
            ("launched", 93, "timestamp", 26, 6, 1, None),
            ("sails", 12, "bool", 5, 0, 1, None),
        ],
    )
    c.primaryKeys(schema=SCHEMA, table="ship")
    equal(rows(c), [("trireme", SCHEMA, "ship", "id", 1, "ship_pkey")])
    key = ("trireme", SCHEMA, "port", "id", "trireme", SCHEMA, "ship", "home", 1, 3, 3, "of_port", "port_pkey", 7)
    c.foreignKeys(foreignSchema=SCHEMA, foreignTable="ship")
    equal(rows(c), [key])
    c.foreignKeys(schema=SCHEMA, table="port")
    equal(rows(c), [key])
    c.statistics("ship", schema=SCHEMA)
    equal(
        [r[3:9] for r in rows(c)],
        [
            (0, SCHEMA, "ship_pkey", 3, 1, "id"),
            (0, SCHEMA, "ship_place", 3, 1, "home"),
            (0, SCHEMA, "ship_place", 3, 2, "name"),
        ],
    )
    c.getTypeInfo()
    types = {r[0]: r[1] for r in rows(c)}
    equal((types["int4"], types["numeric"], types["text"], types["bytea"]), (4, 2, -10, -3))


def write():
    c = cursor()
    c.execute(f"INSERT INTO {SCHEMA}.port VALUES (?, ?)", 1, "Aalborg")
    equal(c.rowcount, 1)
    c.executemany(f"INSERT INTO {SCHEMA}.port VALUES (?, ?)", [(i, f"port {i}") for i in range(2, 20)])
    when = datetime.datetime(2024, 1, 2, 3, 4, 5, 600000)
    c.execute(f"INSERT INTO {SCHEMA}.ship VALUES (?, ?, ?, ?, ?, ?)", 1, 1, "é'\\", decimal.Decimal("2.50"), when, True)
    try:
        c.execute(f"INSERT INTO {SCHEMA}.port VALUES (1, NULL)")
        raise AssertionError("a key twice")
    except pyodbc.Error as e:
        equal(e.args[0], "23505")


def read():
    c = cursor()
    c.execute(
        f"SELECT * FROM {SCHEMA}.ship WHERE tonnes > ? AND launched < ?", decimal.Decimal("1.5"), datetime.datetime(2025, 1, 1)
    )
    when = datetime.datetime(2024, 1, 2, 3, 4, 5, 600000)
    equal(rows(c), [(1, 1, "é'\\", decimal.Decimal("2.50"), when, "1")])
    c.execute(f"SELECT p.name, sum(s.tonnes * ?) FROM {SCHEMA}.ship s JOIN {SCHEMA}.port p ON s.home = p.id GROUP BY p.name", 3)
    equal(rows(c), [("Aalborg", decimal.Decimal("7.50"))])


def transactions():
    c = connect(autocommit=False)
    cur = c.cursor()
    ask = f"SELECT tonnes FROM {SCHEMA}.ship"
    cur.execute(f"UPDATE {SCHEMA}.ship SET tonnes = tonnes * ?", decimal.Decimal("1.1"))
    equal(cur.execute(ask).fetchone()[0], decimal.Decimal("2.75"))
    c.rollback()
    equal(cur.execute(ask).fetchone()[0], decimal.Decimal("2.50"))
    cur.execute(f"UPDATE {SCHEMA}.ship SET tonnes = 9")
    c.commit()
    equal(cursor().execute(ask).fetchone()[0], decimal.Decimal("9.00"))


def version():
    return connect().getinfo(pyodbc.SQL_DRIVER_VER)


run("psqlODBC", version(), {"connect": make, "catalog": catalog, "write": write, "read": read, "transactions": transactions})
