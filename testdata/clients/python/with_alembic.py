"""Alembic on SQLAlchemy: migrations up and down, and what it finds to change after them: nothing."""

import alembic
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata, produce_migrations, render_python_code
from alembic.migration import MigrationContext
from alembic.operations import Operations

from steps import HOST, PORT, SCHEMA, equal, run

url = f"postgresql+psycopg://trireme@{HOST}:{PORT}/trireme"
with sa.create_engine(url).begin() as first:
    first.execute(sa.schema.CreateSchema(SCHEMA))
engine = sa.create_engine(url, connect_args={"options": f"-c search_path={SCHEMA}"})


def wanted(more=False):
    """The tables as the models have them, later with more. A text has no length, which DuckDB does not keep."""
    meta = sa.MetaData()
    sa.Table("harbour", meta, sa.Column("id", sa.Integer, primary_key=True), sa.Column("name", sa.Text(), nullable=False),
             *([sa.Column("depth", sa.Numeric(6, 2)), sa.UniqueConstraint("name", name="harbour_name_once")] if more else []))
    sa.Table("ship", meta, sa.Column("id", sa.BigInteger, primary_key=True), sa.Column("name", sa.Text()),
             sa.Column("home", sa.Integer, sa.ForeignKey("harbour.id")), sa.Column("crew", sa.Integer if more else sa.SmallInteger, index=True),
             *([] if more else [sa.Column("old", sa.Date)]))
    return meta


def context(conn):
    return MigrationContext.configure(conn, opts={"compare_type": True, "compare_server_default": False})


def upgrade(meta):
    """Lets Alembic find what to do, writes it as Python and runs that."""
    with engine.begin() as conn:
        migrations = context(conn)
        code = render_python_code(produce_migrations(migrations, meta).upgrade_ops)
        with Operations.context(migrations) as op:
            exec("if True:\n    " + code, {"op": op, "sa": sa})  # noqa: S102
    with engine.connect() as conn:
        equal(compare_metadata(context(conn), meta), [])
    return code


def create():
    code = upgrade(wanted())
    equal(code.count("op.create_table("), 2)


def autogenerate():
    equal(upgrade(wanted()).count("op."), 0)
    with engine.begin() as conn:
        conn.execute(sa.text("INSERT INTO harbour (name) VALUES ('Piraeus'), ('Delos')"))
        conn.execute(sa.text("INSERT INTO ship (name, home, crew) VALUES ('Argo', 1, 50), ('Paralos', 2, NULL)"))


def upgrades():
    code = upgrade(wanted(more=True))
    for change in ["add_column('harbour'", "create_unique_constraint('harbour_name_once'", "alter_column('ship', 'crew'", "drop_column('ship', 'old')"]:
        equal(change in code, True)
    equal(upgrade(wanted(more=True)).count("op."), 0)
    with engine.connect() as conn:
        equal([tuple(r) for r in conn.execute(sa.text("SELECT * FROM ship ORDER BY id"))], [(1, "Argo", 1, 50), (2, "Paralos", 2, None)])


def operations():
    with engine.begin() as conn:
        op = Operations(context(conn))
        op.add_column("ship", sa.Column("flag", sa.String(10), server_default="none", nullable=False))
        op.alter_column("ship", "flag", new_column_name="ensign")
        op.create_check_constraint("crew_positive", "ship", "crew >= 0")
        op.create_index("ship_ensign", "ship", ["ensign", "crew"])
        op.drop_constraint("harbour_name_once", "harbour")
        op.rename_table("harbour", "port")
        op.drop_index("ship_ensign", "ship")
        op.execute("UPDATE ship SET ensign = 'owl'")
    with engine.connect() as conn:
        found = sa.inspect(conn)
        equal(found.get_unique_constraints("port"), [])
        equal([k["referred_table"] for k in found.get_foreign_keys("ship")], ["port"])
        equal([c["sqltext"] for c in found.get_check_constraints("ship")], ["crew >= 0"])
        equal(conn.scalar(sa.text("SELECT count(*) FROM ship JOIN port ON home = port.id WHERE ensign = 'owl'")), 2)


def downgrade():
    with engine.begin() as conn:
        op = Operations(context(conn))
        op.rename_table("port", "harbour")
        op.drop_column("ship", "ensign")
        op.drop_table("ship")
        op.drop_table("harbour")
    with engine.connect() as conn:
        equal(sa.inspect(conn).get_table_names(), [])


run("Alembic", alembic.__version__, {
    "create": create, "autogenerate": autogenerate, "upgrade": upgrades, "operations": operations, "downgrade": downgrade,
})
