package engine

import (
	"context"

	"github.com/trireme-db/trireme/sqlfront"
)

// nameColumns names the first columns of the table in an INSERT that names none and has fewer values: the others
// take their defaults, as in Postgres.
func (p *Prepared) nameColumns(ctx context.Context) (changed bool, err error) {
	if p.class.Kind != sqlfront.ClassInsert {
		return false, nil
	}
	insert, ok := sqlfront.ParseShortInsert(p.sql)
	if !ok {
		return false, nil
	}
	s := p.session
	of, err := s.relationOf(ctx, sqlfront.Class{Kind: sqlfront.ClassAlter, Object: "table", Target: insert.Table})
	if err != nil || of == nil || of.view {
		return false, err
	}
	list, err := s.textRows(ctx, "SELECT sql FROM duckdb_tables() WHERE "+of.place())
	if err != nil || len(list) == 0 {
		return false, err
	}
	table, ok := sqlfront.ParseTableText(list[0][0])
	if !ok {
		return false, nil
	}
	n := insert.Values
	if n == 0 {
		d, err := p.describe(ctx, insert.Source, p.hints)
		if err != nil {
			return false, onlyFatal(ctx, err)
		}
		n = len(d.Columns)
	}
	if n == 0 || n >= len(table.Stored) {
		return false, nil
	}
	return true, p.edit(ctx, insert.OnColumns(table.Stored[:n]))
}
