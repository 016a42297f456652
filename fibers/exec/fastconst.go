package exec

import (
	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/einsum/semiring"
)

// fastConst is a leaf with one value wherever there is an entry, such as
// max guard(1, n..) over row counts, which are never zero: what a query of
// groups is read through when each group is one row.
type fastConst struct {
	acc   *valueAcc[int64]
	value int64
}

// constantLeaf binds a minimum or maximum of one value under row counts, or
// returns nil. Other conditions may be zero, and then no entry has the value.
func (b *binder) constantLeaf(n int, acc accumulator) fastLeaf {
	agg, ok := b.query.Leaves[n].Expr.(*einsum.Agg)
	if !ok {
		return nil
	}
	if agg.Op == semiring.Or {
		return b.certainLeaf(agg.Arg, acc)
	}
	if agg.Op != semiring.Min && agg.Op != semiring.Max {
		return nil
	}
	guard, ok := agg.Arg.(*einsum.Map)
	if !ok || guard.Op != semiring.Guard {
		return nil
	}
	for _, c := range guard.Args[1:] {
		if !b.nonZero(c) {
			return nil
		}
	}
	sums, ok := acc.(*valueAcc[int64])
	if !ok {
		return nil
	}
	value, ok := b.oneValue(guard.Args[0])
	if !ok {
		return nil
	}
	return &fastConst{acc: sums, value: value}
}

// oneValue is the value that an expression has in every cell: a literal's, or that of
// a column whose values are all the same, such as the level of the vertices that a
// breadth-first search found last. O(entries), less where two values differ.
func (b *binder) oneValue(x einsum.Expr) (value int64, ok bool) {
	switch x := x.(type) {
	case *einsum.Literal:
		value, ok = x.I.Int64()
		return value, ok && x.Elem == semiring.I64
	case *einsum.Access:
		op := b.operandOf(x)
		leaf := b.operands[op].leaf(x.Leaf)
		if !b.required.has(op) || leaf.Elem != semiring.I64 {
			return 0, false
		}
		return sameValue(leaf.I64, b.operands[op].present())
	}
	return 0, false
}

// sameValue is the value of all entries of a column; ok is false where they differ
// or there is none.
func sameValue(vals []int64, present []uint8) (value int64, ok bool) {
	for p, v := range vals {
		switch {
		case present != nil && present[p] == 0:
		case !ok:
			value, ok = v, true
		case v != value:
			return 0, false
		}
	}
	return value, ok
}

// certainLeaf binds an "or" of what is never zero.
func (b *binder) certainLeaf(x einsum.Expr, acc accumulator) fastLeaf {
	conds := []einsum.Expr{x}
	if m, ok := x.(*einsum.Map); ok && m.Op == semiring.And {
		conds = m.Args
	}
	for _, c := range conds {
		if !b.nonZero(c) {
			return nil
		}
	}
	if ones, ok := acc.(*valueAcc[int64]); ok {
		return &fastConst{acc: ones, value: 1}
	}
	return nil
}

func (*fastConst) reset()                 {}
func (*fastConst) reduce(*env, *fastLoop) {}
func (*fastConst) depth() int             { return -1 }
func (*fastConst) factors() int           { return 0 }

func (c *fastConst) scatter(_ *env, f *fastLoop) {
	for _, slot := range f.slots {
		c.acc.vals[slot] = c.value
	}
}

func (c *fastConst) finish(_ *env, _ *fastLoop, slot int32) { c.acc.vals[slot] = c.value }
