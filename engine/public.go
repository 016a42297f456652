package engine

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/trireme-db/trireme/duckbackend"
	"github.com/trireme-db/trireme/engine/catalog"
	"github.com/trireme-db/trireme/internal/sqlerr"
	"github.com/trireme-db/trireme/sqlfront"
)

// publicSchema is Postgres' name for the default schema, which DuckDB calls main. Clients
// are told of it by this name; both are understood.
const publicSchema = "public"

// ownsPublic reports whether a database has a schema public of its own, made without the
// server: then that is what the name means.
func ownsPublic(ctx context.Context, db *duckbackend.DB) (owns bool, err error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return false, err
	}
	n, err := oneNumber(ctx, conn, "SELECT count(*) FROM duckdb_schemas() WHERE database_name = '"+duckbackend.CatalogName+"' AND lower(schema_name) = '"+publicSchema+"'")
	return n > 0, errors.Join(err, conn.Close())
}

// spellPublic writes DuckDB's name of the default schema where the text names it as
// Postgres does.
func (p *Prepared) spellPublic(ctx context.Context) error {
	if p.session.engine.ownsPublic || !sqlfront.HasWord(p.sql, publicSchema) {
		return nil
	}
	return p.edit(ctx, sqlfront.SchemaEdits(p.sql, publicSchema, catalog.DefaultSchema))
}

// clientSchema is the name by which clients know a schema.
func (e *Engine) clientSchema(name string) string {
	if name == catalog.DefaultSchema && !e.ownsPublic {
		return publicSchema
	}
	return name
}

// shownPath is the search path as clients know it.
func (s *Session) shownPath() string {
	value := s.settings.get("search_path")
	entries, err := splitNames(value)
	if err != nil {
		return value
	}
	if slices.Equal(entries, emptyPath()) {
		return ""
	}
	for i, entry := range entries {
		entries[i] = quoteIfNeeded(s.engine.clientSchema(entry))
	}
	return strings.Join(entries, ", ")
}

// isPublic reports whether a change makes a schema that has, in names, the default one's
// place: after the next start it would have it.
func (e *Engine) isPublic(c duckbackend.Change) bool {
	return !e.ownsPublic && c.Object == "schema" && strings.EqualFold(c.Database, duckbackend.CatalogName) && strings.EqualFold(c.Name, publicSchema)
}

func errPublicExists() error {
	return sqlerr.New("42P06", "schema %q already exists", publicSchema) // duplicate schema
}

// preparePublic makes the statement for CREATE SCHEMA public, which there is already, and
// refuses DROP SCHEMA public; nil: it is about something else.
func (s *Session) preparePublic(c sqlfront.Class) (statement, error) {
	if c.Object != "schema" || len(c.Target) == 0 || s.engine.ownsPublic || !strings.EqualFold(c.Target[len(c.Target)-1], publicSchema) ||
		len(c.Target) > 1 && !strings.EqualFold(c.Target[0], duckbackend.CatalogName) {
		return nil, nil
	}
	switch {
	case c.Kind == sqlfront.ClassDrop:
		return nil, sqlerr.New(sqlerr.DependentObjects, "cannot drop schema public: it is the default schema").
			WithHint("Drop the objects in it.") // dependent objects still exist
	case !c.Conditional:
		return nil, errPublicExists()
	}
	return &utility{run: func(context.Context) (string, error) {
		s.tellSkipped(c)
		return "CREATE SCHEMA", nil
	}}, nil
}
