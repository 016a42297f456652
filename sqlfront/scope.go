package sqlfront

import "github.com/trireme-db/trireme/internal/rows"

// scope is the tables that a name may mean, in order of FROM.
type scope struct{ tables []*scopeTable }

// scopeTable is one alias. For a base table without alias, base is set, and its
// schema and catalog may qualify it.
type scopeTable struct {
	alias string // lower case
	base  *Table
	cols  []scopeColumn
}

// scopeColumn is a column that can be named. Its name is empty where DuckDB
// makes one up from an expression.
type scopeColumn struct {
	name string // as declared
	expr Expr
	// merged: the right column of USING or NATURAL, seen only when qualified.
	merged bool
}

// unqualified returns the visible columns of a name.
func (s *scope) unqualified(name string) []*scopeColumn {
	var found []*scopeColumn
	for _, t := range s.tables {
		for i := range t.cols {
			if c := &t.cols[i]; !c.merged && c.name != "" && fold(c.name) == fold(name) {
				found = append(found, c)
			}
		}
	}
	return found
}

func (t *scopeTable) column(name string) *scopeColumn {
	var found *scopeColumn
	for i := range t.cols {
		if c := &t.cols[i]; c.name != "" && fold(c.name) == fold(name) {
			if found != nil {
				refuse("ambiguous name ", name)
			}
			found = c
		}
	}
	return found
}

// table finds an alias.
func (s *scope) table(alias string) *scopeTable {
	var found *scopeTable
	for _, t := range s.tables {
		if t.alias == fold(alias) {
			if found != nil {
				refuse("ambiguous name ", alias)
			}
			found = t
		}
	}
	return found
}

// inSchema finds the table without alias that s.t or c.s.t names; tables of
// other schemas may have the same name. A first part that is also an alias may stand
// before a column with fields; of two, the name of a database means something else.
func (s *scope) inSchema(parts []string) *scopeTable {
	n := len(parts)
	var found *scopeTable
	for _, t := range s.tables {
		if t.alias == fold(parts[0]) {
			refuse("field or column ", parts[0])
		}
		if n == 2 && t.base != nil && fold(t.base.Name.Catalog) == fold(parts[0]) {
			refuse("unknown name ", parts[0])
		}
		if t.base == nil || t.alias != fold(parts[n-1]) || fold(t.base.Name.Schema) != fold(parts[n-2]) ||
			n == 3 && fold(t.base.Name.Catalog) != fold(parts[0]) {
			continue
		}
		if found != nil {
			refuse("ambiguous name ", parts[n-1])
		}
		found = t
	}
	return found
}

// qualified resolves a.b, s.a.b and c.s.a.b; nil: there is no such table here. A
// first part that also names a column with fields is refused: it may be a field.
func (s *scope) qualified(parts []string) *scopeColumn {
	name := parts[len(parts)-1]
	if len(parts) > 4 {
		refuse("unknown name ", name)
	}
	for _, c := range s.unqualified(parts[0]) {
		if hasFields(c.expr.Type()) {
			refuse("field or column ", parts[0])
		}
	}
	var t *scopeTable
	if len(parts) > 2 {
		t = s.inSchema(parts[:len(parts)-1])
	} else {
		t = s.table(parts[0])
	}
	if t == nil {
		return nil
	}
	c := t.column(name)
	if c == nil {
		refuse("unknown name ", name)
	}
	return c
}

// hasFields reports whether a dot after a value of the type may mean something.
func hasFields(t rows.Type) bool {
	switch t.ID {
	case rows.Struct, rows.JSON, rows.Other, rows.Invalid:
		return true
	}
	return false
}
