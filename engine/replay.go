package engine

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/trireme-db/trireme/engine/catalog"
	"github.com/trireme-db/trireme/engine/paramtypes"
	"github.com/trireme-db/trireme/internal/load"
	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/internal/sqlerr"
	"github.com/trireme-db/trireme/sqlfront"
)

// replay brings the transaction back to what it was before the entry at a place of its
// log: DuckDB's transaction is rolled back, and in a new one the entries before are done
// again. It sees what others have committed since; where the isolation level does not
// allow that, or where an entry now does something else, it is 40001. After an error the
// transaction is failed, and can be brought back again.
func (s *Session) replay(ctx context.Context, place int) (err error) {
	log := s.tx.redo
	sequences := log.sequencesAt(place)
	if err := log.cut(place); err != nil {
		return err
	}
	s.tx.savepoints = slices.DeleteFunc(s.tx.savepoints, func(sp savepoint) bool { return sp.place > place })
	log.open++ // until all is done
	s.tx.status = TxActive
	answered := s.lastBackend
	backend := s.settings.backend
	s.settings.backend = Auto // a forced one may not answer a text that was answered then
	defer func() {
		s.lastBackend, s.settings.backend = answered, backend
		if err != nil {
			s.tx.status = TxFailed
		}
	}()
	if err := s.beginAgain(ctx); err != nil {
		return err
	}
	if err := s.mustBeUnchanged(ctx); err != nil {
		return err
	}
	if err := s.freezeClock(ctx); err != nil {
		return err
	}
	if err := s.redoEntries(ctx); err != nil {
		return err
	}
	if err := s.advanceSequences(ctx, sequences); err != nil {
		return err
	}
	for _, e := range log.entries {
		e.pin = s.tx.pin
	}
	log.open = 0
	return nil
}

// mustBeUnchanged refuses to do the log again where others have changed what it depends on
// since it was done: it might do something else. What the transaction itself has changed
// is not committed, and so does not count.
func (s *Session) mustBeUnchanged(ctx context.Context) error {
	versions := s.engine.catalog.Versions
	if s.tx.modes.strict && !versions.Unmoved(s.tx.snapshot, s.tx.write) {
		return sqlerr.New(sqlerr.SerializationFailure, "ROLLBACK TO cannot return to the snapshot of the transaction: another one has committed since").
			WithHint("Repeat the whole transaction. At the isolation level READ COMMITTED it would go on.")
	}
	own := ownRelations{made: map[load.Table][]ownView{}}
	uses := map[catalog.Pin]*catalog.Uses{}
	for _, e := range s.tx.redo.entries {
		u := uses[e.pin]
		if u == nil {
			u = &catalog.Uses{Rows: map[load.Table]bool{}, Definitions: map[load.Table]bool{}}
			uses[e.pin] = u
		}
		if err := s.addUses(ctx, u, e, &own); err != nil {
			return err
		}
	}
	for pin, u := range uses {
		name, changed := versions.ChangedSince(pin, *u)
		if !changed {
			continue
		}
		what := "the catalog"
		if name != "" {
			what = "table " + load.Quote(name)
		}
		return sqlerr.New(sqlerr.SerializationFailure, "ROLLBACK TO cannot do again what the transaction did before the savepoint: another one has changed %s meanwhile", what).
			WithHint("Repeat the whole transaction.")
	}
	return nil
}

// ownRelations are the tables and views that the transaction itself has made, before an entry of
// its log: what a name may be as a view, nothing for a table. gone: it may have dropped some.
type ownRelations struct {
	made map[load.Table][]ownView
	gone bool
}

// ownView is the text that makes a view, and the search path under which it does.
type ownView struct {
	sql  string
	path []catalog.Schema
}

// addUses adds what the effect of an entry depends on: of rows that are kept, how their table
// is defined; of a text, all that it names, itself or in views.
func (s *Session) addUses(ctx context.Context, u *catalog.Uses, e *redoEntry, own *ownRelations) error {
	if e.kind == redoRows {
		u.Definitions[e.table.name.Folded()] = true
		return nil
	}
	u.Functions = true
	known, err := s.knownTexts(ctx)
	if err != nil {
		return err
	}
	to := u.Definitions
	if evaluates(e.class, sqlfront.MentionsOf(e.sql)) {
		to = u.Rows
	}
	m := meant{known: known, own: own, all: map[load.Table]bool{}} // of each statement anew: a name may be another view by then
	m.add(append(sqlfront.Relations(e.sql), e.class.Writes...), e.path, own.gone)
	maps.Copy(to, m.all)
	own.add(e)
	return nil
}

// add adds what an entry has made or dropped.
func (o *ownRelations) add(e *redoEntry) {
	c := e.class
	switch {
	case c.Kind == sqlfront.ClassDrop, c.Kind == sqlfront.ClassDiscard, c.RenamedTo != nil:
		o.gone = true
	case c.Kind == sqlfront.ClassCreate && (c.Object == "table" || c.Object == "view") && len(c.Target) > 0:
		name := c.Target[len(c.Target)-1]
		inSchema, _ := placesOn(e.path, c, c.Target[:len(c.Target)-1])
		for _, p := range inSchema {
			t := load.Table{Catalog: p.Catalog, Schema: p.Name, Name: name}.Folded()
			views := o.made[t]
			if c.Object == "view" {
				views = append(views, ownView{e.sql, e.path})
			}
			o.made[t] = views
		}
	}
}

// beginAgain begins a new transaction of DuckDB's under the session's own.
func (s *Session) beginAgain(ctx context.Context) error {
	log := s.tx.redo
	if err := s.leaveAborted(context.WithoutCancel(ctx)); err != nil {
		return err
	}
	s.takeDrawn()
	log.frozen = nil
	s.tx.pin = 0
	s.generation++
	text, err := s.beginText()
	if err != nil {
		return err
	}
	if err := s.conn.Exec(ctx, text); err != nil {
		return err
	}
	return s.enter(ctx)
}

// freezeClock makes the functions that tell the time of the transaction tell the one
// that it had. They are macros of the session's until the transaction ends.
func (s *Session) freezeClock(ctx context.Context) error {
	log := s.tx.redo
	if log.clock == "" { // nobody can have asked since the savepoint, or before
		return nil
	}
	var names []string
	var text strings.Builder
	for _, name := range slices.Sorted(maps.Keys(frozenFunctions)) {
		f, err := s.catalogView().Function(ctx, name)
		if err != nil {
			return err
		}
		if f.Redefined { // the user's, which hides DuckDB's
			continue
		}
		names = append(names, name)
		text.WriteString("CREATE TEMP MACRO " + load.Quote(name) + "() AS (" + strings.ReplaceAll(frozenFunctions[name], "$", log.clock) + ");")
	}
	if err := s.conn.ExecOwn(ctx, text.String()); err != nil {
		return withoutPlace(err)
	}
	log.frozen = names
	s.generation++
	return nil
}

// thawClock drops the macros of freezeClock.
func (s *Session) thawClock(ctx context.Context) error {
	log := s.tx.redo
	if log == nil || len(log.frozen) == 0 {
		return nil
	}
	var text strings.Builder
	for _, name := range log.frozen {
		text.WriteString("DROP MACRO IF EXISTS temp.main." + load.Quote(name) + ";")
	}
	log.frozen = nil
	s.generation++
	return s.conn.Exec(ctx, text.String())
}

// define runs a statement that defines a table. What the table calculates asks DuckDB's clock, later, and
// not the macros of freezeClock: a temporary table would depend on them, and they could not be dropped.
func (s *Session) define(ctx context.Context, sql string) error {
	if !s.tx.redo.hasFrozen() {
		return s.conn.Exec(ctx, sql)
	}
	if err := s.thawClock(ctx); err != nil {
		return err
	}
	if err := s.conn.Exec(ctx, sql); err != nil {
		return err
	}
	return s.freezeClock(ctx)
}

// redoEntries does the entries of the log again.
func (s *Session) redoEntries(ctx context.Context) error {
	s.tx.unmade()
	log := s.tx.redo
	var fits *redoTable
	for i := 0; i < len(log.entries); {
		e := log.entries[i]
		var err error
		n := 1
		if err = s.useSettings(ctx, e.settings); err == nil && e.kind == redoRows {
			count := e.count
			for i+n < len(log.entries) && log.entries[i+n].follows(e, count) {
				count += log.entries[i+n].count
				n++
			}
			if e.table != fits {
				err = s.mustFit(ctx, e.table)
				fits = e.table
			}
			if err == nil {
				err = s.conn.AppendRows(ctx, e.table.name, log.rows.between(e.table.columns, e.first, count))
			}
		} else if err == nil {
			fits = nil
			err = s.redoText(ctx, e)
		}
		if err != nil {
			return errRedo(e, err)
		}
		i += n
	}
	return nil
}

// mustFit refuses to add rows to a table that has not the columns that it had: whatever
// has changed it.
func (s *Session) mustFit(ctx context.Context, t *redoTable) error {
	columns, err := s.writable(ctx, t.name.SQL())
	if err == nil && !slices.Equal(columns, t.columns) {
		err = sqlerr.New(sqlerr.SerializationFailure, "table %s has other columns than before", t.name.Name)
	}
	return err
}

// follows reports whether the rows of an entry are those after count rows of another, of
// the same table.
func (e *redoEntry) follows(first *redoEntry, count int64) bool {
	return e.kind == redoRows && e.table.name == first.table.name && e.first == first.first+count
}

// useSettings gives the settings under which an entry was made.
func (s *Session) useSettings(ctx context.Context, to redoSettings) error {
	if now := s.redoSettings(); now == to {
		return nil
	}
	return s.restoreSettings(ctx, map[string]string{"timezone": to.zone, "search_path": to.path})
}

// redoText executes a statement again. It is prepared each time: rows that are appended
// do not make DuckDB plan anew what it has planned over an empty table.
func (s *Session) redoText(ctx context.Context, e *redoEntry) (err error) {
	if err := s.renewSequences(ctx, e); err != nil {
		return err
	}
	s.activity.DoAgain(e.began)
	defer s.activity.DoAgain(time.Time{})
	p, err := s.prepareAs(ctx, e.sql, &Prepared{session: s, given: paramtypes.Given{Declared: e.types}})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	s.intent = nil // the tables have this transaction as their writer already
	out, err := p.stmt.execute(ctx, e.args)
	if err != nil {
		return err
	}
	delivered := int64(0)
	for out.cursor != nil {
		b, err := out.cursor.Next(ctx)
		if err != nil || b == nil {
			if err = errors.Join(err, out.cursor.Close()); err != nil {
				return err
			}
			break
		}
		delivered += int64(b.N)
	}
	affected := out.affected
	if out.countRows {
		affected = delivered
	}
	if e.class.Schema {
		s.generation++
	}
	if affected != e.affected {
		return sqlerr.New(sqlerr.SerializationFailure, "%d rows are changed, not %d as before", affected, e.affected)
	}
	return nil
}

// errRedo is the error of a transaction in which a statement does not do again what it
// did. What stopped the server from trying keeps its code.
func errRedo(e *redoEntry, err error) error {
	cause := sqlerr.From(err)
	switch cause.Code[:2] {
	case "53", "57", "58", "XX":
		return withoutPlace(err)
	}
	failed := sqlerr.New(sqlerr.SerializationFailure, "ROLLBACK TO cannot do again what the transaction did before the savepoint: another one has committed a change").
		WithHint("Repeat the whole transaction.")
	failed.Detail = fmt.Sprintf("%s: %s", describeRedo(e), cause.Message)
	failed.Err = err
	return failed
}

var _ rows.Cursor = (*spoolCursor)(nil)
