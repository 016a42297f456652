package sqlfront

import "strings"

// Mentions is what the text of a statement names, as far as its effect may depend on it.
// Names are folded, and there may be more than the statement means: a column can have
// the name of a view.
type Mentions struct {
	Calls map[string]bool // what a parenthesis follows
	// Names has strings, too, and what they name last: in FROM they name tables.
	Names map[string]bool
	// Default: a value is the default of its column. As: the word stands outside
	// parentheses. Sample: rows are chosen at random.
	Default, As, Sample bool
}

// MentionsOf reads a text; one that cannot be read ends where it cannot, and DuckDB does
// not run it.
func MentionsOf(sql string) Mentions {
	m := Mentions{Calls: map[string]bool{}, Names: map[string]bool{}}
	tokens := tokensOf(sql)
	depth := 0
	for i, t := range tokens {
		switch {
		case isText(sql, t, "("):
			depth++
		case isText(sql, t, ")"):
			depth--
		}
		if t.kind == tokString || t.kind == tokSpecial {
			if text, ok := valueText(sql[t.start:t.end]); ok {
				m.Names[fold(text)], m.Names[fold(lastPart(text))] = true, true
			}
			continue
		}
		name, ok := tokenName(sql, t)
		if !ok {
			continue
		}
		name = fold(name)
		if i+1 < len(tokens) && isText(sql, tokens[i+1], "(") {
			m.Calls[name] = true
		}
		m.Names[name] = true
		if t.kind != tokWord {
			continue
		}
		switch name {
		case "default":
			m.Default = true
		case "as":
			m.As = m.As || depth == 0
		case "tablesample":
			m.Sample = true
		case "sample":
			m.Sample = m.Sample || i > 0 && wordAt(sql, tokens, i-1) == "using"
		}
	}
	return m
}

// lastPart is the last part of a dotted name.
func lastPart(name string) string {
	for {
		end := strings.IndexByte(name, '.')
		part := name
		if end >= 0 {
			part = name[:end]
		}
		if strings.HasPrefix(name, `"`) {
			for end = 1; end < len(name) && (name[end] != '"' || strings.HasPrefix(name[end:], `""`)); end++ {
				if name[end] == '"' {
					end++
				}
			}
			part = strings.ReplaceAll(name[1:end], `""`, `"`)
			end++
		}
		if end < 0 || end >= len(name) || name[end] != '.' {
			return part
		}
		name = name[end+1:]
	}
}

// Replaces reports whether an INSERT changes rows that are in its way: by ON CONFLICT ..
// DO UPDATE, or as INSERT OR REPLACE. It may do so of one that has these words elsewhere.
func Replaces(sql string) bool {
	s := &scanner{lexer: lexer{src: sql}}
	for s.advance(); s.tok.kind != tokEOF; {
		switch {
		case s.accept("do"):
			if s.isWord("update") {
				return true
			}
		case s.accept("or"):
			if s.isWord("replace") {
				return true
			}
		default:
			s.advance()
		}
	}
	return false
}

// Upserts reports whether an INSERT heeds rows that are in its way: by ON CONFLICT, or as INSERT OR IGNORE
// or REPLACE. One that has these words elsewhere may be taken for such.
func Upserts(sql string) bool {
	s := &scanner{lexer: lexer{src: sql}}
	for s.advance(); s.tok.kind != tokEOF; {
		switch {
		case s.accept("on"):
			if s.isWord("conflict") {
				return true
			}
		case s.accept("or"):
			if s.isWord("replace", "ignore") {
				return true
			}
		default:
			s.advance()
		}
	}
	return false
}

// GeneratedColumns are the expressions of the generated columns in DuckDB's text of a table.
func GeneratedColumns(sql string) (list []string) {
	tokens := tokensOf(sql)
	for i := 0; i+3 < len(tokens); i++ {
		if wordAt(sql, tokens, i) != "generated" || wordAt(sql, tokens, i+1) != "always" || wordAt(sql, tokens, i+2) != "as" || !isText(sql, tokens[i+3], "(") {
			continue
		}
		start, depth := tokens[i+3].start, 0
		for i += 3; i < len(tokens); i++ {
			if isText(sql, tokens[i], "(") {
				depth++
			} else if isText(sql, tokens[i], ")") {
				depth--
			}
			if depth == 0 {
				list = append(list, sql[start:tokens[i].end])
				break
			}
		}
	}
	return list
}

// NameAt is the name, in parts, that begins at a place of a text; nil: none does.
func NameAt(sql string, offset int) []string {
	if offset < 0 || offset >= len(sql) {
		return nil
	}
	s := &scanner{lexer: lexer{src: sql[offset:]}}
	s.advance()
	return s.name()
}
