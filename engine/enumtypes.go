package engine

import (
	"context"
	"errors"
	"sync"

	"github.com/trireme-db/trireme/duckbackend"
)

// enumTypes are the OIDs of the user's enumerations by DuckDB's spelling of their types,
// of one version of the catalog.
type enumTypes struct {
	mu      sync.Mutex
	known   bool
	version uint64
	oids    map[string]uint32
}

// enumQuery lists the enumerations as pgcatalog's view _enum does.
const enumQuery = "SELECT schema_name || '.' || type_name, 'ENUM(' || array_to_string(list_transform(labels, lambda e: '''' || replace(e, '''', '''''') || ''''), ', ') || ')'" +
	" FROM duckdb_types() WHERE database_name = '" + duckbackend.CatalogName + "' AND logical_type = 'ENUM' AND NOT internal ORDER BY schema_name, type_name"

// enumOIDs are the OIDs in pg_type of the enumerations that all sessions see; none while
// DDL is in flight. They are read once per version of the catalog. Of enumerations with
// the same labels, which DuckDB does not tell apart, it is the first by schema and name.
func (e *Engine) enumOIDs(ctx context.Context) (map[string]uint32, error) {
	t := &e.enums
	t.mu.Lock()
	defer t.mu.Unlock()
	version, stable := e.catalog.Versions.Schema()
	if t.known && t.version == version {
		return t.oids, nil
	}
	if !stable {
		return nil, nil
	}
	oids := map[string]uint32{}
	err := e.workers.lend(ctx, func(c *duckbackend.Conn) (err error) {
		cur, err := c.Query(ctx, enumQuery)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, cur.Close()) }()
		for {
			b, err := cur.Next(ctx)
			if b == nil || err != nil {
				return err
			}
			for i := range b.N {
				if spelling := b.Cols[1].Str[i]; oids[spelling] == 0 {
					oids[spelling] = nameOID("t." + b.Cols[0].Str[i])
				}
			}
		}
	})
	if err != nil {
		return nil, err
	}
	if after, stable := e.catalog.Versions.Schema(); !stable || after != version {
		return nil, nil
	}
	t.known, t.version, t.oids = true, version, oids
	return oids, nil
}
