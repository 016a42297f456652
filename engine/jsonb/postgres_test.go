package jsonb

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/internal/sqlerr"
)

// postgresAnswers are answers of Postgres 15 with the collation C: the function, its answer
// (! and a SQLSTATE for an error), and its arguments.
//
//go:embed testdata/postgres.tsv
var postgresAnswers string

// deletions are the kinds of argument of the functions that are one by name.
var deletions = map[string]string{"jsonb_delete_key": "text", "jsonb_delete_keys": "list", "jsonb_delete_element": "number"}

// argumentsOf makes values of the texts of arguments.
func argumentsOf(t *testing.T, name string, texts []string) (string, []any) {
	t.Helper()
	args := make([]any, len(texts))
	for i, text := range texts {
		args[i] = text
		if i == 3 {
			args[i] = text == "true"
		}
	}
	kind, deletes := deletions[name]
	if !deletes {
		return name, args
	}
	switch kind {
	case "number":
		n, err := strconv.ParseInt(texts[1], 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		args[1] = n
	case "list":
		list, err := pathOf(texts[1])
		if err != nil {
			t.Fatal(err)
		}
		args[1] = list
	}
	return "jsonb_delete", args
}

// Functions and operators answer as Postgres does, but for blanks, the order of keys, and how
// a number is written.
func TestAnswersArePostgres(t *testing.T) {
	for line := range strings.Lines(postgresAnswers) {
		fields := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		name, args := argumentsOf(t, fields[0], fields[2:])
		got, err := call(t, name, args...)
		if want := fields[1]; !isAnswer(name, got, err, want) {
			t.Errorf("%s(%s): %v, %v; Postgres has %s", fields[0], strings.Join(fields[2:], ", "), got, err, want)
		}
	}
}

func isAnswer(name string, got any, err error, want string) bool {
	if err != nil {
		return want == "!"+sqlerr.From(err).Code
	}
	if got == nil {
		return want == "NULL"
	}
	text := fmt.Sprint(got)
	if text == want {
		return true
	}
	isJSON := false
	for _, f := range Functions() {
		isJSON = isJSON || f.Name == name && f.Result.ID == rows.JSON
	}
	if name == "jsonb_text_at" { // of a container the text of JSON
		isJSON = strings.ContainsAny(text[:min(1, len(text))], "[{")
	}
	if !isJSON || strings.HasPrefix(want, "!") || want == "NULL" {
		return false
	}
	mine, err := parse(nil, text)
	if err != nil {
		return false
	}
	theirs, err := parse(nil, want)
	return err == nil && mine.compare(&theirs) == 0
}
