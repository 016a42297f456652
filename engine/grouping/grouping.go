package grouping

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/trireme-db/trireme/internal/load"
	"github.com/trireme-db/trireme/sqlfront"
)

// Table is a base table.
type Table struct {
	Columns []string
	Key     []string // of its primary key; none: it has none
}

// Database is what is asked of DuckDB and of the catalog. Its errors end Determined.
type Database interface {
	// SerializeSQL returns the syntax tree of a SELECT; its field "error" is true where
	// the text is none.
	SerializeSQL(ctx context.Context, sql string) (string, error)
	// BaseTable resolves a name of one to three parts; false: it is not a base table's.
	BaseTable(ctx context.Context, parts []string) (t Table, ok bool, err error)
}

// Determined are the edits that add to the GROUP BY clauses of a statement the columns
// that are used beside them and determined by primary keys in them; none: there are none
// that DuckDB does not know of.
func Determined(ctx context.Context, db Database, sql string) (edits sqlfront.Edits, err error) {
	common := sqlfront.CommonTables(sql)
	for _, r := range sqlfront.Queries(sql) {
		text, err := db.SerializeSQL(ctx, sql[r.Start:r.End])
		if err != nil {
			return nil, err
		}
		d := json.NewDecoder(strings.NewReader(text))
		d.UseNumber() // places may be as large as 64 bits allow
		var tree node
		if err := d.Decode(&tree); err != nil {
			return nil, err
		}
		if failed, _ := tree["error"].(bool); failed {
			continue
		}
		var blocks []node
		eachNode(tree, func(n node) {
			if n["type"] == "SELECT_NODE" {
				blocks = append(blocks, n)
			}
		})
		for _, n := range blocks {
			b := &block{ctx: ctx, db: db, common: common, tree: n}
			columns, err := b.determined()
			if err != nil {
				return nil, err
			}
			if len(columns) == 0 {
				continue
			}
			if at, ok := groupList(sql, r.Start+firstPlace(n["group_expressions"])); ok {
				edits = append(edits, sqlfront.Edit{Start: at, End: at, Text: " " + strings.Join(columns, ", ") + ",", Place: at})
			}
		}
	}
	slices.SortFunc(edits, func(a, b sqlfront.Edit) int { return a.Start - b.Start })
	return edits, nil
}

// groupList is the end of GROUP BY before a place in its list.
func groupList(sql string, place int) (at int, ok bool) {
	tokens, err := sqlfront.Tokens(sql)
	if err != nil {
		return 0, false
	}
	for i := 1; i < len(tokens) && tokens[i].Start < place; i++ {
		if strings.EqualFold(sql[tokens[i-1].Start:tokens[i-1].End], "group") && strings.EqualFold(sql[tokens[i].Start:tokens[i].End], "by") {
			at, ok = tokens[i].End, true
		}
	}
	return at, ok
}

// node is an object of a syntax tree.
type node = map[string]any

func object(v any) node {
	n, _ := v.(node)
	return n
}

func list(v any) []any {
	l, _ := v.([]any)
	return l
}

func text(n node, field string) string {
	s, _ := n[field].(string)
	return s
}

func texts(v any) (out []string) {
	for _, v := range list(v) {
		s, _ := v.(string)
		out = append(out, s)
	}
	return out
}

// eachNode calls f for every object in a part of a tree, the outer ones first.
func eachNode(v any, f func(node)) {
	switch v := v.(type) {
	case []any:
		for _, child := range v {
			eachNode(child, f)
		}
	case node:
		f(v)
		for _, child := range v {
			eachNode(child, f)
		}
	}
}

// firstPlace is the first place in the text of a part of a tree.
func firstPlace(v any) int {
	first := int64(-1)
	eachNode(v, func(n node) {
		number, _ := n["query_location"].(json.Number)
		if at, err := strconv.ParseInt(string(number), 10, 64); err == nil && (first < 0 || at < first) { // others have none
			first = at
		}
	})
	return int(first)
}

// block is a SELECT.
type block struct {
	ctx    context.Context
	db     Database
	common []string // names of common table expressions
	tree   node
	from   from
}

// determined are the columns to be added to GROUP BY, qualified.
func (b *block) determined() (columns []string, err error) {
	keys := b.keys()
	if len(keys) == 0 {
		return nil, nil
	}
	if b.from, err = b.read(object(b.tree["from_table"])); err != nil {
		return nil, err
	}
	tables := b.from.tables()
	grouped := map[*table]map[int]bool{}
	for _, e := range keys {
		if t, column := b.resolve(e); t != nil {
			if grouped[t] == nil {
				grouped[t] = map[int]bool{}
			}
			grouped[t][column] = true
		}
	}
	for _, t := range tables {
		if !t.isDetermined(grouped[t]) || slices.ContainsFunc(tables, func(other *table) bool { return other != t && strings.EqualFold(other.alias, t.alias) }) {
			continue
		}
		for i := range t.columns {
			if !grouped[t][i] && b.mentions(t, t.columns[i]) {
				columns = append(columns, load.Quote(t.alias)+"."+load.Quote(t.columns[i]))
			}
		}
	}
	return columns, nil
}

// keys are the expressions that all grouping sets have, positions and aliases replaced by
// what they stand for.
func (b *block) keys() (keys []node) {
	sets := list(b.tree["group_sets"])
	for i, e := range list(b.tree["group_expressions"]) {
		if slices.ContainsFunc(sets, func(set any) bool { return !slices.Contains(list(set), any(json.Number(strconv.Itoa(i)))) }) {
			continue
		}
		if e := b.output(object(e)); e != nil {
			keys = append(keys, e)
		}
	}
	return keys
}

// output is the output column that a constant in GROUP BY stands for, or the expression
// itself; nil: it is not known.
func (b *block) output(e node) node {
	if e["class"] != "CONSTANT" {
		return e
	}
	number, _ := object(e["value"])["value"].(json.Number)
	at, err := strconv.Atoi(string(number))
	items := list(b.tree["select_list"])
	if err != nil || at < 1 || at > len(items) {
		return nil
	}
	for _, item := range items[:at] {
		if object(item)["class"] == "STAR" {
			return nil
		}
	}
	return object(items[at-1])
}

// resolve is the column of a base table that a group is; nil: it is none.
func (b *block) resolve(e node) (*table, int) {
	if e["class"] != "COLUMN_REF" {
		return nil, 0
	}
	parts := texts(e["column_names"])
	t, column, known := b.column(parts)
	if known || len(parts) > 1 {
		return t, column
	}
	for _, item := range list(b.tree["select_list"]) { // an alias
		if item := object(item); item["class"] == "COLUMN_REF" && strings.EqualFold(text(item, "alias"), parts[0]) {
			t, column, _ = b.column(texts(item["column_names"]))
			return t, column
		}
	}
	return nil, 0
}

// column is the column of a base table that a name is, as find says.
func (b *block) column(parts []string) (t *table, column int, known bool) {
	name := parts[len(parts)-1]
	if len(parts) == 1 {
		t, known = b.from.find(name)
		return t, t.column(name), known
	}
	for _, t := range b.from.tables() {
		if t.isNamed(parts[:len(parts)-1]) {
			return t, t.column(name), true
		}
	}
	return nil, 0, false
}

// mentions reports whether the outputs, HAVING or ORDER BY may use a column of a table. One
// that they do not, or that they have in aggregates only, does no harm among the groups.
func (b *block) mentions(t *table, column string) (used bool) {
	for _, part := range []string{"select_list", "having", "qualify", "modifiers"} {
		eachNode(b.tree[part], func(n node) {
			switch n["class"] {
			case "STAR":
				relation := text(n, "relation_name")
				used = used || relation == "" || strings.EqualFold(relation, t.alias)
			case "COLUMN_REF":
				names := texts(n["column_names"])
				for i, name := range names {
					used = used || strings.EqualFold(name, column) && (i == 0 || t.isNamed(names[:i]))
				}
			}
		})
	}
	return used
}
