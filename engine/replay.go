package engine

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/trireme-db/trireme/engine/paramtypes"
	"github.com/trireme-db/trireme/internal/load"
	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/internal/sqlerr"
)

// replay brings the transaction back to what it was before the entry at a place of its
// log: DuckDB's transaction is rolled back, and in a new one the entries before are done
// again. It sees what others have committed since; where the isolation level does not
// allow that, or where an entry now does something else, it is 40001. After an error the
// transaction is failed, and can be brought back again.
func (s *Session) replay(ctx context.Context, place int) (err error) {
	log := s.tx.redo
	if err := log.cut(place); err != nil {
		return err
	}
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
	pin := s.tx.pin
	if err := s.beginAgain(ctx); err != nil {
		return err
	}
	if s.tx.modes.strict && !s.engine.catalog.Versions.Unmoved(pin, s.tx.write) {
		return sqlerr.New(sqlerr.SerializationFailure, "ROLLBACK TO cannot return to the snapshot of the transaction: another one has committed since").
			WithHint("Repeat the whole transaction. At the isolation level READ COMMITTED it would go on.")
	}
	if err := s.freezeClock(ctx); err != nil {
		return err
	}
	if err := s.redoEntries(ctx); err != nil {
		return err
	}
	if err := s.advanceSequences(ctx); err != nil {
		return err
	}
	log.open = 0
	return nil
}

// beginAgain begins a new transaction of DuckDB's under the session's own.
func (s *Session) beginAgain(ctx context.Context) error {
	log := s.tx.redo
	if err := s.leaveAborted(context.WithoutCancel(ctx)); err != nil {
		return err
	}
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
	if err := s.conn.Exec(ctx, text.String()); err != nil {
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

// redoEntries does the entries of the log again.
func (s *Session) redoEntries(ctx context.Context) error {
	log := s.tx.redo
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
			err = s.conn.AppendRows(ctx, e.table.name, log.rows.between(e.table.columns, e.first, count))
		} else if err == nil {
			err = s.redoText(ctx, e)
		}
		if err != nil {
			return errRedo(e, err)
		}
		i += n
	}
	return nil
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
		return sqlerr.New(sqlerr.SerializationFailure, "%s changes %d rows, not %d as before", describeRedo(e), affected, e.affected)
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

// sequencePlaces reads how far sequences have counted, by their names as SQL; those
// that have not counted yet are missing. steps are by how much they count.
func (s *Session) sequencePlaces(ctx context.Context) (places, starts, steps map[string]int64, err error) {
	places, starts, steps = map[string]int64{}, map[string]int64{}, map[string]int64{}
	cur, err := s.conn.Query(ctx, "SELECT database_name, schema_name, sequence_name, last_value::BIGINT, start_value::BIGINT, increment_by::BIGINT FROM duckdb_sequences()")
	if err != nil {
		return nil, nil, nil, withoutPlace(err)
	}
	for {
		b, err := cur.Next(ctx)
		if err != nil || b == nil {
			return places, starts, steps, errors.Join(err, cur.Close())
		}
		for i := range b.N {
			name := quoteName([]string{b.Cols[0].Str[i], b.Cols[1].Str[i], b.Cols[2].Str[i]})
			starts[name], steps[name] = b.Cols[4].I64[i], b.Cols[5].I64[i]
			if !b.Cols[3].IsNull(i) {
				places[name] = b.Cols[3].I64[i]
			}
		}
	}
}

// readSequences notes how far sequences have counted, where the transaction has made some:
// those begin anew when it is brought back, and numbers are never undone.
func (s *Session) readSequences(ctx context.Context) (err error) {
	if log := s.tx.redo; log.makesSequences {
		log.sequences, _, _, err = s.sequencePlaces(ctx)
	}
	return err
}

// advanceSequences brings sequences that count anew to where they were.
func (s *Session) advanceSequences(ctx context.Context) error {
	log := s.tx.redo
	if len(log.sequences) == 0 {
		return nil
	}
	places, starts, steps, err := s.sequencePlaces(ctx)
	if err != nil {
		return err
	}
	for name, was := range log.sequences {
		step := steps[name]
		if step == 0 { // it is gone
			continue
		}
		is, counted := places[name]
		if !counted {
			is = starts[name] - step
		}
		if n := (was - is) / step; n > 0 {
			if _, err := oneNumber(ctx, s.conn, "SELECT max(nextval("+quoteText(name)+")) FROM range("+strconv.FormatInt(n, 10)+")"); err != nil {
				return err
			}
		}
	}
	return nil
}

var _ rows.Cursor = (*spoolCursor)(nil)
