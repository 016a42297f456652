package pgcatalog

// sequenceColumns are the columns that a sequence has as a relation.
var sequenceColumns = wordSet("last_value log_cnt is_called")

// readSequences puts a query in place of each sequence that the statement reads as a
// relation: one that mentions a column of a sequence may, and one that reads all columns of what
// is not a table.
func (r *rewriter) readSequences() {
	if r.env.Sequence == nil {
		return
	}
	reads, all := false, false
	for i := range r.tokens {
		reads = reads || r.isName(i) && sequenceColumns[r.name(i)] && !r.is(i+1, "(")
		all = all || r.is(i, "*")
	}
	for _, t := range r.tables {
		if !reads && (!all || t[1] > t[0] || r.aliases[r.name(t[1])] != "" || r.env.Owns(r.name(t[1]), false)) {
			continue
		}
		schema, name := "", r.name(t[1])
		if t[1] > t[0] {
			schema = r.name(t[1] - 2)
		}
		if r.common[name] || isSystem(schema) {
			continue
		}
		if in, ok := r.env.Sequence(schema, name); ok {
			r.sequence(t, in, name)
		}
	}
}

// sequence is one that tokens t name.
func (r *rewriter) sequence(t [2]int, schema, name string) {
	text := "(SELECT coalesce(" + r.catalog.database + ".pg._last_number(sql, last_value, increment_by, min_value, max_value), start_value) AS last_value, 0::BIGINT AS log_cnt, last_value IS NOT NULL AS is_called FROM duckdb_sequences() " +
		"WHERE database_name = 'trireme' AND schema_name = " + quoteText(schema) + " AND lower(sequence_name) = " + quoteText(name) + ")"
	alias := t[1] + 1
	if r.is(alias, "as") {
		alias++
	}
	if !r.hasAlias(alias) {
		text += " AS " + quoteName(name)
	}
	r.text.Catalog = true
	r.replace(t[0], t[1]+1, text)
}
