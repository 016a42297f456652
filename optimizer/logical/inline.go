package logical

import (
	"slices"

	"github.com/trireme-db/trireme/einsum"
)

// inlined puts what is left of a query, when that is pointwise, into its only
// reader in place of storing it, if that is estimated to be cheaper; done says so.
// It must not be done for a query that is needed by its name, for one with an
// aggregate (a guard's meaning would move to another one), nor where an access
// binds a mode to a constant; and not for a function like relu, which is better
// evaluated once per entry than at every cell of the reader.
func (pl *planner) inlined(q *einsum.Query) (done bool) {
	if pl.opt.Needed == nil || pl.opt.Needed[q.Name] || q.Name == pl.result || pl.trying {
		return false
	}
	if slices.ContainsFunc(q.Leaves, func(l einsum.Leaf) bool {
		return len(einsum.Bound(l.Expr)) > 0 || hasGuard(l.Expr) || hasFunction(l.Expr)
	}) {
		return false
	}
	at, readers := -1, 0
	for i, r := range pl.todo {
		if reads(r, q.Name) {
			at = i
			readers++
		}
	}
	if readers != 1 {
		return false
	}
	next, ok := substituted(pl.todo[at], q)
	if !ok {
		return false
	}
	todo := slices.Clone(pl.todo)
	todo[at] = next
	apart, err := pl.trialCosts(append([]*einsum.Query{q}, upTo(pl.todo, at)...))
	if err != nil {
		return false // what is wrong is found, and told, when the query is planned
	}
	together, err := pl.trialCosts(upTo(todo, at))
	if err != nil || together >= apart*better {
		return false // a reader that grows too large is read as it is
	}
	pl.todo = todo
	return true
}

// upTo returns a query and those before it that it reads, directly or not: its plan
// does not depend on others, but for steps in common, and programs may be long.
func upTo(qs []*einsum.Query, at int) []*einsum.Query {
	read := map[string]bool{qs[at].Name: true}
	var out []*einsum.Query
	for i := at; i >= 0; i-- {
		if !read[qs[i].Name] {
			continue
		}
		for _, l := range qs[i].Leaves {
			for _, a := range einsum.Accesses(l.Expr) {
				read[a.Tensor] = true
			}
		}
		out = append(out, qs[i])
	}
	slices.Reverse(out)
	return out
}

func hasFunction(e einsum.Expr) bool {
	found := false
	einsum.Walk(e, func(e einsum.Expr) bool {
		m, ok := e.(*einsum.Map)
		found = found || ok && m.Op.Info().Blocking
		return !found
	})
	return found
}

// substituted replaces the accesses of a query by what they stand for.
func substituted(reader, q *einsum.Query) (next *einsum.Query, ok bool) {
	leaves := map[string]einsum.Expr{}
	for _, l := range q.Leaves {
		if _, agg := l.Expr.(*einsum.Agg); agg {
			return nil, false
		}
		leaves[l.Name] = l.Expr
	}
	next, ok = &einsum.Query{Name: reader.Name, Idxs: reader.Idxs}, true
	for _, l := range reader.Leaves {
		expr := einsum.Rewrite(l.Expr, func(e einsum.Expr) einsum.Expr {
			a, access := e.(*einsum.Access)
			if !access || a.Tensor != q.Name {
				return e
			}
			to := map[einsum.Index]einsum.Index{}
			for m, arg := range a.Args {
				ok = ok && arg.Const == nil
				to[q.Idxs[m]] = arg.Index
			}
			return einsum.MapIndices(leaves[a.Leaf], func(x einsum.Index) einsum.Index { return to[x] })
		})
		next.Leaves = append(next.Leaves, einsum.Leaf{Name: l.Name, Expr: expr})
	}
	return next, ok
}

// unionWeight is what it takes to find a cell of a union of tensors, in cells of a
// product: its operands are walked side by side by the general kernel, in 15 to 50
// times the time (star_network of the suite mljoin, with the union of features stored
// and with it inside the product with the weights, on a machine with other work).
const unionWeight = 10

// trialCosts is the cost of planning queries next.
func (pl *planner) trialCosts(qs []*einsum.Query) (float64, error) {
	steps, err := pl.trial(qs)
	cost := 0.0
	for _, s := range steps {
		cost += s.Cost
		if isUnion(s.Query) {
			cost += s.BodyNNZ * unionWeight
		}
	}
	return cost, err
}

// isUnion reports a query whose cells are of one tensor or of another.
func isUnion(q *einsum.Query) bool {
	b, err := NewBody(q)
	if err != nil {
		return false
	}
	_, arg := aggOf(q.Leaves[0].Expr)
	return len(b.Presence(arg)) > 1
}
