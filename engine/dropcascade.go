package engine

import (
	"context"
	"regexp"
	"slices"
	"strings"

	"github.com/trireme-db/trireme/engine/catalog"
	"github.com/trireme-db/trireme/internal/load"
	"github.com/trireme-db/trireme/internal/sqlerr"
	"github.com/trireme-db/trireme/sqlfront"
)

// DuckDB's DROP .. CASCADE drops each table with a default, a check or a generated column that
// uses what is dropped, with its rows. Here a column loses its default where what goes is the
// sequence that counts it, as in Postgres, and no table goes that is not named.

// dropCascading drops one object of a list with CASCADE; going are the tables that the list
// names.
func (s *Session) dropCascading(ctx context.Context, l *sqlfront.DropList, i int, c sqlfront.Class, going []relation) error {
	switch c.Object {
	case "table":
		of, err := s.relationOf(ctx, c)
		if err != nil || of == nil && len(going) == len(l.Targets) { // it has gone with another of the list
			return err
		}
		if err := s.dropReferences(ctx, c); err != nil {
			return err
		}
	case "sequence", "schema":
		sequences, err := s.sequencesIn(ctx, c)
		if err != nil {
			return err
		}
		for _, sequence := range sequences {
			if err := s.dropDefaults(ctx, sequence, going); err != nil {
				return err
			}
		}
	}
	before, err := s.tablesWhere(ctx, "NOT internal")
	if err == nil {
		err = s.conn.Exec(ctx, l.Statement(i))
	}
	if err != nil {
		return err
	}
	after, err := s.tablesWhere(ctx, "NOT internal")
	if err != nil {
		return err
	}
	for _, of := range before {
		if !slices.Contains(after, of) && !slices.Contains(going, of) {
			return sqlerr.New(sqlerr.DependentObjects, "cannot drop %s %s: the table %s depends on it and would go with its rows", c.Object, l.Names[i], of.reference()).
				WithHint("Change the table first with ALTER TABLE .. DROP COLUMN, DROP CONSTRAINT or ALTER COLUMN .. DROP DEFAULT, or drop it by name.")
		}
	}
	return nil
}

// lockGoing locks and announces what is in the schemas that a DROP names: its targets have it
// otherwise.
func (s *Session) lockGoing(ctx context.Context, l *sqlfront.DropList, c sqlfront.Class, tables []relation) error {
	for _, of := range tables {
		if err := s.lockAltered(ctx, of); err != nil {
			return err
		}
	}
	t := catalog.Targets{Schema: true}
	for _, c.Target = range l.Targets {
		list, err := s.textRows(ctx, `SELECT database_name, schema_name, name FROM (
SELECT database_name, schema_name, table_name AS name FROM duckdb_tables()
UNION ALL SELECT database_name, schema_name, view_name FROM duckdb_views())
WHERE `+s.isIn(c))
		if err != nil {
			return err
		}
		for _, row := range list {
			t.Tables = append(t.Tables, load.Table{Catalog: row[0], Schema: row[1], Name: row[2]})
		}
	}
	s.announce(t)
	return nil
}

// isIn is the condition that DuckDB lists something in the schema that a statement names.
func (s *Session) isIn(c sqlfront.Class) string {
	return load.FoldedSQL("schema_name") + " = " + quoteText(load.Fold(c.Target[len(c.Target)-1])) + " AND " + s.placeOf(c)
}

// goingTables are the tables that a DROP names, or those in the schemas that it names.
func (s *Session) goingTables(ctx context.Context, l *sqlfront.DropList, c sqlfront.Class) (going []relation, err error) {
	for _, c.Target = range l.Targets {
		switch c.Object {
		case "table":
			of, err := s.relationOf(ctx, c)
			if err != nil {
				return nil, err
			}
			if of != nil {
				going = append(going, *of)
			}
		case "schema":
			in, err := s.tablesWhere(ctx, s.isIn(c))
			if err != nil {
				return nil, err
			}
			going = append(going, in...)
		}
	}
	return going, nil
}

// tablesWhere are the tables for which a condition on DuckDB's list holds.
func (s *Session) tablesWhere(ctx context.Context, condition string) ([]relation, error) {
	list, err := s.textRows(ctx, "SELECT database_name, schema_name, table_name FROM duckdb_tables() WHERE "+condition)
	tables := make([]relation, len(list))
	for i, row := range list {
		tables[i] = relation{database: row[0], schema: row[1], name: row[2]}
	}
	return tables, err
}

// sequencesIn are the full names of the sequence that a statement names, or of those in the schema
// that it names.
func (s *Session) sequencesIn(ctx context.Context, c sqlfront.Class) ([][]string, error) {
	column, order := "schema_name", "ALL"
	if c.Object == "sequence" {
		column, order = "sequence_name", s.firstPlace(c)+" LIMIT 1"
	}
	return s.textRows(ctx, "SELECT database_name, schema_name, sequence_name FROM duckdb_sequences() WHERE "+
		load.FoldedSQL(column)+" = "+quoteText(load.Fold(c.Target[len(c.Target)-1]))+" AND "+s.placeOf(c)+" ORDER BY "+order)
}

// dropDefaults drops the defaults that draw numbers of a sequence, but those of tables
// that go as well.
func (s *Session) dropDefaults(ctx context.Context, sequence []string, going []relation) error {
	tables, err := s.countedBy(ctx, sequence, going)
	if err != nil {
		return err
	}
	for _, t := range tables {
		if err := t.dropDefaults(ctx); err != nil {
			return err
		}
		if err := t.fasten(ctx); err != nil {
			return err
		}
	}
	return nil
}

// drawn finds the names of the sequences in a default, as texts with their quotes doubled.
var drawn = regexp.MustCompile(`(?i)\bnextval\('((?:[^']|'')*)'`)

// draws reports whether a default draws numbers of a sequence. A name without a schema is first
// one of the table's schema: nearer says that a sequence of that name is there.
func draws(byDefault string, sequence []string, nearer bool) (bool, error) {
	for _, m := range drawn.FindAllStringSubmatch(byDefault, -1) {
		parts := splitOutsideQuotes(strings.ReplaceAll(m[1], "''", "'"), '.')
		if len(parts) == 1 && nearer || len(parts) > len(sequence) {
			continue
		}
		same := true
		for i := range parts {
			part, err := unquoteName(parts[len(parts)-1-i])
			if err != nil {
				return false, err
			}
			same = same && load.Fold(part) == load.Fold(sequence[len(sequence)-1-i])
		}
		if same {
			return true, nil
		}
	}
	return false, nil
}
