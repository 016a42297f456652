package lower

import (
	"slices"
	"strconv"

	"github.com/trireme-db/trireme/sqlfront"
)

// arms is a block with grouping sets as the union of one block for every set. The
// columns of the arms are the groups, NULL where a set lacks them, the aggregates,
// and the values of GROUPING; what is selected is over these.
func arms(q *sqlfront.Query) *sqlfront.Query {
	s := &splitSets{q: q, calls: map[string]int{}}
	b := &block{q: q}
	b.eachOutput(s.collect)
	out := &sqlfront.Query{SetOp: sqlfront.UnionAll, Limit: q.Limit, Offset: q.Offset, Columns: q.Columns}
	for _, it := range q.Select {
		out.Select = append(out.Select, sqlfront.SelectItem{Expr: s.above(it.Expr), Name: it.Name})
	}
	for _, o := range q.OrderBy {
		o.Expr = s.above(o.Expr)
		out.OrderBy = append(out.OrderBy, o)
	}
	for _, set := range q.Sets {
		out.Arms = append(out.Arms, s.arm(set))
	}
	return out
}

type splitSets struct {
	q *sqlfront.Query
	// groupings are the different calls of GROUPING; calls finds them by their text.
	groupings []*sqlfront.Call
	calls     map[string]int
}

// collect finds the calls of GROUPING in an expression.
func (s *splitSets) collect(e sqlfront.Expr) {
	sqlfront.WalkExpr(e, func(e sqlfront.Expr) {
		switch e := e.(type) {
		case *sqlfront.Subquery:
			refuse("subquery over grouping sets")
		case *sqlfront.Call:
			if _, known := s.calls[groupingKey(e)]; e.Name == "grouping" && !known {
				s.calls[groupingKey(e)] = len(s.groupings)
				s.groupings = append(s.groupings, e)
			}
		}
	})
}

// groupingKey is a text for a call of GROUPING, whose arguments are groups.
func groupingKey(c *sqlfront.Call) string {
	if c.Name != "grouping" {
		return ""
	}
	return exprKey(c)
}

// above is an expression over groups and aggregates as one over the arms' columns.
func (s *splitSets) above(e sqlfront.Expr) sqlfront.Expr {
	return mapExpr(e, func(e sqlfront.Expr) (sqlfront.Expr, bool) {
		switch e := e.(type) {
		case *sqlfront.AggRef:
			return &sqlfront.GroupRef{N: len(s.q.GroupBy) + e.N, T: e.T}, true
		case *sqlfront.Call:
			if e.Name == "grouping" {
				n := len(s.q.GroupBy) + len(s.q.Aggs) + s.calls[groupingKey(e)]
				return &sqlfront.GroupRef{N: n, T: e.T}, true
			}
		}
		return nil, false
	})
}

// arm is the block of one grouping set.
func (s *splitSets) arm(set []int) *sqlfront.Query {
	out := *s.q
	out.Sets, out.OrderBy, out.Limit, out.Offset, out.Select, out.GroupBy = nil, nil, nil, nil, nil, nil
	out.Grouped = len(set) > 0
	at := map[int]int{} // group -> its position in the set
	for _, g := range set {
		if _, twice := at[g]; !twice {
			at[g] = len(out.GroupBy)
			out.GroupBy = append(out.GroupBy, s.q.GroupBy[g])
		}
	}
	in := func(e sqlfront.Expr) sqlfront.Expr {
		return mapExpr(e, func(e sqlfront.Expr) (sqlfront.Expr, bool) {
			switch e := e.(type) {
			case *sqlfront.GroupRef:
				if n, ok := at[e.N]; ok {
					return &sqlfront.GroupRef{N: n, T: e.T}, true
				}
				return null(e.T), true
			case *sqlfront.Call:
				if e.Name == "grouping" {
					return grouping(e, at), true
				}
			}
			return nil, false
		})
	}
	if s.q.Having != nil {
		out.Having = in(s.q.Having)
	}
	add := func(e sqlfront.Expr, name string, n int) {
		out.Select = append(out.Select, sqlfront.SelectItem{Expr: in(e), Name: name + strconv.Itoa(n)})
	}
	for i, g := range s.q.GroupBy {
		add(&sqlfront.GroupRef{N: i, T: g.Type()}, "k", i)
	}
	for i, a := range s.q.Aggs {
		add(&sqlfront.AggRef{N: i, T: a.T}, "a", i)
	}
	for i, c := range s.groupings {
		add(c, "grouping", i)
	}
	out.Columns = selected(&out)
	return &out
}

// grouping is the value of GROUPING for a set: one bit for every argument, the
// first the highest, 1 where the set lacks it.
func grouping(c *sqlfront.Call, in map[int]int) sqlfront.Expr {
	bits := 0
	for _, a := range c.Args {
		bits *= 2
		if g, ok := a.(*sqlfront.GroupRef); ok {
			if _, grouped := in[g.N]; grouped {
				continue
			}
		}
		bits++
	}
	return constant(strconv.Itoa(bits), c.T)
}

// distinctOver is SELECT DISTINCT over groups as a block over the grouped one.
func distinctOver(q *sqlfront.Query) *sqlfront.Query {
	inner := *q
	inner.Distinct, inner.OrderBy, inner.Limit, inner.Offset = false, nil, nil, nil
	inner.Columns = selected(q)
	out := &sqlfront.Query{
		From:     []sqlfront.Source{{Alias: "groups", Query: &inner, Columns: inner.Columns}},
		Distinct: true, Limit: q.Limit, Offset: q.Offset, Columns: q.Columns,
	}
	ref := func(i int) sqlfront.Expr { return &sqlfront.GroupRef{N: i, T: inner.Columns[i].Type} }
	for i, c := range inner.Columns {
		out.GroupBy = append(out.GroupBy, columnOf(0, i, c.Name, c.Type))
		out.Select = append(out.Select, sqlfront.SelectItem{Expr: ref(i), Name: q.Select[i].Name})
	}
	for _, o := range q.OrderBy {
		o.Expr = mapExpr(o.Expr, func(e sqlfront.Expr) (sqlfront.Expr, bool) {
			at := slices.IndexFunc(q.Select, func(it sqlfront.SelectItem) bool {
				return !hasSubquery(it.Expr) && !hasSubquery(e) && exprKey(it.Expr) == exprKey(e)
			})
			if at >= 0 {
				return ref(at), true
			}
			switch e.(type) {
			case *sqlfront.GroupRef, *sqlfront.AggRef:
				refuse("ORDER BY of DISTINCT over groups")
			}
			return nil, false
		})
		out.OrderBy = append(out.OrderBy, o)
	}
	return out
}
