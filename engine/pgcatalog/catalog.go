package pgcatalog

import (
	"embed"
	"regexp"
	"slices"
	"strings"
)

// Database is the name under which the catalog's database is attached.
const Database = "trireme_pg"

//go:embed sql/*.sql
var files embed.FS

// Catalog is what the files of SQL define.
type Catalog struct {
	statements []string
	// relations are full names by "schema.name" of Postgres; functions by name.
	relations map[string]string
	functions map[string]string
}

// schemas are Postgres' schemas by their names in Database, which cannot have
// schemas of the same names.
var schemas = map[string]string{"pg": "pg_catalog", "info": "information_schema"}

var created = regexp.MustCompile(`(?m)^CREATE (VIEW|TABLE|MACRO) ` + Database + `\.(\w+)\.(\w+)`)

// New reads the files.
func New() (*Catalog, error) {
	c := &Catalog{
		statements: []string{"ATTACH ':memory:' AS " + Database, "CREATE SCHEMA " + Database + ".pg", "CREATE SCHEMA " + Database + ".info"},
		relations:  map[string]string{}, functions: map[string]string{},
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
		c.statements = append(c.statements, string(text))
		for _, m := range created.FindAllStringSubmatch(string(text), -1) {
			kind, schema, name := m[1], m[2], m[3]
			full := Database + "." + schema + "." + name
			switch {
			case kind == "MACRO":
				c.functions[name] = full
			case !strings.HasPrefix(name, "_"):
				c.relations[schemas[schema]+"."+name] = full
			}
		}
	}
	return c, nil
}

// Statements make the database, in order.
func (c *Catalog) Statements() []string { return slices.Clone(c.statements) }
