// Sequelize: models with associations, synchronised twice, with dates, JSON and nested
// transactions.
'use strict';
const assert = require('node:assert');
const { Sequelize, DataTypes, Op } = require('sequelize');
const { settings, schema, run } = require('./tool.js');

const db = new Sequelize({ ...settings, username: settings.user, dialect: 'postgres', logging: false, schema, define: { schema }, pool: { max: 2 } });
const launched = new Date('2020-01-02T03:04:05.678Z');
let Port, Ship;

run(require('sequelize/package.json').version, {
  async connect() {
    await db.authenticate();
    assert.deepStrictEqual((await db.query('SELECT 40 + 2 AS n', { type: 'SELECT' })), [{ n: 42 }]);
  },

  async migrate() {
    await db.createSchema(schema);
    Port = db.define('Port', { name: { type: DataTypes.STRING(40), allowNull: false, unique: true }, rate: DataTypes.DECIMAL });
    Ship = db.define('Ship', {
      name: { type: DataTypes.STRING, allowNull: false }, oars: { type: DataTypes.INTEGER, defaultValue: 170 }, launched: DataTypes.DATE,
      papers: DataTypes.JSONB, active: { type: DataTypes.BOOLEAN, defaultValue: true },
    }, { indexes: [{ fields: ['name'] }, { unique: true, fields: ['name', 'launched'] }] });
    Port.hasMany(Ship, { onDelete: 'NO ACTION', onUpdate: 'NO ACTION' });
    Ship.belongsTo(Port, { onDelete: 'NO ACTION', onUpdate: 'NO ACTION' });
    await db.sync();
    await db.sync();
    await db.sync({ alter: { drop: false } });
  },

  async write() {
    const zea = await Port.create({ name: 'Zea', rate: '0.123456' });
    assert.strictEqual(zea.id, 1);
    await Ship.bulkCreate([
      { name: 'Argo', launched, papers: { crew: [1, 2] }, PortId: zea.id },
      { name: 'Salaminia', oars: 180, PortId: zea.id },
      { name: 'Paralos', active: false },
    ]);
    await Ship.update({ oars: 50 }, { where: { name: 'Argo' } });
    const [ship, made] = await Ship.findOrCreate({ where: { name: 'Argo' }, defaults: { oars: 1 } });
    assert.deepStrictEqual([ship.oars, made], [50, false]);
    await Ship.upsert({ id: ship.id, name: 'Argo', oars: 51, launched, PortId: zea.id });
    assert.strictEqual(await Ship.destroy({ where: { name: 'Paralos' } }), 1);
  },

  async read() {
    const argo = await Ship.findOne({ where: { launched }, include: Port });
    assert.deepStrictEqual([argo.name, argo.oars, argo.launched.toISOString(), argo.Port.name, argo.Port.rate], ['Argo', 51, launched.toISOString(), 'Zea', '0.123456']);
    const found = await Ship.findAndCountAll({ where: { name: { [Op.iRegexp]: '^s' } }, order: [['id', 'DESC']], limit: 5, offset: 0 });
    assert.deepStrictEqual([found.count, found.rows[0].name], [1, 'Salaminia']);
    assert.deepStrictEqual(await Ship.findAll({ where: { launched: { [Op.lt]: new Date('2020-01-02T03:04:05.679Z') } }, attributes: ['name'], raw: true }), [{ name: 'Argo' }]);
    const byPort = await Ship.findAll({ attributes: ['PortId', [db.fn('sum', db.col('oars')), 'oars']], group: ['PortId'], raw: true });
    assert.deepStrictEqual(byPort.map((r) => [r.PortId, Number(r.oars)]), [[1, 231]]);
  },

  async transactions() {
    await assert.rejects(db.transaction(async (t) => {
      await Ship.create({ name: 'lost' }, { transaction: t });
      throw new Error('back');
    }), /back/);
    await db.transaction(async (t) => {
      await Ship.create({ name: 'outer' }, { transaction: t });
      await assert.rejects(db.transaction({ transaction: t }, async (inner) => {
        await Ship.create({ name: 'inner' }, { transaction: inner });
        throw new Error('back');
      }), /back/);
      const locked = await Ship.findOne({ where: { name: 'outer' }, lock: t.LOCK.UPDATE, transaction: t });
      assert.strictEqual(locked.name, 'outer');
    });
    assert.deepStrictEqual((await Ship.findAll({ order: ['id'] })).map((s) => s.name), ['Argo', 'Salaminia', 'outer']);
  },

  async metadata() {
    const q = db.getQueryInterface();
    const columns = await q.describeTable({ tableName: 'Ships', schema });
    assert.deepStrictEqual([columns.id.primaryKey, columns.name.allowNull, columns.launched.type], [true, false, 'TIMESTAMP WITH TIME ZONE']);
    const indexes = (await q.showIndex({ tableName: 'Ships', schema })).map((i) => [i.name, i.unique, i.fields.map((f) => f.attribute)]);
    assert.ok(indexes.some(([name, unique, fields]) => name === 'ships_name_launched' && unique && fields.join() === 'name,launched'), JSON.stringify(indexes));
    await q.addColumn({ tableName: 'Ships', schema }, 'note', { type: DataTypes.TEXT, allowNull: false, defaultValue: '-' });
    await q.renameColumn({ tableName: 'Ships', schema }, 'note', 'remark');
    await q.changeColumn({ tableName: 'Ships', schema }, 'remark', { type: DataTypes.STRING(20) });
    await q.removeColumn({ tableName: 'Ships', schema }, 'remark');
  },
}, () => db.close());
