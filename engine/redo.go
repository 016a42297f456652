package engine

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/trireme-db/trireme/engine/catalog"
	"github.com/trireme-db/trireme/internal/load"
	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/internal/sqlerr"
	"github.com/trireme-db/trireme/sqlfront"
)

// redoLog is what a transaction has done, so that it can be done again: DuckDB has no
// savepoints, and an error ends its transaction. ROLLBACK TO begins a new one and does
// again what was done before the savepoint (replay.go).
//
// Of a statement that only adds rows to a table the rows are kept, which is exact
// whatever made them; they are read once, when something else is about to happen
// (keep.go). All others are kept as texts with their arguments, and are such that they
// do the same again (repeatable.go). While there is no savepoint, the log costs a
// statement no query.
type redoLog struct {
	entries []*redoEntry
	// pending are those entries whose rows have not been read yet.
	pending []*redoEntry
	rows    *spool // nil: none are kept
	// textBytes is about what entries take beside the rows.
	textBytes int
	// checked is how many entries are known to do the same again.
	checked int
	// open counts the statements that began to write and have not ended well.
	open int
	// current is the entry of the statement that runs; nil: it leaves nothing.
	current *redoEntry
	// sealed is why the transaction can have no savepoint any more; nil: it can.
	sealed *sqlerr.Error

	// tables are those that rows were added to, under the names that statements use, and
	// known what was found about views and defaults, while the catalog stays as it is.
	tables map[redoName]*redoTable
	known  *knownTexts

	// clock is the time of the transaction, as SQL; empty: not asked for yet. frozen are
	// the functions that give it in the place of DuckDB's, as DuckDB has begun anew.
	clock  string
	frozen []string
	// sequences are the places of all sequences, where the transaction has made some.
	makesSequences bool
	sequences      sequencePlaces
}

// The bounds of a log. What is beyond is refused before it is written where that can be
// told, and else by an error of the statement.
const (
	redoTextBytes = 32 << 20
	redoRowsBytes = 1 << 30
	// redoEarlyRows is how many rows are read before a savepoint is made, where they are
	// about to be changed.
	redoEarlyRows = 10_000
	// redoManyRows is from how many rows on an INSERT is rather executed again.
	redoManyRows = 1_000_000
)

// redoKind is how a statement is done again.
type redoKind uint8

const (
	redoNothing redoKind = iota // it leaves nothing in the database
	redoRows                    // it adds rows to one table
	redoText                    // it is executed again
	redoNever                   // it cannot be done again
)

// redoEntry is one statement of the log, or several that added rows to one table.
type redoEntry struct {
	kind     redoKind
	settings redoSettings
	path     []catalog.Schema // the search path that settings mean
	// pin is of the snapshot in which it was done, or done again.
	pin catalog.Pin
	// target is the table that rows were added to, count how many, first the number of
	// the first in redoLog.rows; -1: not read yet.
	target []string
	count  int64
	first  int64
	table  *redoTable // once they are read
	// sql is the statement, empty where there are several; affected is how many rows it
	// changed, below 0: unknown.
	sql      string
	class    sqlfront.Class
	args     []Arg
	types    []rows.Type
	affected int64
	// makesSequence: it makes sequences, or makes them anew; sequences are the places before.
	makesSequence bool
	sequences     sequencePlaces
	// began is when the statement did; updates: it is an UPDATE that is executed as a MERGE.
	began   time.Time
	updates bool
	// repeatable: it is known to do the same again.
	repeatable bool
}

// redoSettings are those on which the meaning of a text depends.
type redoSettings struct{ zone, path string }

func (s *Session) redoSettings() redoSettings {
	return redoSettings{zone: s.settings.get("timezone"), path: s.settings.get("search_path")}
}

// redoName is a table's name as a statement writes it.
type redoName struct {
	name string
	redoSettings
}

// redoTable is a table that rows were added to.
type redoTable struct {
	name load.Table
	// columns are those that rows are made of: not the generated ones.
	columns []rows.Column
	// seen is the highest row number that has been read; 0: statements may have written
	// rows since that were not counted.
	seen int64
}

// redoKindOf says how a statement is done again, and which class and text it has.
func (s *Session) redoKindOf(c sqlfront.Class, sql string) redoKind {
	if c.Kind == sqlfront.ClassExecute {
		named := s.statementNamed(c.Name)
		if named == nil {
			return redoNothing // an error
		}
		kind := s.redoKindOf(named.class, named.sql)
		if named.query == nil && kind != redoNothing { // DuckDB's own
			return redoNever
		}
		return kind
	}
	switch c.Kind {
	case sqlfront.ClassInsert:
		if c.WritesUnknown || len(c.Target) == 0 {
			return redoText
		}
		if sqlfront.Replaces(sql) {
			return redoText
		}
		return redoRows
	case sqlfront.ClassCopy:
		switch {
		case c.CopyFrom && len(c.Target) > 0:
			return redoRows
		case c.CopyFrom, c.WritesUnknown:
			return redoNever
		}
		return redoNothing // a file stays, as in Postgres
	case sqlfront.ClassUpdate, sqlfront.ClassDelete, sqlfront.ClassMerge, sqlfront.ClassCreate, sqlfront.ClassDrop, sqlfront.ClassAlter,
		sqlfront.ClassComment:
		return redoText
	case sqlfront.ClassDiscard:
		if c.Object == "temp" {
			return redoText
		}
		return redoNothing
	case sqlfront.ClassSelect, sqlfront.ClassExplain:
		if c.WritesUnknown || len(c.Writes) > 0 {
			return redoNever
		}
		return redoNothing
	case sqlfront.ClassSet, sqlfront.ClassReset:
		// Of the session's own settings returnTo knows the values.
		name := strings.ToLower(c.Name)
		if c.Modes != nil || s.isOwn(name) && c.Scope != "variable" && c.Scope != "global" {
			return redoNothing
		}
		return redoNever
	case sqlfront.ClassPragma, sqlfront.ClassCall:
		if c.WritesUnknown {
			return redoNever
		}
		return redoNothing
	case sqlfront.ClassAttach, sqlfront.ClassDetach, sqlfront.ClassImport, sqlfront.ClassUse, sqlfront.ClassOther, sqlfront.ClassRole:
		return redoNever
	}
	return redoNothing
}

// admitRedo makes the entry of a statement that is about to run. While there are
// savepoints, it refuses what ROLLBACK TO could not do again.
func (s *Session) admitRedo(ctx context.Context, p *Prepared, args []Arg) error {
	log := s.tx.redo
	if log == nil || s.tx.status != TxActive {
		return nil
	}
	log.current = nil
	kind := s.redoKindOf(p.class, p.sql)
	if kind == redoNothing {
		return nil
	}
	e := &redoEntry{
		kind: kind, settings: s.redoSettings(), path: s.own.path, pin: s.tx.pin, first: -1, target: p.class.Target,
		sql: p.sql, class: p.class, args: args, types: p.stmt.params(),
		began: s.activity.Began(), updates: p.updates,
	}
	if named := s.statementNamed(p.class.Name); p.class.Kind == sqlfront.ClassExecute && named != nil {
		e.target, e.sql, e.class = named.class.Target, named.sql, named.class
	}
	_, several := p.stmt.(*program) // of DuckDB's statements
	e.makesSequence = several || p.class.Kind == sqlfront.ClassCreate && p.class.Object == "sequence"
	e.sequences = log.sequences
	if err := s.keepBefore(ctx, e); err != nil {
		return err
	}
	if len(s.tx.savepoints) > 0 {
		if err := s.mustRedo(ctx, e); err != nil {
			return err
		}
	}
	log.current = e
	log.open++
	return nil
}

// redoArgs tells the arguments of the statement that EXECUTE runs.
func (s *Session) redoArgs(query *Prepared, args []Arg) {
	if log := s.tx.redo; log != nil && log.current != nil {
		log.current.args, log.current.types = args, query.stmt.params()
	}
}

// mustRedo refuses, while there are savepoints, what could not be done again.
func (s *Session) mustRedo(ctx context.Context, e *redoEntry) error {
	log := s.tx.redo
	if log.textBytes+e.textBytes() > redoTextBytes {
		return errRedoLong()
	}
	switch e.kind {
	case redoNever:
		return sqlerr.New(sqlerr.FeatureNotSupported, "%s cannot be undone by ROLLBACK TO", describeRedo(e)).WithHint("%s", hintRedo)
	case redoRows:
		t, err := s.redoTable(ctx, e)
		if err != nil || t == nil {
			return err // DuckDB has the error
		}
		if t.kept() {
			return nil
		}
		if e.class.Kind != sqlfront.ClassInsert {
			return errRedoTypes(t)
		}
		e.kind = redoText
	}
	reason, err := s.unrepeatable(ctx, e)
	if err == nil && reason != "" {
		err = sqlerr.New(sqlerr.FeatureNotSupported, "%s cannot be undone by ROLLBACK TO: %s", describeRedo(e), reason).WithHint("%s", hintRedo)
	}
	return err
}

// hintRedo says what can be done instead.
const hintRedo = "DuckDB has no savepoints: ROLLBACK TO does again what was done before the savepoint, which must then do the same. Run the statement outside of savepoints."

// isRefusal reports whether an error says that something cannot be done again, and not
// that trying has failed.
func isRefusal(err error) bool {
	var e *sqlerr.Error
	return errors.As(err, &e) && (e.Code == sqlerr.FeatureNotSupported || e.Code == sqlerr.ProgramLimit)
}

func errRedoLong() *sqlerr.Error {
	return sqlerr.New(sqlerr.ProgramLimit, "the transaction has too many statements for savepoints: their texts take more than %d bytes", redoTextBytes).
		WithHint("Do the work in several transactions, or without savepoints.")
}

func errRedoTypes(t *redoTable) *sqlerr.Error {
	return sqlerr.New(sqlerr.FeatureNotSupported, "rows added to table %s cannot be kept for ROLLBACK TO: it has columns of a type whose values have no text", t.name.Name).
		WithHint("%s", hintRedo)
}

// describeRedo names a statement.
func describeRedo(e *redoEntry) string {
	word := strings.ToUpper(e.class.Kind.String())
	switch {
	case e.updates:
		word = "UPDATE"
	case e.class.Kind == sqlfront.ClassOther:
		word = firstWord(e.sql)
	}
	if e.class.Object != "" {
		word += " " + strings.ToUpper(e.class.Object)
	}
	return word
}

// endRedo adds the statement that has ended well to the log; affected as Result.Tag
// gives it.
func (s *Session) endRedo(e *redoEntry, affected int64) {
	log := s.tx.redo
	if log == nil || log.open == 0 {
		return
	}
	log.open--
	e.affected = affected
	switch {
	case log.sealed != nil:
		return
	case e.kind == redoNever:
		if len(log.entries) > 0 || e.class.Kind != sqlfront.ClassSet && e.class.Kind != sqlfront.ClassReset && e.class.Kind != sqlfront.ClassUse {
			log.seal(sqlerr.New(sqlerr.FeatureNotSupported, "a savepoint cannot be made after %s", describeRedo(e)).WithHint("%s", hintRedo))
		}
		return
	case log.textBytes+e.textBytes() > redoTextBytes:
		log.seal(errRedoLong())
		return
	}
	log.add(e)
}

// textBytes is about what an entry takes.
func (e *redoEntry) textBytes() int {
	const entryBytes, argBytes = 600, 32
	n := entryBytes + len(e.sql) + argBytes*len(e.args)
	for _, a := range e.args {
		n += len(a.Text)
	}
	return n
}

func (l *redoLog) add(e *redoEntry) {
	if e.class.Schema {
		l.tables, l.known = nil, nil
	}
	l.makesSequences = l.makesSequences || e.makesSequence
	if e.kind == redoText {
		for _, t := range l.tables {
			t.seen = 0
		}
	}
	if e.kind == redoRows {
		if e.affected <= 0 {
			return
		}
		e.count = e.affected
		if n := len(l.entries); n > 0 && l.entries[n-1].takes(e) {
			last := l.entries[n-1]
			l.textBytes -= last.textBytes()
			last.count += e.count
			last.sql, last.args, last.types = "", nil, nil
			l.textBytes += last.textBytes()
			return
		}
		l.pending = append(l.pending, e)
	}
	l.textBytes += e.textBytes()
	l.entries = append(l.entries, e)
}

// join makes one entry of those at the end of the log that added rows to one table, but
// for the first entries, among which savepoints have their places.
func (l *redoLog) join(first int) {
	for n := len(l.entries); n-2 >= first; n-- {
		last, before := l.entries[n-1], l.entries[n-2]
		if before.kind != redoRows || before.first < 0 || !last.follows(before, before.count) {
			return
		}
		l.textBytes -= last.textBytes()
		before.count += last.count
		l.entries[n-1] = nil
		l.entries = l.entries[:n-1]
		l.rows.join(before.first)
	}
}

// takes reports whether the rows of another entry can be counted with those of e.
func (e *redoEntry) takes(next *redoEntry) bool {
	return e.kind == redoRows && e.first < 0 && e.settings == next.settings && len(e.target) == len(next.target) &&
		quoteName(e.target) == quoteName(next.target)
}

// seal gives up the log: there can be no savepoint in the transaction any more.
func (l *redoLog) seal(why *sqlerr.Error) {
	l.entries, l.pending, l.checked, l.textBytes, l.sealed = nil, nil, 0, 0, why
}

// cut forgets the entries from a place on.
func (l *redoLog) cut(place int) error {
	for _, e := range l.entries[place:] {
		l.textBytes -= e.textBytes()
	}
	clear(l.entries[place:])
	l.entries = l.entries[:place]
	l.checked = min(l.checked, place)
	l.pending = nil // those that stay were read when the savepoint was made
	l.current = nil
	l.tables, l.known = nil, nil
	kept := int64(0)
	for _, e := range l.entries {
		if e.first >= 0 {
			kept = max(kept, e.first+e.count) // tables are read in turn, not in the order of entries
		}
	}
	if l.rows == nil {
		return nil
	}
	return l.rows.cut(kept)
}

// close gives back what is kept.
func (l *redoLog) close() error {
	if l == nil || l.rows == nil {
		return nil
	}
	return l.rows.close()
}

// hasFrozen reports whether the session has macros for DuckDB's clock.
func (l *redoLog) hasFrozen() bool { return l != nil && len(l.frozen) > 0 }

// freezes reports whether a function is one of these macros.
func (l *redoLog) freezes(name string) bool {
	return l.hasFrozen() && slices.ContainsFunc(l.frozen, func(f string) bool { return load.SameName(f, name) })
}
