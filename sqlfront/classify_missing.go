package sqlfront

import (
	"slices"
	"strings"

	"github.com/trireme-db/trireme/internal/sqlerr"
)

// missingStatement is a statement of Postgres that is about privileges, owners or
// databases, of which there are none, or comments on such: its first words, what it is, and what to do.
type missingStatement struct {
	words      []string
	what, hint string
}

const (
	hintPrivileges   = "A role reads and writes everything, or reads only: GRANT trireme_read_only TO name."
	hintOwners       = "All objects belong to one owner, and every role that may write may change them."
	hintDatabases    = "A server has one database. Use schemas, or start another server with --db FILE."
	hintComments     = "DuckDB keeps comments of tables, columns, views, indexes, sequences, types and macros."
	hintExtensions   = "uuid_generate_v4() and gen_random_uuid() are built in, and CREATE EXTENSION IF NOT EXISTS is accepted of plpgsql, uuid-ossp and pgcrypto."
	hintTriggers     = "Nothing is executed when a table changes: do it in the same transaction, or by a DEFAULT, a CHECK or a generated column."
	hintProcedures   = "Send the statements from the client, in a transaction. An expression with a name is CREATE MACRO."
	hintMaterialized = "Use CREATE TABLE .. AS, and CREATE OR REPLACE TABLE .. AS to calculate it anew, or a view."
	hintRows         = "Show a role only some rows through a view, on a server of its own."
)

var missingStatements = []missingStatement{
	{[]string{"alter", "default", "privileges"}, "ALTER DEFAULT PRIVILEGES", hintPrivileges},
	{[]string{"security", "label"}, "SECURITY LABEL", hintPrivileges},
	{[]string{"reassign", "owned"}, "REASSIGN OWNED", hintOwners},
	{[]string{"drop", "owned"}, "DROP OWNED", hintOwners},
	{[]string{"comment", "on", "schema"}, "COMMENT ON SCHEMA", hintComments},
	{[]string{"comment", "on", "database"}, "COMMENT ON DATABASE", hintComments},
	{[]string{"comment", "on", "constraint"}, "COMMENT ON CONSTRAINT", hintComments},
	{[]string{"comment", "on", "extension"}, "COMMENT ON EXTENSION", hintComments},
	{[]string{"comment", "on", "role"}, "COMMENT ON ROLE", hintComments},
	{[]string{"create", "policy"}, "CREATE POLICY", hintRows},
	{[]string{"alter", "policy"}, "ALTER POLICY", hintRows},
	{[]string{"drop", "policy"}, "DROP POLICY", hintRows},
	{[]string{"create", "database"}, "CREATE DATABASE", hintDatabases},
	{[]string{"create", "domain"}, "CREATE DOMAIN", "Write the type and a CHECK with each column: CREATE TABLE t (n INTEGER CHECK (n > 0))."},
	{[]string{"create", "extension"}, "CREATE EXTENSION", hintExtensions},
	{[]string{"create", "trigger"}, "CREATE TRIGGER", hintTriggers},
	{[]string{"create", "constraint", "trigger"}, "CREATE CONSTRAINT TRIGGER", hintTriggers},
	{[]string{"create", "event", "trigger"}, "CREATE EVENT TRIGGER", hintTriggers},
	{[]string{"create", "rule"}, "CREATE RULE", hintTriggers},
	{[]string{"create", "materialized", "view"}, "CREATE MATERIALIZED VIEW", hintMaterialized},
	{[]string{"refresh", "materialized", "view"}, "REFRESH MATERIALIZED VIEW", hintMaterialized},
	{[]string{"create", "procedure"}, "CREATE PROCEDURE", hintProcedures},
	{[]string{"create", "or", "replace", "procedure"}, "CREATE PROCEDURE", hintProcedures},
	{[]string{"alter", "type"}, "ALTER TYPE", "Make a type with the other values, give it to the columns by ALTER TABLE t ALTER COLUMN c TYPE new USING c::VARCHAR::new, and drop this one."},
	{[]string{"do"}, "DO", hintProcedures},
	{[]string{"alter", "system"}, "ALTER SYSTEM", "Settings of the server are flags, variables and the file of trireme serve --config."},
}

// missing recognizes such a statement.
func (s *scanner) missing() (Class, bool) {
	if c, ok := s.builtInExtension(); ok {
		return c, true
	}
	if s.isWord("alter") {
		if c, ok := s.owner(); ok {
			return c, true
		}
	}
	if s.isSQLFunction() {
		return missingClass("CREATE FUNCTION .. RETURNS", hintProcedures), true
	}
	for _, m := range missingStatements {
		if s.isWord(m.words[0]) && slices.Equal(s.peekWords(len(m.words)), m.words) {
			return missingClass(m.what, m.hint), true
		}
	}
	return Class{}, false
}

// isSQLFunction reports whether the statement is Postgres' CREATE FUNCTION: DuckDB's is CREATE
// MACRO, and has AS behind the parameters.
func (s *scanner) isSQLFunction() bool {
	at := *s
	if !at.accept("create") {
		return false
	}
	at.acceptAll("or", "replace")
	if !at.accept("function") {
		return false
	}
	for at.tok.kind != tokEOF && !at.isPunct("(") {
		at.advance()
	}
	at.skipParens()
	return at.isWord("returns", "language", "immutable", "stable", "volatile")
}

// builtInExtensions are extensions of Postgres of which there is what clients use, without
// them.
var builtInExtensions = map[string]bool{"plpgsql": true, "uuid-ossp": true, "pgcrypto": true}

// builtInExtension reads CREATE EXTENSION IF NOT EXISTS of one of them.
func (s *scanner) builtInExtension() (Class, bool) {
	at := *s
	if !at.acceptAll("create", "extension", "if", "not", "exists") {
		return Class{}, false
	}
	name := foldedName(at.src, at.tok)
	return Class{Kind: ClassExtension, Name: name}, builtInExtensions[name]
}

func missingClass(what, hint string) Class {
	return Class{Kind: ClassOther, Wrong: sqlerr.At(sqlerr.FeatureNotSupported, 0, "%s is not supported", what).WithHint("%s", hint)}
}

// peekWords are the words that begin here, up to n of them.
func (s *scanner) peekWords(n int) (words []string) {
	at := *s
	for len(words) < n && at.tok.kind == tokWord {
		words = append(words, fold(at.text()))
		at.advance()
	}
	return words
}

// owner reads ALTER of an object that ends in OWNER TO a role.
func (s *scanner) owner() (Class, bool) {
	at := *s
	at.advance()
	object := at.text()
	for at.tok.kind != tokEOF && !at.isWord("rename") {
		if at.acceptAll("owner", "to") {
			return Class{Kind: ClassOwner, Name: "ALTER " + strings.ToUpper(object), Value: foldedName(at.src, at.tok)}, true
		}
		at.advance()
	}
	return Class{}, false
}
