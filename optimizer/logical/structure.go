package logical

import (
	"math/bits"
	"slices"

	"github.com/trireme-db/trireme/optimizer/stats"
)

// node is a live tensor of a query that is being eliminated: a base atom, or the
// result of a step. A result is known by the base atoms that it has consumed:
// which indices are gone follows, since a step takes every reduced index that
// occurs nowhere else. Its statistics are those of the join of its base atoms,
// whatever steps led there, so that the cost of what follows does not depend on
// the path (the principle of optimality holds).
type node struct {
	base  uint64      // base atoms
	set   uint64      // indices that are left
	binds uint64      // those that it restricts; a comparison binds none
	stats stats.Stats // nil for a comparison
	share float64     // what a comparison keeps
	size  float64     // estimated entries
	hash  uint64
	label label   // noLabel until asked for
	args  []uint8 // indices in the canonical order of modes, known with the label
	by    *kernel // the step; nil for a base atom
}

const noLabel label = -1

// structure is a query as the search sees it: atoms, the ties among them, and
// what is known of their entries. It is built once; nodes and kernels are kept.
type structure struct {
	est     stats.Estimator
	share   *sharing
	base    []*node
	ties    []uint64 // sets of base atoms that one kernel takes together
	factors []priced // those that are no accesses or comparisons alone
	reduced uint64
	leaves  int
	unbound bool // some atom's indices are not all bound by one atom
	result  bool // the query is an output of the program: its own step is never shared
	repeats bool // some label occurs twice
	perturb func(uint64) float64

	results map[uint64]*node   // of steps, by hash
	kernels map[uint64]*kernel // by hash of nodes and kind
	shares  map[uint64]bool    // whether a step over these base atoms may repeat
	work    int
	scratch []stats.Term
}

// newStructure takes over the atoms of an elimination.
func newStructure(e *elimination) *structure {
	st := &structure{
		est: e.pl.est, share: e.pl.share, reduced: e.reduced, leaves: len(e.forms),
		result: e.pl.isOutput(e.q), perturb: e.pl.perturb,
		results: map[uint64]*node{}, kernels: map[uint64]*kernel{}, shares: map[uint64]bool{},
	}
	for i := range e.atoms {
		a := &e.atoms[i]
		n := &node{
			base: 1 << i, set: a.set, binds: a.binds, stats: a.term.Stats, share: a.term.Selectivity,
			hash: spread(1<<i ^ rawSeed), label: a.label, args: a.args,
		}
		if n.stats != nil {
			n.size = st.est.Estimate(n.stats, n.stats.Set(), 0)
		}
		for _, m := range st.base {
			st.repeats = st.repeats || m.label == n.label
		}
		st.base = append(st.base, n)
	}
	for _, n := range st.base {
		// What goes with an atom that binds all of its indices is never alone.
		st.unbound = st.unbound || !slices.ContainsFunc(st.base, func(m *node) bool { return n.set&^m.binds == 0 })
	}
	st.ties = e.ties()
	st.factors = e.pricedFactors()
	return st
}

// priced is a factor of a leaf that is evaluated at each cell of the kernel that takes its
// base atoms, and what that costs in cells.
type priced struct {
	base  uint64
	cells float64
}

// rawSeed tells base atoms from results over one atom.
const rawSeed = 0x5bd1e9955bd1e995

// spread is a hash of a small number.
func spread(x uint64) uint64 {
	x = (x + 0x9E3779B97F4A7C15) * 0xBF58476D1CE4E5B9
	x = (x ^ x>>27) * 0x94D049BB133111EB
	return x ^ x>>31
}

// mayRepeat reports whether a step over these base atoms could be equal to
// another one: to a step of an earlier query, or to one over other atoms of this
// query, which must then read the same tensors as often.
func (st *structure) mayRepeat(base uint64) bool {
	if len(st.share.steps) > 0 {
		return true
	}
	if !st.repeats {
		return false
	}
	if r, ok := st.shares[base]; ok {
		return r
	}
	may := true
	for s := base; s != 0 && may; s &= s - 1 {
		l := st.base[bits.TrailingZeros64(s)].label
		inside, outside := 0, 0
		for i, n := range st.base {
			switch {
			case n.label != l:
			case base>>i&1 == 1:
				inside++
			default:
				outside++
			}
		}
		may = inside <= outside
	}
	st.shares[base] = may
	return may
}

// join describes the join of base atoms.
func (st *structure) join(base uint64) stats.Stats {
	st.scratch = st.scratch[:0]
	for s := base; s != 0; s &= s - 1 {
		n := st.base[bits.TrailingZeros64(s)]
		st.scratch = append(st.scratch, stats.Term{Stats: n.stats, Set: n.set, Selectivity: n.share})
	}
	return join(st.est, st.scratch)
}

// components splits the base atoms into sets without a common index. What
// happens to one of them has no effect on the others, except that they may share
// steps: sets with equal labels stay together when few indices are reduced in
// all.
func (st *structure) components() []uint64 {
	var out []uint64
	for i, n := range st.base {
		set := n.base
		for _, t := range st.ties {
			if t>>i&1 == 1 {
				set |= t
			}
		}
		out = merge(out, set, func(a, b uint64) bool { return a&b != 0 || st.indices(a)&st.indices(b) != 0 })
	}
	if bits.OnesCount64(st.reduced) <= exactIndices {
		var labelled []uint64
		for _, c := range out {
			labelled = merge(labelled, c, st.commonLabel)
		}
		out = labelled
	}
	return out
}

// merge adds a set, united with all that it is related to.
func merge(sets []uint64, set uint64, related func(a, b uint64) bool) []uint64 {
	for {
		i := slices.IndexFunc(sets, func(s uint64) bool { return related(s, set) })
		if i < 0 {
			return append(sets, set)
		}
		set |= sets[i]
		sets = slices.Delete(sets, i, i+1)
	}
}

func (st *structure) indices(base uint64) uint64 {
	var set uint64
	for s := base; s != 0; s &= s - 1 {
		set |= st.base[bits.TrailingZeros64(s)].set
	}
	return set
}

func (st *structure) commonLabel(a, b uint64) bool {
	if st.indices(a)&st.reduced == 0 || st.indices(b)&st.reduced == 0 {
		return false
	}
	for s := a; s != 0; s &= s - 1 {
		for t := b; t != 0; t &= t - 1 {
			if st.base[bits.TrailingZeros64(s)].label == st.base[bits.TrailingZeros64(t)].label {
				return true
			}
		}
	}
	return false
}

// interchangeable groups reduced indices: two of them are in one class if
// exchanging them maps the atoms, with their labels, and the ties to themselves.
// out[x] holds the smaller members of x's class. Orders that differ by such an
// exchange cost the same, so that a class is eliminated in the order of its
// numbers only (OPTIMIZER B-7).
func (st *structure) interchangeable() [maxBits]uint64 {
	var out [maxBits]uint64
	for s := st.reduced; s != 0; s &= s - 1 {
		x := bits.TrailingZeros64(s)
		for t := st.reduced & (1<<x - 1); t != 0; t &= t - 1 {
			y := bits.TrailingZeros64(t)
			if st.exchange(uint8(x), uint8(y)) {
				out[x] |= out[y] | 1<<y
			}
		}
	}
	return out
}

// exchange reports whether swapping two indices maps the atoms to themselves.
func (st *structure) exchange(x, y uint8) bool {
	var used uint64
	var image [maxBits]int
	for i, n := range st.base {
		image[i] = i
		if n.set>>x&1 == 0 && n.set>>y&1 == 0 {
			continue
		}
		found := false
		for j, m := range st.base {
			if used>>j&1 == 0 && m.label == n.label && swapped(n.args, m.args, x, y) {
				used |= 1 << j
				image[i], found = j, true
				break
			}
		}
		if !found {
			return false
		}
	}
	for _, t := range st.ties {
		var mapped uint64
		for s := t; s != 0; s &= s - 1 {
			mapped |= 1 << image[bits.TrailingZeros64(s)]
		}
		if !slices.Contains(st.ties, mapped) {
			return false
		}
	}
	return true
}

func swapped(a, b []uint8, x, y uint8) bool {
	if len(a) != len(b) {
		return false
	}
	for i, c := range a {
		switch c {
		case x:
			c = y
		case y:
			c = x
		}
		if b[i] != c {
			return false
		}
	}
	return true
}
