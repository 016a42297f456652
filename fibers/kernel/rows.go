package kernel

import (
	"math"

	"github.com/trireme-db/trireme/internal/invariant"
)

//go:generate go run _gen/main.go

// Rows are fibers of one list level, one per iteration of the loop around it:
// row i has the entries Ptr[Pos[i]] up to Ptr[Pos[i]+1] of Idx.
type Rows struct {
	Pos, Ptr, Idx []int32
}

// RowShape says where the factors of a row kernel come from: the leader's own
// values (by entry), or arrays by coordinate.
type RowShape uint8

// Row shapes: one or two factors.
const (
	ShapeLead RowShape = iota
	ShapeGather
	ShapeLeadGather
	ShapeGatherGather
)

// RowKernel reduces every row to out, which has a place per row: the factors a
// and b as RowShape says. A row without entries gets the identity of the
// reduction. False when an integer does not fit (K2).
type RowKernel[T any] func(r *Rows, a, b, out []T) bool

// RowOp is how row kernels combine and reduce: sums of products, or extremes of sums.
type RowOp uint8

// Row operators.
const (
	RowSum RowOp = iota
	RowMin
	RowMax
)

// RowsI64 returns the loop for integers.
func RowsI64(op RowOp, shape RowShape) RowKernel[int64] {
	return [...][4]RowKernel[int64]{
		RowSum: {rowsSumLeadI64, rowsSumGatherI64, rowsSumMulLeadGatherI64, rowsSumMulGatherGatherI64},
		RowMin: {rowsMinLeadI64, rowsMinGatherI64, rowsMinPlusLeadGatherI64, rowsMinPlusGatherGatherI64},
		RowMax: {rowsMaxLeadI64, rowsMaxGatherI64, rowsMaxPlusLeadGatherI64, rowsMaxPlusGatherGatherI64},
	}[op][shape]
}

// RowsF64 returns the loop for floats. Sums are taken in ascending order of
// coordinates; NaN is greatest.
func RowsF64(op RowOp, shape RowShape) RowKernel[float64] {
	return [...][4]RowKernel[float64]{
		RowSum: {rowsSumLeadF64, rowsSumGatherF64, rowsSumMulLeadGatherF64, rowsSumMulGatherGatherF64},
		RowMin: {rowsMinLeadF64, rowsMinGatherF64, rowsMinPlusLeadGatherF64, rowsMinPlusGatherGatherF64},
		RowMax: {rowsMaxLeadF64, rowsMaxGatherF64, rowsMaxPlusLeadGatherF64, rowsMaxPlusGatherGatherF64},
	}[op][shape]
}

// checkedRows is the sum kernels' slow form: every step is checked.
func checkedRows(r *Rows, shape RowShape, a, b, out []int64) bool {
	all := true
	for i, p := range r.Pos {
		s := int64(0)
		for e := r.Ptr[p]; e < r.Ptr[p+1]; e++ {
			k, v, ok := r.Idx[e], int64(0), true
			switch shape {
			case ShapeLead:
				v = a[e]
			case ShapeGather:
				v = a[k]
			case ShapeLeadGather:
				v, ok = MulI64(a[e], b[k])
			case ShapeGatherGather:
				v, ok = MulI64(a[k], b[k])
			default:
				panic(invariant.Failed("kernel: row shape %d", shape))
			}
			var fits bool
			s, fits = AddI64(s, v)
			all = all && ok && fits
		}
		out[i] = s
	}
	return all
}

// minRow is the least of a row of floats, where NaN is greatest, and of 0 and -0
// the first stands. The kernels take the builtin min, which takes no branch but
// gives NaN where there is any and prefers -0; such rows come here.
func minRow(r *Rows, p int32, shape RowShape, a, b []float64) float64 {
	s := math.NaN()
	for e := r.Ptr[p]; e < r.Ptr[p+1]; e++ {
		if v := rowValue(r, e, shape, a, b); v < s || math.IsNaN(s) {
			s = v
		}
	}
	return s
}

// maxRow is minRow for the greatest.
func maxRow(r *Rows, p int32, shape RowShape, a, b []float64) float64 {
	s := math.Inf(-1)
	for e := r.Ptr[p]; e < r.Ptr[p+1]; e++ {
		if v := rowValue(r, e, shape, a, b); s < v || math.IsNaN(v) {
			s = v
		}
	}
	return s
}

// rowValue is the value of one entry of a row in an extreme.
func rowValue(r *Rows, e int32, shape RowShape, a, b []float64) float64 {
	k := r.Idx[e]
	switch shape {
	case ShapeLead:
		return a[e]
	case ShapeGather:
		return a[k]
	case ShapeLeadGather:
		return a[e] + b[k]
	case ShapeGatherGather:
		return a[k] + b[k]
	default:
		panic(invariant.Failed("kernel: row shape %d", shape))
	}
}

// CountRows writes the length of every row to found and returns their sum.
func CountRows(r *Rows, found []int32) int64 {
	total := int64(0)
	found = found[:len(r.Pos)]
	for i, p := range r.Pos {
		n := r.Ptr[p+1] - r.Ptr[p]
		found[i] = n
		total += int64(n)
	}
	return total
}

// CountRun is CountRows for rows that follow one another: row i has the entries
// ptr[i] up to ptr[i+1].
func CountRun(ptr, found []int32) int64 {
	if len(found) == 0 {
		return 0
	}
	first, ends := ptr[0], ptr[1:][:len(found)]
	lo := first
	for i, hi := range ends {
		found[i] = hi - lo
		lo = hi
	}
	return int64(lo - first)
}

// CountRowsMarked writes the number of marked coordinates of every row to found
// and returns their sum.
func CountRowsMarked(r *Rows, marks []uint8, found []int32) int64 {
	total := int64(0)
	found = found[:len(r.Pos)]
	for i, p := range r.Pos {
		n := CountMarked(r.Idx[r.Ptr[p]:r.Ptr[p+1]], marks)
		found[i] = int32(n)
		total += int64(n)
	}
	return total
}

// CountRowsSlots is CountRowsMarked for slots.
func CountRowsSlots(r *Rows, at []int32, found []int32) int64 {
	total := int64(0)
	found = found[:len(r.Pos)]
	for i, p := range r.Pos {
		n := CountSlots(r.Idx[r.Ptr[p]:r.Ptr[p+1]], at)
		found[i] = int32(n)
		total += int64(n)
	}
	return total
}

// AnyRows writes for every row whether it has a coordinate that is marked, or
// has a slot, 1 or 0, to found and returns how many have. It looks no further than
// the first one.
func AnyRows[T uint8 | int32](r *Rows, marks []T, found []int32) int64 {
	total := int64(0)
	found = found[:len(r.Pos)]
	for i, p := range r.Pos {
		n := int32(0)
		for _, k := range r.Idx[r.Ptr[p]:r.Ptr[p+1]] {
			if marks[k] != 0 {
				n = 1
				break
			}
		}
		found[i] = n
		total += int64(n)
	}
	return total
}
