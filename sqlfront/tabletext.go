package sqlfront

import (
	"slices"
	"strings"

	"github.com/trireme-db/trireme/internal/load"
)

// TableText is a CREATE TABLE: what stands before the table's name, the columns and
// constraints, each an item of its own in DuckDB's spelling, and the names of the columns,
// also of those alone that are not calculated.
type TableText struct {
	Head            string
	Items           []string
	Columns, Stored []string
}

// ParseTableText reads a CREATE TABLE without a query, as DuckDB writes it.
func ParseTableText(sql string) (t TableText, ok bool) {
	tokens := tokensOf(sql)
	open := 0
	for open < len(tokens) && !isText(sql, tokens[open], "(") {
		open++
	}
	if open == len(tokens) {
		return t, false
	}
	name := open - 1
	for name >= 2 && isText(sql, tokens[name-1], ".") {
		name -= 2
	}
	if name < 1 {
		return t, false
	}
	t.Head = strings.TrimSpace(sql[:tokens[name].start])
	ok = itemsIn(sql, tokens, open, func(item []token) {
		column, constraint := sql[item[0].start:item[len(item)-1].end], ""
		if !constraintWords[wordAt(sql, item, 0)] {
			column, constraint = withoutKey(sql, item)
		}
		t.add(column, tokensOf(column))
		if constraint != "" {
			t.Items = append(t.Items, constraint)
		}
	})
	return t, ok
}

func (t *TableText) add(sql string, tokens []token) {
	t.Items = append(t.Items, sql[tokens[0].start:tokens[len(tokens)-1].end])
	if constraintWords[wordAt(sql, tokens, 0)] {
		return
	}
	name, ok := tokenName(sql, tokens[0])
	if !ok {
		return
	}
	t.Columns = append(t.Columns, name)
	for _, tok := range tokens {
		if tok.kind == tokWord && strings.EqualFold(sql[tok.start:tok.end], "generated") {
			return
		}
	}
	t.Stored = append(t.Stored, name)
}

// With is the table with other columns and constraints.
func (t TableText) With(items []string) TableText {
	with := TableText{Head: t.Head}
	for _, item := range items {
		if tokens := tokensOf(item); len(tokens) > 0 {
			with.add(item, tokens)
		}
	}
	return with
}

// ItemHasColumn reports whether an item of a table is a column of a name, or a constraint
// of it.
func ItemHasColumn(item, column string) bool {
	tokens := tokensOf(item)
	if len(tokens) == 0 {
		return false
	}
	if tokens[0].kind != tokWord || !constraintWords[fold(item[tokens[0].start:tokens[0].end])] {
		name, ok := tokenName(item, tokens[0])
		return ok && load.SameName(name, column)
	}
	for i := 1; i < len(tokens); i++ {
		if tokens[i].kind == tokWord && strings.EqualFold(item[tokens[i].start:tokens[i].end], "references") {
			break
		}
		if load.SameName(columnAt(item, tokens, i), column) {
			return true
		}
	}
	return false
}

// Refers reports whether the table has foreign keys.
func (t TableText) Refers() bool {
	return slices.ContainsFunc(t.Items, func(item string) bool { return len(referenceOf(item)) > 0 })
}

// KeysTo are its foreign keys to a table of a schema, which may be left out. Each has the
// columns to which it refers.
func (t TableText) KeysTo(schema, table string) (keys []ForeignKey) {
	for _, item := range t.Items {
		name := referenceOf(item)
		if n := len(name); n == 0 || !load.SameName(name[n-1], table) || n > 1 && !load.SameName(name[n-2], schema) {
			continue
		}
		key := ForeignKey{Text: item}
		if key.Columns, key.Referred = keyColumns(item); len(key.Referred) == 0 {
			key.Referred = t.primaryKey()
		}
		if len(key.Columns) == len(key.Referred) {
			keys = append(keys, key)
		}
	}
	return keys
}

// ForeignKey is one with its columns, and those to which they refer, in the same order.
type ForeignKey struct {
	Text              string
	Columns, Referred []string
}

func (t TableText) primaryKey() (columns []string) {
	for _, item := range t.Items {
		if wordAt(item, tokensOf(item), 0) == "primary" {
			columns, _ = keyColumns(item)
		}
	}
	return columns
}

// referenceOf is the name of the table to which an item that is a foreign key refers;
// empty: it is none.
func referenceOf(item string) []string {
	if wordAt(item, tokensOf(item), 0) != "foreign" {
		return nil
	}
	s := &scanner{lexer: lexer{src: item}}
	for s.advance(); s.tok.kind != tokEOF; s.advance() {
		if s.accept("references") {
			return s.name()
		}
	}
	return nil
}

// ReferredTables are the names, in parts, of the tables to which the foreign keys in a text refer.
func ReferredTables(sql string) (names [][]string) {
	s := &scanner{lexer: lexer{src: sql}}
	for s.advance(); s.tok.kind != tokEOF; {
		if !s.accept("references") {
			s.advance()
		} else if name := s.name(); len(name) > 0 {
			names = append(names, name)
		}
	}
	return names
}

// keyColumns are the columns of a key, and those to which a foreign key refers.
func keyColumns(text string) (columns, referred []string) {
	var lists [2][]string
	list, inside := 0, false
	for _, t := range tokensOf(text) {
		switch {
		case isText(text, t, "("):
			inside = true
		case isText(text, t, ")"):
			inside, list = false, 1
		case inside:
			if name, ok := tokenName(text, t); ok {
				lists[list] = append(lists[list], name)
			}
		}
	}
	return lists[0], lists[1]
}
