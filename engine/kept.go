package engine

import (
	"context"
	"errors"

	"github.com/trireme-db/trireme/sqlfront"
)

// keptStatementsMax bounds how many statements a session keeps, and keptTextBytes the text of each:
// DuckDB holds several copies of it, and a value for each of its literals.
const (
	keptStatementsMax = 16
	keptTextBytes     = 1 << 10
)

// keptStatements are statements of DuckDB's that a session has closed and may run
// again, by their texts: those that clients without prepared statements send over and
// over to see whether their connection lives. To prepare them takes longer than to run
// them. Only what no data and no time gives another meaning is kept
// (sqlfront.SelectsLiterals), for as long as a prepared statement would be run without
// being bound again.
type keptStatements map[string]*duckStatement

// takeKept takes a statement for a text out of what is kept; nil: there is none.
func (s *Session) takeKept(ctx context.Context, sql string) (*duckStatement, error) {
	d := s.kept[sql]
	if d == nil || s.settings.backend != Auto || s.settings.planning.uncached {
		return nil, nil
	}
	delete(s.kept, sql)
	if d.stamp != s.stamp() {
		return nil, d.stmt.Close()
	}
	// As preparing would.
	err := s.detachOpen(ctx)
	if err == nil {
		err = s.enter(ctx)
	}
	if err != nil {
		return nil, closeAfter(err, d.stmt.Close)
	}
	return d, nil
}

// markKept marks a statement to be kept when it is closed, if it is of the kind.
func (s *Session) markKept(stmt statement, sql string) {
	if d, ok := stmt.(*duckStatement); ok && len(sql) <= keptTextBytes && sqlfront.SelectsLiterals(sql) {
		d.keep, d.stamp = true, s.stamp()
	}
}

// keep keeps a statement in place of closing it; false: it is to be closed.
func (s *Session) keep(d *duckStatement) bool {
	if !d.keep || s.closed || s.kept[d.sql] != nil || len(s.kept) == keptStatementsMax || d.stamp != s.stamp() {
		return false
	}
	kept := *d
	s.kept[d.sql] = &kept
	d.stmt = nil // is no longer its own
	return true
}

// closeKept closes what is kept.
func (s *Session) closeKept() (err error) {
	for sql, d := range s.kept {
		delete(s.kept, sql)
		err = errors.Join(err, d.stmt.Close())
	}
	return err
}
