package fibers

import (
	"context"
	"math"
)

// Statistics describes how a tensor's entries are spread. Everything but Walks
// and the degrees within a class is exact. It is a value: nobody changes it.
type Statistics struct {
	Entries int
	Dims    []int
	Modes   []ModeStatistics
	Classes []DegreeClasses
	// Pairs has, of tensors of more than two modes, the pairs that were affordable.
	Pairs []PairStatistics
	// Walks is nil for tensors that are no graph: of two modes over one domain.
	Walks *WalkStatistics
}

// ModeStatistics is about the degrees of one mode's coordinates: a coordinate's
// degree is the number of entries that have it.
type ModeStatistics struct {
	Distinct                int     // coordinates that occur
	Max                     float64 // the largest degree
	Squares, Cubes, Fourths float64 // sums over all coordinates of powers of the degree
	// Classes is the place in Statistics.Classes of the mode's domain, and Row the
	// mode's row there; -1 when its coordinates were not classified.
	Classes, Row int
}

// PairStatistics is about two modes: the pairs of coordinates that occur, and
// the most coordinates of the one with one of the other.
type PairStatistics struct {
	A, B             int // modes, A < B
	Distinct         int
	MaxBOfA, MaxAOfB int // largest number of B's per A, of A's per B
}

// Statistics gathers the entries' statistics. domains names the domain of each
// mode; modes with equal names have their degrees looked at together. Nil: all
// differ. The entries are distinct and ascending. O(N) for each mode and pair,
// a few nanoseconds per entry.
func (c *COO) Statistics(ctx context.Context, domains []int) (*Statistics, error) {
	s := &Statistics{Entries: c.N, Dims: c.Dims, Modes: make([]ModeStatistics, len(c.Dims))}
	degrees := make([][]int32, len(c.Dims))
	for m := range c.Dims {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		s.Modes[m] = ModeStatistics{Classes: -1}
		if !countable(c.Dims[m], c.N) {
			s.Modes[m].sparse(c.Coords[m][:c.N])
			continue
		}
		degrees[m] = countDegrees(c.Coords[m][:c.N], c.Dims[m])
		s.Modes[m].moments(degrees[m])
	}
	if len(c.Dims) < 2 {
		return s, nil
	}
	s.classify(degrees, domains)
	if err := s.pairs(ctx, c); err != nil {
		return nil, err
	}
	if len(c.Dims) == 2 && c.N > 0 && domains != nil && domains[0] == domains[1] && degrees[0] != nil {
		s.Walks = walk(c, degrees[0], degrees[1])
	}
	return s, ctx.Err()
}

// Statistics gathers the statistics of a tensor, see COO.Statistics; domains
// are in layout order.
func (t *Tensor) Statistics(ctx context.Context, domains []int) (*Statistics, error) {
	c, err := t.Entries(ctx)
	if err != nil {
		return nil, err
	}
	return c.Statistics(ctx, domains)
}

// countable reports whether an array of a domain's size is affordable for so
// many entries.
func countable(dim, n int) bool { return dim <= 16*n+1<<12 }

// countDegrees returns the number of entries per coordinate.
func countDegrees(col []Coord, dim int) []int32 {
	count := make([]int32, dim)
	for _, x := range col {
		count[x]++
	}
	return count
}

// moments sums the powers of the degrees.
func (m *ModeStatistics) moments(degrees []int32) {
	for _, d := range degrees {
		if d != 0 {
			m.add(float64(d))
		}
	}
}

// sparse is moments for a domain too large for an array.
func (m *ModeStatistics) sparse(col []Coord) {
	count := make(map[Coord]int32, len(col))
	for _, x := range col {
		count[x]++
	}
	degrees := make([]int32, 0, len(count))
	for _, d := range count {
		degrees = append(degrees, d)
	}
	m.moments(degrees) // sums of integers below 2^53 do not depend on their order
}

func (m *ModeStatistics) add(d float64) {
	m.Distinct++
	m.Max = max(m.Max, d)
	m.Squares += d * d
	m.Cubes += d * d * d
	m.Fourths += d * d * d * d
}

// pairs looks at the pairs of modes of tensors with three or four modes where a
// bitmap of all possible pairs is at most eight bytes per entry.
func (s *Statistics) pairs(ctx context.Context, c *COO) error {
	if modes := len(c.Dims); modes < 3 || modes > 4 {
		return nil
	}
	for a := range c.Dims {
		for b := a + 1; b < len(c.Dims); b++ {
			if err := ctx.Err(); err != nil {
				return err
			}
			cells := float64(c.Dims[a]) * float64(c.Dims[b])
			if cells <= float64(64*c.N+1<<12) && countable(c.Dims[a], c.N) && countable(c.Dims[b], c.N) {
				s.Pairs = append(s.Pairs, pairOf(c, a, b))
			}
		}
	}
	return nil
}

func pairOf(c *COO, a, b int) PairStatistics {
	p := PairStatistics{A: a, B: b}
	width := c.Dims[b]
	seen := make([]uint64, (c.Dims[a]*width+63)/64)
	ofA, ofB := make([]int32, c.Dims[a]), make([]int32, width)
	second := c.Coords[b]
	for e, x := range c.Coords[a][:c.N] {
		y := second[e]
		cell := int(x)*width + int(y)
		if w, bit := cell>>6, uint64(1)<<(cell&63); seen[w]&bit == 0 {
			seen[w] |= bit
			p.Distinct++
			ofA[x]++
			ofB[y]++
		}
	}
	for _, d := range ofA {
		p.MaxBOfA = max(p.MaxBOfA, int(d))
	}
	for _, d := range ofB {
		p.MaxAOfB = max(p.MaxAOfB, int(d))
	}
	return p
}

// DegreeClasses partitions the coordinates of a domain by their degrees in the
// modes over it; coordinates that occur in none of them are in no class.
type DegreeClasses struct {
	Modes []int
	Count []float64
	// Degree is per mode of Modes and class the mean degree.
	Degree [][]float64
	// Of is the class of each coordinate, plus one; 0 for none.
	Of []uint8
}

const (
	// maxClasses bounds the classes of a domain: estimates are sums over them.
	maxClasses = 24
	// maxBins bounds the logarithmic bins of one degree.
	maxBins = 255
)

// classify makes the classes of every domain whose degrees were counted.
func (s *Statistics) classify(degrees [][]int32, domains []int) {
	done := make([]bool, len(degrees))
	for m := range degrees {
		if done[m] || degrees[m] == nil {
			continue
		}
		modes := []int{m}
		for o := m + 1; o < len(degrees); o++ {
			if domains != nil && domains[o] == domains[m] && degrees[o] != nil && len(degrees[o]) == len(degrees[m]) {
				modes = append(modes, o)
				done[o] = true
			}
		}
		for row, o := range modes {
			s.Modes[o].Classes, s.Modes[o].Row = len(s.Classes), row
		}
		s.Classes = append(s.Classes, classesOf(degrees, modes))
	}
}

// classesOf bins degrees logarithmically, with the finest bins of a few widths
// that give no more than maxClasses classes.
func classesOf(degrees [][]int32, modes []int) DegreeClasses {
	for width := 0.25; ; width *= 1.5 {
		if c, ok := classesOfWidth(degrees, modes, width); ok {
			return c
		}
	}
}

// binOf maps degrees up to a maximum to bins of the width in log2: 0 for degree
// 0, degree 1 alone in bin 1 unless bins are very wide.
func binOf(top int32, width float64) func(d int32) int {
	const table = 1 << 12
	exact := make([]uint8, min(int(top)+1, table))
	bin := func(d int32) int {
		return 1 + min(maxBins-1, int(math.Log2(float64(d))/width))
	}
	for d := 1; d < len(exact); d++ {
		exact[d] = uint8(bin(int32(d)))
	}
	return func(d int32) int {
		if int(d) < len(exact) {
			return int(exact[d])
		}
		return bin(d)
	}
}

// classesOfWidth fails when there are more than maxClasses.
func classesOfWidth(degrees [][]int32, modes []int, width float64) (DegreeClasses, bool) {
	first := degrees[modes[0]]
	bins := make([]func(int32) int, len(modes))
	for r, m := range modes {
		top := int32(0)
		for _, d := range degrees[m] {
			top = max(top, d)
		}
		bins[r] = binOf(top, width)
	}
	out := DegreeClasses{Modes: modes, Degree: make([][]float64, len(modes)), Of: make([]uint8, len(first))}
	known := map[uint64]uint8{}
	last, lastClass := uint64(0), uint8(0) // coordinates with equal degrees often follow each other
	for x := range first {
		key := uint64(0)
		for r, m := range modes {
			key = key*(maxBins+1) + uint64(bins[r](degrees[m][x]))
		}
		if key == 0 {
			continue
		}
		class := lastClass
		if key != last {
			var ok bool
			if class, ok = known[key]; !ok {
				if len(known) == maxClasses {
					return DegreeClasses{}, false
				}
				class = uint8(len(known) + 1)
				known[key] = class
				out.Count = append(out.Count, 0)
				for r := range out.Degree {
					out.Degree[r] = append(out.Degree[r], 0)
				}
			}
			last, lastClass = key, class
		}
		out.Of[x] = class
		out.Count[class-1]++
		for r, m := range modes {
			out.Degree[r][class-1] += float64(degrees[m][x])
		}
	}
	for r := range out.Degree {
		for b := range out.Count {
			out.Degree[r][b] /= out.Count[b]
		}
	}
	return out, true
}

// Pick makes entries of some of a tensor's entries and modes, without leaves.
// The chosen entries differ in the chosen modes and are given in ascending order.
func (c *COO) Pick(entries []int32, modes []int) *COO {
	out := &COO{N: len(entries)}
	for _, m := range modes {
		col := make([]Coord, len(entries))
		for i, e := range entries {
			col[i] = c.Coords[m][e]
		}
		out.Dims, out.Coords = append(out.Dims, c.Dims[m]), append(out.Coords, col)
	}
	return out
}
