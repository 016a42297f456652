package fibers

import (
	"context"
	"math"
	"slices"
	"sync/atomic"

	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/internal/invariant"
)

// mergeLeaf combines one leaf's rows run by run.
func (b *Builder) mergeLeaf(ctx context.Context, l int, g *groups) (Leaf, error) {
	spec := b.specs[l]
	elem := b.elem(l)
	if !b.valued[l] && elem == semiring.I64 {
		if g.starts == nil && l == 0 {
			return Leaf{Name: spec.Name, Elem: semiring.Pattern}, nil
		}
		return countRuns(spec, g), nil
	}
	switch elem {
	case semiring.I64:
		out := NewLeaf(spec.Name, elem, g.len())
		overflow, err := mergeRuns(ctx, g, b.columnsI64(l), out.I64, b.workers, mergerI64(spec.Merge))
		if err != nil {
			return Leaf{}, err
		}
		if overflow {
			return b.mergeWide(ctx, l, g)
		}
		return out, nil
	case semiring.I128:
		return b.mergeWide(ctx, l, g)
	default:
		out := NewLeaf(spec.Name, elem, g.len())
		_, err := mergeRuns(ctx, g, b.columnsF64(l), out.F64, b.workers, mergerF64(spec.Merge))
		return out, err
	}
}

// columnsI64 returns a leaf's values by chunk. A chunk without values has ones.
func (b *Builder) columnsI64(l int) [][]int64 {
	out := make([][]int64, len(b.chunks))
	var ones []int64
	for i, c := range b.chunks {
		if out[i] = c.leaves[l].I64; out[i] != nil {
			continue
		}
		if ones == nil {
			ones = make([]int64, chunkRows)
			fillOnes(ones)
		}
		out[i] = ones
	}
	return out
}

func (b *Builder) columnsF64(l int) [][]float64 {
	out := make([][]float64, len(b.chunks))
	for i, c := range b.chunks {
		out[i] = c.leaves[l].F64
	}
	return out
}

// mergeWide merges with 128 bits; integer rows are widened.
func (b *Builder) mergeWide(ctx context.Context, l int, g *groups) (Leaf, error) {
	cols := make([][]semiring.Int128, len(b.chunks))
	for i, c := range b.chunks {
		cols[i] = c.leaves[l].I128
	}
	if b.elem(l) != semiring.I128 {
		for i, narrow := range b.columnsI64(l) {
			if err := ctx.Err(); err != nil {
				return Leaf{}, err
			}
			cols[i] = make([]semiring.Int128, len(narrow))
			for r, v := range narrow {
				cols[i][r] = semiring.FromInt64(v)
			}
		}
	}
	out := NewLeaf(b.specs[l].Name, semiring.I128, g.len())
	overflow, err := mergeRuns(ctx, g, cols, out.I128, b.workers, mergerI128(b.specs[l].Merge))
	if err == nil && overflow {
		err = ErrSumOverflow
	}
	return out, err
}

// countRuns is the merge of a leaf that is 1 in every row.
func countRuns(spec LeafSpec, g *groups) Leaf {
	out := NewLeaf(spec.Name, semiring.I64, g.len())
	for r := range out.I64 {
		out.I64[r] = 1
		if spec.Merge == semiring.Add {
			from, to := g.run(r)
			out.I64[r] = int64(to - from)
		}
	}
	return out
}

// mergeRuns folds the values of each run, cols by chunk, with combine, which
// also says whether the value fits.
func mergeRuns[T any](ctx context.Context, g *groups, cols [][]T, out []T, workers int, combine func(a, b T) (T, bool)) (overflow bool, err error) {
	pieces := piecesOf(g.n)
	var wide atomic.Bool
	err = inParallel(workers, pieces, func(p int) error {
		read := func(e int) T {
			row := g.row(e)
			return cols[row>>chunkLog][row&(chunkRows-1)]
		}
		first, last := g.runAt(cut(g.n, pieces, p)), g.runAt(cut(g.n, pieces, p+1))
		for r := first; r < last; r++ {
			from, to := g.run(r)
			acc := read(from)
			for e := from + 1; e < to; e++ {
				if e&(checkEvery-1) == 0 && ctx.Err() != nil {
					return ctx.Err()
				}
				var ok bool
				if acc, ok = combine(acc, read(e)); !ok {
					wide.Store(true)
				}
			}
			out[r] = acc
		}
		return ctx.Err()
	})
	return wide.Load(), err
}

// runAt is the first run that begins at a place or after it.
func (g *groups) runAt(e int) int {
	if g.starts == nil {
		return e
	}
	r, _ := slices.BinarySearch(g.starts, int32(e))
	return r
}

func mergerI64(op semiring.Op) func(a, b int64) (int64, bool) {
	switch op {
	case semiring.Add:
		return func(a, b int64) (int64, bool) {
			s := a + b
			return s, (a^s)&(b^s) >= 0
		}
	case semiring.Min:
		return func(a, b int64) (int64, bool) { return min(a, b), true }
	case semiring.Max:
		return func(a, b int64) (int64, bool) { return max(a, b), true }
	default:
		panic(invariant.Failed("fibers: rows cannot merge by %v", op))
	}
}

func mergerI128(op semiring.Op) func(a, b semiring.Int128) (semiring.Int128, bool) {
	pick := func(sign int) func(a, b semiring.Int128) (semiring.Int128, bool) {
		return func(a, b semiring.Int128) (semiring.Int128, bool) {
			if b.Cmp(a)*sign > 0 {
				return b, true
			}
			return a, true
		}
	}
	switch op {
	case semiring.Add:
		return semiring.Int128.Add
	case semiring.Min:
		return pick(-1)
	case semiring.Max:
		return pick(1)
	default:
		panic(invariant.Failed("fibers: rows cannot merge by %v", op))
	}
}

// mergerF64: NaN is the greatest value, so it wins Max and loses Min.
func mergerF64(op semiring.Op) func(a, b float64) (float64, bool) {
	switch op {
	case semiring.Add:
		return func(a, b float64) (float64, bool) { return a + b, true }
	case semiring.Mul:
		return func(a, b float64) (float64, bool) { return a * b, true }
	case semiring.Min:
		return func(a, b float64) (float64, bool) {
			if b < a || math.IsNaN(a) {
				return b, true
			}
			return a, true
		}
	case semiring.Max:
		return func(a, b float64) (float64, bool) {
			if b > a || math.IsNaN(b) {
				return b, true
			}
			return a, true
		}
	default:
		panic(invariant.Failed("fibers: rows cannot merge by %v", op))
	}
}
