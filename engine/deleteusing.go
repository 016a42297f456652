package engine

import (
	"context"
	"errors"
	"slices"

	"github.com/trireme-db/trireme/internal/load"
	"github.com/trireme-db/trireme/sqlfront"
)

// deleteOnce lets a DELETE .. USING delete each row once, however many matches it has: DuckDB deletes it as often from
// the indexes of a table, and fails where the row is of the same transaction.
func (p *Prepared) deleteOnce(ctx context.Context) error {
	if p.class.Kind != sqlfront.ClassDelete {
		return nil
	}
	d, ok := sqlfront.ParseUsingDelete(p.sql)
	if !ok {
		return nil
	}
	s := p.session
	if err := errors.Join(s.detachOpen(ctx), s.enter(ctx)); err != nil {
		return err
	}
	of, err := s.relationOf(ctx, sqlfront.Class{Kind: sqlfront.ClassAlter, Object: "table", Target: d.Table})
	if err != nil || of == nil || of.view {
		return err
	}
	list, err := s.textRows(ctx, "SELECT sql FROM duckdb_tables() WHERE "+of.place()+" AND (has_primary_key OR index_count > 0)")
	if err != nil || len(list) == 0 {
		return err
	}
	table, ok := sqlfront.ParseTableText(list[0][0])
	if !ok || slices.ContainsFunc(table.Columns, func(c string) bool { return load.SameName(c, "rowid") }) { // which hides the number
		return nil
	}
	return p.bindInstead(ctx, d.Once(), func() {})
}
