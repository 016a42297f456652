package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/trireme-db/trireme/duckbackend"
	"github.com/trireme-db/trireme/internal/load"
	"github.com/trireme-db/trireme/internal/sqlerr"
	"github.com/trireme-db/trireme/sqlfront"
)

// altering is an ALTER TABLE under way. DuckDB changes one thing at a time, and hardly
// anything of a table that has indexes: a copy without them takes its place, which gets
// them after.
type altering struct {
	session *Session
	// of is the table: its database, its schema and its name, which may change.
	of      relation
	indexes []tableIndex
	// constraints are what its constraints are to be called, but those that are indexes.
	constraints []constraint
	// own are its foreign keys to itself, which it does not have while it is loose.
	own []foreignKey
	// missing counts the foreign keys to other tables that it is to get again.
	missing int
	// loose: what DuckDB minds has been taken from the table; keys are what of it was in
	// other tables.
	loose bool
	keys  []foreignKey
	// computed are expressions that the next copy has for columns, by the columns' names.
	computed map[string]string
	// changed: rows of the table may have been changed in the transaction, after which
	// DuckDB makes no index of it.
	changed bool
	// parent is the table to which this one refers, for which it is altered; all are the
	// tables that are altered together, by their first names.
	parent *altering
	all    map[relation]*altering
}

// relation is a table or a view as DuckDB lists it.
type relation struct {
	database, schema, name string
	view                   bool
}

// table is the table's name as what is known of tables is kept by.
func (r relation) table() load.Table {
	return load.Table{Catalog: r.database, Schema: r.schema, Name: r.name}.Folded()
}

func (r relation) sql() string { return quoteName([]string{r.database, r.schema, r.name}) }

// place is the condition that DuckDB lists something of the table.
func (r relation) place() string {
	return "database_name = " + quoteText(r.database) + " AND schema_name = " + quoteText(r.schema) + " AND table_name = " + quoteText(r.name)
}

// reference is the name in a foreign key, which has no database.
func (r relation) reference() string { return quoteName([]string{r.schema, r.name}) }

// tableIndex is an index of CREATE INDEX; gone: it is to be made again.
type tableIndex struct {
	name, sql, comment string
	gone               bool
}

// prepareAlterTable makes the statement for an ALTER TABLE; nil: there is no such table,
// or it is not understood, and DuckDB has the error.
func (s *Session) prepareAlterTable(ctx context.Context, p *Prepared) (statement, error) {
	if p.class.Object != "table" || len(p.class.Target) == 0 {
		return nil, nil
	}
	alter, ok := sqlfront.ParseAlterTable(p.sql)
	if !ok {
		return nil, nil
	}
	if err := s.detachOpen(ctx); err != nil {
		return nil, err
	}
	if err := s.enter(ctx); err != nil {
		return nil, err
	}
	of, err := s.relationOf(ctx, p.class)
	if err != nil || of == nil && !alter.Conditional && !alter.Foreign() {
		return nil, err
	}
	lengths := alteredLengths(alter)
	if declared, ok := sqlfront.ParseAlterTable(p.declared); ok {
		lengths = alteredLengths(declared)
	}
	return &program{session: s, tag: "ALTER TABLE", run: func(ctx context.Context) error {
		return s.runAlter(ctx, p.class, alter, lengths)
	}}, nil
}

func (s *Session) runAlter(ctx context.Context, c sqlfront.Class, alter sqlfront.AlterTable, lengths []sqlfront.DeclaredLength) error {
	of, err := s.relationOf(ctx, c)
	switch {
	case err != nil:
		return err
	case of == nil && alter.Conditional:
		s.tell("00000", fmt.Sprintf("relation %q does not exist, skipping", c.Target[len(c.Target)-1]))
		return nil
	case of == nil:
		return sqlerr.New(sqlerr.UndefinedTable, "Table with name %s does not exist!", c.Target[len(c.Target)-1])
	case of.view:
		return s.alterView(ctx, *of, alter)
	}
	a, err := s.beginAltering(ctx, *of)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(alter.Actions, sqlfront.AlterAction.ChangesColumns) && s.tx.changes[of.table()].hinderAlter() {
		if err := a.rewrite(ctx); err != nil {
			return err
		}
	}
	for _, action := range alter.Actions {
		if err := mustReferWithin(action.Text, of.schema, of.name); err != nil {
			return err
		}
		if err := a.do(ctx, action); err != nil {
			return err
		}
	}
	if err := a.fasten(ctx); err != nil {
		return err
	}
	for _, l := range lengths {
		if err := a.setLength(ctx, l.Column, l.Type); err != nil {
			return err
		}
	}
	return nil
}

// beginAltering locks a table, and reads what it has that altering it would lose.
func (s *Session) beginAltering(ctx context.Context, of relation) (a *altering, err error) {
	a = &altering{session: s, of: of}
	a.all = map[relation]*altering{of: a}
	if err := s.lockAltered(ctx, of); err != nil {
		return a, err
	}
	if a.indexes, err = s.indexesOf(ctx, of); err == nil {
		a.constraints, err = s.constraintsOf(ctx, of)
	}
	return a, err
}

// alterView changes a view, which Postgres lets ALTER TABLE do as well.
func (s *Session) alterView(ctx context.Context, of relation, alter sqlfront.AlterTable) error {
	for _, action := range alter.Actions {
		if action.Kind != sqlfront.AlterRename {
			return sqlerr.New(sqlerr.WrongObjectType, "%q is a view, and can only be renamed", of.name).WithHint("CREATE OR REPLACE VIEW defines it anew.")
		}
		if err := s.conn.Exec(ctx, "ALTER VIEW "+of.sql()+" "+action.Text); err != nil {
			return err
		}
	}
	return nil
}

// do does one action.
func (a *altering) do(ctx context.Context, action sqlfront.AlterAction) error {
	switch action.Kind {
	case sqlfront.AlterAddConstraint:
		return a.addConstraint(ctx, action)
	case sqlfront.AlterDropConstraint:
		return a.dropConstraint(ctx, action)
	case sqlfront.AlterRenameConstraint:
		return a.renameConstraint(ctx, action)
	case sqlfront.AlterAddColumn:
		return a.addColumn(ctx, action)
	case sqlfront.AlterAddIdentity:
		return a.addIdentity(ctx, action)
	case sqlfront.AlterDropIdentity, sqlfront.AlterSetIdentity:
		return a.changeIdentity(ctx, action)
	case sqlfront.AlterColumn:
		if done, err := a.retype(ctx, action); done || err != nil {
			return err
		}
	}
	switch action.Kind {
	case sqlfront.AlterRename:
		before := a.of
		if err := a.rename(ctx, action); err != nil {
			return err
		}
		return a.followOwner(ctx, before)
	case sqlfront.AlterDropColumn:
		return a.dropCounting(ctx, action)
	}
	if err := a.loosen(ctx, nil); err != nil {
		return err
	}
	if altered, retypes := sqlfront.TypeOfAlter(action.Rest); action.Kind == sqlfront.AlterColumn && (!retypes || altered.Collates) {
		return a.session.define(ctx, "ALTER TABLE "+a.of.sql()+" "+action.Text)
	}
	if err := a.exec(ctx, action.Text); err != nil {
		return err
	}
	if action.Kind != sqlfront.AlterRenameColumn {
		return nil
	}
	if err := a.followColumn(ctx, action.Column, action.To); err != nil {
		return err
	}
	renamed := map[string]string{load.Fold(action.Column): action.To}
	for i := range a.indexes {
		a.indexes[i].sql = sqlfront.IndexOn(a.indexes[i].sql, a.of.sql(), renamed)
	}
	for i := range a.keys {
		a.keys[i].text = sqlfront.ReferencesTo(a.keys[i].text, a.of.reference(), renamed)
	}
	for i := range a.own {
		a.own[i].text = sqlfront.ReferencesTo(sqlfront.KeyWith(a.own[i].text, renamed), a.of.reference(), renamed)
	}
	return a.followColumns(ctx)
}

// dropColumn drops a column with its indexes and constraints. DuckDB does not where
// there is a key of it, or of a column behind it.
func (a *altering) dropColumn(ctx context.Context, action sqlfront.AlterAction) error {
	if err := a.loosen(ctx, nil); err != nil {
		return err
	}
	indexed := len(a.indexes) // DuckDB minds those that the transaction has dropped
	a.indexes = slices.DeleteFunc(a.indexes, func(i tableIndex) bool { return sqlfront.IndexMentions(i.sql, action.Column) })
	keys, err := a.constraintsOn(ctx, action.Column, "list_max(constraint_column_indexes) >= place")
	if err != nil {
		return err
	}
	if keys == 0 && indexed == len(a.indexes) {
		return a.exec(ctx, action.Text)
	}
	return a.loosen(ctx, func(items []string) []string {
		return slices.DeleteFunc(items, func(item string) bool { return sqlfront.ItemHasColumn(item, action.Column) })
	})
}

// constraintsOn counts the constraints of the table for which a condition on the place of a
// column holds.
func (a *altering) constraintsOn(ctx context.Context, column, condition string) (int64, error) {
	return oneNumber(ctx, a.session.conn, "SELECT count(*) FROM duckdb_constraints() k, (SELECT column_index - 1 AS place FROM duckdb_columns() WHERE "+
		a.of.place()+" AND "+load.FoldedSQL("column_name")+" = "+quoteText(load.Fold(column))+") c WHERE "+a.of.place()+" AND constraint_type <> 'NOT NULL' AND "+condition)
}

func (a *altering) exec(ctx context.Context, action string) error {
	return a.session.conn.Exec(ctx, "ALTER TABLE "+a.of.sql()+" "+action)
}

func (a *altering) indexName(name string) string {
	return quoteName([]string{a.of.database, a.of.schema, name})
}

func (a *altering) makeIndex(ctx context.Context, i tableIndex) error {
	sql := sqlfront.IndexOn(i.sql, a.of.sql(), nil)
	if err := a.session.mustBeSteady(ctx, a.of, sql); err != nil {
		return err
	}
	if err := a.session.conn.Exec(ctx, sql); err != nil || i.comment == "" {
		return a.session.errOfIndex(err, a.of, i.name)
	}
	return a.session.conn.Exec(ctx, "COMMENT ON INDEX "+a.indexName(i.name)+" IS "+quoteText(i.comment))
}

// relationOf is the table or view that a statement speaks of; nil: there is none.
func (s *Session) relationOf(ctx context.Context, c sqlfront.Class) (*relation, error) {
	list, err := s.textRows(ctx, `SELECT database_name, schema_name, name, kind FROM (
SELECT database_name, schema_name, table_name AS name, 'table' AS kind FROM duckdb_tables()
UNION ALL SELECT database_name, schema_name, view_name, 'view' FROM duckdb_views())
WHERE `+load.FoldedSQL("name")+" = "+quoteText(load.Fold(c.Target[len(c.Target)-1]))+" AND "+s.placeOf(c)+`
ORDER BY `+s.firstPlace(c)+" LIMIT 1")
	if err != nil || len(list) == 0 {
		return nil, err
	}
	return &relation{database: list[0][0], schema: list[0][1], name: list[0][2], view: list[0][3] == "view"}, nil
}

// indexesOf are the indexes of a table, but for those of its constraints.
func (s *Session) indexesOf(ctx context.Context, of relation) ([]tableIndex, error) {
	list, err := s.textRows(ctx, "SELECT index_name, sql, coalesce(comment, '') FROM duckdb_indexes() WHERE "+of.place()+" AND sql IS NOT NULL ORDER BY index_oid")
	indexes := make([]tableIndex, len(list))
	for i, row := range list {
		indexes[i] = tableIndex{name: row[0], sql: row[1], comment: row[2]}
	}
	return indexes, err
}

// textRows are the rows of a query of texts on the session's connection.
func (s *Session) textRows(ctx context.Context, sql string) (list [][]string, err error) {
	if err := s.detachOpen(ctx); err != nil {
		return nil, err
	}
	return textRows(ctx, s.conn, sql)
}

// textRows are the rows of a query of texts.
func textRows(ctx context.Context, conn *duckbackend.Conn, sql string) (list [][]string, err error) {
	cur, err := conn.Query(ctx, sql)
	if err != nil {
		return nil, withoutPlace(err)
	}
	defer func() { err = errors.Join(err, cur.Close()) }()
	for {
		b, err := cur.Next(ctx)
		if err != nil || b == nil {
			return list, err
		}
		for i := range b.N {
			row := make([]string, len(b.Cols))
			for c := range b.Cols {
				row[c] = b.Cols[c].Str[i]
			}
			list = append(list, row)
		}
		if len(list) > textRowsMax {
			return nil, sqlerr.New(sqlerr.ProgramLimit, "a function that the session performs is called for more than %d rows", textRowsMax).
				WithHint("Call it in several statements.")
		}
	}
}

// textRowsMax bounds the rows that a session reads to act on them.
const textRowsMax = 100_000
