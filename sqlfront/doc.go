// Package sqlfront turns SQL text into a bound, typed Query, or says why the
// statement is DuckDB's.
//
// In goes the text of one statement with a Catalog and a Preparer; out comes an
// Analysis. The stages, one file or family of files each:
//
//	lexer     tokens by the lexical rules of Postgres and DuckDB
//	split     a text into statements; classify: what a statement is, for the session
//	gate      tokens to a text that the MySQL-shaped TiDB parser reads as DuckDB
//	          reads the original, or a refusal
//	convert   TiDB's tree to the syntactic tree of syntax.go, a whitelist of nodes
//	bind      the syntactic tree to a Query: names, groups, aggregates, types;
//	          what cannot be bound may stay a text that DuckDB executes
//	rewrite   a statement that was refused, written by DuckDB from its own tree with
//	          macros and COLUMNS(..) in full, is read again
//	print     the one SQL printer
//
// Invariants:
//
//	F1. The parser never sees a word, literal or operator of the user's that the
//	    gate has not recognised: names arrive quoted, literals and parameters as
//	    markers, function names and casts under names that no user can write.
//	F2. A syntactic tree, printed, is the tree that DuckDB makes of the original
//	    text. The parser's precedence is checked node by node, not trusted.
//	F3. A statement with a Query has been described by DuckDB without error, and
//	    the result's names, types and parameter types are DuckDB's words.
//	F4. A refusal costs no call of the Preparer before names are bound, but for a
//	    part of the statement that may be a Text instead, and for writing the
//	    statement anew where how it is written may be why it was refused.
//	F5. A view is bound from DuckDB's text of it, in its own schema, and has the
//	    names and types that DuckDB gives it; Analysis names it.
//	F6. No node holds memory of the parser, which reuses it.
//	F7. A Text has no parameter, no outer column and no function whose value may
//	    change; its tables are named in full and known.
//	F8. A table in memory is known by the common table expression that stands for
//	    it, never by what a text has in it (memory.go).
//
// Analyze assumes DuckDB's defaults for the settings that change the meaning of
// an expression or of ORDER BY (default_order, default_null_order,
// integer_division, default_collation, ...): a session that changed one of them
// must not use a Query.
//
// Read api.go first, then analyze.go.
package sqlfront
