package engine

import (
	"context"
	"strings"

	"github.com/trireme-db/trireme/internal/sqlerr"
	"github.com/trireme-db/trireme/sqlfront"
)

// prepareCreateSequence makes the statement for a CREATE SEQUENCE, which may say more than DuckDB knows, and whose
// start DuckDB forgets; nil: it is something else.
func (s *Session) prepareCreateSequence(p *Prepared) statement {
	if p.class.Object != "sequence" {
		return nil
	}
	sequence, ok := sqlfront.ParseSequence(p.sql)
	if !ok {
		return nil
	}
	return &program{session: s, tag: "CREATE SEQUENCE", run: func(ctx context.Context) error {
		if skips, err := s.skips(ctx, p.class); err != nil || skips {
			return err
		}
		if err := s.conn.Exec(ctx, sequence.SQL); err != nil {
			return err
		}
		if len(sequence.Owner) > 0 {
			return s.ownSequence(ctx, sequence.Name, sequence.Owner)
		}
		made, err := s.sequencesIn(ctx, p.class)
		if err != nil || len(made) == 0 {
			return err
		}
		return s.clearOwner(ctx, made[0])
	}}
}

// ownSequence gives a sequence to the column that OWNED BY names, or to none.
func (s *Session) ownSequence(ctx context.Context, name, owner []string) error {
	found, err := s.sequencesIn(ctx, sqlfront.Class{Kind: sqlfront.ClassAlter, Object: "sequence", Target: name})
	if err != nil {
		return err
	}
	if len(found) == 0 {
		return sqlerr.New(sqlerr.UndefinedTable, "Sequence with name %s does not exist!", strings.Join(name, "."))
	}
	if len(owner) == 0 {
		return s.clearOwner(ctx, found[0])
	}
	n := len(owner) - 1
	if n == 0 {
		return sqlerr.New(sqlerr.SyntaxError, "OWNED BY names a column as table.column, or is OWNED BY NONE")
	}
	of, err := s.relationOf(ctx, sqlfront.Class{Kind: sqlfront.ClassAlter, Object: "table", Target: owner[:n]})
	if err != nil {
		return err
	}
	if of == nil || of.view {
		return sqlerr.New(sqlerr.UndefinedTable, "relation %q does not exist", strings.Join(owner[:n], "."))
	}
	column, err := s.commentOf(ctx, *of, owner[n])
	switch {
	case err != nil:
		return err
	case column == nil:
		return sqlerr.New(sqlerr.UndefinedColumn, "column %q of relation %q does not exist", owner[n], of.name)
	case of.database != found[0][0]:
		return sqlerr.New(sqlerr.NotInState, "sequence %q must be in the same database as the table that it belongs to", found[0][2]).
			WithHint("A sequence for a temporary table is a temporary one.")
	}
	return s.setOwner(ctx, found[0], *of, owner[n])
}
