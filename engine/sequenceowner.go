package engine

import (
	"context"
	"encoding/json"
	"errors"
	"regexp"
	"slices"
	"strings"

	"github.com/trireme-db/trireme/duckbackend"
	"github.com/trireme-db/trireme/internal/load"
	"github.com/trireme-db/trireme/internal/sqlerr"
	"github.com/trireme-db/trireme/sqlfront"
)

// DuckDB knows nothing of a sequence that belongs to a column, which goes with the column, and
// forgets where a sequence starts when the database is opened again. Both are in the sequence's
// comment, in a line before what the user has to say: the schema, the table and the column as JSON,
// and the start: 'trireme: of ["main","t","id"] from 1', or 'trireme: of [] from 1'.

// markedOwner and markedStart are what a sequence's comment says, as SQL over DuckDB's list.
const (
	markedOwner = `TRY_CAST(TRY_CAST(regexp_extract(comment, '^trireme: of (\[.*\]) from ', 1) AS JSON) AS VARCHAR[])`
	markedStart = `coalesce(TRY_CAST(regexp_extract(comment, '^trireme: of \[.*\] from (-?\d+)', 1) AS BIGINT), start_value)`
)

// startMark is a mark with another start.
func startMark(mark, start string) (string, error) {
	var owner []string
	if named := ownerInMark.FindStringSubmatch(mark); named != nil {
		if err := json.Unmarshal([]byte(named[1]), &owner); err != nil {
			return "", sqlerr.Wrap(sqlerr.InternalError, err)
		}
	}
	if len(owner) != 3 {
		return freeMark(start), nil
	}
	return ownerMark(owner[0], owner[1], owner[2], start)
}

// freeMark is the mark of a sequence that belongs to no column.
func freeMark(start string) string { return "of [] from " + start }

// ownerInMark is the column in such a mark.
var ownerInMark = regexp.MustCompile(`^of (\[.*\]) from `)

// ownerMark is the mark of a sequence that belongs to a column.
func ownerMark(schema, table, column, start string) (string, error) {
	owner, err := json.Marshal([]string{schema, table, column})
	return "of " + string(owner) + " from " + start, err
}

// setOwner gives a sequence to a column of a table of the same database.
func (s *Session) setOwner(ctx context.Context, sequence []string, of relation, column string) error {
	now, err := s.textRows(ctx, "SELECT "+markedStart+"::VARCHAR, coalesce(comment, '') FROM duckdb_sequences() WHERE "+placeOfSequence(sequence))
	if err != nil {
		return err
	}
	if len(now) == 0 {
		return sqlerr.New(sqlerr.UndefinedTable, "Sequence with name %s does not exist!", sequence[len(sequence)-1])
	}
	mark, err := ownerMark(of.schema, of.name, column, now[0][0])
	if err != nil {
		return err
	}
	_, text := splitComment(now[0][1])
	return s.conn.Exec(ctx, commentOn("SEQUENCE", quoteName(sequence), markedComment(mark, text)))
}

// clearOwner takes a sequence from its column, if it has one.
func (s *Session) clearOwner(ctx context.Context, sequence []string) error {
	now, err := s.textRows(ctx, "SELECT "+markedStart+"::VARCHAR, coalesce(comment, '') FROM duckdb_sequences() WHERE "+placeOfSequence(sequence))
	if err != nil || len(now) == 0 {
		return err
	}
	_, text := splitComment(now[0][1])
	return s.conn.Exec(ctx, commentOn("SEQUENCE", quoteName(sequence), markedComment(freeMark(now[0][0]), text)))
}

// ownedSequence is a sequence by its full name, database, schema and name, and its column.
type ownedSequence struct {
	parts  []string
	column string
}

// ownedOf are the sequences that belong to columns of a table, or to one of them if it is named.
func (s *Session) ownedOf(ctx context.Context, of relation, column string) ([]ownedSequence, error) {
	condition := ""
	if column != "" {
		condition = " AND " + load.FoldedSQL("owner[3]") + " = " + quoteText(load.Fold(column))
	}
	list, err := s.textRows(ctx, "SELECT database_name, schema_name, sequence_name, owner[3] FROM (SELECT *, "+markedOwner+" AS owner FROM duckdb_sequences()) WHERE database_name = "+
		quoteText(of.database)+" AND "+load.FoldedSQL("owner[1]")+" = "+quoteText(load.Fold(of.schema))+" AND "+load.FoldedSQL("owner[2]")+" = "+quoteText(load.Fold(of.name))+condition+" ORDER BY ALL")
	owned := make([]ownedSequence, len(list))
	for i, row := range list {
		owned[i] = ownedSequence{parts: row[:3], column: row[3]}
	}
	return owned, err
}

// ownedSequences are those of the table that a statement speaks of.
func (s *Session) ownedSequences(ctx context.Context, c sqlfront.Class) ([]ownedSequence, error) {
	if err := s.detachOpen(ctx); err != nil {
		return nil, err
	}
	if err := s.enter(ctx); err != nil {
		return nil, err
	}
	of, err := s.relationOf(ctx, c)
	if err != nil || of == nil {
		return nil, err
	}
	return s.ownedOf(ctx, *of, "")
}

// followOwner lets the sequences of a table belong to it under its new name.
func (a *altering) followOwner(ctx context.Context, before relation) error {
	owned, err := a.session.ownedOf(ctx, before, "")
	if err != nil {
		return err
	}
	for _, q := range owned {
		if err := a.session.setOwner(ctx, q.parts, a.of, q.column); err != nil {
			return err
		}
	}
	return nil
}

// followColumn lets the sequences of a column belong to it under its new name.
func (a *altering) followColumn(ctx context.Context, before, now string) error {
	owned, err := a.session.ownedOf(ctx, a.of, before)
	if err != nil {
		return err
	}
	for _, q := range owned {
		if err := a.session.setOwner(ctx, q.parts, a.of, now); err != nil {
			return err
		}
	}
	return nil
}

// dropSequences drops sequences with their columns.
func (s *Session) dropSequences(ctx context.Context, owned []ownedSequence) error {
	for _, q := range owned {
		if err := s.mustNotCount(ctx, q.parts); err != nil {
			return err
		}
		if err := s.conn.Exec(ctx, "DROP SEQUENCE "+quoteName(q.parts)); err != nil {
			return err
		}
	}
	return nil
}

// mustNotCount is the error of dropping a sequence by which a column counts. DuckDB knows that
// only until the database is closed.
func (s *Session) mustNotCount(ctx context.Context, sequence []string) error {
	columns, err := s.countingColumns(ctx, sequence)
	if err != nil || len(columns) == 0 {
		return err
	}
	e := sqlerr.New(sqlerr.DependentObjects, "cannot drop sequence %s because other objects depend on it", sequence[len(sequence)-1]).
		WithHint("ALTER TABLE .. ALTER COLUMN .. DROP DEFAULT takes a default away. The sequence of a column goes with the column or the table.")
	var details []string
	for _, c := range columns {
		details = append(details, "default value for column "+c.name+" of table "+c.of.name+" depends on sequence "+sequence[len(sequence)-1])
	}
	e.Detail = strings.Join(details, "\n")
	return e
}

// prepareDropSequence makes the statement for DROP SEQUENCE of one sequence; nil: it is another.
func (s *Session) prepareDropSequence(p *Prepared) statement {
	c := p.class
	if c.Kind != sqlfront.ClassDrop || c.Object != "sequence" || len(c.Target) == 0 {
		return nil
	}
	return &program{session: s, tag: "DROP SEQUENCE", run: func(ctx context.Context) error { return s.dropSequence(ctx, c, p.sql) }}
}

// dropSequence executes a DROP SEQUENCE of one sequence.
func (s *Session) dropSequence(ctx context.Context, c sqlfront.Class, sql string) error {
	sequences, err := s.sequencesIn(ctx, c)
	if err != nil {
		return err
	}
	for _, sequence := range sequences {
		if err := s.mustNotCount(ctx, sequence); err != nil {
			return err
		}
	}
	return s.conn.Exec(ctx, sql)
}

// unnamedOwner is the mark of releases that did not say which column a sequence belongs to.
const unnamedOwner = "of a column"

// upgradeOwners writes marks of now for those of earlier releases: a sequence belongs to the
// column that counts by it, of several to the one whose name it has.
func upgradeOwners(ctx context.Context, db *duckbackend.DB) (err error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	here := " WHERE database_name = " + quoteText(duckbackend.CatalogName) + " AND "
	sequences, err := textRows(ctx, conn, "SELECT database_name, schema_name, sequence_name, start_value::VARCHAR, comment FROM duckdb_sequences()"+here+
		"split_part(comment, chr(10), 1) = "+quoteText(markBegin+unnamedOwner))
	if err != nil || len(sequences) == 0 {
		return err
	}
	columns, err := textRows(ctx, conn, "SELECT schema_name, table_name, column_name, column_default FROM duckdb_columns()"+here+
		"contains(lower(column_default), 'nextval(') ORDER BY table_oid, column_index")
	if err != nil {
		return err
	}
	for _, q := range sequences {
		owner, err := ownerByDefault(q, columns)
		if err != nil {
			return err
		}
		if owner == nil {
			continue
		}
		mark, err := ownerMark(owner[0], owner[1], owner[2], q[3])
		if err != nil {
			return err
		}
		_, text := splitComment(q[4])
		if err := conn.Exec(ctx, commentOn("SEQUENCE", quoteName(q[:3]), markedComment(mark, text))); err != nil {
			return err
		}
	}
	return nil
}

// ownerByDefault is the column, of those with defaults, that a sequence seems to belong to; nil:
// none counts by it.
func ownerByDefault(sequence []string, columns [][]string) ([]string, error) {
	var counting [][]string
	for _, c := range columns {
		counts, err := draws(c[3], sequence[:3], false)
		if err != nil {
			return nil, err
		}
		if counts {
			counting = append(counting, c)
		}
	}
	for _, is := range []func(c []string) bool{
		func(c []string) bool {
			return c[0] == sequence[1] && strings.HasPrefix(sequence[2], c[1]+"_"+c[2]+"_seq")
		},
		func(c []string) bool { return c[0] == sequence[1] },
		func([]string) bool { return true },
	} {
		if i := slices.IndexFunc(counting, is); i >= 0 {
			return counting[i], nil
		}
	}
	return nil, nil
}
