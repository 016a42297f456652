package exec

import (
	"context"
	"fmt"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/fibers"
	"github.com/trireme-db/trireme/fibers/kernel"
)

// hoistFrom is how often a nest must visit an entry of an operand on average before
// what it computes of the entry alone is computed once beforehand. That is a pass
// over the entries, and a sum of products can take its place in the nest.
const hoistFrom = 4

// hoist takes expressions of one operand's values out of the nest, such as the relu
// of a layer's units that each unit of the next layer reads: their values become a
// leaf of the operand. The operand has an entry at every cell; at positions without
// one the leaf holds what nobody reads. An expression that has no value somewhere
// stays where it is: the nest may never come there.
func (b *binder) hoist(ctx context.Context) error {
	q, changed := *b.query, false
	q.Leaves = append([]einsum.Leaf(nil), q.Leaves...)
	for n := range q.Leaves {
		agg, ok := q.Leaves[n].Expr.(*einsum.Agg)
		if !ok {
			continue
		}
		h := &hoister{binder: b, ctx: ctx, leaf: n, agg: agg.Op}
		body := h.factors(agg.Arg)
		if h.err != nil {
			return h.err
		}
		if body != agg.Arg {
			q.Leaves[n].Expr, changed = &einsum.Agg{Op: agg.Op, Idxs: agg.Idxs, Arg: body}, true
		}
	}
	if changed {
		b.query = &q
	}
	return nil
}

// hoister rewrites one leaf of a query.
type hoister struct {
	*binder
	ctx  context.Context
	leaf int
	agg  semiring.Op
	err  error
}

// factors replaces what can be hoisted of a sum of products.
func (h *hoister) factors(x einsum.Expr) einsum.Expr {
	m, ok := x.(*einsum.Map)
	if !ok || h.err != nil {
		return x
	}
	args := m.Args
	switch m.Op {
	case semiring.Mul, semiring.Add, semiring.Plus, semiring.Sub, semiring.Neg:
	case semiring.Guard: // its conditions say where the value counts
		args = args[:1]
	default:
		return h.mapped(m)
	}
	var out []einsum.Expr
	for i, arg := range args {
		if by := h.factors(arg); by != arg {
			if out == nil {
				out = append(out, m.Args...)
			}
			out[i] = by
		}
	}
	if out == nil {
		return x
	}
	return &einsum.Map{Op: m.Op, Args: out}
}

// mapped makes a leaf of an expression and returns the access to it; the expression
// itself where that does not pay, or cannot be done.
func (h *hoister) mapped(x *einsum.Map) einsum.Expr {
	read := h.operandsIn(x)
	if len(read) != 1 || !h.required.has(read[0]) || h.elemOf(x) != semiring.F64 || !h.vectorable(x) || h.maySkip(x) {
		return x
	}
	o, access := h.operands[read[0]], einsum.Accesses(x)[0]
	name := fmt.Sprintf("%s %s", einsum.ExprString(x), h.agg)
	if o.mapped[name] == nil {
		positions := valuesOf(o.leaf(access.Leaf))
		if positions == 0 || positions > 2*o.tensor.NNZ || h.step.BodyNNZ < hoistFrom*float64(positions) || !h.meter.hold(8*int64(positions)) {
			return x
		}
		leaf := fibers.NewLeaf(name, semiring.F64, positions)
		if !h.evaluate(x, read[0], leaf.F64) {
			h.meter.hold(-8 * int64(positions))
			return x
		}
		if o.mapped == nil {
			o.mapped = map[string]*fibers.Tensor{}
		}
		t := &fibers.Tensor{Leaves: []fibers.Leaf{leaf}}
		t.KeepExponents()
		o.mapped[name] = t
		h.hoisted += 8 * int64(positions)
	}
	return &einsum.Access{Tensor: access.Tensor, Leaf: name, Args: access.Args}
}

// valuesOf is the number of positions that a leaf has values for.
func valuesOf(l *fibers.Leaf) int { return max(len(l.F64), len(l.I64), len(l.I128)) }

// evaluate writes an expression's value at every position of an operand to dst. It
// reports whether there is one everywhere.
func (h *hoister) evaluate(x einsum.Expr, op int, dst []float64) bool {
	fault := false
	value := columnsOf(h.binder, arithF64(), laneworkF64(), h.leaf, h.agg, &fault).column(x)
	e, l := &env{ctx: h.ctx, over: make([]bool, len(h.query.Leaves)+1)}, newLanes(len(h.operands))
	for from := 0; from < len(dst); from += kernel.BatchMax {
		if from%gasUnits < kernel.BatchMax && h.ctx.Err() != nil {
			h.err = h.ctx.Err()
			return false
		}
		n := min(kernel.BatchMax, len(dst)-from)
		l.begin(n)
		l.at[op] = place{source: source{off: int32(from)}}
		copy(dst[from:], value(e, l))
		if fault || l.skipped || e.err != nil {
			return false
		}
	}
	for _, over := range e.over {
		if over {
			return false
		}
	}
	return true
}

// forgetHoisted gives back the mapped leaves' memory.
func (b *binder) forgetHoisted() {
	b.meter.hold(-b.hoisted)
	b.hoisted = 0
}
