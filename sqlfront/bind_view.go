package sqlfront

import "slices"

// view binds a reference to a view as a derived table: the view's SELECT, whose
// names mean what they mean in the view's own schema, under the view's column
// names. Common table expressions of the statement are not seen from inside.
func (b *block) view(f *tableNode, t *Table, alias string, nullable bool) (*scopeTable, *Join) {
	if t.ViewSQL == "" {
		refuse("view")
	}
	names := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		names[i] = c.Name
	}
	if !slices.Contains(b.views, t.Name) {
		b.views = append(b.views, t.Name)
	}
	outer := b.within
	b.within = &t.Name
	var sel *selectNode
	if refusalOf(func() { sel = parseSelect(t.ViewSQL) }) != "" {
		sel = &selectNode{text: "SELECT * FROM " + t.Name.SQL()}
	}
	out, tree := b.derived(sel, derivedAt{}, alias, names, nullable)
	b.within = outer
	if len(out.cols) != len(t.Columns) {
		refuse("view")
	}
	for i, c := range out.cols {
		if c.expr.Type() != t.Columns[i].Type {
			refuse("view")
		}
	}
	nameColumns(out.cols, f.columns)
	return out, tree
}

// lookup asks the catalog for a table as it is named where the binder stands:
// in the statement or inside a view.
func (b *binder) lookup(parts []string) (*Table, bool) {
	var t *Table
	var ok bool
	var err error
	if b.within != nil {
		t, ok, err = b.cat.TableIn(b.ctx, b.within.Catalog, b.within.Schema, parts)
	} else {
		t, ok, err = b.cat.Table(b.ctx, parts)
	}
	check(err)
	return t, ok
}

// ViewBody returns the SELECT of a view from DuckDB's CREATE VIEW text; empty
// when it has none. An error is one of the lexer: the text was not DuckDB's.
func ViewBody(create string) (string, error) {
	l := lexer{src: create}
	for {
		t, err := l.next()
		switch {
		case err != nil:
			return "", err
		case t.kind == tokEOF:
			return "", nil
		case t.kind == tokWord && fold(create[t.start:t.end]) == "as":
			statements, err := Split(create[t.end:])
			if err != nil || len(statements) != 1 {
				return "", err
			}
			return statements[0].Text, nil
		}
	}
}
