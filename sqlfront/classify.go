package sqlfront

import (
	"slices"
	"strings"
)

// Classify says what a statement is by its first tokens. It never fails: a text
// that is not SQL is ClassOther, and DuckDB has its error.
func Classify(sql string) Class {
	s := &scanner{lexer: lexer{src: sql}}
	s.advance()
	c := s.statement()
	if c.Kind == ClassInsert || c.Kind == ClassUpdate || c.Kind == ClassDelete || c.Kind == ClassMerge {
		if len(c.Target) > 0 {
			c.Writes = append(c.Writes, c.Target)
		}
		c.WritesUnknown = c.WritesUnknown || len(c.Target) == 0
	}
	named := len(c.Writes)
	c.Writes = slices.DeleteFunc(c.Writes, func(name []string) bool { return len(name) == 0 })
	c.WritesUnknown = c.WritesUnknown || len(c.Writes) < named // a name is missing
	return c
}

// classifyInner is Classify for the body of EXPLAIN or COPY, which has no body
// itself: nesting costs no recursion.
func classifyInner(body string) Class {
	s := &scanner{lexer: lexer{src: body}}
	s.advance()
	if s.isWord("explain", "copy", "prepare") {
		return Class{Kind: ClassOther, WritesUnknown: true, Schema: true}
	}
	return Classify(body)
}

// scanner reads a statement word by word. At the end, or at a token that the
// lexer cannot read, the current token is tokEOF.
type scanner struct {
	lexer
	tok token
}

func (s *scanner) advance() {
	t, err := s.next()
	if err != nil {
		t = token{tokEOF, len(s.src), len(s.src)}
		s.pos = len(s.src)
	}
	s.tok = t
}

func (s *scanner) text() string { return s.src[s.tok.start:s.tok.end] }

func (s *scanner) isWord(words ...string) bool {
	if s.tok.kind != tokWord {
		return false
	}
	for _, w := range words {
		if len(w) == s.tok.end-s.tok.start && strings.EqualFold(w, s.text()) {
			return true
		}
	}
	return false
}

func (s *scanner) isPunct(p string) bool { return s.tok.kind == tokPunct && s.text() == p }

// accept advances past one of the words, if it is the current token.
func (s *scanner) accept(words ...string) bool {
	if s.isWord(words...) {
		s.advance()
		return true
	}
	return false
}

func (s *scanner) acceptPunct(p string) bool {
	if s.isPunct(p) {
		s.advance()
		return true
	}
	return false
}

// word takes the current unquoted word in lower case, "" if it is none.
func (s *scanner) word() string {
	if s.tok.kind != tokWord {
		return ""
	}
	w := fold(s.text())
	s.advance()
	return w
}

// name takes a possibly qualified name.
func (s *scanner) name() []string {
	var parts []string
	for {
		switch s.tok.kind {
		case tokWord:
			parts = append(parts, s.text())
		case tokQuoted:
			parts = append(parts, unquote(s.text()))
		default:
			return parts
		}
		s.advance()
		if !s.isPunct(".") {
			return parts
		}
		s.advance()
	}
}

// skipParens advances past a parenthesised group that begins here and reports
// whether it is a data-changing statement.
func (s *scanner) skipParens() (changes bool) {
	depth := 0
	for s.tok.kind != tokEOF {
		if s.isPunct("(") {
			depth++
			s.advance()
			changes = changes || depth == 1 && s.isWord("insert", "update", "delete", "merge")
			continue
		}
		if s.isPunct(")") {
			depth--
		}
		s.advance()
		if depth <= 0 {
			break
		}
	}
	return changes
}

// rest returns the text from the current token on, without blanks at its end.
func (s *scanner) rest() (string, int) {
	start, end := s.tok.start, s.tok.start
	for s.tok.kind != tokEOF {
		end = s.tok.end
		s.advance()
	}
	return s.src[start:end], start
}

func (s *scanner) statement() Class {
	for s.isPunct("(") { // a parenthesised SELECT
		s.advance()
	}
	if s.tok.kind == tokEOF {
		if len(strings.TrimSpace(s.src)) == 0 || s.blankOnly() {
			return Class{Kind: ClassEmpty}
		}
		return Class{Kind: ClassOther, WritesUnknown: true}
	}
	if c, ok := s.missing(); ok {
		return c
	}
	w := s.word()
	if w == "force" { // CHECKPOINT, INSTALL
		w = s.word()
	}
	if simple, ok := simpleClasses[w]; ok {
		return simple
	}
	switch w {
	case "select", "values", "from", "table", "pivot", "unpivot", "describe", "desc", "summarize":
		return Class{Kind: ClassSelect}
	case "with":
		return s.with()
	case "begin", "start", "commit", "end", "rollback", "abort", "savepoint", "release":
		return s.transaction(w)
	case "set", "show", "reset":
		return s.setting(w)
	case "explain":
		return s.explain()
	case "insert", "update", "delete", "truncate", "merge":
		return s.dml(w)
	case "create", "drop", "alter", "comment":
		if c, ok := s.roleStatement(w); ok && w != "comment" {
			return c
		}
		return s.ddl(w)
	case "grant", "revoke":
		c, _ := s.roleStatement(w)
		return c
	case "copy":
		return s.copy()
	case "attach", "detach":
		return s.attachment(w)
	case "call":
		return s.pragma(ClassCall)
	case "pragma":
		return s.pragma(ClassPragma)
	case "prepare", "execute", "deallocate":
		return s.prepared(w)
	case "declare":
		return s.declare()
	case "fetch", "move":
		return s.fetch(w == "move")
	case "close":
		return s.closeCursor()
	case "discard":
		return s.discard()
	case "lock":
		return s.lock()
	case "listen":
		return s.channel(ClassListen)
	case "notify":
		return s.channel(ClassNotify)
	case "unlisten":
		return s.channel(ClassUnlisten)
	case "reindex":
		return Class{Kind: ClassReindex}
	default:
		return Class{Kind: ClassOther, WritesUnknown: true, Schema: true}
	}
}

// simpleClasses are the statements of which nothing more than the first word
// is read.
var simpleClasses = map[string]Class{
	"use":        {Kind: ClassUse, Schema: true},
	"checkpoint": {Kind: ClassCheckpoint},
	"vacuum":     {Kind: ClassVacuum},
	"analyze":    {Kind: ClassAnalyze},
	"import":     {Kind: ClassImport, WritesUnknown: true, Schema: true},
	"export":     {Kind: ClassExport},
	"load":       {Kind: ClassLoad, Schema: true},
	"install":    {Kind: ClassInstall},
}

// pragma reads the name after PRAGMA or CALL. What it does is only known of those that tell.
func (s *scanner) pragma(kind ClassKind) Class {
	c := Class{Kind: kind}
	if word, quoted := tokenName(s.src, s.tok); quoted {
		c.Name = fold(word)
	}
	tells := tellingPragmas[c.Name]
	c.WritesUnknown, c.Schema = !tells, !tells
	return c
}

// tellingPragmas are those pragmas and functions to CALL that only tell.
var tellingPragmas = map[string]bool{
	"table_info": true, "pragma_table_info": true, "show": true, "pragma_show": true, "show_tables": true, "show_tables_expanded": true,
	"show_databases": true, "database_list": true, "pragma_database_size": true, "database_size": true, "storage_info": true,
	"pragma_storage_info": true, "version": true, "pragma_version": true, "platform": true, "pragma_platform": true,
	"collations": true, "pragma_collations": true, "functions": true, "user_agent": true, "pragma_user_agent": true, "metadata_info": true,
}

// blankOnly reports whether the text has comments and blanks only; it restarts
// the lexer.
func (s *scanner) blankOnly() bool {
	l := lexer{src: s.src}
	t, err := l.next()
	return err == nil && t.kind == tokEOF
}

// with reads past the common table expressions and classifies what follows; their
// names may be any words. What does not have their form is DuckDB's to refuse.
func (s *scanner) with() Class {
	if s.isWord("recursive") && !s.namesExpression() {
		s.advance()
	}
	changes := false
	for {
		s.advance() // the name
		if s.isPunct("(") {
			s.skipParens()
		}
		if s.acceptAll("using", "key") {
			s.skipParens()
		}
		if !s.accept("as") {
			return Class{Kind: ClassOther, WritesUnknown: true, Schema: true}
		}
		s.accept("not")
		s.accept("materialized")
		changes = s.skipParens() || changes
		if !s.acceptPunct(",") {
			break
		}
	}
	c := s.statement()
	c.WritesUnknown = c.WritesUnknown || changes
	return c
}

// namesExpression reports whether the present word is the name of a common table
// expression.
func (s *scanner) namesExpression() bool {
	at := *s
	at.advance()
	return at.isWord("as", "using") || at.isPunct("(")
}

// settingName takes a name, lower case where unquoted, parts joined by dots.
func (s *scanner) settingName() string {
	var b strings.Builder
	for {
		switch s.tok.kind {
		case tokWord:
			b.WriteString(fold(s.text()))
		case tokQuoted:
			b.WriteString(unquote(s.text()))
		default:
			return b.String()
		}
		s.advance()
		if !s.acceptPunct(".") {
			return b.String()
		}
		b.WriteByte('.')
	}
}

func (s *scanner) setting(w string) Class {
	switch w {
	case "show":
		return s.show()
	case "reset":
		c := Class{Kind: ClassReset}
		c.Scope = s.scope()
		switch {
		case s.acceptAll("time", "zone"):
			c.Name = "timezone"
		case s.acceptAll("transaction", "isolation", "level"):
			c.Name = "transaction_isolation"
		default:
			c.Name = s.settingName()
		}
		return c
	}
	c := Class{Kind: ClassSet}
	if before := *s; s.accept("constraints") {
		if s.tok.kind != tokOp && !s.isWord("to") {
			return s.constraintMode()
		}
		*s = before
	}
	c.Scope = s.scope()
	if c.Scope != "session" && s.accept("transaction") || s.acceptAll("characteristics", "as", "transaction") {
		c.Name = "transaction"
		if c.Scope != "local" && c.Scope != "" && c.Scope != "session" {
			s.fail(&c)
		}
		c.Modes = s.modes(&c)
		return c
	}
	if s.acceptAll("time", "zone") {
		c.Name = "timezone"
		if s.accept("local") {
			c.Value = "default"
			s.end(&c)
			return c
		}
	} else {
		c.Name = s.settingName()
		if s.tok.kind == tokOp && s.text() == "=" {
			s.advance()
		} else {
			s.accept("to")
		}
	}
	if c.Scope == "variable" {
		c.Value, _ = s.rest()
		return c
	}
	c.Value = s.settingValue()
	return c
}

// constraintMode reads SET CONSTRAINTS names IMMEDIATE or DEFERRED.
func (s *scanner) constraintMode() Class {
	c := Class{Kind: ClassConstraints}
	for !s.accept("all") && len(s.name()) > 0 && s.acceptPunct(",") {
	}
	if !s.accept("immediate", "deferred") {
		s.fail(&c)
	}
	s.end(&c)
	return c
}

// show reads SHOW name; SHOW TABLES FROM x, SHOW DATABASES and the like keep
// their words, joined by blanks.
func (s *scanner) show() Class {
	c := Class{Kind: ClassShow}
	switch {
	case s.acceptAll("transaction", "isolation", "level"):
		c.Name = "transaction_isolation"
	case s.acceptAll("time", "zone"):
		c.Name = "timezone"
	default:
		c.Name = s.settingName()
	}
	if s.tok.kind != tokEOF {
		more, _ := s.rest()
		c.Name += " " + fold(more)
	}
	return c
}

// acceptAll advances past the words if they all follow.
func (s *scanner) acceptAll(words ...string) bool {
	at, tok := s.lexer, s.tok
	for _, w := range words {
		if !s.accept(w) {
			s.lexer, s.tok = at, tok
			return false
		}
	}
	return true
}

func (s *scanner) scope() string {
	if s.isWord("session", "local", "global", "variable") {
		at, tok := s.lexer, s.tok
		w := s.word()
		if s.tok.kind == tokWord || s.tok.kind == tokQuoted {
			return w
		}
		s.lexer, s.tok = at, tok // a setting of that name
	}
	return ""
}

// SessionEdits write SESSION into a SET or RESET that does not say whose setting it is.
func SessionEdits(sql string) Edits {
	s := &scanner{lexer: lexer{src: sql}}
	s.advance()
	s.word()
	return Edits{{Start: s.tok.start, End: s.tok.start, Text: "SESSION "}}
}

// settingValue takes the rest: a single string or quoted name without quotes,
// anything else as written.
func (s *scanner) settingValue() string {
	kind, first := s.tok.kind, s.text()
	text, _ := s.rest()
	if text == first && (kind == tokString || kind == tokQuoted) {
		return unquote(text)
	}
	return text
}

func (s *scanner) explain() Class {
	c := Class{Kind: ClassExplain}
	options := s.isPunct("(") && !s.parenthesisedBody()
	if options {
		s.advance()
		s.explainOptions(&c)
	} else {
		for s.isWord("analyze", "analyse", "verbose") {
			if !s.isWord("verbose") {
				c.Analyze = true
			}
			s.advance()
		}
	}
	c.Body, c.Offset = s.rest()
	if c.Analyze || options { // what DuckDB makes of the options is its own
		inner := classifyInner(c.Body)
		c.Writes, c.Schema = inner.Writes, inner.Schema
		c.WritesUnknown = inner.WritesUnknown || inner.Cascades // which DuckDB does alone here
	}
	return c
}

// parenthesisedBody reports whether "(" opens a SELECT and not options.
func (s *scanner) parenthesisedBody() bool {
	at, tok := s.lexer, s.tok
	defer func() { s.lexer, s.tok = at, tok }()
	for s.isPunct("(") {
		s.advance()
	}
	return s.isWord("select", "with", "values", "from", "table")
}

// explainOptions reads "ANALYZE, FORMAT JSON, ..." and the closing parenthesis.
func (s *scanner) explainOptions(c *Class) {
	for s.tok.kind != tokEOF && !s.acceptPunct(")") {
		name, _ := tokenName(s.src, s.tok)
		name, at := fold(name), s.tok.start
		s.advance()
		value := ""
		for s.tok.kind != tokEOF && !s.isPunct(",") && !s.isPunct(")") {
			value = fold(strings.Trim(s.text(), `'"`))
			s.advance()
		}
		s.acceptPunct(",")
		on := value != "false" && value != "off" && value != "0"
		switch name {
		case "analyze", "analyse":
			c.Analyze, c.NoAnalyze = on, !on
		case "format":
			c.JSON = value == "json"
			if value != "json" && value != "text" {
				c.OtherFormat, c.Value = true, value
			}
		case "verbose", "costs", "buffers", "timing", "summary", "settings", "wal":
		default:
			if c.OtherFormat = true; c.Unknown == "" {
				c.Unknown, c.UnknownAt = name, at
			}
		}
	}
}
