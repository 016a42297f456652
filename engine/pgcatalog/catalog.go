package pgcatalog

import (
	"embed"
	"regexp"
	"slices"
	"strings"
)

// Database is the name under which the catalog's database is attached: its views read
// DuckDB's catalog as the session sees it.
const Database = "trireme_pg"

// KeptDatabase is that of a copy whose relations are tables, filled once per version
// of DuckDB's catalog: for sessions that see what all others see.
const KeptDatabase = "trireme_pg_kept"

// TemporarySchema is the schema of a session's temporary objects.
const TemporarySchema = "pg_temp_1"

// OIDs of the user's objects are FirstOID and up to OIDs-1 more.
const (
	FirstOID = 16384
	OIDs     = 1<<31 - FirstOID
)

// DatabaseList is both names as SQL.
const DatabaseList = "'" + Database + "', '" + KeptDatabase + "'"

// IsDatabase reports whether a database is one of both.
func IsDatabase(name string) bool {
	return strings.EqualFold(name, Database) || strings.EqualFold(name, KeptDatabase)
}

//go:embed sql/*.sql
var files embed.FS

// table is a statement that fills a table.
type table struct {
	sql   string
	since Change
}

// Change is what a table of the copy follows from.
type Change int

// The changes, each with those before it.
const (
	// Objects: a relation, a type or a schema is another.
	Objects Change = iota
	// Functions: a function is another.
	Functions
	// Made: the copy is new.
	Made
)

// changes are the tables that follow from less than all objects: those of functions
// take longer than the others together.
var changes = map[string]Change{"_proc": Functions, "_function": Functions, "_system": Made, "_system_column": Made}

// Catalog is what the files of SQL define.
type Catalog struct {
	database   string
	statements []string
	// fill are the tables that are filled when all has been made, in order: those of a
	// copy, and everywhere those of what Postgres has itself.
	fill []table
	// relations are full names by "schema.name" of Postgres; functions by name.
	relations map[string]string
	functions map[string]string
	// pathed are the functions whose last argument is the session's search path.
	pathed map[string]bool
	// systemOIDs are the OIDs of Postgres' own relations by their names.
	systemOIDs map[string]string
	// columnTypes are Postgres' types of the catalog's columns by their names, where they
	// are not those in which DuckDB's values travel.
	columnTypes map[string]string
}

// schemas are Postgres' schemas by their names in Database, which cannot have
// schemas of the same names.
var schemas = map[string]string{"pg": "pg_catalog", "info": "information_schema"}

// kept are the views that are tables in the copy: what they show changes with the
// catalog's version only, and is the same for all sessions.
var kept = wordSet(`_schema _enum _table_constraint _relation _column _numbers _index pg_index _constraint _constraint_key _type _class pg_attribute pg_attrdef
	pg_type pg_enum _proc pg_description pg_depend _function _index_text _serial _owned _described _constraint_text _named`)

var (
	created   = regexp.MustCompile(`^CREATE (VIEW|TABLE|MACRO) ` + Database + `\.(\w+)\.(\w+)`)
	beginning = regexp.MustCompile(`(?m)^CREATE `)
	// ofPath is a macro whose parameters end with the search path.
	ofPath = regexp.MustCompile(`^CREATE MACRO [\w.]+\(([^()]*, )?path\)`)
)

// New reads the files.
func New() (*Catalog, error) { return read(Database) }

// NewKept reads the files for the copy.
func NewKept() (*Catalog, error) { return read(KeptDatabase) }

func read(database string) (*Catalog, error) {
	c := &Catalog{
		database: database, relations: map[string]string{}, functions: map[string]string{}, pathed: map[string]bool{},
		statements: []string{"ATTACH ':memory:' AS " + database, "CREATE SCHEMA " + database + ".pg", "CREATE SCHEMA " + database + ".info"},
	}
	entries, err := files.ReadDir("sql")
	if err != nil {
		return nil, err
	}
	for _, entry := range entries {
		text, err := files.ReadFile("sql/" + entry.Name())
		if err != nil {
			return nil, err
		}
		begins := append(beginning.FindAllIndex(text, -1), []int{len(text)})
		for i, begin := range begins[:len(begins)-1] {
			c.add(string(text[begin[0]:begins[i+1][0]]))
		}
	}
	return c, nil
}

// add notes the object that a statement makes.
func (c *Catalog) add(statement string) {
	m := created.FindStringSubmatch(statement)
	kind, schema, name := m[1], m[2], m[3]
	full := c.database + "." + schema + "." + name
	statement = strings.ReplaceAll(statement, Database+".", c.database+".")
	if change, some := changes[name]; kind == "VIEW" && (c.database == KeptDatabase && kept[name] || some && change == Made) {
		fill := "CREATE OR REPLACE TABLE" + strings.TrimPrefix(statement, "CREATE VIEW")
		c.fill = append(c.fill, table{sql: fill, since: change})
		// What there is to show is there when all has been made.
		statement = strings.TrimSuffix(strings.TrimSpace(fill), ";") + " WITH NO DATA"
	}
	c.statements = append(c.statements, statement)
	switch name {
	case "_system_oid":
		c.systemOIDs = readSystemOIDs(statement)
	case "_column_type":
		c.columnTypes = readColumnTypes(statement)
	}
	switch {
	case kind == "MACRO":
		c.functions[name], c.pathed[name] = full, ofPath.MatchString(statement)
	case !strings.HasPrefix(name, "_"):
		c.relations[schemas[schema]+"."+name] = full
	}
}

// Statements make the database, in order.
func (c *Catalog) Statements() []string { return slices.Clone(c.statements) }

// Fill are the statements that fill the tables, in order, after a change.
func (c *Catalog) Fill(since Change) []string {
	var list []string
	for _, t := range c.fill {
		if t.since <= since {
			list = append(list, t.sql)
		}
	}
	return list
}
