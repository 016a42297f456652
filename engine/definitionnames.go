package engine

import (
	"context"
	"slices"

	"github.com/trireme-db/trireme/duckbackend"
	"github.com/trireme-db/trireme/engine/catalog"
	"github.com/trireme-db/trireme/internal/load"
	"github.com/trireme-db/trireme/internal/sqlerr"
	"github.com/trireme-db/trireme/sqlfront"
)

// DuckDB keeps the names in a definition as they are written, and looks for them by the path
// of whoever evaluates it or lists it: where that path does not find a type, nobody can read
// the catalog. So a name of the user's gets the schema that its author's path finds.

// sayDefinitionSchemas writes the schemas of the types in definitions that are kept, and of
// the macros in those of tables and indexes.
func (p *Prepared) sayDefinitionSchemas(ctx context.Context) error {
	var edits sqlfront.Edits
	for _, d := range sqlfront.Definitions(p.sql) {
		if !d.Stored || d.Called { // a macro's names are those of its callers
			continue
		}
		own, err := p.schemaEdits(ctx, d)
		if err != nil {
			return err
		}
		edits = append(edits, own...)
	}
	return p.editDefinitions(ctx, edits)
}

// schemaEdits are the schemas that one definition does not say.
func (p *Prepared) schemaEdits(ctx context.Context, d sqlfront.Definition) (sqlfront.Edits, error) {
	names, err := p.bareNames(ctx, d)
	if err != nil || len(names) == 0 {
		return nil, err
	}
	places, err := p.session.placesOf(ctx, names)
	if err != nil {
		return nil, err
	}
	var edits sqlfront.Edits
	for i, n := range names {
		switch in := places[i]; {
		case in.Catalog == duckbackend.CatalogName:
			edits = append(edits, sqlfront.Edit{Start: n.Start, End: n.End, Text: load.Quote(in.Name) + "." + load.Quote(n.Name), Place: n.Start})
		case in.Catalog == catalog.Temporary && d.Before != "":
			if err := p.mustBeTemporary(ctx, n); err != nil {
				return nil, placedIn(d, err)
			}
		}
	}
	return d.Within(edits), nil
}

// bareNames are the names in a definition, at their places in its query, that may want a
// schema.
func (p *Prepared) bareNames(ctx context.Context, d sqlfront.Definition) (names []sqlfront.BareName, err error) {
	for _, n := range sqlfront.BareNames(d.Query(p.sql)) {
		if n.Start < len(d.Before) || n.Start >= len(d.Before)+d.End-d.Start {
			continue
		}
		if n.Call {
			if d.Before == "" { // DuckDB looks for a view's functions in the view's schema, too
				continue
			}
			f, err := p.session.catalogView().Function(ctx, n.Name)
			if err != nil {
				return nil, err
			}
			if !f.Redefined {
				continue
			}
		}
		names = append(names, n)
	}
	return names, nil
}

// placesOf are the schemas of the user's types and macros by the session's path; the zero
// Schema where there is none.
func (s *Session) placesOf(ctx context.Context, names []sqlfront.BareName) ([]catalog.Schema, error) {
	query := "SELECT 'type', database_name, schema_name, " + load.FoldedSQL("type_name") + " FROM system.main.duckdb_types() WHERE NOT internal"
	if slices.ContainsFunc(names, func(n sqlfront.BareName) bool { return n.Call }) {
		query += " UNION SELECT 'macro', database_name, schema_name, " + load.FoldedSQL("function_name") + " FROM system.main.duckdb_functions() WHERE NOT internal"
	}
	list, err := s.textRows(ctx, query)
	if err != nil {
		return nil, err
	}
	path := []catalog.Schema{{Catalog: catalog.Temporary, Name: catalog.DefaultSchema}}
	for _, schema := range append(s.pathSchemas(), catalog.DefaultSchema) {
		path = append(path, catalog.Schema{Catalog: duckbackend.CatalogName, Name: schema})
	}
	places := make([]catalog.Schema, len(names))
	for i, n := range names {
		kind := "type"
		if n.Call {
			kind = "macro"
		}
		for _, in := range path {
			if at := slices.IndexFunc(list, func(row []string) bool {
				return row[0] == kind && row[1] == in.Catalog && load.SameName(row[2], in.Name) && row[3] == load.Fold(n.Name)
			}); at >= 0 {
				places[i] = catalog.Schema{Catalog: in.Catalog, Name: list[at][2]}
				break
			}
		}
	}
	return places, nil
}

// mustBeTemporary refuses a temporary object in what a table that stays has.
func (p *Prepared) mustBeTemporary(ctx context.Context, n sqlfront.BareName) error {
	target := p.class.Target
	if p.class.Temp || len(target) > 1 && load.SameName(target[0], catalog.Temporary) {
		return nil
	}
	if p.class.Kind != sqlfront.ClassCreate || p.class.Object == "index" {
		t, ok, err := p.session.catalogView().Table(ctx, target)
		if err != nil || ok && t.Temporary {
			return err
		}
	}
	return sqlerr.At("42P16", n.Start, "%q is temporary: the definition of a table that stays cannot use it", n.Name). // invalid table definition
																WithHint("Create it without TEMP, or the table with it.")
}
