package sqlfront

// Range is src[Start:End] of a statement.
type Range struct{ Start, End int }

// Queries are the SELECTs of a statement that stand in no other one: the statement itself
// or what it explains, inserts or makes of a query, and those in parentheses.
func Queries(sql string) (queries []Range) {
	f := &former{src: sql, tokens: tokensOf(sql)}
	f.end = len(f.tokens)
	if f.is(f.end-1, ";") {
		f.end--
	}
	if f.is(0, "explain") {
		f.at = f.explained()
	}
	for i := f.at; i < f.end; {
		end := i + 1
		if f.beginsQuery(i) {
			switch {
			case f.is(i-1, "("):
				end = f.closing(i - 1)
			case f.is(i, "with"):
				if verb := f.next(i, f.end, "select", "from", "values", "insert", "update", "delete", "merge"); f.is(verb, "select", "from", "values") {
					end = f.queryEnd(verb)
				}
			default:
				end = f.queryEnd(i)
			}
		}
		if end > i+1 {
			queries = append(queries, Range{f.tokens[i].start, f.tokens[end-1].end})
		}
		i = end
	}
	return queries
}

// beginsQuery reports whether a SELECT may begin at token i. FROM does so only where it is
// the first word.
func (f *former) beginsQuery(i int) bool {
	return f.is(i, "select", "with") || f.is(i, "from") && (i == f.at || f.is(i-1, "(", "as"))
}

// queryEnd is where a query ends that begins at token i, outside of parentheses.
func (f *former) queryEnd(i int) int {
	for j := f.next(i, f.end, "on", "returning"); j < f.end; j = f.next(j+1, f.end, "on", "returning") {
		if f.is(j, "returning") || f.is(j+1, "conflict") {
			return j
		}
	}
	return f.end
}

// CommonTables are the names of a statement's common table expressions, in lower case.
func CommonTables(sql string) (names []string) {
	f := &former{src: sql, tokens: tokensOf(sql)}
	f.end = len(f.tokens)
	opened := map[int]int{} // by the brackets that close
	var open []int
	for i := range f.tokens {
		switch {
		case f.is(i, "("):
			open = append(open, i)
		case f.is(i, ")") && len(open) > 0:
			opened[i] = open[len(open)-1]
			open = open[:len(open)-1]
		case f.is(i, "as") && (f.is(i+1, "(", "materialized") || f.is(i+1, "not") && f.is(i+2, "materialized")):
			at := i - 1
			for f.is(at, ")") { // the columns of it, or of USING KEY
				at = opened[at] - 1
				if f.is(at, "key") && f.is(at-1, "using") {
					at -= 2
				}
			}
			if at >= 0 {
				names = append(names, NameOf(f.text(at, at+1)))
			}
		}
	}
	return names
}
