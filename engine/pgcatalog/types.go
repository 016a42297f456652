package pgcatalog

import (
	"regexp"
	"slices"
	"strings"

	"github.com/trireme-db/trireme/sqlfront"
)

// columnType finds Postgres' types of the catalog's columns in the statement that makes
// the table of them.
var columnType = regexp.MustCompile(`(?m)^\s*\('([\w ]+)', '([^']+)'\)`)

func readColumnTypes(statement string) map[string]string {
	types := map[string]string{}
	for _, m := range columnType.FindAllStringSubmatch(statement, -1) {
		for _, column := range strings.Fields(m[1]) {
			types[column] = m[2]
		}
	}
	return types
}

// output is an item of a statement's select list: all columns of something, or one whose
// Postgres type the text shows, if it does.
type output struct {
	star bool
	typ  string
}

// outputs notes the items of the statement's own select list, the first one that stands
// in no parentheses.
func (r *rewriter) outputs() {
	for i := range r.tokens {
		if !r.is(i, "select") || r.is(i-1, ".") || r.pairs.around[i] >= 0 {
			continue
		}
		for _, item := range r.items(i + 1) {
			r.text.outputs = append(r.text.outputs, r.output(item))
		}
		return
	}
}

// output is what the text shows of an item: the type of a column of the catalog, of a cast
// at its end, or of a function's result.
func (r *rewriter) output(item [2]int) output {
	first, last := item[0], item[1]-1
	if r.is(last, "*") && (first == last || r.is(last-1, ".")) {
		return output{star: true}
	}
	if r.named(item) {
		if last--; r.is(last, "as") {
			last--
		}
	}
	for i := first; i <= last; i++ {
		switch {
		case r.tokens[i].Kind == sqlfront.TokenOp:
			return output{}
		case r.is(i, "(", "["):
			i = r.match(i)
		}
	}
	column := first
	for column < last && r.is(column+1, ".") {
		column += 2
	}
	switch {
	case column == last && r.isName(last):
		return output{typ: r.catalog.columnTypes[r.name(last)]}
	case r.isName(column) && r.is(column+1, "(") && r.match(column+1) == last:
		if r.name(column) == "array_agg" && r.columnOf(column+2) == "name" {
			return output{typ: "name[]"}
		}
		return output{typ: functionTypes[r.name(column)]}
	}
	for i := last; i > first; i-- {
		if r.tokens[i].Kind == sqlfront.TokenCast {
			if name, _, end := r.typeName(i + 1); end == last {
				return output{typ: castTypes[name]}
			}
			break
		}
	}
	return output{}
}

// columnOf is the type of the column whose name begins at token i, in an argument that
// may be ordered.
func (r *rewriter) columnOf(i int) string {
	for r.is(i+1, ".") {
		i += 2
	}
	if !r.isName(i) || !r.is(i+1, ")", "order") {
		return ""
	}
	return r.catalog.columnTypes[r.name(i)]
}

// castTypes are the types to which a cast is a text here.
var castTypes = map[string]string{
	"name": "name", "regclass": "regclass", "regtype": "regtype", "regproc": "regproc", "regnamespace": "regnamespace", "regrole": "regrole",
	"pg_node_tree": "pg_node_tree",
}

// functionTypes are the types of functions' results that are texts here.
var functionTypes = map[string]string{"pg_get_userbyid": "name", "current_database": "name", "current_schema": "name"}

// Types are Postgres' types of the columns of the statement's result, given their names;
// empty: the one in which DuckDB's values travel.
func (t *Text) Types(names []string) []string {
	types := make([]string, len(names))
	before, after := t.outputs, []output(nil) // around stars, which stand for any number
	for i, o := range t.outputs {
		if o.star {
			before = t.outputs[:i]
			for after = t.outputs[i+1:]; ; {
				next := nextStar(after)
				if next < 0 {
					break
				}
				after = after[next+1:]
			}
			break
		}
	}
	for i, name := range names {
		switch fromEnd := len(names) - i; {
		case i < len(before):
			types[i] = before[i].typ
		case fromEnd <= len(after):
			types[i] = after[len(after)-fromEnd].typ
		default:
			types[i] = t.columnTypes[strings.ToLower(name)]
		}
	}
	return types
}

func nextStar(outputs []output) int {
	return slices.IndexFunc(outputs, func(o output) bool { return o.star })
}
