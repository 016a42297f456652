package engine

import (
	"context"
	"maps"
	"slices"

	"github.com/trireme-db/trireme/engine/pgcatalog"
	"github.com/trireme-db/trireme/internal/load"
	"github.com/trireme-db/trireme/sqlfront"
)

// knownTexts is what is looked up of a catalog for unrepeatable, by folded names.
type knownTexts struct {
	views     map[string][]string // what views select
	defaults  map[string][]string // the defaults of the columns of tables, and generated
	generated map[string][]string // what generated columns of tables are computed by
	// system are the relations in which the server and DuckDB show what they do.
	system map[string]bool
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
	if !evaluates(c, m) {
		e.repeatable = true
		return "", nil
	}
	known, err := s.knownTexts(ctx)
	if err != nil {
		return "", err
	}
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

// evaluates reports whether a statement computes values.
func evaluates(c sqlfront.Class, m sqlfront.Mentions) bool {
	switch c.Kind {
	case sqlfront.ClassInsert, sqlfront.ClassUpdate, sqlfront.ClassDelete, sqlfront.ClassMerge, sqlfront.ClassAlter:
		return true
	case sqlfront.ClassCreate:
		return m.As && (c.Object == "table" || c.Object == "type")
	}
	return false
}

// readsRows reports whether the rows of what a statement names count for its effect, or for
// that of one that names the view that it makes.
func readsRows(c sqlfront.Class, m sqlfront.Mentions) bool {
	return evaluates(c, m) || c.Kind == sqlfront.ClassCreate && c.Object == "view"
}

// addNames adds what a text names, itself or in views.
func (k *knownTexts) addNames(to map[string]bool, m sqlfront.Mentions) {
	for name := range m.Names {
		if to[name] {
			continue
		}
		to[name] = true
		for _, view := range k.views[name] {
			k.addNames(to, sqlfront.MentionsOf(view))
		}
	}
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
		case f.Table && !f.Scalar && !f.Aggregate && !steadyTables[name]:
			return "it reads " + name + "()", nil
		}
	}
	if m.Sample {
		return "it takes a sample", nil
	}
	known := s.tx.redo.known
	for _, name := range slices.Sorted(maps.Keys(m.Names)) {
		if visited[name] {
			continue
		}
		visited[name] = true
		if known.system[name] {
			return "it reads " + name, nil
		}
		for _, text := range slices.Concat(known.views[name], known.generated[name]) {
			reason, err := s.volatileIn(ctx, sqlfront.MentionsOf(text), visited)
			if err != nil || reason != "" {
				return reason, err
			}
		}
	}
	return "", nil
}

// steadyTables are the table functions whose rows are the same every time, but for those of
// tables that they name. Others read files, run texts or show what the server does.
var steadyTables = map[string]bool{
	"range": true, "generate_series": true, "unnest": true, "repeat": true, "repeat_row": true, "json_each": true, "json_tree": true,
	"histogram_values": true, "summary": true, "test_all_types": true, "pg_timezone_names": true, "icu_calendar_names": true,
}

// knownTexts are those of the catalog as it is now.
func (s *Session) knownTexts(ctx context.Context) (*knownTexts, error) {
	log := s.tx.redo
	if log.known == nil {
		known, err := s.readKnown(ctx)
		if err != nil {
			return nil, err
		}
		log.known = known
	}
	return log.known, nil
}

// readKnown reads the texts of views, defaults and generated columns.
func (s *Session) readKnown(ctx context.Context) (*knownTexts, error) {
	system, err := s.engine.systemRelations(ctx, s.conn)
	if err != nil {
		return nil, err
	}
	system["information_schema"] = true
	known := &knownTexts{views: map[string][]string{}, defaults: map[string][]string{}, generated: map[string][]string{}, system: system}
	for _, q := range []struct {
		sql string
		add func(name, text string)
	}{
		{"SELECT " + load.FoldedSQL("view_name") + ", sql FROM duckdb_views() WHERE NOT internal AND database_name NOT IN (" + pgcatalog.DatabaseList + ")", func(name, text string) {
			known.views[name] = append(known.views[name], text)
		}},
		{"SELECT DISTINCT " + load.FoldedSQL("table_name") + ", column_default FROM duckdb_columns() WHERE NOT internal AND contains(column_default, '(') AND database_name NOT IN (" + pgcatalog.DatabaseList + ")", func(name, text string) {
			known.defaults[name] = append(known.defaults[name], text)
		}},
		{"SELECT " + load.FoldedSQL("table_name") + ", sql FROM duckdb_tables() WHERE contains(lower(sql), 'generated') AND database_name NOT IN (" + pgcatalog.DatabaseList + ")", func(name, text string) {
			known.generated[name] = append(known.generated[name], sqlfront.GeneratedColumns(text)...)
		}},
	} {
		list, err := s.textRows(ctx, q.sql)
		if err != nil {
			return nil, withoutPlace(err)
		}
		for _, row := range list {
			q.add(row[0], row[1])
		}
	}
	return known, nil
}
