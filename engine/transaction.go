package engine

import (
	"context"
	"errors"
	"time"

	"github.com/trireme-db/trireme/duckbackend"
	"github.com/trireme-db/trireme/engine/catalog"
	"github.com/trireme-db/trireme/internal/load"
	"github.com/trireme-db/trireme/internal/sqlerr"
	"github.com/trireme-db/trireme/sqlfront"
)

// TxStatus is the state of a session's transaction, in the letters of the
// Postgres protocol.
type TxStatus byte

// The states: none, active, failed (only ROLLBACK or COMMIT may follow).
const (
	TxIdle   TxStatus = 'I'
	TxActive TxStatus = 'T'
	TxFailed TxStatus = 'E'
)

// transaction is the present transaction of a session.
type transaction struct {
	status TxStatus
	// implicit: opened for a text of several statements, not by BEGIN.
	implicit bool
	modes    modes
	began    time.Time
	// pin is set at the first statement, when DuckDB takes its snapshot. begun is the clock
	// from before BEGIN, which takes it where immediate_transaction_mode is on.
	pin, begun catalog.Pin
	// snapshot is the pin of the first statement, whatever DuckDB has begun since.
	snapshot catalog.Pin
	write    *catalog.Write
	// used: a statement has read from the snapshot. upserts: one has heeded rows that were in its way.
	used, upserts bool
	// before are the settings to return to on rollback; local those to return to
	// in any case (SET LOCAL).
	before, local map[string]string
	// duck are the settings that DuckDB alone had for the session, to return to on rollback.
	duck       map[string]string
	savepoints []savepoint
	// redo is what the transaction has done; nil: there is none.
	redo *redoLog
	// changes are what the transaction has done to tables, by their names as load.Table.Folded has them.
	changes map[load.Table]tableChanges
	// drawn are the sequences, by their oids, of which transactions of DuckDB's have drawn numbers
	// that this one had before its present one.
	drawn []uint64
	// undone: the transaction has failed and has been rolled back already, with undoing as the
	// error of that; its end only has to be said.
	undone  bool
	undoing error
}

// TxStatus is the state of the user's transaction; the implicit one of a block
// is none of the user's.
func (s *Session) TxStatus() TxStatus {
	if s.tx.implicit {
		return TxIdle
	}
	return s.tx.status
}

// BeginImplicit starts a block: statements until EndImplicit share a
// transaction, unless they control transactions themselves.
func (s *Session) BeginImplicit(context.Context) error {
	s.block = true
	return nil
}

// EndImplicit ends the block and the transaction that it opened, if it is still
// open: committed if ok, else rolled back.
func (s *Session) EndImplicit(ctx context.Context, ok bool) (err error) {
	defer s.guard(&err)
	defer s.rest()
	s.block = false
	if s.tx.status == TxIdle || !s.tx.implicit {
		return nil
	}
	if ok && s.tx.status == TxActive {
		if err := s.detachOpen(ctx); err != nil {
			return errors.Join(err, s.rollback(ctx))
		}
	}
	if s.open != nil { // its rows will not be asked for
		if err := s.open.Close(); err != nil {
			return errors.Join(err, s.rollback(ctx))
		}
	}
	if !ok || s.tx.status == TxFailed {
		return s.rollback(ctx)
	}
	return s.commit(ctx)
}

// enter prepares the transaction for a statement that is not about
// transactions: it opens the implicit one of a block and pins the snapshot. It
// comes before anything that might touch the database on the session's own
// connection, binding included, because DuckDB's snapshot must not be older
// than the pin.
func (s *Session) enter(ctx context.Context) error {
	if err := s.enterBlock(ctx); err != nil {
		return err
	}
	if s.tx.status != TxActive || s.tx.pin != 0 {
		return nil
	}
	pin := s.engine.catalog.Versions.Pin()
	// Where it is not known whether BEGIN has taken the snapshot, it may have.
	if s.own.immediate || s.own.epoch != s.engine.settingsEpoch.Load() {
		pin = s.tx.begun
	}
	// DuckDB takes its snapshot of a database when a statement first touches it;
	// this one touches all.
	if err := s.conn.Exec(ctx, "SELECT 1 FROM system.main.duckdb_schemas() LIMIT 1"); err != nil {
		return err
	}
	s.tx.pin = pin
	if s.tx.snapshot == 0 {
		s.tx.snapshot = pin
	}
	return nil
}

// enterBlock opens the implicit transaction of a block, for a statement that changes what a
// rollback returns and pins no snapshot.
func (s *Session) enterBlock(ctx context.Context) error {
	if !s.block || s.tx.status != TxIdle {
		return nil
	}
	return s.begin(ctx, true, s.defaultModes())
}

// beginText is the statement that begins DuckDB's transaction. Whether that is read-only
// is ours to watch (admitWrite), since it may change later; not so for those who read
// only.
func (s *Session) beginText() (string, error) {
	r, err := s.rights()
	if err == nil && r.ReadOnly {
		return beginReading, nil
	}
	return "BEGIN TRANSACTION", err
}

const beginReading = "BEGIN TRANSACTION READ ONLY"

func (s *Session) begin(ctx context.Context, implicit bool, m modes) error {
	sql, err := s.beginText()
	if err != nil {
		return err
	}
	m.readOnly = m.readOnly || sql == beginReading
	if err := s.detachStream(ctx); err != nil { // a cursor that is held may still read
		return err
	}
	if err := s.refreshOwn(ctx); err != nil {
		return err
	}
	begun := s.engine.catalog.Versions.Pin()
	if err := s.conn.Exec(ctx, sql); err != nil {
		return err
	}
	s.tx = transaction{
		begun:  begun,
		status: TxActive, implicit: implicit, modes: m, began: time.Now(), write: s.engine.catalog.Versions.BeginWrite(),
		before: s.settings.copyValues(), local: map[string]string{}, duck: s.own.duck, redo: &redoLog{},
	}
	return nil
}

// commit ends an active transaction. It is not interrupted: after COMMIT has
// been sent, only its answer tells what happened.
func (s *Session) commit(ctx context.Context) error {
	if err := s.settleCursors(ctx, true); err != nil {
		return errors.Join(err, s.rollback(ctx))
	}
	ctx = context.WithoutCancel(ctx)
	if err := s.thawClock(ctx); err != nil {
		return errors.Join(err, s.rollback(ctx))
	}
	if err := s.logDrawn(ctx, s.tx.drawn); err != nil {
		return errors.Join(err, s.rollback(ctx))
	}
	tx := s.tx
	tx.write.Ending()
	err := s.conn.Exec(ctx, "COMMIT")
	if tx.upserts {
		err = errUnseen(err)
	}
	err = errors.Join(err, tx.redo.close())
	s.tx = transaction{status: TxIdle}
	defer s.locks.ReleaseTo(0)
	// After a failed commit the versions move too: whether anything became
	// visible is DuckDB's secret.
	tx.write.Commit()
	s.generation++
	drawn := s.conn.TakeDrawn()
	if err != nil {
		return errors.Join(err, s.leaveAborted(ctx), s.logDrawn(ctx, append(drawn, tx.drawn...)), s.restoreSettings(ctx, tx.before), s.returnDuck(ctx, tx.duck))
	}
	return s.restoreSettings(ctx, tx.local)
}

// leaveAborted rolls back if a failed COMMIT has left a transaction open.
func (s *Session) leaveAborted(ctx context.Context) error {
	err := s.conn.Exec(ctx, "ROLLBACK")
	if duckbackend.IsNoTransaction(err) {
		return nil
	}
	return err
}

// rollback ends an active or failed transaction.
func (s *Session) rollback(ctx context.Context) error {
	if s.tx.undone {
		err := s.tx.undoing
		s.tx = transaction{status: TxIdle}
		return err
	}
	ctx = context.WithoutCancel(ctx)
	err := errors.Join(s.settleCursors(ctx, false), s.leaveAborted(ctx))
	s.takeDrawn()
	tx := s.tx
	s.tx = transaction{status: TxIdle}
	err = errors.Join(err, tx.redo.close(), s.logDrawn(ctx, tx.drawn))
	defer s.locks.ReleaseTo(0)
	if err != nil {
		tx.write.Commit()
		return err
	}
	tx.write.Rollback()
	s.generation++
	return errors.Join(s.restoreSettings(ctx, tx.before), s.returnDuck(ctx, tx.duck))
}

// admit refuses what a failed transaction does not allow.
func (s *Session) admit(c sqlfront.Class) error {
	if s.closed {
		return sqlerr.New(sqlerr.AdminShutdown, "the session is closed")
	}
	if s.tx.status != TxFailed {
		return nil
	}
	switch c.Kind {
	case sqlfront.ClassCommit, sqlfront.ClassRollback, sqlfront.ClassRollbackTo, sqlfront.ClassEmpty:
		return nil
	}
	return sqlerr.New(sqlerr.FailedTransaction, "current transaction is aborted, commands ignored until end of transaction block")
}

// fail notes an error in the transaction and returns it as the client gets it.
func (s *Session) fail(err error) error {
	if s.tx.status == TxActive && !sqlerr.IsHarmless(err) {
		s.failTransaction(err)
	}
	return s.withoutPaths(err)
}

// FailTransaction fails the open transaction for an error that did not come from
// the session, such as a parameter that the wire could not decode.
func (s *Session) FailTransaction() {
	if s.tx.status == TxActive {
		s.failTransaction(nil)
	}
}

func (s *Session) failTransaction(cause error) {
	s.tx.status = TxFailed
	if s.open == nil { // otherwise its end does it
		s.giveBack(cause)
	}
}

// giveBack lets others have what a transaction that has failed holds, since its client may take
// its time until it ends the transaction: nothing of it can be committed any more. Where ROLLBACK
// TO may return to a savepoint, only locks that were taken after it are given back: those under
// which nothing has been written, and in a deadlock all.
func (s *Session) giveBack(cause error) {
	tx := s.tx
	defer func() {
		if p := recover(); p != nil { // its end tries again
			_ = s.engine.panicked(p) // which logs it
			s.tx = tx
		}
	}()
	switch n := len(tx.savepoints); {
	case tx.status != TxFailed || tx.undone || tx.implicit: // an implicit one ends with the error
	case n == 0:
		err := s.rollback(context.Background())
		s.tx = transaction{status: TxFailed, modes: tx.modes, began: tx.began, undone: true, undoing: err}
	default:
		sp, log := tx.savepoints[n-1], tx.redo
		wrote := log.open > 0 || len(log.entries) > sp.place
		if !wrote || cause != nil && sqlerr.From(cause).Code == sqlerr.DeadlockDetected {
			s.locks.ReleaseTo(sp.locks)
		}
	}
}

// prepareTransaction makes the statement for BEGIN, COMMIT and ROLLBACK.
func (s *Session) prepareTransaction(c sqlfront.Class, sql string) statement {
	switch c.Kind {
	case sqlfront.ClassBegin:
		tag := "BEGIN"
		if firstWord(sql) == "START" {
			tag = "START TRANSACTION"
		}
		return &utility{run: func(ctx context.Context) (string, error) { return tag, s.runBegin(ctx, c.Modes) }}
	case sqlfront.ClassCommit:
		return &utility{keeps: true, run: func(ctx context.Context) (string, error) { return s.runCommit(ctx, c.Modes.Chain) }}
	default:
		return &utility{keeps: true, run: func(ctx context.Context) (string, error) { return s.runRollback(ctx, c.Modes.Chain) }}
	}
}

func (s *Session) runBegin(ctx context.Context, said *sqlfront.TransactionModes) error {
	switch {
	case s.tx.status == TxActive && s.tx.implicit:
		s.tx.implicit = false // the block's transaction goes on as the user's
		s.tx.modes = s.tx.modes.with(said)
		return nil
	case s.tx.status == TxActive:
		s.warn("there is already a transaction in progress", sqlerr.ActiveTransaction)
		s.tx.modes = s.tx.modes.with(said)
		return nil
	}
	return s.begin(ctx, false, s.defaultModes().with(said))
}

func (s *Session) runCommit(ctx context.Context, chain bool) (string, error) {
	if err := s.mayEnd("COMMIT", chain); err != nil {
		return "", err
	}
	tag, m := "COMMIT", s.tx.modes
	switch s.tx.status {
	case TxFailed:
		tag = "ROLLBACK"
		if err := s.rollback(ctx); err != nil {
			return tag, err
		}
	case TxActive:
		if err := s.commit(ctx); err != nil {
			return tag, err
		}
	}
	return tag, s.chain(ctx, chain, m)
}

func (s *Session) runRollback(ctx context.Context, chain bool) (string, error) {
	if err := s.mayEnd("ROLLBACK", chain); err != nil {
		return "", err
	}
	m := s.tx.modes
	if s.tx.status != TxIdle {
		if err := s.rollback(ctx); err != nil {
			return "ROLLBACK", err
		}
	}
	return "ROLLBACK", s.chain(ctx, chain, m)
}

// mayEnd warns where there is no transaction of the user's to end; nothing can
// follow it in a chain.
func (s *Session) mayEnd(word string, chain bool) error {
	if s.tx.status != TxIdle && !s.tx.implicit {
		return nil
	}
	if chain {
		return sqlerr.New(sqlerr.NoActiveTransaction, "%s AND CHAIN can only be used in transaction blocks", word)
	}
	s.warn("there is no transaction in progress", sqlerr.NoActiveTransaction)
	return nil
}

// chain begins the next transaction with the modes of the last.
func (s *Session) chain(ctx context.Context, chain bool, m modes) error {
	if !chain {
		return nil
	}
	return s.begin(ctx, false, m)
}
