package semiring

import (
	"math/big"
	"math/bits"
)

// Int128 is a two's complement 128-bit integer.
type Int128 struct {
	Hi int64
	Lo uint64
}

// FromInt64 widens v.
func FromInt64(v int64) Int128 { return Int128{Hi: v >> 63, Lo: uint64(v)} }

// Int64 returns the value and whether it fits 64 bits.
func (a Int128) Int64() (int64, bool) {
	v := int64(a.Lo)
	return v, a.Hi == v>>63
}

// Sign returns -1, 0 or 1.
func (a Int128) Sign() int {
	if a.Hi < 0 {
		return -1
	}
	if a.Hi == 0 && a.Lo == 0 {
		return 0
	}
	return 1
}

// Cmp compares as signed integers.
func (a Int128) Cmp(b Int128) int {
	switch {
	case a.Hi < b.Hi:
		return -1
	case a.Hi > b.Hi:
		return 1
	case a.Lo < b.Lo:
		return -1
	case a.Lo > b.Lo:
		return 1
	}
	return 0
}

// Neg returns -a; the minimum wraps to itself.
func (a Int128) Neg() Int128 {
	lo, borrow := bits.Sub64(0, a.Lo, 0)
	hi, _ := bits.Sub64(0, uint64(a.Hi), borrow)
	return Int128{Hi: int64(hi), Lo: lo}
}

// Add returns a+b and whether it fits.
func (a Int128) Add(b Int128) (Int128, bool) {
	lo, carry := bits.Add64(a.Lo, b.Lo, 0)
	hi, _ := bits.Add64(uint64(a.Hi), uint64(b.Hi), carry)
	s := Int128{Hi: int64(hi), Lo: lo}
	return s, (a.Hi^s.Hi)&(b.Hi^s.Hi) >= 0
}

// Sub returns a-b and whether it fits.
func (a Int128) Sub(b Int128) (Int128, bool) {
	lo, borrow := bits.Sub64(a.Lo, b.Lo, 0)
	hi, _ := bits.Sub64(uint64(a.Hi), uint64(b.Hi), borrow)
	d := Int128{Hi: int64(hi), Lo: lo}
	return d, (a.Hi^b.Hi)&(a.Hi^d.Hi) >= 0
}

// abs returns |a| as unsigned; the minimum gives 2^127.
func (a Int128) abs() (hi, lo uint64) {
	if a.Hi < 0 {
		n := a.Neg()
		return uint64(n.Hi), n.Lo
	}
	return uint64(a.Hi), a.Lo
}

// Mul returns a*b and whether it fits.
func (a Int128) Mul(b Int128) (Int128, bool) {
	neg := (a.Hi < 0) != (b.Hi < 0)
	ah, al := a.abs()
	bh, bl := b.abs()
	if ah != 0 && bh != 0 {
		return Int128{}, false
	}
	hi, lo := bits.Mul64(al, bl)
	c1h, c1 := bits.Mul64(ah, bl)
	c2h, c2 := bits.Mul64(al, bh)
	if c1h != 0 || c2h != 0 {
		return Int128{}, false
	}
	hi, k1 := bits.Add64(hi, c1, 0)
	hi, k2 := bits.Add64(hi, c2, 0)
	if k1 != 0 || k2 != 0 {
		return Int128{}, false
	}
	r := Int128{Hi: int64(hi), Lo: lo}
	if neg {
		ok := hi < 1<<63 || (hi == 1<<63 && lo == 0)
		return r.Neg(), ok
	}
	return r, hi < 1<<63
}

// Big returns the value as a big.Int.
func (a Int128) Big() *big.Int {
	b := new(big.Int).SetInt64(a.Hi)
	b.Lsh(b, 64)
	return b.Add(b, new(big.Int).SetUint64(a.Lo))
}

// FromBig returns the value and whether it fits 128 bits.
func FromBig(b *big.Int) (Int128, bool) {
	if b.BitLen() > 127 {
		min := new(big.Int).Lsh(big.NewInt(-1), 127)
		if b.Cmp(min) != 0 {
			return Int128{}, false
		}
	}
	lo := new(big.Int).And(b, new(big.Int).SetUint64(^uint64(0)))
	hi := new(big.Int).Rsh(b, 64)
	return Int128{Hi: hi.Int64(), Lo: lo.Uint64()}, true
}

// Float64 returns the nearest float64.
func (a Int128) Float64() float64 {
	if v, ok := a.Int64(); ok {
		return float64(v)
	}
	f, _ := new(big.Float).SetInt(a.Big()).Float64()
	return f
}

// String returns decimal digits.
func (a Int128) String() string { return a.Big().String() }
