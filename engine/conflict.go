package engine

import (
	"context"
	"encoding/json"

	"github.com/trireme-db/trireme/internal/load"
	"github.com/trireme-db/trireme/internal/sqlerr"
	"github.com/trireme-db/trireme/sqlfront"
)

// spellConflict writes an ON CONFLICT for DuckDB, which does not know names of constraints, and refuses
// DO NOTHING where there is no key that rows could be in conflict over.
func (p *Prepared) spellConflict(ctx context.Context) (changed bool, err error) {
	c, ok := sqlfront.ParseConflict(p.sql)
	if !ok {
		return false, nil
	}
	s := p.session
	of, err := s.relationOf(ctx, sqlfront.Class{Kind: sqlfront.ClassAlter, Object: "table", Target: c.Table})
	if err != nil || of != nil && of.view {
		return false, err
	}
	if of == nil {
		return false, sqlerr.New(sqlerr.UndefinedTable, "Table with name %s does not exist!", c.Table[len(c.Table)-1])
	}
	if err := s.engine.readyViews(ctx); err != nil {
		return false, err
	}
	keys, err := s.textRows(ctx, "SELECT constraint_name, to_json(constraint_column_names)::VARCHAR FROM "+declaredConstraints+" WHERE "+of.place()+
		" AND constraint_type IN ('PRIMARY KEY', 'UNIQUE') UNION ALL SELECT NULL, NULL FROM duckdb_indexes() WHERE "+of.place()+" AND is_unique")
	if err != nil {
		return false, err
	}
	if c.Constraint == "" {
		if len(keys) > 0 {
			return false, nil
		}
		return true, p.edit(ctx, c.Without())
	}
	for _, key := range keys {
		if !load.SameName(key[0], c.Constraint) {
			continue
		}
		var columns []string
		if err := json.Unmarshal([]byte(key[1]), &columns); err != nil {
			return false, err
		}
		return true, p.edit(ctx, c.OnColumns(columns))
	}
	return false, sqlerr.New(sqlerr.UndefinedObject, "constraint %q for table %q does not exist", c.Constraint, of.name).
		WithHint("ON CONSTRAINT takes a primary key or a UNIQUE constraint. pg_constraint lists the names of constraints.")
}
