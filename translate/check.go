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

// Refusal is why a statement whose check does not hold cannot be answered.
func (c *Check) Refusal() string {
	if c.Type == inRange {
		return "a product that may leave the range of DOUBLE on its way"
	}
	return "may overflow " + c.Type.String()
}

// Bound is an interval of exact values: *Interval, *LeafBound, *SumBound, *ProductBound,
// *HullBound.
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

// HullBound is the least interval that holds two.
type HullBound struct{ A, B Bound }

func (*Interval) isBound()     {}
func (*LeafBound) isBound()    {}
func (*SumBound) isBound()     {}
func (*ProductBound) isBound() {}
func (*HullBound) isBound()    {}

// Fits evaluates the check. leaf gives the interval of a query's leaf; it may
// return nil when there is no value.
func (c *Check) Fits(leaf func(*LeafBound) *Interval) bool {
	iv := eval(c.Bound, func(b Bound) *Interval { return leaf(b.(*LeafBound)) })
	return fits(iv.Lo, c.Type) && fits(iv.Hi, c.Type)
}

// Static reports whether the check depends on no leaf.
func (c *Check) Static() bool { return static(c.Bound) }

// Bounds returns the distinct leaf bounds of all checks: the queries that they
// name must have tensors, or be watched while they are computed.
func (r *Result) Bounds() []LeafBound {
	var out []LeafBound
	for i := range r.Checks {
		eachLeaf(r.Checks[i].Bound, func(x Bound) {
			if b, ok := x.(*LeafBound); ok && !slices.Contains(out, *b) {
				out = append(out, *b)
			}
		})
	}
	return out
}

// Checked returns the names of the program's queries whose values a check needs,
// in the program's order: a plan must keep them, while the values of any other
// query but the last are its own affair.
func (r *Result) Checked() []string {
	var out []string
	for _, q := range r.Program.Queries {
		if slices.ContainsFunc(r.Bounds(), func(b LeafBound) bool { return b.Tensor == q.Name }) {
			out = append(out, q.Name)
		}
	}
	return out
}

// mapBound rebuilds a bound with everything that has no operands replaced by
// f's answer.
func mapBound(b Bound, f func(Bound) Bound) Bound {
	switch b := b.(type) {
	case *SumBound:
		return &SumBound{A: mapBound(b.A, f), B: mapBound(b.B, f), Minus: b.Minus}
	case *ProductBound:
		return &ProductBound{A: mapBound(b.A, f), B: mapBound(b.B, f)}
	case *HullBound:
		return &HullBound{A: mapBound(b.A, f), B: mapBound(b.B, f)}
	}
	return f(b)
}

func eachLeaf(b Bound, f func(Bound)) {
	mapBound(b, func(x Bound) Bound {
		f(x)
		return x
	})
}

func static(b Bound) bool {
	known := true
	eachLeaf(b, func(x Bound) {
		_, ok := x.(*Interval)
		known = known && ok
	})
	return known
}

// eval is the interval of a bound; leaf gives that of what is no *Interval and
// may return nil when there is no value.
func eval(b Bound, leaf func(Bound) *Interval) *Interval {
	switch b := b.(type) {
	case *Interval:
		return b
	case *SumBound:
		x, y := eval(b.A, leaf), eval(b.B, leaf)
		if b.Minus {
			return &Interval{Lo: new(big.Int).Sub(x.Lo, y.Hi), Hi: new(big.Int).Sub(x.Hi, y.Lo)}
		}
		return &Interval{Lo: new(big.Int).Add(x.Lo, y.Lo), Hi: new(big.Int).Add(x.Hi, y.Hi)}
	case *ProductBound:
		return product(eval(b.A, leaf), eval(b.B, leaf))
	case *HullBound:
		return hull(eval(b.A, leaf), eval(b.B, leaf))
	}
	if iv := leaf(b); iv != nil {
		return iv
	}
	return zeroInterval()
}

func zeroInterval() *Interval { return &Interval{Lo: new(big.Int), Hi: new(big.Int)} }

func hull(x, y *Interval) *Interval {
	out := *x
	if y.Lo.Cmp(out.Lo) < 0 {
		out.Lo = y.Lo
	}
	if y.Hi.Cmp(out.Hi) > 0 {
		out.Hi = y.Hi
	}
	return &out
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

func fits(v *big.Int, t rows.Type) bool {
	lo, hi := typeRange(t)
	return lo == nil || v.Cmp(lo) >= 0 && v.Cmp(hi) <= 0
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
