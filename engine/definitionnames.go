package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/trireme-db/trireme/duckbackend"
	"github.com/trireme-db/trireme/engine/catalog"
	"github.com/trireme-db/trireme/internal/load"
	"github.com/trireme-db/trireme/internal/sqlerr"
	"github.com/trireme-db/trireme/sqlfront"
)

// DuckDB keeps the names in a definition as they are written, and looks for them by the path
// of whoever evaluates it or lists it: where that path does not find a type, nobody can read
// the catalog. So a name of the user's gets the schema that its author's path finds.

// sayDefinitionSchemas writes the schemas of the types in definitions that are kept, of
// the macros in those of tables and indexes, and where the path is another than the default those of
// sequences, and of relations and macros in views.
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
			text := load.Quote(in.Name) + "." + load.Quote(n.Name)
			if n.Kind == sqlfront.BareSequence {
				text = quoteText(text)
			}
			edits = append(edits, sqlfront.Edit{Start: n.Start, End: n.End, Text: text, Place: n.Start})
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
	relations, err := p.bareRelations(ctx, d)
	if err != nil {
		return nil, err
	}
	found := append(sqlfront.BareNames(d.Query(p.sql)), relations...)
	slices.SortStableFunc(found, func(a, b sqlfront.BareName) int { return a.Start - b.Start })
	for _, n := range found {
		if n.Start < len(d.Before) || n.Start >= len(d.Before)+d.End-d.Start {
			continue
		}
		if n.Kind == sqlfront.BareSequence && !p.session.own.otherPath {
			continue
		}
		if n.Kind == sqlfront.BareFunction {
			if d.Before == "" && !p.viewIsElsewhere() { // DuckDB looks for a view's functions in the view's schema, too
				continue
			}
			f, err := p.session.catalogView().Function(ctx, n.Name)
			if err != nil {
				return nil, err
			}
			if !f.Redefined || p.session.tx.redo.freezes(n.Name) {
				continue
			}
		}
		names = append(names, n)
	}
	return names, nil
}

// placesOf are the schemas of the user's objects by the session's path; the zero Schema where there
// is none.
func (s *Session) placesOf(ctx context.Context, names []sqlfront.BareName) ([]catalog.Schema, error) {
	var queries []string
	for _, of := range [][3]string{
		{string(sqlfront.BareType), "type_name", "duckdb_types() WHERE NOT internal"},
		{string(sqlfront.BareFunction), "function_name", "duckdb_functions() WHERE NOT internal"},
		{string(sqlfront.BareSequence), "sequence_name", "duckdb_sequences()"},
		{string(sqlfront.BareRelation), "table_name", "duckdb_tables()"},
		{string(sqlfront.BareRelation), "view_name", "duckdb_views()"},
	} {
		if slices.ContainsFunc(names, func(n sqlfront.BareName) bool { return string(n.Kind) == of[0] }) {
			queries = append(queries, fmt.Sprintf("SELECT '%s', database_name, schema_name, %s FROM system.main.%s", of[0], load.FoldedSQL(of[1]), of[2]))
		}
	}
	list, err := s.textRows(ctx, strings.Join(queries, " UNION "))
	if err != nil {
		return nil, err
	}
	path := []catalog.Schema{{Catalog: catalog.Temporary, Name: catalog.DefaultSchema}}
	for _, schema := range append(s.pathSchemas(), catalog.DefaultSchema) {
		path = append(path, catalog.Schema{Catalog: duckbackend.CatalogName, Name: schema})
	}
	places := make([]catalog.Schema, len(names))
	for i, n := range names {
		for _, in := range path {
			if at := slices.IndexFunc(list, func(row []string) bool {
				return row[0] == string(n.Kind) && row[1] == in.Catalog && load.SameName(row[2], in.Name) && row[3] == load.Fold(n.Name)
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

// viewIsElsewhere reports whether the statement makes a view in whose query DuckDB might not find for
// its readers what its author's path finds. By the default path both look in the view's schema first.
func (p *Prepared) viewIsElsewhere() bool {
	return p.class.Object == "view" && !p.class.Temp && p.session.own.otherPath
}

// bareRelations are the tables and views without a schema in the query of such a view.
func (p *Prepared) bareRelations(ctx context.Context, d sqlfront.Definition) ([]sqlfront.BareName, error) {
	s := p.session
	if !d.Stored || !p.viewIsElsewhere() {
		return nil, nil
	}
	if err := s.detachOpen(ctx); err != nil {
		return nil, err
	}
	query := d.Query(p.sql)
	text, err := s.conn.SerializeSQL(ctx, query)
	if err != nil {
		return nil, err
	}
	var tree map[string]any
	if err := json.Unmarshal([]byte(text), &tree); err != nil {
		return nil, err
	}
	f := relationFinder{query: query}
	f.visit(tree, nil) // an error in the query is none of its nodes
	return f.found, nil
}

// relationFinder finds the relations without a schema in DuckDB's tree of a query.
type relationFinder struct {
	query string
	found []sqlfront.BareName
}

// visit goes through a node; common are the names of the common table expressions in sight.
func (f *relationFinder) visit(node any, common []string) {
	switch node := node.(type) {
	case []any:
		for _, n := range node {
			f.visit(n, common)
		}
	case map[string]any:
		if list, ok := node["cte_map"].(map[string]any); ok {
			common = f.visitCommon(list, common)
		}
		if node["type"] == "BASE_TABLE" {
			f.add(node, common)
		}
		for key, n := range node {
			if key != "cte_map" {
				f.visit(n, common)
			}
		}
	}
}

// visitCommon goes through common table expressions, each of which sees those before it, and itself
// where it is recursive; it returns what the query sees.
func (f *relationFinder) visitCommon(list map[string]any, common []string) []string {
	common = slices.Clone(common)
	entries, _ := list["map"].([]any)
	for _, e := range entries {
		entry, _ := e.(map[string]any)
		name, _ := entry["key"].(string)
		if within(entry, "value", "query", "node", "type") == "RECURSIVE_CTE_NODE" {
			common = append(common, load.Fold(name))
		}
		f.visit(entry["value"], common)
		common = append(common, load.Fold(name))
	}
	return common
}

// within is a value in a node, by the names that lead to it; nil: there is none.
func within(node any, names ...string) any {
	for _, name := range names {
		of, _ := node.(map[string]any)
		node = of[name]
	}
	return node
}

// add adds the relation of a node where the text has it at the node's place.
func (f *relationFinder) add(node map[string]any, common []string) {
	name, _ := node["table_name"].(string)
	at, isNumber := node["query_location"].(float64)
	start := int(at)
	if !isNumber || node["schema_name"] != "" || node["catalog_name"] != "" || slices.Contains(common, load.Fold(name)) || start >= len(f.query) {
		return
	}
	tokens, err := sqlfront.Tokens(f.query[start:])
	if parts := sqlfront.NameAt(f.query, start); err != nil || len(parts) != 1 || !load.SameName(parts[0], name) {
		return
	}
	f.found = append(f.found, sqlfront.BareName{Start: start, End: start + tokens[0].End, Name: name, Kind: sqlfront.BareRelation})
}
