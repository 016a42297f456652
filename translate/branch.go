package translate

import (
	"slices"

	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/sqlfront"
)

// ofBranch is an expression over a bag's columns as one over those of a branch. What
// an outer join makes of merged columns, coalesce(a.k, b.k), is the key of one side in
// every branch:
//
//	coalesce(a.k, b.k) where a.k = b.k    a.k
//	coalesce(a.k, NULL)                   a.k
//	coalesce(NULL, b.k)                   b.k
//
// so that the rows of all branches lie under one key.
func ofBranch(branch *sqlfront.Query, e sqlfront.Expr) sqlfront.Expr {
	if c, ok := e.(*sqlfront.ColumnRef); ok {
		return settled(branch.Select[c.Column].Expr)
	}
	out := sqlfront.MapChildren(e, func(e sqlfront.Expr) sqlfront.Expr { return ofBranch(branch, e) })
	if c, ok := out.(*sqlfront.Call); ok && c.Name == "coalesce" {
		return firstKnown(branch, c)
	}
	return out
}

// firstKnown is a COALESCE over a branch's columns without the arguments that are
// NULL in all of its rows and those after one that is NULL in none.
func firstKnown(branch *sqlfront.Query, c *sqlfront.Call) sqlfront.Expr {
	var args []sqlfront.Expr
	for _, arg := range c.Args {
		if isNull(arg) {
			continue
		}
		args = append(args, arg)
		if equatedIn(branch, arg) {
			break
		}
	}
	switch {
	case len(args) == len(c.Args):
		return c
	case len(args) > 1:
		known := &sqlfront.Call{Name: c.Name, Args: args, T: c.T}
		if slices.ContainsFunc(args, func(a sqlfront.Expr) bool { return a.Type() == c.T }) {
			return known
		}
		return &sqlfront.Cast{Arg: known, T: c.T}
	case len(args) == 0:
		args = c.Args
	}
	out := args[0]
	if same := equalIn(branch, out, c.T); same != nil {
		out = same
	}
	if out.Type() == c.T {
		return settled(out)
	}
	return &sqlfront.Cast{Arg: out, T: c.T}
}

// equalIn returns what an equality in a block's WHERE makes the same as an integer of
// another type than t, and is of t: it needs no cast to be the key of both.
func equalIn(q *sqlfront.Query, e sqlfront.Expr, t rows.Type) sqlfront.Expr {
	if e.Type() == t || !t.IsInteger() || len(sourcesOf(e)) == 0 {
		return nil
	}
	key := sourceSQL(e)
	for _, w := range q.Where {
		c, ok := w.(*sqlfront.Call)
		if !ok || c.Name != "=" || len(c.Args) != 2 {
			continue
		}
		for i, arg := range c.Args {
			if other := c.Args[1-i]; sourceSQL(arg) == key && other.Type() == t && len(sourcesOf(other)) == 1 {
				return other
			}
		}
	}
	return nil
}

// settled puts a constant under a cast: a column's type does not follow its context.
func settled(e sqlfront.Expr) sqlfront.Expr {
	switch e.(type) {
	case *sqlfront.Literal, *sqlfront.Param:
		return &sqlfront.Cast{Arg: e, T: e.Type()}
	}
	return e
}

// equatedIn reports whether an expression is a side of an equality in a block's WHERE,
// and so NULL in none of its rows.
func equatedIn(q *sqlfront.Query, e sqlfront.Expr) bool {
	if len(sourcesOf(e)) == 0 {
		return false
	}
	key := sourceSQL(e)
	return slices.ContainsFunc(q.Where, func(w sqlfront.Expr) bool {
		c, ok := w.(*sqlfront.Call)
		return ok && c.Name == "=" && len(c.Args) == 2 && slices.ContainsFunc(c.Args, func(arg sqlfront.Expr) bool { return sourceSQL(arg) == key })
	})
}
