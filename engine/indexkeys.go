package engine

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/trireme-db/trireme/internal/load"
	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/internal/sqlerr"
	"github.com/trireme-db/trireme/sqlfront"
)

// DuckDB binds the expressions of an index when they are first needed after a start, in whatever session that
// is. Where it gets other keys than those that are there it invalidates the database, or the process ends. So the
// keys must be the same in all sessions and at all times.

// mustBeSteady refuses a CREATE INDEX of a table with a key that depends on the session, on the clock or
// on a macro, also through a generated column.
func (s *Session) mustBeSteady(ctx context.Context, of relation, sql string) error {
	k := indexKeys{session: s, of: of, columns: map[string]bool{}}
	list, err := s.textRows(ctx, "SELECT sql FROM duckdb_tables() WHERE "+of.place())
	if err != nil || len(list) == 0 {
		return err
	}
	keys := sqlfront.IndexKeys(sql)
	text, ok := sqlfront.ParseTableText(list[0][0])
	if keys == "" || !ok {
		return nil
	}
	for _, column := range text.Columns {
		k.columns[load.Fold(column)] = true
	}
	steady := !sqlfront.HasExpression(keys)
	for _, item := range text.Items {
		if g := sqlfront.GeneratedColumns(item); len(g) == 1 && sqlfront.IndexMentions(sql, sqlfront.NameAt(item, 0)[0]) {
			keys, steady = keys+", "+g[0], false
		}
	}
	if steady {
		return nil
	}
	return k.check(ctx, keys)
}

// indexKeys are the keys of an index.
type indexKeys struct {
	session *Session
	of      relation
	columns map[string]bool // of the table, by folded names
	// all are the expressions, and those within them that have a type by themselves.
	all []*keyPart
}

// keyPart is an expression in DuckDB's tree, with those within it.
type keyPart struct {
	node     map[string]any
	children []*keyPart
	value    rows.Type
}

// check looks at a list of expressions. An error in one is DuckDB's to tell.
func (k *indexKeys) check(ctx context.Context, list string) error {
	conn := k.session.conn
	text, err := conn.SerializeSQL(ctx, "SELECT "+list+" FROM "+k.of.sql())
	if err != nil {
		return err
	}
	var tree map[string]any
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&tree); err != nil {
		return sqlerr.Wrap(sqlerr.InternalError, err)
	}
	statements, _ := tree["statements"].([]any)
	if len(statements) != 1 {
		return nil
	}
	node, _ := within(statements[0], "node").(map[string]any)
	if _, err := k.read(ctx, node["select_list"]); err != nil {
		return err
	}
	nodes := make([]any, len(k.all))
	for i, part := range k.all {
		nodes[i] = part.node
	}
	node["select_list"] = nodes
	written, err := json.Marshal(tree)
	if err != nil {
		return sqlerr.Wrap(sqlerr.InternalError, err)
	}
	sql, err := conn.DeserializeSQL(ctx, string(written))
	if err != nil {
		return err
	}
	columns, err := k.describe(ctx, sql)
	if err != nil || len(columns) != len(k.all) {
		return onlyFatal(ctx, err)
	}
	for i, c := range columns {
		k.all[i].value = c.Type
	}
	for _, part := range k.all {
		if part.asksForZone() {
			return unsteady("a time with a zone is converted, and the session has the zone", "An index on the column itself, or on (column AT TIME ZONE 'UTC'), is the same in all sessions.")
		}
	}
	return nil
}

// describe returns what a query of parts returns, of the table as the transaction has it. Where
// DuckDB's optimizer fails, which the index would not ask, it is described without.
func (k *indexKeys) describe(ctx context.Context, sql string) ([]rows.Column, error) {
	d, err := k.session.conn.Describe(ctx, sql, nil)
	if err == nil || sqlerr.From(err).Code != sqlerr.InternalError {
		return d.Columns, err
	}
	plain, err := k.session.Describe(ctx, sql, nil)
	return plain.Columns, err
}

// read reads the outermost expressions in a part of the tree, and looks at what they call.
func (k *indexKeys) read(ctx context.Context, part any) (found []*keyPart, err error) {
	for _, n := range nodesIn(part) {
		p := &keyPart{node: n}
		if n["class"] != "LAMBDA" { // whose parameters have types only within
			found, k.all = append(found, p), append(k.all, p)
		}
		before := len(k.all)
		if p.children, err = k.read(ctx, slices.Collect(maps.Values(n))); err != nil {
			return nil, err
		}
		if n["class"] == "LAMBDA" {
			k.all = k.all[:before]
		}
		if err := k.mayCall(ctx, p); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// nodesIn are the outermost expressions in a part of the tree.
func nodesIn(part any) (found []map[string]any) {
	switch part := part.(type) {
	case []any:
		for _, p := range part {
			found = append(found, nodesIn(p)...)
		}
	case map[string]any:
		if _, ok := part["class"].(string); ok {
			return []map[string]any{part}
		}
		for _, p := range part {
			found = append(found, nodesIn(p)...)
		}
	}
	return found
}

// name is the function that an expression calls, or the column that it may be.
func (p *keyPart) name() string {
	name, _ := p.node["function_name"].(string)
	if names, ok := p.node["column_names"].([]any); ok && len(names) == 1 {
		name, _ = names[0].(string)
	}
	return load.Fold(name)
}

// mayCall refuses a function that does not return the same in all sessions and at all times.
func (k *indexKeys) mayCall(ctx context.Context, p *keyPart) error {
	name := p.name()
	if name == "" || p.node["class"] == "COLUMN_REF" && k.columns[name] { // CURRENT_DATE has no parentheses
		return nil
	}
	return k.mustReturnSame(ctx, name, len(p.children), 0)
}

// macroDepth bounds the macros of DuckDB's in one another.
const macroDepth = 8

// mustReturnSame refuses a function by its name.
func (k *indexKeys) mustReturnSame(ctx context.Context, name string, args, depth int) error {
	f, err := k.session.catalogView().Function(ctx, name)
	switch {
	case err != nil:
		return err
	case f.Redefined:
		return unsteady(name+"() is a macro, which can be replaced", "Write its expression instead.")
	case f.Scalar && !f.Consistent || name == "age" && args == 1:
		return unsteady("what "+name+"() returns depends on the session or on the time", "Keep its value in a column, and index that.")
	case name == "/": // ieee_floating_point_ops
		return unsteady("what a division by zero is depends on a setting of the session", "Keep the quotient in a column, and index that.")
	case f.Scalar || depth == macroDepth:
		return nil
	}
	for _, m := range f.Macros {
		for called := range sqlfront.MentionsOf(m.Body).Calls {
			if err := k.mustReturnSame(ctx, called, -1, depth+1); err != nil {
				return err
			}
		}
	}
	return nil
}

func unsteady(reason, hint string) error {
	return sqlerr.New(sqlerr.InvalidDefinition, "functions in index expression must be marked IMMUTABLE: %s", reason).WithHint("%s", hint)
}

// zoneFree are the functions on times with a zone that do not ask for the session's.
var zoneFree = map[string]bool{"epoch": true, "epoch_ms": true, "epoch_us": true, "epoch_ns": true, "to_timestamp": true}

// asksForZone reports whether an expression has to do with the session's zone: it makes a time with a
// zone of something else, or something else of that.
func (p *keyPart) asksForZone() bool {
	var zoned, others []rows.Type
	for _, child := range p.children {
		switch t := child.value; {
		case hasZone(t) && (len(zoned) == 0 || t.String() == zoned[0].String()):
			zoned = append(zoned, t)
		case t.ID != rows.Boolean:
			others = append(others, t)
		}
	}
	switch p.node["class"] {
	case "COLUMN_REF", "CONSTANT":
		return false
	case "CAST":
		return hasZone(p.value) != (len(zoned) > 0) || len(zoned) > 0 && zoned[0].String() != p.value.String()
	case "FUNCTION":
		return (len(zoned) > 0 || hasZone(p.value)) && !p.namesZone() && !zoneFree[p.name()]
	}
	return len(zoned) > 0 && len(others) > 0
}

// namesZone reports whether an expression is AT TIME ZONE with a constant, of a time with a day.
func (p *keyPart) namesZone() bool {
	return p.name() == "timezone" && len(p.children) == 2 && p.children[0].node["class"] == "CONSTANT" &&
		(p.children[1].value.ID == rows.TimestampTZ || p.children[1].value.ID == rows.Timestamp)
}

// hasZone reports whether a type is, or has in it, a time with a zone.
func hasZone(t rows.Type) bool { return strings.Contains(t.String(), "WITH TIME ZONE") }
