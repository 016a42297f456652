package sqlfront

import "strings"

// WrittenAt is what stands at an offset of a text: an operator, by its words or signs, or the name of a
// function that is called. Both are empty where something else does.
func WrittenAt(sql string, offset int) (operator, function string) {
	tokens, err := Tokens(sql)
	if err != nil {
		return "", ""
	}
	f := newTypeFinder(sql, tokens)
	for i, t := range tokens {
		switch {
		case t.Start < offset:
			continue
		case t.Start > offset:
			return "", ""
		case t.Kind == TokenOp:
			return f.word(i), ""
		case t.Kind == TokenWord && f.word(i) == "operator" && f.word(i+1) == "(":
			if end, ok := f.closing[i+1]; ok {
				return f.word(end - 1), ""
			}
		}
		if t.Kind == TokenWord && f.word(i-1) != "." {
			if words := f.operatorWords(i); words != "" {
				return words, ""
			}
		}
		for f.word(i+1) == "." && f.isName(i+2) {
			i += 2
		}
		if f.isName(i) && f.word(i+1) == "(" {
			return "", f.name(i)
		}
		return "", ""
	}
	return "", ""
}

// operatorWords are the words of an operator at whose first word, or the one behind NOT, token i stands;
// empty: it is none.
func (f *typeFinder) operatorWords(i int) string {
	not := ""
	if f.word(i) == "not" {
		not, i = "NOT ", i+1
	} else if f.word(i-1) == "not" {
		not = "NOT "
	}
	switch word := f.word(i); word {
	case "like", "ilike", "glob":
		return not + strings.ToUpper(word)
	case "similar":
		if f.word(i+1) == "to" {
			return not + "SIMILAR TO"
		}
	}
	return ""
}
