// The steps by node-postgres: host, port and schema are the arguments; prints a
// line of JSON for the version and one for each step, with the error if it failed.
'use strict';
const assert = require('node:assert');
const { Readable } = require('node:stream');
const { pipeline } = require('node:stream/promises');

const { Client } = require('pg');
const QueryStream = require('pg-query-stream');
const copyStreams = require('pg-copy-streams');

const [host, port, schema] = process.argv.slice(2);
const settings = { host, port: Number(port), user: 'trireme', database: 'trireme' };
const endless = 'SELECT count(*) FROM range(10000000) a(x), range(10000000) b(y) WHERE x * y % 7 = 3';
let client;

const rows = async (text, values) => (await client.query({ text, values, rowMode: 'array' })).rows;
const fails = (code, text, values) => assert.rejects(client.query(text, values), { code });

const steps = {
  async connect() {
    client = new Client({ ...settings, application_name: 'node test' });
    await client.connect();
    assert.deepStrictEqual(await rows('SELECT 40 + 2'), [[42]]);
    assert.deepStrictEqual(await rows('SHOW application_name'), [['node test']]);
  },

  async create() {
    await client.query(`CREATE SCHEMA ${schema};
      CREATE TABLE ${schema}.item (id INTEGER PRIMARY KEY, kind VARCHAR NOT NULL, price INTEGER);
      CREATE TABLE ${schema}.sale (shop VARCHAR, item INTEGER, qty INTEGER);
      CREATE TABLE ${schema}.copied (n INTEGER, word VARCHAR)`);
  },

  async load() {
    await client.query('BEGIN');
    for (const item of [[1, 'oar', 4], [2, 'sail', 90], [3, 'ram', 700]]) {
      await client.query(`INSERT INTO ${schema}.item VALUES ($1, $2, $3)`, item);
    }
    for (let i = 0; i < 300; i++) {
      const sale = [i % 11 ? `shop ${i % 7}` : null, i % 4, i % 5 ? i : null];
      const { rowCount } = await client.query({ name: 'sale', text: `INSERT INTO ${schema}.sale VALUES ($1, $2, $3)`, values: sale });
      assert.strictEqual(rowCount, 1);
    }
    await client.query('COMMIT');
    assert.deepStrictEqual(await rows(`SELECT count(*), count(shop), count(qty) FROM ${schema}.sale`), [['300', '272', '240']]);
  },

  async tensors() {
    const join = `SELECT s.shop, sum(s.qty * i.price) AS total FROM ${schema}.sale s
      JOIN ${schema}.item i ON s.item = i.id GROUP BY s.shop ORDER BY s.shop`;
    const answers = [];
    for (const backend of ['native', 'duckdb']) {
      await client.query(`SET trireme.backend = '${backend}'`);
      answers.push(await rows(join));
      assert.deepStrictEqual(await rows('SHOW trireme.last_backend'), [[backend]]);
    }
    await client.query('RESET trireme.backend');
    assert.strictEqual(answers[0].length, 8);
    assert.deepStrictEqual(answers[0], answers[1]);
  },

  async prepared() {
    const values = [
      ['BOOLEAN', true], ['SMALLINT', -32768], ['INTEGER', 2147483647], ['BIGINT', '-9223372036854775808'], ['DOUBLE', 0.1],
      ['DECIMAL(9,2)', '-12345.67'], ['VARCHAR', 'it\'s é \\ "quoted"'], ['BLOB', Buffer.from([0, 39, 92, 255])],
      ['TIMESTAMPTZ', new Date(Date.UTC(2024, 2, 31, 1, 2, 3, 4))], ['TIMESTAMP', new Date(1999, 11, 31, 23, 59, 59, 123)],
      ['DATE', new Date(2000, 1, 29)], ['UUID', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'], ['INTEGER[]', [1, null, 3]],
      ['INTEGER', null],
    ];
    for (const [type, value] of values) {
      const text = `SELECT $1::${type} AS v, $1::${type} IS NULL AS n`;
      for (const name of [undefined, `of ${type}`, `of ${type}`]) {
        const found = await client.query({ name, text, values: [value] });
        assert.deepStrictEqual({ ...found.rows[0] }, { v: value, n: value === null });
      }
    }
    for (const [id, kind] of [[1, 'oar'], [3, 'ram']]) {
      const found = await client.query({ name: 'by id', text: `SELECT kind FROM ${schema}.item WHERE id = $1`, values: [id] });
      assert.deepStrictEqual(found.rows.map((r) => r.kind), [kind]);
    }
    assert.deepStrictEqual(await rows(`SELECT count(*) FROM ${schema}.item WHERE id = ANY($1)`, [[1, 3]]), [['2']]);
  },

  async copy() {
    const text = '1\tone\n2\t\\N\n3\ta\\tb\\\\c\n4\té\n5\t\n';
    await pipeline(Readable.from([text.slice(0, 9), text.slice(9)]), client.query(copyStreams.from(`COPY ${schema}.copied FROM STDIN`)));
    const out = [];
    for await (const part of client.query(copyStreams.to(`COPY (SELECT n, word FROM ${schema}.copied ORDER BY n) TO STDOUT`))) {
      out.push(part);
    }
    assert.strictEqual(Buffer.concat(out).toString(), text);
  },

  async stream() {
    const before = process.memoryUsage().heapUsed;
    let n = 0;
    let most = 0;
    const reader = new QueryStream("SELECT i::INTEGER AS i, 'row ' || i AS name FROM range(1000000) r(i)", [], { batchSize: 10000, highWaterMark: 10000 });
    for await (const row of client.query(reader)) {
      if (row.i !== n || row.name !== `row ${n}`) assert.fail(`row ${n} is ${JSON.stringify(row)}`);
      n++;
      if (n % 10000 === 0) most = Math.max(most, process.memoryUsage().heapUsed);
    }
    assert.strictEqual(n, 1000000);
    assert.ok(most - before < 64 << 20, `streaming took ${most - before} bytes`);
  },

  async cancel() {
    const other = new Client(settings);
    await other.connect();
    const pid = (await rows('SELECT pg_backend_pid()'))[0][0];
    const stopped = fails('57014', endless);
    const timer = setTimeout(() => other.query('SELECT pg_cancel_backend($1)', [pid]), 300);
    await stopped;
    clearTimeout(timer);
    await other.end();
    await client.query("SET statement_timeout = '200ms'");
    await fails('57014', endless);
    await client.query('RESET statement_timeout');
    assert.deepStrictEqual(await rows('SELECT 1'), [[1]]);
  },

  async errors() {
    await fails('42601', 'SELEC 1');
    await fails('42P01', 'SELECT * FROM absent');
    await fails('23505', `INSERT INTO ${schema}.item VALUES ($1, $2, 1)`, [1, 'oar']);
    await assert.rejects(client.query(`INSERT INTO ${schema}.item VALUES (1, 'oar', 1)`), { schema, table: 'item', constraint: 'item_pkey', detail: 'Key (id)=(1) already exists.' });
    await client.query('BEGIN');
    await client.query(`INSERT INTO ${schema}.item VALUES (7, 'keel', 1)`);
    await fails('23505', `INSERT INTO ${schema}.item VALUES (1, 'oar', 1)`);
    await fails('25P02', 'SELECT 1');
    await client.query('ROLLBACK');
    assert.deepStrictEqual(await rows(`SELECT count(*) FROM ${schema}.item`), [['3']]);
    await client.query('BEGIN');
    await client.query(`INSERT INTO ${schema}.item VALUES ($1, $2, 1)`, [7, 'keel']);
    await client.query('SAVEPOINT inner_block');
    await client.query(`UPDATE ${schema}.item SET price = $1`, [0]);
    await fails('23505', `INSERT INTO ${schema}.item VALUES ($1, $2, 1)`, [7, 'keel']);
    await client.query('ROLLBACK TO SAVEPOINT inner_block');
    assert.deepStrictEqual(await rows(`SELECT sum(price) FROM ${schema}.item`), [['795']]);
    await client.query('COMMIT');
    assert.deepStrictEqual(await rows(`DELETE FROM ${schema}.item WHERE id > 3 RETURNING id`), [[7]]);
  },

  async metadata() {
    const found = await client.query(`SELECT id, kind, 1::DECIMAL(9,2) AS d FROM ${schema}.item`);
    assert.deepStrictEqual(found.fields.map((f) => [f.name, f.dataTypeID]), [['id', 23], ['kind', 25], ['d', 1700]]);
    const columns = await rows(`SELECT column_name FROM information_schema.columns
      WHERE table_schema = $1 AND table_name = 'item' ORDER BY ordinal_position`, [schema]);
    assert.deepStrictEqual(columns, [['id'], ['kind'], ['price']]);
  },
};

async function main() {
  console.log(JSON.stringify({ client: 'node-postgres', version: require('pg/package.json').version }));
  for (const [step, run] of Object.entries(steps)) {
    try {
      await run();
      console.log(JSON.stringify({ step }));
    } catch (err) {
      console.log(JSON.stringify({ step, error: err.stack }));
    }
  }
  await client.end();
}

main();
