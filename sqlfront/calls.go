package sqlfront

import "slices"

// NamedCall is a name in a text that a parenthesis follows: a call of a function,
// perhaps.
type NamedCall struct {
	Name   string // folded
	Offset int
	// Literal: the arguments are one plain string, Text.
	Literal bool
	Text    string
	// Paths are the first argument where it is a plain string or a list of such; nil: it
	// is anything else.
	Paths []string
	// Dotted: a schema or an argument stands before the name.
	Dotted bool
}

// NamedCalls finds what may be calls of functions, in the order of the text. A text
// that cannot be read ends where it cannot; DuckDB does not run such a text.
func NamedCalls(sql string) []NamedCall {
	tokens := tokensOf(sql)
	var calls []NamedCall
	for i := 0; i+1 < len(tokens); i++ {
		name, ok := tokenName(sql, tokens[i])
		if !ok || !isText(sql, tokens[i+1], "(") {
			continue
		}
		c := NamedCall{Name: fold(name), Offset: tokens[i].start, Dotted: i > 0 && isText(sql, tokens[i-1], ".")}
		if i+3 < len(tokens) && tokens[i+2].kind == tokString && isText(sql, tokens[i+3], ")") {
			c.Literal, c.Text = true, unquote(sql[tokens[i+2].start:tokens[i+2].end])
		}
		c.Paths = plainTexts(sql, tokens[i+2:])
		calls = append(calls, c)
	}
	return calls
}

// plainTexts are the strings of an argument that is a plain string, or a list of such,
// and nothing else.
func plainTexts(sql string, tokens []token) []string {
	is := func(i int, texts ...string) bool {
		return i < len(tokens) && slices.ContainsFunc(texts, func(text string) bool { return isText(sql, tokens[i], text) })
	}
	at, list := 0, is(0, "[")
	var texts []string
	for end := []string{",", ")"}; ; at++ {
		if list {
			at++ // the bracket or the comma before
			end = []string{",", "]"}
		}
		if at >= len(tokens) || tokens[at].kind != tokString || !is(at+1, end...) {
			return nil
		}
		texts = append(texts, unquote(sql[tokens[at].start:tokens[at].end]))
		switch {
		case !list:
			return texts
		case is(at+1, "]"):
			if !is(at+2, ",", ")") {
				return nil
			}
			return texts
		}
	}
}

// Words returns the first words and names of a text, at most n, folded.
func Words(sql string, n int) []string {
	var words []string
	for _, t := range tokensOf(sql) {
		w, ok := tokenName(sql, t)
		if !ok || len(words) == n {
			break
		}
		words = append(words, fold(w))
	}
	return words
}

// PathOf returns the path that COPY, ATTACH, EXPORT or IMPORT names, if it is a
// plain literal.
func PathOf(c Class, sql string) (path string, ok bool) {
	tokens := tokensOf(sql)
	at := 1 // IMPORT DATABASE 'x', ATTACH 'x'
	switch c.Kind {
	case ClassCopy:
		depth := 0
		for at = 1; at < len(tokens); at++ {
			switch w, _ := tokenName(sql, tokens[at]); {
			case isText(sql, tokens[at], "("):
				depth++
			case isText(sql, tokens[at], ")"):
				depth--
			case depth == 0 && tokens[at].kind == tokWord && (fold(w) == "to" || fold(w) == "from"):
				return literalAt(sql, tokens, at+1)
			}
		}
		return "", false
	case ClassExport, ClassImport, ClassAttach:
		for at < len(tokens) && tokens[at].kind == tokWord {
			at++ // DATABASE, IF NOT EXISTS, a name and TO
		}
		return literalAt(sql, tokens, at)
	}
	return "", false
}

// literalAt is the plain string at a token, if nothing is computed with it.
func literalAt(sql string, tokens []token, at int) (string, bool) {
	if at >= len(tokens) || tokens[at].kind != tokString {
		return "", false
	}
	if at+1 < len(tokens) && (tokens[at+1].kind == tokOp || tokens[at+1].kind == tokString) {
		return "", false
	}
	return unquote(sql[tokens[at].start:tokens[at].end]), true
}

func tokensOf(sql string) []token {
	var tokens []token
	l := lexer{src: sql}
	for {
		t, err := l.next()
		if err != nil || t.kind == tokEOF {
			return tokens
		}
		tokens = append(tokens, t)
	}
}

func tokenName(sql string, t token) (string, bool) {
	switch t.kind {
	case tokWord:
		return sql[t.start:t.end], true
	case tokQuoted:
		return unquote(sql[t.start:t.end]), true
	}
	return "", false
}

func isText(sql string, t token, text string) bool { return sql[t.start:t.end] == text }
