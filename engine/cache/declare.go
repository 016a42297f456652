package cache

import (
	"math"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/fibers"
	"github.com/trireme-db/trireme/internal/invariant"
)

// Declare returns a declaration with what the loaded entries show: leaf types
// (counts that are all 1 are a pattern, sums may have become wide), leaves that
// are never negative, and modes and pairs of modes whose coordinates all occur once.
func (b *Base) Declare(in *einsum.Input) *einsum.Input {
	out := &einsum.Input{Name: in.Name, Domains: in.Domains, Keys: in.Keys}
	for i, l := range in.Leaves {
		loaded := &b.COO.Leaves[i]
		invariant.Check(loaded.Name == l.Name, "cache: leaf %s loaded as %s", l.Name, loaded.Name)
		out.Leaves = append(out.Leaves, einsum.LeafDecl{Name: l.Name, Elem: loaded.Elem, NonNegative: b.nonNegative[i]})
	}
	for m, distinct := range b.Distinct {
		if distinct == b.COO.N {
			out.Keys = AddKey(out.Keys, []int{m})
		}
	}
	for _, p := range b.Statistics.Pairs {
		if p.Distinct == b.COO.N {
			out.Keys = AddKey(out.Keys, []int{p.A, p.B})
		}
	}
	return out
}

// AddKey returns the keys with one more, unless it follows from another: every
// superset of a key is one. Keys that follow from the new one are left out.
func AddKey(keys [][]int, key []int) [][]int {
	kept := make([][]int, 0, len(keys)+1)
	for _, k := range keys {
		if subset(k, key) {
			return keys
		}
		if !subset(key, k) {
			kept = append(kept, k)
		}
	}
	return append(kept, key)
}

// subset reports whether the ascending list a is part of b.
func subset(a, b []int) bool {
	for _, x := range a {
		for len(b) > 0 && b[0] < x {
			b = b[1:]
		}
		if len(b) == 0 || b[0] != x {
			return false
		}
	}
	return true
}

// nonNegative says of each leaf whether all its values are at least 0. Of
// floats nothing is claimed when one is NaN, infinite or -0, with which a
// product need not grow with its factors. A pattern needs no claim.
func nonNegative(leaves []fibers.Leaf) []bool {
	out := make([]bool, len(leaves))
	for i := range leaves {
		l := &leaves[i]
		switch l.Elem {
		case semiring.Pattern:
		case semiring.I64:
			out[i] = all(l.I64, func(x int64) bool { return x >= 0 })
		case semiring.I128:
			out[i] = all(l.I128, func(x semiring.Int128) bool { return x.Sign() >= 0 })
		case semiring.F64:
			out[i] = all(l.F64, func(x float64) bool { return !math.Signbit(x) && x <= math.MaxFloat64 })
		default:
			panic(invariant.Failed("cache: a leaf of type %s", l.Elem))
		}
	}
	return out
}

func all[T any](values []T, holds func(T) bool) bool {
	for _, x := range values {
		if !holds(x) {
			return false
		}
	}
	return true
}
