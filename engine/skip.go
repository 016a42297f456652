package engine

import (
	"context"
	"fmt"
	"strings"

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
	n, err := oneNumber(ctx, s.conn, "SELECT count(*) FROM "+in.function+" WHERE "+load.FoldedSQL(in.name)+" = "+quoteText(load.Fold(c.Target[len(c.Target)-1]))+" AND "+placeOf(c))
	if err != nil {
		return false, err
	}
	return (n > 0) == (c.Kind == sqlfront.ClassCreate), nil
}

// placeOf is the condition that an object is where a statement would make or find it.
func placeOf(c sqlfront.Class) string {
	qualifiers := c.Target[:len(c.Target)-1]
	var place string
	switch {
	case c.Object == "schema" && len(qualifiers) == 0:
		return "database_name = current_database()"
	case c.Object == "schema":
		return load.FoldedSQL("database_name") + " = " + quoteText(load.Fold(qualifiers[0]))
	case len(qualifiers) > 0: // a schema, or a database before its default schema
		name := quoteText(load.Fold(qualifiers[len(qualifiers)-1]))
		place = name + " IN (" + load.FoldedSQL("schema_name") + ", " + load.FoldedSQL("database_name") + ")"
	case c.Kind == sqlfront.ClassCreate && !c.Temp: // whatever of the name there is further on the path
		return "database_name = current_database() AND schema_name = current_schema()"
	default:
		place = "database_name IN ('temp', current_database()) AND list_contains(current_schemas(true), schema_name)"
	}
	switch {
	case c.Kind == sqlfront.ClassCreate && c.Temp:
		place += " AND database_name = 'temp'"
	case c.Kind == sqlfront.ClassCreate:
		place += " AND database_name <> 'temp'"
	}
	return place
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
