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

func (l *atomList) add(atoms []atom) {
	for i := range atoms {
		if l.n < maxAtoms {
			l.at[l.n] = &atoms[i]
			l.n++
		}
	}
}

func (l *atomList) all() []*atom { return l.at[:l.n] }

// size returns the log of the number of entries of the conjunction of the atoms
// and of the arguments' atoms.
func (*view) size(atoms []atom, args []Stats) float64 {
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
	if len(list) == 1 {
		return list[0].n
	}
	return min(model(list), boundOf(list, 0, setOf(list)))
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
	for _, a := range list {
		chance, repeats := w.repeated(a)
		if repeats {
			total += chance
			continue
		}
		use = append(use, a)
	}
	for _, a := range use {
		total += a.n * float64(1-len(a.modes))
	}
	for s := setOf(use); s != 0; s &= s - 1 {
		total += atIndex(use, bits.TrailingZeros64(s))
	}
	total += w.corrections() + parallel(use)
	if w.bridges > 0 && w.bridges <= maxBridges {
		for i, a := range use {
			if a.bridge != nil {
				total = min(total, without(use, i))
			}
		}
	}
	return clampLog(total)
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
				universe = max(universe, m.classes.total)
				continue
			}
		}
		flats += a.n
		count++
		universe = max(universe, m.distinct)
	}
	total := flats
	for i := range n {
		total += groups[i].sum()
	}
	if apart := count + n - 1; apart > 0 {
		total -= float64(apart) * logOf(max(universe, 1))
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
			strengths[n] = logOf(b.mode(bits.TrailingZeros64(s)).distinct)
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
