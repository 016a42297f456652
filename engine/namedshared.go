package engine

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/trireme-db/trireme/internal/sqlerr"
)

// ProtocolStatements are the prepared statements that a client has named by
// messages; they share their names with those of PREPARE.
type ProtocolStatements interface {
	// Names are those of all, in no order.
	Names() []string
	// Statement is what was prepared under a name; false: nothing was.
	Statement(name string) (ProtocolStatement, bool)
	Drop(name string)
	DropAll()
}

// ProtocolStatement is one of them.
type ProtocolStatement struct {
	Query *Prepared
	Text  string // as the client has sent it
	Made  time.Time
}

// ShareNames tells the session of the statements named by messages.
func (s *Session) ShareNames(wire ProtocolStatements) { s.wire = wire }

// StatementNamed is a statement of PREPARE, and its text, for a client that binds it by messages and has to
// close it; nil: there is none. One whose parameters have names is DuckDB's own, and cannot be bound so (0A000).
func (s *Session) StatementNamed(name string) (query *Prepared, text string, err error) {
	n := s.named[name]
	switch {
	case n == nil:
		return nil, "", nil
	case n.query == nil:
		return nil, "", sqlerr.New(sqlerr.FeatureNotSupported, "prepared statement %q has parameters with names", name).WithHint("EXECUTE it.")
	}
	n.query.holders++
	return n.query, n.text, nil
}

// Deallocate forgets a statement of PREPARE, if there is one of the name.
func (s *Session) Deallocate(ctx context.Context, name string) (err error) {
	defer s.guard(&err)
	if s.named[name] == nil {
		return nil
	}
	return s.deallocate(ctx, name)
}

// statementNamed is what PREPARE or a message has named; nil: nothing has the name.
func (s *Session) statementNamed(name string) *named {
	if n := s.named[name]; n != nil || s.wire == nil {
		return n
	}
	w, ok := s.wire.Statement(name)
	if !ok {
		return nil
	}
	return &named{query: w.Query, class: w.Query.class, sql: w.Query.sql, text: w.Text, made: w.Made, byMessage: true}
}

// statementNames are the names of all prepared statements, in order.
func (s *Session) statementNames() []string {
	names := slices.Collect(maps.Keys(s.named))
	if s.wire != nil {
		names = append(names, s.wire.Names()...)
	}
	slices.Sort(names)
	return names
}

func errNotNamed(name string) error {
	return sqlerr.New(sqlerr.UndefinedPrepared, "Prepared statement %q does not exist", name)
}
