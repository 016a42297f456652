"""ibis with its backend for Postgres."""

import ibis

from steps import CREATE, HOST, ITEMS, PORT, SALES, SCHEMA, equal, joined, run

con = None


def connect():
    global con
    con = ibis.postgres.connect(host=HOST, port=PORT, user="trireme", database="trireme")
    for sql in CREATE:
        con.raw_sql(sql).close()
    equal(con.sql("SELECT 40 + 2 AS n").to_pyarrow().to_pylist(), [{"n": 42}])
    equal("item" in con.list_tables(database=SCHEMA), True)


def load():
    con.insert("item", ibis.memtable([dict(zip(["id", "kind", "price"], r)) for r in ITEMS]), database=SCHEMA)
    con.insert("sale", ibis.memtable([dict(zip(["shop", "item", "qty"], r)) for r in SALES],
                                     schema={"shop": "string", "item": "int32", "qty": "int32"}), database=SCHEMA)
    equal(con.table("item", database=SCHEMA).count().execute(), 3)


def query():
    item, sale = con.table("item", database=SCHEMA), con.table("sale", database=SCHEMA)
    equal(item.schema().names, ("id", "kind", "price"))
    expr = sale.join(item, sale.item == item.id).group_by("shop").agg(total=(sale.qty * item.price).sum()).order_by("shop")
    equal([tuple(r.values()) for r in expr.to_pyarrow().to_pylist()], joined())
    equal(item.filter(item.kind.startswith("s") | (item.price > 500)).order_by("id").kind.execute().tolist(), ["sail", "ram"])
    windowed = item.mutate(r=ibis.row_number().over(order_by=ibis.desc("price"))).order_by("id")
    equal(windowed.execute().r.tolist(), [2, 1, 0])


def tables():
    con.create_table("kept", con.table("item", database=SCHEMA).filter(ibis._.price > 5), database=SCHEMA)
    con.create_view("seen", con.table("kept", database=SCHEMA), database=SCHEMA)
    equal(con.table("seen", database=SCHEMA).count().execute(), 2)
    con.drop_view("seen", database=SCHEMA)
    con.drop_table("kept", database=SCHEMA)


run("ibis", ibis.__version__, {"connect": connect, "load": load, "query": query, "tables": tables})
