package sqlfront

import "strings"

// TableText is a CREATE TABLE: what stands before the table's name, the columns and
// constraints, and the names of those columns that are not calculated.
type TableText struct {
	Head   string
	Items  []string
	Stored []string
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
	begin, depth := open+1, 0
	for i := open; i < len(tokens); i++ {
		switch {
		case isText(sql, tokens[i], "("), isText(sql, tokens[i], "["):
			depth++
		case isText(sql, tokens[i], ")"), isText(sql, tokens[i], "]"):
			depth--
		}
		if i > begin && (depth == 0 || depth == 1 && isText(sql, tokens[i], ",")) {
			t.add(sql, tokens[begin:i])
			begin = i + 1
		}
		if depth == 0 {
			return t, true
		}
	}
	return t, false
}

// constraintWords begin a constraint of a table.
var constraintWords = map[string]bool{"primary": true, "unique": true, "check": true, "foreign": true, "constraint": true}

func (t *TableText) add(sql string, tokens []token) {
	t.Items = append(t.Items, sql[tokens[0].start:tokens[len(tokens)-1].end])
	if tokens[0].kind == tokWord && constraintWords[fold(sql[tokens[0].start:tokens[0].end])] {
		return
	}
	for _, tok := range tokens {
		if tok.kind == tokWord && strings.EqualFold(sql[tok.start:tok.end], "generated") {
			return
		}
	}
	if name, ok := tokenName(sql, tokens[0]); ok {
		t.Stored = append(t.Stored, name)
	}
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
		return ok && strings.EqualFold(name, column)
	}
	for i := 1; i < len(tokens); i++ {
		if tokens[i].kind == tokWord && strings.EqualFold(item[tokens[i].start:tokens[i].end], "references") {
			break
		}
		if strings.EqualFold(columnAt(item, tokens, i), column) {
			return true
		}
	}
	return false
}

// Refers reports whether the table has foreign keys.
func (t TableText) Refers() bool {
	for _, item := range t.Items {
		if tokens := tokensOf(item); len(tokens) > 0 && tokens[0].kind == tokWord && strings.EqualFold(item[tokens[0].start:tokens[0].end], "foreign") {
			return true
		}
	}
	return false
}
