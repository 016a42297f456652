package main

import (
	"context"

	"github.com/trireme-db/trireme/engine"
	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/pgwire"
)

// handler gives the wire protocol the sessions of an engine.
type handler struct {
	engine *engine.Engine
	// proven: users are roles that have proven who they are.
	proven bool
}

// Open starts a session.
func (h handler) Open(ctx context.Context, p pgwire.StartupParams) (pgwire.Session, error) {
	role, err := h.roleOf(p.User)
	if err != nil {
		return nil, err
	}
	s, err := h.engine.NewSession(ctx, engine.SessionOptions{
		User: p.User, Role: role, Database: p.Database, Options: p.Options,
		PID: int(p.PID), Remote: p.Remote, Interrupt: p.Interrupt, Terminate: p.Terminate, Abandon: p.Abandon,
	})
	if err != nil {
		return nil, err
	}
	return wireSession{s}, nil
}

// roleOf is the role whose rights a user has; empty, all, for a name that nobody
// had to prove and that is no role's.
func (h handler) roleOf(user string) (string, error) {
	if h.proven {
		return user, nil
	}
	known, err := h.engine.HasRole(user)
	if err != nil || !known {
		return "", err
	}
	return user, nil
}

// wireSession is an engine session as pgwire sees it.
type wireSession struct{ *engine.Session }

func (s wireSession) Split(sql string) ([]pgwire.Span, error) {
	statements, err := s.Session.Split(sql)
	if err != nil {
		return nil, err
	}
	spans := make([]pgwire.Span, len(statements))
	for i, st := range statements {
		spans[i] = pgwire.Span{Start: st.Offset, End: st.Offset + len(st.Text)}
	}
	return spans, nil
}

func (s wireSession) Prepare(ctx context.Context, sql string, paramTypes []rows.Type) (pgwire.Statement, error) {
	p, err := s.Session.Prepare(ctx, sql, paramTypes)
	if err != nil {
		return nil, err
	}
	return wireStatement{p}, nil
}

// ShareNames lets SQL speak of the statements that messages have named.
func (s wireSession) ShareNames(names pgwire.ProtocolStatements) {
	s.Session.ShareNames(wireNames{names})
}

// StatementNamed is a statement that SQL has named; nil: there is none.
func (s wireSession) StatementNamed(name string) (pgwire.Statement, string, error) {
	query, text, err := s.Session.StatementNamed(name)
	if query == nil || err != nil {
		return nil, "", err
	}
	return wireStatement{query}, text, nil
}

// wireNames are the statements that messages have named, as the engine sees them.
type wireNames struct{ pgwire.ProtocolStatements }

// Statement is the one with the name.
func (n wireNames) Statement(name string) (engine.ProtocolStatement, bool) {
	s, ok := n.ProtocolStatements.Statement(name)
	if !ok {
		return engine.ProtocolStatement{}, false
	}
	return engine.ProtocolStatement{Query: s.Stmt.(wireStatement).Prepared, Text: s.Text, Made: s.Made}, true
}

func (s wireSession) Notices() []pgwire.Notice {
	notices := s.Session.Notices()
	out := make([]pgwire.Notice, len(notices))
	for i, n := range notices {
		out[i] = pgwire.Notice(n)
	}
	return out
}

func (s wireSession) TxStatus() pgwire.TxStatus { return pgwire.TxStatus(s.Session.TxStatus()) }

// wireStatement is a prepared statement as pgwire sees it.
type wireStatement struct{ *engine.Prepared }

func (s wireStatement) Execute(ctx context.Context, values []pgwire.Value) (pgwire.Result, error) {
	args := make([]engine.Arg, len(values))
	for i, v := range values {
		args[i] = engine.Arg{Null: v.Null, Text: v.Text}
	}
	res, err := s.Prepared.Execute(ctx, args)
	if err != nil {
		return nil, err
	}
	return res, nil
}

// ExecuteCopy starts COPY FROM STDIN or TO STDOUT.
func (s wireStatement) ExecuteCopy(ctx context.Context) (pgwire.Result, error) {
	res, err := s.Prepared.ExecuteCopy(ctx)
	if err != nil {
		return nil, err
	}
	return res, nil
}
