package engine

import (
	"errors"
	"regexp"
	"strings"

	"github.com/trireme-db/trireme/internal/load"
	"github.com/trireme-db/trireme/internal/sqlerr"
	"github.com/trireme-db/trireme/sqlfront"
)

// noOverload is DuckDB's text for a function that does not take values of such types.
var noOverload = regexp.MustCompile(`^(?:No function matches the given name and argument types |Could not choose a best candidate function for the function call )['"]([^(]+)\((.*)\)['"]\.`)

// matching are the functions that DuckDB has for operators which match texts, by what they are called where the
// statement does not show it.
var matching = map[string]string{
	"~~": "LIKE", "!~~": "NOT LIKE", "~~*": "ILIKE", "!~~*": "NOT ILIKE", "~~~": "GLOB",
	"like_escape": "LIKE", "not_like_escape": "NOT LIKE", "ilike_escape": "ILIKE", "not_ilike_escape": "NOT ILIKE", "regexp_full_match": "~",
}

// asWritten says of an error in sql what is written there, where DuckDB names the function that stands for it.
func asWritten(sql string, err error) error {
	var e *sqlerr.Error
	if !errors.As(err, &e) || e.Code != sqlerr.UndefinedFunction && e.Code != sqlerr.AmbiguousFunction {
		return err
	}
	found := noOverload.FindStringSubmatch(e.Message)
	if found == nil {
		return err
	}
	function, types := found[1], argumentTypes(found[2])
	operator, called := sqlfront.WrittenAt(sql, e.Offset)
	own := *e
	switch {
	case load.SameName(function, called):
		return err
	case matching[function] != "" && len(types) >= 2:
		if operator == "" {
			operator = matching[function]
		}
		own.Message = "operator does not exist: " + types[0] + " " + operator + " " + types[1]
		own.Hint = "It takes texts: cast the operands to VARCHAR."
	case called != "":
		own.Code = sqlerr.UndefinedFunction
		own.Message = called + " does not take these arguments"
		own.Hint = strings.TrimSuffix("DuckDB's "+function+"("+strings.Join(types, ", ")+") stands for it. "+e.Hint, " ")
	default:
		return err
	}
	return &own
}

// argumentTypes are the types in a list of them. Those of literals are the types that they have by themselves.
func argumentTypes(list string) []string {
	var types []string
	depth, start := 0, 0
	for i := 0; i <= len(list); i++ {
		switch {
		case i == len(list) || list[i] == ',' && depth == 0:
			t := strings.TrimSpace(list[start:i])
			start = i + 1
			if kind, literal := strings.CutSuffix(t, "_LITERAL"); literal {
				t = strings.Replace(kind, "STRING", "VARCHAR", 1)
			}
			types = append(types, t)
		case list[i] == '(':
			depth++
		case list[i] == ')':
			depth--
		}
	}
	return types
}
