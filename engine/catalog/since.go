package catalog

import (
	"context"

	"github.com/trireme-db/trireme/internal/load"
)

// Uses is what the effect of a statement that has run depends on.
type Uses struct {
	// Rows are the tables and views whose rows count, by their names as load.Table.Folded has
	// them; those that are not there harm nothing.
	Rows map[load.Table]bool
	// Definitions are those of which only the columns and constraints count.
	Definitions map[load.Table]bool
	// Functions: it calls some.
	Functions bool
}

// ChangedSince reports whether other transactions have changed, since a pin, what was used
// then, or may have, and by what name. The asking transaction has not been committed, and
// so has changed nothing. A snapshot that was taken before the call and has a change that is not
// reported does not exist: a commit that DuckDB may have made is one (C6).
func (v *Versions) ChangedSince(pin Pin, u Uses) (name string, changed bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if u.Functions && v.functions.changed(pin) {
		return "", true
	}
	if len(u.Rows) > 0 && v.everything.changed(pin) || len(u.Definitions) > 0 && v.everything.altered(pin) {
		return "", true
	}
	for k, s := range v.tables {
		if u.Rows[k] && s.changed(pin) || u.Definitions[k] && s.altered(pin) {
			return k.Name, true
		}
	}
	return "", false
}

// AwaitEnding waits for those that write one of the tables and are ending, and reports whether there was one, or one of
// the tables has changed since a pin: whoever lost against them may try again. Who waits must not be ending
// itself. The error is the cause of the context's end.
func (v *Versions) AwaitEnding(ctx context.Context, tables []load.Table, pin Pin) (ended bool, err error) {
	for {
		changed, next := v.ending(tables, pin)
		if changed || next == nil {
			return changed || ended, nil
		}
		select {
		case <-next:
			ended = true
		case <-ctx.Done():
			return false, context.Cause(ctx)
		}
	}
}

// ending reports whether a table has changed since a pin; where none has, and one is being written by somebody who is
// ending, next says when to ask again.
func (v *Versions) ending(tables []load.Table, pin Pin) (changed bool, next <-chan struct{}) {
	v.mu.Lock()
	defer v.mu.Unlock()
	ending := v.everything.ending > 0
	for _, t := range tables {
		version, _ := v.read(t.Folded(), nil)
		if version > uint64(pin) {
			return true, nil
		}
		s := v.tables[t.Folded()]
		ending = ending || s != nil && s.ending > 0
	}
	if !ending {
		return false, nil
	}
	if v.ended == nil {
		v.ended = make(chan struct{})
	}
	return false, v.ended
}

func (s *tableState) changed(pin Pin) bool { return s.ending > 0 || s.version > uint64(pin) }

func (s *tableState) altered(pin Pin) bool { return s.altering > 0 || s.definition > uint64(pin) }

// Ending says that DuckDB may commit the write from now on, which is known here only when
// Commit or Rollback is called.
func (w *Write) Ending() {
	w.v.mu.Lock()
	defer w.v.mu.Unlock()
	if w.ending || w.closed {
		return
	}
	w.ending = true
	w.each(func(s *tableState, alters bool) { s.end(1, alters) })
}

// end counts a writer that is about to end, or has ended.
func (s *tableState) end(n int, alters bool) {
	s.ending += n
	if alters {
		s.altering += n
	}
}

// each calls f for the states of all targets.
func (w *Write) each(f func(s *tableState, alters bool)) {
	for k, alters := range w.tables {
		f(w.v.tables[k], alters)
	}
	if w.unknown {
		f(&w.v.everything, w.schema)
	}
	if w.schema {
		f(&w.v.schema, true)
	}
	if w.functions {
		f(&w.v.functions, true)
	}
}
