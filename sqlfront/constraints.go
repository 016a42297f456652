package sqlfront

import (
	"strings"

	"github.com/trireme-db/trireme/internal/load"
)

// Constraint is one of a table's, but NOT NULL.
type Constraint struct {
	// Kind is PRIMARY KEY, UNIQUE, CHECK or FOREIGN KEY.
	Kind string
	// Name is what the statement calls it; empty: nothing.
	Name string
}

// CreatedConstraints are the constraints of a CREATE TABLE, in the order of the text, which
// is DuckDB's, too. Those of a query's table are none.
func CreatedConstraints(sql string) []Constraint {
	tokens := tokensOf(sql)
	open := 0
	for open < len(tokens) && !isText(sql, tokens[open], "(") {
		if wordAt(sql, tokens, open) == "as" {
			return nil
		}
		open++
	}
	var found []Constraint
	if open < len(tokens) {
		itemsIn(sql, tokens, open, func(item []token) { found = append(found, constraintsIn(sql, item)...) })
	}
	return found
}

// itemsIn calls f for what stands between the commas of the list in brackets that opens at
// a token; false: the list does not end.
func itemsIn(sql string, tokens []token, open int, f func(item []token)) bool {
	begin, depth := open+1, 0
	for i := open; i < len(tokens); i++ {
		switch {
		case isText(sql, tokens[i], "("), isText(sql, tokens[i], "["):
			depth++
		case isText(sql, tokens[i], ")"), isText(sql, tokens[i], "]"):
			depth--
		}
		if i > begin-1 && (depth == 0 || depth == 1 && isText(sql, tokens[i], ",")) {
			if i > begin {
				f(tokens[begin:i])
			}
			begin = i + 1
		}
		if depth == 0 {
			return true
		}
	}
	return false
}

// wordAt is the word at token i in lower case; empty: there is none.
func wordAt(sql string, tokens []token, i int) string {
	if i < 0 || i >= len(tokens) || tokens[i].kind != tokWord {
		return ""
	}
	return fold(sql[tokens[i].start:tokens[i].end])
}

// foldedName is the name at a token, in lower case without quotes, as Postgres has it.
func foldedName(sql string, t token) string {
	name, _ := tokenName(sql, t)
	if t.kind == tokWord {
		return fold(name)
	}
	return name
}

// constraintsIn are the constraints of a column, or the one that an item of a table is.
func constraintsIn(sql string, item []token) (found []Constraint) {
	start := 1 // behind the column's name
	if constraintWords[wordAt(sql, item, 0)] {
		start = 0
	}
	name, depth := "", 0
	for i := start; i < len(item); i++ {
		switch {
		case isText(sql, item[i], "("), isText(sql, item[i], "["):
			depth++
		case isText(sql, item[i], ")"), isText(sql, item[i], "]"):
			depth--
		}
		if depth > 0 {
			continue
		}
		kind := ""
		switch wordAt(sql, item, i) {
		case "constraint":
			if i++; i < len(item) {
				name = foldedName(sql, item[i])
			}
			continue
		case "primary":
			kind = "PRIMARY KEY"
		case "unique":
			kind = "UNIQUE"
		case "check":
			kind = "CHECK"
		case "references":
			kind = "FOREIGN KEY"
		case "not", "null", "default", "generated": // a name before is that of no other constraint
			name = ""
			continue
		default:
			continue
		}
		found = append(found, Constraint{Kind: kind, Name: name})
		name = ""
	}
	return found
}

// constraintWords begin a constraint of a table.
var constraintWords = map[string]bool{"primary": true, "unique": true, "check": true, "foreign": true, "constraint": true}

// withoutKey is a column as DuckDB writes it without its constraint PRIMARY KEY or UNIQUE,
// and that as one of the table; empty: it has none.
func withoutKey(sql string, item []token) (column, constraint string) {
	text := sql[item[0].start:item[len(item)-1].end]
	depth := 0
	for i := 1; i < len(item); i++ {
		switch {
		case isText(sql, item[i], "("):
			depth++
		case isText(sql, item[i], ")"):
			depth--
		}
		if depth > 0 {
			continue
		}
		name, at := sql[item[0].start:item[0].end], item[i].start-item[0].start
		switch word := wordAt(sql, item, i); {
		case word == "unique":
			return strings.TrimSpace(text[:at] + text[item[i].end-item[0].start:]), "UNIQUE(" + name + ")"
		case word == "primary" && i+1 < len(item):
			return strings.TrimSpace(text[:at] + text[item[i+1].end-item[0].start:]), "PRIMARY KEY(" + name + ")"
		}
	}
	return text, ""
}

// RenamedIndex is a CREATE INDEX as DuckDB writes it, of another name.
func RenamedIndex(sql, name string) string {
	tokens := tokensOf(sql)
	for i := range tokens {
		if wordAt(sql, tokens, i) == "index" && i+1 < len(tokens) {
			edits := Edits{{Start: tokens[i+1].start, End: tokens[i+1].end, Text: load.Quote(name)}}
			return edits.Apply(sql, 0, len(sql))
		}
	}
	return sql
}

// ConstraintKind is the kind of a constraint of a table.
func ConstraintKind(text string) string {
	if found := constraintsIn(text, tokensOf(text)); len(found) > 0 {
		return found[0].Kind
	}
	return ""
}

// KeyWith is a foreign key of columns that are renamed, by their present names.
func KeyWith(text string, renamed map[string]string) string {
	tokens := tokensOf(text)
	var edits Edits
	for i := 0; i < len(tokens) && wordAt(text, tokens, i) != "references"; i++ {
		if to := renamed[fold(columnAt(text, tokens, i))]; to != "" && i > 1 {
			edits = append(edits, Edit{Start: tokens[i].start, End: tokens[i].end, Text: load.Quote(to)})
		}
	}
	return edits.Apply(text, 0, len(text))
}

// WithoutPrimaryKey are the items of a table without its primary key, whose columns are
// NOT NULL without it, too.
func WithoutPrimaryKey(items []string, key string) []string {
	columns := map[string]bool{}
	for _, t := range tokensOf(key) {
		if name, ok := tokenName(key, t); ok {
			columns[fold(name)] = true
		}
	}
	var kept []string
	for _, item := range items {
		tokens := tokensOf(item)
		switch {
		case item == key:
			continue
		case len(tokens) > 0 && !constraintWords[wordAt(item, tokens, 0)] && columns[fold(firstName(item, tokens))] && !isNotNull(item, tokens):
			item += " NOT NULL"
		}
		kept = append(kept, item)
	}
	return kept
}

func firstName(item string, tokens []token) string {
	name, _ := tokenName(item, tokens[0])
	return name
}

func isNotNull(item string, tokens []token) bool {
	n := len(tokens)
	for i := 1; i+1 < n; i++ {
		if wordAt(item, tokens, i) == "not" && wordAt(item, tokens, i+1) == "null" {
			return true
		}
	}
	return false
}

// Retyped are the items of a table with another type of a column.
func Retyped(items []string, column, typeText string) []string {
	for n, item := range items {
		tokens := tokensOf(item)
		if constraintWords[wordAt(item, tokens, 0)] || !load.SameName(firstName(item, tokens), column) {
			continue
		}
		end, depth := 1, 0
		for ; end < len(tokens); end++ {
			switch {
			case isText(item, tokens[end], "("):
				depth++
			case isText(item, tokens[end], ")"):
				depth--
			}
			if w := wordAt(item, tokens, end); depth == 0 && (w == "collate" || w == "default" || w == "not" || w == "generated") {
				break
			}
		}
		items[n] = item[:tokens[0].end] + " " + typeText + " " + item[tokens[end-1].end:]
	}
	return items
}
