package lower

import "github.com/trireme-db/trireme/sqlfront"

// assumption says which leaves (columns, aggregates, subqueries) are NULL. What
// follows from it is proven, never guessed: IS [NOT] DISTINCT FROM, COALESCE and
// functions that are not listed follow from nothing.
type assumption func(sqlfront.Expr) bool

// strict are the calls that are NULL where an argument is.
var strict = map[string]bool{
	"+": true, "-": true, "*": true, "/": true, "%": true, "||": true, "neg": true,
	"=": true, "<>": true, "<": true, "<=": true, ">": true, ">=": true, "not": true,
	"like": true, "not like": true, "ilike": true, "not ilike": true,
	"abs": true, "floor": true, "ceil": true, "round": true, "sqrt": true, "lower": true, "upper": true, "length": true,
}

// isNull reports whether an expression is always NULL.
func (a assumption) isNull(e sqlfront.Expr) bool {
	if a(e) {
		return true
	}
	switch e := e.(type) {
	case *sqlfront.Cast:
		return a.isNull(e.Arg)
	case *sqlfront.In:
		return len(e.List) > 0 && a.isNull(e.Arg)
	case *sqlfront.Call:
		switch {
		case strict[e.Name]:
			return a.some(e.Args, assumption.isNull)
		case e.Name == "and" || e.Name == "or" || e.Name == "coalesce":
			return a.all(e.Args, assumption.isNull)
		case e.Name == "between" || e.Name == "not between":
			return a.isNull(e.Args[0])
		}
	}
	return false
}

// neverTrue reports whether a predicate is never TRUE.
func (a assumption) neverTrue(e sqlfront.Expr) bool {
	if a.isNull(e) {
		return true
	}
	c, ok := e.(*sqlfront.Call)
	if !ok {
		return false
	}
	switch c.Name {
	case "and":
		return a.some(c.Args, assumption.neverTrue)
	case "or":
		return a.all(c.Args, assumption.neverTrue)
	case "not":
		return a.neverFalse(c.Args[0])
	case "between":
		return a.some(c.Args, assumption.isNull)
	case "is not null":
		return a.isNull(c.Args[0])
	}
	return false
}

// neverFalse reports whether a predicate is never FALSE.
func (a assumption) neverFalse(e sqlfront.Expr) bool {
	if a.isNull(e) {
		return true
	}
	c, ok := e.(*sqlfront.Call)
	if !ok {
		return false
	}
	switch c.Name {
	case "and":
		return a.all(c.Args, assumption.neverFalse)
	case "or":
		return a.some(c.Args, assumption.neverFalse)
	case "not":
		return a.neverTrue(c.Args[0])
	case "not between":
		return a.some(c.Args, assumption.isNull)
	case "is null":
		return a.isNull(c.Args[0])
	}
	return false
}

func (a assumption) some(es []sqlfront.Expr, f func(assumption, sqlfront.Expr) bool) bool {
	for _, e := range es {
		if f(a, e) {
			return true
		}
	}
	return false
}

func (a assumption) all(es []sqlfront.Expr, f func(assumption, sqlfront.Expr) bool) bool {
	for _, e := range es {
		if !f(a, e) {
			return false
		}
	}
	return len(es) > 0
}
