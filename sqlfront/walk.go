package sqlfront

import "github.com/trireme-db/trireme/internal/invariant"

// Children returns the operands of an expression, in order. Of a Subquery it is
// Arg: its Query is a block of its own.
func Children(e Expr) []Expr {
	switch e := e.(type) {
	case *ColumnRef, *Literal, *Param, *AggRef, *GroupRef, *OuterRef:
		return nil
	case *Call:
		return e.Args
	case *Cast:
		return []Expr{e.Arg}
	case *Subquery:
		if e.Arg == nil {
			return nil
		}
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

// MapChildren copies an expression with its operands replaced; a leaf is
// returned as it is. The Query of a Subquery is shared with the original.
func MapChildren(e Expr, f func(Expr) Expr) Expr {
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
	case *Subquery:
		s := &Subquery{Kind: e.Kind, Op: e.Op, Query: e.Query, T: e.T}
		if e.Arg != nil {
			s.Arg = f(e.Arg)
		}
		return s
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
	case *ColumnRef, *Literal, *Param, *AggRef, *GroupRef, *OuterRef:
		return e
	default:
		panic(invariant.Failed("sqlfront: unknown Expr %T", e))
	}
}

// WalkExpr visits an expression, operands first.
func WalkExpr(e Expr, f func(Expr)) {
	for _, c := range Children(e) {
		WalkExpr(c, f)
	}
	f(e)
}

// Roots calls f with every expression of a block itself, of its join tree and
// anti joins too, but not of its sources and arms; Limit and Offset are left out.
func (q *Query) Roots(f func(Expr)) {
	each := func(list []Expr) {
		for _, e := range list {
			f(e)
		}
	}
	q.Tree.each(func(j *Join) { each(j.On) })
	each(q.Where)
	for _, a := range q.Anti {
		each(a.Keys)
	}
	each(q.GroupBy)
	for _, a := range q.Aggs {
		each(a.Args)
		if a.Filter != nil {
			f(a.Filter)
		}
	}
	for _, s := range q.Select {
		f(s.Expr)
	}
	if q.Having != nil {
		f(q.Having)
	}
	for _, o := range q.OrderBy {
		f(o.Expr)
	}
}

// each visits the nodes of a join tree, inner ones first.
func (j *Join) each(f func(*Join)) {
	if j == nil {
		return
	}
	j.Left.each(f)
	j.Right.each(f)
	f(j)
}

// Walk visits a query and all queries in it: sources, bags, arms, anti joins and
// subqueries. The outer one comes first.
func (q *Query) Walk(f func(*Query)) {
	f(q)
	for _, s := range q.From {
		if s.Query != nil {
			s.Query.Walk(f)
		}
		if s.Program != nil {
			s.Program.Walk(f)
		}
		for _, b := range s.Bag {
			b.Walk(f)
		}
	}
	for _, a := range q.Anti {
		a.Query.Walk(f)
	}
	for _, a := range q.Arms {
		a.Walk(f)
	}
	q.Roots(func(root Expr) {
		WalkExpr(root, func(e Expr) {
			if s, ok := e.(*Subquery); ok {
				s.Query.Walk(f)
			}
		})
	})
}

// outerRefs calls f with every column of a block further out that a query uses,
// and how many levels inside the block where levels are counted from it stands.
func (q *Query) outerRefs(levels int, f func(o *OuterRef, levels int)) {
	for _, s := range q.From {
		if s.Query != nil {
			s.Query.outerRefs(levels+1, f)
		}
	}
	for _, a := range q.Arms {
		a.outerRefs(levels, f)
	}
	q.Roots(func(root Expr) {
		WalkExpr(root, func(e Expr) {
			switch e := e.(type) {
			case *OuterRef:
				f(e, levels)
			case *Subquery:
				e.Query.outerRefs(levels+1, f)
			}
		})
	})
}
