package exec

import (
	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/fibers"
	"github.com/trireme-db/trireme/fibers/kernel"
)

// batchLeaf binds leaf l of the query for rows; nil where it has no such form.
func (b *binder) batchLeaf(r *rowBatch, l int, leaf fastLeaf) batchLeaf {
	var out batchLeaf
	switch leaf := leaf.(type) {
	case fastPresence:
		return leaf
	case *fastConst:
		return leaf
	case *fastSum[int64]:
		out = bindSumBatch(b, r, leaf)
	case *fastSum[float64]:
		out = bindSumBatch(b, r, leaf)
	case *fastExtreme[int64]:
		out = bindSameBatch(b, r, l, leaf.acc)
	case *fastExtreme[float64]:
		out = bindSameBatch(b, r, l, leaf.acc)
	case *fastColumn[int64]:
		out = bindSameBatch(b, r, l, leaf.acc)
	case *fastColumn[float64]:
		out = bindSameBatch(b, r, l, leaf.acc)
	}
	return out
}

func (fastPresence) compute(*env, *rowBatch)            {}
func (fastPresence) appendRange(*fibers.Leaf, int, int) {}

func (*fastConst) compute(*env, *rowBatch) {}

func (c *fastConst) appendRange(dst *fibers.Leaf, from, to int) {
	for range to - from {
		dst.I64 = append(dst.I64, c.value)
	}
}

// sumBatch is a sum of products for rows. Each product is a coefficient, which is
// constant in a row, times a reduction of slices.
type sumBatch[T any] struct {
	*fastSum[T]
	parts    []batchProduct[T]
	mul, add kernel.Column[T]
	totals   []T
	part     []T
	product  []T // of a row's slices, where a product has three or more
}

type batchProduct[T any] struct {
	coef   column[T] // nil: 1
	slices []kernel.Slices[T]
}

func bindSumBatch[T any](b *binder, r *rowBatch, s *fastSum[T]) batchLeaf {
	c := columnsOf(b, s.arith, s.lanework(), s.acc.leaf, semiring.Add, new(bool))
	out := &sumBatch[T]{
		fastSum: s, mul: c.binaryColumn(semiring.Mul), add: c.binaryColumn(semiring.Add),
		totals: make([]T, r.limit), part: make([]T, r.limit),
	}
	for _, p := range s.products {
		var q batchProduct[T]
		for i := range p.factors {
			fa := &p.factors[i]
			if fa.leaf != nil {
				return nil
			}
			q.slices = append(q.slices, slicesOf(r, r.inner.terms[fa.term], fa.vals))
		}
		if !p.plain {
			q.coef = c.column(p.coefficient())
		}
		if len(q.slices) > 2 && out.product == nil {
			out.product = make([]T, r.width)
		}
		out.parts = append(out.parts, q)
	}
	return out
}

// coefficient is the part of a product that is constant in the innermost loop.
func (m *monomial) coefficient() einsum.Expr {
	var x einsum.Expr = einsum.Int(1)
	if len(m.outer) > 0 {
		x = &einsum.Map{Op: semiring.Mul, Args: m.outer}
	}
	if m.negative {
		x = &einsum.Map{Op: semiring.Neg, Args: []einsum.Expr{x}}
	}
	return x
}

func (s *sumBatch[T]) compute(e *env, r *rowBatch) {
	totals, all := s.totals[:r.lanes.n], true
	plain := s.parts[0].coef == nil // sums from 0 on are never -0, products may be
	if !plain {
		kernel.FillColumn(totals, s.arith.zero)
	}
	for n := range s.parts {
		p := &s.parts[n]
		if n == 0 && plain {
			all = s.reduceSlices(r, p, totals)
			continue
		}
		part := s.part[:len(totals)]
		all = s.reduceSlices(r, p, part) && all
		if p.coef != nil {
			all = s.mul(part, p.coef(e, r.lanes), part) && all
		}
		all = s.add(totals, totals, part) && all
	}
	if !all {
		e.over[s.acc.leaf] = true
	}
}

// reduceSlices reduces a product's slices, without the coefficient.
func (s *sumBatch[T]) reduceSlices(r *rowBatch, p *batchProduct[T], out []T) bool {
	all := true
	for run := range r.runs {
		all = s.reduceRun(run, p.slices, out[run.from:run.to]) && all
	}
	return all
}

// reduceRun is reduceSlices for rows of one width.
func (s *sumBatch[T]) reduceRun(run rowRun, slices []kernel.Slices[T], out []T) bool {
	all := true
	switch len(slices) {
	case 0:
		kernel.FillColumn(out, s.count(int64(run.width)))
	case 1:
		for i := range out {
			v, ok := s.sum(slices[0].Row(run.from+i, run.width), nil, run.width)
			out[i], all = v, all && ok
		}
	case 2:
		a, b := slices[0].From(run.from), slices[1].From(run.from)
		all = s.dotRows(&a, &b, run.width, out)
	default:
		for i := range out {
			v, ok := s.reduceRow(slices, run.from+i, run.width)
			out[i], all = v, all && ok
		}
	}
	return all
}

// reduceRow reduces one row of a product of three or more slices: all but the last
// are multiplied first, as a run of the innermost loop does it.
func (s *sumBatch[T]) reduceRow(slices []kernel.Slices[T], i, width int) (T, bool) {
	all, last := true, len(slices)-1
	product := slices[0].Row(i, width)
	for k := range slices[1:last] {
		all = s.mulInto(s.product, product, nil, slices[k+1].Row(i, width), nil, width) && all
		product = s.product
	}
	v, ok := s.dot(product, nil, slices[last].Row(i, width), nil, width)
	return v, all && ok
}

func (s *sumBatch[T]) appendRange(dst *fibers.Leaf, from, to int) {
	vals := s.acc.values(dst)
	*vals = append(*vals, s.totals[from:to]...)
}

// sameBatch is a minimum, maximum or "or" of what is the same in all cells of a row.
type sameBatch[T any] struct {
	*valueColumn[T]
	totals []T
}

func bindSameBatch[T any](b *binder, r *rowBatch, l int, acc *valueAcc[T]) batchLeaf {
	body := b.query.Leaves[l].Expr
	agg, ok := body.(*einsum.Agg)
	if !ok || !agg.Op.Info().Idempotent || !b.vectorable(agg.Arg) || b.varies(r.inner.loop, agg.Arg) {
		return nil
	}
	leaf, ok := b.columnLeaf(l, acc).(*valueColumn[T])
	if !ok {
		return nil
	}
	return &sameBatch[T]{valueColumn: leaf, totals: make([]T, r.limit)}
}

// varies reports whether an expression's value may differ between the coordinates
// of a loop.
func (b *binder) varies(l *loop, x einsum.Expr) bool {
	switch x := x.(type) {
	case *einsum.Access:
		op := b.operandOf(x)
		return l.termIndex(op) >= 0 && b.operands[op].leaf(x.Leaf).Elem != semiring.Pattern
	case *einsum.Map:
		for _, arg := range x.Args {
			if b.varies(l, arg) {
				return true
			}
		}
	}
	return false
}

func (s *sameBatch[T]) compute(e *env, r *rowBatch) {
	if s.evaluate(e, r.lanes); s.faulty() {
		s.explain(e, r.lanes)
		return
	}
	copy(s.totals, s.vals)
	for i, skipped := range s.skip {
		if skipped {
			s.totals[i] = s.acc.identity
		}
	}
	if s.op == semiring.Or { // of values that are not 0 or 1
		for i, v := range s.totals[:len(s.vals)] {
			s.totals[i], _ = s.acc.combine(s.acc.identity, v)
		}
	}
}

func (s *sameBatch[T]) appendRange(dst *fibers.Leaf, from, to int) {
	vals := s.acc.arith.values(dst)
	*vals = append(*vals, s.totals[from:to]...)
}
