package engine

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/trireme-db/trireme/internal/sqlerr"
	"github.com/trireme-db/trireme/sqlfront"
)

// savepoint is a place of a transaction, to which ROLLBACK TO returns.
type savepoint struct {
	name string
	// number counts the session's savepoints from 1.
	number uint64
	// place is how many entries the transaction's log had.
	place int
	// locks is how many locks the transaction had taken.
	locks int
	modes modes
	// values and local are the session's settings, and transaction.local.
	values, local map[string]string
	cursors       map[string]*sqlCursor
	// bytes is about what it and those before it take in memory.
	bytes int
}

const (
	savepointBytes = 256
	// savepointItemBytes is what a setting or cursor takes in a copy of all.
	savepointItemBytes = 128
)

// prepareSavepoint makes SAVEPOINT, RELEASE and ROLLBACK TO.
func (s *Session) prepareSavepoint(c sqlfront.Class) statement {
	switch c.Kind {
	case sqlfront.ClassSavepoint:
		return &utility{keeps: true, run: func(ctx context.Context) (string, error) { return "SAVEPOINT", s.setSavepoint(ctx, c.Name) }}
	case sqlfront.ClassRelease:
		return &utility{keeps: true, run: func(context.Context) (string, error) { return "RELEASE", s.releaseSavepoint(c.Name) }}
	}
	return &utility{run: func(ctx context.Context) (string, error) { return "ROLLBACK", s.returnTo(ctx, c.Name) }}
}

// inTransaction refuses what belongs between BEGIN and its end.
func (s *Session) inTransaction(what string) error {
	if s.TxStatus() == TxIdle {
		return sqlerr.New(sqlerr.NoActiveTransaction, "%s can only be used in transaction blocks", what)
	}
	return nil
}

// setSavepoint makes a savepoint. Where what was done before could not be done again
// it is refused, and the transaction goes on without.
func (s *Session) setSavepoint(ctx context.Context, name string) error {
	if err := s.inTransaction("SAVEPOINT"); err != nil {
		return err
	}
	if err := s.mayReturn(ctx); err != nil {
		return err
	}
	sp := savepoint{
		name: strings.Clone(name), place: len(s.tx.redo.entries), locks: s.locks.Taken(), modes: s.tx.modes,
		values: s.settings.copyValues(), local: maps.Clone(s.tx.local), cursors: maps.Clone(s.cursors),
	}
	if n := len(s.tx.savepoints); n > 0 {
		sp.share(&s.tx.savepoints[n-1])
	} else {
		sp.share(&savepoint{})
	}
	if sp.bytes > redoTextBytes {
		return sqlerr.New(sqlerr.ProgramLimit, "the transaction has too many savepoints: %d", len(s.tx.savepoints)).
			WithHint("Release those that are not needed any more.")
	}
	s.savepointsMade++
	sp.number = s.savepointsMade
	s.tx.savepoints = append(s.tx.savepoints, sp)
	return nil
}

// Savepoints is how many savepoints the session has made, which are numbered from 1, and the
// number of the transaction's last that is there; 0: there is none.
func (s *Session) Savepoints() (made, last uint64) {
	if n := len(s.tx.savepoints); n > 0 {
		last = s.tx.savepoints[n-1].number
	}
	return s.savepointsMade, last
}

// ReturnedTo is the number of the savepoint to which the session has returned since the last
// call, of several the first that was made; 0: to none.
func (s *Session) ReturnedTo() uint64 {
	number := s.returnedTo
	s.returnedTo = 0
	return number
}

// share takes the copies of the savepoint before where they are the same.
func (sp *savepoint) share(last *savepoint) {
	sp.bytes = last.bytes + savepointBytes + len(sp.name)
	shareCopy(&sp.values, last.values, &sp.bytes)
	shareCopy(&sp.local, last.local, &sp.bytes)
	shareCopy(&sp.cursors, last.cursors, &sp.bytes)
}

func shareCopy[V string | *sqlCursor](own *map[string]V, last map[string]V, bytes *int) {
	if last != nil && maps.Equal(*own, last) {
		*own = last
		return
	}
	*bytes += savepointItemBytes * len(*own)
}

// mayReturn brings the log of the transaction up to date, so that what was done until now
// could be done again; the error says why it could not.
func (s *Session) mayReturn(ctx context.Context) error {
	log := s.tx.redo
	switch {
	case log.sealed != nil:
		return log.sealed
	case log.open > 0:
		return sqlerr.New(sqlerr.FeatureNotSupported, "a savepoint cannot be made after a COPY that was given up").WithHint("%s", hintRedo)
	case len(log.pending) > 0:
		if err := s.detachOpen(ctx); err != nil {
			return err
		}
		if err := s.bringUp(ctx); err != nil {
			return err
		}
	}
	for ; log.checked < len(log.entries); log.checked++ {
		e := log.entries[log.checked]
		if e.kind != redoText {
			continue
		}
		reason, err := s.unrepeatable(ctx, e)
		if err != nil {
			return err
		}
		if reason != "" {
			return sqlerr.New(sqlerr.FeatureNotSupported, "a savepoint cannot be made after %s: %s", describeRedo(e), reason).WithHint("%s", hintRedo)
		}
	}
	return nil
}

// refusesSavepoint reports whether an error is that of a SAVEPOINT that was refused: the
// transaction is as it was.
func (s *Session) refusesSavepoint(c sqlfront.Class, err error) bool {
	return c.Kind == sqlfront.ClassSavepoint && s.tx.status == TxActive && isRefusal(err)
}

// savepointNamed finds the place of the last savepoint of a name.
func (s *Session) savepointNamed(name string) (int, error) {
	for i, sp := range slices.Backward(s.tx.savepoints) {
		if sp.name == name {
			return i, nil
		}
	}
	return 0, sqlerr.New(sqlerr.UndefinedSavepoint, "savepoint \"%s\" does not exist", name)
}

// releaseSavepoint forgets a savepoint and those set after it.
func (s *Session) releaseSavepoint(name string) error {
	if err := s.inTransaction("RELEASE SAVEPOINT"); err != nil {
		return err
	}
	i, err := s.savepointNamed(name)
	if err == nil {
		s.tx.savepoints = s.tx.savepoints[:i]
	}
	return err
}

// returnTo is ROLLBACK TO: the database is for the transaction what it was at the
// savepoint, the settings of the session are again those then, cursors declared since are
// closed, and savepoints set since are forgotten; this one stays. As in Postgres a cursor
// keeps its position, what has been closed stays closed, and sequences do not count back.
func (s *Session) returnTo(ctx context.Context, name string) error {
	if err := s.inTransaction("ROLLBACK TO SAVEPOINT"); err != nil {
		return err
	}
	i, err := s.savepointNamed(name)
	if err != nil {
		return err
	}
	sp := s.tx.savepoints[i]
	for _, cursor := range slices.Sorted(maps.Keys(s.cursors)) {
		if c := s.cursors[cursor]; c != sp.cursors[cursor] {
			if err := c.close(); err != nil {
				return err
			}
		}
	}
	if err := s.undo(ctx, sp.place); err != nil {
		return err
	}
	s.tx.status = TxActive
	s.locks.ReleaseTo(sp.locks)
	if err := s.restoreSettings(ctx, s.changedSince(sp.values)); err != nil {
		return err
	}
	s.tx.local, s.tx.modes = maps.Clone(sp.local), sp.modes
	s.tx.savepoints = s.tx.savepoints[:i+1]
	if s.returnedTo == 0 || sp.number < s.returnedTo {
		s.returnedTo = sp.number
	}
	s.generation++
	return nil
}

// undo undoes what was done since the log had so many entries, if anything was.
func (s *Session) undo(ctx context.Context, place int) error {
	log := s.tx.redo
	if s.tx.pin == 0 && log.open == 0 { // no statement has run
		return nil
	}
	var failed *sqlerr.Error
	err := s.conn.Exec(ctx, "SELECT 1")
	switch {
	case errors.As(err, &failed) && failed.Code == sqlerr.FailedTransaction:
	case err != nil:
		return err
	case log.open == 0 && len(log.entries) == place:
		return nil
	default:
		if err := s.readSequences(ctx); err != nil {
			return err
		}
	}
	return s.replay(ctx, place)
}

// changedSince are those of the session's settings that have other values than they
// had, with the values that they had.
func (s *Session) changedSince(values map[string]string) map[string]string {
	before := map[string]string{}
	for name, value := range values {
		if s.settings.get(name) != value {
			before[name] = value
		}
	}
	for name, value := range s.settings.values {
		if _, had := values[name]; !had && value != s.settings.fallback(name) {
			before[name] = s.settings.fallback(name)
		}
	}
	return before
}
