// Package duckbackend is DuckDB: opening, preparing, streaming, scanning loads,
// running SQL over rows of ours, and the decomposed SQL of a logical plan. It
// is the only package with cgo, and that only through DuckDB's bindings.
//
// In go SQL texts, load Specs and logical plans; out come rows.Cursors and
// *sqlerr.Errors. Invariants:
//
//	D1. A Conn does one thing at a time. While a Cursor is open on it, anything
//	    else is refused, since DuckDB would kill the stream without a word.
//	D2. Whatever is running can be stopped, from any goroutine, by its context,
//	    Interrupt or Close; none of them may race with the release of memory:
//	    Conn.use is held while DuckDB works or frees, Conn.mu guards what Interrupt
//	    reads. Only the owner of a Cursor frees its memory.
//	D3. Batches alias DuckDB's memory until the next Next or Close (rows R1);
//	    strings are copies.
//	D4. Only SELECT is streamed. A statement that changes data has finished when
//	    Execute returns: a stream closed early is rolled back.
//	D5. Every result, chunk, value, type and statement that DuckDB hands out is
//	    destroyed, on errors too.
//	D6. QueryRelation and RunDecomposed leave no temporary table behind.
//
// Read next: conn.go (interruption), stmt.go and cursor.go (execution),
// vector.go and textcast.go (values), decompose.go (plans as SQL).
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
	// ExpressionDepthMax is DuckDB's max_expression_depth of all connections; 0: 1000,
	// DuckDB's default and the most that the stack of a thread takes.
	ExpressionDepthMax int
	// Invalidated is called once, by any goroutine, with the error after which the database
	// does nothing any more (ErrInvalidated); it may be nil.
	Invalidated func(error)
	// Detached is called, by any goroutine, with the name of an attached database that
	// DuckDB has closed because it could not be written, after it was detached; it may be nil.
	Detached func(database string)
	// Confined keeps SQL away from files and the network, but for Directories, and
	// locks the settings that would change that.
	Confined    bool
	Directories []string
	// Functions are known before the database is opened, which may have to evaluate
	// what it has of them.
	Functions Functions
}

// ExpressionDepthMax is the most that Config.ExpressionDepthMax may be.
const ExpressionDepthMax = 1000

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

// The kinds of statement. KindMulti is a text that DuckDB makes several statements of.
const (
	KindOther StatementKind = iota
	KindSelect
	KindInsert
	KindUpdate
	KindDelete
	KindMerge
	KindExplain
	KindCreate
	KindDrop
	KindAlter
	KindCopy
	KindCopyDatabase
	KindExport
	KindTransaction
	KindPragma
	KindSet
	KindAttach
	KindDetach
	KindCall
	KindPrepare
	KindExecute
	KindVacuum
	KindLoad
	KindMulti
)

var kindNames = map[StatementKind]string{
	KindOther: "another statement", KindSelect: "SELECT", KindInsert: "INSERT", KindUpdate: "UPDATE", KindDelete: "DELETE", KindMerge: "MERGE",
	KindExplain: "EXPLAIN", KindCreate: "CREATE", KindDrop: "DROP", KindAlter: "ALTER", KindCopy: "COPY", KindCopyDatabase: "COPY DATABASE",
	KindExport: "EXPORT", KindTransaction: "transaction control", KindPragma: "PRAGMA", KindSet: "SET", KindAttach: "ATTACH", KindDetach: "DETACH",
	KindCall: "CALL", KindPrepare: "PREPARE", KindExecute: "EXECUTE", KindVacuum: "VACUUM", KindLoad: "LOAD", KindMulti: "several statements",
}

// String names the kind as errors do.
func (k StatementKind) String() string { return kindNames[k] }

// Arg is a bound parameter in text form with the type to cast it to.
type Arg struct {
	Type rows.Type
	Null bool
	Text string
}
