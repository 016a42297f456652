package engine

import (
	"context"
	"io"
	"log/slog"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/trireme-db/trireme/duckbackend"
	"github.com/trireme-db/trireme/engine/activity"
	"github.com/trireme-db/trireme/engine/advisory"
	"github.com/trireme-db/trireme/engine/cache"
	"github.com/trireme-db/trireme/engine/catalog"
	"github.com/trireme-db/trireme/engine/roles"
	"github.com/trireme-db/trireme/internal/spill"
	"github.com/trireme-db/trireme/internal/sqlerr"
)

// Config says how an Engine is opened.
type Config struct {
	// Path is the database file; empty or ":memory:" for memory.
	Path string
	// Backend is the initial backend of sessions.
	Backend Backend
	// Threads is DuckDB's number of threads, and that of a tensor kernel in sessions
	// that set no other (trireme.threads); 0: one per core.
	Threads int
	// MemoryLimitBytes bounds DuckDB and the tensor engine together, half each; 0:
	// DefaultMemoryLimit.
	MemoryLimitBytes int64
	// ExpressionDepthMax is how deep expressions may be, sources of FROM and chains of
	// operators too; 0: DuckDB's default, 1000, which is also the most. BlocksMax is how
	// often a statement may say SELECT, or UNION and its kind; 0: as often as it likes.
	ExpressionDepthMax, BlocksMax int
	// TokensMax is how many words, literals and signs the text of statements may have,
	// TokenBytesMax how many bytes one of them; 0: any number.
	TokensMax, TokenBytesMax int
	// Invalidated is called once, by any goroutine, with the error after which the database
	// can only be opened again: it could not be written. It may be nil.
	Invalidated func(error)
	// Confined keeps SQL away from files and the network, but for Directories, which
	// are absolute and clean; of a link, both it and where it leads are given. Closed are further files, beside the database's, that SQL does not
	// open by whatever name, such as a link in one of the Directories.
	Confined            bool
	Directories, Closed []string
	// Spill is the room for files of rows that wait to be fetched; nil: one of
	// spill.DefaultBytes.
	Spill *spill.Space
	// Roles are the users, and what they may do; nil: none that lasts.
	Roles *roles.Store
	// Logger receives internal errors, statements that fail (info), slow statements
	// (warning) and all others (debug); nil: discarded.
	Logger *slog.Logger
	// SlowQuery is the time from which on a statement is slow; 0: none is.
	SlowQuery time.Duration
	// RecentStatements is how many of the last statements are kept; 0: 1000.
	RecentStatements int
	// Observe is called with every statement that has ended, by the goroutine that ran
	// it; it may be nil.
	Observe func(*activity.Record)
	// FirstPatience is how long auto waits for the tensor engine where nothing is known of a
	// statement and its tables are small; 0: DuckDB begins. Tests of what is answered on
	// tensors have an hour.
	FirstPatience time.Duration
	// MaxConnections is how many sessions there may be, as SHOW max_connections says;
	// 0: nobody counts them.
	MaxConnections int
	// Version is Trireme's version, shown by SHOW server_version.
	Version string
}

// ExpressionDepthMax is the most that Config.ExpressionDepthMax may be.
const ExpressionDepthMax = duckbackend.ExpressionDepthMax

// kernelThreads is the number of threads of a tensor kernel.
func (c *Config) kernelThreads() int {
	if c.Threads > 0 {
		return min(c.Threads, threadsMax)
	}
	return min(runtime.GOMAXPROCS(0), threadsMax)
}

const recentStatementsDefault = 1000

// recentStatements is how many statements are kept.
func (c *Config) recentStatements() int {
	if c.RecentStatements == 0 {
		return recentStatementsDefault
	}
	return c.RecentStatements
}

// Engine is one open database and what its sessions share. It is safe for
// concurrent use.
type Engine struct {
	cfg     Config
	db      *duckbackend.DB
	catalog *catalog.Catalog
	system  *systemCatalog
	enums   enumTypes
	jsonb   jsonbColumns
	// ownsPublic: the database has a schema public beside DuckDB's default one.
	ownsPublic  bool
	log         *slog.Logger
	tensor      tensorRoute
	locks       advisory.Locks
	workers     *pool // connections with default settings, for loads and finishes
	referred    *cache.Statements[referredTable]
	constrained *cache.Statements[*constrained]

	activity    *activity.Registry
	slowQueryNs atomic.Int64 // 0: no statement is slow
	runs        atomic.Int64 // how many statements can be cancelled at present

	// binders are idle connections without DuckDB's optimizer, for describing
	// statements. They see committed objects only.
	binders chan *duckbackend.Conn

	// baseline is DuckDB's settings as a new session has them.
	baseline map[string]string
	// ownSettings are those of them that each session has for itself from its beginning.
	ownSettings map[string]string
	// builtins are read where the users of a server share the database.
	builtins builtins
	// walls are those of all rights.
	walls map[roles.Rights]*duckbackend.Wall
	// attached is for one version of the catalog; nil: not looked for yet.
	attached atomic.Pointer[attachedFiles]
	// settingsEpoch moves when a session may have changed a global setting.
	settingsEpoch atomic.Uint64
	// globals is what the settings of connections that set none change by now; nil:
	// nothing.
	globals atomic.Pointer[difference]

	// alive ends when the engine is closed, by end, and shared is the work that goes on by it.
	alive  context.Context
	end    context.CancelFunc
	shared sync.WaitGroup

	mu     sync.Mutex
	closed bool
}

// bindersMax bounds the idle binding connections.
const bindersMax = 4

// DuckDBVersion is the release of DuckDB that is linked, such as "v1.5.6".
func DuckDBVersion() string { return duckbackend.LibraryVersion() }

// Open opens the database. Errors: 55006 when another process holds the file,
// 58030 or XX001 when it cannot be read.
func Open(ctx context.Context, cfg Config) (*Engine, error) {
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.NewTextHandler(io.Discard, nil))
	}
	if cfg.MemoryLimitBytes == 0 {
		cfg.MemoryLimitBytes = DefaultMemoryLimit()
	}
	if cfg.Spill == nil {
		cfg.Spill = spill.NewSpace(0)
	}
	if cfg.Roles == nil {
		store, err := roles.Open("")
		if err != nil {
			return nil, err
		}
		cfg.Roles = store
	}
	versions := catalog.NewVersions()
	e := &Engine{
		cfg: cfg, log: cfg.Logger,
		catalog:  catalog.New(versions),
		binders:  make(chan *duckbackend.Conn, bindersMax),
		referred: cache.NewStatements[referredTable](), constrained: cache.NewStatements[*constrained](),
	}
	system, err := newSystemCatalog()
	if err != nil {
		return nil, err
	}
	e.system = system
	db, err := duckbackend.Open(ctx, duckbackend.Config{
		Path: cfg.Path, Threads: cfg.Threads, MemoryLimitBytes: cfg.MemoryLimitBytes - TensorMemory(cfg.MemoryLimitBytes),
		ExpressionDepthMax: cfg.ExpressionDepthMax, Invalidated: cfg.Invalidated, Detached: detached(versions, cfg.Logger), Confined: cfg.Confined, Directories: cfg.Directories,
		Functions: e.functions(),
	})
	if err != nil {
		return nil, err
	}
	e.db = db
	if e.ownsPublic, err = ownsPublic(ctx, db); err != nil {
		return nil, closeAfter(err, db.Close)
	}
	if err := upgradeOwners(ctx, db); err != nil {
		return nil, closeAfter(err, db.Close)
	}
	e.activity = activity.NewRegistry(cfg.recentStatements(), cfg.Observe)
	e.SetSlowQuery(cfg.SlowQuery)
	if err := e.readBaseline(ctx); err != nil {
		return nil, closeAfter(err, db.Close)
	}
	if err := db.Guard(e.permitChange); err != nil {
		return nil, closeAfter(err, db.Close)
	}
	e.walls = e.makeWalls()
	e.workers = newPool(e)
	e.tensor = newRoute(e)
	e.alive, e.end = context.WithCancel(context.WithoutCancel(ctx))
	return e, nil
}

// detached tells what is kept of tables, and the log, that a database is gone.
func detached(versions *catalog.Versions, log *slog.Logger) func(database string) {
	return func(database string) {
		w := versions.BeginWrite()
		w.Add(catalog.Targets{Unknown: true, Schema: true, Functions: true})
		w.Commit()
		log.Warn("an attached database could not be written, and was detached", "database", database)
	}
}

// closeAfter closes something because of err, and adds a failure to close to it.
func closeAfter(err error, close func() error) error {
	if cerr := close(); cerr != nil {
		e := *sqlerr.From(err)
		e.Detail += "; then: " + cerr.Error()
		return &e
	}
	return err
}

func (e *Engine) readBaseline(ctx context.Context) error {
	conn, err := e.db.Conn(ctx)
	if err != nil {
		return err
	}
	e.baseline, e.ownSettings, err = readDuckSettings(ctx, conn)
	if err == nil && e.cfg.Confined {
		e.builtins, err = e.readBuiltins(ctx, conn)
		if err == nil {
			err = e.builtins.mustKeep(ctx, conn, duckbackend.CatalogName)
		}
	}
	if err != nil {
		return closeAfter(err, conn.Close)
	}
	return conn.Close()
}

// readGlobals finds what the settings that a statement may have changed for all
// sessions mean for the engine's own connections. A worker has its zone for itself.
func (e *Engine) readGlobals(ctx context.Context) error {
	return e.workers.lend(ctx, func(c *duckbackend.Conn) error {
		now, _, err := readDuckSettings(ctx, c)
		if err != nil {
			return err
		}
		d := compareSettings(e.baseline, now)
		e.globals.Store(&d)
		return nil
	})
}

// Close closes the database. All sessions must have been closed.
func (e *Engine) Close() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return nil
	}
	e.closed = true
	e.end()
	e.shared.Wait()
	if err := e.workers.close(); err != nil {
		return closeAfter(err, e.db.Close)
	}
	for {
		select {
		case c := <-e.binders:
			if err := c.Close(); err != nil {
				return closeAfter(err, e.db.Close)
			}
		default:
			return e.db.Close()
		}
	}
}

// share runs work that sessions share: it goes on for those that come after when the statement that
// has begun it waits no longer.
func (e *Engine) share(ctx context.Context, work func(context.Context) error) error {
	var err error
	done := make(chan struct{})
	e.shared.Add(1)
	go func() {
		defer e.shared.Done()
		defer close(done)
		defer func() {
			if p := recover(); p != nil {
				err = e.panicked(p)
			}
		}()
		err = work(e.alive)
	}()
	select {
	case <-done:
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// panicked logs a panic, and returns its error.
func (e *Engine) panicked(p any) *sqlerr.Error {
	e.log.Error("statement panicked", "panic", p, "stack", string(debug.Stack()))
	return sqlerr.New(sqlerr.InternalError, "%v", p).
		WithHint("This is a bug of Trireme. The session goes on.")
}

// withBinder lends an idle binding connection, or a new one.
func (e *Engine) withBinder(ctx context.Context, use func(*duckbackend.Conn) error) error {
	var conn *duckbackend.Conn
	select {
	case conn = <-e.binders:
	default:
		c, err := e.db.PlainConn(ctx)
		if err != nil {
			return err
		}
		conn = c
	}
	healthy := false
	defer func() {
		if healthy {
			select {
			case e.binders <- conn:
				return
			default:
			}
		}
		if err := conn.Close(); err != nil {
			e.log.Error("closing a binding connection", "error", err)
		}
	}()
	err := use(conn)
	healthy = true // a panic in use leaves it false
	return err
}
