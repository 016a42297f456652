package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/internal/sqlerr"
	"github.com/trireme-db/trireme/sqlfront"
)

// program is a statement that stands for several, which take effect together or not at
// all.
type program struct {
	session *Session
	tag     string
	// run executes the statements: what they are can depend on what there is.
	run func(ctx context.Context) error
}

func (p *program) params() []rows.Type    { return nil }
func (p *program) columns() []rows.Column { return nil }
func (p *program) close() error           { return nil }

func (p *program) execute(ctx context.Context, _ []Arg) (outcome, error) {
	s := p.session
	if err := s.detachOpen(ctx); err != nil {
		return outcome{}, err
	}
	run := p.within
	if s.tx.status != TxActive {
		run = p.alone
	}
	if err := run(ctx); err != nil {
		return outcome{}, err
	}
	s.noted.answered(DuckDB, "")
	s.lastBackend = DuckDB.String()
	return outcome{tag: p.tag, affected: -1}, nil
}

// alone runs the statements in a transaction of their own. Where the snapshot of that is
// too old for a lock that they had to wait for, they run again in another, with the lock.
func (p *program) alone(ctx context.Context) error {
	s := p.session
	defer func() { s.tx.pin = 0 }()
	for {
		s.tx.pin = s.engine.catalog.Versions.Pin()
		if err := s.conn.Exec(ctx, "BEGIN TRANSACTION"); err != nil {
			return err
		}
		told := len(s.notices)
		err := p.run(ctx)
		if err == nil {
			err = s.conn.Exec(context.WithoutCancel(ctx), "COMMIT") // only its answer tells what happened
		}
		if err == nil {
			return nil
		}
		outdated := errors.Is(err, errOutdated)
		if left := s.leaveAborted(context.WithoutCancel(ctx)); !outdated || left != nil {
			return errors.Join(withoutPlace(err), left)
		}
		s.notices = s.notices[:told]
	}
}

// within is alone in the session's transaction, if that can take another snapshot.
func (p *program) within(ctx context.Context) error {
	s := p.session
	open := 0
	if s.tx.redo.current != nil { // this statement
		open = 1
	}
	for {
		told := len(s.notices)
		err := p.run(ctx)
		if !errors.Is(err, errOutdated) || !s.mayRenew(open) {
			return err
		}
		if err := s.renew(ctx); err != nil {
			return err
		}
		s.notices = s.notices[:told]
	}
}

// prepareCreateTable makes the statement for a CREATE TABLE with columns that count, which
// DuckDB does not know, or whose lengths it does not keep, or with names of constraints, or one that
// would find the macros of freezeClock, or that replaces one with sequences of its own; nil: it is as
// DuckDB has it.
func (s *Session) prepareCreateTable(ctx context.Context, p *Prepared) (statement, error) {
	c := p.class
	if c.Kind != sqlfront.ClassCreate || c.Object != "table" || len(c.Target) == 0 {
		return nil, nil
	}
	if err := mustReferWithin(p.sql, s.schemaOfNew(c), c.Target[len(c.Target)-1]); err != nil {
		return nil, err
	}
	columns, lengths := sqlfront.SerialColumns(p.sql), sqlfront.CreatedLengths(cmp.Or(p.declared, p.sql))
	constraints := sqlfront.CreatedConstraints(p.sql)
	names, err := givesNames(constraints)
	frozen := s.tx.redo.hasFrozen() && !sqlfront.MentionsOf(p.sql).As
	if err != nil {
		return nil, err
	}
	if len(columns)+len(lengths) == 0 && !names && !frozen {
		if owned, err := s.ownedBefore(ctx, c); err != nil || len(owned) == 0 {
			return nil, err
		}
	}
	return &program{session: s, tag: "CREATE TABLE", run: func(ctx context.Context) error {
		if skips, err := s.skips(ctx, c); err != nil || skips {
			return err
		}
		before, err := s.ownedBefore(ctx, c)
		if err != nil {
			return err
		}
		create, sequences, err := s.makeSerials(ctx, p.sql, c, columns)
		if err == nil {
			err = s.define(ctx, create)
		}
		if err == nil {
			err = execAll(ctx, s.conn, lengthStatements(c, lengths)...)
		}
		if err == nil {
			err = s.dropSequences(ctx, before)
		}
		if err != nil || len(sequences) == 0 && !names {
			return err
		}
		of, err := s.relationOf(ctx, c)
		if err != nil {
			return err
		}
		if of == nil {
			return sqlerr.New(sqlerr.InternalError, "table %q is not there after it has been made", c.Target[len(c.Target)-1])
		}
		for i, name := range sequences {
			if err := s.setOwner(ctx, []string{of.database, of.schema, name}, *of, columns[i].Name); err != nil {
				return err
			}
		}
		if !names {
			return nil
		}
		return s.nameCreated(ctx, *of, constraints)
	}}, nil
}

// ownedBefore are the sequences of the table that a CREATE OR REPLACE TABLE replaces.
func (s *Session) ownedBefore(ctx context.Context, c sqlfront.Class) ([]ownedSequence, error) {
	if !c.Replace {
		return nil, nil
	}
	return s.ownedSequences(ctx, c)
}

// makeSerials makes the sequences of the columns that count, and returns their names, and the
// statement that makes the table.
func (s *Session) makeSerials(ctx context.Context, sql string, c sqlfront.Class, columns []sqlfront.SerialColumn) (create string, names []string, err error) {
	var edits sqlfront.Edits
	table := c.Target[len(c.Target)-1]
	qualifiers := c.Target[:len(c.Target)-1]
	if c.Temp {
		qualifiers = nil
	}
	for _, col := range columns {
		name, err := s.newSequence(ctx, qualifiers, c.Temp, table, col)
		if err != nil {
			return "", nil, err
		}
		names = append(names, name)
		edits = append(edits, sqlfront.Edit{Start: col.Start, End: col.End, Text: col.Type + " NOT NULL DEFAULT " + drawsNext(qualifiers, name)})
	}
	return edits.Apply(sql, 0, len(sql)), names, nil
}

// drawsNext is the default of a column that counts by a sequence of its own schema. nextval cannot be told
// a name with a double quote; a name alone is looked for in the table's schema.
func drawsNext(qualifiers []string, name string) string {
	full := append(slices.Clone(qualifiers), name)
	if strings.Contains(strings.Join(qualifiers, ""), `"`) {
		full = full[len(qualifiers):]
	}
	return "nextval(" + quoteText(quoteName(full)) + ")"
}

// newSequence makes the sequence of a column that counts, in the schema of the table, and
// returns its name: that of the text, if it has one.
func (s *Session) newSequence(ctx context.Context, qualifiers []string, temporary bool, table string, col sqlfront.SerialColumn) (name string, err error) {
	if n := len(col.Sequence); n > 0 {
		name = col.Sequence[n-1]
	} else if name, err = s.freeSequence(ctx, qualifiers, temporary, strings.ReplaceAll(table+"_"+col.Name+"_seq", `"`, "")); err != nil {
		return "", err
	}
	if strings.Contains(name, `"`) {
		return "", sqlerr.New(sqlerr.FeatureNotSupported, "a column cannot count by a sequence with a double quote in its name").
			WithHint("Leave out SEQUENCE NAME, or give another name.")
	}
	create := "CREATE SEQUENCE "
	if temporary {
		create = "CREATE TEMP SEQUENCE "
	}
	return name, s.conn.Exec(ctx, create+quoteName(append(slices.Clone(qualifiers), name))+" "+col.Options)
}

// freeSequence is the first of name, name1, name2, ... that no sequence has.
func (s *Session) freeSequence(ctx context.Context, qualifiers []string, temporary bool, name string) (string, error) {
	for n := 0; ; n++ {
		candidate := name
		if n > 0 {
			candidate = fmt.Sprint(name, n)
		}
		taken, err := s.skips(ctx, sqlfront.Class{
			Kind: sqlfront.ClassCreate, Object: "sequence", Conditional: true, Temp: temporary, Target: append(append([]string{}, qualifiers...), candidate),
		})
		if err != nil || !taken {
			return candidate, err
		}
	}
}

// prepareDropTable makes the statement for a DROP TABLE that takes its columns'
// sequences along; nil: there are none, or there is no such table.
func (s *Session) prepareDropTable(ctx context.Context, p *Prepared) (statement, error) {
	c := p.class
	if c.Kind != sqlfront.ClassDrop || c.Object != "table" || len(c.Target) == 0 {
		return nil, nil
	}
	owned, err := s.ownedSequences(ctx, c)
	if err != nil || len(owned) == 0 {
		return nil, err
	}
	return &program{session: s, tag: "DROP TABLE", run: func(ctx context.Context) error {
		owned, err := s.ownedSequences(ctx, c)
		if err == nil {
			err = s.conn.Exec(ctx, p.sql)
		}
		if err != nil {
			return err
		}
		return s.dropSequences(ctx, owned)
	}}, nil
}
