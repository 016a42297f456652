package translate

import (
	"fmt"

	"github.com/trireme-db/trireme/internal/invariant"
	"github.com/trireme-db/trireme/internal/load"
	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/sqlfront"
)

// columnSQL prints an expression over one source with bare column names.
func columnSQL(e sqlfront.Expr) string {
	return sqlfront.PrintExpr(typedNulls(e), func(c *sqlfront.ColumnRef) string { return load.Quote(c.Name) })
}

// typedNulls gives the operators around a NULL that is written in an expression, for a
// column that an outer join pads, the types that they have around the column: to DuckDB
// x - NULL is a NULL of no type, and least(x - NULL, 1) an INTEGER.
func typedNulls(e sqlfront.Expr) sqlfront.Expr {
	out := sqlfront.MapChildren(e, typedNulls)
	if c, ok := e.(*sqlfront.Call); ok && alwaysNull(c) && c.T.ID != rows.SQLNull {
		return &sqlfront.Cast{Arg: out, T: c.T}
	}
	return out
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
