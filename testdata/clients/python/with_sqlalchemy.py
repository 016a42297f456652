"""The steps by SQLAlchemy's Core, on psycopg 3 with the dialect for Postgres."""

import threading

import psycopg.errors
import sqlalchemy as sa
from sqlalchemy.dialects import postgresql

from steps import (ENDLESS, HOST, ITEMS, PORT, SALES, SCHEMA, STREAMED, VALUES, equal, joined, run, streams)

engine = sa.create_engine(f"postgresql+psycopg://trireme@{HOST}:{PORT}/trireme")
meta = sa.MetaData(schema=SCHEMA)
item = sa.Table(
    "item", meta,
    sa.Column("id", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("kind", sa.String, nullable=False),
    sa.Column("price", sa.Integer),
)
sale = sa.Table(
    "sale", meta,
    sa.Column("shop", sa.String), sa.Column("item", sa.Integer), sa.Column("qty", sa.Integer),
)


def connect():
    with engine.connect() as conn:
        equal(conn.scalar(sa.select(sa.literal(40) + 2)), 42)


def create():
    with engine.begin() as conn:
        conn.execute(sa.schema.CreateSchema(SCHEMA))
        meta.create_all(conn)
    inspector = sa.inspect(engine)
    equal(SCHEMA in inspector.get_schema_names(), True)
    equal(sorted(inspector.get_table_names(schema=SCHEMA)), ["item", "sale"])


def load():
    with engine.begin() as conn:
        conn.execute(item.insert(), [dict(zip(["id", "kind", "price"], row)) for row in ITEMS])
        conn.execute(sale.insert(), [dict(zip(["shop", "item", "qty"], row)) for row in SALES])
    with engine.connect() as conn:
        equal([tuple(row) for row in conn.execute(sa.select(item).order_by(item.c.id))], ITEMS)


def tensors():
    join = (
        sa.select(sale.c.shop, sa.func.sum(sale.c.qty * item.c.price).label("total"))
        .join_from(sale, item, sale.c.item == item.c.id)
        .group_by(sale.c.shop).order_by(sale.c.shop)
    )
    answers = []
    with engine.connect() as conn:
        for backend in ["native", "duckdb"]:
            conn.execute(sa.text(f"SET trireme.backend = '{backend}'"))
            answers.append([tuple(row) for row in conn.execute(join)])
            equal(conn.scalar(sa.text("SHOW trireme.last_backend")), backend)
        conn.execute(sa.text("RESET trireme.backend"))
    equal(answers[0], joined())
    equal(answers[1], answers[0])


def prepared():
    types = {
        "BOOLEAN": sa.Boolean, "SMALLINT": sa.SmallInteger, "INTEGER": sa.Integer, "BIGINT": sa.BigInteger, "DOUBLE": sa.Double,
        "DECIMAL(9,2)": sa.Numeric(9, 2), "VARCHAR": sa.String, "BLOB": sa.LargeBinary, "DATE": sa.Date, "TIMESTAMP": sa.DateTime,
        "TIMESTAMPTZ": sa.DateTime(timezone=True), "UUID": postgresql.UUID(as_uuid=True),
    }
    with engine.connect() as conn:
        for value, sql_type in VALUES:
            for _ in range(2):
                equal(conn.scalar(sa.select(sa.cast(sa.bindparam("v", value, types[sql_type]), types[sql_type]))), value)
        found = conn.execute(sa.select(item.c.kind).where(item.c.id.in_([1, 3])).order_by(item.c.id).limit(5))
        equal(found.scalars().all(), ["oar", "ram"])


def stream():
    with engine.connect() as conn:
        conn = conn.execution_options(yield_per=10_000)
        streams(conn.execute(sa.text(f"SELECT i, 'row ' || i AS name FROM range({STREAMED}) r(i)")))


def code(conn, statement):
    try:
        conn.execute(statement)
    except sa.exc.DBAPIError as err:
        return err.orig.sqlstate
    return None


def cancel():
    with engine.connect() as conn:
        timer = threading.Timer(0.3, conn.connection.driver_connection.cancel_safe)
        timer.start()
        equal(code(conn, sa.text(ENDLESS)), "57014")
        timer.join()
        conn.rollback()
        equal(conn.scalar(sa.text("SELECT 1")), 1)


def errors():
    with engine.connect() as conn:
        equal(code(conn, sa.text("SELEC 1")), "42601")
        conn.rollback()
        conn.execute(item.insert().values(id=7, kind="keel"))
        equal(code(conn, item.insert().values(id=1, kind="oar")), psycopg.errors.UniqueViolation.sqlstate)
        equal(code(conn, sa.text("SELECT 1")), "25P02")
        conn.rollback()
        equal(conn.scalar(sa.select(sa.func.count()).select_from(item)), 3)
    nested()


def nested():
    """A block in a transaction may end, and be left while there is nothing to undo."""
    with engine.connect() as conn:
        count = sa.select(sa.func.count()).select_from(item)
        with conn.begin_nested():
            conn.execute(item.insert().values(id=7, kind="keel"))
        block = conn.begin_nested()
        equal(conn.scalar(count), 4)
        block.rollback()
        equal(conn.scalar(count), 4)
        block = conn.begin_nested()
        conn.execute(item.insert().values(id=8, kind="keel"))
        try:
            block.rollback()
        except sa.exc.DBAPIError as err:
            equal(err.orig.sqlstate, "0A000")
        conn.rollback()
        equal(conn.scalar(count), 3)


run("SQLAlchemy", sa.__version__, {
    "connect": connect, "create": create, "load": load, "tensors": tensors, "prepared": prepared,
    "stream": stream, "cancel": cancel, "errors": errors,
})
