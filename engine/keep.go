package engine

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/trireme-db/trireme/engine/catalog"
	"github.com/trireme-db/trireme/internal/load"
	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/internal/sqlerr"
	"github.com/trireme-db/trireme/sqlfront"
)

// firstOwnRow is the number from which on DuckDB counts the rows that a transaction has
// added to a table. Numbers go up and are not used again in the transaction; a condition
// on them reads none of the rows before.
const firstOwnRow = 36028797018960000

// protect reads, while there are savepoints, what an error of the statement that comes
// would lose: rows that were added, and the time of the transaction.
func (s *Session) protect(ctx context.Context, c sqlfront.Class) error {
	log := s.tx.redo
	if log == nil || s.tx.status != TxActive || len(s.tx.savepoints) == 0 {
		return nil
	}
	switch c.Kind {
	case sqlfront.ClassSavepoint, sqlfront.ClassRelease, sqlfront.ClassRollbackTo, sqlfront.ClassCommit, sqlfront.ClassRollback, sqlfront.ClassEmpty:
		return nil
	}
	if log.clock != "" && len(log.pending) == 0 && !log.makesSequences && (s.open == nil || s.open.redo == nil) {
		return nil
	}
	if err := s.detachOpen(ctx); err != nil {
		return err
	}
	return s.bringUp(ctx)
}

// bringUp reads what the log does not have yet.
func (s *Session) bringUp(ctx context.Context) error {
	log := s.tx.redo
	if err := s.enter(ctx); err != nil {
		return err
	}
	if log.clock == "" {
		texts, err := s.texts(ctx, "SELECT strftime(get_current_timestamp() AT TIME ZONE 'UTC', '%Y-%m-%d %H:%M:%S.%f')")
		if err != nil {
			return err
		}
		log.clock = "TIMESTAMPTZ " + quoteText(texts[0]+"+00")
	}
	if err := s.readSequences(ctx); err != nil {
		return err
	}
	return s.keepPending(ctx)
}

// keepPending reads the rows that have not been read.
func (s *Session) keepPending(ctx context.Context) error {
	log := s.tx.redo
	for len(log.pending) > 0 {
		first := log.pending[0]
		t, err := s.redoTable(ctx, first)
		if err != nil {
			return err
		}
		if t == nil {
			return sqlerr.New(sqlerr.FeatureNotSupported, "rows added to %s cannot be kept for ROLLBACK TO: the table is gone", quoteName(first.target)).WithHint("%s", hintRedo)
		}
		var of, others []*redoEntry
		for _, e := range log.pending {
			other := t
			if e != first {
				if other, err = s.redoTable(ctx, e); err != nil {
					return err
				}
			}
			if other == t {
				of = append(of, e)
			} else {
				others = append(others, e)
			}
		}
		if err := s.keepEntries(ctx, t, of); err != nil {
			return err
		}
		log.pending = others
	}
	place := 0
	if n := len(s.tx.savepoints); n > 0 {
		place = s.tx.savepoints[n-1].place
	}
	log.join(place)
	return nil
}

// keepEntries reads the rows that entries have added to a table. Where they are many, or
// cannot be kept, texts take their place, if they would do the same again.
func (s *Session) keepEntries(ctx context.Context, t *redoTable, entries []*redoEntry) error {
	count := countOf(entries)
	if count > redoManyRows {
		many := sqlerr.New(sqlerr.ProgramLimit, "%d rows were added", count)
		if err := s.keepText(ctx, entries, many); err == nil || !isRefusal(err) {
			return err
		}
	}
	err := s.keepTable(ctx, t, entries, count)
	if err != nil {
		return s.keepText(ctx, entries, err)
	}
	for _, e := range entries {
		s.tx.redo.textBytes -= e.textBytes()
		e.sql, e.args, e.types = "", nil, nil // the rows say it
		s.tx.redo.textBytes += e.textBytes()
	}
	return nil
}

// countOf is how many rows entries have added.
func countOf(entries []*redoEntry) (count int64) {
	for _, e := range entries {
		count += e.count
	}
	return count
}

// keepText turns entries whose rows could not be kept for the reason given into texts;
// the error is that reason where they would not do the same again.
func (s *Session) keepText(ctx context.Context, entries []*redoEntry, why error) error {
	if !isRefusal(why) {
		return why
	}
	for _, e := range entries {
		if e.sql == "" || e.class.Kind != sqlfront.ClassInsert {
			return why
		}
		reason, err := s.unrepeatable(ctx, e)
		if err != nil {
			return err
		}
		if reason != "" {
			return why
		}
	}
	for _, e := range entries {
		e.kind = redoText
	}
	return nil
}

// keepTable reads the rows that entries have added to a table: the last ones there.
func (s *Session) keepTable(ctx context.Context, t *redoTable, entries []*redoEntry, count int64) error {
	log := s.tx.redo
	if !t.kept() {
		return errRedoTypes(t)
	}
	if log.rows == nil {
		log.rows = newSpool(s.spilled)
	}
	before := log.rows.rows
	if t.seen == 0 {
		last, err := oneNumber(ctx, s.conn, "SELECT max(rowid) FROM "+t.name.SQL()+" WHERE rowid >= "+strconv.Itoa(firstOwnRow))
		if err != nil {
			return err
		}
		t.seen = last - count
	}
	// A sort takes a third of the time that a few rows take, and they come in order but for
	// a setting of DuckDB's.
	complete, err := s.keepFrom(ctx, t, max(t.seen+1, firstOwnRow), count, count > fewRows)
	if err == nil && !complete {
		complete, err = s.keepFrom(ctx, t, firstOwnRow, count, true)
	}
	if err == nil && !complete {
		err = sqlerr.New(sqlerr.FeatureNotSupported, "rows added to table %s cannot be kept for ROLLBACK TO: some of %d are missing", t.name.Name, count).WithHint("%s", hintRedo)
	}
	if err != nil {
		return closeAfter(err, func() error { return log.rows.cut(before) })
	}
	first := log.rows.rows - count
	for _, e := range entries {
		e.table, e.first = t, first
		first += e.count
	}
	return nil
}

// fewRows is how many rows come in one batch.
const fewRows = 2048

// keepFrom reads the rows of a table from a number on. It reports whether they are count
// or more, and in order; if not, none are kept.
func (s *Session) keepFrom(ctx context.Context, t *redoTable, from, count int64, sort bool) (complete bool, err error) {
	log := s.tx.redo
	order := ""
	if sort {
		order = " ORDER BY rowid"
	}
	list, checks := make([]string, len(t.columns)), []string{"true"}
	for i, col := range t.columns {
		list[i] = load.Quote(col.Name)
		if col.Type.IsNested() { // its values travel as texts
			text := "CAST(CAST(" + list[i] + " AS " + col.Type.WithLists().String() + ") AS VARCHAR)"
			checks = append(checks, "(TRY_CAST("+text+" AS "+col.Type.String()+") IS NOT DISTINCT FROM "+list[i]+")")
		}
	}
	cur, err := s.conn.Query(ctx, "SELECT "+strings.Join(list, ", ")+", rowid, "+strings.Join(checks, " AND ")+" FROM "+t.name.SQL()+
		" WHERE rowid >= "+strconv.FormatInt(from, 10)+order)
	if err != nil {
		return false, withoutPlace(err)
	}
	defer func() { err = errors.Join(err, cur.Close()) }()
	n, before, ordered := len(t.columns), log.rows.rows, true
	t.seen = from - 1
	for {
		b, err := cur.Next(ctx)
		if err != nil {
			return false, err
		}
		if b == nil {
			break
		}
		numbers := b.Cols[n].I64[:b.N]
		ordered = ordered && slices.IsSorted(numbers) && numbers[0] > t.seen
		t.seen = numbers[b.N-1]
		if slices.Contains(b.Cols[n+1].I64[:b.N], 0) {
			return false, errRedoTypes(t)
		}
		if err := log.rows.add(&rows.Batch{N: b.N, Cols: b.Cols[:n]}); err != nil {
			return false, err
		}
		if log.rows.bytes() > redoRowsBytes {
			return false, sqlerr.New(sqlerr.ProgramLimit, "the transaction adds too many rows for savepoints: they take more than %d bytes", redoRowsBytes).
				WithHint("Do the work in several transactions, or without savepoints.")
		}
	}
	if !ordered || log.rows.rows-before < count {
		return false, log.rows.cut(before)
	}
	return true, nil
}

// keepBefore reads, before there is a savepoint, rows that a statement is about to
// change: the log must have them as they were added.
func (s *Session) keepBefore(ctx context.Context, next *redoEntry) error {
	log := s.tx.redo
	if len(log.pending) == 0 || log.sealed != nil || next.kind == redoRows || len(s.tx.savepoints) > 0 {
		return nil
	}
	var changed []*redoEntry
	for _, e := range log.pending {
		if next.mayChange(e) {
			changed = append(changed, e)
		}
	}
	switch count := countOf(changed); {
	case count == 0:
		return nil
	case count <= redoEarlyRows:
		err := s.bringUp(ctx)
		if isRefusal(err) {
			log.seal(sqlerr.From(err))
			return nil
		}
		return err
	}
	for _, e := range changed {
		if e.sql == "" || e.class.Kind != sqlfront.ClassInsert {
			log.seal(sqlerr.New(sqlerr.FeatureNotSupported, "a savepoint cannot be made after more than %d rows were added to table %s and then changed", redoEarlyRows, quoteName(e.target)).
				WithHint("Make the savepoint before the rows are changed."))
			return nil
		}
		e.kind = redoText
	}
	log.pending = slices.DeleteFunc(log.pending, func(e *redoEntry) bool { return e.kind == redoText })
	return nil
}

// mayChange reports whether a statement may change the rows that another has added.
func (e *redoEntry) mayChange(added *redoEntry) bool {
	c := e.class
	if c.WritesUnknown || c.Schema || len(c.Target) == 0 {
		return true
	}
	return load.SameName(c.Target[len(c.Target)-1], added.target[len(added.target)-1])
}

// kept reports whether the rows of a table can be kept as Vectors.
func (t *redoTable) kept() bool {
	return !slices.ContainsFunc(t.columns, func(c rows.Column) bool { return c.Type.TextLosesValue() })
}

// redoTable finds the table that an entry has added rows to, as DuckDB does; nil: there
// is none.
func (s *Session) redoTable(ctx context.Context, e *redoEntry) (*redoTable, error) {
	log := s.tx.redo
	key := redoName{name: quoteName(e.target), redoSettings: e.settings}
	if t := log.tables[key]; t != nil {
		return t, nil
	}
	name, err := s.resolveTable(ctx, e.target, e.path)
	if err != nil || name == nil {
		return nil, err
	}
	if log.tables == nil {
		log.tables = map[redoName]*redoTable{}
	}
	for _, t := range log.tables {
		if t.name == *name {
			log.tables[key] = t
			return t, nil
		}
	}
	columns, err := s.writable(ctx, name.SQL())
	if err != nil {
		return nil, err
	}
	t := &redoTable{name: *name, columns: columns}
	log.tables[key] = t
	return t, nil
}

// resolveTable finds a table by its name under a search path; nil: there is none.
func (s *Session) resolveTable(ctx context.Context, target []string, path []catalog.Schema) (*load.Table, error) {
	found, err := s.textRows(ctx, "SELECT database_name, schema_name, table_name FROM duckdb_tables() WHERE "+load.FoldedSQL("table_name")+" = "+quoteText(load.Fold(target[len(target)-1])))
	if err != nil {
		return nil, withoutPlace(err)
	}
	for _, c := range catalog.Candidates(path, target) {
		for _, t := range found {
			if load.SameName(c.Catalog, t[0]) && load.SameName(c.Schema, t[1]) {
				return &load.Table{Catalog: t[0], Schema: t[1], Name: t[2]}, nil
			}
		}
	}
	return nil, nil
}
