package sqlfront

import (
	"strings"

	"github.com/trireme-db/trireme/internal/copyfmt"
	"github.com/trireme-db/trireme/internal/sqlerr"
)

// Copy is a COPY statement taken apart.
type Copy struct {
	Table   []string // name parts; none: Query is copied
	Columns []string
	Query   string // at QueryOffset
	// Offsets are bytes of the statement.
	QueryOffset, TableOffset int
	From                     bool
	// Stdio: STDIN or STDOUT, else Program, else a file, by a plain string (Path, with
	// HasPath) or whatever DuckDB takes there.
	Stdio, Program, HasPath bool
	Path                    string
	Options                 []copyfmt.RawOption
	// Unread is the error of a file's options that are not in Postgres' syntax: they may
	// be in DuckDB's, which has errors of its own.
	Unread error
	// Where is the condition of COPY FROM, at WhereOffset.
	Where       string
	WhereOffset int
}

// ParseCopy takes a COPY statement apart, in the syntax with parenthesised options
// and in the older one. COPY FROM DATABASE and texts that are no COPY give nil.
func ParseCopy(sql string) (*Copy, error) {
	p := &copyParser{scanner: scanner{lexer: lexer{src: sql}}}
	p.advance()
	if !p.accept("copy") {
		return nil, nil
	}
	if p.accept("binary") { // before the name, as in Postgres 7
		p.binary = true
	}
	if p.isWord("from") {
		return nil, nil
	}
	if err := p.source(); err != nil {
		return nil, err
	}
	if err := p.direction(); err != nil {
		return nil, err
	}
	err := p.options()
	if err == nil {
		err = p.end()
	}
	if !p.c.Stdio && !p.c.Program {
		p.c.Unread = err
		return &p.c, nil
	}
	if err != nil {
		return nil, err
	}
	return &p.c, nil
}

type copyParser struct {
	scanner
	c      Copy
	binary bool
}

// unexpected is the error at the current token.
func (p *copyParser) unexpected() error {
	if p.tok.kind == tokEOF {
		return sqlerr.At(sqlerr.SyntaxError, len(p.src), "syntax error at end of input")
	}
	return sqlerr.At(sqlerr.SyntaxError, p.tok.start, "syntax error at or near %q", p.text())
}

// source reads what is copied.
func (p *copyParser) source() error {
	p.c.TableOffset = p.tok.start
	if p.isPunct("(") {
		start := p.tok.end
		end := p.closing()
		if end < start {
			return p.unexpected()
		}
		p.c.Query, p.c.QueryOffset = p.src[start:end], start
		if strings.TrimSpace(p.c.Query) == "" {
			return sqlerr.At(sqlerr.SyntaxError, end, `syntax error at or near ")"`)
		}
		return nil
	}
	if p.c.Table = p.name(); len(p.c.Table) == 0 {
		return p.unexpected()
	}
	if !p.acceptPunct("(") {
		return nil
	}
	var err error
	p.c.Columns, err = p.names()
	return err
}

// closing passes over the parenthesised group that begins here and returns where its
// last parenthesis stands; -1: there is none.
func (p *copyParser) closing() int {
	for depth := 0; p.tok.kind != tokEOF; p.advance() {
		switch {
		case p.isPunct("("):
			depth++
		case p.isPunct(")"):
			depth--
		}
		if depth == 0 {
			at := p.tok.start
			p.advance()
			return at
		}
	}
	return -1
}

// names reads names up to the closing parenthesis.
func (p *copyParser) names() ([]string, error) {
	var out []string
	for {
		switch p.tok.kind {
		case tokWord:
			out = append(out, p.text())
		case tokQuoted:
			out = append(out, unquote(p.text()))
		default:
			return nil, p.unexpected()
		}
		p.advance()
		if p.acceptPunct(")") {
			return out, nil
		}
		if !p.acceptPunct(",") {
			return nil, p.unexpected()
		}
	}
}

func (p *copyParser) direction() error {
	at := p.tok.start
	switch {
	case p.accept("from"):
		p.c.From = true
		if p.c.Table == nil {
			return sqlerr.At(sqlerr.SyntaxError, at, `syntax error at or near "from"`).WithHint("A query can only be copied TO.")
		}
	case !p.accept("to"):
		return p.unexpected()
	}
	switch {
	case p.accept("stdin", "stdout"): // Postgres takes either for both
		p.c.Stdio = true
	case p.isWord("program"):
		at, tok := p.lexer, p.tok
		p.advance()
		if p.tok.kind == tokString || p.tok.kind == tokSpecial {
			p.c.Program = true
			p.advance()
		} else {
			p.lexer, p.tok = at, tok
		}
	default:
		p.file()
	}
	return nil
}

// file reads what names a file.
func (p *copyParser) file() {
	if p.tok.kind == tokString || p.tok.kind == tokSpecial {
		p.c.Path, p.c.HasPath = valueText(p.text())
	}
	p.advance()
	if p.tok.kind == tokOp { // the string is the beginning of an expression
		p.c.HasPath = false
	}
}

// end reads WHERE and what may follow it: nothing.
func (p *copyParser) end() error {
	if p.isWord("where") {
		at := p.tok.start
		p.advance()
		if !p.c.From {
			return sqlerr.At(sqlerr.SyntaxError, at, "WHERE clause not allowed with COPY TO").
				WithHint("Use COPY (SELECT .. WHERE ..) TO.")
		}
		p.c.Where, p.c.WhereOffset = p.rest()
		if p.c.Where == "" {
			return p.unexpected()
		}
		return nil
	}
	if p.tok.kind != tokEOF && !p.isPunct(";") {
		return p.unexpected()
	}
	return nil
}

func (p *copyParser) options() error {
	if p.binary {
		p.add(copyfmt.RawOption{Name: "format", Value: "binary", Given: true})
	}
	if p.isWord("using") || p.isWord("delimiters") { // as in Postgres 7
		p.accept("using")
		if !p.isWord("delimiters") {
			return p.unexpected()
		}
		if err := p.oldValue("delimiter"); err != nil {
			return err
		}
	}
	p.accept("with")
	if p.acceptPunct("(") {
		return p.newOptions()
	}
	for p.tok.kind != tokEOF && !p.isWord("where") && !p.isPunct(";") {
		if err := p.oldOption(); err != nil {
			return err
		}
	}
	return nil
}

func (p *copyParser) add(o copyfmt.RawOption) { p.c.Options = append(p.c.Options, o) }

// newOptions reads "name [value], ..." and the closing parenthesis.
func (p *copyParser) newOptions() error {
	for {
		o := copyfmt.RawOption{Offset: p.tok.start}
		if p.tok.kind == tokQuoted {
			o.Name = unquote(p.text())
			p.advance()
		} else {
			o.Name = p.word()
		}
		if o.Name == "" {
			return p.unexpected()
		}
		if err := p.newValue(&o); err != nil {
			return err
		}
		p.add(o)
		if p.acceptPunct(")") {
			return nil
		}
		if !p.acceptPunct(",") {
			return p.unexpected()
		}
	}
}

func (p *copyParser) newValue(o *copyfmt.RawOption) (err error) {
	switch {
	case p.isPunct(",") || p.isPunct(")"):
		return nil
	case p.acceptPunct("("):
		o.Given = true
		o.List, err = p.names()
		return err
	case p.tok.kind == tokOp && p.text() == "*":
		o.Given, o.Star = true, true
		p.advance()
		return nil
	}
	o.Given = true
	o.Value, err = p.value()
	return err
}

// value takes a string, a word or a number.
func (p *copyParser) value() (string, error) {
	text := p.text()
	switch p.tok.kind {
	case tokString, tokSpecial:
		text, ok := valueText(text)
		if !ok {
			return "", p.unexpected()
		}
		p.advance()
		return text, nil
	case tokQuoted:
		text = unquote(text)
	case tokWord, tokNumber:
	default:
		return "", p.unexpected()
	}
	p.advance()
	return text, nil
}

// oldOption reads one option of the syntax without parentheses.
func (p *copyParser) oldOption() error {
	at := p.tok.start
	switch {
	case p.accept("binary"):
		p.add(copyfmt.RawOption{Name: "format", Value: "binary", Given: true, Offset: at})
	case p.accept("csv"):
		p.add(copyfmt.RawOption{Name: "format", Value: "csv", Given: true, Offset: at})
	case p.accept("header"):
		p.add(copyfmt.RawOption{Name: "header", Offset: at})
	case p.accept("freeze"):
		p.add(copyfmt.RawOption{Name: "freeze", Offset: at})
	case p.isWord("delimiter", "null", "quote", "escape", "encoding"):
		return p.oldValue(fold(p.text()))
	case p.accept("force"):
		return p.oldForce(at)
	default:
		return p.unexpected()
	}
	return nil
}

// oldValue reads "NAME [AS] 'text'", of which NAME is the current token.
func (p *copyParser) oldValue(name string) (err error) {
	o := copyfmt.RawOption{Name: name, Given: true, Offset: p.tok.start}
	p.advance()
	p.accept("as")
	if p.tok.kind != tokString && p.tok.kind != tokSpecial {
		return p.unexpected()
	}
	o.Value, err = p.value()
	p.add(o)
	return err
}

func (p *copyParser) oldForce(at int) error {
	o := copyfmt.RawOption{Given: true, Offset: at}
	switch {
	case p.accept("quote"):
		o.Name = "force_quote"
	case p.acceptAll("not", "null"):
		o.Name = "force_not_null"
	case p.accept("null"):
		o.Name = "force_null"
	default:
		return p.unexpected()
	}
	if p.tok.kind == tokOp && p.text() == "*" {
		o.Star = true
		p.advance()
		p.add(o)
		return nil
	}
	for {
		name := p.text()
		switch p.tok.kind {
		case tokQuoted:
			name = unquote(name)
		case tokWord:
		default:
			return p.unexpected()
		}
		o.List = append(o.List, name)
		p.advance()
		if !p.acceptPunct(",") {
			p.add(o)
			return nil
		}
	}
}
