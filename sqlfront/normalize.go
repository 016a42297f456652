package sqlfront

import "strings"

// literalText stands for a literal in a normalized text.
const literalText = "?"

// Normalize returns a statement without its literals and comments, and with
// single spaces between its words, so that statements that differ in these alone
// look the same. What follows a token without an end is left out.
func Normalize(sql string) string {
	l := lexer{src: sql}
	var b strings.Builder
	last := 0
	for {
		t, err := l.next()
		if err != nil {
			b.WriteString(" " + literalText)
			return b.String()
		}
		if t.kind == tokEOF {
			return b.String()
		}
		if b.Len() > 0 && t.start > last {
			b.WriteByte(' ')
		}
		last = t.end
		switch t.kind {
		case tokString, tokSpecial, tokNumber:
			b.WriteString(literalText)
		default:
			b.WriteString(sql[t.start:t.end])
		}
	}
}

// RedactMessage returns the message of a statement's error as it may be logged:
// it may quote what the statement's own text must not show.
func RedactMessage(sql, message string) string {
	if MayCarrySecret(sql) {
		return "(not shown: the statement carries a secret)"
	}
	return message
}
