package pgcatalog

import "strings"

// unnestTogether makes a table of several arrays side by side a subquery: in a select
// list DuckDB unnests as many, in FROM one. The name is tokens i to end.
func (r *rewriter) unnestTogether(i, end int, args [][2]int, closing int) {
	r.replace(i, end+2, "(SELECT unnest(")
	lengths := make([]string, len(args))
	for n, arg := range args {
		if n > 0 {
			r.replace(arg[0]-1, arg[0], ") AS unnest, unnest(")
		}
		lengths[n] = "len(" + r.src[r.tokens[arg[0]].Start:r.tokens[arg[1]-1].End] + ")"
	}
	after, ordinal := closing+1, ""
	if r.is(after, "with") && r.is(after+1, "ordinality") {
		after += 2
		ordinal = ", unnest(range(1, 1 + coalesce(greatest(" + strings.Join(lengths, ", ") + "), 0))) AS ordinality"
	}
	alias := after
	if r.is(alias, "as") {
		alias++
	}
	name := ""
	if !r.hasAlias(alias) {
		name = " AS unnest"
	}
	r.replace(closing, after, ") AS unnest"+ordinal+")"+name)
}
