package sqlfront

import "strings"

// Statement is one statement of a text, without its semicolon and without the
// blanks and comments around it. Offset is where it begins in the text.
type Statement struct {
	Text   string
	Offset int
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
	for {
		t, err := l.next()
		if err != nil {
			return nil, err
		}
		if t.kind == tokEOF || t.kind == tokPunct && sql[t.start] == ';' {
			if start >= 0 {
				out = append(out, Statement{Text: sql[start:end], Offset: start})
			}
			if t.kind == tokEOF {
				return out, nil
			}
			start = -1
			continue
		}
		if start < 0 {
			start = t.start
		}
		end = t.end
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
