package slt

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
)

// errSkip is a reason why a file does not apply here.
type errSkip string

func (e errSkip) Error() string { return string(e) }

// codeRefused and refusedPrefix mark the error of a backend that is forced and
// does not take a statement.
const (
	codeRefused   = "0A000"
	refusedPrefix = "backend "
	refusedMiddle = " cannot answer this statement: "
)

// refusal returns the reason when err says that a forced backend does not take
// the statement.
func refusal(err error) (reason string, ok bool) {
	var e *pgconn.PgError
	if !errors.As(err, &e) || e.Code != codeRefused || !strings.HasPrefix(e.Message, refusedPrefix) {
		return "", false
	}
	_, reason, ok = strings.Cut(e.Message, refusedMiddle)
	return reason, ok
}

// duckTypes are the words with which DuckDB begins errors of a SQLSTATE class.
// The wire does not carry them, files quote them.
var duckTypes = map[string][]string{
	"42": {"Parser", "Syntax", "Binder", "Catalog", "Mismatch Type", "Permission", "Invalid Input"},
	"22": {
		"Conversion", "Out of Range", "Invalid Input", "Decimal", "Divide by Zero", "Sequence", "Invalid Configuration",
		"Invalid", "Mismatch Type",
	},
	"23": {"Constraint"},
	"25": {"TransactionContext", "Invalid Input"},
	"26": {"Binder"},
	"2B": {"Dependency", "Catalog"},
	"3D": {"Catalog", "Binder"},
	"3F": {"Catalog"},
	"40": {"TransactionContext"},
	"0A": {"Not implemented", "Missing Extension"},
	"53": {"Out of Memory"},
	"57": {"INTERRUPT"},
	"58": {"IO", "HTTP"},
	"XX": {"INTERNAL", "Serialization", "FATAL"},
}

// errorTexts are the texts under which a file may know an error: the wire's
// message and hint, or DuckDB's for it, alone and after each of DuckDB's words for its class.
func errorTexts(err error) []string {
	var e *pgconn.PgError
	if !errors.As(err, &e) {
		return []string{err.Error()}
	}
	message := e.Message
	if e.Hint != "" {
		message += "\n" + e.Hint
	}
	texts := append([]string{message}, ViolationTexts(e)...)
	for _, message := range slices.Clone(texts) {
		for _, word := range duckTypes[e.Code[:2]] {
			texts = append(texts, word+" Error: "+message)
		}
	}
	return texts
}

// checkError compares an error with the text that a file wants; want may be empty.
func (c *checker) checkError(want string, err error) error {
	var e *pgconn.PgError
	if !errors.As(err, &e) {
		return err // the connection, not the statement, has failed
	}
	if strings.HasPrefix(e.Code, "XX") && !strings.Contains(want, "INTERNAL") {
		return fmt.Errorf("an error of class XX is never expected: %w", err)
	}
	if want == "" {
		return nil
	}
	for _, text := range errorTexts(err) {
		if c.errorMatches(want, text) || c.errorMatches(c.expand(want), text) {
			return nil
		}
	}
	return fmt.Errorf("error %s %q (hint %q), want %q", e.Code, e.Message, e.Hint, want)
}

func (c *checker) errorMatches(want, text string) bool {
	if pattern, ok := strings.CutPrefix(want, "<REGEX>:"); ok {
		return matches(pattern, text)
	}
	if pattern, ok := strings.CutPrefix(want, "<!REGEX>:"); ok {
		return !matches(pattern, text)
	}
	return strings.Contains(squeeze(text), squeeze(want))
}

// squeeze makes every run of white space one blank: where DuckDB breaks lines is
// not a part of an error.
func squeeze(s string) string { return strings.Join(strings.Fields(s), " ") }
