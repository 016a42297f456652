package sqlfront

// Statement is one statement of a text, without its semicolon and without the
// blanks and comments around it. Offset is where it begins in the text.
type Statement struct {
	Text   string
	Offset int
}

// Split cuts a text at its semicolons. Empty statements are left out. A quote
// or comment that does not end is error 42601 with its offset.
func Split(sql string) ([]Statement, error) {
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
