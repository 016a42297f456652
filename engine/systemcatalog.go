package engine

import (
	"context"
	"errors"
	"strconv"
	"sync"

	"github.com/trireme-db/trireme/duckbackend"
	"github.com/trireme-db/trireme/engine/pgcatalog"
)

// systemCatalog is Postgres' catalog: a database of views, and a copy with tables. Each
// is made for the first statement that reads it; few need the views.
//
// The tables are those of one version of DuckDB's catalog. Each version has a number
// of its own in the copy, so that a transaction, which may read the copy as it was
// when it began, can tell which one it sees.
type systemCatalog struct {
	live, kept *pgcatalog.Catalog

	// making is held by the work of Engine.share that makes or fills one of them.
	making sync.Mutex

	mu                 sync.Mutex // of what follows, which only that work changes
	liveMade, keptMade bool
	fills              int
	// filled is the version of the catalog that the tables show, functions that of
	// its functions; zero: none for certain.
	filled, functions uint64
}

func newSystemCatalog() (*systemCatalog, error) {
	live, err := pgcatalog.New()
	if err != nil {
		return nil, err
	}
	kept, err := pgcatalog.NewKept()
	return &systemCatalog{live: live, kept: kept}, err
}

// fillNumber is the table with the number of the filling.
const fillNumber = pgcatalog.KeptDatabase + ".main.filling"

func execAll(ctx context.Context, conn *duckbackend.Conn, statements ...string) error {
	for _, sql := range statements {
		if err := conn.Exec(ctx, sql); err != nil {
			return err
		}
	}
	return nil
}

// makeSystem attaches one of the databases, anew if an attempt has been cut short.
func makeSystem(ctx context.Context, conn *duckbackend.Conn, name string, of *pgcatalog.Catalog) error {
	return execAll(ctx, conn, append([]string{"DETACH DATABASE IF EXISTS " + name}, of.Statements()...)...)
}

// fill makes the tables anew, in one transaction. The caller holds making.
func (c *systemCatalog) fill(ctx context.Context, conn *duckbackend.Conn, since pgcatalog.Change) error {
	number := c.beginFilling()
	statements := append([]string{"BEGIN TRANSACTION"}, c.kept.Fill(since)...)
	tell := "CREATE OR REPLACE TABLE " + fillNumber + " AS SELECT " + strconv.Itoa(number) + "::BIGINT AS number"
	return execAll(ctx, conn, append(statements, tell, "COMMIT")...)
}

// beginFilling notes that the tables show nothing for certain, and numbers what they will.
func (c *systemCatalog) beginFilling() (number int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.filled, c.functions = 0, 0
	c.fills++
	return c.fills
}

// readyViews makes the database of views.
func (e *Engine) readyViews(ctx context.Context) error {
	if e.system.hasViews() {
		return nil
	}
	return e.share(ctx, e.makeViews)
}

func (e *Engine) makeViews(ctx context.Context) error {
	c := e.system
	c.making.Lock()
	defer c.making.Unlock()
	if c.liveMade {
		return nil
	}
	err := e.withSystemConn(ctx, func(conn *duckbackend.Conn) error {
		if err := makeSystem(ctx, conn, pgcatalog.Database, c.live); err != nil {
			return err
		}
		return execAll(ctx, conn, c.live.Fill(pgcatalog.Made)...)
	})
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.liveMade = true
	return nil
}

func (c *systemCatalog) hasViews() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.liveMade
}

// showing is the number of the filling that shows versions of the catalog and its functions;
// zero: the tables show others.
func (c *systemCatalog) showing(version, functions uint64) (number int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.keptMade || c.filled != version || c.functions != functions {
		return 0
	}
	return c.fills
}

// shows notes which versions the tables show.
func (c *systemCatalog) shows(version, functions uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.filled, c.functions = version, functions
}

// withSystemConn lends a connection that may change the server's own databases.
func (e *Engine) withSystemConn(ctx context.Context, f func(*duckbackend.Conn) error) error {
	conn, err := e.db.OwnConn(ctx)
	if err != nil {
		return err
	}
	return errors.Join(f(conn), conn.Close())
}

// readyTables makes the copy, and fills its tables where they do not show the version
// of now. It returns the number of the filling; zero: with DDL in flight, nobody knows
// what the tables would show.
func (e *Engine) readyTables(ctx context.Context) (number int, err error) {
	number, stable := e.shownTables()
	if number > 0 || !stable {
		return number, nil
	}
	if err := e.share(ctx, e.makeTables); err != nil {
		return 0, err
	}
	number, _ = e.shownTables()
	return number, nil
}

// shownTables is the number of the filling that shows the version of now, zero: none does;
// stable: no DDL is in flight.
func (e *Engine) shownTables() (number int, stable bool) {
	version, stable := e.catalog.Versions.Schema()
	functions, _ := e.catalog.Versions.Functions()
	return e.system.showing(version, functions), stable
}

func (e *Engine) makeTables(ctx context.Context) error {
	c := e.system
	c.making.Lock()
	defer c.making.Unlock()
	if number, stable := e.shownTables(); number > 0 || !stable {
		return nil
	}
	version, _ := e.catalog.Versions.Schema()
	functions, _ := e.catalog.Versions.Functions()
	err := e.withSystemConn(ctx, func(conn *duckbackend.Conn) error { return c.renew(ctx, conn, functions) })
	if err != nil {
		return err
	}
	// What was read belongs to the version if nothing has come between.
	after, stable := e.catalog.Versions.Schema()
	functionsAfter, _ := e.catalog.Versions.Functions()
	if stable && after == version && functionsAfter == functions {
		c.shows(version, functions)
	}
	return nil
}

// renew makes the copy if there is none and fills its tables; functions is the version
// of the functions of now. The caller holds making.
func (c *systemCatalog) renew(ctx context.Context, conn *duckbackend.Conn, functions uint64) error {
	since := pgcatalog.Objects
	switch {
	case !c.keptMade:
		if err := makeSystem(ctx, conn, pgcatalog.KeptDatabase, c.kept); err != nil {
			return err
		}
		since = pgcatalog.Made
	case c.functions != functions:
		since = pgcatalog.Functions
	}
	if err := c.fill(ctx, conn, since); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.keptMade = true
	return nil
}

// readCatalog is a rewritten statement that reads the catalog, from the tables if they
// are what the session sees.
func (s *Session) readCatalog(ctx context.Context, p *Prepared, live pgcatalog.Text, failed *error) (pgcatalog.Text, error) {
	seen, err := s.seesTables(ctx)
	if err != nil {
		return live, err
	}
	if !seen {
		return live, s.engine.readyViews(ctx)
	}
	return s.engine.system.kept.Rewrite(p.sql, s.catalogEnv(ctx, p.hints, failed))
}

// seesTables reports whether the tables show what the session sees, and it sees them.
func (s *Session) seesTables(ctx context.Context) (bool, error) {
	if s.hasOwnObjects() {
		return false, nil
	}
	number, err := s.engine.readyTables(ctx)
	if err != nil || number == 0 || s.hasOwnObjects() {
		return false, err
	}
	if s.tx.status == TxIdle {
		return true, nil
	}
	seen, err := s.fillingSeen(ctx)
	return seen == number, err
}

// fillingSeen is the number of the filling that the session's transaction sees; zero: none.
func (s *Session) fillingSeen(ctx context.Context) (number int, err error) {
	if err := s.detachOpen(ctx); err != nil {
		return 0, err
	}
	cur, err := s.conn.Query(ctx, "SELECT coalesce(max(number), 0) FROM "+fillNumber)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, cur.Close()) }()
	b, err := cur.Next(ctx)
	if err != nil || b == nil {
		return 0, err
	}
	return int(b.Cols[0].I64[0]), nil
}
