package lower

import (
	"strconv"

	"github.com/trireme-db/trireme/internal/invariant"
	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/sqlfront"
)

var (
	boolean = rows.Type{ID: rows.Boolean}
	integer = rows.Type{ID: rows.Integer}
	bigint  = rows.Type{ID: rows.BigInt}
)

// outerSpace is where the sources of the outer side begin in an expression over
// two sides (L3).
const outerSpace = 1 << 20

// mapColumns copies an expression with its columns replaced.
func mapColumns(e sqlfront.Expr, f func(*sqlfront.ColumnRef) sqlfront.Expr) sqlfront.Expr {
	if c, ok := e.(*sqlfront.ColumnRef); ok {
		return f(c)
	}
	return sqlfront.MapChildren(e, func(e sqlfront.Expr) sqlfront.Expr { return mapColumns(e, f) })
}

// mapExpr copies an expression with the nodes replaced for which f has another,
// outer ones first.
func mapExpr(e sqlfront.Expr, f func(sqlfront.Expr) (sqlfront.Expr, bool)) sqlfront.Expr {
	if out, ok := f(e); ok {
		return out
	}
	return sqlfront.MapChildren(e, func(e sqlfront.Expr) sqlfront.Expr { return mapExpr(e, f) })
}

// shift adds to the source numbers of an expression, the outer side's excepted.
func shift(e sqlfront.Expr, by int) sqlfront.Expr {
	if by == 0 {
		return e
	}
	return mapColumns(e, func(c *sqlfront.ColumnRef) sqlfront.Expr {
		if c.Source >= outerSpace {
			return c
		}
		return columnOf(c.Source+by, c.Column, c.Name, c.T)
	})
}

// toOuter makes an expression over joined rows one over the outer side;
// fromOuter is the way back.
func toOuter(e sqlfront.Expr) sqlfront.Expr { return moved(e, outerSpace) }

func fromOuter(e sqlfront.Expr) sqlfront.Expr { return moved(e, -outerSpace) }

func moved(e sqlfront.Expr, by int) sqlfront.Expr {
	return mapColumns(e, func(c *sqlfront.ColumnRef) sqlfront.Expr {
		return columnOf(c.Source+by, c.Column, c.Name, c.T)
	})
}

func columnOf(source, column int, name string, t rows.Type) *sqlfront.ColumnRef {
	return &sqlfront.ColumnRef{Source: source, Column: column, Name: name, T: t}
}

// columnsIn returns the columns of an expression in order, each once.
func columnsIn(e sqlfront.Expr) []*sqlfront.ColumnRef {
	var out []*sqlfront.ColumnRef
	seen := map[column]bool{}
	sqlfront.WalkExpr(e, func(e sqlfront.Expr) {
		if c, ok := e.(*sqlfront.ColumnRef); ok && !seen[columnID(c)] {
			seen[columnID(c)] = true
			out = append(out, c)
		}
	})
	return out
}

// sourcesIn returns the numbers of an expression's sources, each once.
func sourcesIn(e sqlfront.Expr) []int {
	var out []int
	seen := map[int]bool{}
	for _, c := range columnsIn(e) {
		if !seen[c.Source] {
			seen[c.Source] = true
			out = append(out, c.Source)
		}
	}
	return out
}

// sides reports which sides of a match an expression reads.
func sides(e sqlfront.Expr) (inner, outer bool) {
	for _, c := range columnsIn(e) {
		if c.Source >= outerSpace {
			outer = true
		} else {
			inner = true
		}
	}
	return inner, outer
}

func readsOuter(e sqlfront.Expr) bool {
	_, outer := sides(e)
	return outer
}

func anyExpr(e sqlfront.Expr, ok func(sqlfront.Expr) bool) bool {
	found := false
	sqlfront.WalkExpr(e, func(e sqlfront.Expr) { found = found || ok(e) })
	return found
}

func hasSubquery(e sqlfront.Expr) bool {
	return anyExpr(e, func(e sqlfront.Expr) bool { _, ok := e.(*sqlfront.Subquery); return ok })
}

// exprKey is a text that equal expressions of one space share. Subqueries equal
// only themselves.
func exprKey(e sqlfront.Expr) string {
	p := sqlfront.Printer{
		Column: func(c *sqlfront.ColumnRef) string {
			return "s" + strconv.Itoa(c.Source) + ".c" + strconv.Itoa(c.Column)
		},
		Group:    func(g *sqlfront.GroupRef) string { return "g" + strconv.Itoa(g.N) },
		Agg:      func(a *sqlfront.AggRef) string { return "a" + strconv.Itoa(a.N) },
		Outer:    func(*sqlfront.OuterRef) string { panic(invariant.Failed("lower: key of an outer column")) },
		Subquery: func(*sqlfront.Subquery) string { panic(invariant.Failed("lower: key of a subquery")) },
	}
	return p.Print(e)
}

func call(name string, t rows.Type, args ...sqlfront.Expr) sqlfront.Expr {
	return &sqlfront.Call{Name: name, Args: args, T: t}
}

func predicate(name string, args ...sqlfront.Expr) sqlfront.Expr { return call(name, boolean, args...) }

// equal equates two values; two NULLs are equal where it is null safe.
func equal(l, r sqlfront.Expr, nullSafe bool) sqlfront.Expr {
	if nullSafe {
		return predicate("is not distinct from", l, r)
	}
	return predicate("=", l, r)
}

// constant is a typed constant.
func constant(sql string, t rows.Type) sqlfront.Expr {
	return &sqlfront.Cast{Arg: &sqlfront.Literal{SQL: sql, T: integer}, T: t}
}

// null is the NULL of a type.
func null(t rows.Type) sqlfront.Expr {
	return &sqlfront.Cast{Arg: &sqlfront.Literal{SQL: "NULL", T: rows.Type{ID: rows.SQLNull}}, T: t}
}

func truth(v bool) sqlfront.Expr {
	return &sqlfront.Cast{Arg: &sqlfront.Literal{SQL: strconv.FormatBool(v), T: boolean}, T: boolean}
}

// when is CASE WHEN cond THEN then ELSE els END; els may be nil.
func when(cond, then, els sqlfront.Expr) sqlfront.Expr {
	return &sqlfront.Case{Whens: []sqlfront.When{{Cond: cond, Then: then}}, Else: els, T: then.Type()}
}

// settled puts a constant under a cast: a column's type does not follow its context.
func settled(e sqlfront.Expr) sqlfront.Expr {
	switch e.(type) {
	case *sqlfront.Literal, *sqlfront.Param:
		return &sqlfront.Cast{Arg: e, T: e.Type()}
	}
	return e
}

// operands returns the two sides of a binary call of one of the names.
func operands(e sqlfront.Expr, names ...string) (l, r sqlfront.Expr, name string) {
	c, ok := e.(*sqlfront.Call)
	if !ok || len(c.Args) != 2 {
		return nil, nil, ""
	}
	for _, n := range names {
		if c.Name == n {
			return c.Args[0], c.Args[1], n
		}
	}
	return nil, nil, ""
}

// bounds cuts a conjunct that is BETWEEN over several sources into its two
// comparisons, which may be over fewer.
func bounds(e sqlfront.Expr) []sqlfront.Expr {
	c, ok := e.(*sqlfront.Call)
	if !ok || c.Name != "between" || len(sourcesIn(e)) < 2 {
		return []sqlfront.Expr{e}
	}
	return []sqlfront.Expr{predicate(">=", c.Args[0], c.Args[1]), predicate("<=", c.Args[0], c.Args[2])}
}

// conjuncts cuts a predicate at its ANDs.
func conjuncts(e sqlfront.Expr) []sqlfront.Expr {
	if c, ok := e.(*sqlfront.Call); ok && c.Name == "and" {
		var out []sqlfront.Expr
		for _, a := range c.Args {
			out = append(out, conjuncts(a)...)
		}
		return out
	}
	return []sqlfront.Expr{e}
}
