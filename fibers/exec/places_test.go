package exec

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/trireme-db/trireme/einsum/format"
	"github.com/trireme-db/trireme/fibers"
	"github.com/trireme-db/trireme/optimizer/physical"
)

// metStep is a step over cells of A that are cells of B as well, or not, with fibers
// that every row replaces.
func metStep(tb testing.TB, body string) *physical.Step {
	tb.Helper()
	p, err := physical.Parse(fmt.Sprintf(`tensor A(0,1) { n i64 }
tensor B(0,1) { n i64 }
%s  loops: i ~100, j ~1000
  read A(i,j): 0 sparse walk, 1 sparse walk
  read B(i,j): 0 sparse lookup, 1 sparse lookup
  store ():; prefix 0; workspace none; i64
  estimate: ~1 cells, ~1 entries
`, body))
	if err != nil {
		tb.Fatal(err)
	}
	return p.Steps[0]
}

// rowsOf is a matrix of rows with so many cells each, more or less, and values.
func rowsOf(tb testing.TB, r *rand.Rand, rows, dim, cells int) *fibers.Tensor {
	tb.Helper()
	coo := &fibers.COO{Dims: []int{rows, dim}, Coords: make([][]fibers.Coord, 2)}
	leaf := ints("n")
	for i := range rows {
		for j := range dim {
			if r.IntN(dim) < cells {
				coo.Coords[0], coo.Coords[1] = append(coo.Coords[0], fibers.Coord(i)), append(coo.Coords[1], fibers.Coord(j))
				leaf.I64 = append(leaf.I64, 1+r.Int64N(9))
			}
		}
	}
	coo.N, coo.Leaves = len(leaf.I64), []fibers.Leaf{leaf}
	t, err := coo.Tensor(context.Background(), []int{0, 1}, []format.Kind{format.SparseList, format.SparseList})
	if err != nil {
		tb.Fatal(err)
	}
	return t
}

// TestPlaces sums over cells that rows of two matrices have in common, and over
// those of one with what the other has there, of lengths for which fibers are marked,
// searched and galloped through, on the general path as well.
func TestPlaces(t *testing.T) {
	how := map[seek]int{}
	for seed := range uint64(120) {
		r := rand.New(rand.NewPCG(seed, 31))
		dim := []int{30, 700, 5000, placesDimMax, placesDimMax + 1}[seed%5]
		rows := 1 + r.IntN(6)
		in := Inputs{Dims: map[string]int{"i": rows, "j": dim}, Operands: []*fibers.Tensor{
			rowsOf(t, r, rows, dim, []int{4, 20, 300}[r.IntN(3)]), rowsOf(t, r, rows, dim, []int{10, 100, 2000}[r.IntN(3)]),
		}}
		for _, body := range []string{
			"R() = n: sum(i,j) A.n(i,j) * B.n(i,j)\n",
			"R() = n: sum(i,j) A.n(i,j) * if0(B.n(i,j), 0)\n",
			"R() = n: sum(i,j) A.n(i,j) * less(if0(B.n(i,j), 0), 5)\n",
		} {
			step := metStep(t, body)
			got, _ := runScalarOrNothing(t, step, in, Options{Threads: 1})
			want, _ := runScalarOrNothing(t, step, in, Options{Threads: 1, NoRegistry: true})
			if got != want {
				t.Fatalf("seed %d, %s%d, want %d", seed, body, got, want)
			}
			seePlaces(t, step, in, how)
		}
	}
	for s, name := range map[seek]string{byPlace: "placed", byMerge: "merged", byGallop: "galloped"} {
		if how[s] < 50 {
			t.Errorf("%s: %d fibers", name, how[s])
		}
	}
}

// runScalarOrNothing is runScalar, and 0 where the result has no entry.
func runScalarOrNothing(t *testing.T, step *physical.Step, in Inputs, opt Options) (int64, StepStats) {
	t.Helper()
	out, stats, err := RunStep(context.Background(), step, in, opt)
	if err != nil {
		t.Fatal(err)
	}
	if out.NNZ == 0 {
		return 0, stats
	}
	v, ok := out.Leaves[0].Int128(out.Root).Int64()
	if !ok {
		t.Fatalf("no number in %+v", out)
	}
	return v, stats
}

// seePlaces counts how the innermost loop searches the fibers of its rows, one after
// the other, and looks every coordinate up.
func seePlaces(t *testing.T, step *physical.Step, in Inputs, how map[seek]int) {
	t.Helper()
	b := newBinder(step, in, Options{})
	b.prepare(context.Background(), make([]bool, 1))
	l := b.newLoop(1, nil)
	e := &env{ctx: context.Background(), pos: make([]int32, b.slots), ix: make([]fibers.Coord, 2), gas: gasUnits, tank: gasUnits, meter: &meter{}}
	lead := l.terms[0]
	for _, other := range append(l.terms[1:], l.optional...) {
		fibersOf := int32(len(lead.ptr) - 1)
		for p := range min(fibersOf, int32(len(other.ptr)-1)) {
			e.pos[lead.parent], e.pos[other.parent] = p, p
			lead.open(e)
			other.open(e)
			other.follow(e, lead.n)
			how[other.seek]++
			for _, c := range lead.fiber() {
				want, ok := other.level.Lookup(p, c)
				pos, found := other.find(e, c)
				if found != ok || ok && pos != want {
					t.Fatalf("coordinate %d of fiber %d is at %d, %t; want %d, %t", c, p, pos, found, want, ok)
				}
			}
		}
	}
}

// BenchmarkPlaces meets rows of two matrices of which one has ratio times as many
// cells, writing the places of the longer ones
// or searching in them: placesLeast and placesLength
// are read off it.
func BenchmarkPlaces(b *testing.B) {
	const rows = 1000
	for _, cells := range []int{2, 4, 8, 16, 100} {
		for _, ratio := range []int{1, 4, 8, 12, 16, 32} {
			r := rand.New(rand.NewPCG(1, 5))
			dim := 10 * cells * ratio
			step := metStep(b, "R() = n: sum(i,j) A.n(i,j) * B.n(i,j)\n")
			in := Inputs{Dims: map[string]int{"i": rows, "j": dim}, Operands: []*fibers.Tensor{rowsOf(b, r, rows, dim, cells), rowsOf(b, r, rows, dim, cells*ratio)}}
			b.Run(fmt.Sprintf("cells=%d/ratio=%d", cells, ratio), func(b *testing.B) {
				for b.Loop() {
					if _, _, err := RunStep(context.Background(), step, in, Options{Threads: 1}); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(in.Operands[0].NNZ), "ns/entry")
			})
		}
	}
}
