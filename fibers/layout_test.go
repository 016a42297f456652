package fibers

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/trireme-db/trireme/einsum/format"
	"github.com/trireme-db/trireme/einsum/semiring"
)

var allKinds = []format.Kind{
	format.Dense, format.SparseList, format.Bytemap, format.Hash,
	format.RunLength, format.SparseRunLength, format.Interval, format.Band, format.Pinpoint,
}

// model is what a builder should have built: sums per coordinate tuple.
type model map[string]*modelEntry

type modelEntry struct {
	coords []Coord
	n, sum int64
	max    float64
}

// randomBuild appends random rows in uneven batches and returns the model.
func randomBuild(t *testing.T, rng *rand.Rand, dims []int, rows int, sorted bool) (*Builder, model) {
	t.Helper()
	b := NewBuilder(len(dims), []LeafSpec{
		{Name: "n", Elem: semiring.Pattern, Merge: semiring.Add},
		{Name: "s", Elem: semiring.I64, Merge: semiring.Add},
		{Name: "m", Elem: semiring.F64, Merge: semiring.Max},
	})
	m := model{}
	for left := rows; left > 0; {
		n := min(left, 1+rng.IntN(rows))
		coords := make([][]Coord, len(dims))
		for d := range coords {
			coords[d] = make([]Coord, n)
		}
		s, f := make([]int64, n), make([]float64, n)
		for e := range n {
			entry := &modelEntry{max: math.Inf(-1)}
			for d := range dims {
				coords[d][e] = Coord(rng.IntN(dims[d]))
				if sorted && d == 0 {
					coords[d][e] = Coord(min(rows-left+e, dims[d]-1))
				}
				entry.coords = append(entry.coords, coords[d][e])
			}
			s[e], f[e] = rng.Int64N(7)-3, float64(rng.IntN(5))
			key := fmt.Sprint(entry.coords)
			if m[key] == nil {
				m[key] = entry
			}
			m[key].n++
			m[key].sum += s[e]
			m[key].max = max(m[key].max, f[e])
		}
		if err := b.Append(n, coords, []Leaf{{}, {I64: s}, {F64: f}}); err != nil {
			t.Fatal(err)
		}
		left -= n
	}
	return b, m
}

func checkTensor(t *testing.T, tensor *Tensor, order []int, m model) {
	t.Helper()
	if tensor.NNZ != len(m) {
		t.Fatalf("%d entries, want %d", tensor.NNZ, len(m))
	}
	var last []Coord
	seen := 0
	back := make([]Coord, len(order))
	tensor.Each(func(coords []Coord, pos int32) bool {
		for l, mode := range order {
			back[mode] = coords[l]
		}
		e := m[fmt.Sprint(back)]
		if e == nil {
			t.Fatalf("entry %v was never added", back)
		}
		n := tensor.Leaves[0].Int128(pos)
		s, f := tensor.Leaves[1].Int128(pos), tensor.Leaves[2].Float64(pos)
		if n != semiring.FromInt64(e.n) || s != semiring.FromInt64(e.sum) || f != e.max {
			t.Fatalf("entry %v is %v %v %v, want %+v", back, n, s, f, *e)
		}
		if last != nil && fmt.Sprint(last) == fmt.Sprint(coords) {
			t.Fatalf("entry %v twice", coords)
		}
		last = append(last[:0], coords...)
		seen++
		return true
	})
	if seen != tensor.NNZ {
		t.Fatalf("walked %d entries of %d", seen, tensor.NNZ)
	}
}

func TestLayoutsAgainstMap(t *testing.T) {
	ctx := context.Background()
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 7))
		dims := make([]int, rng.IntN(4))
		for d := range dims {
			dims[d] = 1 + rng.IntN(6)
		}
		b, m := randomBuild(t, rng, dims, 1+rng.IntN(60), seed%3 == 0)
		coo, err := b.Finish(ctx, dims)
		if err != nil {
			t.Fatal(err)
		}
		order := rng.Perm(len(dims))
		kinds := make([]format.Kind, len(dims))
		for l := range kinds {
			kinds[l] = allKinds[rng.IntN(len(allKinds))]
		}
		tensor, err := coo.Tensor(ctx, order, kinds)
		if err != nil {
			t.Fatal(err)
		}
		checkTensor(t, tensor, order, m)
		checkLevels(t, tensor)
		entries, err := tensor.Entries(ctx)
		if err != nil {
			t.Fatal(err)
		}
		again, err := entries.Tensor(ctx, identityModes(len(order)), kinds)
		if err != nil {
			t.Fatal(err)
		}
		checkTensor(t, again, order, m)
		checkFix(t, rng, tensor, order, m)
	}
}

func identityModes(n int) []int {
	out := make([]int, n)
	for m := range out {
		out[m] = m
	}
	return out
}

// checkLevels compares every level's Lookup with its Fiber.
func checkLevels(t *testing.T, tensor *Tensor) {
	t.Helper()
	parents := []int32{0}
	for l, level := range tensor.Levels {
		var below []int32
		distinct := map[Coord]bool{}
		for _, p := range parents {
			fiber := level.Fiber(p)
			checkFiber(t, &fiber, tensor.Dims[l])
			stored := map[Coord]int32{}
			for e := range fiber.N {
				if e > 0 && fiber.Coord(e) <= fiber.Coord(e-1) {
					t.Fatalf("level %d: fiber %v does not ascend", l, fiber)
				}
				stored[fiber.Coord(e)] = fiber.Pos(e)
				below = append(below, fiber.Pos(e))
				distinct[fiber.Coord(e)] = true
			}
			for c := Coord(0); int(c) < tensor.Dims[l]+2; c++ {
				pos, ok := level.Lookup(p, c)
				want, has := stored[c]
				if ok != has || ok && pos != want {
					t.Fatalf("level %d (%v): lookup of %d below %d: %d %v, want %d %v", l, level.Kind(), c, p, pos, ok, want, has)
				}
			}
		}
		if level.Kind() != format.Dense && tensor.Distinct[l] != len(distinct) {
			t.Fatalf("level %d: %d distinct coordinates, want %d", l, tensor.Distinct[l], len(distinct))
		}
		parents = below
	}
}

// checkFiber compares batches and seeks with single entries.
func checkFiber(t *testing.T, f *Fiber, dim int) {
	t.Helper()
	var all []Coord
	for e := range f.N {
		all = append(all, f.Coord(e))
	}
	for from := range f.N + 1 {
		batch := make([]Coord, 3)
		n := f.Coords(from, batch)
		if want := all[from:min(from+3, f.N)]; !slices.Equal(batch[:n], want) {
			t.Fatalf("batch from %d of %v is %v, want %v", from, f, batch[:n], want)
		}
		for c := Coord(-1); int(c) <= dim; c++ {
			want := from
			for want < f.N && all[want] < c {
				want++
			}
			if got := f.Seek(from, c); got != want {
				t.Fatalf("seek of %d from %d in %v is %d, want %d", c, from, f, got, want)
			}
		}
	}
}

// checkFix compares every view at every depth with the entries that it should show.
func checkFix(t *testing.T, rng *rand.Rand, tensor *Tensor, order []int, m model) {
	t.Helper()
	view := tensor
	var fixed []Coord
	for l := range order {
		c := Coord(rng.IntN(tensor.Dims[l] + 1))
		fixed = append(fixed, c)
		view = view.Fix(c)
		want := 0
		for _, e := range m {
			match := true
			for f, x := range fixed {
				match = match && e.coords[order[f]] == x
			}
			if match {
				want++
			}
		}
		n := 0
		view.Each(func([]Coord, int32) bool { n++; return true })
		if view.NNZ != want || n != want {
			t.Fatalf("view at %v has %d entries, walks %d, want %d", fixed, view.NNZ, n, want)
		}
	}
	if len(order) > 0 && view.NNZ == 1 {
		back := make([]Coord, len(order))
		for l, mode := range order {
			back[mode] = fixed[l]
		}
		if got := view.Leaves[1].Int128(view.Root); got != semiring.FromInt64(m[fmt.Sprint(back)].sum) {
			t.Fatalf("scalar view holds %v", got)
		}
	}
}

func TestLongBuilds(t *testing.T) {
	ctx := context.Background()
	for name, dims := range map[string][]int{
		"one key": {200_000, 70_000}, "two keys": {math.MaxInt32, math.MaxInt32, 1 << 20}, "one mode": {50},
	} {
		t.Run(name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(3, 4))
			b, m := randomBuild(t, rng, dims, 100_000, false)
			coo, err := b.Finish(ctx, dims)
			if err != nil {
				t.Fatal(err)
			}
			order := identityModes(len(dims))
			order[0], order[len(order)-1] = order[len(order)-1], order[0]
			kinds := make([]format.Kind, len(dims))
			for l := range kinds {
				kinds[l] = format.SparseList
			}
			tensor, err := coo.Tensor(ctx, order, kinds)
			if err != nil {
				t.Fatal(err)
			}
			checkTensor(t, tensor, order, m)
		})
	}
}

func TestPatternAndWidening(t *testing.T) {
	ctx := context.Background()
	spec := []LeafSpec{{Name: "n", Elem: semiring.I64, Merge: semiring.Add}, {Name: "s", Elem: semiring.I64, Merge: semiring.Add}}
	b := NewBuilder(1, spec)
	if err := b.Append(2, [][]Coord{{1, 0}}, []Leaf{{}, {I64: []int64{5, 6}}}); err != nil {
		t.Fatal(err)
	}
	coo, err := b.Finish(ctx, []int{2})
	if err != nil || coo.Leaves[0].Elem != semiring.Pattern || coo.Leaves[1].I64[0] != 6 {
		t.Fatalf("%+v %v", coo, err)
	}
	b = NewBuilder(1, spec)
	if err := b.Append(4, [][]Coord{{1, 0, 1, 1}}, []Leaf{{}, {I64: []int64{5, 6, math.MaxInt64, math.MaxInt64}}}); err != nil {
		t.Fatal(err)
	}
	if coo, err = b.Finish(ctx, []int{2}); err != nil {
		t.Fatal(err)
	}
	want := semiring.Int128{Hi: 1, Lo: 3}
	if coo.Leaves[0].Elem != semiring.I64 || coo.Leaves[0].I64[1] != 3 || coo.Leaves[1].Elem != semiring.I128 || coo.Leaves[1].I128[1] != want {
		t.Fatalf("%+v, want %v", coo, want)
	}
	wide := NewBuilder(0, []LeafSpec{{Name: "n", Elem: semiring.I128, Merge: semiring.Add}})
	top := semiring.Int128{Hi: math.MaxInt64}
	if err := wide.Append(2, nil, []Leaf{{I128: []semiring.Int128{top, top}}}); err != nil {
		t.Fatal(err)
	}
	if _, err := wide.Finish(ctx, nil); !errors.Is(err, ErrSumOverflow) {
		t.Fatalf("sum past 128 bits: %v", err)
	}
}

// TestLateValues: a leaf that is implicit in a first batch and given in a second.
func TestLateValues(t *testing.T) {
	b := NewBuilder(1, []LeafSpec{{Name: "n", Elem: semiring.I64, Merge: semiring.Add}})
	for _, l := range []Leaf{{}, {I64: []int64{10}}, {}} {
		if err := b.Append(1, [][]Coord{{0}}, []Leaf{l}); err != nil {
			t.Fatal(err)
		}
	}
	coo, err := b.Finish(context.Background(), []int{1})
	if err != nil || coo.N != 1 || coo.Leaves[0].I64[0] != 12 {
		t.Fatalf("%+v %v", coo, err)
	}
}

func TestMergeNaN(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		op   semiring.Op
		vals []float64
		want float64
	}{{semiring.Min, []float64{nan, 1, nan}, 1}, {semiring.Max, []float64{1, nan, math.Inf(1)}, nan}, {semiring.Min, []float64{nan}, nan}} {
		b := NewBuilder(0, []LeafSpec{{Name: "n", Elem: semiring.Pattern, Merge: semiring.Add}, {Name: "m", Elem: semiring.F64, Merge: c.op}})
		if err := b.Append(len(c.vals), nil, []Leaf{{}, {F64: c.vals}}); err != nil {
			t.Fatal(err)
		}
		coo, err := b.Finish(context.Background(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := coo.Leaves[1].F64[0]; got != c.want && !(math.IsNaN(got) && math.IsNaN(c.want)) {
			t.Errorf("%v of %v is %v", c.op, c.vals, got)
		}
	}
}

func TestBuildStopsWhenCancelled(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	dims := []int{1000, 1000}
	b, _ := randomBuild(t, rng, dims, 200_000, false)
	ctx, cancel := context.WithCancel(context.Background())
	coo, err := b.Finish(ctx, dims)
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	b, _ = randomBuild(t, rng, dims, 200_000, false)
	if _, err := b.Finish(ctx, dims); !errors.Is(err, context.Canceled) {
		t.Errorf("Finish: %v", err)
	}
	if _, err := coo.Tensor(ctx, []int{1, 0}, []format.Kind{format.SparseList, format.Hash}); !errors.Is(err, context.Canceled) {
		t.Errorf("Tensor: %v", err)
	}
}

func TestTooManyPositions(t *testing.T) {
	dims := []int{1 << 20, 1 << 20}
	coo := &COO{Dims: dims, N: 1, Coords: [][]Coord{{3}, {4}}, Leaves: []Leaf{{Name: "n"}}}
	_, err := coo.Tensor(context.Background(), []int{0, 1}, []format.Kind{format.Dense, format.Bytemap})
	if !errors.Is(err, ErrTooMany) {
		t.Fatalf("2^40 positions: %v", err)
	}
}

func TestGallop(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	for range 2000 {
		idx := make([]Coord, 0, 50)
		for c := Coord(0); c < 60; c++ {
			if rng.IntN(3) == 0 {
				idx = append(idx, c)
			}
		}
		from, c := int32(rng.IntN(len(idx)+1)), Coord(rng.IntN(62))
		want := from
		for int(want) < len(idx) && idx[want] < c {
			want++
		}
		if got := GallopCoord(idx, from, c); got != want {
			t.Fatalf("gallop from %d to %d in %v: %d, want %d", from, c, idx, got, want)
		}
	}
}

// BenchmarkBuild takes the making of a graph's tensor apart: the entries, their
// statistics, which take at most a fifth of all, and two layouts.
func BenchmarkBuild(b *testing.B) {
	const n, dim = 1 << 20, 1 << 16
	rng := rand.New(rand.NewPCG(1, 1))
	vertices := rand.NewZipf(rng, 1.2, 100, dim-1)
	coords := [][]Coord{make([]Coord, n), make([]Coord, n)}
	for e := range n {
		coords[0][e], coords[1][e] = Coord(vertices.Uint64()), Coord(vertices.Uint64())
	}
	dims, formats := []int{dim, dim}, []format.Kind{format.Dense, format.SparseList}
	for _, values := range []bool{false, true} {
		specs, leaves := []LeafSpec{{Name: "n", Elem: semiring.Pattern, Merge: semiring.Add}}, []Leaf{{}}
		if values {
			specs = append(specs, LeafSpec{Name: "v", Elem: semiring.F64, Merge: semiring.Add})
			leaves = append(leaves, Leaf{F64: make([]float64, n)})
		}
		var coo *COO
		run := func(part string, work func() error) {
			b.Run(fmt.Sprintf("part=%s/values=%v", part, values), func(b *testing.B) {
				for b.Loop() {
					if err := work(); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/row")
			})
		}
		entries := func() (err error) {
			builder := NewBuilder(2, specs)
			builder.SetWorkers(2)
			if err := builder.Append(n, coords, leaves); err != nil {
				return err
			}
			coo, err = builder.Finish(b.Context(), dims)
			return err
		}
		if err := entries(); err != nil {
			b.Fatal(err)
		}
		run("entries", entries)
		run("statistics", func() error {
			_, err := coo.Statistics(b.Context(), []int{0, 1})
			return err
		})
		for name, order := range map[string][]int{"layout": {0, 1}, "transposed": {1, 0}} {
			run(name, func() error {
				_, err := coo.Tensor(b.Context(), order, formats)
				return err
			})
		}
	}
}
