package engine

import (
	"context"
	"errors"
	"strings"

	"github.com/trireme-db/trireme/internal/load"
	"github.com/trireme-db/trireme/internal/sqlerr"
	"github.com/trireme-db/trireme/sqlfront"
)

// explainKind gives an error Postgres' words where what a statement names is there, and is of a kind
// that the statement does not take: a view that is written to, a sequence that is read.
func (p *Prepared) explainKind(ctx context.Context, err error) error {
	var e *sqlerr.Error
	if !errors.As(err, &e) {
		return err
	}
	return p.session.explainKindOf(ctx, p.class, p.sql, p.namedIn(e), err)
}

// explainKindOf is explainKind for the name over which a statement may have failed.
func (s *Session) explainKindOf(ctx context.Context, c sqlfront.Class, sql string, name []string, err error) error {
	var e *sqlerr.Error
	if !errors.As(err, &e) || len(name) == 0 || e.Code != sqlerr.WrongObjectType && e.Code != sqlerr.UndefinedTable {
		return err
	}
	kind, failed := s.kindNamed(ctx, name)
	if failed != nil { // the transaction may have failed: DuckDB's error says enough
		return err
	}
	explained := wrongKind(c, sql, kind, name[len(name)-1])
	if explained == nil {
		return err
	}
	explained.Offset = e.Offset
	return explained
}

// namedIn is the name over which a statement has failed; nil: it is not known.
func (p *Prepared) namedIn(e *sqlerr.Error) []string {
	c := p.class
	switch {
	case c.Kind == sqlfront.ClassSelect:
		return sqlfront.NameAt(p.sql, e.Offset)
	case c.Kind == sqlfront.ClassCreate && c.Object == "index" && len(c.Writes) == 1:
		return c.Writes[0]
	case c.Kind == sqlfront.ClassInsert, c.Kind == sqlfront.ClassUpdate, c.Kind == sqlfront.ClassDelete, c.Kind == sqlfront.ClassMerge,
		c.Kind == sqlfront.ClassCopy && c.CopyFrom, c.Kind == sqlfront.ClassDrop && c.Object == "table", c.Kind == sqlfront.ClassAlter && c.Object == "table":
		return c.Target
	}
	return nil
}

// kindNamed is the kind of what has a name: a table, a view, a sequence or an index; empty: nothing has it.
func (s *Session) kindNamed(ctx context.Context, name []string) (string, error) {
	c := sqlfront.Class{Kind: sqlfront.ClassAlter, Object: "table", Target: name}
	list, err := s.textRows(ctx, `SELECT kind FROM (
SELECT database_name, schema_name, table_name AS name, 'table' AS kind FROM duckdb_tables()
UNION ALL SELECT database_name, schema_name, view_name, 'view' FROM duckdb_views()
UNION ALL SELECT database_name, schema_name, sequence_name, 'sequence' FROM duckdb_sequences()
UNION ALL SELECT database_name, schema_name, index_name, 'index' FROM duckdb_indexes())
WHERE `+load.FoldedSQL("name")+" = "+quoteText(load.Fold(name[len(name)-1]))+" AND "+s.placeOf(c)+`
ORDER BY `+s.firstPlace(c)+", kind NOT IN ('table', 'view') LIMIT 1")
	if err != nil || len(list) == 0 {
		return "", err
	}
	return list[0][0], nil
}

// wrongKind is the error of a statement that names an object of a kind; nil: the kind is right, or DuckDB says it
// well.
func wrongKind(c sqlfront.Class, sql, kind, name string) *sqlerr.Error {
	switch {
	case kind == "" || kind == "table" || kind == "view" && (c.Kind == sqlfront.ClassSelect || c.Kind == sqlfront.ClassAlter):
		return nil
	case c.Kind == sqlfront.ClassDrop || c.Kind == sqlfront.ClassAlter:
		return sqlerr.New(sqlerr.WrongObjectType, "%q is not a table", name).WithHint("Use %s %s.", strings.ToUpper(c.Kind.String()), strings.ToUpper(kind))
	case c.Kind == sqlfront.ClassDelete && firstWord(sql) == "TRUNCATE":
		return sqlerr.New(sqlerr.WrongObjectType, "%q is not a table", name)
	case c.Kind == sqlfront.ClassCreate:
		return sqlerr.New(sqlerr.WrongObjectType, "cannot create index on relation %q", name).WithHint("It is a %s: only tables have indexes.", kind)
	case kind == "view":
		return wrongView(c, name)
	case kind == "sequence" && c.Kind == sqlfront.ClassCopy:
		return sqlerr.New(sqlerr.WrongObjectType, "cannot copy to sequence %q", name)
	case kind == "sequence" && c.Kind == sqlfront.ClassSelect:
		return sqlerr.New(sqlerr.WrongObjectType, "%q is a sequence, which has the columns last_value, log_cnt and is_called", name).WithHint("Name the columns that are wanted.")
	case kind == "sequence":
		return sqlerr.New(sqlerr.WrongObjectType, "cannot change sequence %q", name).WithHint("setval and ALTER SEQUENCE change it.")
	}
	return sqlerr.New(sqlerr.WrongObjectType, "cannot open relation %q: it is an index", name)
}

// wrongView is the error of a statement that would write to a view.
func wrongView(c sqlfront.Class, name string) *sqlerr.Error {
	const hint = "Views are only read: write to the tables that this one reads."
	says := map[sqlfront.ClassKind]string{sqlfront.ClassInsert: "insert into", sqlfront.ClassUpdate: "update", sqlfront.ClassDelete: "delete from"}[c.Kind]
	switch {
	case says != "":
		return sqlerr.New(sqlerr.NotInState, "cannot %s view %q", says, name).WithHint(hint)
	case c.Kind == sqlfront.ClassCopy:
		return sqlerr.New(sqlerr.WrongObjectType, "cannot copy to view %q", name).WithHint(hint)
	}
	return sqlerr.New(sqlerr.WrongObjectType, "cannot execute %s on view %q", strings.ToUpper(c.Kind.String()), name).WithHint(hint)
}
