package translate

import (
	"math/big"
	"slices"

	"github.com/trireme-db/trireme/internal/rows"
)

// Check says that a node of a measure, which DuckDB computes in Type, stays
// inside that type for every row that the program visits (SEMANTICS section 6a).
type Check struct {
	Type  rows.Type
	Bound Bound
}

// Bound is an interval of exact values: *Interval, *LeafBound, *SumBound, *ProductBound.
type Bound interface{ isBound() }

// Interval is a known interval.
type Interval struct{ Lo, Hi *big.Int }

// LeafBound is the interval from the least value of leaf Lo to the greatest of
// leaf Hi of a tensor (a program query, or an input) over the entries where leaf
// Valid is not 0 (empty: over all), known after execution.
type LeafBound struct{ Tensor, Lo, Hi, Valid string }

// SumBound is the sum of two intervals; Minus: the difference.
type SumBound struct {
	A, B  Bound
	Minus bool
}

// ProductBound is the product of two intervals.
type ProductBound struct{ A, B Bound }

func (*Interval) isBound()     {}
func (*LeafBound) isBound()    {}
func (*SumBound) isBound()     {}
func (*ProductBound) isBound() {}

// Fits evaluates the check. leaf gives the interval of a query's leaf; it may
// return nil when there is no value.
func (c *Check) Fits(leaf func(*LeafBound) *Interval) bool {
	iv := eval(c.Bound, leaf)
	lo, hi := typeRange(c.Type)
	return lo == nil || iv.Lo.Cmp(lo) >= 0 && iv.Hi.Cmp(hi) <= 0
}

// Static reports whether the check depends on no leaf.
func (c *Check) Static() bool { return static(c.Bound) }

// Bounds returns the distinct leaf bounds of all checks.
func (r *Result) Bounds() []LeafBound {
	var out []LeafBound
	var walk func(Bound)
	walk = func(b Bound) {
		switch b := b.(type) {
		case *LeafBound:
			if !slices.Contains(out, *b) {
				out = append(out, *b)
			}
		case *SumBound:
			walk(b.A)
			walk(b.B)
		case *ProductBound:
			walk(b.A)
			walk(b.B)
		}
	}
	for i := range r.Checks {
		walk(r.Checks[i].Bound)
	}
	return out
}

func static(b Bound) bool {
	switch b := b.(type) {
	case *LeafBound:
		return false
	case *SumBound:
		return static(b.A) && static(b.B)
	case *ProductBound:
		return static(b.A) && static(b.B)
	}
	return true
}

func eval(b Bound, leaf func(*LeafBound) *Interval) *Interval {
	switch b := b.(type) {
	case *Interval:
		return b
	case *LeafBound:
		if iv := leaf(b); iv != nil {
			return iv
		}
		return &Interval{Lo: new(big.Int), Hi: new(big.Int)}
	case *SumBound:
		x, y := eval(b.A, leaf), eval(b.B, leaf)
		if b.Minus {
			return &Interval{Lo: new(big.Int).Sub(x.Lo, y.Hi), Hi: new(big.Int).Sub(x.Hi, y.Lo)}
		}
		return &Interval{Lo: new(big.Int).Add(x.Lo, y.Lo), Hi: new(big.Int).Add(x.Hi, y.Hi)}
	case *ProductBound:
		return product(eval(b.A, leaf), eval(b.B, leaf))
	}
	panic("translate: unknown bound")
}

func product(x, y *Interval) *Interval {
	var out *Interval
	for _, a := range []*big.Int{x.Lo, x.Hi} {
		for _, b := range []*big.Int{y.Lo, y.Hi} {
			p := new(big.Int).Mul(a, b)
			if out == nil {
				out = &Interval{Lo: p, Hi: p}
				continue
			}
			if p.Cmp(out.Lo) < 0 {
				out.Lo = p
			}
			if p.Cmp(out.Hi) > 0 {
				out.Hi = p
			}
		}
	}
	return out
}

// typeRange returns the values that an exact type can hold (DECIMAL unscaled);
// nil: no bound.
func typeRange(t rows.Type) (lo, hi *big.Int) {
	signed := func(bits uint) (*big.Int, *big.Int) {
		h := new(big.Int).Lsh(big.NewInt(1), bits-1)
		return new(big.Int).Neg(h), new(big.Int).Sub(h, big.NewInt(1))
	}
	unsigned := func(bits uint) (*big.Int, *big.Int) {
		h := new(big.Int).Lsh(big.NewInt(1), bits)
		return new(big.Int), h.Sub(h, big.NewInt(1))
	}
	switch t.ID {
	case rows.TinyInt:
		return signed(8)
	case rows.SmallInt:
		return signed(16)
	case rows.Integer:
		return signed(32)
	case rows.BigInt:
		return signed(64)
	case rows.HugeInt:
		return signed(128)
	case rows.UTinyInt:
		return unsigned(8)
	case rows.USmallInt:
		return unsigned(16)
	case rows.UInteger:
		return unsigned(32)
	case rows.UBigInt:
		return unsigned(64)
	case rows.UHugeInt:
		return unsigned(128)
	case rows.Decimal:
		h := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(t.Width)), nil)
		h.Sub(h, big.NewInt(1))
		return new(big.Int).Neg(h), h
	}
	return nil, nil
}
