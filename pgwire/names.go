package pgwire

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/internal/sqlerr"
)

// NameSharer is implemented by a Session in whose SQL statements have names, too. They are one
// set with those of Parse: SQL can execute and forget these, and messages bind and close those.
type NameSharer interface {
	// ShareNames tells the session of the statements named by Parse. It is called once, at the
	// start; the session may ask and drop while it executes a statement.
	ShareNames(ProtocolStatements)
	// StatementNamed is a statement that SQL has named, and its text; whoever has asked for it
	// closes it. nil: there is none.
	StatementNamed(name string) (stmt Statement, text string, err error)
	// Deallocate forgets a statement that SQL has named, if there is one.
	Deallocate(ctx context.Context, name string) error
}

// ProtocolStatements are the statements named by Parse.
type ProtocolStatements interface {
	// Names are those of all, in no order.
	Names() []string
	// Statement is what was prepared under a name; false: nothing was.
	Statement(name string) (ProtocolStatement, bool)
	Drop(name string)
	DropAll()
}

// ProtocolStatement is a statement named by Parse, with the text that it was given.
type ProtocolStatement struct {
	Stmt Statement
	Text string
	Made time.Time
}

// protocolNames shows a session the statements that its client has named.
type protocolNames struct{ c *conn }

// Names are all but the empty one, which is no name to SQL.
func (n protocolNames) Names() []string {
	return slices.DeleteFunc(slices.Collect(maps.Keys(n.c.stmts)), func(name string) bool { return name == "" })
}

// Statement is the one with the name.
func (n protocolNames) Statement(name string) (ProtocolStatement, bool) {
	s := n.c.stmts[name]
	if name == "" || s == nil {
		return ProtocolStatement{}, false
	}
	return ProtocolStatement{Stmt: s.stmt, Text: s.text, Made: s.made}, true
}

// Drop forgets a statement; a portal over it goes on.
func (n protocolNames) Drop(name string) { n.c.dropStatement(name) }

// DropAll forgets all but the unnamed statement.
func (n protocolNames) DropAll() {
	for _, name := range n.Names() {
		n.c.dropStatement(name)
	}
}

// statement is the prepared statement of a name, Parse's or SQL's; the caller ends with unref.
func (c *conn) statement(name string) (*prepared, error) {
	if s := c.stmts[name]; s != nil {
		s.refs++
		return s, nil
	}
	s, err := c.statementOfSQL(name)
	if s == nil && err == nil {
		err = noStatement(name)
	}
	return s, err
}

// statementOfSQL is the statement that SQL has named; nil: there is none.
func (c *conn) statementOfSQL(name string) (*prepared, error) {
	sharer, ok := c.sess.(NameSharer)
	if !ok || name == "" {
		return nil, nil
	}
	stmt, text, err := sharer.StatementNamed(name)
	if stmt == nil || err != nil {
		return nil, err
	}
	return c.newPrepared(stmt, text, nil)
}

// newPrepared is a statement with what the wire knows of it, for the caller to hold. One that is too wide is closed.
func (c *conn) newPrepared(stmt Statement, text string, declared []uint32) (*prepared, error) {
	s := &prepared{stmt: stmt, text: text, made: time.Now(), cols: stmt.Columns(), refs: 1}
	params := stmt.Params()
	if err := errors.Join(checkWidth("columns", len(s.cols), columnsMax), checkWidth("parameters", len(params), paramsMax)); err != nil {
		c.unref(s)
		return nil, err
	}
	for i, inferred := range params {
		oid := uint32(0)
		if i < len(declared) {
			oid = declared[i]
		}
		read := paramOID(oid, inferred)
		s.paramOIDs = append(s.paramOIDs, read)
		if paramType(oid).ID == rows.Varchar {
			read = wireTypeOf(inferred).oid
		}
		s.readOIDs = append(s.readOIDs, read)
	}
	return s, nil
}

// mustBeNew refuses a name that a statement has.
func (c *conn) mustBeNew(name string) error {
	taken := c.stmts[name] != nil
	if !taken {
		s, err := c.statementOfSQL(name)
		if s != nil {
			c.unref(s)
		}
		taken = s != nil || err != nil
	}
	if taken {
		return sqlerr.New(sqlerr.DuplicatePrepared, "prepared statement %q already exists", name)
	}
	return nil
}

// closeStatement forgets a statement, whoever has named it.
func (c *conn) closeStatement(name string) error {
	if c.stmts[name] != nil || name == "" {
		c.dropStatement(name)
		return nil
	}
	sharer, ok := c.sess.(NameSharer)
	if !ok {
		return nil
	}
	return c.runOnce(func(ctx context.Context) error { return sharer.Deallocate(ctx, name) })
}

// typesOf are the types that a client declares.
func typesOf(oids []uint32) []rows.Type {
	types := make([]rows.Type, len(oids))
	for i, oid := range oids {
		types[i] = paramType(oid)
	}
	return types
}
