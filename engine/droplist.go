package engine

import (
	"context"
	"slices"
	"strings"

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
	order, err := s.referencesFirst(ctx, class, l, object)
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
func (s *Session) referencesFirst(ctx context.Context, class sqlfront.Class, l *sqlfront.DropList, object string) ([]int, error) {
	order := make([]int, len(l.Names))
	for i := range order {
		order[i] = i
	}
	if object != "table" || len(order) == 1 {
		return order, nil
	}
	of, err := s.relationsOf(ctx, l, class)
	if err != nil {
		return nil, err
	}
	list, err := s.textRows(ctx, "SELECT database_name, schema_name, table_name, referenced_table FROM duckdb_constraints() WHERE constraint_type = 'FOREIGN KEY'")
	if err != nil {
		return nil, err
	}
	// DuckDB has no foreign keys to other schemas.
	refers := func(from, to relation) bool {
		return from != to && slices.ContainsFunc(list, func(r []string) bool {
			return from == relation{database: r[0], schema: r[1], name: r[2]} && to.table() == relation{database: r[0], schema: r[1], name: r[3]}.table()
		})
	}
	var out []int
	for len(order) > 0 {
		// The first to which none of those that are left refers; in a circle the first.
		next := max(slices.IndexFunc(order, func(i int) bool {
			return !slices.ContainsFunc(order, func(other int) bool { return refers(of[other], of[i]) })
		}), 0)
		out, order = append(out, order[next]), slices.Delete(order, next, next+1)
	}
	return out, nil
}

// relationsOf are the tables of a list, in its order; the zero relation where there is none.
func (s *Session) relationsOf(ctx context.Context, l *sqlfront.DropList, c sqlfront.Class) ([]relation, error) {
	all := make([]relation, len(l.Targets))
	c.Object = "table"
	for i := range l.Targets {
		c.Target = l.Targets[i]
		of, err := s.relationOf(ctx, c)
		if err != nil {
			return nil, err
		}
		if of != nil && !of.view {
			all[i] = *of
		}
	}
	return all, nil
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
	referring, err := s.textRows(ctx, "SELECT DISTINCT schema_name, table_name FROM duckdb_constraints() WHERE constraint_type = 'FOREIGN KEY' AND "+of.isReferred())
	if err != nil {
		return err
	}
	all, err := s.relationsOf(ctx, l, c)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(referring, func(row []string) bool {
		return slices.Contains(all, relation{database: of.database, schema: row[0], name: row[1]})
	}) {
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
