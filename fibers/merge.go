package fibers

import (
	"context"
	"math"

	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/internal/invariant"
)

// mergeLeaf combines one leaf's rows run by run.
func (b *Builder) mergeLeaf(ctx context.Context, l int, g *groups) (Leaf, error) {
	spec := b.specs[l]
	elem := spec.Elem
	if elem == semiring.Pattern {
		elem = semiring.I64
	}
	if !b.valued[l] && elem == semiring.I64 {
		return countRuns(spec, g), nil
	}
	out := NewLeaf(spec.Name, elem, len(g.starts))
	switch elem {
	case semiring.I64:
		overflow, err := mergeRuns(ctx, g, out.I64, func(row int32) int64 { return b.rowI64(l, row) }, mergerI64(spec.Merge))
		if err != nil {
			return Leaf{}, err
		}
		if overflow {
			return b.mergeWide(ctx, l, g)
		}
	case semiring.I128:
		return b.mergeWide(ctx, l, g)
	default:
		_, err := mergeRuns(ctx, g, out.F64,
			func(row int32) float64 { return b.chunks[row>>chunkLog].leaves[l].F64[row&(chunkRows-1)] }, mergerF64(spec.Merge))
		if err != nil {
			return Leaf{}, err
		}
	}
	return out, nil
}

func (b *Builder) rowI64(l int, row int32) int64 {
	v := b.chunks[row>>chunkLog].leaves[l].I64
	if v == nil {
		return 1
	}
	return v[row&(chunkRows-1)]
}

// mergeWide merges with 128 bits; integer rows are widened.
func (b *Builder) mergeWide(ctx context.Context, l int, g *groups) (Leaf, error) {
	out := NewLeaf(b.specs[l].Name, semiring.I128, len(g.starts))
	read := func(row int32) semiring.Int128 { return b.chunks[row>>chunkLog].leaves[l].I128[row&(chunkRows-1)] }
	if b.specs[l].Elem != semiring.I128 {
		read = func(row int32) semiring.Int128 { return semiring.FromInt64(b.rowI64(l, row)) }
	}
	overflow, err := mergeRuns(ctx, g, out.I128, read, mergerI128(b.specs[l].Merge))
	if err == nil && overflow {
		err = ErrSumOverflow
	}
	return out, err
}

// countRuns is the merge of a leaf that is 1 in every row.
func countRuns(spec LeafSpec, g *groups) Leaf {
	out := NewLeaf(spec.Name, semiring.I64, len(g.starts))
	for r, s := range g.starts {
		out.I64[r] = 1
		if spec.Merge == semiring.Add {
			out.I64[r] = int64(g.end(r) - s)
		}
	}
	return out
}

// mergeRuns folds each run with combine, which also says whether the value fits.
func mergeRuns[T any](ctx context.Context, g *groups, out []T, read func(int32) T, combine func(a, b T) (T, bool)) (overflow bool, err error) {
	for r, s := range g.starts {
		if r&(checkEvery-1) == 0 && ctx.Err() != nil {
			return false, ctx.Err()
		}
		end := g.end(r)
		acc := read(g.row(s))
		for e := s + 1; e < end; e++ {
			if e&(checkEvery-1) == 0 && ctx.Err() != nil {
				return false, ctx.Err()
			}
			var ok bool
			acc, ok = combine(acc, read(g.row(e)))
			overflow = overflow || !ok
		}
		out[r] = acc
	}
	return overflow, nil
}

func (g *groups) row(e int32) int32 {
	if g.perm == nil {
		return e
	}
	return g.perm[e]
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
