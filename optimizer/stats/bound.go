package stats

import (
	"math"
	"math/bits"
)

// boundOf is an upper bound, a log, on the assignments of the target per
// assignment of the indices of from: a chain of the atoms' degree constraints,
// each link the cheapest per index that it adds.
func boundOf(list []*atom, from, target uint64) float64 {
	at, total := from, 0.0
	for target&^at != 0 {
		d, adds := cheapestLink(list, at, target)
		if adds == 0 {
			return logLimit
		}
		total += d
		at |= adds
	}
	return clampLog(total)
}

// cheapestLink returns what leads from the indices of at to more of the target.
func cheapestLink(list []*atom, at, target uint64) (d float64, adds uint64) {
	rate := math.Inf(1)
	consider := func(cost float64, to uint64) {
		if n := bits.OnesCount64(to & target &^ at); n > 0 && cost < rate*float64(n) {
			rate, d, adds = cost/float64(n), cost, to
		}
	}
	for _, a := range list {
		if a.set&target&^at == 0 {
			continue
		}
		consider(a.most, a.set)
		for m := range a.modes {
			f := &a.modes[m]
			if bit := uint64(1) << f.x; at&bit == 0 {
				consider(f.mostDistinct, bit)
			} else {
				consider(f.mostDegree, a.set)
			}
		}
	}
	return d, adds
}

// grown is an upper bound, a log, on the entries of a join: from the smallest
// start it grows by the index with the least entries per assignment of what is
// bound, one index at a time. Faster than boundOf and not as tight.
// O(indices^2 + modes).
func grown(list []*atom) float64 {
	set := setOf(list)
	if bits.OnesCount64(set) > maxIndices {
		return boundOf(list, 0, set)
	}
	var need [64]float64
	for s := set; s != 0; s &= s - 1 {
		need[bits.TrailingZeros64(s)] = logLimit
	}
	start, rate := list[0], math.Inf(1)
	for _, a := range list {
		if r := a.most / float64(len(a.modes)); r < rate {
			start, rate = a, r
		}
		for m := range a.modes {
			f := &a.modes[m]
			need[f.x] = min(need[f.x], f.mostDistinct)
		}
	}
	total, at := start.most, uint64(0)
	for fresh := start.set; ; {
		at |= fresh
		for _, a := range list {
			if a.set&fresh == 0 || a.set&^at == 0 {
				continue
			}
			for m := range a.modes {
				if f := &a.modes[m]; fresh&(1<<f.x) != 0 {
					for s := a.set &^ at; s != 0; s &= s - 1 {
						y := bits.TrailingZeros64(s)
						need[y] = min(need[y], f.mostDegree)
					}
				}
			}
		}
		if at == set {
			return clampLog(total)
		}
		best := -1
		for s := set &^ at; s != 0; s &= s - 1 {
			if y := bits.TrailingZeros64(s); best < 0 || need[y] < need[best] {
				best = y
			}
		}
		total += need[best]
		fresh = 1 << best
	}
}

// Bound returns an upper bound on the entries of the projection onto the set: by
// degree constraints, and by norms of degree sequences. It holds when the
// tensors' figures are exact and degrees are known.
func (Best) Bound(s Stats, set uint64) float64 {
	v, ok := s.(*view)
	if !ok {
		return Uniform{}.Estimate(s, set, 0)
	}
	set &= v.set
	var list atomList
	list.add(v.atoms)
	cons := make([]constraint, 0, 64)
	empty := false
	for _, a := range list.all() {
		empty = empty || a.most <= -logLimit
		cons = append(cons, constraint{y: a.set, d: a.most})
		for m := range a.modes {
			f := &a.modes[m]
			bit := uint64(1) << f.x
			cons = append(cons, constraint{y: bit, d: f.mostDistinct}, constraint{x: bit, y: a.set, d: f.mostDegree})
		}
		for _, p := range a.pairs {
			x, y := uint64(1)<<a.modes[p.A].x, uint64(1)<<a.modes[p.B].x
			cons = append(cons, constraint{y: x | y, d: logOf(p.Distinct)},
				constraint{x: x, y: x | y, d: max(logOf(p.MaxBOfA), 0)}, constraint{x: y, y: x | y, d: max(logOf(p.MaxAOfB), 0)})
		}
	}
	if empty || v.scale <= -logLimit {
		return 0
	}
	cons = append(cons, norms(list.all())...)
	c := chain{set: v.set, cons: cons}
	return unlog(c.path(0, set))
}

// norms bounds stars and triangles of atoms of two modes by norms of their degree
// sequences:
//
//	|R1(y,x1), ..., Rk(y,xk)| <= ||deg_R1(y)||_k ... ||deg_Rk(y)||_k
//	|R(x,y), S(y,z), T(z,x)| <= (||deg_R(x)||_2^2 ||deg_S(y)||_2^2 ||deg_T(z)||_2^2)^(1/3)
//
// The triangle's also holds with all three degrees taken at the other ends.
func norms(list []*atom) []constraint {
	var out []constraint
	for s := setOf(list); s != 0; s &= s - 1 {
		y := bits.TrailingZeros64(s)
		out = append(out, stars(list, y, constraint{}, [3]float64{}, 0)...)
	}
	for i, r := range list {
		for j, s := range list[:i] {
			shared := r.set & s.set
			if len(r.modes) != 2 || len(s.modes) != 2 || bits.OnesCount64(shared) != 1 {
				continue
			}
			x, z := r.set&^shared, s.set&^shared
			for _, t := range list[:j] {
				if t.set == x|z && len(t.modes) == 2 {
					out = append(out, triangleNorms(r, s, t, bits.TrailingZeros64(x),
						bits.TrailingZeros64(shared), bits.TrailingZeros64(z))...)
				}
			}
		}
	}
	return out
}

// stars extends a star at y of so many atoms, with the sums of their norms of
// each order, by the atoms of the list; it has two to four in the end.
func stars(list []*atom, y int, star constraint, sums [3]float64, size int) []constraint {
	var out []constraint
	if size >= 2 {
		star.d = sums[size-2] / float64(size)
		out = append(out, star)
	}
	if size == 4 {
		return out
	}
	for i, a := range list {
		if a.set&(1<<y) == 0 || len(a.modes) != 2 {
			continue
		}
		m := a.mode(y)
		if m.norms[0] <= 0 {
			continue
		}
		longer := sums
		for p := range longer {
			longer[p] += m.norms[p]
		}
		out = append(out, stars(list[i+1:], y, constraint{y: star.y | a.set}, longer, size+1)...)
	}
	return out
}

// triangleNorms is the bound of R(x,y), S(y,z), T(z,x) both ways around.
func triangleNorms(r, s, t *atom, x, y, z int) []constraint {
	var out []constraint
	for _, at := range [][3]int{{x, y, z}, {y, z, x}} {
		a, b, c := r.mode(at[0]).norms[0], s.mode(at[1]).norms[0], t.mode(at[2]).norms[0]
		if a > 0 && b > 0 && c > 0 {
			out = append(out, constraint{y: r.set | s.set | t.set, d: (a + b + c) / 3})
		}
	}
	return out
}

// chains returns views as Chain sees them.
func chains(args []Stats) []Stats {
	out := make([]Stats, len(args))
	for i, a := range args {
		v := a.(*view)
		c := &chain{set: v.set, dims: make([]float64, bits.OnesCount64(v.set))}
		for _, a := range v.atoms {
			c.cons = append(c.cons, constraint{y: a.set, d: a.most})
			for m := range a.modes {
				f := &a.modes[m]
				bit := uint64(1) << f.x
				c.cons = append(c.cons, constraint{y: bit, d: f.mostDistinct}, constraint{x: bit, y: a.set, d: f.mostDegree})
				c.dims[bits.OnesCount64(c.set&(bit-1))] = f.dim
			}
		}
		out[i] = c
	}
	return out
}
