// Package duckbackend is DuckDB: opening, preparing, streaming, scanning loads,
// running SQL over rows of ours, and the decomposed SQL of a logical plan. It
// is the only package with cgo.
package duckbackend

import (
	"github.com/trireme-db/trireme/internal/rows"
)

// Config says how a database is opened.
type Config struct {
	// Path is the database file; empty or ":memory:" for memory.
	Path string
	// Threads is DuckDB's number of threads; 0: DuckDB's default.
	Threads int
	// MemoryLimitBytes is DuckDB's memory_limit; 0: DuckDB's default.
	MemoryLimitBytes int64
}

// CatalogName is the fixed name under which the user's database is attached.
const CatalogName = "trireme"

// Description is what DuckDB says of a prepared statement.
type Description struct {
	Kind    StatementKind
	Columns []rows.Column // empty when no rows are returned
	Params  []rows.Type   // Invalid where DuckDB cannot tell
}

// StatementKind is DuckDB's statement type.
type StatementKind uint8

// Statement kinds that callers distinguish.
const (
	KindOther StatementKind = iota
	KindSelect
	KindInsert
	KindUpdate
	KindDelete
	KindExplain
	KindCreate
	KindDrop
	KindAlter
	KindCopy
	KindTransaction
	KindPragma
	KindSet
	KindAttach
	KindDetach
	KindCall
	KindMulti
)

// Arg is a bound parameter in text form with the type to cast it to.
type Arg struct {
	Type rows.Type
	Null bool
	Text string
}
