package sqlfront

import "strings"

// DropList is DROP kind [IF EXISTS] a, b .. [CASCADE] or TRUNCATE a, b ..
type DropList struct {
	// Names are the objects as they are written, Targets the parts of their names.
	Names   []string
	Targets [][]string
	// Restart is TRUNCATE .. RESTART IDENTITY.
	Restart bool
	// before and after stand around each of the names in a statement of its own.
	before, after string
}

// Statement is the one for the i-th object alone.
func (l *DropList) Statement(i int) string {
	return strings.TrimSpace(l.before + " " + l.Names[i] + " " + l.after)
}

// Cascades reports whether what depends on the objects is to go, too.
func (l *DropList) Cascades() bool { return l.after == "CASCADE" }

// ParseDropList reads a statement that drops or empties several objects, or restarts what
// counts the rows of one; nil: it is another.
func ParseDropList(sql string) *DropList {
	s := &scanner{lexer: lexer{src: sql}}
	s.advance()
	l := &DropList{}
	truncate := s.accept("truncate")
	switch {
	case truncate:
		s.accept("table")
		s.only()
		l.before = "TRUNCATE TABLE"
	case s.accept("drop"):
		kind := s.word()
		if l.before = "DROP " + kind; kind == "materialized" || (kind == "macro" || kind == "function") && s.isWord("table") {
			l.before += " " + s.word()
		}
		if s.acceptAll("if", "exists") {
			l.before += " IF EXISTS"
		}
	default:
		return nil
	}
	for more := true; more; more = s.acceptPunct(",") {
		begin := s.tok.start
		target := s.name()
		if target == nil {
			return nil
		}
		l.Targets, l.Names = append(l.Targets, target), append(l.Names, strings.TrimSpace(sql[begin:s.tok.start]))
	}
	if truncate {
		if l.Restart = s.acceptAll("restart", "identity"); !l.Restart {
			s.acceptAll("continue", "identity")
		}
	}
	switch {
	case s.accept("cascade"):
		l.after = "CASCADE"
	case s.accept("restrict"):
		l.after = "RESTRICT"
	}
	if truncate {
		l.after = ""
	}
	s.acceptPunct(";")
	if s.tok.kind != tokEOF || len(l.Names) == 1 && !truncate && !l.Cascades() {
		return nil
	}
	return l
}
