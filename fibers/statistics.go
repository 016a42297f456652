package fibers

import (
	"context"
	"math"
	"math/bits"
	"slices"
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

// Bytes estimates the memory held: what counts is a byte per coordinate of a
// domain that was classified.
func (s *Statistics) Bytes() int64 {
	const perMode, perClass = 64, 8
	n := int64(perMode * (len(s.Modes) + len(s.Pairs) + 1))
	for _, c := range s.Classes {
		n += int64(len(c.Of)) + perClass*int64(len(c.Count)*(1+len(c.Degree)))
	}
	return n
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
	err := inParallel(c.workers, len(c.Dims), func(m int) (err error) {
		degrees[m], err = s.Modes[m].measure(ctx, c, m)
		return err
	})
	if err != nil {
		return nil, err
	}
	if len(c.Dims) < 2 {
		return s, nil
	}
	if err := s.classify(ctx, degrees, domains, c.workers); err != nil {
		return nil, err
	}
	if err := s.pairs(ctx, c); err != nil {
		return nil, err
	}
	if len(c.Dims) == 2 && c.N > 0 && domains != nil && domains[0] == domains[1] && degrees[0] != nil {
		s.Walks = walk(c, degrees[0], degrees[1])
	}
	return s, ctx.Err()
}

// SetStatistics tells entries that nobody else uses yet what was gathered of
// them, so that their layouts need not count again.
func (c *COO) SetStatistics(s *Statistics) {
	c.occurring = make([]int, len(s.Modes))
	for m := range s.Modes {
		c.occurring[m] = s.Modes[m].Distinct
	}
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

// measure looks at mode m of the entries. It returns the degrees of all
// coordinates, nil for a domain too large for an array.
func (m *ModeStatistics) measure(ctx context.Context, c *COO, mode int) ([]int32, error) {
	m.Classes = -1
	col := c.Coords[mode][:c.N]
	if !countable(c.Dims[mode], c.N) {
		return nil, m.sparse(ctx, col)
	}
	degrees, err := countDegrees(ctx, col, c.Dims[mode])
	for _, d := range degrees {
		if d != 0 {
			m.add(float64(d))
		}
	}
	return degrees, err
}

// countDegrees returns the number of entries per coordinate. Entries with the
// same coordinate often follow each other, and are added at once.
func countDegrees(ctx context.Context, col []Coord, dim int) ([]int32, error) {
	count := make([]int32, dim)
	for len(col) > 0 {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		piece := col[:min(checkEvery, len(col))]
		col = col[len(piece):]
		last, run := piece[0], int32(0)
		for _, x := range piece {
			if x != last {
				count[last] += run
				last, run = x, 0
			}
			run++
		}
		count[last] += run
	}
	return count, nil
}

// sparse is measure for a domain too large for an array: equal coordinates are
// brought together by sorting.
func (m *ModeStatistics) sparse(ctx context.Context, col []Coord) error {
	s := sorter{keys: make([]uint64, len(col))}
	for e, x := range col {
		s.keys[e] = uint64(x)
		s.high = max(s.high, uint(bits.Len32(uint32(x))))
	}
	if !slices.IsSorted(col) {
		if err := s.sort(ctx); err != nil {
			return err
		}
	}
	from := 0
	for e := range s.keys {
		if e+1 == len(s.keys) || s.keys[e+1] != s.keys[e] {
			m.add(float64(e + 1 - from))
			from = e + 1
		}
	}
	return nil
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
func (s *Statistics) classify(ctx context.Context, degrees [][]int32, domains []int, workers int) error {
	done := make([]bool, len(degrees))
	var modesOf [][]int
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
			s.Modes[o].Classes, s.Modes[o].Row = len(modesOf), row
		}
		modesOf = append(modesOf, modes)
	}
	if len(modesOf) == 0 {
		return nil
	}
	s.Classes = make([]DegreeClasses, len(modesOf))
	return inParallel(workers, len(modesOf), func(i int) error {
		s.Classes[i] = classesOf(degrees, modesOf[i])
		return ctx.Err()
	})
}

// classesOf bins degrees logarithmically, with the finest bins of a few widths
// that give no more than maxClasses classes.
func classesOf(degrees [][]int32, modes []int) DegreeClasses {
	tops := make([]int32, len(modes))
	for r, m := range modes {
		for _, d := range degrees[m] {
			tops[r] = max(tops[r], d)
		}
	}
	for width := 0.25; ; width *= 1.5 {
		if c, ok := classesOfWidth(degrees, modes, tops, width); ok {
			return c
		}
	}
}

// binning maps degrees to bins of a width in log2: 0 for degree 0, degree 1
// alone in bin 1 unless bins are very wide.
type binning struct {
	small []uint8 // the bins of small degrees
	width float64
}

// smallDegrees is the number of degrees whose bins are looked up.
const smallDegrees = 1 << 12

// newBinning makes the bins of degrees up to a maximum.
func newBinning(top int32, width float64) binning {
	b := binning{small: make([]uint8, min(int(top)+1, smallDegrees)), width: width}
	for d := 1; d < len(b.small); d++ {
		b.small[d] = uint8(b.compute(int32(d)))
	}
	return b
}

func (b *binning) of(d int32) int {
	if int(d) < len(b.small) {
		return int(b.small[d])
	}
	return b.compute(d)
}

func (b *binning) compute(d int32) int {
	return 1 + min(maxBins-1, int(math.Log2(float64(d))/b.width))
}

// classNumbers numbers the combinations of bins as they come, from 1 on.
type classNumbers struct {
	n     int
	few   []uint8 // by key, where one or two modes make it
	known map[uint64]uint8
}

func newClassNumbers(modes int) *classNumbers {
	if modes > 2 {
		return &classNumbers{known: map[uint64]uint8{}}
	}
	table := 1
	for range modes {
		table *= maxBins + 1
	}
	return &classNumbers{few: make([]uint8, table)}
}

// of returns the number of a key; ok is false when there would be too many.
func (c *classNumbers) of(key uint64) (class uint8, isNew, ok bool) {
	if c.few != nil {
		class = c.few[key]
	} else {
		class = c.known[key]
	}
	if class != 0 {
		return class, false, true
	}
	if c.n == maxClasses {
		return 0, false, false
	}
	c.n++
	class = uint8(c.n)
	if c.few != nil {
		c.few[key] = class
	} else {
		c.known[key] = class
	}
	return class, true, true
}

// classesOfWidth fails when there are more than maxClasses. tops are the modes'
// largest degrees.
func classesOfWidth(degrees [][]int32, modes []int, tops []int32, width float64) (DegreeClasses, bool) {
	first := degrees[modes[0]]
	bins := make([]binning, len(modes))
	for r, top := range tops {
		bins[r] = newBinning(top, width)
	}
	out := DegreeClasses{Modes: modes, Degree: make([][]float64, len(modes)), Of: make([]uint8, len(first))}
	numbers := newClassNumbers(len(modes))
	for x := range first {
		key := uint64(0)
		for r, m := range modes {
			key = key*(maxBins+1) + uint64(bins[r].of(degrees[m][x]))
		}
		if key == 0 {
			continue
		}
		class, isNew, ok := numbers.of(key)
		if !ok {
			return DegreeClasses{}, false
		}
		if isNew {
			out.Count = append(out.Count, 0)
			for r := range out.Degree {
				out.Degree[r] = append(out.Degree[r], 0)
			}
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
