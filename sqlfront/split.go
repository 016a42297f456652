package sqlfront

import "strings"

// Statement is one statement of a text, without its semicolon and without the
// blanks and comments around it. Offset is where it begins in the text.
type Statement struct {
	Text   string
	Offset int
	// Blocks is how many times it says SELECT, Nesting how deep its brackets stand in
	// one another.
	Blocks, Nesting int
}

// Split cuts a text at its semicolons. Empty statements are left out. Blanks of
// Unicode are spaces in the statements (plainBlanks). A quote or comment that does
// not end is error 42601 with its offset.
func Split(sql string) ([]Statement, error) {
	sql, err := plainBlanks(sql)
	if err != nil {
		return nil, err
	}
	var out []Statement
	l := lexer{src: sql}
	start, end := -1, -1
	var seen extent
	for {
		t, err := l.next()
		if err != nil {
			return nil, err
		}
		if t.kind == tokEOF || t.kind == tokPunct && sql[t.start] == ';' {
			if start >= 0 {
				out = append(out, Statement{Text: sql[start:end], Offset: start, Blocks: seen.blocks, Nesting: seen.nesting})
			}
			if t.kind == tokEOF {
				return out, nil
			}
			start, seen = -1, extent{}
			continue
		}
		if start < 0 {
			start = t.start
		}
		end = t.end
		seen.see(t.kind, sql[t.start:t.end])
	}
}

// extent measures a statement by its tokens.
type extent struct{ blocks, nesting, open int }

func (e *extent) see(kind tokenKind, text string) {
	switch {
	case kind == tokWord:
		if strings.EqualFold(text, "select") {
			e.blocks++
		}
	case kind != tokPunct:
	case strings.ContainsAny(text, "([{"):
		e.open++
		e.nesting = max(e.nesting, e.open)
	case strings.ContainsAny(text, ")]}"):
		e.open--
	}
}

// SplitList cuts a text at the commas that stand in no brackets, and trims the
// parts. Of an empty text there are none.
func SplitList(text string) []string {
	var out []string
	s := &scanner{lexer: lexer{src: text}}
	depth, start := 0, 0
	for s.advance(); s.tok.kind != tokEOF; s.advance() {
		switch {
		case s.isPunct("("), s.isPunct("["), s.isPunct("{"):
			depth++
		case s.isPunct(")"), s.isPunct("]"), s.isPunct("}"):
			depth--
		case s.isPunct(",") && depth == 0:
			out = append(out, strings.TrimSpace(text[start:s.tok.start]))
			start = s.tok.end
		}
	}
	if last := strings.TrimSpace(text[start:]); last != "" || len(out) > 0 {
		out = append(out, last)
	}
	return out
}
