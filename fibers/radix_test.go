package fibers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/trireme-db/trireme/einsum/format"
	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/internal/invariant"
)

// keyShapes are keys of 40 bits that tell the ways of sorting apart.
var keyShapes = map[string]func(rng *rand.Rand, e int) uint64{
	"uniform":  func(rng *rand.Rand, _ int) uint64 { return rng.Uint64N(1 << 40) },
	"few":      func(rng *rand.Rand, _ int) uint64 { return rng.Uint64N(3) << 20 },
	"low":      func(rng *rand.Rand, _ int) uint64 { return rng.Uint64N(1 << 9) },
	"skewed":   func(rng *rand.Rand, _ int) uint64 { return uint64(math.Exp(rng.Float64() * 27)) },
	"sorted":   func(_ *rand.Rand, e int) uint64 { return uint64(e) << 10 },
	"reversed": func(_ *rand.Rand, e int) uint64 { return uint64(1<<39 - e) },
}

// TestSorter compares with a stable sort by comparisons: keys alone, with a
// permutation, and with numbers in their low bits.
func TestSorter(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	split := false
	for name, shape := range keyShapes {
		for _, n := range []int{0, 1, 2, smallSort - 1, smallSort, 3000, splitFrom - 1, splitFrom, 150_000} {
			keys := make([]uint64, n)
			for e := range keys {
				keys[e] = shape(rng, e)
			}
			want := identity(n)
			slices.SortStableFunc(want, func(a, b int32) int { return cmp.Compare(keys[a], keys[b]) })
			for _, workers := range []int{1, 3} {
				plain := sorter{keys: slices.Clone(keys), high: 40, workers: workers}
				carried := sorter{keys: slices.Clone(keys), perm: identity(n), high: 40, workers: workers}
				numbered := sorter{keys: make([]uint64, n), low: 20, high: 60, workers: workers}
				for e, k := range keys {
					numbered.keys[e] = k<<20 | uint64(e)
				}
				for _, s := range []*sorter{&plain, &carried, &numbered} {
					if err := s.sort(context.Background()); err != nil {
						t.Fatal(err)
					}
				}
				split = split || n >= splitFrom
				for e, at := range want {
					if plain.keys[e] != keys[at] || carried.perm[e] != at || carried.keys[e] != keys[at] || numbered.keys[e] != keys[at]<<20|uint64(at) {
						t.Fatalf("%s, %d keys, %d workers: place %d is wrong", name, n, workers, e)
					}
				}
			}
		}
	}
	if !split {
		t.Error("no keys were split into buckets")
	}
}

// TestWorkers: builds of several workers are those of one, in every order, with
// every kind of leaf and where rows share a coordinate.
func TestWorkers(t *testing.T) {
	ctx := context.Background()
	for seed := range uint64(6) {
		rng := rand.New(rand.NewPCG(seed, 21))
		dims := [][]int{{300, 500}, {40, 3, 900}, {70_000, 80_000}, {math.MaxInt32, math.MaxInt32, 50}, {7}, {1 << 30, 1 << 30}}[seed]
		rows := 140_000
		coords := make([][]Coord, len(dims))
		for m := range coords {
			coords[m] = make([]Coord, rows)
			for e := range coords[m] {
				coords[m][e] = Coord(rng.IntN(min(dims[m], 400)))
			}
		}
		var one, many *COO
		for _, workers := range []int{1, 4} {
			c := buildBy(t, rng.Uint64(), dims, coords, workers)
			if one == nil {
				one = c
			}
			many = c
		}
		if one.N != many.N || !slices.EqualFunc(one.Coords, many.Coords, slices.Equal) {
			t.Fatalf("seed %d: %d and %d entries, or other coordinates", seed, one.N, many.N)
		}
		for l := range one.Leaves {
			if !slices.Equal(one.Leaves[l].I64, many.Leaves[l].I64) || !slices.Equal(one.Leaves[l].I128, many.Leaves[l].I128) ||
				!slices.Equal(one.Leaves[l].F64, many.Leaves[l].F64) {
				t.Fatalf("seed %d: leaf %d differs", seed, l)
			}
		}
		for range 3 {
			order := rng.Perm(len(dims))
			kinds := slices.Repeat([]format.Kind{format.SparseList}, len(dims))
			a, errA := one.Tensor(ctx, order, kinds)
			b, errB := many.Tensor(ctx, order, kinds)
			if err := errors.Join(errA, errB); err != nil {
				t.Fatal(err)
			}
			for l := range a.Levels {
				x, y := a.Levels[l].(*SparseListLevel), b.Levels[l].(*SparseListLevel)
				if !slices.Equal(x.Ptr, y.Ptr) || !slices.Equal(x.Idx, y.Idx) {
					t.Fatalf("seed %d, order %v: level %d differs", seed, order, l)
				}
			}
			checkSorted(t, a)
		}
	}
}

// buildBy fills the rooms of a builder, in batches of a size drawn from seed.
func buildBy(t *testing.T, seed uint64, dims []int, coords [][]Coord, workers int) *COO {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 1))
	b := NewBuilder(len(dims), []LeafSpec{
		{Name: "n", Elem: semiring.Pattern, Merge: semiring.Add},
		{Name: "sum", Elem: semiring.I64, Merge: semiring.Add},
		{Name: "max", Elem: semiring.F64, Merge: semiring.Max},
		{Name: "wide", Elem: semiring.I128, Merge: semiring.Min},
	})
	b.SetWorkers(workers)
	for from, n := 0, len(coords[0]); from < n; {
		take := min(n-from, 1+rng.IntN(5000))
		room, err := b.Extend(take)
		if err != nil {
			t.Fatal(err)
		}
		for m := range coords {
			copy(room.Coords[m], coords[m][from:from+take])
		}
		for r := range take {
			v := int64((from+r)*7919%1009) - 500
			room.Leaves[1].I64[r], room.Leaves[2].F64[r], room.Leaves[3].I128[r] = v, float64(v), semiring.FromInt64(v)
		}
		from += take
	}
	c, err := b.Finish(context.Background(), dims)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// checkSorted walks a tensor: F3, and that every entry is there.
func checkSorted(t *testing.T, tensor *Tensor) {
	t.Helper()
	var last []Coord
	seen := 0
	tensor.Each(func(coords []Coord, _ int32) bool {
		if last != nil && slices.Compare(last, coords) >= 0 {
			t.Fatalf("%v comes after %v", coords, last)
		}
		last = append(last[:0], coords...)
		seen++
		return true
	})
	if seen != tensor.NNZ {
		t.Fatalf("%d entries of %d", seen, tensor.NNZ)
	}
}

// TestTransposed: a layout in another order of the modes has every entry with
// its value.
func TestTransposed(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 1))
	dims := []int{200, 30, 100}
	b, m := randomBuild(t, rng, dims, 90_000, false)
	b.SetWorkers(2)
	coo, err := b.Finish(context.Background(), dims)
	if err != nil {
		t.Fatal(err)
	}
	for _, order := range [][]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}} {
		kinds := []format.Kind{format.Dense, format.SparseList, format.SparseList}
		tensor, err := coo.Tensor(context.Background(), order, kinds)
		if err != nil {
			t.Fatal(err)
		}
		checkTensor(t, tensor, order, m)
		checkSorted(t, tensor)
	}
}

func TestUnsortedModes(t *testing.T) {
	for _, c := range []struct {
		order []int
		want  int
	}{{nil, 0}, {[]int{0}, 0}, {[]int{0, 1}, 0}, {[]int{1, 0}, 1}, {[]int{0, 2, 1}, 2}, {[]int{2, 0, 1}, 1}, {[]int{2, 1, 0}, 2}, {[]int{1, 3, 0, 2}, 2}} {
		if got := unsortedModes(c.order); got != c.want {
			t.Errorf("%v: %d, want %d", c.order, got, c.want)
		}
	}
}

// TestPanicOfWorker: a failed assumption is raised where the work was asked for.
func TestPanicOfWorker(t *testing.T) {
	defer func() {
		var v *invariant.Violation
		if err, ok := recover().(error); !ok || !errors.As(err, &v) {
			t.Error("the panic was lost")
		}
	}()
	_ = inParallel(3, 100, func(item int) error {
		if item == 50 {
			panic(invariant.Failed("item %d", item))
		}
		return nil
	})
	t.Error("went on")
}

func TestErrorOfWorker(t *testing.T) {
	failed := errors.New("failed")
	for _, workers := range []int{1, 3} {
		if err := inParallel(workers, 100, func(item int) error {
			if item == 50 {
				return failed
			}
			return nil
		}); !errors.Is(err, failed) {
			t.Errorf("%d workers: %v", workers, err)
		}
	}
}

// BenchmarkSortKeys sorts keys of a graph; bucketKeys and splitFrom are its best.
func BenchmarkSortKeys(b *testing.B) {
	for _, n := range []int{1 << 14, 1 << 16, 1 << 20} {
		rng := rand.New(rand.NewPCG(4, 4))
		vertices := rand.NewZipf(rng, 1.2, 8, 75_876)
		keys := make([]uint64, n)
		for e := range keys {
			keys[e] = vertices.Uint64()<<17 | vertices.Uint64()
		}
		for _, workers := range []int{1, 2} {
			b.Run(fmt.Sprintf("n=%d/workers=%d", n, workers), func(b *testing.B) {
				s := sorter{high: 34, workers: workers}
				given := make([]uint64, n)
				for b.Loop() {
					copy(given, keys)
					s.keys = given
					if err := s.sort(context.Background()); err != nil {
						b.Fatal(err)
					}
					given = s.keys
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/entry")
			})
		}
	}
}
