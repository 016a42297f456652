package sqlfront

// BareName is a name without a schema, src[Start:End].
type BareName struct {
	Start, End int
	Name       string // without quotes
	Kind       BareKind
}

// BareKind is what a name is of.
type BareKind string

// The kinds of names, of which a sequence's is a string, the argument of a call. Those of relations
// are not found here.
const (
	BareType     BareKind = "type"
	BareFunction BareKind = "macro"
	BareSequence BareKind = "sequence"
	BareRelation BareKind = "relation"
)

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
		switch {
		case isType:
			found = append(found, BareName{Start: t.Start, End: t.End, Name: f.name(i), Kind: BareType})
		case f.word(i+1) == "(":
			found = append(found, BareName{Start: t.Start, End: t.End, Name: f.name(i), Kind: BareFunction})
			if s, ok := f.sequence(i); ok {
				found = append(found, s)
			}
		}
	}
	return found
}

// sequence is the argument of nextval or currval, token i, where it is a name without a schema.
func (f *typeFinder) sequence(i int) (BareName, bool) {
	if w := f.word(i); w != "nextval" && w != "currval" || i+3 >= len(f.tokens) || f.tokens[i+2].Kind != TokenString || f.word(i+3) != ")" {
		return BareName{}, false
	}
	t := f.tokens[i+2]
	text, ok := valueText(f.src[t.Start:t.End])
	parts := tokensOf(text)
	if !ok || len(parts) != 1 {
		return BareName{}, false
	}
	name, ok := tokenName(text, parts[0])
	return BareName{Start: t.Start, End: t.End, Name: name, Kind: BareSequence}, ok
}
