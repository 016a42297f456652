package sqlfront

import (
	"slices"
	"strconv"
	"strings"

	"github.com/trireme-db/trireme/internal/invariant"
)

// exprKey writes an expression so that equal texts mean equal expressions of one
// block.
func exprKey(e Expr) string {
	p := &Printer{
		Column: func(c *ColumnRef) string { return "s" + strconv.Itoa(c.Source) + ".c" + strconv.Itoa(c.Column) },
		Group:  func(g *GroupRef) string { return "g" + strconv.Itoa(g.N) },
		Agg:    func(a *AggRef) string { return "a" + strconv.Itoa(a.N) },
		Outer: func(o *OuterRef) string {
			return "o" + strconv.Itoa(o.Levels) + ".s" + strconv.Itoa(o.Column.Source) + ".c" + strconv.Itoa(o.Column.Column)
		},
	}
	p.Subquery = func(s *Subquery) string {
		w := queryWriter{}
		return w.subquery(s, p)
	}
	return p.Print(e)
}

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
	if a.Filter != nil {
		b.WriteString(" filter ")
		b.WriteString(exprKey(a.Filter))
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
	case *Literal, *Param, *OuterRef:
		return e
	case *Subquery:
		l.checkOuter(e.Query, 1)
		if l.query.Sets != nil {
			refuse("subquery over grouping sets")
		}
	}
	out := MapChildren(e, l.lift)
	switch out := out.(type) {
	case *Call:
		if out.Name == groupingCall {
			return l.grouping(out)
		}
		if out.Name != TryCast {
			out.T = inferCall(out)
		}
	case *Case:
		out.T = inferCase(out)
	case *Cast, *In, *Subquery:
	default:
		panic(invariant.Failed("sqlfront: lift of %T", out))
	}
	return out
}

// checkOuter refuses the columns of this block in a query so many levels inside
// it that are no groups.
func (l *lifter) checkOuter(q *Query, levels int) {
	q.outerRefs(levels, func(o *OuterRef, levels int) {
		if o.Levels != levels {
			return
		}
		if _, ok := l.groups[exprKey(o.Column)]; !ok {
			refuse("column outside GROUP BY ", o.Column.Name)
		}
	})
}

func anyExpr(e Expr, ok func(Expr) bool) bool {
	found := false
	WalkExpr(e, func(e Expr) { found = found || ok(e) })
	return found
}

// hasColumn reports whether an expression depends on rows, of this block or of
// others.
func hasColumn(e Expr) bool {
	return anyExpr(e, func(e Expr) bool {
		switch e.(type) {
		case *ColumnRef, *OuterRef, *Subquery:
			return true
		}
		return false
	})
}

func hasAggRef(e Expr) bool {
	return anyExpr(e, func(e Expr) bool { _, ok := e.(*AggRef); return ok })
}

// hasOutputRef reports whether an expression over groups and aggregates depends
// on any; a subquery may.
func hasOutputRef(e Expr) bool {
	return anyExpr(e, func(e Expr) bool {
		switch e.(type) {
		case *AggRef, *GroupRef, *Subquery:
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
	case *nameNode, *literalNode, *paramNode, *allNode, *truthNode, *orderMark:
	case *setsNode:
		below = e.list
	case *rowNode:
		below = e.list
	case *subqueryNode: // not into the query
		if e.arg != nil {
			below = []exprNode{e.arg}
		}
	case *callNode:
		below = e.args
	case *funcNode:
		below = e.args
		if e.filter != nil {
			below = append(slices.Clip(below), e.filter)
		}
		for _, o := range e.order {
			below = append(slices.Clip(below), o.expr)
		}
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
