package engine

import (
	"context"
	"errors"
	"strconv"
	"sync"

	"github.com/trireme-db/trireme/duckbackend"
	"github.com/trireme-db/trireme/engine/pgcatalog"
)

// systemCatalog is Postgres' catalog. Its database, and the copy with tables, are made
// for the first statement that reads it.
//
// The tables are those of one version of DuckDB's catalog. Each version has a number
// of its own in the copy, so that a transaction, which may read the copy as it was
// when it began, can tell which one it sees.
type systemCatalog struct {
	live, kept *pgcatalog.Catalog

	mu    sync.Mutex
	made  bool
	fills int
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

// make attaches the databases unless they are there. The caller holds mu.
func (c *systemCatalog) make(ctx context.Context, conn *duckbackend.Conn) error {
	if c.made {
		return nil
	}
	var statements []string
	for _, of := range []*pgcatalog.Catalog{c.live, c.kept} {
		statements = append(statements, of.Statements()...)
	}
	for _, name := range []string{pgcatalog.KeptDatabase, pgcatalog.Database} {
		statements = append([]string{"DETACH DATABASE IF EXISTS " + name}, statements...)
	}
	for _, sql := range statements {
		if err := conn.Exec(ctx, sql); err != nil {
			return err
		}
	}
	c.made = true
	return nil
}

// fill makes the tables anew, in one transaction. The caller holds mu.
func (c *systemCatalog) fill(ctx context.Context, conn *duckbackend.Conn, functions bool) error {
	c.fills++
	statements := append([]string{"BEGIN TRANSACTION"}, c.kept.Fill(functions)...)
	statements = append(statements, "CREATE OR REPLACE TABLE "+fillNumber+" AS SELECT "+strconv.Itoa(c.fills)+"::BIGINT AS number", "COMMIT")
	for _, sql := range statements {
		if err := conn.Exec(ctx, sql); err != nil {
			return err
		}
	}
	return nil
}

// readySystemCatalog makes the databases, and fills the tables where they do not show the version of
// now. It returns the number of the filling; zero: with DDL in flight, nobody
// knows what the tables would show.
func (e *Engine) readySystemCatalog(ctx context.Context) (number int, err error) {
	c := e.system
	c.mu.Lock()
	defer c.mu.Unlock()
	version, stable := e.catalog.Versions.Schema()
	functions, _ := e.catalog.Versions.Functions()
	current := func() bool { return c.filled == version && c.functions == functions }
	if c.made && current() {
		return c.fills, nil
	}
	conn, err := e.db.Conn(ctx)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	if err := c.make(ctx, conn); err != nil || !stable {
		return 0, err
	}
	withFunctions := c.functions != functions
	c.filled, c.functions = 0, 0
	if err := c.fill(ctx, conn, withFunctions); err != nil {
		return 0, err
	}
	// What was read belongs to the version if nothing has come between.
	after, stable := e.catalog.Versions.Schema()
	functionsAfter, _ := e.catalog.Versions.Functions()
	if !stable || after != version || functionsAfter != functions {
		return 0, nil
	}
	c.filled, c.functions = version, functions
	return c.fills, nil
}

// readCatalog is a rewritten statement that reads the catalog, from the tables if they
// are what the session sees.
func (s *Session) readCatalog(ctx context.Context, sql string, live pgcatalog.Text, failed *error) (pgcatalog.Text, error) {
	number, err := s.engine.readySystemCatalog(ctx)
	if err != nil || number == 0 || s.hasOwnObjects() {
		return live, err
	}
	if s.tx.status != TxIdle {
		if seen, err := s.fillingSeen(ctx); err != nil || seen != number {
			return live, err
		}
	}
	return s.engine.system.kept.Rewrite(sql, s.catalogEnv(ctx, failed))
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
