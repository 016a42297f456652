package sqlfront

// BareName is a name without a schema, src[Start:End], of a type or, with Call, of a function.
type BareName struct {
	Start, End int
	Name       string // without quotes
	Call       bool
}

// BareNames finds them in a query, in the order of the text. Words of SQL may be among those
// that a parenthesis follows.
func BareNames(sql string) []BareName {
	tokens, err := Tokens(sql)
	if err != nil {
		return nil
	}
	f := newTypeFinder(sql, tokens)
	var found []BareName
	for i, t := range tokens {
		if !f.isName(i) || f.word(i-1) == "." || f.word(i+1) == "." {
			continue
		}
		if w := f.word(i); t.Kind == TokenWord && (structural[w] || refusedWords[w] != "") {
			continue
		}
		isType := f.isType(i)
		if isType || f.word(i+1) == "(" {
			found = append(found, BareName{Start: t.Start, End: t.End, Name: f.name(i), Call: !isType})
		}
	}
	return found
}
