package fibers

import (
	"context"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/trireme-db/trireme/einsum/semiring"
)

// patternOf makes the entries of a tensor without values.
func patternOf(tb testing.TB, dims []int, coords ...[]Coord) *COO {
	tb.Helper()
	b := NewBuilder(len(dims), []LeafSpec{{Name: "n", Elem: semiring.Pattern, Merge: semiring.Max}})
	if err := b.Append(len(coords[0]), coords, []Leaf{{Name: "n", Elem: semiring.Pattern}}); err != nil {
		tb.Fatal(err)
	}
	c, err := b.Finish(context.Background(), dims)
	if err != nil {
		tb.Fatal(err)
	}
	return c
}

func statisticsOf(tb testing.TB, c *COO, domains []int) *Statistics {
	tb.Helper()
	s, err := c.Statistics(context.Background(), domains)
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

// TestStatisticsByHand: a star with one edge beside it.
func TestStatisticsByHand(t *testing.T) {
	c := patternOf(t, []int{5, 6}, []Coord{0, 0, 0, 2}, []Coord{1, 2, 3, 3})
	s := statisticsOf(t, c, nil)
	want := []ModeStatistics{
		{Distinct: 2, Max: 3, Squares: 10, Cubes: 28, Fourths: 82, Classes: 0},
		{Distinct: 3, Max: 2, Squares: 6, Cubes: 10, Fourths: 18, Classes: 1},
	}
	if !reflect.DeepEqual(s.Modes, want) {
		t.Errorf("modes %+v, want %+v", s.Modes, want)
	}
	if got := s.Classes[0].Of; !reflect.DeepEqual(got, []uint8{1, 0, 2, 0, 0}) {
		t.Errorf("classes %v", got)
	}
	if s.Walks != nil {
		t.Error("a relation between two domains was walked")
	}
}

// TestStatisticsOfModes compares with counting by maps, also where a domain is
// too large for an array and where three modes make pairs.
func TestStatisticsOfModes(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		modes := 1 + rng.IntN(4)
		dims, coords := make([]int, modes), make([][]Coord, modes)
		n := 1 + rng.IntN(200)
		for m := range dims {
			dims[m] = 1 + rng.IntN(30)
			if rng.IntN(8) == 0 {
				dims[m] = 1 << 30
			}
			for range n {
				coords[m] = append(coords[m], Coord(rng.IntN(dims[m])))
			}
		}
		c := patternOf(t, dims, coords...)
		s := statisticsOf(t, c, nil)
		for m := range dims {
			checkMode(t, c, s, m)
		}
		for _, p := range s.Pairs {
			checkPair(t, c, p)
		}
	}
}

func checkMode(t *testing.T, c *COO, s *Statistics, m int) {
	t.Helper()
	degree := map[Coord]int{}
	for _, x := range c.Coords[m] {
		degree[x]++
	}
	want := ModeStatistics{Distinct: len(degree), Classes: s.Modes[m].Classes, Row: s.Modes[m].Row}
	for _, d := range degree {
		f := float64(d)
		want.Max = max(want.Max, f)
		want.Squares += f * f
		want.Cubes += f * f * f
		want.Fourths += f * f * f * f
	}
	if s.Modes[m] != want {
		t.Errorf("mode %d: %+v, want %+v", m, s.Modes[m], want)
	}
	if want.Classes < 0 {
		return
	}
	count, entries := 0.0, 0.0
	classes := s.Classes[want.Classes]
	for b, n := range classes.Count {
		count += n
		entries += n * classes.Degree[want.Row][b]
	}
	if count != float64(len(degree)) || math.Abs(entries-float64(c.N)) > 1e-6 {
		t.Errorf("mode %d: classes have %g coordinates and %g entries", m, count, entries)
	}
}

func checkPair(t *testing.T, c *COO, p PairStatistics) {
	t.Helper()
	type pair [2]Coord
	seen := map[pair]bool{}
	ofA, ofB := map[Coord]int{}, map[Coord]int{}
	want := PairStatistics{A: p.A, B: p.B}
	for e := range c.N {
		k := pair{c.Coords[p.A][e], c.Coords[p.B][e]}
		if seen[k] {
			continue
		}
		seen[k] = true
		ofA[k[0]]++
		ofB[k[1]]++
		want.MaxBOfA = max(want.MaxBOfA, ofA[k[0]])
		want.MaxAOfB = max(want.MaxAOfB, ofB[k[1]])
	}
	want.Distinct = len(seen)
	if p != want {
		t.Errorf("pair %+v, want %+v", p, want)
	}
}

// TestClasses: few degrees have classes of their own; many share them within
// the bound, and the second moment is nearly kept.
func TestClasses(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	const n = 3000
	var from, to []Coord
	for range 40000 { // skewed, and not symmetric
		from = append(from, Coord(n*math.Pow(rng.Float64(), 3)))
		to = append(to, Coord(n*math.Pow(rng.Float64(), 5)))
	}
	c := patternOf(t, []int{n, n}, from, to)
	s := statisticsOf(t, c, []int{7, 7})
	if len(s.Classes) != 1 || len(s.Classes[0].Count) > maxClasses {
		t.Fatalf("%d partitions, the first of %d classes", len(s.Classes), len(s.Classes[0].Count))
	}
	for m := range 2 {
		squares := 0.0
		for b, k := range s.Classes[0].Count {
			d := s.Classes[0].Degree[m][b]
			squares += k * d * d
		}
		if ratio := squares / s.Modes[m].Squares; ratio < 0.8 || ratio > 1+1e-9 {
			t.Errorf("mode %d: the classes keep %g of the second moment", m, ratio)
		}
	}
	if s.Walks == nil || s.Walks.Symmetric {
		t.Errorf("walks %+v", s.Walks)
	}
}

// TestWalksOfCompleteGraph: in a complete graph with loops every wedge is
// closed and every two vertices have all others in common.
func TestWalksOfCompleteGraph(t *testing.T) {
	const n = 20
	var from, to []Coord
	for u := range n {
		for v := range n {
			from, to = append(from, Coord(u)), append(to, Coord(v))
		}
	}
	s := statisticsOf(t, patternOf(t, []int{n, n}, from, to), []int{0, 0})
	want := WalkStatistics{Symmetric: true, Reverse: 1, Neighbours: n * n, Transitive: 1, Cyclic: 1, Common: n, Apart: 1. / n}
	got := *s.Walks
	got.Apart = math.Round(got.Apart*1e9) / 1e9
	if got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// TestWalksOfDirectedCycle: no two edges leave a vertex, so wedges are one edge
// twice, which no edge closes; paths of two edges are closed in a cycle of three.
func TestWalksOfDirectedCycle(t *testing.T) {
	s := statisticsOf(t, patternOf(t, []int{3, 3}, []Coord{0, 1, 2}, []Coord{1, 2, 0}), []int{0, 0})
	if w := *s.Walks; w.Symmetric || w.Transitive != 0 || w.Cyclic != 1 || w.Neighbours != 1 {
		t.Errorf("%+v", w)
	}
}

// TestWalksAreRepeatable: equal data gives equal statistics.
func TestWalksAreRepeatable(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 9))
	var from, to []Coord
	for range 2000 {
		from, to = append(from, Coord(rng.IntN(300))), append(to, Coord(rng.IntN(300)))
	}
	dims := []int{300, 300}
	a := statisticsOf(t, patternOf(t, dims, from, to), []int{0, 0})
	b := statisticsOf(t, patternOf(t, dims, from, to), []int{0, 0})
	if *a.Walks != *b.Walks {
		t.Errorf("%+v and %+v", *a.Walks, *b.Walks)
	}
}

// BenchmarkStatistics is gathering beside building, on a skewed symmetric graph.
func BenchmarkStatistics(b *testing.B) {
	rng := rand.New(rand.NewPCG(5, 6))
	const n, edges = 75_000, 400_000
	var from, to []Coord
	for range edges {
		u, v := Coord(n*math.Pow(rng.Float64(), 4)), Coord(n*math.Pow(rng.Float64(), 4))
		from, to = append(from, u, v), append(to, v, u)
	}
	b.Run("build", func(b *testing.B) {
		for b.Loop() {
			patternOf(b, []int{n, n}, from, to)
		}
	})
	c := patternOf(b, []int{n, n}, from, to)
	b.Run("statistics", func(b *testing.B) {
		for b.Loop() {
			statisticsOf(b, c, []int{0, 0})
		}
	})
}

// TestShapesOfKnown: entries whose statistics are known have the shape that
// looking at all of them tells.
func TestShapesOfKnown(t *testing.T) {
	blocks := 0
	for seed := range uint64(400) {
		rng := rand.New(rand.NewPCG(seed, 40))
		dims := make([]int, 1+rng.IntN(3))
		cols := make([][]Coord, len(dims))
		n := 1 + rng.IntN(40)
		for m := range cols {
			dims[m] = 1 + rng.IntN(20)
			for range n {
				cols[m] = append(cols[m], Coord(rng.IntN(dims[m])))
			}
		}
		c := patternOf(t, dims, cols...)
		want := c.Shapes()
		c.SetStatistics(statisticsOf(t, c, nil))
		if got := c.Shapes(); !slices.Equal(got, want) {
			t.Fatalf("seed %d: %+v, want %+v\n%v", seed, got, want, c.Coords)
		}
		if want[0].Block {
			blocks++
		}
	}
	if blocks < 20 || blocks > 380 {
		t.Errorf("%d of 400 begin with a block", blocks)
	}
}
