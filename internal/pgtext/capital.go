package pgtext

import (
	"strings"
	"unicode"
)

// Capitalized is a text with the first letter of each word in upper case and the others in
// lower case, as Postgres' initcap has it: words are letters and digits.
func Capitalized(text string) string {
	within := false
	return strings.Map(func(r rune) rune {
		before := within
		if within = unicode.IsLetter(r) || unicode.IsNumber(r); !within {
			return r
		}
		if before {
			return unicode.ToLower(r)
		}
		return unicode.ToUpper(r)
	}, text)
}
