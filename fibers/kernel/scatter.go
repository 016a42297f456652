package kernel

import "math/bits"

// Run is the first of coordinates, if they follow one another without a gap (K7).
func Run(ks []int32) (first int32, ok bool) {
	n := len(ks)
	if n == 0 || int(ks[n-1]-ks[0]) != n-1 {
		return 0, false
	}
	return ks[0], true
}

// ScatterF64 adds c*vals (ix as in SumF64; vals nil: c) to acc at the coordinates.
func ScatterF64(acc []float64, ks []int32, c float64, vals []float64, ix []int32) {
	if first, ok := Run(ks); ok && vals != nil && ix == nil {
		axpy(acc[first:][:len(ks)], vals[:len(ks)], c)
		return
	}
	switch {
	case vals == nil:
		for _, k := range ks {
			acc[k] += c
		}
	case ix == nil:
		vals = vals[:len(ks)]
		for s, k := range ks {
			acc[k] += float64(c * vals[s])
		}
	default:
		ix = ix[:len(ks)]
		for s, k := range ks {
			acc[k] += float64(c * vals[ix[s]])
		}
	}
}

// axpyGo is axpy for every machine. The conversion keeps compilers from fusing the
// multiplication with the addition.
func axpyGo(acc, vals []float64, c float64) {
	vals = vals[:len(acc)]
	for i, v := range vals {
		acc[i] += float64(c * v)
	}
}

// AddRowsF64 adds coef[i] times row i to acc, which is as long as a row, in the order
// of the rows: a row of a sparse matrix times a dense one.
func AddRowsF64(acc []float64, rows *Slices[float64], coef []float64) { addRows(acc, rows, coef) }

// addRowsGo is AddRowsF64 for every machine.
func addRowsGo(acc []float64, rows *Slices[float64], coef []float64) {
	for i, c := range coef {
		axpyGo(acc, rows.Row(i, len(acc)), c)
	}
}

// ScatterI64 is ScatterF64 for integers; false when a product or a sum does not
// fit (the workspace then holds garbage).
func ScatterI64(acc []int64, ks []int32, c int64, vals []int64, ix []int32) bool {
	if vals == nil {
		wrapped := int64(0)
		for _, k := range ks {
			a := acc[k]
			s := a + c
			wrapped |= (a ^ s) & (c ^ s)
			acc[k] = s
		}
		return wrapped >= 0
	}
	m, n := uint64(0), len(ks)
	if ix == nil {
		for _, v := range vals[:n] {
			m |= magnitude(v)
		}
	} else {
		for _, i := range ix[:n] {
			m |= magnitude(vals[i])
		}
	}
	if bits.Len64(m)+bits.Len64(magnitude(c))+1 >= 63 {
		return checkedScatter(acc, ks, c, vals, ix)
	}
	wrapped := int64(0)
	if ix == nil {
		vals := vals[:n]
		for s, k := range ks {
			a, v := acc[k], c*vals[s]
			sum := a + v
			wrapped |= (a ^ sum) & (v ^ sum)
			acc[k] = sum
		}
		return wrapped >= 0
	}
	ix = ix[:n]
	for s, k := range ks {
		a, v := acc[k], c*vals[ix[s]]
		sum := a + v
		wrapped |= (a ^ sum) & (v ^ sum)
		acc[k] = sum
	}
	return wrapped >= 0
}

func checkedScatter(acc []int64, ks []int32, c int64, vals []int64, ix []int32) bool {
	ok := true
	for s, k := range ks {
		v, fits := MulI64(c, at(vals, ix, s))
		ok = ok && fits
		acc[k], fits = AddI64(acc[k], v)
		ok = ok && fits
	}
	return ok
}

// MulIntoF64 writes n products of two factors to dst.
func MulIntoF64(dst, a []float64, ia []int32, b []float64, ib []int32, n int) {
	for s := range n {
		i, j := int32(s), int32(s)
		if ia != nil {
			i = ia[s]
		}
		if ib != nil {
			j = ib[s]
		}
		dst[s] = a[i] * b[j]
	}
}

// MulIntoI64 is MulIntoF64 for integers; false when a product does not fit.
func MulIntoI64(dst, a []int64, ia []int32, b []int64, ib []int32, n int) bool {
	ok := true
	for s := range n {
		var fits bool
		dst[s], fits = MulI64(at(a, ia, s), at(b, ib, s))
		ok = ok && fits
	}
	return ok
}

// Floats writes n integer values of one factor as floats to dst.
func Floats(dst []float64, vals []int64, ix []int32, n int) {
	for s := range n {
		dst[s] = float64(at(vals, ix, s))
	}
}
