package engine

import (
	"context"

	"github.com/trireme-db/trireme/duckbackend"
	"github.com/trireme-db/trireme/engine/advisory"
	"github.com/trireme-db/trireme/engine/catalog"
	"github.com/trireme-db/trireme/internal/load"
	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/internal/sqlerr"
	"github.com/trireme-db/trireme/sqlfront"
)

// Append writes the rows of rel into a table of the open transaction, whose
// columns are those of rel in number and order, and returns how many there were. It is how
// many rows enter at once; after an error the transaction has failed.
func (s *Session) Append(ctx context.Context, table string, rel rows.Cursor) (n int64, err error) {
	defer s.guard(&err)
	if s.tx.status != TxActive {
		return 0, sqlerr.New(sqlerr.NoActiveTransaction, "rows are appended in a transaction only")
	}
	if err := s.detachOpen(ctx); err != nil {
		return 0, err
	}
	if err := s.enter(ctx); err != nil {
		return 0, s.fail(err)
	}
	to := load.Table{Catalog: duckbackend.CatalogName, Schema: catalog.DefaultSchema, Name: table}
	targets := catalog.Targets{Tables: []load.Table{to}}
	if _, err := s.holdTables(ctx, targets, advisory.Shared); err != nil {
		return 0, s.fail(err)
	}
	e := &redoEntry{
		kind: redoRows, settings: s.redoSettings(), pin: s.tx.pin, first: -1, target: []string{to.Catalog, to.Schema, to.Name},
		class: sqlfront.Classify("INSERT INTO " + load.Quote(table) + " DEFAULT VALUES"),
	}
	s.tx.redo.open++
	s.tx.write.Add(targets)
	counted := &countedRows{Cursor: rel}
	if err := s.conn.AppendRows(ctx, to, counted); err != nil {
		return 0, s.fail(s.explainViolation(ctx, err))
	}
	s.endRedo(e, counted.n)
	return counted.n, nil
}

// countedRows counts the rows that pass.
type countedRows struct {
	rows.Cursor
	n int64
}

// Next returns the next rows.
func (c *countedRows) Next(ctx context.Context) (*rows.Batch, error) {
	b, err := c.Cursor.Next(ctx)
	if b != nil {
		c.n += int64(b.N)
	}
	return b, err
}
