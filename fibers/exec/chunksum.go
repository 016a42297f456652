package exec

import (
	"math"
	"math/bits"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/einsum/semiring"
)

// chunkSum adds up one leaf of a fused scalar step over a chunk, column by
// column: the sum of products of 64-bit leaves, or with count the number of
// entries, all of whose row counts are positive.
type chunkSum struct {
	acc     *valueAcc[int64]
	factors []int // leaves of the chunk
	count   bool
}

// chunkSums returns the columnwise form of all leaves, or nil when one has none.
func (b *binder) chunkSums(accs []accumulator) []*chunkSum {
	out := make([]*chunkSum, len(accs))
	for l := range accs {
		acc, ok := accs[l].(*valueAcc[int64])
		agg, isAgg := b.query.Leaves[l].Expr.(*einsum.Agg)
		if !ok || !isAgg || agg.Op != semiring.Add {
			return nil
		}
		if out[l] = b.chunkSum(agg.Arg); out[l] == nil {
			return nil
		}
		out[l].acc = acc
	}
	return out
}

// chunkSum recognises a product of accesses, and guard(1, n).
func (b *binder) chunkSum(x einsum.Expr) *chunkSum {
	args := []einsum.Expr{x}
	if m, ok := x.(*einsum.Map); ok {
		switch m.Op {
		case semiring.Mul:
			args = m.Args
		case semiring.Guard:
			lit, isLit := m.Args[0].(*einsum.Literal)
			n, isAccess := m.Args[1].(*einsum.Access)
			if isLit && isAccess && len(m.Args) == 2 && lit.Elem == semiring.I64 && lit.I == semiring.FromInt64(1) && n.Leaf == einsum.CountLeaf {
				return &chunkSum{count: true}
			}
			return nil
		default:
			return nil
		}
	}
	s := &chunkSum{}
	for _, arg := range args {
		a, ok := arg.(*einsum.Access)
		if !ok {
			return nil
		}
		t := b.operands[b.operandOf(a)].tensor
		for l := range t.Leaves {
			if t.Leaves[l].Name == a.Leaf && t.Leaves[l].Elem == semiring.I64 {
				s.factors = append(s.factors, l)
			}
		}
	}
	if len(s.factors) != len(args) || len(args) > 2 {
		return nil
	}
	return s
}

// addUp adds a chunk to every leaf's accumulator.
func (f *fusion) addUp(c *outChunk) {
	if !f.open {
		f.begin()
	}
	e := f.nest.env
	slot := f.nest.sink.touch(e)
	for _, s := range f.sums {
		sum, ok := s.over(c)
		if ok {
			s.acc.vals[slot], ok = addI64(s.acc.vals[slot], sum)
		}
		if !ok {
			e.over[s.acc.leaf] = true
		}
	}
}

// over is the leaf's sum over a chunk and whether it fits 64 bits.
func (s *chunkSum) over(c *outChunk) (int64, bool) {
	if s.count {
		return int64(c.n), true
	}
	a := c.leaves[s.factors[0]].I64[:c.n]
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
