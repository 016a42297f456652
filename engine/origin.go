package engine

import (
	"context"
	"crypto/md5" //nolint:gosec // a number for a name, as the catalog has it
	"encoding/binary"
	"math/bits"
	"slices"
	"strings"

	"github.com/trireme-db/trireme/engine/pgcatalog"
	"github.com/trireme-db/trireme/internal/load"
	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/sqlfront"
)

// Origins are the columns of a table that the result's columns are, one for each of
// them, as far as the text of a SELECT over one table shows it; nil: of none.
func (p *Prepared) Origins(ctx context.Context) []rows.Origin {
	s := p.session
	columns := p.Columns()
	if p.class.Kind != sqlfront.ClassSelect || len(columns) == 0 || s.isPrivate() {
		return nil // what a private session sees is read by its own connection, which may be busy
	}
	out := sqlfront.OutputsOf(p.sql)
	if out == nil {
		return nil
	}
	table, found, err := s.catalogView().Table(ctx, out.Table)
	if err != nil || !found {
		return nil // tools learn less; the statement itself has an answer
	}
	origins := originsIn(out.Items, table)
	if len(origins) != len(columns) {
		return nil
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
			i := slices.IndexFunc(table.Columns, func(c rows.Column) bool { return strings.EqualFold(c.Name, item.Column) })
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
	key := md5.Sum([]byte("r." + name.Catalog + "." + name.Schema + "." + name.Name)) //nolint:gosec // see above
	high, low := binary.LittleEndian.Uint64(key[8:]), binary.LittleEndian.Uint64(key[:8])
	return pgcatalog.FirstOID + uint32(bits.Rem64(high, low, pgcatalog.OIDs))
}
