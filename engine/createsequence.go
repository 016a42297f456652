package engine

import (
	"context"
	"strings"

	"github.com/trireme-db/trireme/internal/sqlerr"
	"github.com/trireme-db/trireme/sqlfront"
)

// prepareCreateSequence makes the statement for a CREATE SEQUENCE that says more than
// DuckDB knows; nil: it does not.
func (s *Session) prepareCreateSequence(p *Prepared) statement {
	if p.class.Object != "sequence" {
		return nil
	}
	sequence, ok := sqlfront.ParseSequence(p.sql)
	if !ok || sequence.SQL == p.sql {
		return nil
	}
	return &program{session: s, tag: "CREATE SEQUENCE", run: func(ctx context.Context) error {
		if skips, err := s.skips(ctx, p.class); err != nil || skips {
			return err
		}
		if err := s.conn.Exec(ctx, sequence.SQL); err != nil || !sequence.Owned {
			return err
		}
		return s.ownSequence(ctx, sequence)
	}}
}

// prepareOwnedSequence makes the statement for ALTER SEQUENCE .. OWNED BY a column; nil: it
// is something else, as OWNED BY a table, which is DuckDB's.
func (s *Session) prepareOwnedSequence(p *Prepared) statement {
	sequence, ok := sqlfront.ParseSequence(p.sql)
	if !ok || len(sequence.Owner) == 1 {
		return nil
	}
	return &program{session: s, tag: "ALTER SEQUENCE", run: func(ctx context.Context) error { return s.ownSequence(ctx, sequence) }}
}

// ownSequence marks a sequence as one that goes with the table whose column it counts, or
// as one that does not.
func (s *Session) ownSequence(ctx context.Context, sequence sqlfront.OwnedSequence) error {
	if len(sequence.Owner) == 0 {
		return s.conn.Exec(ctx, "COMMENT ON SEQUENCE "+quoteName(sequence.Name)+" IS NULL")
	}
	n := len(sequence.Owner) - 1
	if n == 0 {
		return sqlerr.New(sqlerr.SyntaxError, "OWNED BY names a column as table.column, or is OWNED BY NONE")
	}
	of, err := s.relationOf(ctx, sqlfront.Class{Kind: sqlfront.ClassAlter, Object: "table", Target: sequence.Owner[:n]})
	if err != nil {
		return err
	}
	if of == nil || of.view {
		return sqlerr.New(sqlerr.UndefinedTable, "relation %q does not exist", strings.Join(sequence.Owner[:n], "."))
	}
	column, err := s.commentOf(ctx, *of, sequence.Owner[n])
	if err != nil {
		return err
	}
	if column == nil {
		return sqlerr.New(sqlerr.UndefinedColumn, "column %q of relation %q does not exist", sequence.Owner[n], of.name)
	}
	return s.conn.Exec(ctx, "COMMENT ON SEQUENCE "+quoteName(sequence.Name)+" IS "+quoteText(ownedComment))
}
