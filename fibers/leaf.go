package fibers

import (
	"context"

	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/internal/invariant"
)

// NewLeaf makes a leaf of n zero values (none for Pattern).
func NewLeaf(name string, elem semiring.Elem, n int) Leaf {
	l := Leaf{Name: name, Elem: elem}
	switch elem {
	case semiring.Pattern:
	case semiring.I64:
		l.I64 = make([]int64, n)
	case semiring.I128:
		l.I128 = make([]semiring.Int128, n)
	case semiring.F64:
		l.F64 = make([]float64, n)
	default:
		panic(invariant.Failed("fibers: element type %d", elem))
	}
	return l
}

// Int128 returns an integer leaf's value at a position; 1 for Pattern.
func (l *Leaf) Int128(pos int32) semiring.Int128 {
	switch l.Elem {
	case semiring.Pattern:
		return semiring.FromInt64(1)
	case semiring.I64:
		return semiring.FromInt64(l.I64[pos])
	case semiring.I128:
		return l.I128[pos]
	default:
		panic(invariant.Failed("fibers: leaf %s of %v read as an integer", l.Name, l.Elem))
	}
}

// Float64 returns the value at a position, rounded to the nearest float64.
func (l *Leaf) Float64(pos int32) float64 {
	switch l.Elem {
	case semiring.Pattern:
		return 1
	case semiring.I64:
		return float64(l.I64[pos])
	case semiring.I128:
		return l.I128[pos].Float64()
	case semiring.F64:
		return l.F64[pos]
	default:
		panic(invariant.Failed("fibers: element type %d", l.Elem))
	}
}

// IsZero reports whether the value at a position is zero (NaN is not).
func (l *Leaf) IsZero(pos int32) bool {
	switch l.Elem {
	case semiring.Pattern:
		return false
	case semiring.I64:
		return l.I64[pos] == 0
	case semiring.I128:
		return l.I128[pos] == semiring.Int128{}
	case semiring.F64:
		return l.F64[pos] == 0
	default:
		panic(invariant.Failed("fibers: element type %d", l.Elem))
	}
}

// ElemBytes is the size of one value of an element type.
func ElemBytes(e semiring.Elem) int64 {
	switch e {
	case semiring.Pattern:
		return 0
	case semiring.I128:
		return 16
	default:
		return 8
	}
}

func (l *Leaf) bytes() int64 {
	return 8*int64(len(l.I64)+len(l.F64)) + 16*int64(len(l.I128))
}

// stored reports whether the leaf has values; one of a Pattern has none.
func (l *Leaf) stored() bool { return l.I64 != nil || l.I128 != nil || l.F64 != nil }

// slice returns the values from..to of a leaf that has some.
func (l *Leaf) slice(from, to int) Leaf {
	out := Leaf{Name: l.Name, Elem: l.Elem}
	switch l.Elem {
	case semiring.I64:
		out.I64 = l.I64[from:to:to]
	case semiring.I128:
		out.I128 = l.I128[from:to:to]
	case semiring.F64:
		out.F64 = l.F64[from:to:to]
	default:
		panic(invariant.Failed("fibers: a slice of a leaf of type %d", l.Elem))
	}
	return out
}

// gather returns the leaf with the value perm[e] at entry e; perm nil keeps it.
func (l *Leaf) gather(ctx context.Context, perm []int32) (Leaf, error) {
	if perm == nil || l.Elem == semiring.Pattern {
		return *l, nil
	}
	out := NewLeaf(l.Name, l.Elem, len(perm))
	switch l.Elem {
	case semiring.I64:
		return out, gatherInto(ctx, out.I64, l.I64, perm)
	case semiring.I128:
		return out, gatherInto(ctx, out.I128, l.I128, perm)
	default:
		return out, gatherInto(ctx, out.F64, l.F64, perm)
	}
}

// scatter returns a leaf of n values with entry e's value at pos[e].
func (l *Leaf) scatter(ctx context.Context, pos []int32, n int) (Leaf, error) {
	out := NewLeaf(l.Name, l.Elem, n)
	switch l.Elem {
	case semiring.Pattern:
		return out, nil
	case semiring.I64:
		return out, scatterInto(ctx, out.I64, l.I64, pos)
	case semiring.I128:
		return out, scatterInto(ctx, out.I128, l.I128, pos)
	default:
		return out, scatterInto(ctx, out.F64, l.F64, pos)
	}
}

func gatherInto[T any](ctx context.Context, dst, src []T, perm []int32) error {
	for from := 0; from < len(perm); from += checkEvery {
		if err := ctx.Err(); err != nil {
			return err
		}
		piece := perm[from:min(from+checkEvery, len(perm))]
		out := dst[from : from+len(piece)]
		for e, p := range piece {
			out[e] = src[p]
		}
	}
	return nil
}

func scatterInto[T any](ctx context.Context, dst, src []T, pos []int32) error {
	for from := 0; from < len(pos); from += checkEvery {
		if err := ctx.Err(); err != nil {
			return err
		}
		piece := pos[from:min(from+checkEvery, len(pos))]
		in := src[from : from+len(piece)]
		for e, p := range piece {
			dst[p] = in[e]
		}
	}
	return nil
}
