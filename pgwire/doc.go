// Package pgwire is the listener: the Postgres wire protocol, version 3.0 and
// 3.2, over a Handler. In go the bytes of clients; out come calls of Session
// and Statement, and back go the rows of their Results as messages. It knows
// messages, formats and portals; it knows nothing of SQL.
//
// Invariants:
//
//	W1. A session's methods are called by its connection's goroutine only, but
//	    Cancel, which comes from the goroutine of a CancelRequest or of the
//	    watcher that notices a vanished client, and only while the connection is
//	    inside a message (conn.run).
//	W2. At most one Result of a session is open. Before anything else is
//	    prepared or executed the rest of a suspended one is drained into its
//	    portal, already encoded (portal.drain).
//	W3. Every Result, Statement and Session obtained is closed exactly once,
//	    whatever way the connection ends.
//	W4. Output collects in conn.out and leaves in conn.flush; a failed write
//	    ends the connection, never a statement's error report.
//	W5. A panic ends its connection with XX000 and nothing else.
//
// Read next: handler.go (the contract), server.go (connections), conn.go (the
// message loop), simple.go and extended.go (the two query protocols), encode.go
// (values to bytes), param.go (bytes to values).
package pgwire
