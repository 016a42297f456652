package engine

import (
	"context"
	"maps"
	"slices"

	"github.com/trireme-db/trireme/internal/rows"
)

// showAll is SHOW ALL: the variables that the session keeps. Those of DuckDB are in
// duckdb_settings().
type showAll struct{ session *Session }

func (*showAll) params() []rows.Type { return nil }
func (*showAll) close() error        { return nil }

func (*showAll) columns() []rows.Column {
	return slices.Concat(textColumn("name"), textColumn("setting"), textColumn("description"))
}

func (a *showAll) execute(context.Context, []Arg) (outcome, error) {
	s := a.session
	names := maps.Clone(s.settings.values)
	for name := range variables {
		names[name] = ""
	}
	var shown, values, empty []string
	for _, key := range slices.Sorted(maps.Keys(names)) {
		name := key
		if v := variables[key]; v != nil {
			name = v.name
		}
		shown, values, empty = append(shown, name), append(values, s.show(key)), append(empty, "")
	}
	text := rows.Type{ID: rows.Varchar}
	b := &rows.Batch{N: len(shown), Cols: []rows.Vector{{Type: text, Str: shown}, {Type: text, Str: values}, {Type: text, Str: empty}}}
	return outcome{cursor: &oneBatch{cols: a.columns(), batch: b}, tag: "SHOW", affected: -1}, nil
}

// oneBatch delivers one batch.
type oneBatch struct {
	cols  []rows.Column
	batch *rows.Batch
}

// Columns returns the columns.
func (c *oneBatch) Columns() []rows.Column { return c.cols }

// Next returns the batch, once.
func (c *oneBatch) Next(ctx context.Context) (*rows.Batch, error) {
	b := c.batch
	c.batch = nil
	return b, ctx.Err()
}

// Close does nothing.
func (*oneBatch) Close() error { return nil }
