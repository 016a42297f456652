"""The project in ../dbt by dbt-postgres: what it makes, again after its seeds have changed."""

import importlib.metadata
import os
import pathlib
import shutil
import tempfile

import psycopg2
from dbt.cli.main import dbtRunner

from steps import HOST, PORT, SCHEMA, equal, run

os.environ.update(FLEET_HOST=HOST, FLEET_PORT=str(PORT), FLEET_SCHEMA=SCHEMA, DBT_ENGINE_SEND_ANONYMOUS_USAGE_STATS="false")
folder = tempfile.TemporaryDirectory()
project = pathlib.Path(folder.name, "project")
shutil.copytree(pathlib.Path(__file__).parent.parent / "dbt", project)
runner = dbtRunner()


def dbt(*command):
    """Runs a command, which must succeed in all its nodes, and returns their results."""
    done = runner.invoke([*command, "--quiet", "--project-dir", str(project), "--profiles-dir", str(project)])
    if done.exception:
        raise done.exception
    failed = [f"{r.node.name}: {r.message}" for r in getattr(done.result, "results", []) if r.status not in ("success", "pass")]
    equal(failed, [])
    equal(done.success, True)
    return done.result


def rows(sql):
    conn = psycopg2.connect(host=HOST, port=PORT, user="trireme", dbname="trireme")
    try:
        with conn.cursor() as cur:
            cur.execute(sql.replace("@", SCHEMA))
            return cur.fetchall()
    finally:
        conn.close()


def indexed(table):
    return sorted(rows(f"SELECT a.attname FROM pg_index i JOIN pg_attribute a ON a.attrelid = i.indexrelid WHERE i.indrelid = '@.{table}'::regclass"))


def seed():
    dbt("debug")
    dbt("seed")
    dbt("seed", "--full-refresh")
    equal(rows("SELECT count(*), sum(cargo) FROM @.calls"), [(5, 54)])


TOTALS = [(1, "Piraeus", 3, 47), (2, "Delos", 1, 7), (3, "Aegina", 1, None)]


def models():
    for _ in range(2):  # the second time there is something to replace
        dbt("run", "--exclude", "config.materialized:incremental")
        equal(rows("SELECT port_id, port, calls, cargo FROM @.port_totals ORDER BY 1"), TOTALS)
        equal(rows("SELECT * FROM @.busy_ports"), [(1, "Piraeus", 9.5)])
        equal(indexed("port_totals"), [("cargo",), ("port",), ("port_id",)])
    equal(rows("SELECT obj_description('@.port_totals'::regclass), col_description('@.port_totals'::regclass, 1)"), [("what has been landed", "key")])


def incremental():
    only = ["--select", "config.materialized:incremental"]
    dbt("run", *only)
    seed_calls("6,2,Argo,2024-03-05,1\n7,1,Salaminia,2024-03-05,8\n8,1,Argo,2024-03-06,2\n")
    for _ in range(2):
        dbt("run", *only)
        equal(rows("SELECT ship, day::VARCHAR, cargo, ports FROM @.ship_days WHERE day >= '2024-03-04' ORDER BY day, ship"),
              [("Argo", "2024-03-04", 5, 1), ("Argo", "2024-03-05", 1, 1), ("Salaminia", "2024-03-05", 8, 2), ("Argo", "2024-03-06", 2, 1)])
        equal(rows("SELECT count(*), count(DISTINCT id) FROM @.ship_log"), [(8, 8)])
        equal(rows("SELECT ship, cargo FROM @.ship_cargo ORDER BY ship"), [("Argo", 27), ("Paralos", 30), ("Salaminia", 8)])
        equal(indexed("ship_days"), [("day",)])
    dbt("run", "--select", "ship_days", "--vars", "{wide: true}")
    equal(rows("SELECT first_port FROM @.ship_days WHERE day >= '2024-03-05' ORDER BY day, ship"), [(None,), (None,), ("Piraeus",)])
    dbt("run", *only, "--full-refresh")
    equal(rows("SELECT count(*) FROM @.ship_days"), [(7,)])


def seed_calls(lines):
    """Adds lines to the seed, and loads it again."""
    with open(project / "seeds" / "calls.csv", "a", encoding="ascii") as calls:
        calls.write(lines)
    dbt("seed", "--select", "calls")


def snapshot():
    dbt("snapshot")
    ports = project / "seeds" / "ports.csv"
    ports.write_text(ports.read_text().replace("2,Delos,4.25", "2,Delos,3.5").replace("3,Aegina,6\n", ""))
    dbt("seed", "--select", "ports")
    for _ in range(2):
        dbt("snapshot")
        equal(rows("SELECT id, depth, dbt_valid_to IS NULL FROM @.ports_history ORDER BY id, dbt_valid_from"),
              [(1, 9.5, True), (2, 4.25, False), (2, 3.5, True), (3, 6, False)])


def test():
    ports = project / "seeds" / "ports.csv"
    ports.write_text(ports.read_text() + "3,Aegina,6\n")
    dbt("seed", "--select", "ports")
    equal(len(dbt("test").results), 7)


def docs():
    catalog = dbt("docs", "generate")
    totals = catalog.nodes["model.fleet.port_totals"]
    equal([(c.name, c.type) for c in totals.columns.values()],
          [("port_id", "integer"), ("port", "text"), ("calls", "bigint"), ("cargo", "numeric(38,0)"), ("last_day", "date")])
    equal((totals.metadata.type, totals.metadata.comment), ("BASE TABLE", "what has been landed"))


def build():
    dbt("build")


run("dbt", importlib.metadata.version("dbt-postgres"), {
    "seed": seed, "models": models, "incremental": incremental, "snapshot": snapshot, "test": test, "docs": docs, "build": build,
})
