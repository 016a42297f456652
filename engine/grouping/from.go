package grouping

import (
	"slices"
	"strings"
)

// from is an element of FROM: *table, *join, or nil for what has no primary key.
type from interface {
	tables() []*table
	// find is the table whose column an unqualified name is. known: the name is a column,
	// of a table if it is that of one alone.
	find(name string) (t *table, known bool)
}

// table is a base table.
type table struct {
	name    []string // qualified as far as the text does
	alias   string
	columns []string // as the block knows them
	key     []int    // among columns
}

// isDetermined reports whether the columns that are grouped by have the whole key.
func (t *table) isDetermined(grouped map[int]bool) bool {
	return len(t.key) > 0 && !slices.ContainsFunc(t.key, func(i int) bool { return !grouped[i] })
}

// isNamed reports whether a qualifier is the table's.
func (t *table) isNamed(parts []string) bool {
	if len(parts) == 1 {
		return strings.EqualFold(parts[0], t.alias)
	}
	from := len(t.name) - len(parts)
	return from >= 0 && strings.EqualFold(t.alias, t.name[len(t.name)-1]) && slices.EqualFunc(parts, t.name[from:], strings.EqualFold)
}

// column is the place of a column; -1: there is none of the name.
func (t *table) column(name string) int {
	if t == nil {
		return -1
	}
	return slices.IndexFunc(t.columns, func(c string) bool { return strings.EqualFold(c, name) })
}

func (t *table) tables() []*table { return []*table{t} }

func (t *table) find(name string) (*table, bool) {
	if t.column(name) < 0 {
		return nil, false
	}
	return t, true
}

// opaque is what has no primary key, and may have any columns.
type opaque struct{}

func (opaque) tables() []*table           { return nil }
func (opaque) find(string) (*table, bool) { return nil, false }

// join is a join of two.
type join struct {
	left, right from
	kind        string // DuckDB's name
	using       []string
}

func (j *join) tables() []*table { return append(j.left.tables(), j.right.tables()...) }

// find implements from. A column of USING is that of the side that the join keeps whole,
// of neither where it keeps both.
func (j *join) find(name string) (*table, bool) {
	if slices.ContainsFunc(j.using, func(u string) bool { return strings.EqualFold(u, name) }) {
		side := j.left
		switch j.kind {
		case "INNER", "LEFT", "SEMI", "ANTI":
		case "RIGHT":
			side = j.right
		default:
			return nil, true
		}
		t, _ := side.find(name)
		return t, true
	}
	t, known := j.left.find(name)
	if j.kind == "SEMI" || j.kind == "ANTI" {
		return t, known
	}
	other, also := j.right.find(name)
	switch {
	case known && also: // ambiguous
		return nil, true
	case also:
		return other, true
	}
	return t, known
}

// read reads FROM.
func (b *block) read(n node) (from, error) {
	switch n["type"] {
	case "BASE_TABLE":
		return b.table(n)
	case "JOIN":
		left, err := b.read(object(n["left"]))
		if err != nil {
			return nil, err
		}
		right, err := b.read(object(n["right"]))
		if err != nil {
			return nil, err
		}
		j := &join{left: left, right: right, kind: text(n, "join_type"), using: texts(n["using_columns"])}
		if n["ref_type"] == "NATURAL" {
			for _, t := range left.tables() {
				for _, c := range t.columns {
					if _, both := right.find(c); both {
						j.using = append(j.using, c)
					}
				}
			}
		}
		return j, nil
	}
	return opaque{}, nil
}

// table reads the name of a table, which may be a common table expression's.
func (b *block) table(n node) (from, error) {
	t := &table{alias: text(n, "alias")}
	for _, part := range []string{"catalog_name", "schema_name", "table_name"} {
		if name := text(n, part); name != "" {
			t.name = append(t.name, name)
		}
	}
	if t.alias == "" {
		t.alias = text(n, "table_name")
	}
	if len(t.name) == 1 && slices.ContainsFunc(b.common, func(c string) bool { return strings.EqualFold(c, t.name[0]) }) {
		return opaque{}, nil
	}
	base, ok, err := b.db.BaseTable(b.ctx, t.name)
	if err != nil || !ok {
		return opaque{}, err
	}
	for _, k := range base.Key {
		t.key = append(t.key, slices.IndexFunc(base.Columns, func(c string) bool { return strings.EqualFold(c, k) }))
	}
	t.columns = slices.Clone(base.Columns)
	copy(t.columns, texts(n["column_name_alias"]))
	return t, nil
}
