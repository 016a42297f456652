package stats

import (
	"math"
	"slices"

	"github.com/trireme-db/trireme/einsum"
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
// index i are v distinct ones of d.
type uniform struct {
	idxs []einsum.Index
	n    float64   // log of the number of entries
	v, d []float64 // logs, per index
}

// Indices returns the free indices.
func (u *uniform) Indices() []einsum.Index { return u.idxs }

func (u *uniform) find(x einsum.Index) int {
	for i, y := range u.idxs {
		if x == y {
			return i
		}
	}
	return -1
}

func asUniform(s Stats) *uniform {
	u, ok := s.(*uniform)
	if !ok {
		panic(invariant.Failed("stats: %T given to the uniform estimator", s))
	}
	return u
}

// FromTensor describes a tensor read with the given indices, one per mode.
func (Uniform) FromTensor(t TensorStats, idxs []einsum.Index) Stats {
	u := &uniform{idxs: idxs, n: logOf(t.NNZ), v: make([]float64, len(idxs)), d: make([]float64, len(idxs))}
	space := 0.0
	for i := range idxs {
		u.d[i] = u.n
		if i < len(t.Dims) && t.Dims[i] > 0 {
			u.d[i] = logOf(t.Dims[i])
		}
		u.v[i] = u.d[i]
		if i < len(t.Distinct) && t.Distinct[i] > 0 {
			u.v[i] = min(u.d[i], logOf(t.Distinct[i]))
		}
		u.v[i] = max(min(u.v[i], u.n), 0)
		space += u.d[i]
	}
	u.n = min(u.n, clampLog(space))
	return u
}

// Join describes a conjunctive map of the arguments, taken in their order.
func (Uniform) Join(args []Stats) Stats {
	size := 0
	for _, a := range args {
		size += len(asUniform(a).idxs)
	}
	figures := make([]float64, 2*size)
	out := &uniform{idxs: make([]einsum.Index, 0, size), v: figures[:0:size], d: figures[size:size]}
	for _, a := range args {
		out.join(asUniform(a))
	}
	out.cap()
	return out
}

// join multiplies by u. Of two sets of coordinates of one index the smaller is
// taken to lie in the larger.
func (u *uniform) join(arg *uniform) {
	var shared [maxShared]float64
	count, fresh := 0, 0.0 // fresh: the log of the space of the new indices
	for i, x := range arg.idxs {
		k := u.find(x)
		if k < 0 {
			u.idxs = append(u.idxs, x)
			u.v = append(u.v, arg.v[i])
			u.d = append(u.d, arg.d[i])
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
	out := &uniform{n: -logLimit}
	for _, a := range args {
		u := asUniform(a)
		for i, x := range u.idxs {
			if k := out.find(x); k < 0 {
				out.idxs, out.v, out.d = append(out.idxs, x), append(out.v, -logLimit), append(out.d, u.d[i])
			} else {
				out.d[k] = max(out.d[k], u.d[i])
			}
		}
	}
	for _, a := range args {
		u := asUniform(a)
		n := u.n
		for k, x := range out.idxs {
			v := out.d[k]
			if i := u.find(x); i >= 0 {
				v = u.v[i]
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

// Reduce describes the aggregate of s over the given indices.
func (Uniform) Reduce(s Stats, over []einsum.Index) Stats {
	u := asUniform(s)
	out := &uniform{}
	for i, x := range u.idxs {
		if !contains(over, x) {
			out.idxs, out.v, out.d = append(out.idxs, x), append(out.v, u.v[i]), append(out.d, u.d[i])
		}
	}
	if len(out.idxs) == len(u.idxs) {
		return u
	}
	out.n = u.project(func(x einsum.Index) bool { return !contains(over, x) })
	out.cap()
	return out
}

func contains(xs []einsum.Index, x einsum.Index) bool {
	for _, y := range xs {
		if x == y {
			return true
		}
	}
	return false
}

// project returns the log of the number of distinct coordinates along the
// indices that keep accepts.
func (u *uniform) project(keep func(einsum.Index) bool) float64 {
	space, kept := 0.0, 0
	for i, x := range u.idxs {
		if keep(x) {
			space += u.v[i]
			kept++
		}
	}
	switch kept {
	case len(u.idxs):
		return u.n
	case 1:
		return min(u.n, space) // the coordinates that occur are known
	}
	return occupied(u.n, clampLog(space))
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

// Estimate returns the entries of the projection of s onto idxs; with given,
// per present assignment of those. Indices that s does not have are ignored.
func (Uniform) Estimate(s Stats, idxs, given []einsum.Index) float64 {
	u := asUniform(s)
	n := u.project(func(x einsum.Index) bool { return contains(idxs, x) || contains(given, x) })
	if len(given) > 0 {
		n -= u.project(func(x einsum.Index) bool { return contains(given, x) })
	}
	if n <= -logLimit {
		return 0
	}
	return math.Exp(clampLog(n))
}
