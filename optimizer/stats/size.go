package stats

import (
	"math"
	"math/bits"
)

// maxAtoms is the number of atoms that a size looks at; a query has no more
// operands, and only views of several queries could. Further ones would only
// lower an estimate.
const maxAtoms = 96

// atomList points at the atoms of a join; it lives on the stack.
type atomList struct {
	at [maxAtoms]*atom
	n  int
}

func (l *atomList) add(atoms []*atom) { l.n += copy(l.at[l.n:], atoms) }

func (l *atomList) all() []*atom { return l.at[:l.n] }

// size returns the log of the number of entries of the conjunction of the atoms
// and of the arguments' atoms.
func (*view) size(atoms []*atom, args []Stats) float64 {
	var list atomList
	list.add(atoms)
	for _, a := range args {
		list.add(a.(*view).atoms)
	}
	return joinSize(list.all())
}

// joinSize is the model's estimate (see Best), at most the bound by degree
// constraints. O(atoms * indices).
func joinSize(list []*atom) float64 {
	switch len(list) {
	case 0:
		return 0
	case 1:
		return list[0].n
	}
	return min(model(list), grown(list))
}

func setOf(list []*atom) uint64 {
	var set uint64
	for _, a := range list {
		set |= a.set
	}
	return set
}

// model is the estimate without the bound. Atoms that repeat an edge are left
// out, those that others cover can only lower the estimate.
func model(list []*atom) float64 {
	var w web
	var kept [maxAtoms]*atom
	use := kept[:0]
	total := 0.0
	others := 0 // atoms of several modes that are no edges of the web
	for _, a := range list {
		chance, place := w.take(a)
		if place == repeated {
			total += chance
			continue
		}
		if place == outside && len(a.modes) > 1 {
			others++
		}
		total += a.n * float64(1-len(a.modes))
		use = append(use, a)
	}
	total += atIndices(use) + w.corrections()
	if others > 0 && len(use) > 1 {
		total += parallel(use)
	}
	if w.bridges > 0 && w.bridges <= maxBridges {
		for i, a := range use {
			if a.bridge != nil {
				total = min(total, without(use, i))
			}
		}
	}
	return clampLog(total)
}

// maxIndices is the number of indices whose sums are gathered in one pass.
const maxIndices = 16

// column gathers one index in the common case: stored tensors of one partition,
// and others that are independent of it.
type column struct {
	classes  *Classes
	moments  []float64 // of the one Part, else of the classes
	powers   [2]uint8
	special  bool // not the common case
	parts    int  // independent of each other
	flats    float64
	universe float64 // log of the largest number of coordinates
}

// atIndices adds up atIndex over all indices.
func atIndices(list []*atom) float64 {
	set := setOf(list)
	total := 0.0
	if bits.OnesCount64(set) > maxIndices {
		for s := set; s != 0; s &= s - 1 {
			total += atIndex(list, bits.TrailingZeros64(s))
		}
		return total
	}
	var columns [maxIndices]column
	for _, a := range list {
		for m := range a.modes {
			f := &a.modes[m]
			columns[bits.OnesCount64(set&(1<<f.x-1))].add(f, a.n)
		}
	}
	for i, s := 0, set; s != 0; i, s = i+1, s&(s-1) {
		c := &columns[i]
		if c.special {
			total += atIndex(list, bits.TrailingZeros64(s))
			continue
		}
		total += c.flats - float64(c.parts-1)*c.universe
		if c.classes != nil {
			total += c.moments[int(c.powers[0])*momentWidth+int(c.powers[1])]
		}
	}
	return total
}

// add takes in a mode of an atom of n entries.
func (c *column) add(f *mode, n float64) {
	switch {
	case f.classes == nil:
		c.flats += n
		c.parts++
		c.universe = max(c.universe, f.logDistinct)
		return
	case c.classes == nil:
		c.classes, c.moments = f.classes, f.classes.moments
		c.parts++
		c.universe = max(c.universe, f.classes.logTotal)
	case c.classes != f.classes:
		c.special = true
		return
	}
	switch {
	case f.moments != nil && &c.moments[0] == &c.classes.moments[0]:
		c.moments = f.moments
	case f.degree != nil || f.row > 1:
		c.special = true
	case f.row == everywhere:
	case c.powers[f.row] < maxPower:
		c.powers[f.row]++
	}
}

// without is the model for all atoms but one, when the others have all its
// indices: it only takes entries away.
func without(list []*atom, i int) float64 {
	var kept [maxAtoms]*atom
	rest := append(append(kept[:0], list[:i]...), list[i+1:]...)
	if list[i].set&^setOf(rest) != 0 {
		return math.Inf(1)
	}
	return model(rest)
}

// atIndex returns the log of the sum over the coordinates of index x of the
// product of the degrees in all atoms. Partitions are independent of each other.
func atIndex(list []*atom, x int) float64 {
	bit := uint64(1) << x
	var groups [maxGroups]group
	n, count, flats := 0, 0, 0.0
	universe := 0.0
	for _, a := range list {
		if a.set&bit == 0 {
			continue
		}
		m := a.mode(x)
		if m.classes != nil {
			if g := place(groups[:], &n, m.classes); g != nil {
				g.add(m)
				universe = max(universe, m.classes.logTotal)
				continue
			}
		}
		flats += a.n
		count++
		universe = max(universe, m.logDistinct)
	}
	total := flats
	for i := range n {
		total += groups[i].sum()
	}
	if apart := count + n - 1; apart > 0 {
		total -= float64(apart) * universe
	}
	return total
}

// mode returns the mode with index x, which the atom has.
func (a *atom) mode(x int) *mode {
	for m := range a.modes {
		if a.modes[m].x == x {
			return &a.modes[m]
		}
	}
	return nil
}

// maxGroups is the number of partitions told apart at one index, and maxFactors
// that of modes of one of them that are no stored tensor's; further ones count
// as independent, or not at all.
const (
	maxGroups  = 4
	maxFactors = 8
)

// group is the modes at one index whose degrees are known in the same classes.
type group struct {
	classes *Classes
	powers  [2]int // of the degrees in rows 0 and 1
	factors [maxFactors][]float64
	n       int
}

// place finds the group of a partition, or makes it; nil when there are too many.
func place(groups []group, n *int, c *Classes) *group {
	for i := range *n {
		if groups[i].classes == c {
			return &groups[i]
		}
	}
	if *n == len(groups) {
		return nil
	}
	g := &groups[*n]
	*n++
	g.classes, g.powers, g.n = c, [2]int{}, 0
	return g
}

func (g *group) add(m *mode) {
	switch {
	case m.degree != nil && g.n < maxFactors:
		g.factors[g.n] = m.degree
		g.n++
	case m.degree != nil || m.row == everywhere:
	case m.row < 2 && g.powers[m.row] < maxPower:
		g.powers[m.row]++
	case g.n < maxFactors:
		g.factors[g.n] = m.classes.Degree[m.row]
		g.n++
	}
}

// everywhere is the row of a mode in which each coordinate of the classes has
// one entry.
const everywhere = -1

// sum is the log of the sum over coordinates of the product of the degrees.
func (g *group) sum() float64 {
	if g.n == 0 {
		return g.classes.moments[g.powers[0]*momentWidth+g.powers[1]]
	}
	var buffer [32]float64
	product := append(buffer[:0], g.classes.Count...)
	for row, power := range g.powers {
		for range power {
			scale(product, g.classes.Degree[row])
		}
	}
	for _, f := range g.factors[:g.n] {
		scale(product, f)
	}
	sum := 0.0
	for _, p := range product {
		sum += p
	}
	return logOf(sum)
}

func scale(product, by []float64) {
	for i := range product {
		product[i] *= by[i]
	}
}

// parallel corrects for atoms that share two indices or more with one before
// them: keys of several columns mean the same things in both tensors, so the
// weaker indices count with exponents 1/2, 1/4, ... as with Uniform.
func parallel(list []*atom) float64 {
	total := 0.0
	for i, b := range list {
		if len(b.modes) < 2 {
			continue
		}
		var most uint64
		for _, a := range list[:i] {
			if s := a.set & b.set; bits.OnesCount64(s) > bits.OnesCount64(most) {
				most = s
			}
		}
		if bits.OnesCount64(most) < 2 {
			continue
		}
		var strengths [maxShared]float64
		n := 0
		for s := most; s != 0 && n < maxShared; s &= s - 1 {
			strengths[n] = b.mode(bits.TrailingZeros64(s)).logDistinct
			n++
		}
		total += forgiven(strengths[:n])
	}
	return total
}

// forgiven is the part of the selectivities that correlation takes back: none of
// the strongest, half of the next, three quarters of the one after it.
func forgiven(strengths []float64) float64 {
	for i := range strengths { // few: sorted by insertion, strongest first
		for j := i; j > 0 && strengths[j] > strengths[j-1]; j-- {
			strengths[j], strengths[j-1] = strengths[j-1], strengths[j]
		}
	}
	total, exponent := 0.0, 1.0
	for _, s := range strengths {
		total += (1 - exponent) * s
		exponent /= 2
	}
	return total
}

// maxBridges bounds the joins looked at without one of the bridges.
const maxBridges = 2
