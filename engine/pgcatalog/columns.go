package pgcatalog

import (
	"cmp"
	"slices"
	"strings"

	"github.com/trireme-db/trireme/sqlfront"
)

// nameColumns gives the items of select lists that have been changed the names that
// Postgres gives them, where they have none: a function's, not that of its text.
func (r *rewriter) nameColumns() {
	slices.SortStableFunc(r.edits, byPlace)
	sorted := r.edits // those of this function are of items that it has passed
	for i := range r.tokens {
		if !r.is(i, "select") || r.is(i-1, ".") {
			continue
		}
		for _, item := range r.items(i + 1) {
			if r.named(item) {
				r.foldName(item[1] - 1)
				continue
			}
			if !r.edited(sorted, item) {
				continue
			}
			if name := r.columnName(item); name != "" {
				r.insert(r.tokens[item[1]-1].End, " AS "+quoteName(name))
			}
		}
	}
}

// items are the token ranges of a select list that begins at token i. None is empty.
func (r *rewriter) items(i int) (items [][2]int) {
	if r.is(i, "all") {
		i++
	} else if r.is(i, "distinct") {
		if i++; r.is(i, "on") && r.is(i+1, "(") {
			i = r.match(i+1) + 1
		}
	}
	start := i
	for ; i < len(r.tokens); i++ {
		switch {
		case r.is(i, "(", "["):
			i = r.match(i)
			continue
		case r.is(i, ","):
			if i > start {
				items = append(items, [2]int{start, i})
			}
			start = i + 1
			continue
		case !r.is(i, ")", ";") && !(r.tokens[i].Kind == sqlfront.TokenWord && afterItem[r.name(i)] && !r.is(i-1, ".", "as")):
			continue
		}
		break
	}
	if i > start {
		items = append(items, [2]int{start, i})
	}
	return items
}

// afterItem are the words that end a select list.
var afterItem = wordSet("select from where group having order limit offset union intersect except window qualify into fetch")

// edited reports whether one of the edits is within an item.
func (r *rewriter) edited(sorted sqlfront.Edits, item [2]int) bool {
	start, end := r.tokens[item[0]].Start, r.tokens[item[1]-1].End
	first, _ := slices.BinarySearchFunc(sorted, start, func(e sqlfront.Edit, at int) int { return cmp.Compare(e.Start, at) })
	return first < len(sorted) && sorted[first].End <= end
}

// noAlias are words that may end an item without being its name.
var noAlias = wordSet("null true false end precision zone varying unknown current_user session_user current_role")

// named reports whether an item has a name of the user's.
func (r *rewriter) named(item [2]int) bool {
	last := item[1] - 1
	if !r.isName(last) || last == item[0] || r.is(last-1, ".") {
		return false
	}
	if r.is(last-1, "as") {
		return true
	}
	if r.tokens[last].Kind == sqlfront.TokenWord && noAlias[r.name(last)] {
		return false
	}
	switch prev := r.tokens[last-1]; prev.Kind {
	case sqlfront.TokenOp, sqlfront.TokenCast:
		return false
	case sqlfront.TokenPunct:
		return r.is(last-1, ")", "]")
	}
	return true
}

// foldName makes the name of a column in a statement on the catalog what it is in
// Postgres: in lower case where it has no quotes.
func (r *rewriter) foldName(i int) {
	if name := r.lit(i); r.text.Catalog && r.tokens[i].Kind == sqlfront.TokenWord && name != strings.ToLower(name) {
		r.replace(i, i+1, strings.ToLower(name))
	}
}

// columnName is Postgres' name for an expression; empty: it stays DuckDB's.
func (r *rewriter) columnName(item [2]int) string {
	first, last := item[0], item[1]-1
	typ := ""
	for i := first; i <= last; i++ { // the casts at the end
		switch {
		case r.is(i, "(", "["):
			i = r.match(i)
		case r.tokens[i].Kind == sqlfront.TokenCast:
			if name, _, end := r.typeName(i + 1); end == last {
				typ, last = name, i-1
			}
		case r.tokens[i].Kind == sqlfront.TokenOp:
			return "?column?"
		}
	}
	end := last
	if r.is(end, ")") && r.opens(end) > first {
		end = r.opens(end) - 1
	}
	switch {
	case r.is(first, "(") && r.is(first+1, "select") && r.match(first) == last:
		return r.subqueryName(first + 2)
	case r.is(first, "case"):
		return "case"
	case typ != "" && end == first && r.is(end, "null", "true", "false"):
		return typ
	case r.isName(end) && (end == first || r.is(end-1, ".")):
		return r.name(end)
	case r.is(first, "cast"):
		return r.castName(item)
	case typ != "":
		return typ
	}
	return ""
}

// subqueryName is the name of the column of a subquery whose select list begins at
// token i: otherwise DuckDB's name would hold the text that we have made of it. Of a
// subquery in the subquery it is DuckDB's, so that the work is not that of their depth.
func (r *rewriter) subqueryName(i int) string {
	items := r.items(i)
	switch {
	case len(items) != 1:
		return ""
	case r.named(items[0]):
		return r.name(items[0][1] - 1)
	case r.is(items[0][0], "("):
		return ""
	}
	return r.columnName(items[0])
}

func (r *rewriter) castName(item [2]int) string {
	for i := item[0] + 2; i < item[1]; i++ {
		if r.is(i, "as") {
			name, _, _ := r.typeName(i + 1)
			return name
		}
	}
	return ""
}

func quoteName(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }
