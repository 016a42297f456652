package stats

import (
	"math"
	"math/bits"
)

// reduce is the projection that forgets the indices of drop. Atoms tied together
// by forgotten indices become one; the others stay as they are, which the
// projection of a conjunction allows.
func (v *view) reduce(drop uint64) *view {
	out := &view{set: v.set &^ drop, scale: v.scale, atoms: make([]*atom, 0, len(v.atoms))}
	var list, part atomList
	list.add(v.atoms)
	for drop != 0 {
		part.n = 0
		set := list.tied(drop, &part)
		if part.n == 0 {
			break // no atom has what is left of drop
		}
		keep := set &^ drop
		drop &^= set
		if keep == 0 {
			out.scale = clampLog(out.scale + min(joinSize(part.all()), 0))
			continue
		}
		out.atoms = append(out.atoms, collapse(part.all(), keep))
	}
	out.atoms = append(out.atoms, list.all()...)
	return out
}

// tied moves the atoms that the lowest index of drop ties together to part, with
// those that lie between their kept indices: what is present there and what is
// present between them is not independent. It returns their indices.
func (l *atomList) tied(drop uint64, part *atomList) uint64 {
	set := drop & -drop
	for grown := true; grown; {
		grown = false
		n := 0
		for _, a := range l.all() {
			if a.set&set&drop != 0 || a.set&^set == 0 && a.set&(a.set-1) != 0 {
				part.at[part.n] = a
				part.n++
				set |= a.set
				grown = true
			} else {
				l.at[n] = a
				n++
			}
		}
		l.n = n
	}
	return set
}

// collapse makes an atom of the projection of a conjunction onto the indices of
// keep, which are some of its own.
func collapse(part []*atom, keep uint64) *atom {
	if len(part) == 1 && part[0].stored && bits.OnesCount64(keep) <= 2 {
		if a, ok := part[0].projection(keep); ok {
			return a
		}
	}
	p := projection{part: part, keep: keep, n: joinSize(part)}
	out := &atom{set: keep, most: boundOf(part, 0, keep)}
	out.modes = make([]mode, 0, bits.OnesCount64(keep))
	space := 0.0
	var spreads [2]spread
	for s := keep; s != 0; s &= s - 1 {
		var further spread
		at := &further
		if i := len(out.modes); i < len(spreads) {
			at = &spreads[i]
		}
		m := p.along(bits.TrailingZeros64(s), at)
		out.modes = append(out.modes, m)
		space += logOf(m.distinct)
	}
	switch len(out.modes) {
	case 1:
		out.n = logOf(out.modes[0].distinct)
	case 2:
		out.n = p.pair(out, &spreads)
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
func (a *atom) projection(keep uint64) (*atom, bool) {
	out := &atom{set: keep, stored: true}
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
	m.logDistinct = logOf(m.distinct)
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

// maxSpread is the number of classes that a spread has room for; fibers makes
// fewer. coarse is the number of groups that pairs of classes are looked at in.
const (
	maxSpread = 32
	coarse    = 8
)

// spread is how the entries of a conjunction are spread over one index: count
// coordinates in each of n classes, of which the share is not excluded by atoms
// that are independent of the classes, and mean entries per coordinate. trials is
// how many tries a coordinate has at an entry: its degree.
type spread struct {
	classes             *Classes
	n                   int
	share               float64
	count, mean, trials [maxSpread]float64
}

// over finds the spread over index x.
func (p *projection) over(x int, s *spread) {
	s.share = 1
	bit := uint64(1) << x
	smallest, universe := math.Inf(1), 1.0
	for _, a := range p.part {
		if a.set&bit == 0 {
			continue
		}
		m := a.mode(x)
		if m.classes != nil && len(m.classes.Count) <= maxSpread && (s.classes == nil || s.classes == m.classes) {
			s.multiply(m)
			universe = max(universe, m.classes.total)
			continue
		}
		smallest = min(smallest, m.distinct)
		universe = max(universe, m.distinct)
	}
	if s.classes == nil {
		s.n, s.count[0], s.mean[0], s.trials[0] = 1, max(smallest, 1), 1, 1
	} else if smallest < universe {
		s.share = smallest / universe
	}
	sum := 0.0
	for b := range s.n {
		sum += s.count[b] * s.mean[b]
	}
	factor := math.Exp(p.n) / max(sum, 1e-300)
	for b := range s.n {
		s.mean[b] *= factor
	}
}

func (s *spread) multiply(m *mode) {
	if s.classes == nil {
		s.classes = m.classes
		s.n = copy(s.count[:], m.classes.Count)
		for b := range s.n {
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

// grouped merges classes into the coarse groups of their partition.
func (s *spread) grouped(out *spread) {
	if s.classes == nil {
		*out = *s
		return
	}
	out.share, out.n = s.share, coarse
	for b := range s.n {
		g := s.classes.group[b]
		out.count[g] += s.count[b]
		out.mean[g] += s.count[b] * s.mean[b]
		out.trials[g] += s.count[b] * s.trials[b]
	}
	for g := range out.n {
		if out.count[g] > 0 {
			out.mean[g] /= out.count[g]
			out.trials[g] /= out.count[g]
		}
	}
}

// hit is the chance that a coordinate has any of the mean number of entries,
// when each of its trials succeeds or not.
func hit(mean, trials float64) float64 {
	switch {
	case mean >= trials:
		return 1
	case mean < 1e-3:
		return mean
	default:
		return -math.Expm1(trials * math.Log1p(-mean/trials))
	}
}

// present is the chance that a coordinate of class b occurs.
func (s *spread) present(b int) float64 { return s.share * hit(s.mean[b]/s.share, s.trials[b]) }

// along describes the projection along one of its indices.
func (p *projection) along(x int, s *spread) mode {
	p.over(x, s)
	m := mode{x: x, classes: s.classes, dim: logLimit, mostDistinct: boundOf(p.part, 0, 1<<x), mostDegree: boundOf(p.part, 1<<x, p.keep)}
	for _, a := range p.part {
		if a.set&(1<<x) != 0 {
			m.dim = min(m.dim, a.mode(x).dim)
		}
	}
	if s.classes != nil {
		m.degree = append(make([]float64, 0, s.n), s.mean[:s.n]...)
	}
	if p.keep != 1<<x {
		var groups spread
		s.grouped(&groups)
		for g := range groups.n {
			m.distinct += groups.count[g] * groups.present(g)
		}
	} else {
		for b := range s.n {
			present := s.present(b)
			m.distinct += s.count[b] * present
			if s.classes != nil {
				m.degree[b] = present
			}
		}
	}
	m.logDistinct = max(logOf(m.distinct), 0)
	return m
}

// pair estimates the entries of a projection onto two indices with the given
// spreads and puts the degrees that it leaves in the modes.
func (p *projection) pair(out *atom, full *[2]spread) float64 {
	if space, ok := p.between(); ok {
		// Entries of a tensor over both indices, each with so many extensions in the
		// mean; these are spread widely (geometrically).
		return p.n - math.Log1p(math.Exp(clampLog(p.n-space)))
	}
	var x, y spread
	full[0].grouped(&x)
	full[1].grouped(&y)
	inverse := math.Exp(-p.n)
	var sums [2][maxSpread]float64
	total := 0.0
	for b := range x.n {
		for c := range y.n {
			cells := x.count[b] * x.share * y.count[c] * y.share
			some := cells * hitAny(x.mean[b]/x.share*y.mean[c]/y.share*inverse)
			total += some
			sums[0][b] += some
			sums[1][c] += some
		}
	}
	thin(&out.modes[0], &full[0], &x, &sums[0])
	thin(&out.modes[1], &full[1], &y, &sums[1])
	estimate := logOf(total)
	if g := p.wedge(); g != nil {
		out.bridge = g
		if g.apart != 0 {
			estimate = p.apart(g)
		}
	}
	return estimate
}

// thin leaves of the degrees what a projection leaves of each group's entries.
func thin(m *mode, full, groups *spread, sums *[maxSpread]float64) {
	if m.classes == nil {
		return
	}
	for b := range full.n {
		g := m.classes.group[b]
		if entries := groups.count[g] * groups.mean[g]; entries > 0 {
			m.degree[b] *= sums[g] / entries
		}
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
	out := make([]*atom, 0, len(p.part))
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
