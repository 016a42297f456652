package engine

import (
	"context"

	"github.com/trireme-db/trireme/engine/catalog"
	"github.com/trireme-db/trireme/internal/load"
	"github.com/trireme-db/trireme/internal/sqlerr"
	"github.com/trireme-db/trireme/sqlfront"
)

// makeSequence makes the sequence of a column that is to count, and returns the column's
// default.
func (a *altering) makeSequence(ctx context.Context, col sqlfront.SerialColumn) (byDefault string, err error) {
	temporary := a.of.database == catalog.Temporary
	place, shown := []string{a.of.database, a.of.schema}, []string{a.of.schema}
	if temporary {
		place, shown = nil, nil
	}
	name, err := a.session.newSequence(ctx, place, temporary, a.of.name, col)
	if err != nil {
		return "", err
	}
	return drawsNext(shown, name), a.session.setOwner(ctx, []string{a.of.database, a.of.schema, name}, a.of, col.Name)
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

// changeIdentity lets a column count no longer, or otherwise, or says again that it does: DuckDB lets
// ALWAYS columns be given values, too.
func (a *altering) changeIdentity(ctx context.Context, action sqlfront.AlterAction) error {
	column, err := a.existing(ctx, action.Column)
	if err != nil {
		return err
	}
	owned, err := a.session.ownedOf(ctx, a.of, action.Column)
	if column.byDefault == "" {
		owned = nil
	}
	switch {
	case err != nil:
		return err
	case len(owned) == 0 && action.Conditional:
		a.session.tell("00000", "column "+quoteIfNeeded(action.Column)+" of relation "+quoteIfNeeded(a.of.name)+" is not an identity column, skipping")
		return nil
	case len(owned) == 0:
		return sqlerr.New(sqlerr.NotInState, "column %q of relation %q is not an identity column", action.Column, a.of.name)
	case action.Kind == sqlfront.AlterSetIdentity && action.Sequence.Counts():
		return a.session.changeSequence(ctx, owned[0].parts, &action.Sequence)
	case action.Kind == sqlfront.AlterSetIdentity:
		return nil
	}
	if err := a.loosen(ctx, nil); err != nil {
		return err
	}
	if err := a.exec(ctx, "ALTER COLUMN "+quoteName([]string{action.Column})+" DROP DEFAULT"); err != nil {
		return err
	}
	return a.session.dropSequences(ctx, owned)
}

// dropCounting drops a column, and the sequences that belong to it.
func (a *altering) dropCounting(ctx context.Context, action sqlfront.AlterAction) error {
	owned, err := a.session.ownedOf(ctx, a.of, action.Column)
	if err == nil {
		err = a.dropColumn(ctx, action)
	}
	if err != nil {
		return err
	}
	return a.session.dropSequences(ctx, owned)
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
