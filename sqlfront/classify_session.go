package sqlfront

import (
	"math"
	"strconv"
	"strings"

	"github.com/trireme-db/trireme/internal/sqlerr"
)

// Cursor is what DECLARE, FETCH, MOVE and CLOSE say of a cursor, whose name is
// Class.Name; CLOSE ALL has All and no name.
type Cursor struct {
	// Of DECLARE; the query is Class.Body.
	Binary, Scroll, NoScroll, Hold bool
	// Of FETCH and MOVE: how far, from where. All: as far as there are rows, with the
	// sign of Count.
	From  CursorFrom
	Count int64
	All   bool
	// Move: MOVE, which delivers no rows.
	Move bool
}

// CursorFrom says what a FETCH counts from.
type CursorFrom uint8

// FETCH counts rows from the present one, delivering all on the way (FORWARD,
// BACKWARD); or names one row, by its number or by its distance.
const (
	FromHere CursorFrom = iota
	FromStart
	FromHereOne // RELATIVE
)

// TransactionModes are the words after BEGIN, COMMIT, ROLLBACK and SET
// TRANSACTION.
type TransactionModes struct {
	// Isolation is the level in lower case, "" where none is asked for.
	Isolation string
	// ReadOnly and Deferrable: nil where nothing is said.
	ReadOnly, Deferrable *bool
	Chain                bool
}

// fail notes where the grammar of a statement that sessions answer ends.
func (s *scanner) fail(c *Class) {
	if c.Wrong != nil {
		return
	}
	if s.tok.kind == tokEOF {
		c.Wrong = sqlerr.At(sqlerr.SyntaxError, len(s.src), "syntax error at end of input")
		return
	}
	c.Wrong = sqlerr.At(sqlerr.SyntaxError, s.tok.start, "syntax error at or near %q", s.text())
}

// end notes what follows a complete statement.
func (s *scanner) end(c *Class) {
	if s.tok.kind != tokEOF {
		s.fail(c)
	}
}

// identifier takes the one name a cursor, savepoint or channel has.
func (s *scanner) identifier(c *Class) string {
	name := ""
	switch s.tok.kind {
	case tokWord:
		name = fold(s.text())
	case tokQuoted:
		name = unquote(s.text())
	default:
		s.fail(c)
		return ""
	}
	s.advance()
	return name
}

// declare reads DECLARE name options CURSOR hold FOR query.
func (s *scanner) declare() Class {
	c := Class{Kind: ClassDeclare, Cursor: &Cursor{}}
	c.Name = s.identifier(&c)
	for options := true; options; {
		switch {
		case s.accept("binary"):
			c.Cursor.Binary = true
		case s.accept("insensitive"): // every cursor is
		case s.accept("asensitive"):
		case s.accept("scroll"):
			c.Cursor.Scroll = true
		case s.acceptAll("no", "scroll"):
			c.Cursor.NoScroll = true
		default:
			options = false
		}
	}
	if !s.accept("cursor") {
		s.fail(&c)
	}
	c.Cursor.Hold = s.acceptAll("with", "hold")
	if !c.Cursor.Hold {
		s.acceptAll("without", "hold")
	}
	if !s.accept("for") || s.tok.kind == tokEOF {
		s.fail(&c)
	}
	if c.Wrong == nil && c.Cursor.Scroll && c.Cursor.NoScroll {
		c.Wrong = sqlerr.New(sqlerr.InvalidCursorDefinition, "cannot specify both SCROLL and NO SCROLL")
	}
	c.Body, c.Offset = s.rest()
	return c
}

// fetch reads what follows FETCH or MOVE: [direction] [FROM | IN] name.
func (s *scanner) fetch(move bool) Class {
	c := Class{Kind: ClassFetch, Cursor: &Cursor{Move: move, Count: 1}}
	u := c.Cursor
	before, word := *s, ""
	if s.tok.kind == tokWord {
		word = s.word()
	}
	switch word {
	case "next":
	case "prior":
		u.Count = -1
	case "first":
		u.From = FromStart
	case "last":
		u.From, u.Count = FromStart, -1
	case "absolute":
		u.From, u.Count = FromStart, s.count(&c)
	case "relative":
		u.From, u.Count = FromHereOne, s.count(&c)
	case "all":
		u.All = true
	case "forward", "backward":
		s.distance(&c)
		if word == "backward" {
			u.Count = -u.Count
		}
	default:
		*s = before
		if s.tok.kind == tokNumber || s.tok.kind == tokOp {
			u.Count = s.count(&c)
		}
	}
	// The word may have been the cursor's own name: FETCH next.
	if word != "" && s.tok.kind == tokEOF {
		*s, *u = before, Cursor{Move: move, Count: 1}
		c.Wrong = nil
	}
	if !s.accept("from") {
		s.accept("in")
	}
	c.Name = s.identifier(&c)
	s.end(&c)
	return c
}

// distance reads what may follow FORWARD and BACKWARD: a number or ALL.
func (s *scanner) distance(c *Class) {
	switch {
	case s.accept("all"):
		c.Cursor.All = true
	case s.tok.kind == tokNumber || s.tok.kind == tokOp:
		c.Cursor.Count = s.count(c)
	}
}

// count reads a signed whole number.
func (s *scanner) count(c *Class) int64 {
	sign := ""
	if s.tok.kind == tokOp && (s.text() == "-" || s.text() == "+") {
		sign = s.text()
		s.advance()
	}
	n, err := strconv.ParseInt(sign+s.text(), 10, 64)
	if s.tok.kind != tokNumber || err != nil || n == math.MinInt64 {
		s.fail(c)
		return 0
	}
	s.advance()
	return n
}

// closeCursor reads CLOSE name and CLOSE ALL.
func (s *scanner) closeCursor() Class {
	c := Class{Kind: ClassClose, Cursor: &Cursor{}}
	if s.accept("all") {
		c.Cursor.All = true
	} else {
		c.Name = s.identifier(&c)
	}
	s.end(&c)
	return c
}

func (s *scanner) transaction(w string) Class {
	switch w {
	case "begin", "start":
		return s.begin(w)
	case "commit", "end":
		return s.endOfTransaction(ClassCommit)
	case "savepoint":
		c := Class{Kind: ClassSavepoint}
		c.Name = s.identifier(&c)
		s.end(&c)
		return c
	case "release":
		c := Class{Kind: ClassRelease}
		s.accept("savepoint")
		c.Name = s.identifier(&c)
		s.end(&c)
		return c
	}
	return s.endOfTransaction(ClassRollback)
}

func (s *scanner) begin(w string) Class {
	c := Class{Kind: ClassBegin}
	if !s.accept("transaction") {
		if w == "start" {
			s.fail(&c)
		} else {
			s.accept("work")
		}
	}
	c.Modes = s.modes(&c)
	return c
}

// endOfTransaction reads what follows COMMIT, END, ROLLBACK and ABORT.
func (s *scanner) endOfTransaction(kind ClassKind) Class {
	c := Class{Kind: kind}
	if s.isWord("prepared") {
		return Class{Kind: ClassTwoPhase}
	}
	s.accept("work", "transaction")
	if kind == ClassRollback && s.accept("to") {
		c.Kind = ClassRollbackTo
		s.accept("savepoint")
		c.Name = s.identifier(&c)
		s.end(&c)
		return c
	}
	c.Modes = &TransactionModes{}
	switch {
	case s.acceptAll("and", "no", "chain"):
	case s.acceptAll("and", "chain"):
		c.Modes.Chain = true
	}
	s.end(&c)
	return c
}

// isolationLevels are those of the standard.
var isolationLevels = [][]string{
	{"serializable"},
	{"repeatable", "read"},
	{"read", "committed"},
	{"read", "uncommitted"},
}

// modes reads transaction modes, with or without commas between them, to the end.
func (s *scanner) modes(c *Class) *TransactionModes {
	m := &TransactionModes{}
	yes, no := true, false
	for s.tok.kind != tokEOF {
		switch {
		case s.acceptAll("isolation", "level"):
			m.Isolation = s.isolationLevel(c)
		case s.acceptAll("read", "only"):
			m.ReadOnly = &yes
		case s.acceptAll("read", "write"):
			m.ReadOnly = &no
		case s.accept("deferrable"):
			m.Deferrable = &yes
		case s.acceptAll("not", "deferrable"):
			m.Deferrable = &no
		default:
			s.fail(c)
		}
		if c.Wrong != nil {
			return m
		}
		if s.acceptPunct(",") && s.tok.kind == tokEOF {
			s.fail(c)
		}
	}
	return m
}

func (s *scanner) isolationLevel(c *Class) string {
	for _, words := range isolationLevels {
		if s.acceptAll(words...) {
			return strings.Join(words, " ")
		}
	}
	s.fail(c)
	return ""
}

// lock reads LOCK [TABLE] names [IN .. MODE] [NOWAIT]; Value is the mode.
func (s *scanner) lock() Class {
	c := Class{Kind: ClassLock, Value: "access exclusive"}
	s.accept("table")
	for {
		s.accept("only")
		name := s.name()
		if len(name) == 0 {
			s.fail(&c)
			return c
		}
		c.Tables = append(c.Tables, name)
		if !s.acceptPunct(",") {
			break
		}
	}
	if s.accept("in") {
		var mode []string
		for s.tok.kind == tokWord && !s.isWord("mode") {
			mode = append(mode, s.word())
		}
		c.Value = strings.Join(mode, " ")
		if !s.accept("mode") {
			s.fail(&c)
		}
	}
	c.NoWait = s.accept("nowait")
	s.end(&c)
	return c
}

// channel reads LISTEN, UNLISTEN and NOTIFY; "*" is every channel.
func (s *scanner) channel(kind ClassKind) Class {
	c := Class{Kind: kind}
	if kind == ClassUnlisten && s.tok.kind == tokOp && s.text() == "*" {
		c.Name = "*"
		s.advance()
	} else {
		c.Name = s.identifier(&c)
	}
	if kind == ClassNotify && s.acceptPunct(",") {
		s.advance() // the payload
	}
	s.end(&c)
	return c
}

// discard reads DISCARD ALL, PLANS, SEQUENCES and TEMP, which is its Object.
func (s *scanner) discard() Class {
	c := Class{Kind: ClassDiscard, Schema: true}
	for _, what := range [][2]string{{"all", "all"}, {"plans", "plans"}, {"sequences", "sequences"}, {"temp", "temp"}, {"temporary", "temp"}} {
		if s.accept(what[0]) {
			c.Object = what[1]
			s.end(&c)
			return c
		}
	}
	s.fail(&c)
	return c
}

// prepared reads PREPARE, EXECUTE and DEALLOCATE. Types and arguments keep their
// text: Value is what stands between the parentheses.
func (s *scanner) prepared(w string) Class {
	var c Class
	switch w {
	case "execute":
		// The session knows what the named statement writes.
		c = Class{Kind: ClassExecute, WritesUnknown: true, Schema: true}
		c.Name = s.identifier(&c)
		c.Offset = s.tok.end
		c.Value = s.parenthesised(&c)
		s.end(&c)
		return c
	case "deallocate":
		c = Class{Kind: ClassDeallocate}
		s.accept("prepare")
		quoted := s.tok.kind == tokQuoted
		c.Name = s.identifier(&c)
		if c.Name == "all" && !quoted {
			c.Name, c.Object = "", "all"
		}
		s.end(&c)
		return c
	}
	if s.isWord("transaction") {
		before := *s
		s.advance()
		if s.tok.kind == tokString || s.tok.kind == tokSpecial {
			return Class{Kind: ClassTwoPhase}
		}
		*s = before
	}
	c = Class{Kind: ClassPrepare}
	c.Name = s.identifier(&c)
	c.Value = s.parenthesised(&c)
	if !s.accept("as") || s.tok.kind == tokEOF {
		s.fail(&c)
	}
	c.Body, c.Offset = s.rest()
	return c
}

// parenthesised takes the text between a parenthesis that begins here and its
// partner; nothing where none begins.
func (s *scanner) parenthesised(c *Class) string {
	if !s.isPunct("(") {
		return ""
	}
	start, depth := s.tok.end, 0
	for {
		switch {
		case s.tok.kind == tokEOF:
			s.fail(c)
			return ""
		case s.isPunct("("), s.isPunct("["), s.isPunct("{"):
			depth++
		case s.isPunct(")"), s.isPunct("]"), s.isPunct("}"):
			depth--
		}
		end := s.tok.start
		s.advance()
		if depth == 0 {
			return s.src[start:end]
		}
	}
}
