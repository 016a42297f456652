// Runs the statements of testdata/parameters/matrix.tsv with their parameters as texts,
// whose types are left to the server: host, port and file are the arguments. Prints a
// line of JSON for each: what came out, or the SQLSTATE after !.
'use strict';
const fs = require('node:fs');

const { Client } = require('pg');

const [host, port, file] = process.argv.slice(2);

async function main() {
  const client = new Client({ host, port: Number(port), user: 'trireme', database: 'trireme' });
  await client.connect();
  for (const line of fs.readFileSync(file, 'utf8').split('\n')) {
    const [text, values, want] = line.split('\t');
    if (want === undefined) continue;
    await client.query('BEGIN');
    let got;
    try {
      const { rows } = await client.query({ text, values: values.split(' | '), rowMode: 'array' });
      got = rows.map((row) => row.map((cell) => (cell === null ? 'NULL' : String(cell))).join('|')).join(' / ');
    } catch (e) {
      got = `!${e.code}`;
    }
    await client.query('ROLLBACK');
    console.log(JSON.stringify({ got }));
  }
  await client.end();
}

main();
