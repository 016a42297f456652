package engine

import (
	"strings"

	"github.com/trireme-db/trireme/duckbackend"
	"github.com/trireme-db/trireme/engine/pgcatalog"
	"github.com/trireme-db/trireme/internal/sqlerr"
	"github.com/trireme-db/trireme/sqlfront"
)

// isServed reports whether a database is one that the server cannot do without: its
// own, those of Postgres' catalog, and those that every instance of DuckDB has.
func isServed(name string) bool {
	switch strings.ToLower(name) {
	case duckbackend.CatalogName, "memory", "system", "temp":
		return true
	}
	return pgcatalog.IsDatabase(name)
}

// keepDatabases refuses, to every role, what takes a database of the server away or
// writes into Postgres' catalog.
func (s *Session) keepDatabases(c sqlfront.Class) error {
	if name, taken := takesDatabase(c); taken {
		if name == "" {
			return sqlerr.New(sqlerr.FeatureNotSupported, "ATTACH OR REPLACE needs a name: AS name")
		}
		return sqlerr.New(sqlerr.ObjectInUse, "database %q is served: it cannot be detached, renamed or replaced", strings.ToLower(name))
	}
	if name := s.catalogWritten(c); name != "" {
		return sqlerr.New(insufficientPrivilege, "permission denied: database %q is the server's", strings.ToLower(name))
	}
	return nil
}

// takesDatabase names the database of the server that a statement would take away. The
// name is empty where the statement has none, and DuckDB would make one.
func takesDatabase(c sqlfront.Class) (name string, taken bool) {
	switch c.Kind {
	case sqlfront.ClassAttach:
		if !c.Replace {
			return "", false
		}
	case sqlfront.ClassDetach:
	case sqlfront.ClassAlter, sqlfront.ClassDrop:
		if c.Object != "database" {
			return "", false
		}
	default:
		return "", false
	}
	if len(c.Target) == 0 {
		return "", c.Kind == sqlfront.ClassAttach
	}
	return c.Target[0], isServed(c.Target[0])
}

// catalogWritten names the database of Postgres' catalog that a statement would write
// to, by its name or because the session's names mean what is in it.
func (s *Session) catalogWritten(c sqlfront.Class) string {
	named := c.Writes
	if len(c.Target) > 0 {
		named = append([][]string{c.Target}, named...)
	}
	for _, parts := range named {
		if pgcatalog.IsDatabase(parts[0]) {
			return parts[0]
		}
	}
	if len(named) == 0 || !c.Schema && !c.WritesUnknown && len(c.Writes) == 0 {
		return ""
	}
	for _, p := range s.own.path {
		if pgcatalog.IsDatabase(p.Catalog) {
			return p.Catalog
		}
	}
	return ""
}
