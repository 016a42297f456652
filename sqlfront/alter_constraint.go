package sqlfront

import (
	"strings"

	"github.com/trireme-db/trireme/internal/load"
	"github.com/trireme-db/trireme/internal/sqlerr"
)

// WithoutDeferral is a constraint without the words at its end that say when it is
// checked: it is at once.
func WithoutDeferral(text string) string {
	tokens := tokensOf(text)
	depth := 0
	for i, t := range tokens {
		switch {
		case isText(text, t, "("):
			depth++
		case isText(text, t, ")"):
			depth--
		}
		if depth > 0 || t.kind != tokWord {
			continue
		}
		switch fold(text[t.start:t.end]) {
		case "deferrable", "initially":
			end := t.start
			if i > 0 && strings.EqualFold(text[tokens[i-1].start:tokens[i-1].end], "not") {
				end = tokens[i-1].start
			}
			return strings.TrimSpace(text[:end])
		}
	}
	return strings.TrimSpace(text)
}

// UniqueColumns are the columns of a constraint UNIQUE (columns); false: it is another
// constraint.
func UniqueColumns(text string) (columns []string, unique bool, err error) {
	s := &scanner{lexer: lexer{src: text}}
	s.advance()
	if !s.accept("unique") {
		return nil, false, nil
	}
	s.acceptAll("nulls", "distinct")
	ok := s.acceptPunct("(")
	for ok {
		name := s.plainName()
		columns = append(columns, name)
		if s.acceptPunct(")") {
			ok = name != "" && s.tok.kind == tokEOF
			break
		}
		ok = name != "" && s.acceptPunct(",")
	}
	if !ok {
		return nil, true, sqlerr.New(sqlerr.FeatureNotSupported, "constraint %s is not supported", text).WithHint("Write UNIQUE (column, ...).")
	}
	return columns, true, nil
}

// IsPrimaryKey reports whether a constraint is a primary key.
func IsPrimaryKey(text string) bool {
	s := &scanner{lexer: lexer{src: text}}
	s.advance()
	return s.acceptAll("primary", "key")
}

// AlteredType is what [SET DATA] TYPE, which follows the column of ALTER COLUMN, makes of a
// column.
type AlteredType struct {
	// Type is empty where it is the one of Using, the expression after USING, which may be empty.
	Type, Using string
	// Collates: there is a COLLATE.
	Collates bool
}

// TypeOfAlter reads what follows the column of ALTER COLUMN; false: it is another action.
func TypeOfAlter(text string) (AlteredType, bool) {
	s := &scanner{lexer: lexer{src: text}}
	s.advance()
	s.acceptAll("set", "data")
	s.accept("set")
	if !s.accept("type") || s.tok.kind == tokEOF {
		return AlteredType{}, false
	}
	var a AlteredType
	begin := s.tok.start
	for s.tok.kind != tokEOF && !s.isWord("using") {
		a.Collates = a.Collates || s.isWord("collate")
		s.advance()
	}
	a.Type = strings.TrimSpace(text[begin:s.tok.start])
	if s.accept("using") {
		a.Using = strings.TrimSpace(text[s.tok.start:])
	}
	return a, true
}

// InSchema is a foreign key as DuckDB writes it, with the schema of its table before the
// one that it refers to, which DuckDB leaves out for the default schema.
func InSchema(text, schema string) string {
	tokens := tokensOf(text)
	if len(tokens) == 0 || !strings.EqualFold(text[tokens[0].start:tokens[0].end], "foreign") {
		return text
	}
	for i, t := range tokens {
		if t.kind == tokWord && strings.EqualFold(text[t.start:t.end], "references") && i+2 < len(tokens) && !isText(text, tokens[i+2], ".") {
			return text[:tokens[i+1].start] + load.Quote(schema) + "." + text[tokens[i+1].start:]
		}
	}
	return text
}

// ReferencesTo is a foreign key that refers to another table, as SQL, with columns
// renamed, by their present names.
func ReferencesTo(text, table string, renamed map[string]string) string {
	tokens := tokensOf(text)
	for i, t := range tokens {
		if t.kind != tokWord || !strings.EqualFold(text[t.start:t.end], "references") {
			continue
		}
		edits := Edits{}
		for list := i + 1; list < len(tokens); list++ {
			if len(edits) == 0 && isText(text, tokens[list], "(") {
				edits = append(edits, Edit{Start: tokens[i+1].start, End: tokens[list-1].end, Text: table})
			}
			if name, ok := tokenName(text, tokens[list]); ok && len(edits) > 0 && renamed[fold(name)] != "" {
				edits = append(edits, Edit{Start: tokens[list].start, End: tokens[list].end, Text: load.Quote(renamed[fold(name)])})
			}
		}
		return edits.Apply(text, 0, len(text))
	}
	return text
}
