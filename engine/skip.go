package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/trireme-db/trireme/engine/catalog"
	"github.com/trireme-db/trireme/internal/load"
	"github.com/trireme-db/trireme/sqlfront"
)

// listed is where DuckDB lists the objects of a kind: a table function and its column
// with their names.
type listed struct{ function, name string }

// listings are the kinds of object whose CREATE IF NOT EXISTS and DROP IF EXISTS tell
// that they did nothing.
var listings = map[string]listed{
	"table": {"duckdb_tables()", "table_name"}, "view": {"duckdb_views()", "view_name"}, "index": {"duckdb_indexes()", "index_name"},
	"sequence": {"duckdb_sequences()", "sequence_name"}, "schema": {"duckdb_schemas()", "schema_name"}, "type": {"duckdb_types()", "type_name"},
	"macro": {"duckdb_functions()", "function_name"}, "function": {"duckdb_functions()", "function_name"},
}

// skips reports whether a statement with IF [NOT] EXISTS is about to do nothing, which
// DuckDB does not tell.
func (s *Session) skips(ctx context.Context, c sqlfront.Class) (bool, error) {
	in, known := listings[c.Object]
	if !c.Conditional || !known || len(c.Target) == 0 || c.Kind != sqlfront.ClassCreate && c.Kind != sqlfront.ClassDrop {
		return false, nil
	}
	if err := s.detachOpen(ctx); err != nil {
		return false, err
	}
	n, err := oneNumber(ctx, s.conn, "SELECT count(*) FROM "+in.function+" WHERE "+load.FoldedSQL(in.name)+" = "+quoteText(load.Fold(c.Target[len(c.Target)-1]))+" AND "+s.placeOf(c))
	if err != nil {
		return false, err
	}
	return (n > 0) == (c.Kind == sqlfront.ClassCreate), nil
}

// placeOf is the condition that an object is where a statement would make or find it.
func (s *Session) placeOf(c sqlfront.Class) string {
	qualifiers := c.Target[:len(c.Target)-1]
	switch {
	case c.Object == "schema" && len(qualifiers) == 0:
		return "database_name = current_database()"
	case c.Object == "schema":
		return load.FoldedSQL("database_name") + " = " + quoteText(load.Fold(qualifiers[0]))
	}
	return "list_contains(" + s.placesSQL(c) + ", " + placeSQL + ")"
}

// firstPlace orders what is at a place of placeOf as DuckDB looks for it.
func (s *Session) firstPlace(c sqlfront.Class) string {
	return "list_position(" + s.placesSQL(c) + ", " + placeSQL + ")"
}

// placeSQL is the place of an object that DuckDB lists, as placesSQL has it.
var placeSQL = "[" + load.FoldedSQL("database_name") + ", " + load.FoldedSQL("schema_name") + "]"

// placesSQL are the databases and schemas where a statement would make or find an object.
func (s *Session) placesSQL(c sqlfront.Class) string {
	inSchema, inDatabase := placesOn(s.own.path, c, c.Target[:len(c.Target)-1])
	places := slices.Concat(inSchema, inDatabase)
	list := make([]string, len(places))
	for i, p := range places {
		list[i] = "[" + quoteText(load.Fold(p.Catalog)) + ", " + quoteText(load.Fold(p.Name)) + "]"
	}
	return "[" + strings.Join(list, ", ") + "]::VARCHAR[][]"
}

// placesOn are the schemas where DuckDB makes or finds an object whose name has these qualifiers
// under a search path, each once, as catalog.Places has them.
func placesOn(path []catalog.Schema, c sqlfront.Class, qualifiers []string) (inSchema, inDatabase []catalog.Schema) {
	inSchema, inDatabase = catalog.Places(path, qualifiers)
	for _, places := range []*[]catalog.Schema{&inSchema, &inDatabase} {
		var list []catalog.Schema
		for _, p := range *places {
			if c.Kind == sqlfront.ClassCreate && (p.Catalog == catalog.Temporary) != c.Temp {
				continue
			}
			if !slices.ContainsFunc(list, func(had catalog.Schema) bool {
				return load.SameName(had.Catalog, p.Catalog) && load.SameName(had.Name, p.Name)
			}) {
				list = append(list, p)
			}
		}
		*places = list
	}
	if c.Kind == sqlfront.ClassCreate && len(qualifiers) == 0 { // whatever of the name there is further on the path
		inSchema = inSchema[:min(len(inSchema), 1)]
	}
	return inSchema, inDatabase
}

// tellSkipped tells, as Postgres does, that a statement did nothing.
func (s *Session) tellSkipped(c sqlfront.Class) {
	name, kind := c.Target[len(c.Target)-1], strings.ToLower(c.Object)
	if c.Kind == sqlfront.ClassDrop {
		s.tell("00000", fmt.Sprintf("%s %q does not exist, skipping", kind, name))
		return
	}
	code, what := "42P07", "relation"
	switch kind {
	case "schema":
		code, what = "42P06", kind
	case "type":
		code, what = "42710", kind
	case "macro", "function":
		code, what = "42723", kind
	}
	s.tell(code, fmt.Sprintf("%s %q already exists, skipping", what, name))
}
