package einsum

import (
	"slices"
	"strings"

	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/internal/sqlerr"
)

// Unlike returns the number of a leaf whose presence is not seen to be that of leaf 0
// (E1); 0: all are alike. Where expressions are present is compared as a formula over
// the entries of tensors: products are "and", sums over indices "there is", and what
// has nothing to do with an index stands outside its sum. Formulas that mean the same by
// other laws are not seen to.
func (q *Query) Unlike() int {
	first := ""
	for l, leaf := range q.Leaves {
		key := presenceKey(presenceOf(leaf.Expr))
		if l == 0 {
			first = key
		}
		if key != first {
			return l
		}
	}
	return 0
}

// UnlikeError says that leaf number l is Unlike.
func (q *Query) UnlikeError(l int) *sqlerr.Error {
	return sqlerr.New(sqlerr.SyntaxError, "query %s: leaf %s is not seen to have values where leaf %s has", nameString(q.Name), nameString(q.Leaves[l].Name), CountLeaf).
		WithHint("All leaves of a tensor have the same entries. What leaf %s should be is: %s", CountLeaf, ExprString(present(q.Leaves[l].Expr)))
}

// present is leaf n of a tensor that has the entries that an expression has.
func present(e Expr) Expr {
	if parts := presenceOf(e); len(parts) > 0 {
		return allOf(parts)
	}
	return Int(1)
}

// presenceKey is a text of a conjunction.
func presenceKey(parts []Expr) string {
	keys := make([]string, len(parts))
	for i, p := range parts {
		keys[i] = Key(p)
	}
	slices.Sort(keys)
	return strings.Join(slices.Compact(keys), " and ")
}

// presenceOf says where an expression is present, as a conjunction of accesses of leaf
// n, comparisons, disjunctions and connected "there is"; empty: everywhere.
func presenceOf(e Expr) []Expr {
	switch e := e.(type) {
	case *Access:
		return []Expr{&Access{Tensor: e.Tensor, Leaf: CountLeaf, Args: e.Args}}
	case *Compare:
		return []Expr{e}
	case *Agg:
		return thereIs(e.Idxs, presenceOf(e.Arg))
	case *Map:
		if !e.Op.Info().Conjunctive && !e.Op.Info().FirstOptional {
			return anyOf(e.Args)
		}
		var parts []Expr
		for i, a := range e.Args {
			if e.Op.Needs(i) {
				parts = append(parts, presenceOf(a)...)
			}
		}
		return parts
	}
	return nil // a literal
}

// anyOf is the presence of a map that is present where some argument is.
func anyOf(args []Expr) []Expr {
	keys := map[string]bool{}
	var arms []Expr
	var last []Expr
	for _, a := range args {
		parts := presenceOf(a)
		if len(parts) == 0 {
			return nil
		}
		if key := presenceKey(parts); !keys[key] {
			keys[key] = true
			last = parts
			arms = append(arms, allOf(parts))
		}
	}
	if len(arms) == 1 {
		return last
	}
	return []Expr{Apply(semiring.Or, arms...)}
}

// allOf is a conjunction in one order, each part once.
func allOf(parts []Expr) Expr {
	keys := map[string]bool{}
	var once []Expr
	for _, p := range parts {
		if key := Key(p); !keys[key] {
			keys[key] = true
			once = append(once, p)
		}
	}
	return Apply(semiring.And, once...)
}

// thereIs binds indices in a conjunction: every "there is" has the parts that hang
// together by its indices, and no others. Bound indices have names of their own (E4).
func thereIs(idxs []Index, parts []Expr) []Expr {
	pool := map[string]Index{}
	for _, x := range idxs {
		pool[x.Name] = x
	}
	var out, open []Expr
	for _, p := range parts {
		agg, bound := p.(*Agg)
		switch {
		case !slices.ContainsFunc(Free(p), func(x Index) bool { _, in := pool[x.Name]; return in }):
			out = append(out, p)
		case bound:
			for _, x := range agg.Idxs {
				pool[x.Name] = x
			}
			open = append(open, conjuncts(agg.Arg)...)
		default:
			open = append(open, p)
		}
	}
	for len(open) > 0 {
		var together []Expr
		together, open = connected(open, pool)
		var own []Index
		for _, x := range Free(allOf(together)) {
			if _, in := pool[x.Name]; in {
				own = append(own, x)
			}
		}
		out = append(out, &Agg{Op: semiring.Or, Idxs: own, Arg: allOf(together)})
	}
	return out
}

func conjuncts(e Expr) []Expr {
	if m, ok := e.(*Map); ok && m.Op == semiring.And {
		return m.Args
	}
	return []Expr{e}
}

// connected takes the parts that hang together with the first one by indices of the
// pool.
func connected(parts []Expr, pool map[string]Index) (together, rest []Expr) {
	seen := map[string]bool{}
	add := func(p Expr) {
		together = append(together, p)
		for _, x := range Free(p) {
			if _, in := pool[x.Name]; in {
				seen[x.Name] = true
			}
		}
	}
	add(parts[0])
	rest = slices.Clone(parts[1:])
	for {
		i := slices.IndexFunc(rest, func(p Expr) bool {
			return slices.ContainsFunc(Free(p), func(x Index) bool { return seen[x.Name] })
		})
		if i < 0 {
			return together, rest
		}
		add(rest[i])
		rest = slices.Delete(rest, i, i+1)
	}
}
