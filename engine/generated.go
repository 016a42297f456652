package engine

import (
	"context"
	"slices"

	"github.com/trireme-db/trireme/internal/load"
	"github.com/trireme-db/trireme/internal/sqlerr"
	"github.com/trireme-db/trireme/sqlfront"
)

// spellGenerated leaves generated columns out of an INSERT or UPDATE that gives them DEFAULT, as dumps do. Other values
// for them are an error, also where no columns are named: DuckDB would put a value into the column behind it.
func (p *Prepared) spellGenerated(ctx context.Context) error {
	s, c := p.session, p.class
	if c.Kind != sqlfront.ClassInsert && c.Kind != sqlfront.ClassUpdate || len(c.Target) == 0 {
		return nil
	}
	t, ok, err := s.catalogView().Table(ctx, c.Target)
	if err != nil || !ok || !t.Generated {
		return onlyFatal(ctx, err) // DuckDB has others
	}
	of := relation{database: t.Name.Catalog, schema: t.Name.Schema, name: t.Name.Name}
	list, err := s.textRows(ctx, "SELECT sql FROM duckdb_tables() WHERE "+of.place())
	if err != nil || len(list) == 0 {
		return err
	}
	table, ok := sqlfront.ParseTableText(list[0][0])
	if !ok || len(table.Stored) == len(table.Columns) {
		return nil
	}
	stored := func(column string) bool {
		isIt := func(name string) bool { return load.SameName(name, column) }
		return slices.ContainsFunc(table.Stored, isIt) || !slices.ContainsFunc(table.Columns, isIt)
	}
	edits, given := sqlfront.GeneratedEdits(p.sql, table.Columns, stored)
	if insert, short := sqlfront.ParseShortInsert(p.sql); short && c.Kind == sqlfront.ClassInsert && insert.Values == 0 {
		d, err := p.describe(ctx, insert.Source, p.hints)
		if err != nil {
			return onlyFatal(ctx, err)
		}
		for _, column := range table.Columns[:min(len(d.Columns), len(table.Columns))] {
			if given == "" && !stored(column) {
				given = column
			}
		}
	}
	if given == "" {
		return p.edit(ctx, edits)
	}
	message, hint := "cannot insert a non-DEFAULT value into column %q", "Name the columns that get values, without it."
	if c.Kind == sqlfront.ClassUpdate {
		message, hint = "column %q can only be updated to DEFAULT", "It follows the columns that it is calculated from."
	}
	e := sqlerr.New("428C9", message, given).WithHint("%s", hint) // generated always
	e.Detail = "Column " + load.Quote(given) + " is a generated column."
	return e
}
