package engine

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/trireme-db/trireme/duckbackend"
	"github.com/trireme-db/trireme/engine/notation"
	"github.com/trireme-db/trireme/internal/sqlerr"
)

// builtins are the names, in lower case, of the functions, types, tables, views and databases
// that are DuckDB's or the server's.
type builtins struct{ functions, types, relations, databases map[string]bool }

// readBuiltins reads DuckDB's names, with those that are registered there, and adds what the
// rewriting of statements makes known.
func (e *Engine) readBuiltins(ctx context.Context, conn *duckbackend.Conn) (builtins, error) {
	b, err := readNames(ctx, conn, "database_name = 'system'")
	if err == nil {
		b.relations, err = e.systemRelations(ctx, conn)
	}
	if err != nil {
		return builtins{}, err
	}
	b.databases = map[string]bool{}
	addAll(b.databases, servedDatabases)
	supplied := e.system.live.Supplied()
	addAll(b.functions, supplied.Functions)
	addAll(b.functions, notation.Functions())
	addAll(b.types, supplied.Types)
	return b, nil
}

// systemRelations are the names, in lower case, of the relations that nobody has made. Those of
// information_schema are found by that schema only.
func (e *Engine) systemRelations(ctx context.Context, conn *duckbackend.Conn) (map[string]bool, error) {
	relations, err := namesOf(ctx, conn, "SELECT DISTINCT view_name FROM system.main.duckdb_views() WHERE database_name = 'system' AND schema_name <> 'information_schema'")
	if err != nil {
		return nil, err
	}
	addAll(relations, e.system.live.Supplied().Relations)
	addAll(relations, slices.Collect(maps.Keys(sessionRelations)))
	for _, t := range e.systemTables() {
		relations[t.Name] = true
	}
	return relations, nil
}

func addAll(to map[string]bool, names []string) {
	for _, name := range names {
		to[name] = true
	}
}

// readNames are the names of the functions and types for which a condition holds.
func readNames(ctx context.Context, conn *duckbackend.Conn, where string) (b builtins, err error) {
	b.functions, err = namesOf(ctx, conn, "SELECT DISTINCT function_name FROM system.main.duckdb_functions() WHERE "+where)
	if err == nil {
		b.types, err = namesOf(ctx, conn, "SELECT DISTINCT type_name FROM system.main.duckdb_types() WHERE "+where)
	}
	return b, err
}

// mustKeep is the error for a database, written without the server, whose macros or types
// have names of these.
func (b builtins) mustKeep(ctx context.Context, conn *duckbackend.Conn, database string) error {
	own, err := readNames(ctx, conn, "NOT internal AND database_name = '"+database+"'")
	if err != nil {
		return err
	}
	var taken []string
	for name := range own.functions {
		if b.functions[name] {
			taken = append(taken, name)
		}
	}
	for name := range own.types {
		if b.types[name] {
			taken = append(taken, name)
		}
	}
	if len(taken) == 0 {
		return nil
	}
	slices.Sort(taken)
	return sqlerr.New(sqlerr.FeatureNotSupported, "the database has macros or types with names of DuckDB's own or the server's, which the statements of others would call: %s", strings.Join(taken, ", ")).
		WithHint("Drop them, or give them other names, with duckdb.")
}

// namesOf are the names that a query lists, in lower case.
func namesOf(ctx context.Context, conn *duckbackend.Conn, sql string) (map[string]bool, error) {
	list, err := textsOf(ctx, conn, sql)
	names := map[string]bool{}
	for _, name := range list {
		names[strings.ToLower(name)] = true
	}
	return names, err
}

// textsOf are the texts that a query lists.
func textsOf(ctx context.Context, conn *duckbackend.Conn, sql string) (texts []string, err error) {
	cursor, err := conn.Query(ctx, sql)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, cursor.Close()) }()
	for {
		b, err := cursor.Next(ctx)
		if err != nil || b == nil {
			return texts, err
		}
		for i := range b.N {
			texts = append(texts, strings.Clone(b.Cols[0].Str[i]))
		}
	}
}

// mustNotTake is the error for an object with the name of what is there already: DuckDB would
// take it in its place, in the statements of all users and in those of the server, which
// look for tables, read the syntax of a statement and fill the catalog with functions. A
// schema with the name of a database makes names that begin with it ambiguous.
func (b builtins) mustNotTake(object, name string) error {
	names := map[string]map[string]bool{"macro": b.functions, "function": b.functions, "type": b.types, "table": b.relations, "view": b.relations, "schema": b.databases}[object]
	if !names[strings.ToLower(name)] {
		return nil
	}
	return sqlerr.New(insufficientPrivilege, "permission denied: %s %q is DuckDB's or the server's", object, name).
		WithHint("One of your own with its name would be taken in other users' statements, too. Give it another name.")
}
