package engine

import (
	"context"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/trireme-db/trireme/duckbackend"
	"github.com/trireme-db/trireme/engine/catalog"
	"github.com/trireme-db/trireme/engine/pgcatalog"
	"github.com/trireme-db/trireme/internal/load"
	"github.com/trireme-db/trireme/internal/sqlerr"
)

// advanceMax is how many numbers of a sequence setval skips one by one, a few tens of
// nanoseconds each; beyond, the sequence is made anew.
const advanceMax = 10_000_000

// sequenceState is a sequence. Its last number comes before the next one, also where it has
// not counted.
type sequenceState struct {
	parts                       []string // database, schema, name
	oid                         uint64
	start, last, step, min, max *big.Int
}

// setSequence lets a sequence go on after a value, or with it if it is not called yet. As
// in Postgres no transaction undoes that, if it goes forward.
func (s *Session) setSequence(ctx context.Context, name string, value int64, called bool) error {
	if s.currentModes().readOnly {
		return sqlerr.New(sqlerr.ReadOnlyTransaction, "cannot execute setval() in a read-only transaction")
	}
	seq, err := s.sequenceNamed(ctx, name)
	if err != nil {
		return err
	}
	want := big.NewInt(value)
	if want.Cmp(seq.min) < 0 || want.Cmp(seq.max) > 0 {
		return sqlerr.New(sqlerr.NumericOutOfRange, "setval: value %d is out of bounds for sequence %q (%s..%s)", value, seq.parts[2], seq.min, seq.max)
	}
	if !called {
		want.Sub(want, seq.step)
	}
	if n, ok := seq.steps(seq.last, want); ok {
		err = s.advance(ctx, seq.parts, n)
	} else {
		err = s.moveSequence(ctx, seq, want)
	}
	if err != nil || !called {
		return err
	}
	if seq, err = s.sequenceNamed(ctx, name); err != nil { // it may be made anew
		return err
	}
	return s.conn.NoteDrawn(seq.oid, value)
}

// steps is how many numbers lie between two places of a sequence; false: it does not come
// from one to the other, or only after too many.
func (q *sequenceState) steps(from, to *big.Int) (int64, bool) {
	n, rest := new(big.Int).QuoRem(new(big.Int).Sub(to, from), q.step, new(big.Int))
	ok := n.Sign() >= 0 && rest.Sign() == 0 && n.IsInt64() && n.Int64() <= advanceMax
	return n.Int64(), ok
}

// advance skips numbers of a sequence.
func (s *Session) advance(ctx context.Context, parts []string, n int64) error {
	if n == 0 {
		return nil
	}
	_, err := oneNumber(ctx, s.conn, "SELECT max(nextval("+quoteText(quoteName(parts))+")) FROM range("+strconv.FormatInt(n, 10)+")")
	return err
}

// moveSequence makes a sequence anew, which DuckDB does not let count back, so that its
// last number is the wanted one.
func (s *Session) moveSequence(ctx context.Context, seq *sequenceState, want *big.Int) error {
	write := s.tx.write
	if s.tx.status == TxActive {
		undone := sqlerr.New(sqlerr.FeatureNotSupported, "setval to a number that a sequence has passed cannot be undone by ROLLBACK TO").WithHint("%s", hintRedo)
		if len(s.tx.savepoints) > 0 {
			return undone
		}
		defer func() { s.tx.redo.seal(undone) }()
	} else {
		write = s.engine.catalog.Versions.BeginWrite()
		defer write.Commit()
	}
	write.Add(catalog.Targets{Unknown: true, Schema: true}).Begin()
	if s.tx.status != TxActive {
		write.Ending()
	}
	start := seq.start
	n, ok := seq.steps(new(big.Int).Sub(start, seq.step), want)
	if !ok {
		start, n = new(big.Int).Add(want, seq.step), 0
		switch { // there is no number after it
		case !start.IsInt64(): // DuckDB gives none beside which it cannot count
			start = want
		case start.Cmp(seq.min) < 0 || start.Cmp(seq.max) > 0:
			start, n = want, 1
		}
	}
	move := &program{session: s, run: func(ctx context.Context) error {
		if err := s.replaceSequence(ctx, seq.parts, start.String()); err != nil {
			return err
		}
		return s.advance(ctx, seq.parts, n)
	}}
	_, err := move.execute(ctx, nil)
	return err
}

// sequenceNamed finds a sequence by its name as a text, qualified or not.
func (s *Session) sequenceNamed(ctx context.Context, name string) (*sequenceState, error) {
	unknown := sqlerr.New(sqlerr.UndefinedTable, "Sequence with name %s does not exist!", name)
	parts := splitOutsideQuotes(strings.TrimSpace(name), '.')
	for i := range parts {
		part, err := unquoteName(parts[i])
		if err != nil {
			return nil, err
		}
		parts[i] = part
	}
	if len(parts) == 3 && strings.EqualFold(parts[0], duckbackend.CatalogName) {
		parts = parts[1:]
	}
	schema := ""
	switch len(parts) {
	case 1:
	case 2:
		if schema = parts[0]; strings.EqualFold(schema, publicSchema) && !s.engine.ownsPublic {
			schema = catalog.DefaultSchema
		}
	default:
		return nil, unknown
	}
	in, err := s.sequenceSchema(ctx, schema, parts[len(parts)-1])
	if err != nil {
		return nil, err
	}
	if in == "" {
		return nil, unknown
	}
	if err := s.engine.readyViews(ctx); err != nil {
		return nil, err
	}
	list, err := s.textRows(ctx, "SELECT sequence_name, sequence_oid::VARCHAR, start_value::VARCHAR, ("+pgcatalog.Database+".pg._next_number(sql) - increment_by)::VARCHAR, increment_by::VARCHAR, "+
		"min_value::VARCHAR, max_value::VARCHAR FROM duckdb_sequences() WHERE database_name = '"+duckbackend.CatalogName+"' AND schema_name = "+quoteText(in)+
		" AND "+load.FoldedSQL("sequence_name")+" = "+quoteText(load.Fold(parts[len(parts)-1])))
	if err != nil {
		return nil, err
	}
	if len(list) == 0 {
		return nil, unknown
	}
	seq := &sequenceState{parts: []string{duckbackend.CatalogName, in, list[0][0]}}
	if seq.oid, err = strconv.ParseUint(list[0][1], 10, 64); err != nil {
		return nil, sqlerr.Wrap(sqlerr.InternalError, err)
	}
	for i, field := range []**big.Int{&seq.start, &seq.last, &seq.step, &seq.min, &seq.max} {
		n, ok := new(big.Int).SetString(list[0][i+2], 10)
		if !ok {
			return nil, sqlerr.New(sqlerr.InternalError, "sequence %s has the value %q", name, list[0][i+2])
		}
		*field = n
	}
	return seq, nil
}

// restartSequence lets a sequence begin anew.
func (s *Session) restartSequence(ctx context.Context, parts []string) error {
	start, err := s.textRows(ctx, "SELECT "+markedStart+"::VARCHAR FROM duckdb_sequences() WHERE "+placeOfSequence(parts))
	if err != nil || len(start) == 0 {
		return err
	}
	return s.replaceSequence(ctx, parts, start[0][0])
}

// replaceSequence makes a sequence anew, with its options and another number to begin with. DuckDB replaces
// one on which nothing depends.
func (s *Session) replaceSequence(ctx context.Context, parts []string, start string) error {
	made, err := s.textRows(ctx, `SELECT regexp_replace(sql, ' START -?\d+( (NO )?CYCLE;)$', ' START `+start+`\1'), coalesce(comment, ''), `+markedStart+`::VARCHAR FROM duckdb_sequences() WHERE `+placeOfSequence(parts))
	if err != nil || len(made) == 0 {
		return err
	}
	mark, text := splitComment(made[0][1])
	if mark, err = startMark(mark, made[0][2]); err != nil {
		return err
	}
	return s.remakeSequence(ctx, parts, sequenceHead.ReplaceAllLiteralString(made[0][0], "INCREMENT"), markedComment(mark, text))
}

// remakeSequence makes a sequence anew, with options and a comment.
func (s *Session) remakeSequence(ctx context.Context, parts []string, options, comment string) error {
	tables, err := s.countedBy(ctx, parts, nil)
	if err != nil {
		return err
	}
	for _, t := range tables {
		if err := t.dropDefaults(ctx); err != nil {
			return err
		}
	}
	name := quoteName(parts)
	statements := []string{"CREATE OR REPLACE SEQUENCE " + name + " " + options}
	if comment != "" {
		statements = append(statements, "COMMENT ON SEQUENCE "+name+" IS "+quoteText(comment))
	}
	if err := execAll(ctx, s.conn, statements...); err != nil {
		return err
	}
	for _, t := range tables {
		for _, column := range t.columns {
			if err := t.exec(ctx, "ALTER COLUMN "+load.Quote(column[0])+" SET DEFAULT "+column[1]); err != nil {
				return err
			}
		}
		if err := t.fasten(ctx); err != nil {
			return err
		}
	}
	return nil
}

// counted is a table, loosened, with those of its columns that a sequence counts, and their
// defaults.
type counted struct {
	*altering
	columns [][]string
}

// dropDefaults drops the defaults of the columns that the sequence counts.
func (t *counted) dropDefaults(ctx context.Context) error {
	for _, column := range t.columns {
		if err := t.exec(ctx, "ALTER COLUMN "+load.Quote(column[0])+" DROP DEFAULT"); err != nil {
			return err
		}
	}
	return nil
}

// countingColumn is a column that counts by a sequence, and its default.
type countingColumn struct {
	of              relation
	name, byDefault string
}

// countingColumns are the columns that count by a sequence.
func (s *Session) countingColumns(ctx context.Context, parts []string) ([]countingColumn, error) {
	list, err := s.textRows(ctx, `SELECT schema_name, table_name, column_name, column_default, (schema_name <> `+quoteText(parts[1])+` AND EXISTS (FROM duckdb_sequences() s
WHERE s.database_name = c.database_name AND s.schema_name = c.schema_name AND `+load.FoldedSQL("s.sequence_name")+" = "+quoteText(load.Fold(parts[2]))+`))::VARCHAR
FROM duckdb_columns() c WHERE database_name = `+quoteText(parts[0])+` AND contains(lower(column_default), 'nextval(') ORDER BY table_oid, column_index`)
	if err != nil {
		return nil, err
	}
	var columns []countingColumn
	for _, row := range list {
		counts, err := draws(row[3], parts, row[4] == "true")
		if err != nil {
			return nil, err
		}
		if counts {
			columns = append(columns, countingColumn{relation{database: parts[0], schema: row[0], name: row[1]}, row[2], row[3]})
		}
	}
	return columns, nil
}

// countedBy are the tables with columns that a sequence counts, but those that are left out.
func (s *Session) countedBy(ctx context.Context, parts []string, leftOut []relation) ([]counted, error) {
	columns, err := s.countingColumns(ctx, parts)
	if err != nil {
		return nil, err
	}
	var tables []counted
	for _, c := range columns {
		if slices.Contains(leftOut, c.of) {
			continue
		}
		i := slices.IndexFunc(tables, func(t counted) bool { return t.of == c.of })
		if i < 0 {
			a, err := s.beginAltering(ctx, c.of)
			if err == nil {
				err = a.loosen(ctx, nil)
			}
			if err != nil {
				return nil, err
			}
			i, tables = len(tables), append(tables, counted{altering: a})
		}
		tables[i].columns = append(tables[i].columns, []string{c.name, c.byDefault})
	}
	return tables, nil
}

func placeOfSequence(parts []string) string {
	return "database_name = " + quoteText(parts[0]) + " AND schema_name = " + quoteText(parts[1]) + " AND sequence_name = " + quoteText(parts[2])
}

// sequenceHead is how DuckDB begins the text of a sequence.
var sequenceHead = regexp.MustCompile(`^CREATE SEQUENCE .*? INCREMENT`)
