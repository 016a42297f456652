package engine

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/trireme-db/trireme/duckbackend"
	"github.com/trireme-db/trireme/engine/pgcatalog"
	"github.com/trireme-db/trireme/internal/load"
	"github.com/trireme-db/trireme/internal/sqlerr"
	"github.com/trireme-db/trireme/sqlfront"
)

// servedDatabases are those that the server cannot do without: its own, those of Postgres'
// catalog, and those that every instance of DuckDB has.
var servedDatabases = []string{duckbackend.CatalogName, pgcatalog.Database, pgcatalog.KeptDatabase, "memory", "system", "temp"}

func isServed(name string) bool { return slices.Contains(servedDatabases, strings.ToLower(name)) }

// permitChange refuses, to every role and whatever statement makes it, a change that takes a
// database of the server away, writes into Postgres' catalog, gives an object the name of
// what everybody finds, or opens what is not open.
func (e *Engine) permitChange(c duckbackend.Change) error {
	switch c.Act {
	case duckbackend.Detaches:
		if isServed(c.Database) {
			return sqlerr.New(sqlerr.ObjectInUse, "database %q is served: it cannot be detached, renamed or replaced", strings.ToLower(c.Database))
		}
	case duckbackend.Attaches:
		// DuckDB compares names as they are written, and cannot tell such two apart afterwards.
		if isServed(c.Database) && !pgcatalog.IsDatabase(c.Database) {
			return sqlerr.New("42P04", "database %q is the server's: another one cannot have its name", strings.ToLower(c.Database)). // duplicate database
																			WithHint("Attach it under another name: ATTACH .. AS name.")
		}
		if c.Taken || isSystemSchema(c.Database) {
			return sqlerr.New("42710", "%q is the name of a schema: a database of that name would make names that begin with it ambiguous for everybody", c.Database). // duplicate object
																							WithHint("Attach it under another name: ATTACH .. AS name.")
		}
		fallthrough
	case duckbackend.Writes:
		if pgcatalog.IsDatabase(c.Database) {
			return sqlerr.New(insufficientPrivilege, "permission denied: database %q is the server's", strings.ToLower(c.Database))
		}
	case duckbackend.Creates:
		if e.isPublic(c) {
			return errPublicExists()
		}
		return cmp.Or(mustNotBeReserved(c), e.builtins.mustNotTake(c.Object, c.Name), mustNotBeAttached(c))
	case duckbackend.OpensDatabase:
		return e.permitOpen(c.Name)
	case duckbackend.Opens:
		return e.permitData(context.Background(), c.Name)
	}
	return nil
}

// mustNotBeReserved is the error for a relation with a name like those that hold the rows of
// blocks and of COPY beside the client's.
func mustNotBeReserved(c duckbackend.Change) error {
	if c.Object != "table" && c.Object != "view" || !strings.HasPrefix(load.Fold(c.Name), duckbackend.RelationPrefix) {
		return nil
	}
	return sqlerr.New("42939", "the name %q is reserved", c.Name). // reserved name
									WithHint("Names that begin with %q are the server's. Give the %s another one.", duckbackend.RelationPrefix, c.Object)
}

// mustNotBeAttached is the error for a schema with the name of a database that is attached.
func mustNotBeAttached(c duckbackend.Change) error {
	if !c.Taken || !strings.EqualFold(c.Database, duckbackend.CatalogName) {
		return nil
	}
	return sqlerr.New("42P06", "a database with the name %q is attached: a schema of that name would make names that begin with it ambiguous for everybody", c.Name). // duplicate schema
																						WithHint("DETACH the database, or give the schema another name.")
}

// isSystemSchema reports whether a name is that of a schema that everybody has without its being
// in a database of the server's.
func isSystemSchema(name string) bool {
	return systemSchemas[strings.ToLower(name)] || strings.EqualFold(name, publicSchema)
}

// permitChanges refuses early the changes that a statement names. DuckDB asks permitChange again
// before it makes any.
func (e *Engine) permitChanges(c sqlfront.Class) error {
	if c.Kind == sqlfront.ClassAttach && c.Replace && len(c.Target) == 0 {
		return sqlerr.New(sqlerr.FeatureNotSupported, "ATTACH OR REPLACE needs a name: AS name")
	}
	for _, change := range namedChanges(c) {
		if err := e.permitChange(change); err != nil {
			return err
		}
	}
	return nil
}

// namedChanges are those that can be told from a statement's text alone.
func namedChanges(c sqlfront.Class) (list []duckbackend.Change) {
	ofDatabase := func(act duckbackend.Act, name []string) {
		if len(name) > 0 {
			list = append(list, duckbackend.Change{Act: act, Database: name[0]})
		}
	}
	ofObject := func(name []string) {
		if len(name) > 0 {
			list = append(list, duckbackend.Change{Act: duckbackend.Creates, Object: c.Object, Name: name[len(name)-1]})
		}
	}
	switch {
	case c.Kind == sqlfront.ClassAttach:
		if c.Replace {
			ofDatabase(duckbackend.Detaches, c.Target)
		}
		ofDatabase(duckbackend.Attaches, c.Target)
		return list
	case c.Kind == sqlfront.ClassDetach, c.Object == "database":
		ofDatabase(duckbackend.Detaches, c.Target)
		return list
	case c.Kind == sqlfront.ClassCreate:
		ofObject(c.Target)
	case c.Kind == sqlfront.ClassAlter:
		ofObject(c.RenamedTo)
	}
	ofDatabase(duckbackend.Writes, c.Target)
	for _, name := range c.Writes {
		ofDatabase(duckbackend.Writes, name)
	}
	return list
}
