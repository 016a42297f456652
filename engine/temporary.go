package engine

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/translate"
)

// temporaryRows are what an execution has read of the session's temporary tables, by text:
// only the session's connection sees them.
type temporaryRows struct {
	mu   sync.Mutex
	kept map[string][]*rows.Batch
}

// sessionRows runs a relation that reads temporary tables on the session's connection, once.
func (q *queryRun) sessionRows(ctx context.Context, rel *translate.Relation) (rows.Cursor, error) {
	t := q.temporary
	t.mu.Lock()
	defer t.mu.Unlock()
	batches, ok := t.kept[rel.SQL]
	if !ok {
		var err error
		if batches, err = q.readSession(ctx, rel); err != nil {
			return nil, err
		}
		t.kept[rel.SQL] = batches
	}
	return &batchCursor{batches: batches, columns: rel.Columns}, nil
}

func (q *queryRun) readSession(ctx context.Context, rel *translate.Relation) (batches []*rows.Batch, err error) {
	if err := q.session.detachOpen(ctx); err != nil {
		return nil, err
	}
	cur, err := q.session.conn.Query(ctx, rel.SQL, q.args(rel.SQL)...)
	if err != nil {
		return nil, q.scanError(ctx, err)
	}
	defer func() { err = errors.Join(err, cur.Close()) }()
	if !slices.EqualFunc(cur.Columns(), rel.Columns, readAlike) {
		return nil, &translate.Ineligible{Reason: "DuckDB gives a part of the statement another type when it stands alone"}
	}
	left, held := q.account.left(), int64(0) // 0: there is no bound
	for {
		b, err := cur.Next(ctx)
		if err != nil || b == nil {
			return batches, err
		}
		if held += int64(batchBytes(b)); left > 0 && held > left {
			return nil, errBudget
		}
		batches = append(batches, copyBatch(b))
	}
}
