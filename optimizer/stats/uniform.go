package stats

import (
	"math"
	"math/bits"
	"slices"

	"github.com/trireme-db/trireme/internal/invariant"
)

// Uniform is the estimator that assumes independent, uniformly distributed
// coordinates: a join on an index keeps one pair in max(distinct, distinct),
// as System R did; a projection onto a space of S coordinates keeps
// S(1 - (1-1/S)^N) of N entries (Galley section 7.1 with the distinct
// coordinates in place of the whole dimension). Indices that one tensor shares
// with the others at once are correlated: the most selective counts in full,
// the next with exponent 1/2, then 1/4, since independence would let cycles
// vanish (a closing edge of a triangle is far likelier than any edge). It
// computes in logarithms and is blind to skew.
type Uniform struct{}

// logLimit bounds every logarithm: estimates lie in [1e-100, 1e100], so that
// products of a few of them stay finite.
const logLimit = 100 * math.Ln10

func clampLog(x float64) float64 {
	switch {
	case x != x || x < -logLimit: // NaN never arises from clamped operands; be safe
		return -logLimit
	case x > logLimit:
		return logLimit
	}
	return x
}

// logOf is the clamped logarithm; 0 and figures that are no numbers count as
// the smallest estimate.
func logOf(x float64) float64 {
	if !(x > 0) {
		return -logLimit
	}
	return clampLog(math.Log(x))
}

// uniform is Uniform's view of an expression: n entries whose coordinates along
// index i are v distinct ones of d. The figures of indices are in the order of
// their numbers.
type uniform struct {
	set  uint64
	n    float64   // log of the number of entries
	v, d []float64 // logs, per index
	// parts are the arguments of a join, which bound its projections.
	parts []*uniform
}

// Set returns the free indices.
func (u *uniform) Set() uint64 { return u.set }

// place is where the figures of index number x are or would be.
func (u *uniform) place(x int) int { return bits.OnesCount64(u.set & (1<<x - 1)) }

func asUniform(s Stats) *uniform {
	u, ok := s.(*uniform)
	if !ok {
		panic(invariant.Failed("stats: %T given to the uniform estimator", s))
	}
	return u
}

// newUniform makes room for the figures of a set.
func newUniform(set uint64) *uniform {
	k := bits.OnesCount64(set)
	figures := make([]float64, 2*k)
	return &uniform{set: set, v: figures[:k:k], d: figures[k:]}
}

// FromTensor describes a tensor read with the given index numbers, one per mode.
func (Uniform) FromTensor(t *TensorStats, numbers []int) Stats {
	var set uint64
	for _, x := range numbers {
		set |= 1 << x
	}
	u := newUniform(set)
	u.n = logOf(t.NNZ)
	space := 0.0
	for m, x := range numbers {
		i := u.place(x)
		u.d[i] = u.n
		if m < len(t.Dims) && t.Dims[m] > 0 {
			u.d[i] = logOf(t.Dims[m])
		}
		u.v[i] = u.d[i]
		if m < len(t.Distinct) && t.Distinct[m] > 0 {
			u.v[i] = min(u.d[i], logOf(t.Distinct[m]))
		}
		u.v[i] = max(min(u.v[i], u.n), 0)
		space += u.d[i]
	}
	u.n = min(u.n, clampLog(space))
	return u
}

// Join describes a conjunctive map of the arguments, taken in their order.
func (Uniform) Join(args []Stats) Stats {
	var set uint64
	for _, a := range args {
		set |= asUniform(a).set
	}
	out := newUniform(set)
	out.parts = make([]*uniform, 0, len(args))
	var seen uint64
	for _, a := range args {
		u := asUniform(a)
		out.join(u, seen)
		out.parts = append(out.parts, u)
		seen |= u.set
	}
	out.cap()
	return out
}

// uniformSize is Uniform's estimate of the entries of a join, without making it.
func uniformSize(args []Stats) float64 {
	var set uint64
	for _, a := range args {
		set |= a.Set()
	}
	var figures [2 * 64]float64
	k := bits.OnesCount64(set)
	out := uniform{set: set, v: figures[:k:k], d: figures[k : 2*k]}
	var seen uint64
	for _, a := range args {
		u := plain(a)
		out.join(u, seen)
		seen |= u.set
	}
	out.cap()
	if out.n <= -logLimit {
		return 0
	}
	return math.Exp(clampLog(out.n))
}

// join multiplies by arg; seen are the indices joined so far. Of two sets of
// coordinates of one index the smaller is taken to lie in the larger.
func (u *uniform) join(arg *uniform, seen uint64) {
	var shared [maxShared]float64
	count, fresh := 0, 0.0 // fresh: the log of the space of the new indices
	for i, s := 0, arg.set; s != 0; i, s = i+1, s&(s-1) {
		x := bits.TrailingZeros64(s)
		k := u.place(x)
		if seen&(1<<x) == 0 {
			u.v[k], u.d[k] = arg.v[i], arg.d[i]
			fresh += arg.v[i]
			continue
		}
		if count < maxShared {
			shared[count] = max(u.v[k], arg.v[i])
			count++
		}
		u.v[k] = min(u.v[k], arg.v[i])
		u.d[k] = max(u.d[k], arg.d[i])
	}
	// Selectivities of the shared indices, the strongest first.
	slices.Sort(shared[:count])
	factor, exponent := arg.n, 1.0
	for i := count - 1; i >= 0; i-- {
		factor -= exponent * shared[i]
		exponent /= 2
	}
	// No entry so far meets more than the whole space of the new indices.
	u.n = clampLog(u.n + min(factor, fresh))
}

// maxShared is the number of shared indices whose selectivity is counted; the
// exponent of further ones is negligible.
const maxShared = 8

// cap keeps every distinct count at most the number of entries, and 1 at least.
func (u *uniform) cap() {
	space := 0.0
	for i := range u.v {
		space += u.v[i]
	}
	u.n = min(u.n, clampLog(space))
	for i := range u.v {
		u.v[i] = max(min(u.v[i], u.n), 0)
	}
}

// Union describes a disjunctive map of the arguments; an argument without one
// of the indices is present at all its coordinates.
func (Uniform) Union(args []Stats) Stats {
	var set uint64
	for _, a := range args {
		set |= asUniform(a).set
	}
	out := newUniform(set)
	out.n = -logLimit
	for k := range out.v {
		out.v[k], out.d[k] = -logLimit, -logLimit
	}
	for _, a := range args {
		u := asUniform(a)
		for i, s := 0, u.set; s != 0; i, s = i+1, s&(s-1) {
			k := out.place(bits.TrailingZeros64(s))
			out.d[k] = max(out.d[k], u.d[i])
		}
	}
	for _, a := range args {
		u := asUniform(a)
		n := u.n
		for k, s := 0, set; s != 0; k, s = k+1, s&(s-1) {
			v := out.d[k]
			if x := bits.TrailingZeros64(s); u.set&(1<<x) != 0 {
				v = u.v[u.place(x)]
			} else {
				n += out.d[k]
			}
			out.v[k] = min(out.d[k], addLogs(out.v[k], v))
		}
		out.n = addLogs(out.n, clampLog(n))
	}
	out.cap()
	return out
}

// addLogs returns log(e^a + e^b).
func addLogs(a, b float64) float64 {
	if a < b {
		a, b = b, a
	}
	return clampLog(a + math.Log1p(math.Exp(b-a)))
}

// Reduce describes the aggregate of s over the indices of drop.
func (Uniform) Reduce(s Stats, drop uint64) Stats {
	u := asUniform(s)
	if u.set&drop == 0 {
		return u
	}
	out := newUniform(u.set &^ drop)
	k := 0
	for i, s := 0, u.set; s != 0; i, s = i+1, s&(s-1) {
		if s&-s&drop == 0 {
			out.v[k], out.d[k] = u.v[i], u.d[i]
			k++
		}
	}
	out.n = u.project(u.set &^ drop)
	out.cap()
	return out
}

// Rename gives the indices other numbers.
func (Uniform) Rename(s Stats, to []int) Stats {
	u := asUniform(s)
	var set uint64
	for s := u.set; s != 0; s &= s - 1 {
		set |= 1 << to[bits.TrailingZeros64(s)]
	}
	out := newUniform(set)
	out.n = u.n
	for i, s := 0, u.set; s != 0; i, s = i+1, s&(s-1) {
		k := out.place(to[bits.TrailingZeros64(s)])
		out.v[k], out.d[k] = u.v[i], u.d[i]
	}
	return out
}

// project returns the log of the number of distinct coordinates along the
// indices of keep.
func (u *uniform) project(keep uint64) float64 {
	keep &= u.set
	if keep == u.set {
		return u.n
	}
	space, kept := 0.0, 0
	for i, s := 0, u.set; s != 0; i, s = i+1, s&(s-1) {
		if s&-s&keep != 0 {
			space += u.v[i]
			kept++
		}
	}
	if kept == 1 {
		return min(u.n, space) // the coordinates that occur are known
	}
	return min(occupied(u.n, clampLog(space)), u.within(keep))
}

// within is at least the log of a projection's size: what a part of the
// conjunction has of it, with all coordinates of the other indices.
func (u *uniform) within(keep uint64) float64 {
	least := math.Inf(1)
	for _, p := range u.parts {
		if p.set&keep == 0 {
			continue
		}
		most := p.project(keep)
		for i, s := 0, u.set; s != 0; i, s = i+1, s&(s-1) {
			if s&-s&keep&^p.set != 0 {
				most += u.v[i]
			}
		}
		least = min(least, most)
	}
	return least
}

// occupied returns the log of the expected number of urns, of e^space, that
// e^n balls hit: S(1 - (1-1/S)^N), which is N for N << S and S for N >> S.
func occupied(n, space float64) float64 {
	switch ratio := n - space; {
	case space <= 0:
		return min(n, 0)
	case ratio < -30 || n <= 0:
		return n
	case ratio > 5:
		return space
	default:
		miss := math.Exp(n) * math.Log1p(-math.Exp(-space))
		return clampLog(space + math.Log(-math.Expm1(miss)))
	}
}

// Estimate returns the entries of the projection of s onto the set; with given,
// per present assignment of those. Indices that s does not have are ignored.
func (Uniform) Estimate(s Stats, set, given uint64) float64 {
	u := asUniform(s)
	n := u.project(set | given)
	if given != 0 {
		n -= u.project(given)
	}
	if n <= -logLimit {
		return 0
	}
	return math.Exp(clampLog(n))
}
