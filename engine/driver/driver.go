// Package driver is the in-process database/sql driver: the engine without the
// wire.
//
//	db, err := sql.Open("trireme", "graph.db?backend=native")
//
// In: a data source name and SQL. Out: rows as Go values.
//
// The name is a database file, or ":memory:" or nothing for a database that
// lives as long as the sql.DB. After a question mark come settings as in a URL:
// threads and memory_limit_bytes of the engine, backend (short for
// trireme.backend), and any setting that SET takes.
//
// Invariants:
//
//	D1. All sql.DBs of one process that name the same file share one Engine. It
//	    is closed with the last of them; the first one's threads and memory count.
//	D2. Values are what the same statement gives over the wire through
//	    pgx/stdlib: see value.go.
//
// Errors are *Error and carry a SQLSTATE. Read connector.go, then conn.go.
package driver

import (
	"context"
	"database/sql"
	"database/sql/driver"

	"github.com/trireme-db/trireme/internal/sqlerr"
)

// Name is the name under which the driver is registered.
const Name = "trireme"

// Error is the type of the driver's errors: SQLSTATE, message, detail, hint and
// byte offset in the statement.
type Error = sqlerr.Error

// sql.Open finds drivers by name only, so this package has to register one.
func init() { sql.Register(Name, Driver{}) }

// Driver implements driver.Driver and driver.DriverContext.
type Driver struct{}

// Open opens one connection with an engine of its own, if the file's is not
// open already; database/sql uses OpenConnector instead.
func (d Driver) Open(name string) (driver.Conn, error) {
	c, err := d.OpenConnector(name)
	if err != nil {
		return nil, err
	}
	connector := c.(*connector)
	conn, err := connector.Connect(context.Background())
	if err != nil {
		return nil, closeAfter(err, connector.Close)
	}
	conn.(*Conn).onClose = connector.Close
	return conn, nil
}

// OpenConnector reads a data source name; it opens nothing yet.
func (d Driver) OpenConnector(name string) (driver.Connector, error) { return newConnector(name) }
