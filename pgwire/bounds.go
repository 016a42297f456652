package pgwire

import "github.com/trireme-db/trireme/internal/sqlerr"

// What a client may leave open on one connection.
const (
	portalsMax    = 256
	statementsMax = 10_000
	// statementTextBytes is the texts of the prepared statements together.
	statementTextBytes = 64 << 20
)

// admitPortal refuses a portal more than a client may have open. Each holds a statement,
// and rows in memory and in a file when another one needs the connection.
func (c *conn) admitPortal(name string) error {
	if len(c.portals) < portalsMax || c.portals[name] != nil {
		return nil
	}
	return sqlerr.New(codeLimitExceeded, "%d portals are open on the connection, as many as there may be", len(c.portals)).
		WithHint("Close some, or end the transaction.")
}

// admitStatement refuses a prepared statement more than a client may have.
func (c *conn) admitStatement(text string) error {
	bytes := len(text)
	for _, s := range c.stmts {
		bytes += len(s.text)
	}
	if len(c.stmts) < statementsMax && bytes <= statementTextBytes {
		return nil
	}
	return sqlerr.New(codeLimitExceeded, "the connection has too many prepared statements: %d, with texts of %d bytes", len(c.stmts), bytes).
		WithHint("There may be %d with texts of %d bytes. Close some, or DEALLOCATE them.", statementsMax, statementTextBytes)
}
