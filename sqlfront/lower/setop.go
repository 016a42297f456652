package lower

import (
	"github.com/trireme-db/trireme/internal/invariant"
	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/sqlfront"
)

// sameColumns reports whether a set operation selects the columns of its arms as
// they are.
func sameColumns(q *sqlfront.Query) bool {
	for i, it := range q.Select {
		g, ok := it.Expr.(*sqlfront.GroupRef)
		if !ok || g.N != i {
			return false
		}
	}
	return len(q.Select) == len(q.Arms[0].Select)
}

// armColumns names and types the columns of the arms of a set operation.
func armColumns(q *sqlfront.Query) []rows.Column { return selected(q.Arms[0]) }

// setOperation lowers a set operation that is a source or the statement.
func setOperation(q *sqlfront.Query) *sqlfront.Query {
	cols := armColumns(q)
	r := &rel{}
	var es []sqlfront.Expr
	switch q.SetOp {
	case sqlfront.UnionAll:
		return unionBlock(q, cols)
	case sqlfront.Union:
		es = r.add(sqlfront.Source{Alias: "arms", Bag: branches(q, cols, true), Columns: cols})
	case sqlfront.Intersect:
		r, es = arm(q.Arms[0], cols, true)
		r, es = simple(r, es)
		for _, a := range q.Arms[1:] {
			other, values := arm(a, cols, true)
			for i, c := range r.add(other.values("arm", values)) {
				r.where = append(r.where, equal(es[i], c, true))
			}
		}
	case sqlfront.Except:
		r, es = arm(q.Arms[0], cols, true)
		r, es = simple(r, es)
		nullSafe := make([]bool, len(es))
		for i := range nullSafe {
			nullSafe[i] = true
		}
		for _, a := range q.Arms[1:] {
			other, values := arm(a, cols, true)
			r.anti = append(r.anti, sqlfront.Anti{Query: other.distinct(values, cols), Keys: es, NullSafe: nullSafe})
		}
	default:
		panic(invariant.Failed("lower: unknown set operation %d", q.SetOp))
	}
	out := r.distinct(es, cols)
	out.Select, out.OrderBy, out.Limit, out.Offset = q.Select, q.OrderBy, q.Limit, q.Offset
	out.Columns = named(q)
	return out
}

// simple makes joined rows whose expressions are over one source each: it is a
// source of their different values where one is not.
func simple(r *rel, es []sqlfront.Expr) (*rel, []sqlfront.Expr) {
	for _, e := range es {
		if len(sourcesIn(e)) != 1 {
			out := &rel{}
			return out, out.add(r.values("arm", es))
		}
	}
	return r, es
}

// unionBlock is a UNION ALL as a block over a bag.
func unionBlock(q *sqlfront.Query, cols []rows.Column) *sqlfront.Query {
	if !whole(q) {
		refuse("LIMIT of a union in FROM")
	}
	r := &rel{}
	es := r.add(sqlfront.Source{Alias: "arms", Bag: branches(q, cols, false), Columns: cols})
	var out []sqlfront.Expr
	for _, it := range q.Select {
		out = append(out, ofColumns(it.Expr, es))
	}
	return r.plain(out, named(q))
}

// ofColumns puts columns where the groups of their numbers are referred to.
func ofColumns(e sqlfront.Expr, es []sqlfront.Expr) sqlfront.Expr {
	return mapExpr(e, func(e sqlfront.Expr) (sqlfront.Expr, bool) {
		if g, ok := e.(*sqlfront.GroupRef); ok {
			return es[g.N], true
		}
		return nil, false
	})
}

// bagOf is a derived table as the blocks of a bag, nil where it is none.
func bagOf(q *sqlfront.Query) []*sqlfront.Query {
	if q.Sets != nil && !q.Distinct && whole(q) {
		q = arms(q)
	}
	if q.SetOp != sqlfront.UnionAll || !whole(q) {
		return nil
	}
	if sameColumns(q) {
		return branches(q, named(q), false)
	}
	return []*sqlfront.Query{unionBlock(q, armColumns(q))}
}

// branches is the arms of a union as blocks that select and join only. once: it
// does not matter how often a row is there.
func branches(q *sqlfront.Query, cols []rows.Column, once bool) []*sqlfront.Query {
	var out []*sqlfront.Query
	for _, a := range q.Arms {
		if (a.SetOp == sqlfront.UnionAll || once && a.SetOp == sqlfront.Union) && whole(a) && sameColumns(a) && sameTypes(armColumns(a), cols) {
			out = append(out, branches(a, cols, once)...)
			continue
		}
		r, es := arm(a, cols, once)
		out = append(out, r.plain(es, cols))
	}
	return out
}

func sameTypes(a, b []rows.Column) bool {
	for i := range a {
		if a[i].Type != b[i].Type {
			return false
		}
	}
	return true
}

// arm is the rows of one arm, with its columns in the types of the result.
func arm(q *sqlfront.Query, cols []rows.Column, once bool) (*rel, []sqlfront.Expr) {
	r, es := armRows(q, once)
	for i := range es {
		es[i] = as(es[i], cols[i].Type)
	}
	return r, es
}

func armRows(q *sqlfront.Query, once bool) (r *rel, es []sqlfront.Expr) {
	if once && q.Distinct && !distinctGroups(q) && q.Sets == nil && whole(q) {
		q = allRows(q, true)
	}
	if q.Plain() && q.Sets == nil {
		b := &block{q: q}
		r = b.joined()
		r.closed("an arm of a union")
		for _, it := range q.Select {
			es = append(es, settled(b.expr(r, it.Expr)))
		}
		return r, es
	}
	r = &rel{}
	return r, r.add(derived(sqlfront.Source{Alias: "arm", Query: q, Columns: selected(q)}))
}
