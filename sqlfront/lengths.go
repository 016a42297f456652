package sqlfront

import (
	"strconv"
	"strings"
)

// DeclaredLength is a column whose type has a length, or digits of a second, or is JSONB,
// which DuckDB does not keep.
type DeclaredLength struct {
	Column string
	// Type is varchar(n), timestamptz(n) and the like, as Postgres calls it; varchar alone for
	// CHARACTER VARYING, which those write who do not mean TEXT.
	Type string
}

// CreatedLengths finds the columns with lengths of a CREATE TABLE.
func CreatedLengths(sql string) []DeclaredLength {
	if !mayHaveLength(sql) {
		return nil
	}
	s := &scanner{lexer: lexer{src: sql}}
	s.advance()
	for s.tok.kind != tokEOF && !s.isPunct("(") {
		if s.isWord("as") {
			return nil
		}
		s.advance()
	}
	s.acceptPunct("(")
	var found []DeclaredLength
	for s.tok.kind != tokEOF && !s.isPunct(")") {
		column := s.plainName()
		if typ := s.lengthType(); column != "" && typ != "" {
			found = append(found, DeclaredLength{column, typ})
		}
		for s.tok.kind != tokEOF && !s.isPunct(",") && !s.isPunct(")") {
			if s.isPunct("(") {
				s.skipParens()
			} else {
				s.advance()
			}
		}
		s.acceptPunct(",")
	}
	return found
}

func mayHaveLength(sql string) bool {
	lower := strings.ToLower(sql)
	return strings.Contains(lower, "char") || strings.Contains(lower, "jsonb") || strings.Contains(lower, "time") || strings.Contains(lower, "bit")
}

// LengthOf is the type with a length with which the definition of a column begins; empty:
// it has none.
func LengthOf(definition string) string {
	if !mayHaveLength(definition) {
		return ""
	}
	s := &scanner{lexer: lexer{src: definition}}
	s.advance()
	return s.lengthType()
}

// AlteredLength is the type with a length that ALTER COLUMN .. TYPE gives a column; false:
// it does not give it a type.
func AlteredLength(rest string) (string, bool) {
	s := &scanner{lexer: lexer{src: rest}}
	s.advance()
	if !s.accept("type") && !s.acceptAll("set", "data", "type") {
		return "", false
	}
	return s.lengthType(), true
}

// lengthType takes a type with a length.
func (s *scanner) lengthType() string {
	name, whole := "", ""
	switch {
	case s.accept("jsonb"):
		if s.isPunct("[") {
			return ""
		}
		return "jsonb"
	case s.acceptAll("character", "varying"):
		name, whole = "varchar", "varchar"
	case s.accept("varchar"), s.acceptAll("char", "varying"):
		name = "varchar"
	case s.accept("character"), s.accept("char"), s.accept("bpchar"):
		name = "bpchar"
	case s.acceptAll("bit", "varying"), s.accept("varbit"):
		name = "varbit"
	case s.accept("bit"):
		name = "bit"
	case s.isWord("timestamp", "timestamptz", "time", "timetz"):
		return s.timeType()
	}
	if name == "" || !s.acceptPunct("(") {
		if s.isPunct("[") {
			return ""
		}
		return whole
	}
	n, err := strconv.Atoi(s.text())
	s.advance()
	if err != nil || n < 1 || !s.acceptPunct(")") || s.isPunct("[") {
		return ""
	}
	return name + "(" + strconv.Itoa(n) + ")"
}

// timeType takes a type of times; empty: it does not say how many digits a second has.
func (s *scanner) timeType() string {
	name := s.word()
	if !s.acceptPunct("(") {
		return ""
	}
	n, err := strconv.Atoi(s.text())
	s.advance()
	if err != nil || n < 0 || !s.acceptPunct(")") {
		return ""
	}
	if s.acceptAll("with", "time", "zone") {
		name += "tz"
	} else {
		s.acceptAll("without", "time", "zone")
	}
	if s.isPunct("[") {
		return ""
	}
	return name + "(" + strconv.Itoa(n) + ")"
}

// Comment is COMMENT ON a table, a column, a sequence or an index: its kind, in lower case, the name
// as it is written, of a column that of its table, the column, and the text, NULL being none.
type Comment struct {
	Kind         string
	Name         []string
	Column, Text string
}

// ParseComment reads COMMENT ON; false: it is on something else.
func ParseComment(sql string) (Comment, bool) {
	s := &scanner{lexer: lexer{src: sql}}
	s.advance()
	var c Comment
	if !s.acceptAll("comment", "on") {
		return c, false
	}
	for _, kind := range []string{"table", "column", "sequence", "index"} {
		if s.accept(kind) {
			c.Kind = kind
			break
		}
	}
	if c.Kind == "" {
		return c, false
	}
	c.Name = s.name()
	if c.Kind == "column" && len(c.Name) > 0 {
		c.Column, c.Name = c.Name[len(c.Name)-1], c.Name[:len(c.Name)-1]
	}
	if len(c.Name) == 0 || !s.accept("is") {
		return c, false
	}
	switch {
	case s.accept("null"):
	default:
		text, ok := "", false
		if s.tok.kind == tokString || s.tok.kind == tokSpecial {
			text, ok = valueText(s.text())
		}
		if !ok {
			return c, false
		}
		c.Text = text
		s.advance()
	}
	s.acceptPunct(";")
	return c, s.tok.kind == tokEOF
}
