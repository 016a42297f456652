package sqlfront

import (
	"slices"
	"strings"

	"github.com/trireme-db/trireme/internal/sqlerr"
)

// CreateIndex is a CREATE INDEX of Postgres as DuckDB takes it: SQL is without what says
// how the index is to be stored, which changes no answer.
type CreateIndex struct {
	SQL    string
	Unique bool
	// Name is the index's. NameAt is where it belongs that SQL has none, and Name the one that
	// Postgres begins with; -1: it has one.
	Name   string
	NameAt int
	// Table are the parts of the table's name.
	Table []string
	// LeftOut are the words that SQL is without and that Postgres' index would be another one
	// for: WHERE, DESC, INCLUDE. The index has the same answers.
	LeftOut []string
	// Wrong is the error of an index of a kind that there is only in Postgres.
	Wrong error
}

// ParseCreateIndex reads a CREATE INDEX; false: it is something else, or has a form that
// is left to DuckDB.
func ParseCreateIndex(sql string) (c CreateIndex, ok bool) {
	r := &indexReader{scanner: scanner{lexer: lexer{src: sql}}}
	r.advance()
	c.NameAt = -1
	if !r.accept("create") {
		return c, false
	}
	c.Unique = r.accept("unique")
	if !r.accept("index") {
		return c, false
	}
	r.drop(func() bool { return r.accept("concurrently") })
	r.acceptAll("if", "not", "exists")
	if r.isWord("on") {
		c.NameAt = r.tok.start
	} else if name := r.name(); len(name) > 0 {
		c.Name = name[len(name)-1]
	} else {
		return c, false
	}
	if !r.accept("on") {
		return c, false
	}
	r.drop(r.only)
	if c.Table = r.name(); len(c.Table) == 0 {
		return c, false
	}
	r.drop(func() bool { return r.acceptAll("using", "btree") || r.acceptAll("using", "hash") })
	if c.Wrong = r.missingKind(); c.Wrong != nil {
		return c, true
	}
	if r.accept("using") { // DuckDB's own kinds
		r.name()
	}
	if !r.isPunct("(") {
		return c, false
	}
	names := r.items()
	if r.isWord("include") {
		r.leftOut = append(r.leftOut, "INCLUDE")
	}
	r.drop(func() bool { return r.accept("include") && r.group() })
	r.drop(func() bool { return r.acceptAll("nulls", "distinct") })
	r.drop(func() bool { return r.accept("with") && r.group() })
	r.drop(func() bool { return r.accept("tablespace") && r.plainName() != "" })
	if !c.Unique && r.isWord("where") { // one of all rows answers the same
		r.leftOut = append(r.leftOut, "WHERE")
		r.drop(func() bool { r.rest(); return true })
	}
	c.LeftOut = r.leftOut
	c.SQL = r.edits.Apply(sql, 0, len(sql))
	if c.NameAt >= 0 {
		c.Name = strings.Join(append([]string{c.Table[len(c.Table)-1]}, append(names, "idx")...), "_")
		c.NameAt = len(r.edits.Apply(sql, 0, c.NameAt))
	}
	return c, true
}

// missingKind is the error of USING what DuckDB has no kind of index for.
func (r *indexReader) missingKind() error {
	at := r.scanner
	if !at.accept("using") || !at.isWord("gin", "gist", "spgist", "brin") {
		return nil
	}
	return sqlerr.At(sqlerr.FeatureNotSupported, at.tok.start, "CREATE INDEX .. USING %s is not supported", fold(at.text())).
		WithHint("Leave the index out: answers are the same. DuckDB's indexes are of equal and of ordered values, USING btree or hash.")
}

type indexReader struct {
	scanner
	edits   Edits
	leftOut []string
}

// drop takes what read reads out of the text.
func (r *indexReader) drop(read func() bool) {
	before := *r
	if !read() {
		*r = before
		return
	}
	end := r.tok.start
	r.edits = append(r.edits, Edit{Start: before.tok.start, End: end, Place: before.tok.start})
}

// group takes a group in parentheses.
func (r *indexReader) group() bool {
	if !r.isPunct("(") {
		return false
	}
	r.skipParens()
	return true
}

// binaryCollations are Postgres' names for the order that texts have.
var binaryCollations = map[string]bool{"C": true, "POSIX": true, "ucs_basic": true, "default": true, "pg_catalog.C": true, "pg_catalog.POSIX": true, "pg_catalog.default": true}

// items reads what is indexed and returns the names of columns and called functions, and "expr" for
// another expression. Behind a column may stand a class of operators and an order.
func (r *indexReader) items() (names []string) {
	r.advance()
	for r.tok.kind != tokEOF && !r.isPunct(")") {
		name := "expr"
		if !r.group() {
			name = r.plainName()
			r.group() // of a call
		}
		names = append(names, name)
		for r.tok.kind != tokEOF && !r.isPunct(",") && !r.isPunct(")") {
			if collates := r.scanner; collates.accept("collate") && !binaryCollations[strings.Join(collates.name(), ".")] {
				r.scanner = collates
				continue
			}
			if r.isWord("desc") && !slices.Contains(r.leftOut, "DESC") {
				r.leftOut = append(r.leftOut, "DESC")
			}
			r.drop(func() bool {
				if len(r.name()) == 0 {
					r.advance()
				}
				r.group()
				return true
			})
		}
		r.acceptPunct(",")
	}
	r.acceptPunct(")")
	return names
}
