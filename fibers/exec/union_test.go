package exec

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/einsum/format"
	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/fibers"
	"github.com/trireme-db/trireme/optimizer/physical"
)

// ones is a tensor of one mode with ones at n random coordinates.
func ones(tb testing.TB, r *rand.Rand, dim, n int, kind format.Kind) *fibers.Tensor {
	tb.Helper()
	b := fibers.NewBuilder(1, []fibers.LeafSpec{{Name: "n", Elem: semiring.I64, Merge: semiring.Max}})
	coords, vals := make([]fibers.Coord, n), make([]int64, n)
	for i := range coords {
		coords[i], vals[i] = fibers.Coord(r.IntN(dim)), 1
	}
	if err := b.Append(n, [][]fibers.Coord{coords}, []fibers.Leaf{{I64: vals}}); err != nil {
		tb.Fatal(err)
	}
	coo, err := b.Finish(context.Background(), []int{dim})
	if err != nil {
		tb.Fatal(err)
	}
	t, err := coo.Tensor(context.Background(), []int{0}, []format.Kind{kind})
	if err != nil {
		tb.Fatal(err)
	}
	return t
}

// sumOf is the sum over i of the tensors' sum, times a factor when there is one.
func sumOf(factor *fibers.Tensor, tensors ...*fibers.Tensor) (*physical.Step, Inputs) {
	i := einsum.Index{Name: "i"}
	args := []einsum.Arg{{Index: i}}
	step := &physical.Step{Loops: []physical.Loop{{Index: i}}}
	in := Inputs{Dims: map[string]int{"i": tensors[0].Dims[0]}}
	add := func(t *fibers.Tensor) einsum.Expr {
		name := fmt.Sprint("T", len(in.Operands))
		step.Operands = append(step.Operands, physical.Operand{Tensor: name, Args: args, Order: []int{0}})
		in.Operands = append(in.Operands, t)
		return &einsum.Access{Tensor: name, Leaf: "n", Args: args}
	}
	var terms []einsum.Expr
	for _, t := range tensors {
		terms = append(terms, add(t))
	}
	arg := einsum.Expr(&einsum.Map{Op: semiring.Add, Args: terms})
	if factor != nil {
		arg = &einsum.Map{Op: semiring.Mul, Args: []einsum.Expr{arg, add(factor)}}
	}
	step.Query = &einsum.Query{Name: "R", Leaves: []einsum.Leaf{{Name: "n", Expr: &einsum.Agg{Op: semiring.Add, Idxs: []einsum.Index{i}, Arg: arg}}}}
	return step, in
}

func TestUnionLeads(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	const dim, n = 20_000, 50
	for _, kind := range []format.Kind{format.SparseList, format.Bytemap, format.Hash} {
		few := []*fibers.Tensor{ones(t, r, dim, n, format.SparseList), ones(t, r, dim, n, kind), ones(t, r, dim, 3, kind)}
		many := ones(t, r, dim, 20*dim, kind)
		count := func(ts ...*fibers.Tensor) (sum float64) {
			for _, x := range ts {
				sum += float64(x.NNZ)
			}
			return sum
		}
		step, in := sumOf(nil, few...)
		got, entries := work(t, step, in, Options{})
		if v := got.Leaves[0].Float64(0); v != count(few...) || entries > 6*(2*n+3) {
			t.Errorf("%v: the sum of three is %v after a look at %d entries", kind, v, entries)
		}
		// A long factor follows a short union.
		step, in = sumOf(many, few...)
		got, entries = work(t, step, in, Options{})
		if v := got.Leaves[0].Float64(0); v < 2*n || entries > 6*(2*n+3) {
			t.Errorf("%v: the masked sum is %v after a look at %d entries", kind, v, entries)
		}
		// A short factor leads.
		step, in = sumOf(few[0], many, many)
		got, entries = work(t, step, in, Options{})
		if v := got.Leaves[0].Float64(0); v < n || entries > 2*n {
			t.Errorf("%v: a sum of long tensors is %v after a look at %d entries", kind, v, entries)
		}
	}
}

// BenchmarkUnion adds up k vectors by a union of their fibers, and by a walk over
// a full factor that looks them up.
func BenchmarkUnion(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 3))
	const dim = 1 << 16
	all := ones(b, r, dim, 30*dim, format.SparseList)
	for _, k := range []int{2, 4} {
		for _, share := range []int{2, 8, 64} {
			var ts []*fibers.Tensor
			for range k {
				ts = append(ts, ones(b, r, dim, dim/share, format.SparseList))
			}
			step, in := sumOf(nil, ts...)
			b.Run(fmt.Sprintf("k=%d/share=%d/lead=union", k, share), func(b *testing.B) {
				for b.Loop() {
					runScalar(b, step, in, Options{})
				}
			})
			// With the factor among them the union is no shorter, and the factor leads.
			step, in = sumOf(all, append(ts, all)...)
			b.Run(fmt.Sprintf("k=%d/share=%d/lead=factor", k, share), func(b *testing.B) {
				for b.Loop() {
					runScalar(b, step, in, Options{})
				}
			})
		}
	}
}

// BenchmarkFollow searches the entries of one fiber in another that is ratio
// times as long, stepping and galloping: mergeLength is where they meet.
func BenchmarkFollow(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 4))
	const dim = 1 << 17
	short := ones(b, r, dim, 2000, format.SparseList).Levels[0].Fiber(0).Idx
	for _, ratio := range []int{1, 2, 4, 8, 16, 32} {
		long := ones(b, r, dim, 2000*ratio, format.SparseList)
		for _, how := range []seek{byMerge, byGallop} {
			name := map[seek]string{byMerge: "merge", byGallop: "gallop"}[how]
			b.Run(fmt.Sprintf("ratio=%d/protocol=%s", ratio, name), func(b *testing.B) {
				e := &env{pos: []int32{0, 0}}
				f := newTerm(0, long.Levels[0], dim, 0, 1)
				f.open(e)
				for b.Loop() {
					f.seek, f.cur = how, 0
					for _, c := range short {
						f.find(e, c)
					}
				}
			})
		}
	}
}
