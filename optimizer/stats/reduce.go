package stats

import (
	"math"
	"math/bits"
)

// reduce is the projection that forgets the indices of drop. Atoms tied together
// by forgotten indices become one; the others stay as they are, which the
// projection of a conjunction allows.
func (v *view) reduce(drop uint64) *view {
	out := &view{set: v.set &^ drop, scale: v.scale}
	var list atomList
	list.add(v.atoms)
	left := list.all()
	for drop != 0 {
		part, rest, set := tied(left, drop)
		left = rest
		if len(part) == 0 {
			break // no atom has what is left of drop
		}
		keep := set &^ drop
		drop &^= set
		if keep == 0 {
			out.scale = clampLog(out.scale + min(joinSize(part), 0))
			continue
		}
		out.atoms = append(out.atoms, collapse(part, keep))
	}
	for _, a := range left {
		out.atoms = append(out.atoms, *a)
	}
	return out
}

// tied returns the atoms that the lowest index of drop ties together, with those
// that lie between their kept indices: what is present there and what is present
// between them is not independent.
func tied(list []*atom, drop uint64) (part, rest []*atom, set uint64) {
	part = make([]*atom, 0, len(list))
	set = drop & -drop
	for grown := true; grown; {
		grown = false
		rest = rest[:0:0]
		for _, a := range list {
			if a.set&set&drop != 0 || bits.OnesCount64(a.set&set) > 1 && a.set&^set == 0 {
				part = append(part, a)
				set |= a.set
				grown = true
			} else {
				rest = append(rest, a)
			}
		}
		list = rest
	}
	return part, list, set
}

// collapse makes an atom of the projection of a conjunction onto the indices of
// keep, which are some of its own.
func collapse(part []*atom, keep uint64) atom {
	if len(part) == 1 && part[0].stored && bits.OnesCount64(keep) <= 2 {
		if a, ok := part[0].projection(keep); ok {
			return a
		}
	}
	p := projection{part: part, keep: keep, n: joinSize(part)}
	out := atom{set: keep, most: boundOf(part, 0, keep)}
	space := 0.0
	for s := keep; s != 0; s &= s - 1 {
		m := p.along(bits.TrailingZeros64(s))
		out.modes = append(out.modes, m)
		space += logOf(m.distinct)
	}
	switch len(out.modes) {
	case 1:
		out.n = logOf(out.modes[0].distinct)
	case 2:
		out.n = p.pair(&out)
	default:
		out.n = occupied(p.n, clampLog(space))
	}
	out.n = min(out.n, p.n, out.most, clampLog(space))
	for m := range out.modes {
		out.modes[m].fit(out.n)
	}
	return out
}

// projection of a stored tensor onto one mode is exact, onto two where it was
// measured.
func (a *atom) projection(keep uint64) (atom, bool) {
	out := atom{set: keep, stored: true}
	if keep&(keep-1) == 0 {
		m := *a.mode(bits.TrailingZeros64(keep))
		out.n, out.most = min(a.n, logOf(m.distinct)), m.mostDistinct
		m.mostDegree, m.norms = 0, [3]float64{}
		if m.classes != nil {
			m.present()
		}
		out.modes = []mode{m}
		return out, true
	}
	for _, p := range a.pairs {
		x, y := a.modes[p.A], a.modes[p.B]
		if keep != uint64(1)<<x.x|uint64(1)<<y.x {
			continue
		}
		out.n = logOf(p.Distinct)
		out.most = out.n
		x.mostDegree, y.mostDegree = max(logOf(p.MaxBOfA), 0), max(logOf(p.MaxAOfB), 0)
		out.modes = []mode{x, y}
		for m := range out.modes {
			out.modes[m].norms = [3]float64{}
			out.modes[m].fit(out.n)
		}
		return out, true
	}
	return out, false
}

// present says of the coordinates only whether they occur.
func (m *mode) present() {
	degrees := m.degrees()
	m.row, m.degree = everywhere, nil
	for _, d := range degrees {
		if d == 0 {
			m.degree = make([]float64, len(degrees))
			for b, d := range degrees {
				if d > 0 {
					m.degree[b] = 1
				}
			}
			return
		}
	}
}

// fit scales the degrees so that they add up to the entries.
func (m *mode) fit(n float64) {
	entries := math.Exp(n)
	m.distinct = math.Max(1, math.Min(m.distinct, entries))
	if m.classes == nil || m.row == everywhere && m.degree == nil {
		return
	}
	sum := 0.0
	degrees := m.degrees()
	for b, d := range degrees {
		sum += m.classes.Count[b] * d
	}
	if sum <= 0 {
		m.classes, m.degree = nil, nil
		return
	}
	scaled := make([]float64, len(degrees))
	for b, d := range degrees {
		scaled[b] = d / sum * entries
	}
	m.degree = scaled
}

// projection is a conjunction with n entries (a log) seen from the indices of keep.
type projection struct {
	part []*atom
	keep uint64
	n    float64
}

// spread is how the entries of a conjunction are spread over one index: count
// coordinates in each class, of which the share is not excluded by atoms that
// are independent of the classes, and mean entries per coordinate. trials is how
// many tries a coordinate has at an entry: its degree.
type spread struct {
	classes *Classes
	count   []float64
	share   float64
	mean    []float64
	trials  []float64
}

// over returns the spread over index x.
func (p *projection) over(x int) spread {
	s := spread{share: 1}
	bit := uint64(1) << x
	smallest, universe := math.Inf(1), 1.0
	for _, a := range p.part {
		if a.set&bit == 0 {
			continue
		}
		m := a.mode(x)
		if m.classes != nil && (s.classes == nil || s.classes == m.classes) {
			s.multiply(m)
			universe = max(universe, m.classes.total)
			continue
		}
		smallest = min(smallest, m.distinct)
		universe = max(universe, m.distinct)
	}
	if s.classes == nil {
		s.count, s.mean, s.trials = []float64{max(smallest, 1)}, []float64{1}, []float64{1}
	} else if smallest < universe {
		s.share = smallest / universe
	}
	sum := 0.0
	for b, n := range s.count {
		sum += n * s.mean[b]
	}
	entries := math.Exp(p.n)
	for b := range s.mean {
		s.mean[b] *= entries / max(sum, 1e-300)
	}
	return s
}

func (s *spread) multiply(m *mode) {
	if s.classes == nil {
		s.classes, s.count = m.classes, m.classes.Count
		s.mean, s.trials = make([]float64, len(s.count)), make([]float64, len(s.count))
		for b := range s.mean {
			s.mean[b], s.trials[b] = 1, 1
		}
	}
	if m.degree == nil && m.row == everywhere {
		return
	}
	for b, d := range m.degrees() {
		s.mean[b] *= d
		s.trials[b] = max(s.trials[b], d)
	}
}

// hit is the chance that a coordinate has any of the mean number of entries,
// when each of its trials succeeds or not.
func hit(mean, trials float64) float64 {
	switch chance := mean / trials; {
	case chance >= 1:
		return 1
	case mean < 1e-3:
		return mean
	default:
		return -math.Expm1(trials * math.Log1p(-chance))
	}
}

// along describes the projection along one of its indices.
func (p *projection) along(x int) mode {
	s := p.over(x)
	m := mode{x: x, classes: s.classes, dim: logLimit, mostDistinct: boundOf(p.part, 0, 1<<x), mostDegree: boundOf(p.part, 1<<x, p.keep)}
	for _, a := range p.part {
		if a.set&(1<<x) != 0 {
			m.dim = min(m.dim, a.mode(x).dim)
		}
	}
	single := p.keep == 1<<x
	if s.classes != nil {
		m.degree = s.mean
	}
	for b, n := range s.count {
		present := s.share * hit(s.mean[b]/s.share, s.trials[b])
		m.distinct += n * present
		if single && s.classes != nil {
			m.degree[b] = present
		}
	}
	return m
}

// pair estimates the entries of a projection onto two indices and puts the
// degrees that it leaves in the modes.
func (p *projection) pair(out *atom) float64 {
	x, y := p.over(out.modes[0].x), p.over(out.modes[1].x)
	if space, ok := p.between(); ok {
		// Entries of a tensor over both indices, each with so many extensions in the
		// mean; these are spread widely (geometrically).
		return p.n - math.Log1p(math.Exp(clampLog(p.n-space)))
	}
	inverse := math.Exp(-p.n)
	sums := make([]float64, len(x.mean)+len(y.mean))
	total := 0.0
	for b, n := range x.count {
		for c, k := range y.count {
			cells := n * x.share * k * y.share
			mean := x.mean[b] / x.share * y.mean[c] / y.share * inverse
			some := cells * hitAny(mean)
			total += some
			sums[b] += some
			sums[len(x.mean)+c] += some
		}
	}
	out.modes[0].rest(sums[:len(x.mean)])
	out.modes[1].rest(sums[len(x.mean):])
	estimate := logOf(total)
	if g := p.wedge(); g != nil {
		out.bridge = g
		if g.apart != 0 {
			estimate = p.apart(g)
		}
	}
	return estimate
}

// rest puts degrees in place: the entries of each class over its coordinates.
func (m *mode) rest(sums []float64) {
	if m.classes == nil {
		return
	}
	m.degree = make([]float64, len(sums))
	for b, s := range sums {
		m.degree[b] = s / m.classes.Count[b]
	}
}

// hitAny is 1 - e^-mean.
func hitAny(mean float64) float64 {
	switch {
	case mean < 0.01:
		return mean
	case mean > 20:
		return 1
	default:
		return -math.Expm1(-mean)
	}
}

// between returns the size of the part that lies over the kept indices alone.
func (p *projection) between() (float64, bool) {
	var list [maxAtoms]*atom
	over := list[:0]
	for _, a := range p.part {
		if a.set == p.keep {
			over = append(over, a)
		}
	}
	if len(over) == 0 {
		return 0, false
	}
	return joinSize(over), true
}

// wedge returns the graph of which the part is a wedge between the kept indices,
// perhaps with other atoms on the middle; nil when it is none.
func (p *projection) wedge() *graph {
	edges := p.edges()
	if len(edges) != 2 || edges[0].graph != edges[1].graph || edges[0].set == edges[1].set {
		return nil
	}
	for _, a := range p.part {
		if len(a.modes) > 1 && a.graph == nil {
			return nil
		}
	}
	return edges[0].graph
}

func (p *projection) edges() []*atom {
	var out []*atom
	for _, a := range p.part {
		if a.graph != nil {
			out = append(out, a)
		}
	}
	return out
}

// apart is the number of pairs that wedges join. Of wedges thinned to a share p,
// by conditions on the middle, a pair with c of them keeps one with chance
// 1-(1-p)^c; between p small and p = 1 the share of pairs follows a hyperbola.
func (p *projection) apart(g *graph) float64 {
	share := math.Exp(min(p.n-model(p.edges()), 0))
	return p.n - math.Log1p(share*math.Expm1(-g.apart))
}
