package stats

import (
	"math"
	"math/bits"
)

// Best is the estimator that plans are ranked by. Of tensors whose degrees are
// known it takes the Chung-Lu model: given the degrees, entries are independent,
// so that a tensor of m entries holds (x, y) with chance d(x) d(y) / m. A join
// then has
//
//	product of m_t^(1-modes of t)  *  product over indices x of  sum over x of product of d_t(x)
//
// entries, exact for stars of one tensor, where System R would take the mean
// degree. Tensors over one domain whose degrees were not looked at together are
// independent at an index, as in System R. Where tensors are graphs, sampled
// walks correct the model: neighbours of vertices of high degree, cycles of three
// and four edges, pairs at distance two.
//
// An estimate never exceeds the bound by degree constraints that Bound gives.
// Without degrees (before a tensor is loaded) Best is Uniform.
type Best struct{}

// view is Best's view of an expression: the conjunction of its atoms.
type view struct {
	set   uint64
	atoms []*atom // never changed
	// scale is the log of the chance that parts without free indices are present.
	scale float64
	// plain is the view as Uniform sees it, once it was asked for.
	plain *uniform
}

// atom is a tensor, or the projection of a conjunction, taken for a tensor with
// random entries of known degrees. Figures are logs where nothing else is said.
type atom struct {
	set   uint64
	n     float64 // entries
	most  float64 // upper bound on them
	modes []mode
	// graph is nil unless the atom is a tensor with walks; it has edges from index
	// modes[0].x to modes[1].x.
	graph *graph
	// stored says that the atom is a tensor: its figures are no estimates. pairs is
	// what is known of its pairs of modes.
	stored bool
	pairs  []PairDegrees
	// bridge is the graph whose wedges, with the middle projected away, the atom's
	// entries are (or are part of); nil for others.
	bridge *graph
}

// mode is an atom along one of its indices.
type mode struct {
	x        int
	dim      float64 // log of the size of the domain
	distinct float64 // coordinates that occur: no log
	// logDistinct is their log, at least 0.
	logDistinct float64
	// classes partitions the coordinates (nil: all alike), degree is the mean
	// number of entries per coordinate of a class; nil: row row of the classes.
	classes *Classes
	row     int
	degree  []float64
	// moments is nil unless the mode is a Part: the moments of its set.
	moments []float64
	// Upper bounds, logs: coordinates that occur, entries per coordinate.
	mostDistinct, mostDegree float64
	// norms are the logs of the sums of the degrees' second, third and fourth
	// powers; 0 when unknown.
	norms [3]float64
}

// degrees returns the mean number of entries per class.
func (m *mode) degrees() []float64 {
	if m.degree != nil {
		return m.degree
	}
	return m.classes.Degree[m.row]
}

// Set returns the free indices.
func (v *view) Set() uint64 { return v.set }

// FromTensor describes a tensor. One of two modes or more without degrees is
// Uniform's.
func (Best) FromTensor(t *TensorStats, numbers []int) Stats {
	if t.Degrees == nil && len(numbers) > 1 {
		return Uniform{}.FromTensor(t, numbers)
	}
	v := &view{}
	a := &atom{n: logOf(t.NNZ), stored: true}
	a.modes = make([]mode, len(numbers))
	space, most := 0.0, 0.0
	for m, x := range numbers {
		f := t.mode(m)
		a.set |= 1 << x
		a.modes[m] = mode{
			x: x, dim: f.dim, mostDistinct: f.distinct, mostDegree: f.degree,
			distinct: math.Exp(max(f.distinct, 0)), logDistinct: max(f.distinct, 0),
		}
		space += f.dim
		most += f.distinct
		if t.Degrees == nil || m >= len(t.Degrees.Modes) {
			continue
		}
		if d := &t.Degrees.Modes[m]; d.Classes != nil {
			a.modes[m].classes, a.modes[m].row = d.Classes, d.Row
			a.modes[m].norms = [3]float64{logOf(d.Squares), logOf(d.Cubes), logOf(d.Fourths)}
			if d.Part != nil {
				a.modes[m].degree, a.modes[m].moments = d.Part.degree, d.Part.moments
			}
		}
	}
	a.n = min(a.n, clampLog(space))
	a.most = min(logOf(t.NNZ), clampLog(most))
	if t.Degrees != nil {
		a.graph, a.pairs = t.Degrees.graph, t.Degrees.Pairs
	}
	if len(numbers) == 0 {
		v.scale = min(a.n, 0)
		return v
	}
	v.set, v.atoms = a.set, []*atom{a}
	return v
}

// views returns the arguments as views; ok is false when one is Uniform's.
func views(args []Stats) (ok bool) {
	for _, a := range args {
		if _, ok := a.(*view); !ok {
			return false
		}
	}
	return true
}

// uniforms returns the arguments as Uniform sees them.
func uniforms(args []Stats) []Stats {
	out := make([]Stats, len(args))
	for i, a := range args {
		out[i] = plain(a)
	}
	return out
}

// plain returns statistics as Uniform sees them.
func plain(s Stats) *uniform {
	if v, ok := s.(*view); ok {
		return v.uniform()
	}
	return asUniform(s)
}

// uniform forgets the degrees.
func (v *view) uniform() *uniform {
	if v.plain != nil {
		return v.plain
	}
	u := newUniform(v.set)
	u.n = clampLog(v.size(v.atoms, nil) + v.scale)
	for i := range u.v {
		u.v[i], u.d[i] = logLimit, logLimit
	}
	for _, a := range v.atoms {
		for m := range a.modes {
			f := &a.modes[m]
			k := u.place(f.x)
			u.v[k], u.d[k] = min(u.v[k], logOf(f.distinct)), min(u.d[k], f.dim)
		}
	}
	u.cap()
	v.plain = u
	return u
}

// Join describes a conjunctive map of the arguments.
func (Best) Join(args []Stats) Stats {
	if !views(args) {
		return Uniform{}.Join(uniforms(args))
	}
	n := 0
	for _, a := range args {
		n += len(a.(*view).atoms)
	}
	out := &view{atoms: make([]*atom, 0, n)}
	for _, a := range args {
		v := a.(*view)
		out.set |= v.set
		out.scale = clampLog(out.scale + v.scale)
		out.atoms = append(out.atoms, v.atoms...)
	}
	return out
}

// Union describes a disjunctive map of the arguments; degrees are not kept.
func (Best) Union(args []Stats) Stats {
	if len(args) == 1 {
		return args[0]
	}
	u := Uniform{}.Union(uniforms(args)).(*uniform)
	if !views(args) {
		return u
	}
	bound := Chain{}.Union(chains(args)).(*chain)
	out := &view{set: u.set}
	a := &atom{set: u.set, n: u.n, most: bound.path(0, u.set)}
	for i, s := 0, u.set; s != 0; i, s = i+1, s&(s-1) {
		bit := s & -s
		a.modes = append(a.modes, mode{
			x: bits.TrailingZeros64(s), dim: u.d[i], distinct: math.Exp(u.v[i]), logDistinct: max(u.v[i], 0),
			mostDistinct: bound.path(0, bit), mostDegree: bound.path(bit, u.set),
		})
	}
	if u.set == 0 {
		out.scale = min(a.n, 0)
		return out
	}
	out.atoms = []*atom{a}
	return out
}

// Rename gives the indices other numbers.
func (Best) Rename(s Stats, to []int) Stats {
	v, ok := s.(*view)
	if !ok {
		return Uniform{}.Rename(s, to)
	}
	out := &view{set: renamed(v.set, to), scale: v.scale, atoms: make([]*atom, len(v.atoms))}
	for i, old := range v.atoms {
		a := *old
		a.set = renamed(a.set, to)
		modes := make([]mode, len(a.modes))
		for m, f := range a.modes {
			f.x = to[f.x]
			modes[m] = f
		}
		a.modes = modes
		out.atoms[i] = &a
	}
	return out
}

// Reduce describes the aggregate of s over the indices of drop.
func (Best) Reduce(s Stats, drop uint64) Stats {
	v, ok := s.(*view)
	if !ok {
		return Uniform{}.Reduce(s, drop)
	}
	if v.set&drop == 0 {
		return v
	}
	return v.reduce(v.set & drop)
}

// Estimate returns the entries of the projection of s onto the set; with given,
// per present assignment of those. Indices that s does not have are ignored.
func (Best) Estimate(s Stats, set, given uint64) float64 {
	v, ok := s.(*view)
	if !ok {
		return Uniform{}.Estimate(s, set, given)
	}
	n := v.projected(v.set & (set | given))
	if given != 0 {
		n -= v.projected(v.set & given)
	}
	return unlog(n)
}

// projected returns the log of the number of entries of a projection.
func (v *view) projected(keep uint64) float64 {
	n := clampLog(v.size(v.atoms, nil) + v.scale)
	if keep == v.set {
		return n
	}
	r := v.reduce(v.set &^ keep)
	return min(n, clampLog(r.size(r.atoms, nil)+r.scale))
}

// joinedSize is Estimate(Join(args), all, 0) without making the join.
func (Best) joinedSize(args []Stats) float64 {
	if !views(args) {
		return uniformSize(args)
	}
	scale := 0.0
	for _, a := range args {
		scale += a.(*view).scale
	}
	return unlog(clampLog((&view{}).size(nil, args) + scale))
}
