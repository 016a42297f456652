package engine

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/trireme-db/trireme/duckbackend"
	"github.com/trireme-db/trireme/engine/pgcatalog"
	"github.com/trireme-db/trireme/internal/sqlerr"
	"github.com/trireme-db/trireme/sqlfront"
)

// builtins are the names, in lower case, of the functions and types that are DuckDB's or
// the server's.
type builtins struct{ functions, types map[string]bool }

func readBuiltins(ctx context.Context, conn *duckbackend.Conn) (builtins, error) {
	b, err := readNames(ctx, conn, "database_name = 'system'")
	if err != nil {
		return builtins{}, err
	}
	for _, name := range pgcatalog.SessionFunctions() {
		b.functions[name] = true
	}
	return b, nil
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
	return sqlerr.New(sqlerr.FeatureNotSupported, "the database has macros or types with names of DuckDB's own, which the server's statements would call: %s", strings.Join(taken, ", ")).
		WithHint("Drop them, or give them other names, with duckdb.")
}

// namesOf are the names that a query lists.
func namesOf(ctx context.Context, conn *duckbackend.Conn, sql string) (_ map[string]bool, err error) {
	cursor, err := conn.Query(ctx, sql)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, cursor.Close()) }()
	names := map[string]bool{}
	for {
		b, err := cursor.Next(ctx)
		if err != nil || b == nil {
			return names, err
		}
		for i := range b.N {
			names[strings.ToLower(b.Cols[0].Str[i])] = true
		}
	}
}

// keepBuiltins refuses macros and types with the name of a function or type that is there
// already: DuckDB would take them in its place, in the statements of all users and in
// those of the server, which look for tables, read the syntax of a statement and fill the
// catalog with functions.
func (s *Session) keepBuiltins(c sqlfront.Class) error {
	if c.Kind != sqlfront.ClassCreate || len(c.Target) == 0 {
		return nil
	}
	var taken map[string]bool
	switch c.Object {
	case "macro", "function":
		taken = s.engine.builtins.functions
	case "type":
		taken = s.engine.builtins.types
	}
	name := c.Target[len(c.Target)-1]
	if !taken[strings.ToLower(name)] {
		return nil
	}
	return sqlerr.New(insufficientPrivilege, "permission denied: %s %q is DuckDB's or the server's", c.Object, name).
		WithHint("One of your own with its name would be taken in other users' statements, too. Give it another name.")
}
