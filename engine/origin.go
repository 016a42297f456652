package engine

import (
	"context"
	"crypto/md5" //nolint:gosec // a number for a name, as the catalog has it
	"encoding/binary"
	"math/bits"
	"slices"

	"github.com/trireme-db/trireme/engine/pgcatalog"
	"github.com/trireme-db/trireme/internal/load"
	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/sqlfront"
)

// Origins are the columns of a table that the result's columns are, one for each of
// them, as far as the text of a SELECT over one table shows it, and their types where
// these are enumerations; nil: nothing is known.
func (p *Prepared) Origins(ctx context.Context) []rows.Origin {
	columns := p.Columns()
	if len(columns) == 0 {
		return nil
	}
	var origins []rows.Origin
	if !p.session.isPrivate() { // what it sees is read by its own connection, which may be busy
		origins, _ = p.tableOrigins(ctx, len(columns))
	}
	return p.session.engine.withTypes(ctx, columns, origins)
}

// tableOrigins are the origins of n columns in a table, and the table; nil: none.
func (p *Prepared) tableOrigins(ctx context.Context, n int) ([]rows.Origin, *sqlfront.Table) {
	if p.class.Kind != sqlfront.ClassSelect {
		return nil, nil
	}
	out := sqlfront.OutputsOf(p.sql)
	if out == nil {
		return nil, nil
	}
	table, found, err := p.session.catalogView().Table(ctx, out.Table)
	if err != nil || !found {
		return nil, nil // tools learn less; the statement itself has an answer
	}
	origins := originsIn(out.Items, table)
	if len(origins) != n {
		return nil, nil
	}
	return origins, table
}

// withTypes adds to the origins of columns, of which there are as many or none, the
// types of those that are enumerations.
func (e *Engine) withTypes(ctx context.Context, columns []rows.Column, origins []rows.Origin) []rows.Origin {
	if !slices.ContainsFunc(columns, func(c rows.Column) bool { return c.Type.ID == rows.Enum }) {
		return origins
	}
	enums, _, err := e.enumerations(ctx)
	if err != nil { // the columns are described as texts
		if ctx.Err() == nil {
			e.log.Warn("enumerations have no types for this statement", "error", err)
		}
		return origins
	}
	if origins == nil {
		origins = make([]rows.Origin, len(columns))
	}
	for i, c := range columns {
		if c.Type.ID == rows.Enum {
			if t, ok := enums.named[c.Type.Name]; ok {
				origins[i].Type = t.oid()
			}
		}
	}
	return origins
}

// originsIn are the origins of a list's items in a table.
func originsIn(items []sqlfront.Output, table *sqlfront.Table) []rows.Origin {
	oid := relationOID(table.Name)
	var origins []rows.Origin
	for _, item := range items {
		switch {
		case item.Star:
			for i := range table.Columns {
				origins = append(origins, rows.Origin{Table: oid, Column: i + 1})
			}
		default:
			i := slices.IndexFunc(table.Columns, func(c rows.Column) bool { return load.SameName(c.Name, item.Column) })
			if i < 0 {
				origins = append(origins, rows.Origin{})
				continue
			}
			origins = append(origins, rows.Origin{Table: oid, Column: i + 1})
		}
	}
	return origins
}

// relationOID is the OID of a table or view in pg_class, but where two names have the
// same number there (pgcatalog, C4).
func relationOID(name load.Table) uint32 {
	return nameOID("r." + name.Catalog + "." + name.Schema + "." + name.Name)
}

// nameOID is the number that the catalog gives to a name.
func nameOID(name string) uint32 {
	key := md5.Sum([]byte(name)) //nolint:gosec // a number for a name, as the catalog has it
	high, low := binary.LittleEndian.Uint64(key[8:]), binary.LittleEndian.Uint64(key[:8])
	return pgcatalog.FirstOID + uint32(bits.Rem64(high, low, pgcatalog.OIDs))
}
