package pgcatalog

import (
	"slices"
	"strconv"
	"strings"

	"github.com/trireme-db/trireme/internal/sqlerr"
	"github.com/trireme-db/trireme/sqlfront"
)

// Call is a call of a function that the session performs, once for each row of the
// statement, before DuckDB executes the rest.
type Call struct {
	Func string
	// Args is SQL for the arguments, texts or NULL, with the statement's parameters.
	Args string
	// From is the statement's FROM with what follows, over whose rows Args is; empty: it
	// has none.
	From string
}

// Answers of such functions: nothing, whether they have done it, or their argument.
const (
	answersNothing = iota
	answersTruth
	answersArgument
)

// performed are the functions: what they answer.
var performed = map[string]int{
	"pg_advisory_lock": answersNothing, "pg_advisory_lock_shared": answersNothing,
	"pg_advisory_xact_lock": answersNothing, "pg_advisory_xact_lock_shared": answersNothing,
	"pg_try_advisory_lock": answersTruth, "pg_try_advisory_lock_shared": answersTruth,
	"pg_try_advisory_xact_lock": answersTruth, "pg_try_advisory_xact_lock_shared": answersTruth,
	"pg_advisory_unlock": answersTruth, "pg_advisory_unlock_shared": answersTruth, "pg_advisory_unlock_all": answersNothing,
	"setval": answersArgument,
}

// argumentTypes are the types of the arguments by how many there are; nil: the function
// does not take so many.
func argumentTypes(name string, n int) []string {
	switch {
	case name == "setval" && (n == 2 || n == 3):
		return []string{"VARCHAR", "BIGINT", "BOOLEAN"}[:n]
	case name == "setval", name == "pg_advisory_unlock_all":
	case n == 1:
		return []string{"BIGINT"}
	case n == 2:
		return []string{"INTEGER", "INTEGER"}
	}
	return nil
}

// perform notes a call of a function that the session performs, and writes its answer in
// its place; false: it is none.
func (r *rewriter) perform(i, end int, name string, args [][2]int, closing int) (bool, error) {
	answers, ok := performed[name]
	types := argumentTypes(name, len(args))
	if !ok || types == nil && (name != "pg_advisory_unlock_all" || len(args) > 0) {
		return false, nil
	}
	c := Call{Func: name}
	var list []string
	for k, arg := range args {
		list = append(list, "CAST(CAST("+r.source(arg)+" AS "+types[k]+") AS VARCHAR)")
	}
	c.Args = strings.Join(list, ", ")
	var err error
	if c.From, err = r.rowsOf(i, closing, name, args); err != nil {
		return false, err
	}
	r.text.Calls = append(r.text.Calls, c)
	before, after := "", ""
	if r.isTable(i) {
		before, after = "(SELECT ", r.tableEnd(closing, name)
	}
	switch {
	case len(args) == 0:
		r.replace(i, closing+1, before+"''"+after)
		return true, nil
	case answers == answersTruth:
		before += "list_contains(string_split(CAST(" + r.answerParam() + " AS VARCHAR), ';'), '" + Answer(len(r.text.Calls)-1) + "' || CAST(CAST("
		r.argument(args, " AS INTEGER) AS VARCHAR) || ',' || CAST(CAST(")
		after = " AS " + types[0] + ") AS VARCHAR))" + after
	case answers == answersNothing:
		before += "CASE WHEN CAST("
		r.argument(args, " AS INTEGER) IS NOT NULL AND CAST(")
		after = " AS " + types[0] + ") IS NOT NULL THEN '' END" + after
	default:
		before += "CASE WHEN CAST("
		r.replace(args[0][1], args[0][1]+1, " AS VARCHAR) IS NOT NULL THEN CAST(")
		if len(args) == 3 {
			r.replace(args[1][1], args[1][1]+1, " AS BIGINT) + CASE WHEN CAST(")
			after = " AS BOOLEAN) IS NOT NULL THEN 0 END END" + after
		} else {
			after = " AS BIGINT) END" + after
		}
	}
	r.replace(i, end+2, before)
	r.replace(closing, closing+1, after)
	return true, nil
}

// Answer is how the value of the answers' parameter names the n-th call of a statement
// with its arguments.
func Answer(n int, args ...string) string { return strconv.Itoa(n) + ":" + strings.Join(args, ",") }

// argument writes what stands between two arguments, if there are two.
func (r *rewriter) argument(args [][2]int, between string) {
	if len(args) == 2 {
		r.replace(args[0][1], args[0][1]+1, between)
	}
}

// answerParam is the parameter of the answers, one for all calls: it comes after the
// statement's own, which must have numbers.
func (r *rewriter) answerParam() string {
	n := sqlfront.ParamCount(r.src)
	if !r.text.Answers {
		r.text.Answers = true
		r.edits = append(r.edits, r.numbers()...)
	}
	return "$" + strconv.Itoa(n+1)
}

// rowsOf is the FROM with what follows of the SELECT that has the call as one of its
// outputs; empty: it has none. Elsewhere a call does not take columns.
func (r *rewriter) rowsOf(i, closing int, name string, args [][2]int) (string, error) {
	ends := []string{"union", "intersect", "except", ";"}
	output := r.pairs.around[i] < 0
	for at := 0; at < i; at++ {
		output = output && (!r.is(at, "from") || r.pairs.around[at] >= 0)
	}
	if output {
		for at := closing + 1; at < len(r.tokens) && !(r.is(at, ends...) && r.pairs.around[at] < 0); at++ {
			if !r.is(at, "from") || r.pairs.around[at] >= 0 {
				continue
			}
			last := at
			for last+1 < len(r.tokens) && !(r.is(last+1, ends...) && r.pairs.around[last+1] < 0) {
				last++
			}
			return r.source([2]int{at, last + 1}), nil
		}
		return "", nil
	}
	for _, arg := range args {
		for at := arg[0]; at < arg[1]; at++ {
			column := r.isName(at) && !r.is(at+1, "(", ".") && !r.is(at, "true", "false", "null", "as", "cast")
			if column && r.tokens[at-1].Kind != sqlfront.TokenCast && !(r.is(at-1, "as") && r.is(at+1, ")")) {
				return "", sqlerr.At(sqlerr.FeatureNotSupported, r.tokens[i].Start, "%s of a column is supported only as an output of a SELECT", name).
					WithHint("Select the keys first, then call %s with each of them.", name)
			}
		}
	}
	return "", nil
}

// Sets reports whether calls of the statement change the database.
func (t *Text) Sets() bool {
	return slices.ContainsFunc(t.Calls, func(c Call) bool { return c.Func == "setval" })
}
