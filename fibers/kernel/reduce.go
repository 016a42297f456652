package kernel

import "math/bits"

// A factor's values for a batch: vals[s] with ix nil, else vals[ix[s]].

// SumF64 adds n values of one factor.
func SumF64(vals []float64, ix []int32, n int) float64 {
	if ix == nil {
		s0, s1 := 0.0, 0.0
		vals = vals[:n]
		for len(vals) >= 2 {
			s0 += vals[0]
			s1 += vals[1]
			vals = vals[2:]
		}
		for _, v := range vals {
			s0 += v
		}
		return s0 + s1
	}
	s := 0.0
	for _, i := range ix[:n] {
		s += vals[i]
	}
	return s
}

// DotF64 adds n products of two factors, in order, or in lanes where both are
// slices (K6).
func DotF64(a []float64, ia []int32, b []float64, ib []int32, n int) float64 {
	if ia != nil && ib == nil {
		a, ia, b, ib = b, ib, a, ia
	}
	s := 0.0
	switch {
	case ib == nil:
		return dotF64(a[:n], b[:n])
	case ia == nil:
		ib = ib[:n]
		for i, v := range a[:n] {
			s += float64(v * b[ib[i]])
		}
	default:
		ib = ib[:n]
		for i, k := range ia[:n] {
			s += float64(a[k] * b[ib[i]])
		}
	}
	return s
}

// ScaleF64 multiplies vals[i] by coef[at[i]]; a product of 0 has no sign.
func ScaleF64(vals, coef []float64, at []int32) {
	at = at[:len(vals)]
	for i, v := range vals {
		vals[i] = float64(coef[at[i]]*v) + 0
	}
}

// SumAtF64 adds the values at some places to s, in their order.
func SumAtF64(s float64, vals []float64, at []int32) float64 {
	for _, i := range at {
		s += vals[i]
	}
	return s
}

// magnitude has at least as many bits as |v|, without the extreme's overflow.
func magnitude(v int64) uint64 { return uint64(v ^ v>>63) }

// sumFits reports whether n values of so many magnitude bits sum within int64
// in any order.
func sumFits(width, n int) bool { return width+bits.Len(uint(n)) < 63 }

// SumI64 adds n values of one factor; false when the sum may not fit.
func SumI64(vals []int64, ix []int32, n int) (int64, bool) {
	s, m := int64(0), uint64(0)
	if ix == nil {
		for _, v := range vals[:n] {
			s += v
			m |= magnitude(v)
		}
	} else {
		for _, i := range ix[:n] {
			v := vals[i]
			s += v
			m |= magnitude(v)
		}
	}
	if sumFits(bits.Len64(m), n) {
		return s, true
	}
	return checkedSum(vals, ix, n)
}

func at(vals []int64, ix []int32, s int) int64 {
	if ix == nil {
		return vals[s]
	}
	return vals[ix[s]]
}

func checkedSum(vals []int64, ix []int32, n int) (int64, bool) {
	s, ok := int64(0), true
	for i := range n {
		var fits bool
		s, fits = AddI64(s, at(vals, ix, i))
		ok = ok && fits
	}
	return s, ok
}

// DotI64 adds n products of two factors; false when a product or the sum may
// not fit.
func DotI64(a []int64, ia []int32, b []int64, ib []int32, n int) (int64, bool) {
	if ia != nil && ib == nil {
		a, ia, b, ib = b, ib, a, ia
	}
	s, ma, mb := int64(0), uint64(0), uint64(0)
	switch {
	case ib == nil:
		b := b[:n]
		for i, v := range a[:n] {
			s += v * b[i]
			ma, mb = ma|magnitude(v), mb|magnitude(b[i])
		}
	case ia == nil:
		ib := ib[:n]
		for i, v := range a[:n] {
			w := b[ib[i]]
			s += v * w
			ma, mb = ma|magnitude(v), mb|magnitude(w)
		}
	default:
		ib := ib[:n]
		for i, k := range ia[:n] {
			v, w := a[k], b[ib[i]]
			s += v * w
			ma, mb = ma|magnitude(v), mb|magnitude(w)
		}
	}
	// A magnitude of l bits bounds |v| by 2^l, so a product by 2^(la+lb).
	if sumFits(bits.Len64(ma)+bits.Len64(mb)+1, n) {
		return s, true
	}
	return checkedDot(a, ia, b, ib, n)
}

func checkedDot(a []int64, ia []int32, b []int64, ib []int32, n int) (int64, bool) {
	s, ok := int64(0), true
	for i := range n {
		p, fits := MulI64(at(a, ia, i), at(b, ib, i))
		ok = ok && fits
		s, fits = AddI64(s, p)
		ok = ok && fits
	}
	return s, ok
}

// AddI64 adds and says whether the sum fits.
func AddI64(a, b int64) (int64, bool) {
	s := a + b
	return s, (a^s)&(b^s) >= 0
}

// MulI64 multiplies and says whether the product fits.
func MulI64(a, b int64) (int64, bool) {
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	hi -= uint64(a>>63)&uint64(b) + uint64(b>>63)&uint64(a)
	return int64(lo), int64(hi) == int64(lo)>>63
}
