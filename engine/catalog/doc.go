// Package catalog is the versioned view of DuckDB's catalog: which tables,
// columns and functions there are, and which version of a table a statement
// reads.
//
// In: what sessions write and commit, and DuckDB's own description of its
// catalog. Out: the Catalog that sqlfront binds against, and Snapshots that name
// the version of every table a native statement reads.
//
// Invariants:
//
//	C1. While a transaction may have changed a table and the outcome is not yet
//	    known here, the table has a writer in flight: the count goes up before
//	    DuckDB sees the write and comes down after DuckDB has answered the commit
//	    or rollback.
//	C2. Versions of all tables that one transaction wrote change in one critical
//	    section, the one in which their writers leave.
//	C3. A version is the number of a commit. All versions come from one clock, so
//	    "changed since the transaction began" is one comparison with its Pin.
//	C4. A version that moves without a change of data costs a reload; data that
//	    changes without a version is a wrong answer. In doubt the version moves.
//	C5. What a statement reads before it writes is the version before: its own
//	    writer counts from Intent.Begin on, which comes before DuckDB sees the write.
//	C6. A write of which DuckDB may have made the commit says so before: Write.Ending. What
//	    a snapshot that is taken later has of others is a version above the pins before,
//	    or is ending.
//
// Why C1 is enough without holding a lock around DuckDB's COMMIT: take a
// Snapshot with no writer in flight at version v, and a scan that starts after
// it. If the scan sees a commit that v does not name, that commit's writer
// entered after the Snapshot and either is still in flight when the scan has
// ended or has moved the version; Unchanged reports both. The same holds for a
// Pin: a commit that the pinned snapshot may or may not contain gets a version
// above the Pin.
//
// Read versions.go first, then lookup.go.
package catalog
