package sqlfront

// Defaulted are the columns of its table that a statement may fill with their defaults.
type Defaulted struct {
	// all but those in given, if any; otherwise those in set.
	any        bool
	given, set map[string]bool
}

// Has reports whether a column may be one of them.
func (d Defaulted) Has(column string) bool {
	name := fold(column)
	return d.set[name] || d.any && !d.given[name]
}

// DefaultedBy reads an INSERT, UPDATE or MERGE. Of one that says DEFAULT among its values, or names
// no columns in a way that leaves open which it gives, it may be any.
func DefaultedBy(sql string) Defaulted {
	f := &former{src: sql, tokens: tokensOf(sql)}
	f.end = len(f.tokens)
	d := Defaulted{set: map[string]bool{}}
	for i, t := range f.tokens {
		if t.kind != tokWord || !f.is(i, "default", "insert") {
			continue
		}
		if f.is(i, "insert") {
			d.insert(f, i)
			continue
		}
		name, ok := "", false
		if i > 1 && f.is(i-1, "=") {
			name, ok = tokenName(sql, f.tokens[i-2])
		}
		if !ok {
			return Defaulted{any: true}
		}
		d.set[fold(name)] = true
	}
	return d
}

// insert adds what an INSERT at token i leaves to defaults: of a table, or of a clause of MERGE.
func (d *Defaulted) insert(f *former, i int) {
	i++
	if f.is(i, "or") {
		i += 2
	}
	if f.is(i, "into") {
		for i += 2; f.is(i, "."); i += 2 {
		}
		if f.is(i, "as") {
			i += 2
		}
	}
	if !f.is(i, "(") {
		d.leave(nil, f.is(i, "values", "select") || f.is(i, "by") && f.is(i+1, "position"))
		return
	}
	given := map[string]bool{}
	for _, part := range f.split(i+1, f.closing(i)) {
		name, ok := tokenName(f.src, f.tokens[part[0]])
		if !ok || part[1] != part[0]+1 {
			d.leave(nil, true) // a query
			return
		}
		given[fold(name)] = true
	}
	d.leave(given, false)
}

// leave adds all columns but the given ones; whole: all are given.
func (d *Defaulted) leave(given map[string]bool, whole bool) {
	switch {
	case whole:
	case !d.any:
		d.any, d.given = true, given
	default:
		for name := range d.given {
			if !given[name] {
				delete(d.given, name)
			}
		}
	}
}
