package engine

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/trireme-db/trireme/internal/sqlerr"
	"github.com/trireme-db/trireme/sqlfront"
)

// savepoint is a place of a transaction. DuckDB has none, so that one is returned to
// only where nothing has to be undone in the database: whoever asks for more is
// refused, and the transaction fails, so that nothing is committed which was to be
// undone.
type savepoint struct {
	name string
	// changes is transaction.changes at the savepoint.
	changes int
	modes   modes
	// values and local are the session's settings, and transaction.local.
	values, local map[string]string
	cursors       map[string]*sqlCursor
}

// hintSavepoint says what can be done instead of what a savepoint cannot.
const hintSavepoint = "DuckDB has no savepoints: one is returned to only while nothing has been written after it and no statement has failed. ROLLBACK ends the whole transaction."

// prepareSavepoint makes SAVEPOINT, RELEASE and ROLLBACK TO.
func (s *Session) prepareSavepoint(c sqlfront.Class) statement {
	switch c.Kind {
	case sqlfront.ClassSavepoint:
		return &utility{keeps: true, run: func(context.Context) (string, error) { return "SAVEPOINT", s.setSavepoint(c.Name) }}
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

func (s *Session) setSavepoint(name string) error {
	if err := s.inTransaction("SAVEPOINT"); err != nil {
		return err
	}
	s.tx.savepoints = append(s.tx.savepoints, savepoint{
		name: name, changes: s.tx.changes, modes: s.tx.modes,
		values: s.settings.copyValues(), local: maps.Clone(s.tx.local), cursors: maps.Clone(s.cursors),
	})
	return nil
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

// returnTo is ROLLBACK TO: the settings of the session are again those at the
// savepoint, cursors declared since are closed, and savepoints set since are
// forgotten; this one stays. As in Postgres a cursor keeps its position, and what
// has been closed stays closed.
func (s *Session) returnTo(ctx context.Context, name string) error {
	if err := s.inTransaction("ROLLBACK TO SAVEPOINT"); err != nil {
		return err
	}
	i, err := s.savepointNamed(name)
	if err != nil {
		return err
	}
	sp := s.tx.savepoints[i]
	switch {
	case s.tx.status == TxFailed:
		return sqlerr.New(sqlerr.FeatureNotSupported, "savepoint \"%s\" cannot be returned to after an error", name).WithHint(hintSavepoint)
	case s.tx.changes != sp.changes:
		return sqlerr.New(sqlerr.FeatureNotSupported, "what has been done since savepoint \"%s\" cannot be undone", name).WithHint(hintSavepoint)
	}
	for _, cursor := range slices.Sorted(maps.Keys(s.cursors)) {
		if c := s.cursors[cursor]; c != sp.cursors[cursor] {
			if err := c.close(); err != nil {
				return err
			}
		}
	}
	if err := s.restoreSettings(ctx, s.changedSince(sp.values)); err != nil {
		return err
	}
	s.tx.local, s.tx.modes = maps.Clone(sp.local), sp.modes
	s.tx.savepoints = s.tx.savepoints[:i+1]
	s.generation++
	return nil
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

// leavesNothing reports whether a statement leaves nothing that ROLLBACK TO would
// have to undo in the database; what it does not know, leaves something.
func (s *Session) leavesNothing(c sqlfront.Class) bool {
	if c.WritesUnknown || len(c.Writes) > 0 {
		return c.Kind == sqlfront.ClassExplain && !c.Analyze
	}
	switch c.Kind {
	case sqlfront.ClassEmpty, sqlfront.ClassSelect, sqlfront.ClassShow, sqlfront.ClassExplain, sqlfront.ClassLock,
		sqlfront.ClassDeclare, sqlfront.ClassFetch, sqlfront.ClassClose, sqlfront.ClassPrepare, sqlfront.ClassDeallocate,
		sqlfront.ClassBegin, sqlfront.ClassSavepoint, sqlfront.ClassRelease, sqlfront.ClassRollbackTo:
		return true
	case sqlfront.ClassExecute:
		named := s.named[c.Name]
		return named != nil && s.leavesNothing(named.class)
	case sqlfront.ClassCopy:
		return !c.CopyFrom && c.CopyStdio
	case sqlfront.ClassSet, sqlfront.ClassReset:
		// Of the session's own settings returnTo knows the values.
		name := strings.ToLower(c.Name)
		return c.Modes != nil || s.isOwn(name) && roleSettings[name] == "" && c.Scope != "variable" && c.Scope != "global"
	}
	return false
}
