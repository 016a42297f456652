package logical

import (
	"slices"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/internal/invariant"
)

// rule is one identity of the normal form, used in one direction. apply returns
// e itself where the rule does not fire. Rules hold of presence as well as of
// values (einsum, Meaning).
type rule struct {
	name  string
	apply func(n *normalizer, e einsum.Expr) einsum.Expr
}

// The rules of the normal form, tried at each node in this order, children
// first, until none fires (OPTIMIZER B, Normalise). Indices are unique from the
// start (E4), so that no factor mentions an index that another one binds.
//
// They terminate: every rule but signs and lift takes a node away, and these two
// move a sign or an aggregate towards the root past a product, which no rule
// undoes.
//
// A literal that annihilates is no reason to drop what it stands with: 0 * x is
// present where x is, and a row with the value 0 is a row.
var (
	simplify = []rule{
		{"flatten", (*normalizer).flattenRule},
		{"one argument", (*normalizer).oneArgument},
		{"identity", (*normalizer).dropIdentity},
		{"signs", (*normalizer).signs},
	}
	normalRules = append(slices.Clone(simplify), rule{"merge", (*normalizer).merge}, rule{"lift", (*normalizer).lift})
)

// apply brings an expression to the fixpoint of the rules. Every pass but the
// last one fires a rule, and each firing lowers the measure above, so that the
// number of passes is bounded by nodes times depth.
func (n *normalizer) apply(rules []rule, e einsum.Expr) einsum.Expr {
	bound := 16
	einsum.Walk(e, func(einsum.Expr) bool { bound += 16; return true })
	for pass := 0; ; pass++ {
		invariant.Check(pass < bound, "logical: no normal form of %s after %d passes", e, pass)
		next := einsum.Rewrite(e, func(e einsum.Expr) einsum.Expr {
			for _, r := range rules {
				e = r.apply(n, e)
			}
			return e
		})
		if next == e {
			return e
		}
		e = next
	}
}

// flattenRule: a * (b * c) = a * b * c for associative operators, and
// guard(guard(x, c), d) = guard(x, c, d). Not a - (b - c), which is no
// association of a - b - c.
func (n *normalizer) flattenRule(e einsum.Expr) einsum.Expr {
	m, ok := e.(*einsum.Map)
	if !ok {
		return e
	}
	if m.Op == semiring.Guard {
		if inner, ok := m.Args[0].(*einsum.Map); ok && inner.Op == semiring.Guard {
			return &einsum.Map{Op: m.Op, Args: slices.Concat(inner.Args, m.Args[1:])}
		}
		return e
	}
	nested := func(a einsum.Expr) bool {
		c, ok := a.(*einsum.Map)
		return ok && c.Op == m.Op
	}
	if !m.Op.Info().Assoc || !slices.ContainsFunc(m.Args, nested) {
		return e
	}
	var args []einsum.Expr
	for _, a := range m.Args {
		if nested(a) {
			args = append(args, a.(*einsum.Map).Args...)
		} else {
			args = append(args, a)
		}
	}
	return &einsum.Map{Op: m.Op, Args: args}
}

// oneArgument: a fold of one argument is the argument. and(x) is not x where x
// is neither 0 nor 1, so that it is not made in the first place (dropIdentity).
func (n *normalizer) oneArgument(e einsum.Expr) einsum.Expr {
	m, ok := e.(*einsum.Map)
	if ok && len(m.Args) == 1 && (m.Op.Info().Assoc || m.Op == semiring.Guard) {
		return m.Args[0]
	}
	return e
}

// dropIdentity: x * 1 = x, plus(x, 0) = x, and(x, y, 1) = and(x, y) and
// guard(x, 1) = x. Only of conjunctive operators: x + 0 is present everywhere,
// x is not, so that L * (x + 0) has cells of L that L * x lacks. Only integers:
// x * 1.0 is a float.
func (n *normalizer) dropIdentity(e einsum.Expr) einsum.Expr {
	m, ok := e.(*einsum.Map)
	if !ok || !m.Op.Info().Conjunctive || len(m.Args) < 2 {
		return e
	}
	least, from := 1, 0
	drop := func(v int64) bool {
		return m.Op.Info().Identity == semiring.One && v == 1 || m.Op.Info().Identity == semiring.Zero && v == 0
	}
	switch m.Op {
	case semiring.And:
		least = 2
	case semiring.Guard:
		from = 1 // its first argument is a value
		drop = func(v int64) bool { return v != 0 }
	}
	args := slices.Clone(m.Args[:from])
	for i, a := range m.Args[from:] {
		v, literal := smallInt(a)
		if left := len(args) + len(m.Args) - from - i - 1; literal && drop(v) && left >= least {
			continue
		}
		args = append(args, a)
	}
	if len(args) == len(m.Args) {
		return e
	}
	return n.oneArgument(&einsum.Map{Op: m.Op, Args: args})
}

// smallInt is the value of a literal of 64 bits.
func smallInt(e einsum.Expr) (int64, bool) {
	l, ok := e.(*einsum.Literal)
	if !ok || l.Elem != semiring.I64 {
		return 0, false
	}
	return l.I.Int64()
}

// signs: neg(neg(x)) = x, a - neg(b) = a + b, a * neg(b) = neg(a * b). Of a sum
// the sign is not pulled out: neg(a) + b has no sign as a whole.
func (n *normalizer) signs(e einsum.Expr) einsum.Expr {
	m, ok := e.(*einsum.Map)
	if !ok {
		return e
	}
	switch m.Op {
	case semiring.Neg:
		if x, ok := negated(m.Args[0]); ok {
			return x
		}
	case semiring.Sub:
		if x, ok := negated(m.Args[1]); ok {
			return &einsum.Map{Op: semiring.Add, Args: []einsum.Expr{m.Args[0], x}}
		}
	case semiring.Mul:
		for i, a := range m.Args {
			if x, ok := negated(a); ok {
				args := slices.Clone(m.Args)
				args[i] = x
				return &einsum.Map{Op: semiring.Neg, Args: []einsum.Expr{&einsum.Map{Op: semiring.Mul, Args: args}}}
			}
		}
	}
	return e
}

func negated(e einsum.Expr) (einsum.Expr, bool) {
	if m, ok := e.(*einsum.Map); ok && m.Op == semiring.Neg {
		return m.Args[0], true
	}
	return nil, false
}

// merge: sum(i) sum(j) x = sum(i,j) x, of one operator. sum(i) max(j) x is not
// max(j) sum(i) x, nor one aggregate.
func (n *normalizer) merge(e einsum.Expr) einsum.Expr {
	a, ok := e.(*einsum.Agg)
	if !ok {
		return e
	}
	inner, ok := a.Arg.(*einsum.Agg)
	if !ok || inner.Op != a.Op || !a.Op.Info().Assoc || !a.Op.Info().Comm {
		return e
	}
	return &einsum.Agg{Op: a.Op, Idxs: slices.Concat(a.Idxs, inner.Idxs), Arg: inner.Arg}
}

// lift moves an aggregate out of a product that distributes over it:
// a * sum_j b(j) = sum_j a * b(j), since no other factor mentions j. It must not
// move out of a sum: a + sum_j b(j) has a once, sum_j (a + b(j)) has it for every
// j. A guard is left alone: its condition belongs to the aggregate around it.
func (n *normalizer) lift(e einsum.Expr) einsum.Expr {
	m, ok := e.(*einsum.Map)
	if !ok || m.Op == semiring.Guard {
		return e
	}
	for i, a := range m.Args {
		agg, ok := a.(*einsum.Agg)
		if !ok || !m.Op.DistributesOver(agg.Op, i, 0) || hasGuard(agg.Arg) {
			continue
		}
		args := slices.Clone(m.Args)
		args[i] = agg.Arg
		inner := n.lift(n.flattenRule(&einsum.Map{Op: m.Op, Args: args}))
		return n.merge(&einsum.Agg{Op: agg.Op, Idxs: agg.Idxs, Arg: inner})
	}
	return e
}
