package sqlfront

import (
	"strings"

	"github.com/trireme-db/trireme/internal/load"
)

// AddedColumn is ADD COLUMN in parts.
type AddedColumn struct {
	// Definition is the column without its constraints.
	Definition string
	// NotNull is one of them; the others are those of a table.
	NotNull     bool
	Constraints []AlterAction
	// Computed: the default is more than a constant; Text: it is a constant text.
	Computed, Text bool
}

// Plain reports whether DuckDB adds the column as it is.
func (c AddedColumn) Plain() bool { return !c.NotNull && !c.Computed && len(c.Constraints) == 0 }

// ReadColumn reads what an AlterAddColumn says of its column.
func ReadColumn(a AlterAction) AddedColumn {
	s := &scanner{lexer: lexer{src: a.Rest}}
	s.advance()
	var c AddedColumn
	kept, from, name := "", 0, ""
	column := load.Quote(a.Column)
	// cut takes what has been read since start out of the text.
	cut := func(start int) {
		kept += a.Rest[from:start]
		from = min(s.tok.start, len(a.Rest))
	}
	constraint := func(start int, text string) {
		cut(start)
		c.Constraints = append(c.Constraints, AlterAction{Kind: AlterAddConstraint, Name: name, Rest: text})
		name = ""
	}
	for s.tok.kind != tokEOF {
		start := s.tok.start
		switch {
		case s.isPunct("("):
			s.skipParens()
		case s.accept("constraint"):
			name = s.constraintName()
			cut(start)
		case s.acceptAll("not", "null"):
			c.NotNull = true
			cut(start)
		case s.acceptAll("not", "deferrable"), s.accept("deferrable"), s.acceptAll("initially", "deferred"), s.acceptAll("initially", "immediate"):
			cut(start)
		case s.accept("unique"):
			constraint(start, "UNIQUE ("+column+")")
		case s.acceptAll("primary", "key"):
			constraint(start, "PRIMARY KEY ("+column+")")
		case s.accept("check"):
			text := s.tok.start
			s.skipParens()
			constraint(start, "CHECK "+a.Rest[text:min(s.tok.start, len(a.Rest))])
		case s.accept("references"):
			s.name()
			if s.isPunct("(") {
				s.skipParens()
			}
			for s.accept("match", "full", "simple", "on", "delete", "update", "cascade", "restrict", "no", "action", "set") {
			}
			constraint(start, "FOREIGN KEY ("+column+") "+strings.TrimSpace(a.Rest[start:min(s.tok.start, len(a.Rest))]))
		case s.accept("default"):
			c.Text = s.tok.kind == tokString
			c.Computed = !s.constantDefault()
		default:
			s.advance()
		}
	}
	c.Definition = column + " " + strings.TrimSpace(kept+a.Rest[from:])
	return c
}

// constantDefault takes a default that is one number, text or word.
func (s *scanner) constantDefault() bool {
	if s.tok.kind == tokOp && (s.text() == "-" || s.text() == "+") {
		s.advance()
	}
	if k := s.tok.kind; k != tokNumber && k != tokString && !s.isWord("true", "false", "null") {
		return false
	}
	s.advance()
	return s.tok.kind == tokEOF || s.isWord("not", "null", "constraint", "unique", "primary", "check", "references", "deferrable", "initially")
}
