package sqlfront

import (
	"strconv"
	"strings"

	"github.com/trireme-db/trireme/internal/rows"
)

// setOperation binds UNION, INTERSECT or EXCEPT. Its arms have exactly the types
// of its columns.
func (b *binder) setOperation(sel *selectNode, ctes *cteScope, around *block) (*Query, outputNames) {
	for i := range sel.with {
		ctes = &cteScope{node: &sel.with[i], outer: ctes}
	}
	q := &Query{SetOp: sel.setOp}
	var names outputNames
	for _, arm := range sel.arms {
		bound, n := b.bindOrText(arm, ctes, around)
		if len(q.Arms) > 0 && len(bound.Select) != len(q.Arms[0].Select) {
			refuse("number of columns")
		}
		nameOutputs(bound, n)
		q.Arms = append(q.Arms, bound)
		names = append(names, n...)
	}
	for i, t := range b.armTypes(q.Arms) {
		for _, arm := range q.Arms {
			arm.coerce(i, t)
		}
		q.Select = append(q.Select, SelectItem{Expr: &GroupRef{N: i, T: t}, Name: names[0][i]})
	}
	for _, o := range allOutputs(sel.orderBy, len(q.Select)) {
		e := q.Select[outputNamed(names, o.expr)].Expr
		q.OrderBy = append(q.OrderBy, OrderItem{Expr: e, Desc: o.desc, NullsFirst: o.nulls == nullsFirst})
	}
	q.Limit, q.Offset = b.limitValue(sel.limit), b.limitValue(sel.offset)
	return q, names
}

// nameOutputs gives a query of the statement's inside the names and types of its
// columns; DuckDB's own names for expressions are not told there.
func nameOutputs(q *Query, names outputNames) {
	for i := range q.Select {
		name := names[0][i]
		if name == "" {
			name = "column" + strconv.Itoa(i+1)
		}
		q.Select[i].Name = name
		q.Columns = append(q.Columns, rows.Column{Name: name, Type: q.Select[i].Expr.Type()})
	}
}

// coerce puts a cast around an output that has another type.
func (q *Query) coerce(i int, t rows.Type) {
	if s := &q.Select[i]; s.Expr.Type() != t || t.ID == rows.SQLNull {
		s.Expr = &Cast{Arg: s.Expr, T: t}
	}
	q.Columns[i].Type = t
}

// outputNamed finds the output that an ORDER BY of a set operation names, by its
// position or by a name that means one column in all arms.
func outputNamed(names outputNames, e exprNode) int {
	switch e := e.(type) {
	case *literalNode:
		if n, err := strconv.Atoi(e.sql); err == nil && e.number && n >= 1 && n <= len(names[0]) {
			return n - 1
		}
	case *nameNode:
		found := -1
		for _, arm := range names {
			for i, n := range arm {
				if len(e.parts) == 1 && n != "" && fold(n) == fold(e.parts[0]) {
					if found >= 0 && found != i {
						refuse("ambiguous name ", n)
					}
					found = i
				}
			}
		}
		if found >= 0 {
			return found
		}
	}
	refuse("ORDER BY of a set operation")
	return 0
}

// armTypes returns the types of the columns of a set operation.
func (b *binder) armTypes(arms []*Query) []rows.Type {
	out := make([]rows.Type, len(arms[0].Select))
	same := true
	for i := range out {
		out[i] = arms[0].Select[i].Expr.Type()
		for _, arm := range arms {
			t := arm.Select[i].Expr.Type()
			same = same && t == out[i] && t.ID != rows.SQLNull
		}
	}
	if same {
		return out
	}
	var texts []string
	for _, arm := range arms {
		p := newProbe()
		items := make([]string, len(arm.Select))
		for i, s := range arm.Select {
			items[i] = p.print(s.Expr)
		}
		texts = append(texts, "SELECT "+strings.Join(items, ", ")+p.from())
	}
	return b.describeTypes(strings.Join(texts, " UNION ALL "), len(out))
}
