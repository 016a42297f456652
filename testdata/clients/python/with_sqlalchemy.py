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
    documents()


def documents():
    """Columns of JSONB and of JSON, with the operators that the dialect has."""
    log = sa.Table("log", meta, sa.Column("id", sa.Integer, primary_key=True, autoincrement=False), sa.Column("doc", postgresql.JSONB), sa.Column("plain", sa.JSON))
    doc = log.c.doc
    with engine.begin() as conn:
        log.create(conn)
        conn.execute(log.insert(), [
            {"id": 1, "doc": {"name": "Argo", "crew": {"size": 50, "tags": ["a", "b"]}}, "plain": {"k": [1, None]}},
            {"id": 2, "doc": {"name": "Kerkuros", "old": True}, "plain": None},
        ])
        equal(conn.execute(sa.select(doc, log.c.plain).where(log.c.id == 1)).one(), ({"name": "Argo", "crew": {"size": 50, "tags": ["a", "b"]}}, {"k": [1, None]}))
        for condition, ids in [
            (doc["name"].astext == "Argo", [1]), (doc["crew", "size"].as_integer() > 10, [1]), (doc[("crew", "tags", 1)].astext == "b", [1]),
            (doc["crew"]["tags"].contains(["a"]), [1]), (doc.contains({"old": True}), [2]), (doc.contained_by({"name": "Kerkuros", "old": True, "x": 1}), [2]),
            (doc.has_key("old"), [2]), (doc.has_any(postgresql.array(["old", "crew"])), [1, 2]), (doc.has_all(postgresql.array(["name", "crew"])), [1]),
            (doc["old"].as_boolean(), [2]), (log.c.plain["k"][0].as_integer() == 1, [1]), (doc["none"].astext.is_(None), [1, 2]),
        ]:
            equal(conn.execute(sa.select(log.c.id).where(condition).order_by(log.c.id)).scalars().all(), ids)
        equal(conn.scalar(sa.select(doc.concat(sa.cast({"n": 1}, postgresql.JSONB)) - "name").where(log.c.id == 2)), {"old": True, "n": 1})
        equal(conn.scalar(sa.select(doc.delete_path(postgresql.array(["crew", "size"]))["crew"]).where(log.c.id == 1)), {"tags": ["a", "b"]})
        conn.execute(log.update().where(log.c.id == 2).values(doc=sa.func.jsonb_set(doc, "{name}", '"Lembos"')))
        equal(conn.scalar(sa.select(doc["name"].astext).where(log.c.id == 2)), "Lembos")
        equal(conn.scalar(sa.select(sa.func.jsonb_agg(postgresql.aggregate_order_by(log.c.id, log.c.id.desc())))), [2, 1])
    columns = {c["name"]: type(c["type"]) for c in sa.inspect(engine).get_columns("log", schema=SCHEMA)}
    equal(columns, {"id": sa.INTEGER, "doc": postgresql.JSONB, "plain": postgresql.JSON})
    with engine.begin() as conn:
        log.drop(conn)
    meta.remove(log)


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
    """Blocks in a transaction: one ends, one is left, one fails."""
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
        conn.execute(item.delete().where(item.c.id == 7))
        block.rollback()
        try:
            with conn.begin_nested():
                conn.execute(item.insert().values(id=9, kind="keel"))
                conn.execute(item.insert().values(id=7, kind="keel"))
        except sa.exc.IntegrityError as err:
            equal(err.orig.sqlstate, psycopg.errors.UniqueViolation.sqlstate)
        equal(conn.scalars(sa.select(item.c.id).order_by(item.c.id)).all(), [1, 2, 3, 7])
        conn.rollback()
        equal(conn.scalar(count), 3)


def fleet():
    """Tables for reflection, with what DuckDB has of Postgres's types and constraints."""
    tables = sa.MetaData(schema=SCHEMA)
    sa.Table(
        "harbour", tables,
        sa.Column("id", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("name", sa.String, nullable=False, unique=True),
        sa.Column("depth", sa.Numeric(6, 2), server_default=sa.text("4.5")),
        sa.CheckConstraint("depth > 0"),
        comment="where ships lie",
    )
    sa.Table(
        "ship", tables,
        sa.Column("id", sa.BigInteger, sa.Sequence("ticket", start=7, metadata=tables), primary_key=True,
                  server_default=sa.text(f"nextval('{SCHEMA}.ticket')")),
        sa.Column("name", sa.String, nullable=False, server_default="Argo", comment="as painted on it"),
        sa.Column("home", sa.Integer, sa.ForeignKey(f"{SCHEMA}.harbour.id")),
        sa.Column("crew", sa.SmallInteger, index=True),
        sa.Column("draught", sa.REAL),
        sa.Column("tonnes", sa.Double),
        sa.Column("active", sa.Boolean, server_default=sa.true()),
        sa.Column("launched", sa.Date),
        sa.Column("bell", sa.Time),
        sa.Column("seen", sa.DateTime),
        sa.Column("weighed", sa.DateTime(timezone=True)),
        sa.Column("papers", sa.LargeBinary),
        sa.Column("number", postgresql.UUID),
        sa.Column("rooms", postgresql.ARRAY(sa.Integer)),
    )
    sa.Table(
        "berth", tables,
        sa.Column("harbour", sa.Integer, sa.ForeignKey(f"{SCHEMA}.harbour.id"), primary_key=True, autoincrement=False),
        sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("length", sa.Numeric(5, 1)),
        sa.UniqueConstraint("number", "length"),
    )
    return tables


def spelled(column):
    """The column as Postgres's dialect writes it, but for lengths, which DuckDB does not keep."""
    written = str(column.type.compile(engine.dialect)).replace("VARCHAR", "TEXT").replace("FLOAT", "DOUBLE PRECISION")
    return (column.name, written, column.nullable, column.primary_key, column.comment)


def constraints(table):
    """What the table's keys, checks and indexes say, without the names that DuckDB gives."""
    found = [("index", index.unique, tuple(index.columns.keys())) for index in table.indexes]
    for c in table.constraints:
        columns = tuple(c.columns.keys())
        if isinstance(c, sa.ForeignKeyConstraint):
            found.append(("foreign", columns, tuple(e.target_fullname for e in c.elements)))
        elif isinstance(c, sa.CheckConstraint):
            found.append(("check", str(c.sqltext)))
        else:
            found.append((c.__visit_name__, columns))
    return sorted(found, key=str)


def metadata():
    made = fleet()
    with engine.begin() as conn:
        made.create_all(conn)
        conn.execute(sa.text(f"CREATE VIEW {SCHEMA}.fleet AS SELECT id, name FROM {SCHEMA}.ship"))
        # DuckDB stores no generated columns, and SQLAlchemy asks for nothing else.
        conn.execute(sa.text(f"CREATE TABLE {SCHEMA}.pair (one INTEGER, two INTEGER GENERATED ALWAYS AS (one * 2))"))
    found = sa.MetaData(schema=SCHEMA)
    found.reflect(engine, only=["harbour", "ship", "berth"])
    equal(sorted(found.tables), sorted(made.tables))
    for name, table in made.tables.items():
        equal([spelled(c) for c in found.tables[name].columns], [spelled(c) for c in table.columns])
        equal(constraints(found.tables[name]), constraints(table))
        equal(found.tables[name].comment, table.comment)
    defaults = {c.name: c.server_default.arg.text for c in found.tables[f"{SCHEMA}.ship"].columns
                if isinstance(c.server_default, sa.DefaultClause)}
    equal(defaults, {"id": f"nextval('{SCHEMA}.ticket'::regclass)", "name": "'Argo'", "active": "true"})
    pair = sa.Table("pair", found, autoload_with=engine)
    equal((pair.c.one.computed, pair.c.two.computed.sqltext.text), (None, "(one * 2)"))

    # One table brings those that it refers to.
    ship = sa.Table("ship", sa.MetaData(), schema=SCHEMA, autoload_with=engine)
    equal(sorted(ship.metadata.tables), [f"{SCHEMA}.harbour", f"{SCHEMA}.ship"])
    equal(ship.c.home.references(ship.metadata.tables[f"{SCHEMA}.harbour"].c.id), True)
    inspect(sa.inspect(engine))
    with engine.begin() as conn:
        key = conn.execute(ship.insert().values(home=None).returning(ship.c.id)).scalar_one()
        equal((key, conn.scalar(sa.select(ship.c.name))), (7, "Argo"))


def inspect(inspector):
    """What reflection of tables does not ask for."""
    equal(inspector.get_view_names(schema=SCHEMA), ["fleet"])
    equal([(c["name"], str(c["type"])) for c in inspector.get_columns("fleet", schema=SCHEMA)], [("id", "BIGINT"), ("name", "TEXT")])
    equal("FROM" in inspector.get_view_definition("fleet", schema=SCHEMA), True)
    equal(inspector.get_sequence_names(schema=SCHEMA), ["ticket"])
    equal((inspector.get_enums(schema=SCHEMA), inspector.get_domains(schema=SCHEMA)), ([], []))
    equal([inspector.has_table(name, schema=SCHEMA) for name in ["ship", "fleet", "trireme"]], [True, True, False])
    equal(inspector.has_index("ship", f"ix_{SCHEMA}_ship_crew", schema=SCHEMA), True)
    equal(inspector.get_pk_constraint("berth", schema=SCHEMA)["constrained_columns"], ["harbour", "number"])
    equal(inspector.get_sorted_table_and_fkc_names(schema=SCHEMA)[-1], (None, []))
    try:
        inspector.get_columns("trireme", schema=SCHEMA)
    except sa.exc.NoSuchTableError:
        return
    raise AssertionError("a table that does not exist has columns")


run("SQLAlchemy", sa.__version__, {
    "connect": connect, "create": create, "load": load, "tensors": tensors, "prepared": prepared,
    "stream": stream, "cancel": cancel, "errors": errors, "metadata": metadata,
})
