package sqlfront

import (
	"strings"

	"github.com/trireme-db/trireme/internal/load"
)

// TableUpdate is an UPDATE of one table that sets columns to expressions over its rows
// alone.
type TableUpdate struct {
	// Table are the parts of its name.
	Table []string
	// Columns are those that are set, as they are written.
	Columns []string
	src     string
	name    [2]int // of the table with its alias, in bytes
	values  []string
	where   string
	set     int // where SET begins
}

// ParseUpdate reads an UPDATE; false: it is something else, or reads other tables, or
// returns rows.
func ParseUpdate(sql string) (u TableUpdate, ok bool) {
	f := &former{src: sql, tokens: tokensOf(sql)}
	f.end = len(f.tokens)
	if f.is(f.end-1, ";") {
		f.end--
	}
	if !f.is(0, "update") {
		return u, false
	}
	for i := range f.tokens {
		if f.is(i, "select", "from", "values", "returning", "using") && !(f.is(i, "from") && f.is(i-1, "distinct")) {
			return u, false
		}
	}
	first := 1
	if f.is(1, "only") && !f.is(2, "set", ".", "as") {
		first = 2
	}
	set := f.next(first, f.end, "set")
	where := f.next(set, f.end, "where")
	if set == f.end || set == first {
		return u, false
	}
	u = TableUpdate{src: sql, name: [2]int{f.tokens[first].start, f.tokens[set-1].end}, where: f.text(where+1, f.end), set: f.tokens[set].start}
	for i := first; ; i += 2 {
		part, named := tokenName(sql, f.tokens[i])
		if !named {
			return u, false
		}
		if u.Table = append(u.Table, part); !f.is(i+1, ".") {
			break
		}
	}
	for _, part := range f.split(set+1, where) {
		column, named := tokenName(sql, f.tokens[part[0]])
		value := f.text(part[0]+2, part[1])
		if !named || !f.is(part[0]+1, "=") || value == "" {
			return u, false
		}
		u.Columns, u.values = append(u.Columns, column), append(u.values, value)
	}
	return u, len(u.Columns) > 0
}

// mergeSource is what the MERGE of Keeping reads: one row, with which all rows of the table are
// matched.
const mergeSource = "trireme_update"

// Keeping is the update as a MERGE in which rows that keep the values of the columns that have
// a type in kept have only the others set, where there is none the spare one to itself. Values
// that are equal may differ still, as texts do under a collation: their texts tell.
func (u TableUpdate) Keeping(kept func(column string) (typeText string, ok bool), spare string) Edits {
	var same, others, all []string
	for i, column := range u.Columns {
		name := load.Quote(column)
		assignment := name + " = " + u.values[i] + "\n"
		all = append(all, assignment)
		typeText, ok := kept(column)
		if !ok {
			others = append(others, assignment)
			continue
		}
		if strings.EqualFold(strings.TrimSpace(u.values[i]), "default") {
			return nil
		}
		value := "CAST((" + u.values[i] + "\n) AS " + typeText + ")"
		same = append(same, name+" IS NOT DISTINCT FROM "+value, textBytes(name)+" IS NOT DISTINCT FROM "+textBytes(value))
	}
	if len(others) == 0 {
		others = []string{load.Quote(spare) + " = " + load.Quote(spare)}
	}
	on := "true"
	if u.where != "" {
		on = "(" + u.where + "\n)"
	}
	return Edits{
		{Start: 0, End: u.name[0], Text: "MERGE INTO ", Place: 0},
		{Start: u.name[1], End: len(u.src), Place: u.set, Text: " USING (SELECT 1 AS " + mergeSource + ") AS " + mergeSource + " ON " + on +
			"\nWHEN MATCHED AND " + strings.Join(same, " AND ") + " THEN UPDATE SET " + strings.Join(others, ", ") +
			"\nWHEN MATCHED THEN UPDATE SET " + strings.Join(all, ", ")},
	}
}

// textBytes are the bytes of a value's text, which no collation compares.
func textBytes(value string) string { return "encode(CAST(" + value + " AS VARCHAR))" }
