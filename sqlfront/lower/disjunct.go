package lower

import (
	"slices"

	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/sqlfront"
)

// disjuncts cuts a predicate at its ORs, and x IN (a, b) at the columns of its list.
func disjuncts(e sqlfront.Expr) []sqlfront.Expr {
	var out []sqlfront.Expr
	switch e := e.(type) {
	case *sqlfront.Call:
		if e.Name == "or" {
			for _, a := range e.Args {
				out = append(out, disjuncts(a)...)
			}
			return out
		}
	case *sqlfront.In:
		if !e.Not && !hasSubquery(e) && slices.ContainsFunc(e.List, func(v sqlfront.Expr) bool { return len(sourcesIn(v)) > 0 }) {
			for _, v := range e.List {
				out = append(out, predicate("=", e.Arg, v))
			}
			return out
		}
	}
	return []sqlfront.Expr{e}
}

// blocksMax bounds the blocks that a disjunction becomes: each joins all sources
// anew.
const blocksMax = 4

// split takes a conjunct p OR EXISTS (..), or one of joins of which one suffices: the rows
// become a bag of the rows with p and of those without p that have a partner. Every disjunct has a block of its
// own, for the rows for which it is the first that is TRUE; the one of which it
// cannot be asked whether it is not TRUE is the last. wanted are the columns that
// are read later. It returns false where there is no such order, or nothing of the two.
func (b *block) split(r *rel, e sqlfront.Expr, wanted used) bool {
	ds := inOrder(disjuncts(e))
	if b.outer != nil || len(ds) < 2 || len(ds) > blocksMax {
		return false
	}
	if !hasSubquery(ds[len(ds)-1]) && !eitherJoins(r.where, b.expr(r, e)) {
		return false
	}
	for _, d := range ds[:len(ds)-1] {
		if !excludable(d) {
			return false
		}
	}
	ids := wanted.among(r)
	var blocks []*sqlfront.Query
	var cols []rows.Column
	for i := range ds {
		c := r.clone()
		for _, before := range ds[:i] {
			b.exclude(c, before)
		}
		b.filter(c, ds[i])
		var es []sqlfront.Expr
		for _, id := range ids {
			es = append(es, c.cols[id])
		}
		if len(es) == 0 {
			es = []sqlfront.Expr{constant("1", integer)}
		}
		if cols == nil {
			cols = columns(es)
		}
		blocks = append(blocks, c.plain(es, cols))
	}
	alias := r.from[0].Alias
	*r = rel{cols: map[column]sqlfront.Expr{}}
	for i, c := range r.add(sqlfront.Source{Alias: alias, Bag: blocks, Columns: cols}) {
		if i < len(ids) {
			r.cols[ids[i]] = c
		}
	}
	return true
}

// JoinsByParts reports whether some block of a bound query joins sources by a disjunction
// that Lower makes a bag of the joins by its parts.
func JoinsByParts(q *sqlfront.Query) bool {
	found := false
	q.Walk(func(q *sqlfront.Query) {
		for _, e := range q.Where {
			ds := disjuncts(e)
			found = found || len(ds) <= blocksMax && eitherJoins(q.Where, e)
		}
	})
	return found
}

// eitherJoins reports whether a disjunction over joined rows is what joins them: each of
// its parts equates two sources, and the other conditions do not join all of these. As a
// condition it would be asked of every pair of rows.
func eitherJoins(others []sqlfront.Expr, e sqlfront.Expr) bool {
	ds := disjuncts(e)
	if len(ds) < 2 || hasSubquery(e) {
		return false
	}
	joined := joinedBy(others)
	fresh := false
	for _, d := range ds {
		found := false
		for _, c := range conjuncts(d) {
			if a, b, ok := equated(c); ok {
				found, fresh = true, fresh || joined.root(a) != joined.root(b)
			}
		}
		if !found {
			return false
		}
	}
	return fresh
}

// equated are the two sources that an equality joins.
func equated(e sqlfront.Expr) (a, b int, ok bool) {
	l, r, name := operands(e, "=")
	if name == "" || hasSubquery(e) || readsAround(e) {
		return 0, 0, false
	}
	ls, rs := sourcesIn(l), sourcesIn(r)
	if len(ls) != 1 || len(rs) != 1 || ls[0] == rs[0] {
		return 0, 0, false
	}
	_, ok = common(l.Type(), r.Type())
	return ls[0], rs[0], ok
}

// among is the columns that joined rows have.
func (u used) among(r *rel) []column {
	in := used{}
	for id := range u {
		if r.cols[id] != nil {
			in[id] = true
		}
	}
	return in.sorted()
}

// inOrder puts predicates without subqueries first, those over one source as one,
// and last what is not excludable.
func inOrder(ds []sqlfront.Expr) []sqlfront.Expr {
	var single sqlfront.Expr
	var several, subqueries, last []sqlfront.Expr
	source := -1
	for _, d := range ds {
		leaves := sourcesIn(d)
		switch {
		case !hasSubquery(d) && len(leaves) == 1 && (single == nil || source == leaves[0]):
			if source = leaves[0]; single == nil {
				single = d
			} else {
				single = predicate("or", single, d)
			}
		case !hasSubquery(d):
			several = append(several, d)
		case excludable(d):
			subqueries = append(subqueries, d)
		default:
			last = append(last, d)
		}
	}
	var out []sqlfront.Expr
	if single != nil {
		out = append(out, single)
	}
	return slices.Concat(out, several, subqueries, last)
}

// asked takes [NOT] EXISTS or [NOT] IN apart; nil: another expression.
func asked(e sqlfront.Expr) (s *sqlfront.Subquery, not bool) {
	for {
		c, ok := e.(*sqlfront.Call)
		if !ok || c.Name != "not" {
			break
		}
		not, e = !not, c.Args[0]
	}
	s, ok := e.(*sqlfront.Subquery)
	if !ok || s.Kind == sqlfront.Scalar || s.Query.OneRow() {
		return nil, false
	}
	return s, not
}

// excludable reports whether the rows for which a predicate is not TRUE are found
// by a conjunct, or by one join: not so for NOT IN.
func excludable(e sqlfront.Expr) bool {
	if !hasSubquery(e) {
		return true
	}
	s, not := asked(e)
	return s != nil && (s.Kind == sqlfront.Exists || !not)
}

// exclude keeps the rows for which an excludable predicate is not TRUE.
func (b *block) exclude(r *rel, e sqlfront.Expr) {
	if !hasSubquery(e) {
		r.filter(predicate("not", call("coalesce", boolean, b.expr(r, e), truth(false))))
		return
	}
	s, not := asked(e)
	m := b.members(r, s)
	switch {
	case s.Kind == sqlfront.InQuery:
		m.equal(r).lacks(r)
	case not:
		match(r, m.inner, nil).has(r)
	default:
		match(r, m.inner, nil).lacks(r)
	}
}
