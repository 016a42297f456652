package duckbackend

import (
	"strings"

	"github.com/trireme-db/trireme/internal/sqlerr"
)

// regexpFaults are what RE2 says of a pattern, before a colon and the pattern if at all, and what Postgres says.
var regexpFaults = map[string]string{
	"missing )":                           "parentheses () not balanced",
	"unexpected )":                        "parentheses () not balanced",
	"missing ]":                           "brackets [] not balanced",
	"no argument for repetition operator": "quantifier operand invalid",
	"bad repetition operator":             "quantifier operand invalid",
	"invalid repetition size":             "invalid repetition count(s)",
	"invalid escape sequence":             "invalid escape \\ sequence",
	"trailing \\":                         "invalid escape \\ sequence",
	"trailing \\ at end of regexp":        "invalid escape \\ sequence",
	"invalid character class":             "invalid character class",
	"invalid character class range":       "invalid character range",
	"invalid perl operator":               "quantifier operand invalid",
	"invalid named capture group":         "invalid name of a group",
	"pattern too large - compile failed":  "regular expression is too complex",
	"invalid UTF-8":                       "invalid UTF-8",
}

// explainRegexp is the error of a pattern as Postgres has it. The pattern is not repeated: what ~ searches for
// is written into another one.
func explainRegexp(e *sqlerr.Error) {
	fault, _, _ := strings.Cut(e.Message, ": ")
	if says, ok := regexpFaults[fault]; ok && e.Code == sqlerr.InvalidParameter {
		e.Code, e.Message = sqlerr.InvalidRegexp, "invalid regular expression: "+says
	}
}
