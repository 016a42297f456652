// postgres.js: tagged templates with inferred types, bulk inserts, nested transactions,
// cursors, COPY, what it asks of types.
'use strict';
const assert = require('node:assert');
const { pipeline } = require('node:stream/promises');
const { Readable } = require('node:stream');
const { readFileSync } = require('node:fs');
const path = require('node:path');
const postgres = require('postgres');
const { settings, schema, run } = require('./tool.js');

const notices = [];
const sql = postgres({ ...settings, max: 2, connection: { search_path: schema }, onnotice: (n) => notices.push(n) });

// Its package does not export what tells the version.
const manifest = path.join(path.dirname(require.resolve('postgres')), '..', '..', 'package.json');

run(JSON.parse(readFileSync(manifest)).version, {
  async connect() {
    await sql`CREATE SCHEMA ${sql(schema)}`;
    assert.deepStrictEqual([...await sql`SELECT 40 + ${2}::integer AS n`], [{ n: 42 }]);
  },

  async migrate() {
    await sql`CREATE TABLE harbours (id SERIAL PRIMARY KEY, name TEXT NOT NULL UNIQUE, depth NUMERIC)`;
    await sql.unsafe(`
      CREATE TABLE ships (
        id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, harbour_id INTEGER REFERENCES harbours (id), name TEXT NOT NULL,
        papers JSON, ranks INTEGER[], built TIMESTAMPTZ DEFAULT now());
      CREATE INDEX ON ships (name);
      ALTER TABLE ships ADD COLUMN oars INTEGER NOT NULL DEFAULT 170;
    `);
    await sql`CREATE TABLE IF NOT EXISTS ships (id INTEGER)`;
    assert.strictEqual(notices.at(-1)?.code, '42P07');
  },

  async write() {
    const [zea] = await sql`INSERT INTO harbours ${sql({ name: 'Zea', depth: 4.25 })} RETURNING *`;
    assert.deepStrictEqual([zea.id, Number(zea.depth)], [1, 4.25]);
    const many = Array.from({ length: 200 }, (_, i) => ({ name: `ship ${i}`, harbour_id: i % 2 ? 1 : null, oars: i }));
    assert.strictEqual((await sql`INSERT INTO ships ${sql(many, 'name', 'harbour_id', 'oars')}`).count, 200);
    await sql`INSERT INTO ships (name, papers, ranks) VALUES (${'Argo'}, ${sql.json({ crew: [1] })}, ${[1, 2, 3]})`;
    await sql`UPDATE ships SET ${sql({ oars: 50, name: 'Argo' }, 'oars', 'name')} WHERE name = ${'Argo'}`;
    assert.strictEqual((await sql`DELETE FROM ships WHERE oars IN ${sql([3, 4, 5])}`).count, 3);
    await sql`INSERT INTO harbours ${sql([{ name: 'Zea', depth: 5 }, { name: 'Delos', depth: 2 }])} ON CONFLICT (name) DO UPDATE SET depth = excluded.depth`;
    await assert.rejects(sql`INSERT INTO harbours (name) VALUES ('Zea')`, { code: '23505' });
    await pipeline(Readable.from(['Aegina\t3\n', 'Samos\t\\N\n']), await sql`COPY harbours (name, depth) FROM STDIN`.writable());
  },

  async read() {
    const [argo] = await sql`SELECT name, papers, ranks, oars FROM ships WHERE name = ${'Argo'}`;
    assert.deepStrictEqual(argo, { name: 'Argo', papers: { crew: [1] }, ranks: [1, 2, 3], oars: 50 });
    const groups = await sql`SELECT h.name, count(s.id)::int AS n FROM harbours h LEFT JOIN ships s ON s.harbour_id = h.id GROUP BY h.id ORDER BY h.name`;
    assert.deepStrictEqual([...groups], [{ name: 'Aegina', n: 0 }, { name: 'Delos', n: 0 }, { name: 'Samos', n: 0 }, { name: 'Zea', n: 98 }]);
    const names = ['ship 10', 'ship 11'];
    assert.strictEqual((await sql`SELECT * FROM ships WHERE name = ANY(${names}) ${true ? sql`AND oars > ${10}` : sql``}`).length, 1);
    let seen = 0;
    for await (const part of sql`SELECT id FROM ships ORDER BY id`.cursor(50)) seen += part.length;
    assert.strictEqual(seen, 198);
    const lines = [];
    for await (const chunk of await sql`COPY (SELECT name FROM harbours ORDER BY 1) TO STDOUT`.readable()) lines.push(chunk.toString());
    assert.strictEqual(lines.join(''), 'Aegina\nDelos\nSamos\nZea\n');
  },

  async transactions() {
    await sql.begin(async (outer) => {
      await outer`INSERT INTO ships (name) VALUES ('outer')`;
      await outer.savepoint(async (inner) => {
        await inner`INSERT INTO ships (name) VALUES ('inner')`;
        await inner`INSERT INTO harbours (name) VALUES ('Zea')`;
      }).catch((error) => assert.strictEqual(error.code, '23505'));
      const [{ n }] = await outer`SELECT count(*)::int AS n FROM ships WHERE name IN ('outer', 'inner')`;
      assert.strictEqual(n, 1);
    });
    await assert.rejects(sql.begin(async (t) => { await t`INSERT INTO ships (name) VALUES ('undone')`; throw new Error('back'); }), /back/);
    assert.deepStrictEqual([...await sql`SELECT name FROM ships WHERE name IN ('outer', 'inner', 'undone')`], [{ name: 'outer' }]);
    await sql.begin('isolation level serializable', (t) => [t`SELECT 1`, t`SELECT 2`]);
    const slow = sql`SELECT count(*) FROM range(10000000) a(x), range(10000000) b(y) WHERE x * y % 7 = 3`.execute();
    setTimeout(() => slow.cancel(), 100);
    await assert.rejects(slow, { code: '57014' });
  },

  async metadata() {
    const { columns, types } = await sql`SELECT id, name, papers, ranks FROM ships WHERE oars > ${1}`.describe();
    assert.deepStrictEqual(columns.map((c) => [c.name, c.type]), [['id', 20], ['name', 25], ['papers', 114], ['ranks', 1007]]);
    assert.deepStrictEqual(types, [23]);
    const tables = await sql`SELECT table_name FROM information_schema.tables WHERE table_schema = ${schema} ORDER BY 1`;
    assert.deepStrictEqual(tables.map((t) => t.table_name), ['harbours', 'ships']);
    await sql`DROP TABLE ships, harbours`;
  },
}, () => sql.end());
