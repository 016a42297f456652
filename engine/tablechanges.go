package engine

import (
	"github.com/trireme-db/trireme/engine/catalog"
	"github.com/trireme-db/trireme/internal/load"
	"github.com/trireme-db/trireme/sqlfront"
)

// tableChanges are what a transaction has done to a table.
type tableChanges uint8

const (
	insertedRows tableChanges = 1 << iota
	changedRows               // or deleted
	alteredTable
	// madeTable: it is the transaction's own, which DuckDB alters as it is.
	madeTable
)

// hinderAlter reports whether DuckDB might alter the table and not commit it, or find rows of its that are
// gone.
func (c tableChanges) hinderAlter() bool {
	return c&madeTable == 0 && c&(insertedRows|changedRows) != 0
}

// hinderIndex reports whether DuckDB would make no index of the table, or one in which it finds rows that
// are gone.
func (c tableChanges) hinderIndex() bool {
	return c.hinderAlter() && c&(changedRows|alteredTable) != 0
}

// changesOf are what a statement does to the tables that it writes.
func changesOf(c sqlfront.Class, sql string) tableChanges {
	switch c.Kind {
	case sqlfront.ClassInsert:
		if sqlfront.ResolvesConflicts(sql) {
			return changedRows
		}
		return insertedRows
	case sqlfront.ClassCopy:
		return insertedRows
	case sqlfront.ClassUpdate, sqlfront.ClassDelete, sqlfront.ClassMerge:
		return changedRows
	case sqlfront.ClassAlter:
		return alteredTable
	case sqlfront.ClassCreate:
		if c.Object == "table" && !c.Conditional {
			return madeTable
		}
	}
	return 0
}

// note notes what has been done to a table. One that has been made has no changes from before.
func (tx *transaction) note(t load.Table, c tableChanges) {
	if tx.status != TxActive || c == 0 {
		return
	}
	if tx.changes == nil {
		tx.changes = map[load.Table]tableChanges{}
	}
	if c != madeTable {
		c |= tx.changes[t]
	}
	tx.changes[t] = c
}

// noteAll notes what a statement has done.
func (tx *transaction) noteAll(c sqlfront.Class, sql string, targets catalog.Targets) {
	if tx.status != TxActive || len(targets.Tables) == 0 {
		return
	}
	changes := changesOf(c, sql)
	for _, t := range targets.Tables {
		tx.note(t.Folded(), changes)
	}
}

// unmade forgets which tables are the transaction's own: it has begun anew.
func (tx *transaction) unmade() {
	for t := range tx.changes {
		tx.changes[t] &^= madeTable
	}
}
