package engine

import (
	"context"
	"strings"

	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/internal/sqlerr"
)

// Backend says who answers a SELECT.
type Backend uint8

// The backends. Auto chooses among the others by estimate; the others answer
// themselves or fail with a named reason.
const (
	Auto Backend = iota
	Native
	Decomposed
	DuckDB
)

var backendNames = [...]string{Auto: "auto", Native: "native", Decomposed: "decomposed", DuckDB: "duckdb"}

// String returns the name that settings and flags use.
func (b Backend) String() string { return backendNames[b] }

// ParseBackend reads a name, in any case; error 22023 for others.
func ParseBackend(name string) (Backend, error) {
	for b, n := range backendNames {
		if strings.EqualFold(n, name) {
			return Backend(b), nil
		}
	}
	return Auto, sqlerr.New(sqlerr.InvalidParameter, "unknown backend %q", name).
		WithHint("The backends are %s.", strings.Join(backendNames[:], ", "))
}

// tensorRoute answers SELECTs on the tensor engine or by decomposed SQL.
type tensorRoute interface {
	// Prepare plans a SELECT under the session's backend setting. A nil statement
	// comes with the reason why DuckDB takes it. err is an error of the statement
	// itself, which DuckDB would report as well.
	Prepare(ctx context.Context, s *Session, sql string, paramTypes []rows.Type) (stmt tensorStatement, reason string, err error)
	// Explain prints every stage for a SELECT, or returns the reason why there is
	// none to show.
	Explain(ctx context.Context, s *Session, sql string, opt ExplainOptions) (text string, reason string, err error)
}

// tensorStatement is a SELECT that the tensor route has planned.
type tensorStatement interface {
	Params() []rows.Type
	Columns() []rows.Column
	// Execute starts the statement and says who answers. When it cannot answer in
	// the present state (a writer in flight, over budget), cursor is nil and
	// reason says why; no row has then been delivered.
	Execute(ctx context.Context, s *Session, args []Arg) (cursor rows.Cursor, by Backend, reason string, err error)
	Close() error
}

// ExplainOptions are the options of EXPLAIN.
type ExplainOptions struct {
	Analyze bool
	JSON    bool
	// before is that native has its turn; nil: auto decides.
	before *nativeTurn
	// width is how many bytes a row of the result has.
	width int
}

// refuseLate is refuse for a SELECT that has been begun. A transaction goes on after it, but
// where the session's connection has read for it (session): an error of that would have
// ended DuckDB's transaction.
func refuseLate(b Backend, reason string, session bool) error {
	if session {
		return refuse(b, reason)
	}
	return sqlerr.Harmless(refuse(b, reason))
}

// refuse is the error of a forced backend that cannot answer.
func refuse(b Backend, reason string) error {
	return sqlerr.New(sqlerr.FeatureNotSupported, "backend %s cannot answer this statement: %s", b, reason).
		WithHint("SET trireme.backend = 'auto' lets DuckDB answer.")
}
