// TypeORM: entities synchronised twice, repositories, the query builder, nested
// transactions, migrations made from what the database has.
'use strict';
require('reflect-metadata');
const assert = require('node:assert');
const fs = require('node:fs');
const path = require('node:path');
const { DataSource, EntitySchema, ILike } = require('typeorm');
const { settings, schema, run } = require('./tool.js');

const Port = new EntitySchema({
  name: 'Port', tableName: 'port', columns: {
    id: { type: Number, primary: true, generated: true },
    name: { type: 'varchar', length: 40, unique: true },
    rate: { type: 'numeric', nullable: true },
  },
  relations: { ships: { type: 'one-to-many', target: 'Ship', inverseSide: 'port' } },
});
const Ship = new EntitySchema({
  name: 'Ship', tableName: 'ship', columns: {
    id: { type: Number, primary: true, generated: true },
    name: { type: String }, oars: { type: Number, default: 170 }, launched: { type: 'timestamptz', nullable: true }, papers: { type: 'jsonb', nullable: true },
  },
  relations: { port: { type: 'many-to-one', target: 'Port', inverseSide: 'ships', joinColumn: true, nullable: true } },
  indices: [{ name: 'ship_name', columns: ['name'] }],
});
const launched = new Date('2020-01-02T03:04:05.678Z');
const db = new DataSource({ ...settings, username: settings.user, type: 'postgres', schema, entities: [Port, Ship], installExtensions: false });

const { version } = JSON.parse(fs.readFileSync(path.join(path.dirname(require.resolve('typeorm')), 'package.json')));

run(version, {
  async connect() {
    await db.initialize();
    assert.deepStrictEqual(await db.query('SELECT 40 + 2 AS n'), [{ n: 42 }]);
    await db.query(`CREATE SCHEMA ${schema}`);
  },

  async migrate() {
    await db.synchronize();
    await db.synchronize();
    const { upQueries } = await db.driver.createSchemaBuilder().log();
    assert.deepStrictEqual(upQueries.map((q) => q.query), []);
  },

  async write() {
    const ports = db.getRepository('Port'), ships = db.getRepository('Ship');
    const zea = await ports.save({ name: 'Zea', rate: '0.123456' });
    await ships.save([{ name: 'Argo', launched, papers: { crew: [1] }, port: zea }, { name: 'Salaminia', oars: 180 }, { name: 'gone' }]);
    await ships.delete({ name: 'gone' });
    await ships.update({ name: 'Argo' }, { oars: 50 });
    await ports.insert({ name: 'Munichia' });
    await ports.upsert({ name: 'Munichia', rate: '0.5' }, ['name']);
  },

  async read() {
    const ships = db.getRepository('Ship');
    const argo = await ships.findOne({ where: { name: ILike('ARGO') }, relations: { port: true } });
    assert.deepStrictEqual([argo.oars, argo.launched.toISOString(), argo.papers, argo.port.name, argo.port.rate], [50, launched.toISOString(), { crew: [1] }, 'Zea', '0.123456']);
    const [list, count] = await ships.findAndCount({ order: { id: 'DESC' }, take: 1 });
    assert.deepStrictEqual([list[0].name, count], ['Salaminia', 2]);
    const raw = await ships.createQueryBuilder('s').innerJoin('s.port', 'p').select('p.name', 'port').addSelect('sum(s.oars)', 'oars').groupBy('p.name').getRawMany();
    assert.deepStrictEqual(raw.map((r) => [r.port, Number(r.oars)]), [['Zea', 50]]);
  },

  async transactions() {
    await db.transaction(async (outer) => {
      await outer.save('Ship', { name: 'outer' });
      await assert.rejects(outer.transaction(async (inner) => {
        await inner.save('Ship', { name: 'inner' });
        throw new Error('back');
      }), /back/);
      const locked = await outer.createQueryBuilder('Ship', 's').setLock('pessimistic_write').where('s.name = :name', { name: 'outer' }).getOne();
      assert.strictEqual(locked.name, 'outer');
    });
    assert.strictEqual(await db.getRepository('Ship').countBy({ name: 'inner' }), 0);
    assert.strictEqual(await db.getRepository('Ship').countBy({ name: 'outer' }), 1);
  },

  async metadata() {
    const runner = db.createQueryRunner();
    const table = await runner.getTable(`${schema}.ship`);
    const column = (name) => table.columns.find((c) => c.name === name);
    assert.deepStrictEqual([column('id').isPrimary, column('id').isGenerated, column('oars').default, column('name').isNullable], [true, true, "'170'", false]);
    assert.deepStrictEqual(table.indices.map((i) => [i.name, i.columnNames, i.isUnique]), [['ship_name', ['name'], false]]);
    assert.deepStrictEqual(table.foreignKeys.map((f) => [f.columnNames, f.referencedTableName.split('.').pop()]), [[['portId'], 'port']]);
    await runner.release();
  },
}, () => db.destroy());
