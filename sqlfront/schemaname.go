package sqlfront

import "strings"

// sequenceCalls are functions whose argument is the name of a sequence.
var sequenceCalls = map[string]bool{"nextval": true, "currval": true, "setval": true}

// DrawnSequences are the names that a text gives nextval, as they are written in strings; none where one of its calls has
// something else.
func DrawnSequences(sql string) (names []string) {
	tokens, err := Tokens(sql)
	if err != nil {
		return nil
	}
	f := &typeFinder{src: sql, tokens: tokens}
	for i := range tokens {
		if f.word(i) != "nextval" || f.word(i+1) != "(" {
			continue
		}
		if i+3 >= len(tokens) || tokens[i+2].Kind != TokenString || f.word(i+3) != ")" && (f.word(i+3) != "::" || f.word(i+4) != "regclass" || f.word(i+5) != ")") {
			return nil
		}
		name, ok := valueText(sql[tokens[i+2].Start:tokens[i+2].End])
		if !ok {
			return nil
		}
		names = append(names, name)
	}
	return names
}

// SchemaMention is a place in a text that names a schema before the name of an object, or
// in a literal that names a sequence.
type SchemaMention struct {
	Start, End int // of the schema's name; of the whole literal
	// Object is the name after the schema's; Database: there is one before it.
	Object   string
	Database bool
	// Calls: a parenthesis follows, as after the name of a function. Refers: REFERENCES is
	// before it.
	Calls, Refers bool
	literal       bool
}

// SchemaMentions finds where a text names a schema. None in a text in which the name stands
// for something else, such as an alias.
func SchemaMentions(sql, schema string) []SchemaMention {
	tokens, err := Tokens(sql)
	if err != nil {
		return nil
	}
	f := &typeFinder{src: sql, tokens: tokens}
	var found []SchemaMention
	for i, t := range tokens {
		switch t.Kind {
		case TokenWord, TokenQuoted:
			before := f.word(i-1) == "."
			if !strings.EqualFold(strings.Trim(f.word(i), `"`), schema) || before && f.word(i-3) == "." {
				continue
			}
			switch {
			case f.word(i+1) == ".":
				found = append(found, SchemaMention{Start: t.Start, End: t.End, Object: f.name(i + 2), Database: before, Calls: f.word(i+3) == "(", Refers: f.word(i-1) == "references"})
			case !before && !namesSchema[f.word(i-1)]:
				return nil
			}
		case TokenString:
			if f.word(i-1) != "(" || !sequenceCalls[f.word(i-2)] {
				continue
			}
			if named, rest, ok := strings.Cut(sql[t.Start+1:t.End], "."); ok && strings.EqualFold(strings.Trim(named, `"`), schema) {
				found = append(found, SchemaMention{Start: t.Start, End: t.End, Object: rest, literal: true})
			}
		}
	}
	return found
}

// Rename is the edit that writes another name in the schema's place.
func (m SchemaMention) Rename(to string) Edit {
	text := to
	if m.literal {
		text = "'" + to + "." + m.Object
	}
	return Edit{Start: m.Start, End: m.End, Text: text, Place: m.Start}
}

// name is the name that a token is, without its quotes; empty: it is none.
func (f *typeFinder) name(i int) string {
	if i < 0 || i >= len(f.tokens) {
		return ""
	}
	text := f.src[f.tokens[i].Start:f.tokens[i].End]
	if f.tokens[i].Kind == TokenQuoted {
		return unquote(text)
	}
	return text
}

// namesSchema are words that the name of a schema follows.
var namesSchema = map[string]bool{"schema": true, "exists": true, "=": true, "to": true, ",": true, "set": true}
