package engine

import (
	"context"
	"slices"
	"strings"

	"github.com/trireme-db/trireme/internal/load"
	"github.com/trireme-db/trireme/sqlfront"
)

// prepareDropList makes the statement for DROP and TRUNCATE of several objects, which
// DuckDB takes one at a time, and for TRUNCATE .. RESTART IDENTITY; nil: it is another.
func (s *Session) prepareDropList(p *Prepared) statement {
	l := sqlfront.ParseDropList(p.sql)
	if l == nil || len(l.Names) == 1 && !l.Restart && p.class.Kind == sqlfront.ClassDrop && !l.Cascades() {
		return nil
	}
	tag, object := "DROP "+strings.ToUpper(p.class.Object), p.class.Object
	if p.class.Kind == sqlfront.ClassDelete {
		tag, object = "TRUNCATE TABLE", "table"
	}
	return &program{session: s, tag: tag, run: func(ctx context.Context) error { return s.runDropList(ctx, p.class, l, object) }}
}

func (s *Session) runDropList(ctx context.Context, class sqlfront.Class, l *sqlfront.DropList, object string) error {
	order, err := s.referencesFirst(ctx, l, object)
	if err != nil {
		return err
	}
	var going []relation
	cascades := class.Kind == sqlfront.ClassDrop && l.Cascades()
	if cascades {
		if going, err = s.goingTables(ctx, l, class); err == nil && object == "schema" {
			err = s.lockGoing(ctx, l, class, going)
		}
		if err != nil {
			return err
		}
	}
	for _, i := range order {
		c := class
		c.Object, c.Target = object, l.Targets[i]
		var owned []ownedSequence
		if object == "table" {
			if owned, err = s.ownedSequences(ctx, c); err != nil {
				return err
			}
		}
		switch {
		case cascades:
			err = s.dropCascading(ctx, l, i, c, going)
		case object == "sequence":
			err = s.dropSequence(ctx, c, l.Statement(i))
		case class.Kind == sqlfront.ClassDelete:
			err = s.truncate(ctx, c, l, i)
		default:
			err = s.conn.Exec(ctx, l.Statement(i))
		}
		if err != nil {
			return s.explainKindOf(ctx, class, l.Statement(i), c.Target, err)
		}
		if class.Kind == sqlfront.ClassDrop {
			err = s.dropOwned(ctx, owned, cascades, going)
		} else if l.Restart {
			err = s.restartSequences(ctx, owned)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// dropOwned drops the sequences of a table that has been dropped; where that cascades, the defaults
// of other tables that draw of them go as well.
func (s *Session) dropOwned(ctx context.Context, owned []ownedSequence, cascades bool, going []relation) error {
	for _, q := range owned {
		if !cascades {
			break
		}
		if err := s.dropDefaults(ctx, q.parts, going); err != nil {
			return err
		}
	}
	return s.dropSequences(ctx, owned)
}

// restartSequences lets the sequences of a table begin anew.
func (s *Session) restartSequences(ctx context.Context, owned []ownedSequence) error {
	for _, q := range owned {
		if err := s.restartSequence(ctx, q.parts); err != nil {
			return err
		}
	}
	return nil
}

// referencesFirst is the order in which the objects can be dropped: tables before those to
// which they refer.
func (s *Session) referencesFirst(ctx context.Context, l *sqlfront.DropList, object string) ([]int, error) {
	order := make([]int, len(l.Names))
	for i := range order {
		order[i] = i
	}
	if object != "table" || len(order) == 1 {
		return order, nil
	}
	list, err := s.textRows(ctx, "SELECT "+load.FoldedSQL("table_name")+", "+load.FoldedSQL("referenced_table")+" FROM duckdb_constraints() WHERE constraint_type = 'FOREIGN KEY'")
	if err != nil {
		return nil, err
	}
	name := func(i int) string { return load.Fold(l.Targets[i][len(l.Targets[i])-1]) }
	var out []int
	for len(order) > 0 {
		// The first to which none of those that are left refers; in a circle the first.
		next := max(slices.IndexFunc(order, func(i int) bool {
			return !slices.ContainsFunc(list, func(r []string) bool {
				return r[1] == name(i) && r[0] != r[1] && slices.ContainsFunc(order, func(other int) bool { return name(other) == r[0] })
			})
		}), 0)
		out, order = append(out, order[next]), slices.Delete(order, next, next+1)
	}
	return out, nil
}

// truncate empties a table. Where tables that have been emptied in the same statement refer to it,
// or it does itself, it has no foreign keys meanwhile: DuckDB finds rows that are gone only
// when the transaction ends.
func (s *Session) truncate(ctx context.Context, c sqlfront.Class, l *sqlfront.DropList, i int) error {
	of, err := s.relationOf(ctx, c)
	if err != nil {
		return err
	}
	if of == nil || of.view { // DuckDB has the error
		return s.conn.Exec(ctx, l.Statement(i))
	}
	referring, err := s.textRows(ctx, "SELECT DISTINCT schema_name, table_name FROM duckdb_constraints() WHERE constraint_type = 'FOREIGN KEY'"+
		" AND database_name = "+quoteText(of.database)+" AND schema_name = "+quoteText(of.schema)+" AND referenced_table = "+quoteText(of.name))
	if err != nil {
		return err
	}
	listed := func(row []string) bool {
		return slices.ContainsFunc(l.Targets, func(parts []string) bool { return load.SameName(parts[len(parts)-1], row[1]) })
	}
	if len(referring) == 0 || !slices.ContainsFunc(referring, listed) {
		return s.conn.Exec(ctx, l.Statement(i))
	}
	a, err := s.beginAltering(ctx, *of)
	if err == nil {
		err = a.loosenOthers(ctx)
	}
	if err == nil && len(a.own) > 0 {
		err = a.copy(ctx, of.name, func(items []string) []string { return items })
	}
	if err == nil {
		err = s.conn.Exec(ctx, l.Statement(i))
	}
	if err != nil {
		return err
	}
	a.changed = true
	return a.fasten(ctx)
}

// dropReferences drops the foreign keys of other tables that refer to one.
func (s *Session) dropReferences(ctx context.Context, c sqlfront.Class) error {
	of, err := s.relationOf(ctx, c)
	if err != nil || of == nil || of.view {
		return err
	}
	a, err := s.beginAltering(ctx, *of)
	if err == nil {
		err = a.loosenOthers(ctx)
	}
	if err != nil {
		return err
	}
	for _, key := range a.keys {
		if err := key.table.fasten(ctx); err != nil {
			return err
		}
	}
	return nil
}
