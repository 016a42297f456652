package sqlfront

import "strings"

// AlterKind is what an action of ALTER TABLE does.
type AlterKind uint8

// The kinds of action; AlterOther is one on a column, or one that DuckDB may know.
const (
	AlterOther            AlterKind = iota
	AlterRename                     // To
	AlterRenameColumn               // Column, To
	AlterAddColumn                  // Column
	AlterDropColumn                 // Column
	AlterColumn                     // Column: ALTER [COLUMN] c ..
	AlterAddConstraint              // Name, which may be empty; Rest is the constraint
	AlterDropConstraint             // Name, Conditional
	AlterRenameConstraint           // Name, To
	AlterAddIdentity                // Column, Counts: ALTER [COLUMN] c ADD GENERATED .. AS IDENTITY
	AlterDropIdentity               // Column, Conditional
	AlterSetIdentity                // Column, Sequence: SET GENERATED ALWAYS or BY DEFAULT, RESTART, SET INCREMENT ..
)

// AlterTable is an ALTER TABLE with each of its actions.
type AlterTable struct {
	// Table is the table as written, Conditional says IF EXISTS.
	Table       string
	Conditional bool
	// Only: the word is there, which DuckDB does not know.
	Only    bool
	Actions []AlterAction
}

// AlterAction is one action; Text is all of it, and names are without quotes.
type AlterAction struct {
	Kind     AlterKind
	Text     string
	Name, To string
	Column   string
	// Rest follows the column of ALTER COLUMN, and the name of a constraint.
	Rest        string
	Conditional bool
	Counts      SerialColumn
	Sequence    SequenceChange
}

// ChangesColumns reports whether an action adds, drops or changes a column.
func (a AlterAction) ChangesColumns() bool {
	switch a.Kind {
	case AlterAddColumn, AlterDropColumn, AlterColumn, AlterAddIdentity, AlterDropIdentity, AlterSetIdentity:
		return true
	}
	return false
}

// ParseAlterTable reads an ALTER TABLE as far as its actions; false: it has another form,
// or misses something.
func ParseAlterTable(sql string) (AlterTable, bool) {
	s := &scanner{lexer: lexer{src: sql}}
	s.advance()
	var a AlterTable
	if !s.acceptAll("alter", "table") {
		return a, false
	}
	a.Conditional = s.acceptAll("if", "exists")
	a.Only = s.only()
	begin := s.tok.start
	if len(s.name()) == 0 {
		return a, false
	}
	a.Table = strings.TrimSpace(sql[begin:s.tok.start])
	for more := true; more; more = s.acceptPunct(",") {
		action := s.alterAction()
		if !action.whole() {
			return a, false
		}
		a.Actions = append(a.Actions, action)
	}
	return a, true
}

// whole reports whether the action has all of what its kind needs.
func (a AlterAction) whole() bool {
	switch a.Kind {
	case AlterRename:
		return a.To != ""
	case AlterRenameColumn:
		return a.Column != "" && a.To != ""
	case AlterAddColumn, AlterColumn:
		return a.Column != "" && a.Rest != ""
	case AlterDropColumn:
		return a.Column != ""
	case AlterAddConstraint:
		return a.Rest != ""
	case AlterDropConstraint:
		return a.Name != ""
	case AlterRenameConstraint:
		return a.Name != "" && a.To != ""
	}
	return a.Text != ""
}

// only takes the word before a table for one without those that inherit from it: none do.
func (s *scanner) only() bool {
	at := *s
	if !s.accept("only") {
		return false
	}
	if !s.isPunct(".") && (s.tok.kind == tokWord || s.tok.kind == tokQuoted) && !s.isWord("rename", "add", "drop", "alter", "set") {
		return true
	}
	*s = at // a table of that name
	return false
}

// alterAction reads one action, up to a comma outside of brackets.
func (s *scanner) alterAction() AlterAction {
	start, end, depth := s.tok.start, s.tok.start, 0
	of := *s
	for s.tok.kind != tokEOF && (depth > 0 || !s.isPunct(",") && !s.isPunct(";")) {
		switch {
		case s.isPunct("("), s.isPunct("["):
			depth++
		case s.isPunct(")"), s.isPunct("]"):
			depth--
		}
		end = s.tok.end
		s.advance()
	}
	of.src = of.src[:end]
	a := of.readAction()
	a.Text = s.src[start:end]
	return a
}

// readAction reads what an action is about.
func (s *scanner) readAction() AlterAction {
	switch {
	case s.acceptAll("rename", "to"):
		return AlterAction{Kind: AlterRename, To: s.plainName()}
	case s.acceptAll("rename", "constraint"):
		a := AlterAction{Kind: AlterRenameConstraint, Name: s.constraintName()}
		if s.accept("to") {
			a.To = s.constraintName()
		}
		return a
	case s.accept("rename"):
		s.accept("column")
		a := AlterAction{Kind: AlterRenameColumn, Column: s.plainName()}
		if s.accept("to") {
			a.To = s.plainName()
			return a
		}
	case s.accept("add"):
		return s.addAction()
	case s.acceptAll("drop", "constraint"):
		conditional := s.acceptAll("if", "exists")
		return AlterAction{Kind: AlterDropConstraint, Name: s.constraintName(), Conditional: conditional}
	case s.accept("drop"):
		s.accept("column")
		conditional := s.acceptAll("if", "exists")
		return AlterAction{Kind: AlterDropColumn, Column: s.plainName(), Conditional: conditional}
	case s.accept("alter"):
		s.accept("column")
		a := AlterAction{Kind: AlterColumn, Column: s.plainName()}
		a.Rest, _ = s.rest()
		return a.identity()
	}
	return AlterAction{}
}

func (s *scanner) addAction() AlterAction {
	name := ""
	if s.accept("constraint") {
		name = s.constraintName()
	}
	if name != "" || s.isWord("unique", "primary", "check", "foreign", "exclude") {
		a := AlterAction{Kind: AlterAddConstraint, Name: name}
		a.Rest, _ = s.rest()
		return a
	}
	s.accept("column")
	conditional := s.acceptAll("if", "not", "exists")
	a := AlterAction{Kind: AlterAddColumn, Column: s.plainName(), Conditional: conditional}
	a.Rest, _ = s.rest()
	return a
}

// plainName takes one name without qualification, "" where there is none.
func (s *scanner) plainName() string {
	name, ok := tokenName(s.src, s.tok)
	if ok {
		s.advance()
	}
	return name
}

// constraintName takes the name of a constraint, in lower case without quotes.
func (s *scanner) constraintName() string {
	name := foldedName(s.src, s.tok)
	if name != "" {
		s.advance()
	}
	return name
}

// Foreign reports whether DuckDB would not read the statement as it is.
func (a AlterTable) Foreign() bool {
	return a.Only || len(a.Actions) > 1 || a.Actions[0].Kind >= AlterAddConstraint
}
