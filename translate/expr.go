package translate

import (
	"fmt"
	"slices"

	"github.com/trireme-db/trireme/internal/invariant"
	"github.com/trireme-db/trireme/internal/load"
	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/sqlfront"
)

// columnSQL prints an expression over one source with bare column names.
func columnSQL(e sqlfront.Expr) string {
	return sqlfront.PrintExpr(typedNulls(e), func(c *sqlfront.ColumnRef) string { return load.Quote(c.Name) })
}

// typedNulls gives the operators around what DuckDB may know to be NULL the types that
// they have in the statement, where it is a column that an outer join pads or a derived
// table's constant: to DuckDB x - NULL is a NULL of no type, and least(x - NULL, 1) an
// INTEGER. With a parameter, that is what the statement has as well.
func typedNulls(e sqlfront.Expr) sqlfront.Expr {
	out := sqlfront.MapChildren(e, typedNulls)
	c, ok := e.(*sqlfront.Call)
	switch {
	case !ok, c.T.ID == rows.SQLNull, !mayFoldToNull(c):
	case c.T.ID == rows.Boolean && !alwaysNull(c): // a comparison is a BOOLEAN in any case
	default:
		return &sqlfront.Cast{Arg: out, T: c.T}
	}
	return out
}

// mayFoldToNull reports whether DuckDB may find an expression to be NULL without
// reading a row.
func mayFoldToNull(e sqlfront.Expr) bool {
	switch x := e.(type) {
	case *sqlfront.Cast:
		return mayFoldToNull(x.Arg)
	case *sqlfront.Case:
		return onlyLiterals(x)
	case *sqlfront.Call:
		return onlyLiterals(x) || !totalCalls[x.Name] && slices.ContainsFunc(x.Args, mayFoldToNull)
	}
	return isNull(e)
}

// onlyLiterals reports whether an expression has neither columns nor parameters.
func onlyLiterals(e sqlfront.Expr) bool {
	found := true
	mapLeaves(e, func(x sqlfront.Expr) sqlfront.Expr {
		_, literal := x.(*sqlfront.Literal)
		found = found && literal
		return x
	})
	return found
}

// sourcesOf returns the sources that an expression reads, ascending.
func sourcesOf(e sqlfront.Expr) []int {
	var seen []int
	eachColumn(e, func(c *sqlfront.ColumnRef) {
		at := 0
		for at < len(seen) && seen[at] < c.Source {
			at++
		}
		if at == len(seen) || seen[at] != c.Source {
			seen = append(seen[:at], append([]int{c.Source}, seen[at:]...)...)
		}
	})
	return seen
}

// eachColumn visits the columns of an expression.
func eachColumn(e sqlfront.Expr, f func(*sqlfront.ColumnRef)) {
	mapColumns(e, func(c *sqlfront.ColumnRef) sqlfront.Expr {
		f(c)
		return c
	})
}

// mapColumns rebuilds an expression with every column replaced by f's answer.
func mapColumns(e sqlfront.Expr, f func(*sqlfront.ColumnRef) sqlfront.Expr) sqlfront.Expr {
	return mapLeaves(e, func(x sqlfront.Expr) sqlfront.Expr {
		if c, ok := x.(*sqlfront.ColumnRef); ok {
			return f(c)
		}
		return x
	})
}

// mapLeaves rebuilds an expression with everything that has no operands
// replaced by f's answer.
func mapLeaves(e sqlfront.Expr, f func(sqlfront.Expr) sqlfront.Expr) sqlfront.Expr {
	all := func(args []sqlfront.Expr) []sqlfront.Expr {
		out := make([]sqlfront.Expr, len(args))
		for i, a := range args {
			out[i] = mapLeaves(a, f)
		}
		return out
	}
	switch e := e.(type) {
	case nil:
		return nil
	case *sqlfront.ColumnRef, *sqlfront.Literal, *sqlfront.Param, *sqlfront.AggRef, *sqlfront.GroupRef:
		return f(e)
	case *sqlfront.Call:
		return &sqlfront.Call{Name: e.Name, Args: all(e.Args), T: e.T}
	case *sqlfront.Case:
		c := &sqlfront.Case{Operand: mapLeaves(e.Operand, f), Else: mapLeaves(e.Else, f), T: e.T}
		for _, w := range e.Whens {
			c.Whens = append(c.Whens, sqlfront.When{Cond: mapLeaves(w.Cond, f), Then: mapLeaves(w.Then, f)})
		}
		return c
	case *sqlfront.Cast:
		return &sqlfront.Cast{Arg: mapLeaves(e.Arg, f), T: e.T}
	case *sqlfront.In:
		return &sqlfront.In{Arg: mapLeaves(e.Arg, f), List: all(e.List), Not: e.Not}
	}
	panic(invariant.Failed("translate: unknown expression %T", e))
}

// sourceSQL prints an expression so that equal texts mean equal expressions of
// one block.
func sourceSQL(e sqlfront.Expr) string {
	return sqlfront.PrintExpr(e, func(c *sqlfront.ColumnRef) string { return fmt.Sprintf("s%d.c%d", c.Source, c.Column) })
}
