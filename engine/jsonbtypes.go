package engine

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/trireme-db/trireme/duckbackend"
	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/sqlfront"
)

// DuckDB has one type JSON. Clients tell json from jsonb, and some read only one of them, so
// results are described as what the tables say: a column of a table as it was declared, and
// every other value as jsonb where the statement names that type or reads a table with a
// column of it. So are the parameters.

// jsonbColumns are the columns that were declared JSONB, of one version of the catalog.
type jsonbColumns struct {
	mu      sync.Mutex
	known   bool
	version uint64
	names   map[string]bool // "column schema.table.column", "table name"
}

// jsonbQuery lists the columns, as pgcatalog's view _column does, the names of their tables,
// and those of views that may show them.
const jsonbQuery = `WITH json AS (SELECT *, coalesce(starts_with(comment, 'trireme: jsonb'), false) AS declared FROM duckdb_columns()
 WHERE database_name IN ('` + duckbackend.CatalogName + `', 'temp') AND data_type = 'JSON')
SELECT 'column ' || schema_name || '.' || table_name || '.' || column_name FROM json WHERE declared
UNION SELECT 'table ' || table_name FROM json WHERE declared
UNION SELECT 'table ' || table_name FROM json JOIN duckdb_views() v USING (database_name, schema_name)
 WHERE v.view_name = table_name AND EXISTS (SELECT 1 FROM json WHERE declared)`

// jsonbNames are the columns that the session sees. For all sessions that see the same they
// are read once per version of the catalog.
func (s *Session) jsonbNames(ctx context.Context) (names map[string]bool, err error) {
	read := func() error {
		return s.access()(ctx, func(c *duckbackend.Conn) (err error) {
			names, err = namesOf(ctx, c, jsonbQuery)
			return err
		})
	}
	if s.isPrivate() {
		return names, read()
	}
	t := &s.engine.jsonb
	t.mu.Lock()
	defer t.mu.Unlock()
	version, stable := s.engine.catalog.Versions.Schema()
	if t.known && t.version == version {
		return t.names, nil
	}
	if err := read(); err != nil {
		return nil, err
	}
	after, stillStable := s.engine.catalog.Versions.Schema()
	if t.known = stable && stillStable && after == version; t.known {
		t.version, t.names = version, names
	}
	return names, nil
}

// withJSONB are the statement's columns with those that clients are told to be jsonb.
func (p *Prepared) withJSONB(ctx context.Context, columns []rows.Column) ([]rows.Column, error) {
	isJSON := func(c rows.Column) bool { return c.Type.ID == rows.JSON }
	if p.class.Kind == sqlfront.ClassExplain || !slices.ContainsFunc(columns, isJSON) {
		return columns, nil
	}
	names, err := p.session.jsonbNames(ctx)
	if err != nil {
		return nil, err
	}
	origins, table := p.tableOrigins(ctx, len(columns))
	reads := p.meansJSONB(names)
	columns = slices.Clone(columns)
	for i, c := range columns {
		if !isJSON(c) {
			continue
		}
		told := reads
		if table != nil && !table.View && origins[i].Column > 0 {
			told = names[strings.ToLower("column "+table.Name.Schema+"."+table.Name.Name+"."+table.Columns[origins[i].Column-1].Name)]
		}
		if told {
			columns[i].Type = rows.Type{ID: rows.JSONB}
		}
	}
	return columns, nil
}

// withJSONBParams notes the parameters that clients are told to be jsonb: all of JSON, in such a
// statement, but those that it casts to json.
func (p *Prepared) withJSONBParams(ctx context.Context) error {
	p.jsonbParams = nil
	types := p.stmt.params()
	if !slices.ContainsFunc(types, func(t rows.Type) bool { return t.ID == rows.JSON }) {
		return nil
	}
	names, err := p.session.jsonbNames(ctx)
	if err != nil || !p.meansJSONB(names) {
		return err
	}
	asJSON := sqlfront.AsJSON(cmp.Or(p.declared, p.sql))
	p.jsonbParams = make([]bool, len(types))
	for i, t := range types {
		_, isJSON := asJSON[i+1]
		p.jsonbParams[i] = t.ID == rows.JSON && !isJSON
	}
	return nil
}

// meansJSONB reports whether a value of JSON in the statement is jsonb where nothing else is known
// of it.
func (p *Prepared) meansJSONB(names map[string]bool) bool {
	return p.namesJSONB || p.callsJSONB() || p.readsJSONB(names)
}

// forBoth are functions for operators that json has as well.
var forBoth = map[string]bool{"jsonb_at": true, "jsonb_text_at": true, "jsonb_key": true}

// callsJSONB reports whether the statement has a function or an operator of jsonb.
func (p *Prepared) callsJSONB() bool {
	return slices.ContainsFunc(sqlfront.NamedCalls(p.sql), func(c sqlfront.NamedCall) bool {
		return c.Name == "to_jsonb" || strings.HasPrefix(c.Name, "jsonb_") && !forBoth[c.Name]
	})
}

// readsJSONB reports whether the statement may read a column that was declared JSONB.
func (p *Prepared) readsJSONB(names map[string]bool) bool {
	if p.class.Kind == sqlfront.ClassExecute || len(names) == 0 {
		return len(names) > 0
	}
	for name := range sqlfront.MentionsOf(p.sql).Names {
		if names["table "+name] {
			return true
		}
	}
	return false
}

// described is a cursor of the statement whose columns are what the client was told, as
// far as that is another name of the same values.
func (p *Prepared) described(cursor rows.Cursor) rows.Cursor {
	isJSONB := func(c rows.Column) bool { return c.Type.ID == rows.JSONB }
	if cursor == nil || !slices.ContainsFunc(p.cols, isJSONB) {
		return cursor
	}
	columns := slices.Clone(cursor.Columns())
	for i := range min(len(columns), len(p.cols)) {
		if isJSONB(p.cols[i]) && columns[i].Type.ID == rows.JSON {
			columns[i].Type = p.cols[i].Type
		}
	}
	return &describedCursor{Cursor: cursor, list: columns}
}
