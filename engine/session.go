package engine

import (
	"context"
	"sync"
	"time"

	"github.com/trireme-db/trireme/duckbackend"
	"github.com/trireme-db/trireme/engine/activity"
	"github.com/trireme-db/trireme/engine/advisory"
	"github.com/trireme-db/trireme/engine/catalog"
	"github.com/trireme-db/trireme/engine/roles"
	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/internal/spill"
	"github.com/trireme-db/trireme/internal/sqlerr"
	"github.com/trireme-db/trireme/sqlfront"
)

// SessionOptions are what a client says when it connects.
type SessionOptions struct {
	User, Database string
	// PID names the session to others, and is what pg_backend_pid returns; Remote is the
	// client's address; 0 and "": the session is not of the wire.
	PID    int
	Remote string
	// Role is the role whose rights the session has; empty: it may do everything.
	Role string
	// Interrupt cancels what the client waits for, also between two steps of the session;
	// nil: Cancel does. It is called from any goroutine.
	Interrupt func()
	// Terminate ends the client's connection; nil: it cannot be ended. It is called
	// from any goroutine.
	Terminate func()
	// Abandon ends the client's connection with an error, since what the session runs has
	// been cancelled and does not stop; nil: the client waits. It is called from any
	// goroutine. The session must still be closed, when its method has returned.
	Abandon func(err error)
	// Options are settings to start with, as SET takes them; the name "options"
	// holds Postgres's command line form, "-c name=value ...".
	Options map[string]string
}

// Session is what one connection owns (E1).
type Session struct {
	engine *Engine
	conn   *duckbackend.Conn
	user   string
	pid    int
	role   string // whose rights it has; empty: all
	// abandon is SessionOptions.Abandon.
	abandon func(err error)

	tx    transaction
	block bool // inside BeginImplicit .. EndImplicit
	locks *advisory.Owner
	// savepointsMade and returnedTo are those of Savepoints and ReturnedTo.
	savepointsMade, returnedTo uint64
	// intent is what the statement that began last is going to write; nil: nothing.
	intent *catalog.Intent

	settings    settings
	zone        *time.Location // of zoneName; nil: not looked for yet
	zoneName    string
	notices     []Notice
	lastBackend string
	// own is what the session has that others do not see.
	own ownState
	// generation moves whenever a statement prepared earlier might be bound or
	// routed differently now.
	generation uint64
	// behind are the rights for which it was bound last.
	behind roles.Rights
	// named are the statements of SQL PREPARE; wire those of the protocol, nil without.
	named map[string]*named
	kept  keptStatements
	wire  ProtocolStatements

	// activity is what others see of the session, noted the notes of the statement that
	// began last.
	activity *activity.Session
	noted    *notes

	open   *Result // the result that reads from conn (E4)
	closed bool

	// cursors are those of DECLARE; streaming is the one whose query reads from conn
	// (E4), below open where that is a FETCH from it.
	cursors   map[string]*sqlCursor
	spilled   *spill.Share // of the files of rows that wait
	streaming *sqlCursor

	cancelMu sync.Mutex
	running  map[*run]struct{} // guarded by cancelMu
}

// ownState is why a session may need its own connection to bind on.
type ownState struct {
	// wished is the search path, where it names schemas that are not there; empty: all
	// are. found are those that are, applied is what DuckDB says of its path.
	wished  string
	found   []string
	applied string
	objects bool // temporary tables, views, macros; session variables
	// difference is that of the session's DuckDB settings, read at epoch, a value of
	// Engine.settingsEpoch.
	difference
	epoch uint64
	// immediate: BEGIN takes DuckDB's snapshot, not the first statement.
	immediate bool
	// duck are DuckDB's settings that the session has for itself, with their values.
	duck      map[string]string
	path      []catalog.Schema
	view      *catalog.View // kept while viewStamp holds
	viewStamp stamp
}

// NewSession opens a session. Errors of the given options are those of SET.
func (e *Engine) NewSession(ctx context.Context, opt SessionOptions) (*Session, error) {
	conn, err := e.db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	s := &Session{
		engine: e, conn: conn, spilled: e.cfg.Spill.NewShare(), user: opt.User, pid: opt.PID, role: opt.Role, abandon: opt.Abandon, locks: e.locks.Owner(opt.PID),
		tx:    transaction{status: TxIdle},
		named: map[string]*named{}, kept: keptStatements{}, running: map[*run]struct{}{}, cursors: map[string]*sqlCursor{},
		own: ownState{epoch: e.settingsEpoch.Load(), path: catalog.DefaultPath(), duck: e.ownSettings},
	}
	s.settings = newSettings(e, opt.User)
	r, err := s.rights()
	if err != nil {
		return nil, closeAfter(err, conn.Close)
	}
	if !r.Admin {
		s.settings.initial["is_superuser"] = "off"
	}
	if s.own.epoch > 0 { // somebody may have changed what connections begin with
		if err := s.readOwn(ctx); err != nil {
			return nil, closeAfter(err, conn.Close)
		}
	}
	if err := s.startAsRole(ctx, opt.Role); err != nil {
		return nil, closeAfter(err, conn.Close)
	}
	if err := s.startWith(ctx, opt.Options); err != nil {
		return nil, closeAfter(err, conn.Close)
	}
	s.enroll(opt)
	return s, nil
}

// isAdmin reports whether the session may act on those of others now.
func (s *Session) isAdmin() bool {
	r, err := s.rights()
	return err == nil && r.Admin
}

// enroll makes the session known to others.
func (s *Session) enroll(opt SessionOptions) {
	cancel := opt.Interrupt
	if cancel == nil {
		cancel = s.Cancel
	}
	s.activity = s.engine.activity.Open(activity.Identity{
		PID: uint32(max(opt.PID, 0)), User: opt.User, Database: opt.Database, Remote: opt.Remote, Application: s.settings.get("application_name"),
		Believed: opt.Role == "",
	}, activity.Control{Admin: s.isAdmin, Cancel: cancel, Terminate: opt.Terminate})
	s.activity.UseConn(s.conn.ID())
	s.pid = int(s.activity.Info().PID)
}

// Close ends the session: an open transaction is rolled back.
func (s *Session) Close() error {
	if s.closed {
		return nil
	}
	s.closed = true
	defer s.locks.Close()
	s.activity.Close()
	var first error
	if s.open != nil {
		first = s.open.Close()
	}
	if err := s.closeCursors(); err != nil && first == nil {
		first = err
	}
	if err := s.closeKept(); err != nil && first == nil {
		first = err
	}
	for _, n := range s.named {
		if n.query == nil {
			continue
		}
		if err := n.query.Close(); err != nil && first == nil {
			first = err
		}
	}
	if err := s.closeTransaction(context.Background()); err != nil && first == nil {
		first = err
	}
	if err := s.conn.Close(); err != nil && first == nil {
		first = err
	}
	if s.tx.write != nil {
		s.tx.write.Rollback() // closing a connection rolls back
	}
	if err := s.tx.redo.close(); err != nil && first == nil {
		first = err
	}
	return first
}

// Cancel stops what the session is running, if anything, with error 57014. It
// may be called from any goroutine.
func (s *Session) Cancel() {
	s.cancelMu.Lock()
	defer s.cancelMu.Unlock()
	for r := range s.running {
		r.cancel(errCanceledByUser)
	}
}

// Split cuts a text into its statements.
func (s *Session) Split(sql string) ([]sqlfront.Statement, error) {
	return sqlfront.SplitWithin(sql, sqlfront.Bounds{Tokens: s.engine.cfg.TokensMax, TokenBytes: s.engine.cfg.TokenBytesMax})
}

// Notice is what a session has to say beside its results.
type Notice struct {
	Severity string // WARNING, NOTICE
	Code     string // SQLSTATE
	Message  string
}

// Notices returns the notices since the last call.
func (s *Session) Notices() []Notice {
	n := s.notices
	s.notices = nil
	return n
}

// warn notes a warning, unless the client wants to hear of errors only.
func (s *Session) warn(text, code string) {
	if s.settings.get("client_min_messages") != "error" {
		s.note(Notice{Severity: "WARNING", Code: code, Message: text})
	}
}

// tell notes a notice, unless the client wants to hear of warnings only.
func (s *Session) tell(code, text string) {
	switch s.settings.get("client_min_messages") {
	case "warning", "error":
	default:
		s.note(Notice{Severity: "NOTICE", Code: code, Message: text})
	}
}

// noticesMax is how many notices wait to be heard: a function that has one for each row may have
// any number, and a caller in process may never ask.
const noticesMax = 1000

// note keeps a notice, the last in place of those that are too many.
func (s *Session) note(n Notice) {
	n.Message = sqlerr.Shortened(n.Message)
	switch len(s.notices) {
	case noticesMax:
		return
	case noticesMax - 1:
		n = Notice{Severity: n.Severity, Code: n.Code, Message: "further messages are left out"}
	}
	s.notices = append(s.notices, n)
}

// LastBackend names who answered the last statement that had a choice: "native",
// "decomposed", "duckdb", or "none" before the first.
func (s *Session) LastBackend() string {
	if s.lastBackend == "" {
		return "none"
	}
	return s.lastBackend
}

// Backend is the session's backend setting.
func (s *Session) Backend() Backend { return s.settings.backend }

// guard turns a panic into an error of the statement (E6).
func (s *Session) guard(err *error) {
	p := recover()
	if p == nil {
		return
	}
	e := s.engine.panicked(p)
	if s.open != nil {
		s.open.giveUp(e)
	}
	*err = s.fail(e)
	if s.tx.status == TxIdle { // the statement may have begun a transaction of its own in DuckDB
		if err := s.leaveAborted(context.Background()); err != nil {
			e.Detail = err.Error()
		}
	}
}

// isPrivate reports whether the session must bind on its own connection and
// share no cache entries.
func (s *Session) isPrivate() bool {
	return s.own.meaning != "" || s.own.otherPath || s.hasOwnObjects()
}

// hasOwnObjects reports whether the session may see other objects than those that
// have been committed last.
func (s *Session) hasOwnObjects() bool {
	if s.own.objects || s.tx.redo.hasFrozen() {
		return true
	}
	if s.tx.write != nil && s.tx.write.WroteSchema() {
		return true
	}
	version, _ := s.engine.catalog.Versions.Schema()
	return s.tx.pin != 0 && version > uint64(s.tx.pin)
}

// hasOwnFunctions reports whether the session may see other functions than those
// that have been committed last.
func (s *Session) hasOwnFunctions() bool {
	if s.own.objects || s.tx.redo.hasFrozen() || s.tx.write != nil && s.tx.write.WroteFunctions() {
		return true
	}
	version, _ := s.engine.catalog.Versions.Functions()
	return s.tx.pin != 0 && version > uint64(s.tx.pin)
}

// access lends the connection on which the session binds.
func (s *Session) access() catalog.Access {
	if !s.isPrivate() {
		return s.engine.withBinder
	}
	return func(ctx context.Context, use func(*duckbackend.Conn) error) error {
		if err := s.detachOpen(ctx); err != nil {
			return err
		}
		return use(s.conn)
	}
}

// Describe asks DuckDB about a statement without running it; it makes a Session
// the Preparer of sqlfront.
func (s *Session) Describe(ctx context.Context, sql string, params []rows.Type) (sqlfront.Description, error) {
	var d duckbackend.Description
	err := s.access()(ctx, func(c *duckbackend.Conn) (err error) {
		d, err = c.Describe(ctx, sql, params)
		return err
	})
	return sqlfront.Description{Columns: d.Columns, Params: d.Params}, err
}

// SerializeSQL implements sqlfront.TreePreparer.
func (s *Session) SerializeSQL(ctx context.Context, sql string) (tree string, err error) {
	err = s.access()(ctx, func(c *duckbackend.Conn) (err error) {
		tree, err = c.SerializeSQL(ctx, sql)
		return err
	})
	return tree, err
}

// DeserializeSQL implements sqlfront.TreePreparer.
func (s *Session) DeserializeSQL(ctx context.Context, tree string) (sql string, err error) {
	err = s.access()(ctx, func(c *duckbackend.Conn) (err error) {
		sql, err = c.DeserializeSQL(ctx, tree)
		return err
	})
	return sql, err
}

// catalogView is the catalog as the session's next statement sees it.
func (s *Session) catalogView() *catalog.View {
	if !s.isPrivate() {
		return s.engine.catalog.Shared(s.engine.withBinder)
	}
	if now := s.stamp(); s.own.view == nil || s.own.viewStamp != now {
		s.own.view = s.engine.catalog.Private(s.access(), s.own.path, s.hasOwnFunctions())
		s.own.viewStamp = now
	}
	return s.own.view
}

// stamp identifies what a prepared statement depends on beside its text.
type stamp struct {
	schema     uint64 // version of the catalog
	generation uint64 // of the session
	private    bool
	objects    bool // of its own, or of an older version
}

func (s *Session) stamp() stamp {
	version, _ := s.engine.catalog.Versions.Schema()
	return stamp{schema: version, generation: s.generation, private: s.isPrivate(), objects: s.hasOwnObjects()}
}
