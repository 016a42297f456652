package engine

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/trireme-db/trireme/internal/load"
	"github.com/trireme-db/trireme/sqlfront"
)

// knownTexts is what is looked up of a catalog for unrepeatable.
type knownTexts struct {
	views    map[string][]string // by folded name, what they select
	defaults map[string][]string // of the columns of tables of a folded name
}

// frozenFunctions tell the time of the transaction: DuckDB begins another one, whose
// time must not differ. $ stands for the time. error() is the same error again.
var frozenFunctions = map[string]string{
	"now": "$", "transaction_timestamp": "$", "get_current_timestamp": "$", "current_date": "CAST($ AS DATE)", "today": "CAST($ AS DATE)",
	"get_current_time": "CAST($ AS TIMETZ)", "current_localtime": "CAST(CAST($ AS TIMESTAMP) AS TIME)", "current_localtimestamp": "CAST($ AS TIMESTAMP)",
}

// steadyFunctions are those that DuckDB calls volatile and that do the same every time in
// a session.
var steadyFunctions = map[string]bool{"error": true, "current_connection_id": true, "sleep_ms": true, "write_log": true}

// unrepeatable says why a statement of the log may do something else when it is executed
// again on the same rows; empty: it does not.
func (s *Session) unrepeatable(ctx context.Context, e *redoEntry) (string, error) {
	if e.repeatable {
		return "", nil
	}
	c := e.class
	m := sqlfront.MentionsOf(e.sql)
	switch c.Kind {
	case sqlfront.ClassInsert, sqlfront.ClassUpdate, sqlfront.ClassDelete, sqlfront.ClassMerge, sqlfront.ClassAlter:
	case sqlfront.ClassCreate:
		if c.Object != "table" || !m.As { // it evaluates nothing
			e.repeatable = true
			return "", nil
		}
	default:
		e.repeatable = true
		return "", nil
	}
	if s.tx.redo.known == nil {
		if err := s.readKnown(ctx); err != nil {
			return "", err
		}
	}
	known := s.tx.redo.known
	reason, err := s.volatileIn(ctx, m, map[string]bool{})
	if err != nil || reason != "" {
		return reason, err
	}
	if len(c.Target) > 0 && (m.Default || c.Kind == sqlfront.ClassInsert || c.Kind == sqlfront.ClassMerge) {
		for _, text := range known.defaults[load.Fold(c.Target[len(c.Target)-1])] {
			reason, err := s.volatileIn(ctx, sqlfront.MentionsOf(text), map[string]bool{})
			if err != nil || reason != "" {
				return reason + " for a column's default", err
			}
		}
	}
	e.repeatable = true
	return "", nil
}

// volatileIn says what a text calls, itself or in views, whose value may differ; visited
// are the views that were looked at.
func (s *Session) volatileIn(ctx context.Context, m sqlfront.Mentions, visited map[string]bool) (string, error) {
	for _, name := range slices.Sorted(maps.Keys(m.Calls)) {
		f, err := s.catalogView().Function(ctx, name)
		switch {
		case err != nil:
			return "", err
		case slices.Contains(s.tx.redo.frozen, name): // a macro of ours
		case f.Redefined:
			return "it calls " + name + "(), a macro", nil
		case frozenFunctions[name] != "", steadyFunctions[name]:
		case f.Volatile, name == "age": // of one argument, that asks for the time
			return "it calls " + name + "()", nil
		}
	}
	for _, name := range slices.Sorted(maps.Keys(m.Names)) {
		if visited[name] {
			continue
		}
		visited[name] = true
		for _, view := range s.tx.redo.known.views[name] {
			reason, err := s.volatileIn(ctx, sqlfront.MentionsOf(view), visited)
			if err != nil || reason != "" {
				return reason, err
			}
		}
	}
	return "", nil
}

// readKnown reads the texts of views and defaults.
func (s *Session) readKnown(ctx context.Context) error {
	if err := s.detachOpen(ctx); err != nil {
		return err
	}
	known := &knownTexts{views: map[string][]string{}, defaults: map[string][]string{}}
	for _, q := range []struct {
		sql  string
		into map[string][]string
	}{
		{"SELECT " + load.FoldedSQL("view_name") + ", sql FROM duckdb_views() WHERE NOT internal", known.views},
		{"SELECT DISTINCT " + load.FoldedSQL("table_name") + ", column_default FROM duckdb_columns() WHERE NOT internal AND contains(column_default, '(')", known.defaults},
	} {
		cur, err := s.conn.Query(ctx, q.sql)
		if err != nil {
			return withoutPlace(err)
		}
		for {
			b, err := cur.Next(ctx)
			if err != nil || b == nil {
				if err = errors.Join(err, cur.Close()); err != nil {
					return err
				}
				break
			}
			for i := range b.N {
				q.into[b.Cols[0].Str[i]] = append(q.into[b.Cols[0].Str[i]], b.Cols[1].Str[i])
			}
		}
	}
	s.tx.redo.known = known
	return nil
}
