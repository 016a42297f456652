package stats_test

import (
	"context"
	"math"
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/fibers"
	"github.com/trireme-db/trireme/fibers/exec"
	"github.com/trireme-db/trireme/optimizer/stats"
)

var estimators = map[string]stats.Estimator{"uniform": stats.Uniform{}, "chain": stats.Chain{}, "best": stats.Best{}}

// TestEstimatesStayFinite composes the functions at random over extreme figures,
// with degrees and without: every estimate is a finite number, at least 0, and
// no projection exceeds what it projects.
func TestEstimatesStayFinite(t *testing.T) {
	for name, est := range estimators {
		t.Run(name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(5, 6))
			for range 20000 {
				composeExtremes(t, rng, est)
			}
		})
	}
}

var extremes = []float64{0, 1e-300, 0.5, 1, 3, 1e6, 1e18, 1e300, math.MaxFloat64, math.Inf(1), math.NaN(), -1}

func some(rng *rand.Rand) uint64 { return rng.Uint64() & 0b11111 }

func composeExtremes(t *testing.T, rng *rand.Rand, est stats.Estimator) {
	t.Helper()
	figure := func() float64 { return extremes[rng.IntN(len(extremes))] }
	var pool []stats.Stats
	for range 3 {
		var numbers []int
		f := stats.TensorStats{NNZ: figure(), Exact: rng.IntN(2) == 0}
		for set := some(rng); set != 0; set &= set - 1 {
			numbers = append(numbers, bits.TrailingZeros64(set))
			f.Dims, f.Distinct = append(f.Dims, figure()), append(f.Distinct, figure())
		}
		if rng.IntN(2) == 0 {
			f.Degrees = extremeDegrees(len(numbers), figure)
		}
		pool = append(pool, est.FromTensor(&f, numbers))
	}
	for range 4 {
		args := []stats.Stats{pool[rng.IntN(len(pool))], pool[rng.IntN(len(pool))]}
		switch rng.IntN(4) {
		case 0:
			pool = append(pool, est.Join(args))
		case 1:
			pool = append(pool, est.Union(args))
		case 2:
			pool = append(pool, est.Rename(args[0], rng.Perm(5)))
		default:
			pool = append(pool, est.Reduce(args[0], some(rng)))
		}
	}
	for _, s := range pool {
		all, onto := est.Estimate(s, s.Set(), 0), some(rng)
		for _, e := range []float64{all, est.Estimate(s, onto, 0), est.Estimate(s, onto, some(rng))} {
			if !(e >= 0) || math.IsInf(e, 0) {
				t.Fatalf("estimate %g of %b onto %b", e, s.Set(), onto)
			}
		}
		if e := est.Estimate(s, onto, 0); e > all*(1+1e-6) && e > 1+1e-6 {
			t.Fatalf("projection of %b onto %b has %g of %g entries", s.Set(), onto, e, all)
		}
	}
}

func extremeDegrees(modes int, figure func() float64) *stats.Degrees {
	list := make([]stats.ModeDegrees, modes)
	classes := stats.NewClasses([]float64{figure(), figure()}, [][]float64{{figure(), figure()}, {figure(), figure()}})
	for m := range list {
		list[m] = stats.ModeDegrees{Max: figure(), Squares: figure(), Cubes: figure(), Fourths: figure(), Classes: classes, Row: m}
		if m > 1 {
			list[m].Classes, list[m].Row = stats.NewClasses([]float64{figure()}, [][]float64{{figure()}}), 0
		}
	}
	walks := &stats.Walks{
		Symmetric: true, Reverse: figure(), Neighbours: figure(), Transitive: figure(), Cyclic: figure(),
		Common: figure(), Apart: figure(),
	}
	return stats.NewDegrees(figure(), list, nil, walks)
}

// relation is a tensor with its entries at hand, read with some indices.
type relation struct {
	numbers []int
	entries map[[3]fibers.Coord]bool
	figures stats.TensorStats
}

const (
	values  = 5 // coordinates per domain
	indices = 5
)

// randomRelation draws a tensor of one to three modes with skewed coordinates.
func randomRelation(t *testing.T, rng *rand.Rand) *relation {
	t.Helper()
	modes := 1 + rng.IntN(3)
	r := &relation{numbers: rng.Perm(indices)[:modes], entries: map[[3]fibers.Coord]bool{}}
	coords := make([][]fibers.Coord, modes)
	dims, domains := make([]int, modes), make([]int, modes)
	for m := range dims {
		dims[m] = values
	}
	skew := 1 + 2*rng.Float64()
	for range 1 + rng.IntN(14) {
		var e [3]fibers.Coord
		for m := range modes {
			e[m] = fibers.Coord(values * math.Pow(rng.Float64(), skew))
			coords[m] = append(coords[m], e[m])
		}
		r.entries[e] = true
	}
	b := fibers.NewBuilder(modes, []fibers.LeafSpec{{Name: "n", Elem: semiring.Pattern, Merge: semiring.Max}})
	if err := b.Append(len(coords[0]), coords, []fibers.Leaf{{Name: "n", Elem: semiring.Pattern}}); err != nil {
		t.Fatal(err)
	}
	coo, err := b.Finish(context.Background(), dims)
	if err != nil {
		t.Fatal(err)
	}
	gathered, err := coo.Statistics(context.Background(), domains)
	if err != nil {
		t.Fatal(err)
	}
	r.figures = exec.Statistics(gathered)
	return r
}

// count enumerates the assignments of the indices that have all relations, and
// returns per set of indices the number of distinct projections.
func count(relations []*relation) (sizes [1 << indices]float64) {
	var seen [1 << indices]map[int]bool
	for s := range seen {
		seen[s] = map[int]bool{}
	}
	var at [indices]fibers.Coord
	var visit func(x int)
	visit = func(x int) {
		if x < indices {
			for c := range values {
				at[x] = fibers.Coord(c)
				visit(x + 1)
			}
			return
		}
		for _, r := range relations {
			var e [3]fibers.Coord
			for m, n := range r.numbers {
				e[m] = at[n]
			}
			if !r.entries[e] {
				return
			}
		}
		for s := range seen {
			key := 0
			for x := range indices {
				key *= values
				if s&(1<<x) != 0 {
					key += int(at[x])
				}
			}
			seen[s][key] = true
		}
	}
	visit(0)
	for s := range sizes {
		sizes[s] = float64(len(seen[s]))
	}
	return sizes
}

// bounder is an estimator with an upper bound.
type bounder interface {
	stats.Estimator
	Bound(s stats.Stats, set uint64) float64
}

// TestBoundsHold: on random joins of random tensors no bound is below the truth:
// of the join, of every projection of it, of joins with projections that stand
// for steps' results, under other numbers, and of unions.
func TestBoundsHold(t *testing.T) {
	cases := 3000
	if testing.Short() {
		cases = 500
	}
	rng := rand.New(rand.NewPCG(11, 12))
	for range cases {
		var relations []*relation
		for range 1 + rng.IntN(4) {
			relations = append(relations, randomRelation(t, rng))
		}
		truth := count(relations)
		for name, est := range map[string]bounder{"chain": stats.Chain{}, "best": stats.Best{}} {
			var all uint64
			var args []stats.Stats
			for _, r := range relations {
				args = append(args, est.FromTensor(&r.figures, r.numbers))
				all |= args[len(args)-1].Set()
			}
			joined := est.Join(args)
			if truth[all] == 0 {
				break // the chances of empty results are the next test's
			}
			holds(t, name, est, joined, truth[:], all)
			drop := rng.Uint64() & all
			holds(t, name+" reduced", est, est.Reduce(joined, drop), truth[:], all&^drop)
			// A part of the join, projected as a step would, joined with the rest.
			cut := rng.IntN(len(args) + 1)
			part, rest := est.Join(args[:cut]), est.Join(args[cut:])
			private := part.Set() &^ rest.Set()
			holds(t, name+" joined with a step", est, est.Join([]stats.Stats{est.Reduce(part, private), rest}), truth[:], all&^private)
			to := rng.Perm(indices)
			back := make([]int, indices)
			for x, y := range to {
				back[y] = x
			}
			holds(t, name+" renamed", est, est.Rename(est.Rename(joined, to), back), truth[:], all)
			holds(t, name+" united", est, est.Union([]stats.Stats{joined, est.Reduce(joined, drop)}), truth[:], all)
		}
	}
}

// holds compares the bound of every projection.
func holds(t *testing.T, what string, est bounder, s stats.Stats, truth []float64, within uint64) {
	t.Helper()
	for set := uint64(0); set < uint64(len(truth)); set++ {
		if set&^within != 0 {
			continue
		}
		if b := est.Bound(s, set); b < truth[set]*(1-1e-9) {
			t.Fatalf("%s: at most %g entries over %b of %b, there are %g", what, b, set, within, truth[set])
		}
	}
}
