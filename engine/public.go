package engine

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/trireme-db/trireme/duckbackend"
	"github.com/trireme-db/trireme/engine/catalog"
	"github.com/trireme-db/trireme/internal/load"
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

// temporarySchema is Postgres' name for the schema of a session's temporary objects, which are in
// a database of DuckDB's.
const temporarySchema, temporaryDatabase = "pg_temp", "temp"

// spellPublic writes DuckDB's names of the default schema and of the temporary one where the text
// names them as Postgres does.
func (p *Prepared) spellPublic(ctx context.Context) error {
	var edits sqlfront.Edits
	spell := func(schema, as string) {
		if !sqlfront.HasWord(p.sql, schema) {
			return
		}
		for _, m := range sqlfront.SchemaMentions(p.sql, schema) {
			edits = append(edits, m.Rename(as))
		}
	}
	spell(temporarySchema, temporaryDatabase)
	if !p.session.engine.ownsPublic {
		spell(publicSchema, catalog.DefaultSchema)
	}
	slices.SortFunc(edits, func(a, b sqlfront.Edit) int { return a.Start - b.Start })
	return p.edit(ctx, edits)
}

// spellDatabase writes the database before the name of the default schema, which is not that
// of temporary objects: DuckDB looks for a name like main.t among these first. Not so within
// definitions that are kept as texts, and hold in a database of another name, too.
func (p *Prepared) spellDatabase(ctx context.Context) error {
	s := p.session
	if keepsText := p.class.Kind == sqlfront.ClassCreate && slices.Contains([]string{"view", "macro", "function"}, p.class.Object); keepsText && duckbackend.FindsMain {
		return nil
	}
	if !s.own.objects || !sqlfront.HasWord(p.sql, catalog.DefaultSchema) || !s.meansDefault() {
		return nil
	}
	var edits sqlfront.Edits
	for _, m := range sqlfront.SchemaMentions(p.sql, catalog.DefaultSchema) {
		if m.Database || m.Refers { // a foreign key's table is looked for where its own is
			continue
		}
		builtIn, err := s.isBuiltIn(ctx, m)
		if err != nil {
			return err
		}
		if !builtIn {
			edits = append(edits, m.Rename(duckbackend.CatalogName+"."+catalog.DefaultSchema))
		}
	}
	return p.edit(ctx, edits)
}

// meansDefault reports whether the schema main, where it is not that of temporary objects, is
// the default database's.
func (s *Session) meansDefault() bool {
	path := slices.DeleteFunc(slices.Clone(s.own.path), func(p catalog.Schema) bool { return !load.SameName(p.Name, catalog.DefaultSchema) })
	if len(path) == 0 {
		path = s.own.path[:min(len(s.own.path), 1)]
	}
	return !slices.ContainsFunc(path, func(p catalog.Schema) bool { return !load.SameName(p.Catalog, duckbackend.CatalogName) })
}

// isBuiltIn reports whether a name is that of a function of DuckDB's own, which is in no
// database of ours.
func (s *Session) isBuiltIn(ctx context.Context, m sqlfront.SchemaMention) (bool, error) {
	if !m.Calls {
		return false, nil
	}
	view := s.catalogView()
	_, isTable, err := view.Table(ctx, []string{duckbackend.CatalogName, catalog.DefaultSchema, m.Object})
	if err != nil || isTable {
		return false, err
	}
	f, err := view.Function(ctx, m.Object)
	return (f.Scalar || f.Aggregate || f.Macro || f.Table) && !f.Redefined, err
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
