package exec

import (
	"math"
	"math/bits"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/einsum/semiring"
)

// chunkSum adds up one leaf of a fused scalar step over a chunk, column by column.
type chunkSum interface {
	// addUp adds the chunk's entries to a slot.
	addUp(e *env, c *outChunk, slot int32)
}

// chunkSum is leaf l as a sum over chunks, nil where it is none.
func (b *binder) chunkSum(l int, acc accumulator) chunkSum {
	agg, ok := b.query.Leaves[l].Expr.(*einsum.Agg)
	if !ok || agg.Op != semiring.Add {
		return nil
	}
	switch acc := acc.(type) {
	case *valueAcc[int64]:
		return b.intSum(acc, agg.Arg)
	case *valueAcc[float64]:
		return b.floatSum(acc, agg.Arg)
	default:
		return nil
	}
}

// chunkFactors recognises a product of one or two accesses to leaves of a type;
// the leaves are the chunk's.
func (b *binder) chunkFactors(x einsum.Expr, elem semiring.Elem) (leaves []int, ok bool) {
	args := []einsum.Expr{x}
	if m, isMap := x.(*einsum.Map); isMap {
		if m.Op != semiring.Mul {
			return nil, false
		}
		args = m.Args
	}
	for _, arg := range args {
		a, isAccess := arg.(*einsum.Access)
		if !isAccess {
			return nil, false
		}
		t := b.operands[b.operandOf(a)].tensor
		for l := range t.Leaves {
			if t.Leaves[l].Name == a.Leaf && t.Leaves[l].Elem == elem {
				leaves = append(leaves, l)
			}
		}
	}
	return leaves, len(leaves) == len(args) && len(args) <= 2
}

// countedBy recognises guard(1, n), and returns n, a number of rows.
func countedBy(x einsum.Expr) *einsum.Access {
	m, ok := x.(*einsum.Map)
	if !ok || m.Op != semiring.Guard || len(m.Args) != 2 {
		return nil
	}
	lit, isLit := m.Args[0].(*einsum.Literal)
	n, isAccess := m.Args[1].(*einsum.Access)
	if !isLit || !isAccess || lit.Elem != semiring.I64 || lit.I != semiring.FromInt64(1) {
		return nil
	}
	return n
}

// intSum is the sum of products of 64-bit leaves, or with count the number of
// entries where the factor is not zero: a number of rows is zero where a condition
// held for none of a group's.
type intSum struct {
	acc     *valueAcc[int64]
	factors []int
	count   bool
}

func (b *binder) intSum(acc *valueAcc[int64], x einsum.Expr) chunkSum {
	s := &intSum{acc: acc}
	if n := countedBy(x); n != nil {
		s.count, x = true, n
	}
	var ok bool
	if s.factors, ok = b.chunkFactors(x, semiring.I64); !ok {
		return nil
	}
	return s
}

func (s *intSum) addUp(e *env, c *outChunk, slot int32) {
	sum, ok := s.over(c)
	if ok {
		s.acc.vals[slot], ok = addI64(s.acc.vals[slot], sum)
	}
	if !ok {
		e.over[s.acc.leaf] = true
	}
}

// over is the leaf's sum over a chunk and whether it fits 64 bits.
func (s *intSum) over(c *outChunk) (int64, bool) {
	a := c.leaves[s.factors[0]].I64[:c.n]
	if s.count {
		return nonZeros(a), true
	}
	bound := largest(a)
	if len(s.factors) == 1 {
		return sum(a), fits(bound, 1, c.n)
	}
	if s.factors[1] == s.factors[0] {
		return dot(a, a), fits(bound, bound, c.n)
	}
	b := c.leaves[s.factors[1]].I64[:c.n]
	return dot(a, b), fits(bound, largest(b), c.n)
}

// floatSum is the sum of products of float leaves, added in the order of the
// entries: to the last bit what adding them one by one gives.
type floatSum struct {
	acc     *valueAcc[float64]
	factors []int
}

func (b *binder) floatSum(acc *valueAcc[float64], x einsum.Expr) chunkSum {
	if factors, ok := b.chunkFactors(x, semiring.F64); ok {
		return &floatSum{acc: acc, factors: factors}
	}
	return nil
}

func (s *floatSum) addUp(_ *env, c *outChunk, slot int32) {
	total := s.acc.vals[slot]
	a := c.leaves[s.factors[0]].F64[:c.n]
	if len(s.factors) == 1 {
		for _, v := range a {
			total += v
		}
	} else {
		b := c.leaves[s.factors[1]].F64[:len(a)]
		for i, v := range a {
			total += float64(v * b[i])
		}
	}
	s.acc.vals[slot] = total
}

// fits reports whether n products of values up to a and b stay below 2^63.
func fits(a, b uint64, n int) bool {
	hi, lo := bits.Mul64(a, b)
	if hi != 0 {
		return false
	}
	hi, lo = bits.Mul64(lo, uint64(n))
	return hi == 0 && lo <= math.MaxInt64
}

// largest is the greatest magnitude.
func largest(v []int64) uint64 {
	var lo, hi int64
	for _, x := range v {
		lo, hi = min(lo, x), max(hi, x)
	}
	return max(uint64(hi), -uint64(lo))
}

// nonZeros is how many values are not zero.
func nonZeros(v []int64) (n int64) {
	for _, x := range v {
		n += int64(uint64(x|-x) >> 63)
	}
	return n
}

func sum(v []int64) (s int64) {
	for _, x := range v {
		s += x
	}
	return s
}

func dot(a, b []int64) (s int64) {
	b = b[:len(a)]
	for i, x := range a {
		s += x * b[i]
	}
	return s
}
