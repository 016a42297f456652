package pgwire

import "github.com/trireme-db/trireme/internal/sqlerr"

// What a client may leave open on one connection.
const (
	portalsMax    = 256
	statementsMax = 10_000
	// statementTextBytes is the texts, parameters and columns of the prepared statements together.
	statementTextBytes = 64 << 20
	// A parameter and a column take about this in a statement, beside the column's name, and this in a portal.
	statementParamBytes, statementColumnBytes = 160, 192
	portalArgumentBytes, portalColumnBytes    = 32, 128
	// portalArgBytes is the arguments of several portals together; those of one alone are
	// bounded by the length of a message.
	portalArgBytes = 64 << 20
	// nameBytesMax is how long the name of a statement or a portal may be.
	nameBytesMax = 1 << 10
	// closesAhead is how many messages after Execute are read before it is executed.
	closesAhead = 1000
)

func admitName(name string) error {
	if len(name) <= nameBytesMax {
		return nil
	}
	return sqlerr.New(codeLimitExceeded, "the name of a statement or portal has %d bytes: there may be %d", len(name), nameBytesMax)
}

// admitPortal refuses a portal more than a client may have open. Each holds a statement,
// and rows in memory and in a file when another one needs the connection.
func (c *conn) admitPortal(p *portal) error {
	bytes := p.argBytes
	for name, other := range c.portals {
		if name != p.name {
			bytes += other.argBytes
		}
	}
	const hint = "Close some, or end the transaction."
	switch {
	case len(c.portals) >= portalsMax && c.portals[p.name] == nil:
		return sqlerr.New(codeLimitExceeded, "%d portals are open on the connection, as many as there may be", len(c.portals)).WithHint(hint)
	case bytes > portalArgBytes && bytes > p.argBytes:
		return sqlerr.New(codeLimitExceeded, "the portals of the connection have arguments and columns of %d bytes: there may be %d", bytes, portalArgBytes).WithHint(hint)
	}
	return admitName(p.name)
}

// admitStatement refuses a named statement of so many bytes more than a client may have.
func (c *conn) admitStatement(bytes int) error {
	bytes += c.stmtBytes
	if len(c.stmts) < statementsMax && bytes <= statementTextBytes {
		return nil
	}
	return sqlerr.New(codeLimitExceeded, "the connection has too many prepared statements: %d, with texts, parameters and columns of %d bytes", len(c.stmts), bytes).
		WithHint("There may be %d of %d bytes. Close some, or DEALLOCATE them.", statementsMax, statementTextBytes)
}

// bytes is about what the wire and the session hold of a statement beside its plan.
func (s *prepared) bytes() int {
	bytes := len(s.text) + statementParamBytes*len(s.paramOIDs) + statementColumnBytes*len(s.cols)
	for _, c := range s.cols {
		bytes += len(c.Name)
	}
	return bytes
}
