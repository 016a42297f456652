package duckbackend

import (
	"context"
	"errors"
)

// Act is what a connection is about to do.
type Act uint8

const (
	// Writes changes the rows, the sequences or the catalog of a database.
	Writes Act = iota
	// Attaches gives a database a name: a file, one in memory, or one that is renamed.
	Attaches
	// Detaches takes a name from a database, which may be another's then.
	Detaches
	// Creates gives an object a name: one that is made, copied from another database or
	// renamed.
	Creates
	// Opens opens, looks for, moves or removes a file or a directory.
	Opens
	// OpensDatabase is Opens of a file that is attached.
	OpensDatabase
	// calls binds a call of the function Name, examines tells the value of the setting Name: what
	// walls stand before. Guard's permit is not asked.
	calls
	examines
)

// Change is one change that a connection is about to make, or a path that it is about to use.
type Change struct {
	Act Act
	// Database is the name of what is changed, or has an object that is.
	Database string
	// Object is "schema", "table", "view", "type" or "macro" where one is given a name, which
	// is Name, without its schema's. Of Opens and OpensDatabase, Name is the path, or a pattern of
	// paths.
	Object, Name string
	// Taken says that a database that is to be attached has the name of a schema of CatalogName, or
	// a schema that is to be created the name of a database.
	Taken bool
}

// Guard makes permit say, from now on, whether a connection may make a change; its error is
// that of the statement. It is asked when the statement is executed, by any goroutine,
// several at a time. Connections of OwnConn, and those that DuckDB makes for itself to read
// the log of a file, may make all changes. Guard is called once.
func (db *DB) Guard(permit func(Change) error) error {
	conn, err := db.connect()
	if err != nil {
		return err
	}
	db.permit = permit
	db.unguard, err = conn.guard(db)
	return errors.Join(err, conn.Close())
}

// OwnConn is Conn for statements that are not a client's: Guard's permit is not asked.
func (db *DB) OwnConn(ctx context.Context) (*Conn, error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	conn.setOwn(true)
	return conn, nil
}

// ExecOwn is Exec of a statement that is not a client's, on a client's connection.
func (c *Conn) ExecOwn(ctx context.Context, sql string) error {
	was := c.setOwn(true)
	defer c.setOwn(was)
	return c.Exec(ctx, sql)
}

// setOwn says whether permit is not asked, and returns what held before.
func (c *Conn) setOwn(own bool) (was bool) {
	c.db.mu.Lock()
	defer c.db.mu.Unlock()
	was, c.own = c.own, own
	return was
}

// permits is the error for a change by the connection of a number.
func (db *DB) permits(connection uint64, c Change) error {
	db.mu.Lock()
	conn := db.conns[connection]
	guarded := conn != nil && !conn.own
	var wall *Wall
	if guarded {
		wall = conn.wall
	}
	db.mu.Unlock()
	switch {
	case !guarded:
		return nil
	case c.Act == calls || c.Act == examines:
		return wall.refusal(c)
	}
	return db.permit(c)
}
