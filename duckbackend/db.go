package duckbackend

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	bindings "github.com/duckdb/duckdb-go-bindings"

	"github.com/trireme-db/trireme/duckbackend/texts"
	"github.com/trireme-db/trireme/internal/load"
	"github.com/trireme-db/trireme/internal/sqlerr"
)

// DB is one DuckDB instance with the user's database attached as CatalogName.
// It is safe for concurrent use.
type DB struct {
	handle bindings.Database
	// spill is the directory of temporary files of a database in memory, which goes
	// with it; nil for a file, beside which DuckDB makes one when it needs it.
	spill *spill
	// memoryLimitBytes is how much it may hold in large blocks beside what memory_limit
	// counts.
	memoryLimitBytes int64
	planBytes        atomic.Int64 // that all plans of connections hold

	invalidated func(error)
	invalidOnce sync.Once
	detached    func(database string)

	permit  func(Change) error // of Guard
	unguard func()             // nil: there is no guard

	mu     sync.Mutex
	closed bool
	conns  map[uint64]*Conn // by DuckDB's numbers
	// casters are the connections' casters by DuckDB's numbers of the casters' own.
	casters map[uint64]*caster
}

// Open starts a DuckDB instance in memory and attaches the database of
// cfg.Path (or a second memory database) as CatalogName, so that the catalog's
// name never depends on the file's. A file that another process holds is error
// 55006 with the holder where DuckDB names it, a file that is no database XX001,
// a path that cannot be opened 58030.
func Open(ctx context.Context, cfg Config) (*DB, error) {
	if err := checkRelease(knownRelease, LibraryVersion()); err != nil {
		return nil, err
	}
	inMemory := cfg.Path == "" || cfg.Path == ":memory:"
	if err := checkPath(cfg.Path, inMemory); err != nil {
		return nil, err
	}
	db := &DB{conns: map[uint64]*Conn{}, casters: map[uint64]*caster{}, invalidated: cfg.Invalidated, detached: cfg.Detached}
	temporary := cfg.Path + ".tmp" // what DuckDB itself does for a database file
	if inMemory {
		dir, err := makeSpill()
		if err != nil {
			return nil, err
		}
		db.spill, temporary = dir, dir.path
	}
	handle, err := openInstance(cfg, temporary)
	if err != nil {
		_ = db.spill.remove() // the error worth reporting is what came before
		return nil, err
	}
	db.handle, db.memoryLimitBytes = handle, cfg.MemoryLimitBytes
	if db.memoryLimitBytes == 0 {
		db.memoryLimitBytes = 1 << 50 // more than there is
	}
	allowMemory(db.memoryLimitBytes)
	err = db.registerCast()
	if err == nil {
		err = db.replaceFunctions()
	}
	if err == nil {
		err = db.registerMergeOnce()
	}
	if err == nil {
		err = db.registerLastValue()
	}
	if err == nil {
		err = db.register(cfg.Functions)
	}
	if err == nil {
		err = db.attach(ctx, cfg.Path, inMemory)
	}
	if err == nil {
		err = db.limitDepth(ctx, cfg.ExpressionDepthMax)
	}
	if err == nil && cfg.Confined {
		err = db.confine(ctx, cfg.Directories)
	}
	if err != nil {
		_ = db.Close() // the instance is unused; the error worth reporting is what came before
		return nil, err
	}
	return db, nil
}

// checkPath gives the errors of a path that DuckDB reports only vaguely.
func checkPath(path string, inMemory bool) error {
	if inMemory {
		return nil
	}
	if strings.ContainsRune(path, 0) {
		return sqlerr.New(sqlerr.IOError, "the database path contains a zero byte")
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return sqlerr.New(sqlerr.IOError, "cannot open database %q: it is a directory", path)
	}
	dir := filepath.Dir(path)
	if info, err := os.Stat(dir); err != nil {
		return sqlerr.New(sqlerr.IOError, "cannot open database %q: directory %q is not accessible: %v", path, dir, err).
			WithHint("Create the directory first.")
	} else if !info.IsDir() {
		return sqlerr.New(sqlerr.IOError, "cannot open database %q: %q is not a directory", path, dir)
	}
	held, err := heldByThisProcess(path)
	if err != nil {
		return sqlerr.Wrap(sqlerr.IOError, err)
	}
	if held {
		return sqlerr.New(sqlerr.ObjectInUse, "the database %q is in use: this process has opened it already", path)
	}
	return nil
}

func openInstance(cfg Config, temporary string) (bindings.Database, error) {
	var handle bindings.Database
	var config bindings.Config
	if bindings.CreateConfig(&config) == bindings.StateError {
		return handle, sqlerr.New(sqlerr.OutOfMemory, "DuckDB could not allocate its configuration")
	}
	defer bindings.DestroyConfig(&config)
	options := map[string]string{
		"temp_directory": temporary,
		// Of the whole instance: DuckDB's planner reads it unguarded, so it is set while there are no connections.
		"disabled_optimizers": disabledOptimizers(),
	}
	if cfg.Threads > 0 {
		options["threads"] = strconv.Itoa(cfg.Threads)
	}
	if cfg.MemoryLimitBytes > 0 {
		options["memory_limit"] = strconv.FormatInt(cfg.MemoryLimitBytes, 10) + "B"
	}
	for name, value := range options {
		if bindings.SetConfig(config, name, value) == bindings.StateError {
			return handle, sqlerr.New(sqlerr.InvalidParameter, "DuckDB rejects the setting %s = %q", name, value)
		}
	}
	var message string
	if bindings.OpenExt(":memory:", &handle, config, &message) == bindings.StateError {
		bindings.Close(&handle)
		return handle, duckError(message)
	}
	return handle, nil
}

func (db *DB) attach(ctx context.Context, path string, inMemory bool) error {
	conn, err := db.connect()
	if err != nil {
		return err
	}
	if inMemory {
		path = ":memory:"
	}
	err = conn.Exec(ctx, "ATTACH "+quoteText(path)+" AS "+load.Quote(CatalogName))
	if cerr := conn.Close(); err == nil {
		return cerr
	}
	return attachError(path, err)
}

// limitDepth bounds the depth of expressions for all connections.
func (db *DB) limitDepth(ctx context.Context, depth int) error {
	if depth == 0 {
		depth = ExpressionDepthMax
	}
	conn, err := db.connect()
	if err != nil {
		return err
	}
	return errors.Join(conn.Exec(ctx, "SET GLOBAL max_expression_depth = "+strconv.Itoa(depth)), conn.Close())
}

// Close interrupts and closes all connections and releases the database file;
// where Cursors are open, with the last of them.
func (db *DB) Close() error {
	db.mu.Lock()
	if db.closed {
		db.mu.Unlock()
		return nil
	}
	db.closed = true
	conns := make([]*Conn, 0, len(db.conns))
	for _, c := range db.conns {
		conns = append(conns, c)
	}
	db.mu.Unlock()
	var first error
	for _, c := range conns {
		if err := c.Close(); err != nil && first == nil {
			first = err
		}
	}
	bindings.Close(&db.handle)
	if db.unguard != nil {
		db.unguard()
	}
	allowMemory(-db.memoryLimitBytes)
	if err := db.spill.remove(); err != nil && first == nil {
		first = sqlerr.Wrap(sqlerr.IOError, err)
	}
	return first
}

// notice tells of an error that leaves a database closed.
func (db *DB) notice(err error) {
	if err != nil && closedDatabase(err) != "" {
		db.detachClosed()
	}
	if db.invalidated != nil && errors.Is(err, ErrInvalidated) && !db.answers() {
		db.invalidOnce.Do(func() { db.invalidated(err) })
	}
}

// detachClosed detaches the attached databases that DuckDB has closed because they could not be
// written: while there is one, all that lists tables fails, for every connection.
func (db *DB) detachClosed() {
	c, err := db.connect()
	if err != nil {
		return
	}
	defer func() { _ = c.Close() }() // it has nothing to lose
	c.setOwn(true)
	for {
		name := closedDatabase(c.query("SELECT count(*) FROM duckdb_tables()")) // what the error said may be a user's
		if name == "" || name == CatalogName || c.query("DETACH "+load.Quote(name)) != nil {
			return
		}
		if db.detached != nil {
			db.detached(name)
		}
	}
}

// answers reports whether the database does anything: what a user passes to error() may
// have the text of an error that closes it.
func (db *DB) answers() bool {
	c, err := db.connect()
	if err != nil {
		return false
	}
	var res bindings.Result
	state := bindings.Query(c.handle, "SELECT count(*) FROM duckdb_tables() WHERE database_name = '"+CatalogName+"'", &res)
	bindings.DestroyResult(&res)
	return c.Close() == nil && state == bindings.StateSuccess
}

// Conn opens a connection on CatalogName.
func (db *DB) Conn(ctx context.Context) (*Conn, error) {
	return db.connectWith(ctx, connSettings)
}

// PlainConn opens a connection without DuckDB's optimizer: for binding, where
// optimizing is a waste, and for oracles, where it is a danger.
func (db *DB) PlainConn(ctx context.Context) (*Conn, error) {
	return db.connectWith(ctx, connSettings+"PRAGMA disable_optimizer;")
}

// connSettings make errors machine-readable (position, subtype) and names
// resolve in the user's database.
const connSettings = "SET errors_as_json=true; USE " + CatalogName + ";"

func (db *DB) connectWith(ctx context.Context, settings string) (*Conn, error) {
	c, err := db.connect()
	if err != nil {
		return nil, err
	}
	if err := c.Exec(ctx, settings); err != nil {
		_ = c.Close() // the connection was never handed out
		return nil, err
	}
	return c, nil
}

func (db *DB) connect() (*Conn, error) {
	db.mu.Lock()
	defer db.mu.Unlock()
	if db.closed {
		return nil, sqlerr.New(sqlerr.AdminShutdown, "the database is closed")
	}
	c := &Conn{db: db, statements: map[*Stmt]bool{}, brake: newBrake(), stop: &texts.Stop{}}
	if bindings.Connect(db.handle, &c.handle) == bindings.StateError {
		return nil, sqlerr.New(sqlerr.InternalError, "DuckDB could not open a connection")
	}
	c.readContext()
	db.conns[c.id] = c
	return c, nil
}

func (db *DB) forget(id uint64) {
	db.mu.Lock()
	delete(db.conns, id)
	db.mu.Unlock()
}

// callerOf is the connection of a number as functions know it.
func (db *DB) callerOf(id uint64) caller {
	db.mu.Lock()
	defer db.mu.Unlock()
	if c := db.conns[id]; c != nil {
		return caller{id, c.stop, &c.merged}
	}
	return caller{id, &texts.Stop{}, &mergedRows{}}
}

// stopOf is what stops the functions of a connection. One that is DuckDB's own stops
// nothing.
func (db *DB) stopOf(id uint64) *texts.Stop {
	db.mu.Lock()
	defer db.mu.Unlock()
	if c := db.conns[id]; c != nil {
		return c.stop
	}
	return &texts.Stop{}
}

// quoteText returns s as a SQL string literal.
func quoteText(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }
