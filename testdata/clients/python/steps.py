"""What the programs of this folder share: the statements, and the report.

A program gets the server's host and port and the schema that it may use, and
prints a line of JSON for its name and version and one for each step, with the
error if it failed.
"""

import datetime
import decimal
import json
import sys
import traceback
import uuid

HOST, PORT, SCHEMA = sys.argv[1], int(sys.argv[2]), sys.argv[3]

CREATE = [
    f"CREATE SCHEMA {SCHEMA}",
    f"CREATE TABLE {SCHEMA}.item (id INTEGER PRIMARY KEY, kind VARCHAR NOT NULL, price INTEGER)",
    f"CREATE TABLE {SCHEMA}.sale (shop VARCHAR, item INTEGER, qty INTEGER)",
    f"CREATE TABLE {SCHEMA}.copied (n INTEGER, word VARCHAR)",
]
ITEMS = [(1, "oar", 4), (2, "sail", 90), (3, "ram", 700)]
SALES = [(f"shop {i % 7}" if i % 11 else None, i % 4, i if i % 5 else None) for i in range(300)]
WORDS = [(i, None if i % 9 == 0 else f"word\t{i}\n\\é,\"") for i in range(1000)]
JOIN = (
    f"SELECT s.shop, sum(s.qty * i.price) AS total FROM {SCHEMA}.sale s "
    f"JOIN {SCHEMA}.item i ON s.item = i.id GROUP BY s.shop ORDER BY s.shop"
)
STREAMED = 1_000_000
LARGE = f"SELECT i, 'row ' || i AS name FROM range({STREAMED}) r(i)"
ENDLESS = "SELECT count(*) FROM range(10000000) a(x), range(10000000) b(y) WHERE x * y % 7 = 3"

# A value of each common type and what to cast the parameter to.
VALUES = [
    (True, "BOOLEAN"),
    (-32768, "SMALLINT"),
    (2147483647, "INTEGER"),
    (-9223372036854775808, "BIGINT"),
    (0.1, "DOUBLE"),
    (decimal.Decimal("-12345.67"), "DECIMAL(9,2)"),
    ("it's é \\ \"quoted\"", "VARCHAR"),
    (b"\x00'\\\xff", "BLOB"),
    (datetime.date(2000, 2, 29), "DATE"),
    (datetime.datetime(1999, 12, 31, 23, 59, 59, 123456), "TIMESTAMP"),
    (datetime.datetime(2024, 3, 31, 1, 2, 3, 4, datetime.timezone.utc), "TIMESTAMPTZ"),
    (uuid.UUID("a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"), "UUID"),
    (None, "INTEGER"),
]


def joined():
    """What JOIN answers, calculated here."""
    price = {i: p for i, _, p in ITEMS}
    totals = {}
    for shop, item, qty in SALES:
        if item in price:
            totals.setdefault(shop, [])
            if qty is not None:
                totals[shop].append(qty * price[item])
    rows = [(shop, sum(t) if t else None) for shop, t in totals.items()]
    return sorted(rows, key=lambda r: (r[0] is None, r[0] or ""))


def equal(got, want):
    if got != want:
        raise AssertionError(f"got {got!r}, want {want!r}")


def peak_kb():
    """The most memory that this process has had, in kB."""
    with open("/proc/self/status", encoding="ascii") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))


def streams(rows):
    """Reads the rows of LARGE, and requires that they were not held."""
    before, n = peak_kb(), 0
    for i, name in rows:
        if i != n or name != f"row {n}":
            raise AssertionError(f"row {n} is {i!r}, {name!r}")
        n += 1
    equal(n, STREAMED)
    if peak_kb() - before > 32 << 10:
        raise AssertionError(f"streaming took {peak_kb() - before} kB")


def run(client, version, steps):
    print(json.dumps({"client": client, "version": version}), flush=True)
    for name, step in steps.items():
        line = {"step": name}
        try:
            step()
        except Exception:
            line["error"] = traceback.format_exc(limit=-3, chain=False)
        print(json.dumps(line), flush=True)
