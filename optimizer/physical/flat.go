package physical

import (
	"math/bits"
	"slices"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/optimizer/logical"
)

const (
	// flatPlaces is the number of places up to which a result is made flat: an array.
	flatPlaces = 1 << 20
	// flatSpread is how many places there may be for a pair of entries, and keys for an
	// entry: places cost about as much as pairs, whether they are in the result or not.
	flatSpread = 16
	// flatWork is so few pairs that a step takes longer to begin.
	flatWork = 1 << 12
)

// flat reports whether a step of a plan of many is made flat. Those have small modes
// and many of them, in loops over which a step spends its time on beginning loops, and
// their planner its time on the loops' order.
func (b *builder) flat(d *draft) bool {
	if !b.sparing || b.opt.Any != nil || !isProduct(d.step.Query, d.body) {
		return false
	}
	elems := b.cat.Elems(d.step.Query)
	if elems[0] != semiring.Pattern || elems[1] != semiring.F64 {
		return false
	}
	places, keys, entries := 1.0, 1.0, 0.0
	shared := d.body.All()
	for _, op := range d.body.Operands {
		shared &= op.Set
		entries = max(entries, b.cat.Tensor(op.Tensor).Stats.NNZ)
	}
	for i, x := range d.body.Indices {
		if bit := uint64(1) << i; d.body.Free&bit != 0 {
			places *= b.cat.Dim(x)
		}
		if shared&(1<<i) != 0 && len(d.body.Operands) > 1 {
			keys *= b.cat.Dim(x)
		}
	}
	return places <= min(flatPlaces, flatSpread*max(d.step.BodyNNZ, flatWork)) && keys <= flatSpread*entries
}

// isProduct reports a query that says where one or two tensors have entries, and sums
// the products of their values:
//
//	R(..) = n: or(..) and(A.n(..), B.n(..)) | v: sum(..) A.v(..) * B.v(..)
func isProduct(q *einsum.Query, b *logical.Body) bool {
	if len(q.Leaves) != 2 || len(b.Masks) > 0 || len(b.Operands) > 2 {
		return false
	}
	for _, op := range b.Operands {
		if bits.OnesCount64(op.Set) != indexCount(op.Args) {
			return false
		}
	}
	return isReduction(q.Leaves[0].Expr, semiring.Or, semiring.And, b) && isReduction(q.Leaves[1].Expr, semiring.Add, semiring.Mul, b)
}

// isReduction reports an aggregate of the product of one leaf of each operand.
func isReduction(e einsum.Expr, sum, product semiring.Op, b *logical.Body) bool {
	if agg, ok := e.(*einsum.Agg); ok {
		if agg.Op != sum {
			return false
		}
		e = agg.Arg
	}
	factors := []einsum.Expr{e}
	if m, ok := e.(*einsum.Map); ok {
		if m.Op != product {
			return false
		}
		factors = m.Args
	}
	var read uint64
	for _, f := range factors {
		a, ok := f.(*einsum.Access)
		if !ok {
			return false
		}
		i := slices.IndexFunc(b.Operands, func(op logical.Operand) bool {
			return op.Tensor == a.Tensor && slices.EqualFunc(op.Args, a.Args, einsum.Arg.Equal)
		})
		read |= 1 << i
	}
	return len(factors) == len(b.Operands) && bits.OnesCount64(read) == len(factors)
}

// concordant is a loop order that reads operands in the layouts that they have as far as
// it can, with no regard to what loops cost: a flat step has none.
func (p *orderProblem) concordant() *state {
	at := &state{}
	for at.set != p.all {
		best, least := -1, 0.0
		for c := p.all &^ at.set; c != 0; c &= c - 1 {
			v := bits.TrailingZeros64(c)
			cost := 0.0
			for i := range p.fixed {
				if f := &p.fixed[i]; at.moved&f.group == 0 && f.against(at.set, v) {
					cost += f.cost
				}
			}
			if best < 0 || cost < least {
				best, least = v, cost
			}
		}
		at = p.extend(at, best)
	}
	return at
}
