//! sqlx: migrations with their lock, statements that are prepared and described as its
//! macros do, bulk inserts by unnest, nested transactions, COPY. Host, port and schema are
//! the arguments; prints a line of JSON for its version and for each step.

use serde_json::{json, Value};
use sqlx::postgres::{PgConnectOptions, PgConnection, PgPoolCopyExt, PgPoolOptions};
use sqlx::{Acquire, Column, ConnectOptions, Connection, Executor, PgPool, Row, TypeInfo};

static MIGRATIONS: sqlx::migrate::Migrator = sqlx::migrate!();

type Done = Result<(), Box<dyn std::error::Error>>;

#[derive(Debug, PartialEq, sqlx::Type)]
#[sqlx(type_name = "rank", rename_all = "lowercase")]
enum Rank {
    Bireme,
    Trireme,
    Quadrireme,
}

#[derive(Debug, PartialEq, sqlx::FromRow)]
struct Ship {
    name: String,
    oars: i32,
    harbour: Option<i64>,
}

fn equal<T: std::fmt::Debug + PartialEq>(got: T, want: T) -> Done {
    if got == want {
        return Ok(());
    }
    Err(format!("got {got:?}, want {want:?}").into())
}

/// The SQLSTATE of an error of the server's.
fn code(error: sqlx::Error) -> String {
    match error {
        sqlx::Error::Database(e) => e.code().map(|c| c.into_owned()).unwrap_or_default(),
        other => other.to_string(),
    }
}

async fn connect(db: &PgPool) -> Done {
    equal(sqlx::query_scalar::<_, i32>("SELECT 40 + $1").bind(2).fetch_one(db).await?, 42)?;
    let mut one = db.acquire().await?;
    one.ping().await?;
    Ok(())
}

async fn migrate(db: &PgPool, options: &PgConnectOptions) -> Done {
    MIGRATIONS.run(db).await?;
    MIGRATIONS.run(db).await?;
    MIGRATIONS.undo(db, 0).await?;
    // Of two that migrate at once one waits for the other.
    let (mut a, mut b): (PgConnection, PgConnection) = (options.connect().await?, options.connect().await?);
    let (first, second) = tokio::join!(MIGRATIONS.run_direct(&mut a), MIGRATIONS.run_direct(&mut b));
    first?;
    second?;
    let n: i64 = sqlx::query_scalar("SELECT count(*) FROM _sqlx_migrations").fetch_one(db).await?;
    equal(n, 2)?;
    a.close().await?;
    b.close().await?;
    Ok(())
}

async fn write(db: &PgPool) -> Done {
    let zea: i64 = sqlx::query_scalar("INSERT INTO harbours (name, depth) VALUES ($1, $2) RETURNING id")
        .bind("Zea")
        .bind(4.25)
        .fetch_one(db)
        .await?;
    let names: Vec<String> = (0..1000).map(|i| format!("ship {i}")).collect();
    let oars: Vec<Option<i32>> = (0..1000).map(|i| if i % 10 == 0 { None } else { Some(i) }).collect();
    let done = sqlx::query(
        "INSERT INTO ships (name, oars, harbour) SELECT n, coalesce(o, 0), $3 FROM UNNEST($1::text[], $2::int4[]) AS t(n, o)",
    )
    .bind(&names)
    .bind(&oars)
    .bind(zea)
    .execute(db)
    .await?;
    equal(done.rows_affected(), 1000)?;
    sqlx::query("INSERT INTO ships (name, kind) VALUES ($1, $2)").bind("Paralus").bind(Rank::Bireme).execute(db).await?;
    sqlx::query("INSERT INTO ships (name, kind, papers) SELECT * FROM UNNEST($1::text[], $2::rank[], $3::json[])")
        .bind(["Argo"])
        .bind([Rank::Trireme])
        .bind([json!({"crew": [1, 2]})])
        .execute(db)
        .await?;
    let done = sqlx::query("INSERT INTO harbours (name, depth) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET depth = excluded.depth")
        .bind("Zea")
        .bind(5.0)
        .execute(db)
        .await?;
    equal(done.rows_affected(), 1)?;
    equal(sqlx::query("DELETE FROM ships WHERE name = ANY($1)").bind(vec!["ship 7", "ship 8"]).execute(db).await?.rows_affected(), 2)?;
    let mut copy = db.copy_in_raw("COPY harbours (name, depth) FROM STDIN (FORMAT csv)").await?;
    copy.send("Delos,2\nAegina,\n".as_bytes()).await?;
    equal(copy.finish().await?, 2)
}

async fn read(db: &PgPool) -> Done {
    let ships = sqlx::query_as::<_, Ship>("SELECT name, oars, harbour FROM ships WHERE oars > $1 AND name LIKE $2 ORDER BY oars LIMIT $3")
        .bind(990)
        .bind("ship%")
        .bind(2i64)
        .fetch_all(db)
        .await?;
    equal(ships.iter().map(|s| s.oars).collect(), vec![991, 992])?;
    let argo = sqlx::query("SELECT kind, papers FROM ships WHERE name = $1").bind("Argo").fetch_one(db).await?;
    equal(argo.try_get::<Rank, _>(0)?, Rank::Trireme)?;
    equal(argo.try_get::<Value, _>(1)?, json!({"crew": [1, 2]}))?;
    let counts: Vec<(String, i64, Option<i64>)> = sqlx::query_as(
        "SELECT h.name, count(s.id), sum(s.oars)::bigint FROM harbours h LEFT JOIN ships s ON s.harbour = h.id GROUP BY h.id ORDER BY h.name",
    )
    .fetch_all(db)
    .await?;
    equal(counts.iter().map(|c| (c.0.as_str(), c.1)).collect(), vec![("Aegina", 0), ("Delos", 0), ("Zea", 998)])?;
    equal(sqlx::query("SELECT 1 FROM nosuch").fetch_one(db).await.map_err(code).err().unwrap_or_default(), "42P01".into())
}

async fn transactions(db: &PgPool) -> Done {
    let mut outer = db.begin().await?;
    sqlx::query("INSERT INTO harbours (name) VALUES ('outer')").execute(&mut *outer).await?;
    let mut inner = outer.begin().await?;
    let refused = sqlx::query("INSERT INTO harbours (name) VALUES ('Zea')").execute(&mut *inner).await;
    equal(refused.map_err(code).err().unwrap_or_default(), "23505".into())?;
    inner.rollback().await?;
    let mut inner = outer.begin().await?;
    sqlx::query("INSERT INTO harbours (name) VALUES ('inner')").execute(&mut *inner).await?;
    inner.commit().await?;
    outer.commit().await?;
    let dropped = db.begin().await?;
    drop(dropped);
    let names: Vec<String> = sqlx::query_scalar("SELECT name FROM harbours WHERE name IN ('outer', 'inner') ORDER BY 1").fetch_all(db).await?;
    equal(names, vec!["inner".to_string(), "outer".to_string()])
}

/// What query! asks at compile time.
async fn metadata(db: &mut PgConnection, schema: &str) -> Done {
    let text = format!("SELECT id, name, harbour, name || $1 AS more FROM {schema}.ships WHERE oars > $2");
    let d = db.describe(&text).await?;
    let columns: Vec<_> = d.columns().iter().map(|c| (c.name().to_string(), c.type_info().name().to_string())).collect();
    equal(
        columns,
        [("id", "INT8"), ("name", "TEXT"), ("harbour", "INT8"), ("more", "TEXT")].map(|(n, t)| (n.to_string(), t.to_string())).to_vec(),
    )?;
    equal((0..3).map(|i| d.nullable(i)).collect::<Vec<_>>(), vec![Some(false), Some(false), Some(true)])?;
    let text = format!("INSERT INTO {schema}.ships (name, kind, papers) VALUES ($1, $2, $3) RETURNING id");
    let d = db.describe(&text).await?;
    equal(d.parameters().map(|p| p.map_left(|t| t.len()).left().unwrap_or_default()), Some(3))
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Done {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, host, port, schema] = &arguments[..] else { return Err("arguments: host port schema".into()) };
    let locked = include_str!("../Cargo.lock").split("name = \"sqlx\"\nversion = \"").nth(1).and_then(|rest| rest.split('"').next());
    println!("{}", json!({"version": locked}));
    let plain = PgConnectOptions::new().host(host).port(port.parse()?).username("trireme").database("trireme").ssl_mode(sqlx::postgres::PgSslMode::Prefer);
    let mut alone: PgConnection = plain.connect().await?;
    alone.execute(format!("CREATE SCHEMA {schema}").as_str()).await?;
    let options = plain.options([("search_path", schema)]);
    let db = PgPoolOptions::new().max_connections(3).connect_with(options.clone()).await?;
    let report = |step: &str, done: Done| {
        let error = done.err().map(|e| e.to_string()).unwrap_or_default();
        println!("{}", json!({"step": step, "error": error}));
    };
    report("connect", connect(&db).await);
    report("migrate", migrate(&db, &options).await);
    report("write", write(&db).await);
    report("read", read(&db).await);
    report("transactions", transactions(&db).await);
    report("metadata", metadata(&mut alone, schema).await);
    alone.close().await?;
    db.close().await;
    Ok(())
}
