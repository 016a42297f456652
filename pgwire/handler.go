package pgwire

import (
	"context"
	"time"

	"github.com/trireme-db/trireme/internal/rows"
)

// Handler makes sessions; engine implements it through an adapter in cmd.
type Handler interface {
	// Open starts a session for a connection that has been authenticated.
	Open(ctx context.Context, params StartupParams) (Session, error)
}

// StartupParams are what the client said at startup.
type StartupParams struct {
	User, Database string
	Options        map[string]string // all other run-time parameters, lower-case names
	Remote         string            // the client's address
	// PID is the process id that the client is told.
	PID uint32
	// Interrupt cancels the message that is being answered, as a CancelRequest does. It
	// may be called from any goroutine.
	Interrupt func()
	// Terminate ends the connection with 57P01, what it runs as well. It may be called
	// from any goroutine.
	Terminate func()
	// Abandon ends the connection with an error, since what the session runs has been
	// cancelled and does not stop. It may be called from any goroutine; the session is
	// closed once its method has returned.
	Abandon func(err error)
}

// TxStatus is the byte of ReadyForQuery.
type TxStatus byte

// Transaction states.
const (
	TxIdle   TxStatus = 'I'
	TxActive TxStatus = 'T'
	TxFailed TxStatus = 'E'
)

// Session is one connection's state. Its methods are called by one goroutine
// at a time, but Cancel, which may be called from any.
type Session interface {
	// Split splits the text of a simple query into statements, in order, empty ones
	// left out. The caller runs them one by one by Prepare
	// and Execute inside one implicit transaction, which it brackets with
	// BeginImplicit and EndImplicit when there are several.
	Split(sql string) ([]Span, error)
	// BeginImplicit opens an implicit transaction unless a transaction of either
	// kind is open. It is called before every statement of a group (a simple query
	// of several statements, or what a client pipelines up to Sync). BEGIN inside
	// makes the transaction explicit; COMMIT and ROLLBACK end it.
	BeginImplicit(ctx context.Context) error
	// EndImplicit commits (ok) or rolls back what BeginImplicit opened. It does
	// nothing when that transaction has become explicit or has ended.
	EndImplicit(ctx context.Context, ok bool) error
	// Prepare parses and binds one statement. An empty statement gives a
	// Statement with Empty set. Types that are Invalid are to be inferred.
	Prepare(ctx context.Context, sql string, paramTypes []rows.Type) (Statement, error)
	// TxStatus is the state of the transaction. Within an implicit one both
	// TxIdle and TxActive will do; clients do not see it.
	TxStatus() TxStatus
	// Parameters are ParameterStatus values that changed since the last call; the
	// first call returns all.
	Parameters() map[string]string
	// Notices since the last call, in order.
	Notices() []Notice
	// Cancel stops what the session is running, if anything.
	Cancel()
	Close() error
}

// Span is a part of a text, in bytes.
type Span struct{ Start, End int }

// TransactionFailer is implemented by a Session that can be told of an error it
// has not seen, such as a parameter that cannot be decoded: its open transaction
// fails as if a statement had. Without it such an error leaves the transaction open.
type TransactionFailer interface {
	FailTransaction()
}

// SavepointKeeper is implemented by a Session with savepoints. Portals from before a savepoint
// outlive errors after it and ROLLBACK TO; others end. Without it all portals end with an error.
type SavepointKeeper interface {
	// Savepoints is how many savepoints the session has made, numbered from 1, and the number
	// of the last that its transaction has; 0: none.
	Savepoints() (made, last uint64)
	// ReturnedTo is the number of the first savepoint to which the session has returned since the
	// last call; 0: to none.
	ReturnedTo() uint64
}

// Styled is implemented by a Session that says how texts show values: times with a zone
// in which one, and intervals in which of Postgres' styles, "postgres" or "iso_8601".
// Without it they are shown in UTC, and in the first.
type Styled interface {
	Zone() *time.Location
	IntervalStyle() string
}

// Statement is a prepared statement.
type Statement interface {
	Params() []rows.Type
	// Columns is empty when the statement returns no rows.
	Columns() []rows.Column
	Empty() bool
	// Execute runs the statement with bound values. The Result must be closed
	// before another statement of the session is prepared or starts. ctx lives
	// until the Result is closed.
	Execute(ctx context.Context, args []Value) (Result, error)
	Close() error
}

// Notice is a message that is no error.
type Notice struct {
	Severity string // WARNING, NOTICE, INFO
	Code     string // SQLSTATE
	Message  string
}

// CursorSharer is implemented by a Session with cursors of SQL, which Describe and
// Close call portals.
type CursorSharer interface {
	// Cursor returns the columns of a cursor, and whether it was DECLAREd BINARY.
	Cursor(name string) (cols []rows.Column, binary, ok bool)
	// CloseCursor closes a cursor that is there.
	CloseCursor(name string) error
}

// BinaryStatement is implemented by a Statement whose rows a simple query delivers
// in the binary format, as those of a cursor DECLAREd BINARY are.
type BinaryStatement interface {
	Binary() bool
}

// OriginStatement is implemented by a Statement that knows which columns of a table its
// result's columns are, and which types of the user's they have. Tools edit results by
// them.
type OriginStatement interface {
	// Origins has an entry for each column; nil: nothing is known.
	Origins(ctx context.Context) []rows.Origin
}

// IdleLimiter is implemented by a Session that ends where its client is silent.
type IdleLimiter interface {
	// IdleLimit is how long the client may be silent now, and the error that ends the
	// connection then; 0: for ever.
	IdleLimit(ready bool) (time.Duration, error)
}

// Value is a parameter value in DuckDB's text form; Null: NULL.
type Value struct {
	Text string
	Null bool
}

// Result is an executing statement. Its Columns agree with the Statement's in
// number and types; none means that batches, if any, are not for the client.
type Result interface {
	rows.Cursor
	// Tag is the command tag's first words, known after the last batch: "SELECT",
	// "INSERT 0", "CREATE TABLE". Affected is the count that follows, or -1.
	Tag() (tag string, affected int64)
	// Abandon is Close for a statement that the client is told to have failed, or that has no
	// client any more: what it has written is undone, unless that has been committed or
	// belongs to a transaction that goes on.
	Abandon(why error) error
}
