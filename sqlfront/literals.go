package sqlfront

// literalWords are the words that may stand for a value in a SELECT of literals.
var literalWords = map[string]bool{"null": true, "true": true, "false": true}

// SelectsLiterals reports whether a text is a SELECT of literals alone, with or without
// names, such as clients send to see whether their connection lives. It reads no table
// and calls nothing, so that what it means depends on no data and on no time.
func SelectsLiterals(sql string) bool {
	tokens := tokensOf(sql)
	if len(tokens) == 0 || !isWordOf(sql, tokens[0], "select") {
		return false
	}
	for i := 1; ; {
		n := literalItem(sql, tokens[i:])
		if i += n; n == 0 {
			return false
		}
		if i == len(tokens) {
			return true
		}
		if !isText(sql, tokens[i], ",") {
			return false
		}
		i++
	}
}

// literalItem is the number of tokens of the literal with which tokens begin, and of
// its name; 0: they begin with something else.
func literalItem(sql string, tokens []token) int {
	if len(tokens) == 0 {
		return 0
	}
	t := tokens[0]
	if t.kind != tokNumber && t.kind != tokString && (t.kind != tokWord || !literalWords[fold(sql[t.start:t.end])]) {
		return 0
	}
	if len(tokens) >= 3 && isWordOf(sql, tokens[1], "as") {
		if _, ok := tokenName(sql, tokens[2]); ok {
			return 3
		}
	}
	return 1
}

// isWordOf reports whether a token is a word, in any case.
func isWordOf(sql string, t token, word string) bool {
	return t.kind == tokWord && fold(sql[t.start:t.end]) == word
}
