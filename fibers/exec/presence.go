package exec

import (
	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/internal/invariant"
)

// atoms is a set of operands and masks, by number (binder.atom).
type atoms []uint64

func (s atoms) has(a int) bool { return a/64 < len(s) && s[a/64]>>(a%64)&1 != 0 }

func (s atoms) with(a int) atoms {
	for a/64 >= len(s) {
		s = append(s, 0)
	}
	s[a/64] |= 1 << (a % 64)
	return s
}

func (s atoms) union(t atoms) atoms {
	for w, word := range t {
		if w == len(s) {
			s = append(s, 0)
		}
		s[w] |= word
	}
	return s
}

func (s atoms) intersect(t atoms) atoms {
	out := make(atoms, min(len(s), len(t)))
	for w := range out {
		out[w] = s[w] & t[w]
	}
	return out
}

func (s atoms) subsetOf(t atoms) bool {
	for w, word := range s {
		if w < len(t) {
			word &^= t[w]
		}
		if word != 0 {
			return false
		}
	}
	return true
}

// presence is what is known of where an expression is present: at least where
// all of need are, and with exact nowhere else.
type presence struct {
	need  atoms
	exact bool
}

// conjunctive reports whether a map is present only where all arguments are.
func conjunctive(m *einsum.Map) bool { return m.Op.Info().Conjunctive || len(m.Args) == 1 }

func (b *binder) presence(x einsum.Expr) presence {
	switch x := x.(type) {
	case *einsum.Access:
		return presence{need: atoms(nil).with(b.operandOf(x)), exact: true}
	case *einsum.Literal:
		return presence{exact: true}
	case *einsum.Compare:
		return presence{need: atoms(nil).with(b.maskOf(x)), exact: true}
	case *einsum.Agg:
		return b.presence(x.Arg)
	case *einsum.Map:
		if x.Op.Info().FirstOptional {
			return b.presence(x.Args[1])
		}
		out := b.presence(x.Args[0])
		for _, arg := range x.Args[1:] {
			p := b.presence(arg)
			if conjunctive(x) {
				out = presence{need: out.need.union(p.need), exact: out.exact && p.exact}
				continue
			}
			out = out.either(p)
		}
		return out
	default:
		panic(invariant.Failed("exec: expression %T", x))
	}
}

// either is what is known of where one of two expressions is present: where the first is, if
// that is everywhere where the second may be, or the other way round.
func (p presence) either(q presence) presence {
	switch {
	case p.exact && p.need.subsetOf(q.need):
		return p
	case q.exact && q.need.subsetOf(p.need):
		return q
	}
	return presence{need: p.need.intersect(q.need)}
}

// given reports whether x is present at every cell of the step's structure.
func (b *binder) given(x einsum.Expr) bool {
	p := b.presence(x)
	return p.exact && p.need.subsetOf(b.required)
}

// presentFunc tests whether x is present at the current cell.
func (b *binder) presentFunc(x einsum.Expr) func(*env) bool {
	switch x := x.(type) {
	case *einsum.Access:
		slot := b.operands[b.operandOf(x)].last()
		return func(e *env) bool { return e.pos[slot] >= 0 }
	case *einsum.Literal:
		return func(*env) bool { return true }
	case *einsum.Compare:
		return b.maskFunc(x)
	case *einsum.Agg:
		return b.presentFunc(x.Arg)
	case *einsum.Map:
		if x.Op.Info().FirstOptional {
			return b.presentFunc(x.Args[1])
		}
		var tests []func(*env) bool
		for _, arg := range x.Args {
			if !b.given(arg) {
				tests = append(tests, b.presentFunc(arg))
			} else if !conjunctive(x) {
				return func(*env) bool { return true }
			}
		}
		all := conjunctive(x)
		return func(e *env) bool {
			for _, test := range tests {
				if test(e) != all {
					return !all
				}
			}
			return all
		}
	default:
		panic(invariant.Failed("exec: expression %T", x))
	}
}

// maskFunc tests a comparison of the SQL values of two bound indices.
func (b *binder) maskFunc(m *einsum.Compare) func(*env) bool {
	l, r := b.loopOf[m.L.Name], b.loopOf[m.R.Name]
	test := comparison(m.Op)
	ranks := b.in.Ranks[m.L.Domain]
	if ranks == nil {
		return func(e *env) bool { return test(e.ix[l], e.ix[r]) }
	}
	return func(e *env) bool {
		x, y := ranks[e.ix[l]], ranks[e.ix[r]]
		return x >= 0 && y >= 0 && test(x, y)
	}
}

func comparison(op semiring.Op) func(a, b int32) bool {
	switch op {
	case semiring.Eq:
		return func(a, b int32) bool { return a == b }
	case semiring.Ne:
		return func(a, b int32) bool { return a != b }
	case semiring.Lt:
		return func(a, b int32) bool { return a < b }
	case semiring.Le:
		return func(a, b int32) bool { return a <= b }
	case semiring.Gt:
		return func(a, b int32) bool { return a > b }
	case semiring.Ge:
		return func(a, b int32) bool { return a >= b }
	default:
		panic(invariant.Failed("exec: %v is no comparison", op))
	}
}
