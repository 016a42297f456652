package pgcatalog

import "github.com/trireme-db/trireme/sqlfront"

// uncounted is pg_class without the numbers of rows. These are not in the tables of the
// copy, and DuckDB looks at every table for them, which takes most of the time of a
// small statement on the catalog.
const uncounted = "_uncounted_class"

// counts reports whether the statement may ask pg_class for numbers of rows: by their
// names, by a star, or by a row as a whole.
func (r *rewriter) counts() bool {
	rows := map[string]bool{"pg_class": true}
	for i := range r.tokens {
		if alias := i + 1; r.nameIs(i, "pg_class") {
			if r.is(alias, "as") {
				alias++
			}
			if r.hasAlias(alias) {
				rows[r.name(alias)] = true
			}
		}
	}
	for i := range r.tokens {
		switch {
		case r.nameIs(i, "reltuples"), r.nameIs(i, "relpages"), r.is(i, "*") && !r.countsRows(i):
			return true
		case r.isName(i) && rows[r.name(i)] && !r.is(i+1, ".") && !r.namesRelation(i):
			return true
		}
	}
	return false
}

// countsRows reports whether the star at token i is that of count(*), or a product's.
func (r *rewriter) countsRows(i int) bool {
	if r.is(i-1, "(") {
		return r.is(i-2, "count")
	}
	return !r.is(i-1, ".", ",", "select", "distinct", "all") && i > 0 && r.tokens[i-1].Kind != sqlfront.TokenOp
}

// namesRelation reports whether the name at token i is the one of pg_class in FROM, or
// the alias after it.
func (r *rewriter) namesRelation(i int) bool {
	if r.nameIs(i, "pg_class") && r.is(i-1, "from", "join", ",", "(", ".", "only") {
		return true
	}
	if r.is(i-1, "as") {
		i--
	}
	return r.nameIs(i-1, "pg_class")
}
