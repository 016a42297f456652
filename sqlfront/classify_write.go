package sqlfront

import "slices"

func (s *scanner) dml(w string) Class {
	var c Class
	switch w {
	case "insert":
		c.Kind = ClassInsert
		if s.accept("or") {
			s.word()
		}
		s.accept("into")
	case "update":
		c.Kind = ClassUpdate
	case "delete":
		c.Kind = ClassDelete
		s.accept("from")
	case "truncate":
		c.Kind = ClassDelete
		s.accept("table")
	case "merge":
		c.Kind = ClassMerge
		s.accept("into")
	}
	c.Target = s.relation()
	if w == "truncate" {
		s.moreTargets(&c)
	}
	return c
}

// ResolvesConflicts reports whether an INSERT may change rows that are there.
func ResolvesConflicts(sql string) bool {
	s := &scanner{lexer: lexer{src: sql}}
	for s.advance(); s.tok.kind != tokEOF; s.advance() {
		if s.acceptAll("on", "conflict") || s.acceptAll("insert", "or") {
			return true
		}
	}
	return false
}

// relation takes the name of a table of which only the rows of its own are meant,
// whether or not it says ONLY, as there are no others.
func (s *scanner) relation() []string {
	if !s.accept("only") {
		return s.name()
	}
	s.acceptPunct("(")
	name := s.name()
	s.acceptPunct(")")
	return name
}

// moreTargets reads the names of the objects after the first.
func (s *scanner) moreTargets(c *Class) {
	for s.acceptPunct(",") {
		c.Writes = append(c.Writes, s.name())
	}
}

// ddl reads CREATE, DROP, ALTER and COMMENT ON up to the object's name.
func (s *scanner) ddl(w string) Class {
	c := Class{Schema: true}
	switch w {
	case "create":
		c.Kind = ClassCreate
		c.Replace = s.acceptAll("or", "replace")
		s.createModifiers(&c)
	case "drop":
		c.Kind = ClassDrop
	case "alter":
		c.Kind = ClassAlter
	case "comment":
		c.Kind = ClassComment
		s.accept("on")
	}
	c.Object = s.word()
	if c.Object == "unique" || c.Object == "recursive" || c.Object == "materialized" {
		c.Object = s.word()
	}
	if c.Object == "index" {
		s.accept("concurrently")
	}
	c.Conditional = s.acceptAll("if", "not", "exists") || s.acceptAll("if", "exists")
	s.object(&c)
	if c.Kind == ClassDrop {
		s.dropped(&c)
	}
	return c
}

// object reads the name of what DDL is about. Rows go only with tables; of what else there
// is the definition.
func (s *scanner) object(c *Class) {
	if c.Kind == ClassDrop && (c.Object == "macro" || c.Object == "function") {
		s.accept("table")
	}
	switch c.Object {
	case "table":
		c.Target = s.relation()
	case "index":
		s.ddlIndex(c)
		return
	default:
		c.Target = s.name()
	}
	switch c.Object {
	case "table", "view":
		c.Writes = [][]string{c.Target}
		c.RenamedTo = s.renamedTo(c)
	case "sequence", "column":
	case "schema", "type", "macro", "function", "secret":
		c.WritesUnknown = c.Kind == ClassAlter
	default: // database, ...: what is below it cannot be told
		c.WritesUnknown = c.Kind != ClassComment
	}
	c.WritesUnknown = c.WritesUnknown || len(c.Target) == 0
}

// dropped reads the rest of a DROP. One that says more than is understood here may drop
// anything.
func (s *scanner) dropped(c *Class) {
	for s.acceptPunct(",") {
		name := s.name()
		if c.Object == "table" || c.Object == "view" {
			c.Writes = append(c.Writes, name)
		}
	}
	if c.Cascades = s.accept("cascade"); !c.Cascades {
		s.accept("restrict")
	}
	s.acceptPunct(";")
	c.WritesUnknown = c.WritesUnknown || s.tok.kind != tokEOF
}

// renamedTo is the name that one of the actions of ALTER gives its target by RENAME TO; nil:
// none does.
func (s *scanner) renamedTo(c *Class) []string {
	if c.Kind != ClassAlter || len(c.Target) == 0 {
		return nil
	}
	for {
		if s.acceptAll("rename", "to") {
			return append(slices.Clone(c.Target[:len(c.Target)-1]), s.name()...)
		}
		if !s.nextAction() {
			return nil
		}
	}
}

// nextAction goes to what is behind the next comma.
func (s *scanner) nextAction() bool {
	for s.tok.kind != tokEOF && !s.isPunct(",") {
		if s.isPunct("(") {
			s.skipParens()
		} else {
			s.advance()
		}
	}
	return s.acceptPunct(",")
}

func (s *scanner) createModifiers(c *Class) {
	for {
		switch {
		case s.accept("temp", "temporary"):
			c.Temp = true
		case s.accept("local", "global", "unlogged", "persistent"):
		default:
			return
		}
	}
}

// ddlIndex finds the table of CREATE INDEX; it changes no rows but takes a lock
// on the table's definition.
func (s *scanner) ddlIndex(c *Class) {
	if !s.isWord("on") {
		c.Target = s.name()
	}
	if c.Kind == ClassCreate && s.accept("on") {
		s.only()
		c.Writes = [][]string{s.name()}
	}
}

func (s *scanner) copy() Class {
	c := Class{Kind: ClassCopy}
	switch {
	case s.isPunct("("):
		start := s.tok.end
		before := s.tok.end
		depth := 0
		for s.tok.kind != tokEOF {
			if s.isPunct("(") {
				depth++
			} else if s.isPunct(")") {
				depth--
			}
			if depth == 0 {
				break
			}
			before = s.tok.end
			s.advance()
		}
		c.Body, c.Offset = s.src[start:max(before, start)], start
		c.WritesUnknown = classifyInner(c.Body).Kind != ClassSelect
		s.acceptPunct(")")
	case s.acceptAll("from", "database"):
		c.CopyFrom, c.WritesUnknown, c.Schema = true, true, true
		s.name()
		if s.accept("to") {
			c.Target = s.name()
		}
		return c
	default:
		c.Target = s.name()
		if s.isPunct("(") {
			s.skipParens()
		}
	}
	c.CopyFrom = s.accept("from")
	if !c.CopyFrom {
		s.accept("to")
	}
	c.CopyStdio = s.isWord("stdin", "stdout")
	if c.CopyFrom {
		c.Writes = [][]string{c.Target}
		c.WritesUnknown = len(c.Target) == 0
	}
	return c
}

// attachment reads ATTACH [OR REPLACE] [DATABASE] [IF NOT EXISTS] path [AS name] and
// DETACH [DATABASE] [IF EXISTS] name.
func (s *scanner) attachment(w string) Class {
	c := Class{Kind: ClassDetach, WritesUnknown: true, Schema: true}
	if w == "attach" {
		c.Kind = ClassAttach
		c.Replace = s.acceptAll("or", "replace")
	}
	s.accept("database")
	c.Conditional = s.acceptAll("if", "not", "exists") || s.acceptAll("if", "exists")
	if w == "detach" {
		c.Target = s.name()
		return c
	}
	s.advance() // the path
	if s.accept("as") {
		c.Target = s.name()
	}
	return c
}
