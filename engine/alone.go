package engine

import (
	"context"
	"slices"

	"github.com/trireme-db/trireme/duckbackend"
	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/sqlfront"
)

// runsAlone are the statements that run to their end with one Result.
var runsAlone = map[sqlfront.ClassKind]bool{
	sqlfront.ClassSelect: true, sqlfront.ClassExecute: true, sqlfront.ClassExplain: true, sqlfront.ClassCall: true,
	sqlfront.ClassPragma: true, sqlfront.ClassCopy: true, sqlfront.ClassSet: true, sqlfront.ClassReset: true, sqlfront.ClassShow: true,
	sqlfront.ClassUse: true,
}

// enterAlone gives a statement a transaction to itself, unless there is one, where DuckDB's
// own is not enough: a read-only one to a member of trireme_read_only, since what its text does
// not show, such as nextval in a view, DuckDB refuses there; and one that ends after its rows to
// what writes and returns rows that are copied, or may not be readable, where DuckDB commits
// before the first of them.
func (p *Prepared) enterAlone(ctx context.Context, res *Result) error {
	s := p.session
	if s.tx.status != TxIdle || s.block || !(p.permitted.ReadOnly && runsAlone[p.class.Kind] || p.mayCommitUnread()) {
		return nil
	}
	if err := s.begin(ctx, true, s.defaultModes()); err != nil {
		return err
	}
	_, res.copies = p.stmt.(*copyStatement)
	res.alone = true
	return nil
}

// mayCommitUnread reports whether the statement writes and returns values that may have no
// text, or that a COPY may fail to put where they belong.
func (p *Prepared) mayCommitUnread() bool {
	if c, ok := p.stmt.(*copyStatement); ok {
		return c.query != nil && returning[c.query.class.Kind]
	}
	return !duckbackend.HoldsCommits && returning[p.session.acting(p.class).Kind] && slices.ContainsFunc(p.cols, func(c rows.Column) bool { return c.Type.IsNested() })
}

// returning are the statements that write, and have RETURNING.
var returning = map[sqlfront.ClassKind]bool{
	sqlfront.ClassInsert: true, sqlfront.ClassUpdate: true, sqlfront.ClassDelete: true, sqlfront.ClassMerge: true,
}

// leaveAlone ends the transaction of a statement that had it to itself.
func (s *Session) leaveAlone(ok bool) error {
	ctx := context.Background()
	switch {
	case s.tx.status == TxIdle || !s.tx.implicit:
		return nil
	case s.tx.write.Wrote() && ok:
		return s.commit(ctx)
	case s.tx.write.Wrote():
		return s.rollback(ctx)
	}
	tx := s.tx
	s.tx = transaction{status: TxIdle}
	tx.write.Rollback() // nothing was written
	if !ok {
		return s.leaveAborted(ctx)
	}
	return s.conn.Exec(ctx, "COMMIT")
}
