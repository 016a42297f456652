# Rails' Active Record: migrations with their lock, objects, insert_all and upsert_all,
# nested transactions, and the dump of the schema. It gets the server's host and port and
# the schema that it may use, and prints a line of JSON for its version and for each step.
require 'json'
require 'logger'
require 'stringio'
require 'active_record'

HOST, PORT, SCHEMA = ARGV
$stdout.sync = true
ActiveRecord::Migration.verbose = false

def connect(path = SCHEMA)
  ActiveRecord::Base.establish_connection(
    adapter: 'postgresql', host: HOST, port: PORT.to_i, username: 'trireme', database: 'trireme',
    schema_search_path: path, advisory_locks: true, pool: 3
  )
  ActiveRecord::Base.connection
end

def equal(got, want)
  raise "got #{got.inspect}, want #{want.inspect}" unless got == want
end

def refuses(error)
  yield
rescue error
  nil
else
  raise "no #{error}"
end

class CreateFleet < ActiveRecord::Migration[6.1]
  def change
    create_table :harbours do |t|
      t.string :name, null: false, limit: 40
      t.decimal :depth, precision: 8, scale: 2
      t.timestamps
    end
    add_index :harbours, :name, unique: true
    create_table :ships do |t|
      t.references :harbour, foreign_key: true
      t.string :name, null: false
      t.text :notes
      t.boolean :active, default: true
      t.jsonb :papers
      t.date :built
      t.float :speed
      t.binary :seal
      t.timestamps
    end
  end
end

class AddOars < ActiveRecord::Migration[6.1]
  def change
    add_column :ships, :oars, :integer, null: false, default: 170
    add_index :ships, %i[name harbour_id]
    rename_column :ships, :notes, :remarks
    change_column_default :ships, :speed, from: nil, to: 9.5
    change_column_null :harbours, :depth, true
  end
end

class Harbour < ActiveRecord::Base
  has_many :ships
  validates :name, uniqueness: true
end

class Ship < ActiveRecord::Base
  belongs_to :harbour, optional: true
end

# Migrations are given as objects: there are no files.
class Migrations < ActiveRecord::MigrationContext
  def initialize
    super([], ActiveRecord::SchemaMigration)
  end

  def migrations
    [CreateFleet.new('CreateFleet', 1), AddOars.new('AddOars', 2)]
  end
end

STEPS = {
  connect: lambda {
    connect('public').execute("CREATE SCHEMA #{SCHEMA}")
    ActiveRecord::Base.remove_connection
    equal(connect.select_value('SELECT 40 + 2'), 42)
    equal(ActiveRecord::Base.connection.database_version >= 90_300, true)
  },
  migrate: lambda {
    context = Migrations.new
    context.migrate
    equal(context.current_version, 2)
    context.migrate
    context.rollback(2)
    equal(ActiveRecord::Base.connection.table_exists?(:ships), false)
    context.up
    equal(context.needs_migration?, false)
    # Another that migrates has the lock.
    other = PG.connect(host: HOST, port: PORT, user: 'trireme', dbname: 'trireme')
    lock = ActiveRecord::Migrator.new(:up, context.migrations, ActiveRecord::SchemaMigration).send(:generate_migrator_advisory_lock_id)
    equal(other.exec_params('SELECT pg_try_advisory_lock($1)', [lock]).getvalue(0, 0), 't')
    refuses(ActiveRecord::ConcurrentMigrationError) { context.migrate }
    other.close
    context.migrate
  },
  write: lambda {
    now = Time.now.utc.round
    zea = Harbour.create!(name: 'Zea', depth: 4.25)
    equal(zea.reload.depth, BigDecimal('4.25'))
    Harbour.upsert_all([{ name: 'Zea', depth: 5, created_at: now, updated_at: now }, { name: 'Delos', depth: 2, created_at: now, updated_at: now }], unique_by: :name)
    equal(Harbour.order(:name).pluck(:name, :depth), [['Delos', 2], ['Zea', 5]])
    equal(Harbour.insert_all([{ name: 'Zea', created_at: now, updated_at: now }]).length, 0)
    argo = zea.ships.create!(name: 'Argo', papers: { 'crew' => [1, 2] }, built: Date.new(2024, 2, 29), seal: "\x00\xff\\'".b, speed: 7.5)
    equal(argo.reload.papers, { 'crew' => [1, 2] })
    equal([argo.built, argo.seal, argo.active, argo.oars], [Date.new(2024, 2, 29), "\x00\xff\\'".b, true, 170])
    argo.update!(oars: 50, remarks: "it's é")
    equal(Ship.insert_all([{ name: 'Paralus', created_at: now, updated_at: now }, { name: 'gone', created_at: now, updated_at: now }]).length, 2)
    equal(Ship.where(name: 'gone').delete_all, 1)
    Ship.find_by(name: 'Paralus').destroy!
    refuses(ActiveRecord::RecordNotUnique) { Harbour.new(name: 'Zea').save!(validate: false) }
    refuses(ActiveRecord::NotNullViolation) { Ship.create! }
    refuses(ActiveRecord::RecordInvalid) { Harbour.create!(name: 'Zea') }
    refuses(ActiveRecord::InvalidForeignKey) { Ship.create!(name: 'lost', harbour_id: 99) }
  },
  read: lambda {
    equal(Ship.joins(:harbour).where('oars < ?', 100).pluck('ships.name', 'harbours.name'), [%w[Argo Zea]])
    equal(Harbour.left_joins(:ships).group(:id).order(:name).pluck(:name, Arel.sql('count(ships.id)')), [['Delos', 0], ['Zea', 1]])
    equal(Harbour.includes(:ships).order(:id).map { |h| h.ships.map(&:name) }, [['Argo'], []])
    equal(Ship.group(:harbour_id).sum(:oars).values, [50])
    equal(Ship.where("papers ->> 'crew' is not null").where(active: true).count, 1)
    equal(Ship.where(name: %w[Argo Paralus]).exists?, true)
    equal(Ship.find_each(batch_size: 1).to_a.size, 1)
    equal(Ship.average(:oars), 50)
    equal(Harbour.where('created_at > ?', 1.hour.ago).limit(1).offset(1).order(:id).size, 1)
    equal(Harbour.lock.find_by!(name: 'Zea').name, 'Zea')
    equal(Harbour.where(id: Ship.select(:harbour_id)).explain.include?('EXPLAIN'), true)
  },
  transactions: lambda {
    Ship.transaction do
      Ship.create!(name: 'outer')
      Ship.transaction(requires_new: true) do
        Ship.create!(name: 'inner')
        raise ActiveRecord::Rollback
      end
      begin
        Harbour.transaction(requires_new: true) { Harbour.insert({ name: 'Zea', id: 1, created_at: Time.now, updated_at: Time.now }); Harbour.new(name: 'Zea').save!(validate: false) }
      rescue ActiveRecord::RecordNotUnique
        Ship.create!(name: 'after')
      end
    end
    equal(Ship.where(name: %w[outer inner after]).order(:name).pluck(:name), %w[after outer])
    refuses(RuntimeError) { Ship.transaction { Ship.create!(name: 'undone'); raise 'back' } }
    equal(Ship.where(name: 'undone').exists?, false)
    Ship.connection.reset_pk_sequence!('ships')
    equal(Ship.create!(name: 'next').id, Ship.maximum(:id))
    Ship.connection.disable_referential_integrity { Ship.where(name: 'next').delete_all }
  },
  metadata: lambda {
    db = ActiveRecord::Base.connection
    equal(db.tables.sort, %w[ar_internal_metadata harbours schema_migrations ships])
    equal(db.columns(:ships).map { |c| [c.name, c.sql_type] }.first(4),
          [%w[id bigint], %w[harbour_id bigint], ['name', 'character varying'], %w[remarks text]])
    equal(db.primary_key(:ships), 'id')
    equal(db.indexes(:ships).map(&:columns).sort, [%w[harbour_id], %w[name harbour_id]])
    equal(db.foreign_keys(:ships).map { |k| [k.to_table, k.column] }, [%w[harbours harbour_id]])
    out = StringIO.new
    ActiveRecord::SchemaDumper.dump(db, out)
    dump = out.string
    ['create_table "harbours"', 't.string "name", limit: 40, null: false', 't.decimal "depth", precision: 8, scale: 2', 't.jsonb "papers"',
     't.integer "oars", default: 170, null: false', 't.index ["name"], name: "index_harbours_on_name", unique: true',
     'add_foreign_key "ships", "harbours"'].each { |line| raise "the dump has no #{line}:\n#{dump}" unless dump.include?(line) }
    db.drop_table(:ships)
    db.drop_table(:harbours)
    # What was dumped makes the same tables.
    eval(dump.gsub(/^ *enable_extension.*$/, ''))
    again = StringIO.new
    ActiveRecord::SchemaDumper.dump(db, again)
    equal(again.string, dump)
    db.truncate_tables('ships', 'harbours')
  }
}.freeze

puts JSON.generate(version: ActiveRecord.gem_version.to_s)
STEPS.each do |name, step|
  begin
    step.call
    puts JSON.generate(step: name)
  rescue StandardError => e
    puts JSON.generate(step: name, error: "#{e.class}: #{e.message}\n#{e.backtrace.first(12).join("\n")}")
  end
end
