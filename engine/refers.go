package engine

import (
	"github.com/trireme-db/trireme/internal/load"
	"github.com/trireme-db/trireme/internal/sqlerr"
	"github.com/trireme-db/trireme/sqlfront"
)

// mustReferWithin refuses a foreign key of a table to one of the same name in another schema, which DuckDB
// takes for the table itself. Foreign keys to others of other schemas it refuses itself.
func mustReferWithin(sql, schema, table string) error {
	for _, name := range sqlfront.ReferredTables(sql) {
		n := len(name)
		if n > 1 && load.SameName(name[n-1], table) && !load.SameName(name[n-2], schema) {
			return sqlerr.New(sqlerr.FeatureNotSupported, "table %q cannot have a foreign key to a table of another schema, %q", table, name[n-2]).
				WithHint("Make both tables in one schema.")
		}
	}
	return nil
}

// schemaOfNew is the schema in which a CREATE TABLE makes its table.
func (s *Session) schemaOfNew(c sqlfront.Class) string {
	if len(c.Target) > 1 {
		return c.Target[len(c.Target)-2]
	}
	if c.Temp {
		return "pg_temp"
	}
	if path := s.pathSchemas(); len(path) > 0 {
		return path[0]
	}
	return ""
}
