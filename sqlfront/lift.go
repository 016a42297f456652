package sqlfront

import (
	"strconv"
	"strings"

	"github.com/trireme-db/trireme/internal/invariant"
)

// keyPrinter writes expressions so that equal texts mean equal expressions of
// one block.
var keyPrinter = Printer{
	Column: func(c *ColumnRef) string { return "s" + strconv.Itoa(c.Source) + ".c" + strconv.Itoa(c.Column) },
	Group:  func(g *GroupRef) string { return "g" + strconv.Itoa(g.N) },
	Agg:    func(a *AggRef) string { return "a" + strconv.Itoa(a.N) },
}

func exprKey(e Expr) string { return keyPrinter.Print(e) }

func aggKey(a *AggCall) string {
	var b strings.Builder
	b.WriteString(a.Func)
	if a.Distinct {
		b.WriteString(" distinct")
	}
	for _, arg := range a.Args {
		b.WriteByte(' ')
		b.WriteString(exprKey(arg))
	}
	return b.String()
}

// lifter rewrites expressions over columns into expressions over groups and
// aggregates.
type lifter struct {
	groups map[string]int
	query  *Query
}

func (b *block) newLifter() *lifter {
	l := &lifter{groups: map[string]int{}, query: b.query}
	for i, g := range b.query.GroupBy {
		l.groups[exprKey(g)] = i
	}
	return l
}

// lift refuses a column that is no group: DuckDB has the error.
func (l *lifter) lift(e Expr) Expr {
	if len(l.groups) > 0 {
		if n, ok := l.groups[exprKey(e)]; ok {
			return &GroupRef{N: n, T: l.query.GroupBy[n].Type()}
		}
	}
	switch e := e.(type) {
	case *AggRef:
		return &AggRef{N: e.N, T: l.query.Aggs[e.N].T}
	case *ColumnRef:
		refuse("column outside GROUP BY ", e.Name)
	case *Literal, *Param:
		return e
	}
	out := mapChildren(e, l.lift)
	switch out := out.(type) {
	case *Call:
		out.T = inferCall(out)
	case *Case:
		out.T = inferCase(out)
	case *Cast, *In:
	default:
		panic(invariant.Failed("sqlfront: lift of %T", out))
	}
	return out
}

// children returns the operands of an expression, in order.
func children(e Expr) []Expr {
	switch e := e.(type) {
	case *ColumnRef, *Literal, *Param, *AggRef, *GroupRef:
		return nil
	case *Call:
		return e.Args
	case *Cast:
		return []Expr{e.Arg}
	case *In:
		return append([]Expr{e.Arg}, e.List...)
	case *Case:
		var out []Expr
		if e.Operand != nil {
			out = append(out, e.Operand)
		}
		for _, w := range e.Whens {
			out = append(out, w.Cond, w.Then)
		}
		if e.Else != nil {
			out = append(out, e.Else)
		}
		return out
	default:
		panic(invariant.Failed("sqlfront: unknown Expr %T", e))
	}
}

// mapChildren copies an expression with its operands replaced.
func mapChildren(e Expr, f func(Expr) Expr) Expr {
	list := func(in []Expr) []Expr {
		out := make([]Expr, len(in))
		for i, x := range in {
			out[i] = f(x)
		}
		return out
	}
	switch e := e.(type) {
	case *Call:
		return &Call{Name: e.Name, Args: list(e.Args), T: e.T}
	case *Cast:
		return &Cast{Arg: f(e.Arg), T: e.T}
	case *In:
		return &In{Arg: f(e.Arg), List: list(e.List), Not: e.Not}
	case *Case:
		c := &Case{T: e.T}
		if e.Operand != nil {
			c.Operand = f(e.Operand)
		}
		for _, w := range e.Whens {
			c.Whens = append(c.Whens, When{Cond: f(w.Cond), Then: f(w.Then)})
		}
		if e.Else != nil {
			c.Else = f(e.Else)
		}
		return c
	default:
		return e
	}
}

// walkExpr visits an expression, operands first.
func walkExpr(e Expr, f func(Expr)) {
	for _, c := range children(e) {
		walkExpr(c, f)
	}
	f(e)
}

func anyExpr(e Expr, ok func(Expr) bool) bool {
	found := false
	walkExpr(e, func(e Expr) { found = found || ok(e) })
	return found
}

func hasColumn(e Expr) bool {
	return anyExpr(e, func(e Expr) bool { _, ok := e.(*ColumnRef); return ok })
}

func hasAggRef(e Expr) bool {
	return anyExpr(e, func(e Expr) bool { _, ok := e.(*AggRef); return ok })
}

// hasOutputRef reports whether an expression over groups and aggregates depends
// on any.
func hasOutputRef(e Expr) bool {
	return anyExpr(e, func(e Expr) bool {
		switch e.(type) {
		case *AggRef, *GroupRef:
			return true
		}
		return false
	})
}

// walkNodes visits the nodes of a syntactic expression.
func walkNodes(e exprNode, f func(exprNode)) {
	f(e)
	var below []exprNode
	switch e := e.(type) {
	case *nameNode, *literalNode, *paramNode:
	case *callNode:
		below = e.args
	case *funcNode:
		below = e.args
	case *castNode:
		below = []exprNode{e.arg}
	case *inNode:
		below = append([]exprNode{e.arg}, e.list...)
	case *caseNode:
		for _, w := range e.whens {
			below = append(below, w.cond, w.then)
		}
		if e.operand != nil {
			below = append(below, e.operand)
		}
		if e.els != nil {
			below = append(below, e.els)
		}
	default:
		panic(invariant.Failed("sqlfront: unknown exprNode %T", e))
	}
	for _, c := range below {
		walkNodes(c, f)
	}
}
