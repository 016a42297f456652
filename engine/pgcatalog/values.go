package pgcatalog

import "slices"

// Functions in FROM whose rows are values, not rows of columns: their alias is the value
// in Postgres, and a row in DuckDB.

// setFunctions are those whose column has the name of the alias.
var setFunctions = wordSet("generate_series generate_subscripts unnest regexp_split_to_table string_to_table")

// tableAlias is the token of the alias of a call in FROM that closes at token closing;
// -1: it has none. ordinality: its rows are numbered.
func (r *rewriter) tableAlias(closing int) (alias int, ordinality bool) {
	alias = closing + 1
	if r.is(alias, "with") && r.is(alias+1, "ordinality") {
		alias, ordinality = alias+2, true
	}
	if r.is(alias, "as") {
		alias++
	}
	if !r.hasAlias(alias) {
		return -1, ordinality
	}
	return alias, ordinality
}

// columnAlias gives the column of a function in FROM the name of its alias. Where the
// statement calls the column by the name of the function, as DuckDB does, it has that.
func (r *rewriter) columnAlias(i, closing int, name string, args [][2]int) {
	if !setFunctions[name] || !r.isTable(i) || name == "unnest" && len(args) > 1 || rowSpellings[name].args == len(args) && rowSpellings[name].before != "" {
		return
	}
	alias, _ := r.tableAlias(closing)
	if alias < 0 || r.is(alias+1, "(") || r.mentionsName(name) || r.env.Owns(name, true) {
		return
	}
	r.insert(r.tokens[alias].End, "("+r.lit(alias)+")")
}

// mentionsName reports whether a name in the statement is not that of a call.
func (r *rewriter) mentionsName(name string) bool {
	for i := range r.tokens {
		if r.nameIs(i, name) && !r.is(i+1, "(") {
			return true
		}
	}
	return false
}

// valueTable is a call at a token, whose alias is another one, and its column.
type valueTable struct {
	at, alias int
	column    string
}

// valueKey is where such a call is seen: an alias, the bracket around its query, and how
// many queries of a set operation end before it.
type valueKey struct {
	alias       string
	query, part int
}

// valueReader finds the names that mean the rows of such calls.
type valueReader struct {
	*rewriter
	calls map[valueKey]valueTable
	// ends counts before each token those words in the same bracket that end a query of a set
	// operation, selects the words that begin one.
	ends, selects []int
	// tablesIn are the tables by the brackets around their queries, named the brackets around
	// the names that AS gives to columns.
	tablesIn map[int][][]string
	named    map[string][]int
}

// readValues makes the names that mean a call's rows those of its column.
func (r *rewriter) readValues() {
	if len(r.values) == 0 {
		return
	}
	v := r.newValueReader()
	for _, i := range r.names {
		call, query, ok := v.call(i)
		if ok && r.name(i) != call.column && !v.isColumn(i, query) && !v.isOutput(i, call, query) {
			r.insertFirst(r.tokens[i].End, "."+call.column)
		}
	}
}

func (r *rewriter) newValueReader() *valueReader {
	v := &valueReader{
		rewriter: r, calls: map[valueKey]valueTable{}, ends: make([]int, len(r.tokens)), selects: make([]int, len(r.tokens)),
		tablesIn: map[int][][]string{}, named: map[string][]int{},
	}
	type counts struct{ ends, selects int }
	before, aliases := map[int]counts{}, map[int]bool{}
	for _, call := range r.values {
		aliases[call.alias] = true
	}
	for i := range r.tokens {
		around := r.pairs.around[i]
		c := before[around]
		v.ends[i], v.selects[i] = c.ends, c.selects
		switch {
		case r.is(i, "union", "intersect", "except", "conflict"):
			c.ends++
		case r.is(i, "select"):
			c.selects++
		case r.is(i-1, "as") && r.isName(i) && !r.is(i+1, "(") && !aliases[i]:
			v.named[r.name(i)] = append(v.named[r.name(i)], around)
		}
		before[around] = c
	}
	for _, t := range r.tables {
		table := []string{r.name(t[1])}
		if t[1] > t[0] {
			table = []string{r.name(t[0]), table[0]}
		}
		if len(table) > 1 || !r.common[table[0]] {
			query, _ := v.queryAround(t[0])
			v.tablesIn[query] = append(v.tablesIn[query], table)
		}
	}
	for _, call := range r.values {
		query, at := v.queryAround(call.at)
		v.calls[valueKey{r.name(call.alias), query, v.ends[at]}] = call
	}
	return v
}

// queryAround is the bracket around the query that token i belongs to, -1 if there is none,
// and the token of that bracket's that i is, or is within the brackets of.
func (v *valueReader) queryAround(i int) (query, at int) {
	at, query = i, v.pairs.around[i]
	for query >= 0 && !v.is(query+1, "select", "with", "from") {
		at, query = query, v.pairs.around[query]
	}
	return query, at
}

// call is the call whose rows the name at token i means, and the bracket around its query.
func (v *valueReader) call(i int) (call valueTable, query int, ok bool) {
	if open := v.pairs.around[i]; open > 0 && v.isName(open-1) && v.is(open-2, "as", ")") { // a column of an alias
		return call, 0, false
	}
	for at := i; ; at = query {
		query, at = v.queryAround(at)
		call, ok := v.calls[valueKey{v.name(i), query, v.ends[at]}]
		if ok && (at > call.at || v.selects[at] == v.selects[v.inQuery(call.at)]) { // else it stands before the select list
			return call, query, true
		}
		if query < 0 {
			return call, query, false
		}
	}
}

// inQuery is the token of its query's bracket that token i is within the brackets of.
func (v *valueReader) inQuery(i int) int {
	_, at := v.queryAround(i)
	return at
}

// isColumn reports whether the name at token i, for a call in the bracket query, may be that
// of a column, which comes first.
func (v *valueReader) isColumn(i, query int) bool {
	name := v.name(i)
	for at := i; ; {
		in, _ := v.queryAround(at)
		for _, table := range v.tablesIn[in] {
			if v.env.HasColumn(table, name) {
				return true
			}
		}
		if at = in; in == query || in < 0 {
			break
		}
	}
	// In a query of FROM or WITH.
	return slices.ContainsFunc(v.named[name], func(around int) bool {
		return around != query && around >= 0 && v.is(around+1, "select", "with", "from")
	})
}

// isOutput reports whether the name at token i, in GROUP BY or ORDER BY, is that of a column
// of the result.
func (v *valueReader) isOutput(i int, call valueTable, query int) bool {
	return i > call.at && v.pairs.around[i] == query && v.is(i-1, "by", ",") && slices.Contains(v.named[v.name(i)], query)
}
