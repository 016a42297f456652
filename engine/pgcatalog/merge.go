package pgcatalog

// mergeOnce has the conditions under which MERGE changes a row ask whether the statement has
// changed it before.
func (r *rewriter) mergeOnce() {
	if r.env.MergeOnce == "" || !r.is(0, "merge", "with", "explain") {
		return
	}
	verb := 0
	for !r.is(verb, "merge") || !r.is(verb+1, "into") || r.pairs.around[verb] >= 0 {
		if verb++; verb >= len(r.tokens) {
			return
		}
	}
	at := verb + 2
	table := []string{r.nameOr(at)}
	for r.is(at+1, ".") {
		at += 2
		table = append(table, r.nameOr(at))
	}
	if r.env.HasColumn(table, "rowid") {
		return // which would be found instead of the row's number
	}
	if r.is(at+1, "as") {
		at++
	}
	if r.isName(at+1) && !r.is(at+1, "using") {
		at++
	}
	cases := 0
	once := "system.main." + r.env.MergeOnce + "(" + r.lit(at) + ".rowid)"
	for i := at; i < len(r.tokens); i++ {
		switch {
		case r.pairs.around[i] >= 0:
		case r.is(i, "case"):
			cases++
		case r.is(i, "end"):
			cases--
		case cases == 0 && r.is(i, "when") && r.is(i+1, "matched"):
			r.changeOnce(i+1, once)
		}
	}
}

// changeOnce adds a condition to the clause of MERGE whose MATCHED is token i, if it changes rows.
func (r *rewriter) changeOnce(i int, once string) {
	cases, then := 0, i+1
	for ; then < len(r.tokens) && (cases > 0 || !r.is(then, "then") || r.pairs.around[then] >= 0); then++ {
		switch {
		case r.is(then, "case"):
			cases++
		case r.is(then, "end"):
			cases--
		}
	}
	switch {
	case !r.is(then+1, "update", "delete"):
	case then == i+1:
		r.insert(r.tokens[i].End, " AND "+once)
	case r.is(i+1, "and") && then > i+2:
		r.insertFirst(r.tokens[i+2].Start, "CASE WHEN (")
		r.insert(r.tokens[then-1].End, "\n) THEN "+once+" ELSE false END")
	}
}

// nameOr is the name at token i; empty: it is not one.
func (r *rewriter) nameOr(i int) string {
	if !r.isName(i) {
		return ""
	}
	return r.name(i)
}
