package sqlfront

import "strconv"

// SequenceChange is what ALTER SEQUENCE says of a sequence; what is nil stays as it is.
type SequenceChange struct {
	Name        []string
	Conditional bool // IF EXISTS
	// Owner and Owned are those of OwnedSequence.
	Owner []string
	Owned bool

	Step, Min, Max, Start *int64
	NoMin, NoMax          bool
	// Restarts: the next number is Restart, or the start where that is nil.
	Restarts bool
	Restart  *int64
	Cycle    *bool
}

// Counts reports whether the change is of more than the owner.
func (c *SequenceChange) Counts() bool {
	return c.Step != nil || c.Min != nil || c.Max != nil || c.Start != nil || c.NoMin || c.NoMax || c.Restarts || c.Cycle != nil
}

// ParseAlterSequence reads ALTER SEQUENCE with options that Postgres has; false: it is something else, or not
// all of it is read. The type of the numbers, and how many a session takes at a time, are left out.
func ParseAlterSequence(sql string) (c SequenceChange, ok bool) {
	s := &scanner{lexer: lexer{src: sql}}
	s.advance()
	if !s.acceptAll("alter", "sequence") {
		return c, false
	}
	c.Conditional = s.acceptAll("if", "exists")
	c.Name = s.name()
	return c, len(c.Name) > 0 && s.sequenceOptions(&c)
}

// sequenceOptions reads all options, of which there is at least one.
func (s *scanner) sequenceOptions(c *SequenceChange) bool {
	for s.sequenceOption(c) {
		s.acceptPunct(";")
		if s.tok.kind == tokEOF {
			return true
		}
	}
	return false
}

// sequenceOption reads one; false: it is not one.
func (s *scanner) sequenceOption(c *SequenceChange) bool {
	switch {
	case s.accept("increment"):
		s.accept("by")
		c.Step = s.integer()
		return c.Step != nil
	case s.accept("restart"):
		c.Restarts = true
		if with := s.accept("with"); with || s.tok.kind == tokNumber || s.tok.kind == tokOp {
			c.Restart = s.integer()
			return c.Restart != nil
		}
		return true
	case s.accept("start"):
		s.accept("with")
		c.Start = s.integer()
		return c.Start != nil
	}
	return s.sequenceBounds(c) || s.sequenceRest(c)
}

// identityOptions reads what ALTER COLUMN says of a column that counts; false: it says something else.
func (s *scanner) identityOptions(c *SequenceChange) bool {
	for s.tok.kind != tokEOF {
		set := s.accept("set")
		switch {
		case set && s.accept("generated"):
			if !s.accept("always") && !s.acceptAll("by", "default") {
				return false
			}
		case set && s.isWord("restart", "no", "increment", "start", "minvalue", "maxvalue", "cycle", "cache"), !set && s.isWord("restart"):
			if !s.sequenceOption(c) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// sequenceBounds reads an option of where a sequence ends.
func (s *scanner) sequenceBounds(c *SequenceChange) bool {
	no := s.accept("no")
	switch {
	case s.isWord("minvalue", "maxvalue"):
		value, none := &c.Min, &c.NoMin
		if s.word() == "maxvalue" {
			value, none = &c.Max, &c.NoMax
		}
		if *none = no; no {
			*value = nil
			return true
		}
		*value = s.integer()
		return *value != nil
	case s.accept("cycle"):
		cycles := !no
		c.Cycle = &cycles
		return true
	}
	return false
}

// sequenceRest reads the owner, and the options that change nothing here.
func (s *scanner) sequenceRest(c *SequenceChange) bool {
	switch {
	case s.accept("cache"):
		return s.integer() != nil
	case s.accept("as"):
		return len(s.name()) > 0
	case s.acceptAll("owned", "by"):
		none := s.isWord("none")
		if c.Owner = s.name(); none {
			c.Owner = nil
		}
		c.Owned = none || len(c.Owner) > 1 // of a table it is DuckDB's
		return c.Owned
	}
	return false
}

// integer takes an integer, perhaps with a sign; nil: there is none.
func (s *scanner) integer() *int64 {
	sign := ""
	if s.tok.kind == tokOp {
		sign = s.text()
		s.advance()
	}
	if s.tok.kind != tokNumber {
		return nil
	}
	n, err := strconv.ParseInt(sign+s.text(), 10, 64)
	if err != nil {
		return nil
	}
	s.advance()
	return &n
}
