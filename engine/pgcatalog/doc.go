// Package pgcatalog is Postgres' system catalog over DuckDB's: views, tables and
// macros in a database of their own beside the user's, and the rewriting of a
// statement that asks for them.
//
// In goes the text of a statement with an Env, what its session knows; out comes a
// text in which the names of pg_catalog and information_schema are those of the
// database Database, and casts, operators and functions that only Postgres has are
// DuckDB's. A statement that mentions nothing of the kind stays as it is.
//
// Invariants:
//
//	C1. The session's search path and settings stay as they are: everything of
//	    ours is named in full.
//	C2. An unqualified name that the user has given to an object is the user's.
//	C3. The argument of a macro is put into its body as text. In its subqueries the
//	    names of columns and tables have prefixes that no caller uses.
//	C4. An OID follows from the object's kind, schema and name: it is the same in
//	    every session, after a restart and after ALTER TABLE.
//	C5. An error that a macro raises begins with its SQLSTATE and a colon.
//
// The objects are in sql/*.sql, in the order of their names; rewrite.go finds the
// names in a text, cast.go the casts, columns.go keeps the names of result columns.
package pgcatalog
