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

// constantLeaf binds a minimum or maximum of a literal under row counts, or
// returns nil. Other conditions may be zero, and then no entry has the literal.
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
	literal, ok := guard.Args[0].(*einsum.Literal)
	if !ok {
		return nil
	}
	for _, c := range guard.Args[1:] {
		if !b.nonZero(c) {
			return nil
		}
	}
	value, fits := literal.I.Int64()
	sums, ok := acc.(*valueAcc[int64])
	if !ok || !fits || literal.Elem != semiring.I64 {
		return nil
	}
	return &fastConst{acc: sums, value: value}
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
	for _, k := range f.sel.Ks {
		c.acc.vals[k] = c.value
	}
}

func (c *fastConst) finish(_ *env, _ *fastLoop, slot int32) { c.acc.vals[slot] = c.value }
