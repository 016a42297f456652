package engine

import (
	"context"
	"strings"

	"github.com/trireme-db/trireme/internal/load"
	"github.com/trireme-db/trireme/internal/sqlerr"
	"github.com/trireme-db/trireme/sqlfront"
)

// makeSequence makes the sequence of a column that is to count, and returns the column's
// default.
func (a *altering) makeSequence(ctx context.Context, col sqlfront.SerialColumn) (byDefault string, err error) {
	temporary := a.of.database == "temp"
	qualifiers := []string{a.of.schema}
	if temporary {
		qualifiers = nil
	}
	full, statements, err := a.session.newSequence(ctx, qualifiers, temporary, a.of.name, col)
	if err != nil {
		return "", err
	}
	return "nextval(" + quoteText(full) + ")", execAll(ctx, a.session.conn, statements...)
}

// addSequence makes the sequence of a column that is added and counts, and writes the default
// for it into the action.
func (a *altering) addSequence(ctx context.Context, action *sqlfront.AlterAction) error {
	text, col, counts := sqlfront.AddedSerial(*action)
	if !counts {
		return nil
	}
	byDefault, err := a.makeSequence(ctx, col)
	if err != nil {
		return err
	}
	begin := len(text) - len(action.Rest)
	action.Rest = text[begin:col.Start] + col.Type + " NOT NULL DEFAULT " + byDefault + text[col.End:]
	return nil
}

// addIdentity lets a column count, which must be NOT NULL and have no default, as in Postgres.
func (a *altering) addIdentity(ctx context.Context, action sqlfront.AlterAction) error {
	column, err := a.existing(ctx, action.Column)
	switch {
	case err != nil:
		return err
	case column.byDefault != "":
		return sqlerr.New(sqlerr.NotInState, "column %q of relation %q already has a default value", action.Column, a.of.name).
			WithHint("ALTER TABLE .. ALTER COLUMN .. DROP DEFAULT takes it away.")
	case column.nullable:
		return sqlerr.New(sqlerr.NotInState, "column %q of relation %q must be declared NOT NULL before identity can be added", action.Column, a.of.name).
			WithHint("ALTER TABLE .. ALTER COLUMN .. SET NOT NULL declares it.")
	}
	col := action.Counts
	col.Name = action.Column
	byDefault, err := a.makeSequence(ctx, col)
	if err == nil {
		err = a.loosen(ctx, nil)
	}
	if err != nil {
		return err
	}
	return a.exec(ctx, "ALTER COLUMN "+quoteName([]string{action.Column})+" SET DEFAULT "+byDefault)
}

// changeIdentity lets a column count no longer, or says again that it does: DuckDB lets
// ALWAYS columns be given values, too.
func (a *altering) changeIdentity(ctx context.Context, action sqlfront.AlterAction) error {
	column, err := a.existing(ctx, action.Column)
	if err != nil {
		return err
	}
	owned, err := a.ownedBy(ctx, column.byDefault)
	switch {
	case err != nil:
		return err
	case owned == "" && action.Conditional:
		a.session.tell("00000", "column "+quoteIfNeeded(action.Column)+" of relation "+quoteIfNeeded(a.of.name)+" is not an identity column, skipping")
		return nil
	case owned == "":
		return sqlerr.New(sqlerr.NotInState, "column %q of relation %q is not an identity column", action.Column, a.of.name)
	case action.Kind == sqlfront.AlterSetIdentity:
		return nil
	}
	if err := a.loosen(ctx, nil); err != nil {
		return err
	}
	if err := a.exec(ctx, "ALTER COLUMN "+quoteName([]string{action.Column})+" DROP DEFAULT"); err != nil {
		return err
	}
	return a.session.conn.Exec(ctx, "DROP SEQUENCE "+owned)
}

// dropCounting drops a column, and the sequence that belongs to it.
func (a *altering) dropCounting(ctx context.Context, action sqlfront.AlterAction) error {
	column, err := a.columnOf(ctx, action.Column)
	if err != nil {
		return err
	}
	owned, err := a.ownedBy(ctx, column.byDefault)
	if err == nil {
		err = a.dropColumn(ctx, action)
	}
	if err != nil || owned == "" {
		return err
	}
	return a.session.conn.Exec(ctx, "DROP SEQUENCE "+owned)
}

// countable is what matters of a column that counts or is to.
type countable struct {
	there, nullable bool
	byDefault       string // empty: none
}

func (a *altering) columnOf(ctx context.Context, name string) (countable, error) {
	list, err := a.session.textRows(ctx, "SELECT is_nullable::VARCHAR, coalesce(column_default, '') FROM duckdb_columns() WHERE "+a.of.place()+
		" AND "+load.FoldedSQL("column_name")+" = "+quoteText(load.Fold(name)))
	if err != nil || len(list) == 0 {
		return countable{}, err
	}
	return countable{there: true, nullable: list[0][0] == "true", byDefault: list[0][1]}, nil
}

// existing is columnOf for a column that must be there.
func (a *altering) existing(ctx context.Context, name string) (countable, error) {
	c, err := a.columnOf(ctx, name)
	if err == nil && !c.there {
		err = sqlerr.New(sqlerr.UndefinedColumn, "column %q of relation %q does not exist", name, a.of.name)
	}
	return c, err
}

// ownedBy is the name in SQL of the sequence that belongs to the column with a default; empty: none
// does.
func (a *altering) ownedBy(ctx context.Context, byDefault string) (string, error) {
	name, counts := strings.CutPrefix(byDefault, "nextval('")
	if !counts {
		return "", nil
	}
	name, _, _ = strings.Cut(strings.ReplaceAll(name, "''", "\x00"), "'")
	parts := splitOutsideQuotes(strings.ReplaceAll(name, "\x00", "'"), '.')
	last, err := unquoteName(parts[len(parts)-1])
	if err != nil {
		return "", err
	}
	schema := a.of.schema
	if n := len(parts); n > 1 {
		if schema, err = unquoteName(parts[n-2]); err != nil {
			return "", err
		}
	}
	list, err := a.session.textRows(ctx, "SELECT database_name, schema_name, sequence_name FROM duckdb_sequences() WHERE comment = "+quoteText(ownedComment)+
		" AND database_name = "+quoteText(a.of.database)+" AND "+load.FoldedSQL("schema_name")+" = "+quoteText(load.Fold(schema))+" AND "+load.FoldedSQL("sequence_name")+" = "+quoteText(load.Fold(last)))
	if err != nil || len(list) == 0 {
		return "", err
	}
	return quoteName(list[0]), nil
}
