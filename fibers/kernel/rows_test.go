package kernel

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestExtremeRows: the least and the greatest of rows of floats, among them NaN,
// infinities and both zeros, are to the last bit those found entry by entry.
func TestExtremeRows(t *testing.T) {
	special := []float64{math.NaN(), math.Inf(1), math.Inf(-1), 0, math.Copysign(0, -1), 1, -1}
	for seed := range uint64(2000) {
		rng := rand.New(rand.NewPCG(seed, 5))
		values := func(n int) []float64 {
			out := make([]float64, n)
			for i := range out {
				if out[i] = rng.NormFloat64(); seed%2 == 0 {
					out[i] = special[rng.IntN(len(special))]
				}
			}
			return out
		}
		const dim = 20
		r := &Rows{Ptr: []int32{0}}
		for i := range int32(1 + rng.IntN(8)) {
			r.Pos = append(r.Pos, i)
			for range rng.IntN(5) {
				r.Idx = append(r.Idx, rng.Int32N(dim))
			}
			r.Ptr = append(r.Ptr, int32(len(r.Idx)))
		}
		out := make([]float64, len(r.Pos))
		for shape := ShapeLead; shape <= ShapeGatherGather; shape++ {
			a, b := values(dim), values(dim)
			if shape == ShapeLead || shape == ShapeLeadGather {
				a = values(len(r.Idx))
			}
			for _, op := range []RowOp{RowMin, RowMax} {
				if !RowsF64(op, shape)(r, a, b, out) {
					t.Fatal("floats always fit")
				}
				for i, got := range out {
					want := extremeOfRow(op, r, int32(i), func(e int32) float64 {
						return [...]float64{
							ShapeLead: at64(a, e), ShapeGather: at64(a, r.Idx[e]),
							ShapeLeadGather: at64(a, e) + b[r.Idx[e]], ShapeGatherGather: at64(a, r.Idx[e]) + b[r.Idx[e]],
						}[shape]
					})
					if math.IsNaN(got) != math.IsNaN(want) || !math.IsNaN(got) && math.Float64bits(got) != math.Float64bits(want) {
						t.Fatalf("seed %d, operator %d, shape %d, row %d: %v, want %v", seed, op, shape, i, got, want)
					}
				}
			}
		}
	}
}

// at64 is a value, or 0 past the end.
func at64(v []float64, i int32) float64 {
	if int(i) < len(v) {
		return v[i]
	}
	return 0
}

// extremeOfRow takes NaN as greatest; of equal values the first stands.
func extremeOfRow(op RowOp, r *Rows, row int32, value func(e int32) float64) float64 {
	less := func(a, b float64) bool { return a < b || math.IsNaN(b) && !math.IsNaN(a) }
	s := math.NaN()
	if op == RowMax {
		s = math.Inf(-1)
	}
	for e := r.Ptr[row]; e < r.Ptr[row+1]; e++ {
		v := value(e)
		if op == RowMin && less(v, s) || op == RowMax && less(s, v) {
			s = v
		}
	}
	return s
}
