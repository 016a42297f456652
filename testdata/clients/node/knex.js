// Knex: migrations with a lock, the query builder, nested transactions, what it asks of a
// table.
'use strict';
const assert = require('node:assert');
const makeKnex = require('knex');
const { settings, schema, run } = require('./tool.js');

const plain = makeKnex({ client: 'pg', connection: settings, pool: { min: 0, max: 1 } });
const db = makeKnex({ client: 'pg', connection: settings, searchPath: [schema, 'public'], pool: { min: 0, max: 3 } });

const migrations = {
  harbours: {
    async up(knex) {
      await knex.schema.createTable('harbours', (t) => {
        t.increments('id');
        t.string('name', 40).notNullable().unique();
        t.decimal('depth');
        t.timestamps(true, true);
      });
    },
    down: (knex) => knex.schema.dropTable('harbours'),
  },
  ships: {
    async up(knex) {
      await knex.schema.createTable('ships', (t) => {
        t.bigIncrements('id');
        t.integer('harbour_id').references('id').inTable('harbours');
        t.string('name').notNullable().index();
        t.jsonb('papers');
        t.boolean('active').defaultTo(true);
      });
      await knex.schema.alterTable('ships', (t) => {
        t.integer('oars').notNullable().defaultTo(170);
        t.unique(['name', 'harbour_id']);
      });
    },
    down: (knex) => knex.schema.dropTable('ships'),
  },
};
const source = { getMigrations: async () => Object.keys(migrations), getMigrationName: (m) => m, getMigration: async (m) => migrations[m] };

run(require('knex/package.json').version, {
  async connect() {
    await plain.schema.createSchemaIfNotExists(schema);
    await plain.destroy();
    const { rows } = await db.raw('SELECT 40 + ?::integer AS n', [2]);
    assert.deepStrictEqual(rows, [{ n: 42 }]);
  },

  async migrate() {
    assert.deepStrictEqual((await db.migrate.latest({ migrationSource: source }))[1], ['harbours', 'ships']);
    assert.deepStrictEqual((await db.migrate.latest({ migrationSource: source }))[1], []);
    await db.migrate.rollback({ migrationSource: source });
    await db.migrate.latest({ migrationSource: source });
  },

  async write() {
    const [zea] = await db('harbours').insert({ name: 'Zea', depth: 4.25 }).returning(['id', 'depth']);
    assert.strictEqual(Number(zea.depth), 4.25);
    await db('ships').insert([{ name: 'Argo', harbour_id: zea.id, papers: { crew: [1] } }, { name: 'Salaminia', oars: 180 }, { name: 'gone' }]);
    assert.strictEqual(await db('ships').where('name', 'gone').del(), 1);
    assert.strictEqual(await db('ships').where({ name: 'Argo' }).update({ oars: 50 }), 1);
    await db('harbours').insert({ name: 'Zea', depth: 5 }).onConflict('name').merge(['depth']);
    await db.batchInsert('ships', Array.from({ length: 40 }, (_, i) => ({ name: `ship ${i}`, harbour_id: zea.id })), 15);
  },

  async read() {
    const list = await db('ships as s').join('harbours as h', 'h.id', 's.harbour_id').where('s.oars', '<', 100).select('s.name', 'h.name as harbour');
    assert.deepStrictEqual(list, [{ name: 'Argo', harbour: 'Zea' }]);
    const [sum] = await db('ships').whereNotNull('harbour_id').groupBy('harbour_id').sum('oars as oars').count('* as n');
    assert.deepStrictEqual([Number(sum.oars), Number(sum.n)], [50 + 40 * 170, 41]);
    assert.strictEqual((await db('ships').whereILike('name', 'SHIP%').orderBy('id').limit(1).first()).name, 'ship 0');
  },

  async transactions() {
    await db.transaction(async (outer) => {
      await outer('ships').insert({ name: 'outer' });
      await outer.transaction(async (inner) => {
        await inner('ships').insert({ name: 'inner' });
        throw new Error('back');
      }).catch((error) => assert.match(error.message, /back/));
      await outer('ships').where('name', 'outer').forUpdate().first();
    });
    assert.deepStrictEqual(await db('ships').whereIn('name', ['outer', 'inner']).pluck('name'), ['outer']);
  },

  async metadata() {
    assert.ok(await db.schema.hasTable('ships'));
    assert.ok(await db.schema.hasColumn('ships', 'oars'));
    const columns = await db('ships').columnInfo();
    assert.deepStrictEqual([columns.oars.type, columns.oars.nullable, columns.name.maxLength], ['integer', false, 255]);
    await db.schema.alterTable('ships', (t) => { t.renameColumn('oars', 'rowers'); t.dropColumn('papers'); t.dropUnique(['name', 'harbour_id']); });
    await db.schema.renameTable('ships', 'triremes');
    await db('triremes').truncate();
    await db.schema.dropTableIfExists('triremes');
  },
}, () => db.destroy());
