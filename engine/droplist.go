package engine

import (
	"context"
	"regexp"
	"slices"
	"strings"

	"github.com/trireme-db/trireme/sqlfront"
)

// prepareDropList makes the statement for DROP and TRUNCATE of several objects, which
// DuckDB takes one at a time, and for TRUNCATE .. RESTART IDENTITY; nil: it is another.
func (s *Session) prepareDropList(p *Prepared) statement {
	l := sqlfront.ParseDropList(p.sql)
	if l == nil || len(l.Names) == 1 && !l.Restart && p.class.Kind == sqlfront.ClassDrop && !(l.Cascades() && p.class.Object == "table") {
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
	for _, i := range order {
		c := class
		c.Object, c.Target = object, l.Targets[i]
		var owned [][]string
		if object == "table" {
			if owned, err = s.ownedSequences(ctx, c); err != nil {
				return err
			}
		}
		if object == "table" && class.Kind == sqlfront.ClassDrop && l.Cascades() {
			if err := s.dropReferences(ctx, c); err != nil {
				return err
			}
		}
		if err := s.conn.Exec(ctx, l.Statement(i)); err != nil {
			return err
		}
		for _, sequence := range owned {
			switch {
			case class.Kind == sqlfront.ClassDrop:
				err = s.conn.Exec(ctx, "DROP SEQUENCE "+quoteName(sequence))
			case l.Restart:
				err = s.restartSequence(ctx, c, sequence)
			}
			if err != nil {
				return err
			}
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
	list, err := s.textRows(ctx, "SELECT lower(table_name), lower(referenced_table) FROM duckdb_constraints() WHERE constraint_type = 'FOREIGN KEY'")
	if err != nil {
		return nil, err
	}
	name := func(i int) string { return strings.ToLower(l.Targets[i][len(l.Targets[i])-1]) }
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

// dropReferences drops the foreign keys of other tables that refer to one.
func (s *Session) dropReferences(ctx context.Context, c sqlfront.Class) error {
	of, err := s.relationOf(ctx, c)
	if err != nil || of == nil || of.view {
		return err
	}
	a := &altering{session: s, of: *of}
	if err := a.loosenOthers(ctx); err != nil {
		return err
	}
	for _, key := range a.keys {
		if err := key.table.fasten(ctx); err != nil {
			return err
		}
	}
	return nil
}

// restartSequence lets the sequence of a table's column begin anew. DuckDB replaces one on
// which nothing depends.
func (s *Session) restartSequence(ctx context.Context, c sqlfront.Class, parts []string) error {
	of, err := s.relationOf(ctx, c)
	if err != nil || of == nil {
		return err
	}
	made, err := s.textRows(ctx, "SELECT regexp_replace(sql, ' START -?\\d+', ' START ' || start_value) FROM duckdb_sequences() WHERE database_name = "+quoteText(parts[0])+
		" AND schema_name = "+quoteText(parts[1])+" AND sequence_name = "+quoteText(parts[2]))
	if err != nil || len(made) == 0 {
		return err
	}
	columns, err := s.textRows(ctx, "SELECT column_name, column_default FROM duckdb_columns() WHERE "+of.place()+" AND column_default LIKE 'nextval(%'"+
		" AND contains(column_default, "+quoteText(`"`+strings.ReplaceAll(parts[2], `"`, `""`)+`"`)+")")
	if err != nil {
		return err
	}
	a := &altering{session: s, of: *of}
	if a.indexes, err = s.indexesOf(ctx, *of); err == nil {
		err = a.loosen(ctx, nil)
	}
	if err != nil {
		return err
	}
	for _, column := range columns {
		if err := a.exec(ctx, "ALTER COLUMN "+quoteName(column[:1])+" DROP DEFAULT"); err != nil {
			return err
		}
	}
	sequence := quoteName(parts)
	create := sequenceHead.ReplaceAllLiteralString(made[0][0], "CREATE OR REPLACE SEQUENCE "+sequence+" INCREMENT")
	if err := execAll(ctx, s.conn, create, "COMMENT ON SEQUENCE "+sequence+" IS "+quoteText(ownedComment)); err != nil {
		return err
	}
	for _, column := range columns {
		if err := a.exec(ctx, "ALTER COLUMN "+quoteName(column[:1])+" SET DEFAULT "+column[1]); err != nil {
			return err
		}
	}
	return a.fasten(ctx)
}

// sequenceHead is how DuckDB begins the text of a sequence.
var sequenceHead = regexp.MustCompile(`^CREATE SEQUENCE .*? INCREMENT`)
