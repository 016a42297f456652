package sqlfront

// OwnedSequence is CREATE SEQUENCE in Postgres' form.
type OwnedSequence struct {
	Name []string
	// Owner are the parts of the name of the column that it belongs to; Owned says that the
	// statement speaks of that, with OWNED BY NONE as well.
	Owner []string
	Owned bool
	// SQL is the statement without what DuckDB does not know: the type of the numbers, how
	// many a session takes at a time, and the column.
	SQL string
}

// readOptions reads the options of a sequence, and drops those that DuckDB does not know.
func (o *OwnedSequence) readOptions(r *indexReader) {
	for r.tok.kind != tokEOF {
		before := r.tok.start
		switch {
		case r.isWord("as"):
			r.drop(func() bool { r.advance(); return len(r.name()) > 0 })
		case r.isWord("cache"):
			r.drop(func() bool { r.advance(); r.advance(); return true })
		case r.isWord("sequence"): // of an identity column
			r.drop(func() bool {
				if !r.acceptAll("sequence", "name") {
					return false
				}
				o.Name = r.name()
				return len(o.Name) > 0
			})
		case r.isWord("owned"):
			r.drop(func() bool {
				if !r.acceptAll("owned", "by") {
					return false
				}
				none := r.isWord("none")
				if o.Owner = r.name(); none {
					o.Owner = nil
				}
				o.Owned = none || len(o.Owner) > 0
				return o.Owned
			})
		}
		if r.tok.start == before {
			r.advance()
		}
	}
}

// ParseSequence reads CREATE SEQUENCE; false: it is something else.
func ParseSequence(sql string) (o OwnedSequence, ok bool) {
	r := &indexReader{scanner: scanner{lexer: lexer{src: sql}}}
	r.advance()
	if !r.accept("create") {
		return o, false
	}
	r.acceptAll("or", "replace")
	r.accept("temp", "temporary")
	if !r.accept("sequence") {
		return o, false
	}
	r.acceptAll("if", "not", "exists")
	if o.Name = r.name(); len(o.Name) == 0 {
		return o, false
	}
	o.readOptions(r)
	o.SQL = r.edits.Apply(sql, 0, len(sql))
	return o, true
}
