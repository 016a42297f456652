//go:build !duckdb_use_lib

package duckbackend

// #cgo LDFLAGS: -Wl,--wrap=_ZN6duckdb23MaterializedQueryResultC1ENS_13StatementTypeENS_19StatementPropertiesENS_6vectorINSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEELb1ESaIS9_EEENS_10unique_ptrINS_20ColumnDataCollectionESt14default_deleteISD_ELb1EEENS_16ClientPropertiesE
// #cgo LDFLAGS: -Wl,--wrap=_ZN6duckdb18TransactionContext6CommitEv
// #include "hold.h"
import "C"

import "runtime"

// HoldsCommits: DuckDB holds back the commit of what writes and returns rows until they have
// been read.
const HoldsCommits = true

// holding calls fn, which executes a statement, whose commit is held back where its result has so
// many rows.
func (c *Conn) holding(fromRows int, fn func()) fate {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	C.triremeHold(c.context, C.uint64_t(fromRows))
	fn()
	return fate(C.triremeFate())
}
