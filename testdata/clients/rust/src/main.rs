//! Runs the statements of testdata/parameters/matrix.tsv with their parameters as texts,
//! whose types are left to the server: host, port and file are the arguments. Prints a
//! line of JSON for each: what came out, or the SQLSTATE after !.

use std::error::Error;

use bytes::BytesMut;
use tokio_postgres::types::{Format, FromSql, IsNull, ToSql, Type};
use tokio_postgres::{Client, NoTls};

/// A value of any type in its text form.
#[derive(Debug)]
struct Text(String);

impl ToSql for Text {
    fn to_sql(&self, _: &Type, out: &mut BytesMut) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        out.extend_from_slice(self.0.as_bytes());
        Ok(IsNull::No)
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    fn encode_format(&self, _: &Type) -> Format {
        Format::Text
    }

    tokio_postgres::types::to_sql_checked!();
}

/// The bytes of a result's cell: texts alone are asked for.
struct Cell(String);

impl<'a> FromSql<'a> for Cell {
    fn from_sql(_: &Type, raw: &'a [u8]) -> Result<Self, Box<dyn Error + Sync + Send>> {
        Ok(Cell(String::from_utf8_lossy(raw).into_owned()))
    }

    fn accepts(_: &Type) -> bool {
        true
    }
}

async fn run(client: &Client, sql: &str, values: &[Text]) -> Result<String, tokio_postgres::Error> {
    let statement = client.prepare(sql).await?;
    let params: Vec<&(dyn ToSql + Sync)> = values.iter().map(|v| v as &(dyn ToSql + Sync)).collect();
    let rows = client.query(&statement, &params).await?;
    let spelled: Vec<String> = rows
        .iter()
        .map(|row| {
            let cells: Vec<String> = (0..row.len())
                .map(|i| row.get::<_, Option<Cell>>(i).map_or("NULL".into(), |c| c.0))
                .collect();
            cells.join("|")
        })
        .collect();
    Ok(spelled.join(" / "))
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().collect();
    let settings = format!("host={} port={} user=trireme dbname=trireme", args[1], args[2]);
    let (client, connection) = tokio_postgres::connect(&settings, NoTls).await?;
    tokio::spawn(connection);
    for line in std::fs::read_to_string(&args[3])?.lines() {
        let fields: Vec<&str> = line.split('\t').collect();
        if fields.len() < 3 {
            continue;
        }
        let values: Vec<Text> = fields[1].split(" | ").map(|v| Text(v.into())).collect();
        client.batch_execute("BEGIN").await?;
        let got = match run(&client, fields[0], &values).await {
            Ok(text) => text,
            Err(e) => match e.code() {
                Some(code) => format!("!{}", code.code()),
                None => "!client".into(),
            },
        };
        client.batch_execute("ROLLBACK").await?;
        println!("{{\"got\": \"{}\"}}", got.replace('\\', "\\\\").replace('"', "\\\""));
    }
    Ok(())
}
