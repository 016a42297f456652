package exec

import (
	"slices"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/fibers"
	"github.com/trireme-db/trireme/fibers/kernel"
)

// monomialsMax bounds how far products of sums are multiplied out.
const monomialsMax = 8

// monomial is a product: the expressions that do not depend on the innermost
// index, and the accesses with values that do.
type monomial struct {
	negative bool
	outer    []einsum.Expr
	inner    []*einsum.Access
}

// monomials writes a pointwise expression as a sum of products; false when it
// is no such sum, has too many terms, or arguments that may be absent.
func (b *binder) monomials(f *fastLoop, x einsum.Expr) ([]monomial, bool) {
	switch x := x.(type) {
	case *einsum.Access:
		o := b.operands[b.operandOf(x)]
		if !b.required.has(b.operandOf(x)) {
			return nil, false
		}
		if o.leaf(x.Leaf).Elem == semiring.Pattern { // 1, as it is there
			return []monomial{{}}, true
		}
		if t := f.termOf(b, x); t < 0 || f.terms[t].shared {
			return []monomial{{outer: []einsum.Expr{x}}}, true
		}
		return []monomial{{inner: []*einsum.Access{x}}}, true
	case *einsum.Literal:
		if x.Elem == semiring.I64 && x.I == semiring.FromInt64(1) {
			return []monomial{{}}, true
		}
		return []monomial{{outer: []einsum.Expr{x}}}, true
	case *einsum.Compare:
		return []monomial{{}}, true
	case *einsum.Map:
		if x.Op == semiring.Guard {
			return b.guardMonomials(f, x)
		}
		return b.mapMonomials(f, x)
	default:
		return nil, false
	}
}

// guardMonomials writes guard(x, c..) as x when no condition is ever zero: it
// only says where x counts, and the loops see to that.
func (b *binder) guardMonomials(f *fastLoop, x *einsum.Map) ([]monomial, bool) {
	for _, cond := range x.Args[1:] {
		if !b.nonZero(cond) {
			return nil, false
		}
	}
	if !b.given(x.Args[0]) {
		return nil, false
	}
	return b.monomials(f, x.Args[0])
}

func (b *binder) mapMonomials(f *fastLoop, x *einsum.Map) ([]monomial, bool) {
	var out []monomial
	for n, arg := range x.Args {
		terms, ok := b.monomials(f, arg)
		if !ok || !b.given(arg) {
			return nil, false
		}
		switch {
		case x.Op == semiring.Mul && n > 0:
			out = multiply(out, terms)
		case x.Op == semiring.Mul, x.Op == semiring.Add, x.Op == semiring.Plus, x.Op == semiring.Sub && n == 0:
			out = append(out, terms...)
		case x.Op == semiring.Sub, x.Op == semiring.Neg:
			for _, t := range terms {
				t.negative = !t.negative
				out = append(out, t)
			}
		default:
			return nil, false
		}
		if len(out) > monomialsMax {
			return nil, false
		}
	}
	return out, true
}

func multiply(a, b []monomial) []monomial {
	var out []monomial
	for _, s := range a {
		for _, t := range b {
			out = append(out, monomial{
				negative: s.negative != t.negative,
				outer:    slices.Concat(s.outer, t.outer), inner: slices.Concat(s.inner, t.inner),
			})
		}
	}
	return out
}

// termOf is the term of the innermost loop that an access's position depends
// on, or -1.
func (f *fastLoop) termOf(b *binder, x *einsum.Access) int {
	op := b.operandOf(x)
	return slices.IndexFunc(f.terms, func(t *term) bool { return t.op == op })
}

// depthOf is the innermost loop on which the value of an access that is constant
// in a run of the innermost loop depends: that loop itself, if its fibers are
// stored by runs.
func (f *fastLoop) depthOf(b *binder, x *einsum.Access) int {
	depth := -1
	t := f.termOf(b, x)
	for _, ix := range b.operands[b.operandOf(x)].idx {
		if d := b.loopOf[ix.Name]; d < f.d || t >= 0 && f.terms[t].runs != nil {
			depth = max(depth, d)
		}
	}
	return depth
}

// numeric is what sums of products over T are made of.
type numeric[T any] struct {
	arith   *arith[T]
	sum     func(vals []T, ix []int32, n int) (T, bool)
	dot     func(a []T, ia []int32, b []T, ib []int32, n int) (T, bool)
	mulInto func(dst, a []T, ia []int32, b []T, ib []int32, n int) bool
	scatter func(acc []T, ks []int32, c T, vals []T, ix []int32) bool
	// rowKernel is the loop over many rows, dotRows over pairs of rows of arrays.
	rowKernel func(op kernel.RowOp, shape kernel.RowShape) kernel.RowKernel[T]
	dotRows   func(a, b *kernel.Slices[T], width int, out []T) bool
	// scaleRows multiplies rows' totals by coef[at[i]], addRows adds up those of
	// rows; nil: nothing is faster than arith, which checks each value.
	scaleRows func(totals, coef []T, at []int32)
	addRows   func(sum T, totals []T, rows []int32) T
	// addSlices adds multiples of rows of an array; nil: scatter adds one at a time.
	addSlices func(acc []T, rows *kernel.Slices[T], coef []T)
	lanework  func() *lanework[T]
	count     func(n int64) T
	values    func(l *fibers.Leaf) []T // nil: the leaf needs converting
	convert   func(dst []T, l *fibers.Leaf, ix []int32, off int32, n int)
}

func numericI64() *numeric[int64] {
	return &numeric[int64]{
		arith: arithI64(),
		sum:   kernel.SumI64, dot: kernel.DotI64, mulInto: kernel.MulIntoI64, scatter: kernel.ScatterI64, rowKernel: kernel.RowsI64,
		dotRows: kernel.DotRowsI64, lanework: laneworkI64,
		count:  func(n int64) int64 { return n },
		values: func(l *fibers.Leaf) []int64 { return l.I64 },
	}
}

func numericF64() *numeric[float64] {
	return &numeric[float64]{
		arith: arithF64(),
		sum:   func(v []float64, ix []int32, n int) (float64, bool) { return kernel.SumF64(v, ix, n), true },
		dot: func(a []float64, ia []int32, b []float64, ib []int32, n int) (float64, bool) {
			return kernel.DotF64(a, ia, b, ib, n), true
		},
		mulInto: func(dst, a []float64, ia []int32, b []float64, ib []int32, n int) bool {
			kernel.MulIntoF64(dst, a, ia, b, ib, n)
			return true
		},
		scatter: func(acc []float64, ks []int32, c float64, vals []float64, ix []int32) bool {
			kernel.ScatterF64(acc, ks, c, vals, ix)
			return true
		},
		count:     func(n int64) float64 { return float64(n) },
		rowKernel: kernel.RowsF64, lanework: laneworkF64, scaleRows: kernel.ScaleF64, addRows: kernel.SumAtF64,
		addSlices: kernel.AddRowsF64,
		dotRows: func(a, b *kernel.Slices[float64], width int, out []float64) bool {
			kernel.DotRowsF64(a, b, width, out)
			return true
		},
		values: func(l *fibers.Leaf) []float64 { return l.F64 },
		convert: func(dst []float64, l *fibers.Leaf, ix []int32, off int32, n int) {
			kernel.Floats(dst, l.I64[off:], ix, n)
		},
	}
}

// fastLeaf binds a leaf as a sum of products, a min or a max, or evaluates it column
// by column; nil where that cannot be done either.
func (b *binder) fastLeaf(f *fastLoop, n int, acc accumulator) fastLeaf {
	if p := presenceLeaf(acc); p != nil {
		return p
	}
	if c := b.constantLeaf(n, acc); c != nil {
		return c
	}
	agg, ok := b.query.Leaves[n].Expr.(*einsum.Agg)
	if !ok || len(agg.Idxs) == 0 {
		return nil
	}
	var leaf fastLeaf
	switch agg.Op {
	case semiring.Min, semiring.Max:
		leaf = b.fastExtremeLeaf(f, agg, acc)
	case semiring.Add:
		leaf = b.fastSumLeaf(f, agg, acc)
	}
	if leaf == nil {
		leaf = b.fastColumnLeaf(f, n, acc)
	}
	return leaf
}

// fastSumLeaf binds a sum of products, or returns nil.
func (b *binder) fastSumLeaf(f *fastLoop, agg *einsum.Agg, acc accumulator) fastLeaf {
	terms, ok := b.monomials(f, agg.Arg)
	if !ok {
		return nil
	}
	switch acc := acc.(type) {
	case *valueAcc[int64]:
		return bindSum(b, f, numericI64(), acc, terms)
	case *valueAcc[float64]:
		if !b.distributes(agg.Arg, terms) {
			return nil
		}
		return bindSum(b, f, numericF64(), acc, terms)
	default:
		return nil
	}
}

// fastSum is a leaf bound for a fastLoop.
type fastSum[T any] struct {
	*numeric[T]
	acc      *valueAcc[T]
	products []*fastProduct[T]
	buf, tmp []T
	rows     *sumRows[T] // in a rowLoop
}

type fastProduct[T any] struct {
	monomial
	coef    func(*env) T
	depth   int
	factors []fastFactor[T]
	total   T // Reduce: over the run, without coef
	c       T // Scatter: coef in this run
	known   bool
	plain   bool // coef is 1
	// The coefficient is values[pos[slot]]; values nil: it is not that simple.
	values []T
	slot   int
}

type fastFactor[T any] struct {
	term int
	vals []T
	leaf *fibers.Leaf // when it needs converting
}

func bindSum[T any](b *binder, f *fastLoop, num *numeric[T], acc *valueAcc[T], terms []monomial) fastLeaf {
	s := &fastSum[T]{numeric: num, acc: acc}
	c := &compiler[T]{binder: b, arith: num.arith, leaf: acc.leaf}
	for _, m := range terms {
		p := &fastProduct[T]{monomial: m, coef: c.coefficient(m), depth: -1, plain: len(m.outer) == 0 && !m.negative}
		for _, x := range m.outer {
			if access, ok := x.(*einsum.Access); ok {
				p.depth = max(p.depth, f.depthOf(b, access))
				if o := b.operands[b.operandOf(access)]; len(m.outer) == 1 && !m.negative && o.leaf(access.Leaf).Elem == acc.typ {
					p.values, p.slot = num.values(o.leaf(access.Leaf)), o.last()
				}
			}
		}
		for _, x := range m.inner {
			term := f.termOf(b, x)
			leaf := b.operands[b.operandOf(x)].leaf(x.Leaf)
			factor := fastFactor[T]{term: term, vals: num.values(leaf)}
			if factor.vals == nil && leaf.Elem != acc.typ {
				if num.convert == nil || leaf.Elem != semiring.I64 {
					return nil
				}
				factor.leaf = leaf
			}
			f.valued[term] = true
			p.factors = append(p.factors, factor)
		}
		s.products = append(s.products, p)
	}
	s.buf, s.tmp = make([]T, kernel.BatchMax), make([]T, kernel.BatchMax)
	return s
}

// coefficient compiles the part of a product that is constant in the loop.
func (c *compiler[T]) coefficient(m monomial) func(*env) T {
	value := func(*env) T { return c.one }
	if len(m.outer) > 0 {
		value = c.product(&einsum.Map{Op: semiring.Mul, Args: m.outer})
	}
	if !m.negative {
		return value
	}
	leaf := c.leaf
	return func(e *env) T {
		v, ok := c.sub(c.zero, value(e))
		if !ok {
			e.over[leaf] = true
		}
		return v
	}
}

func (s *fastSum[T]) factors() int {
	n := 0
	for _, p := range s.products {
		n = max(n, len(p.factors))
	}
	return n
}

func (s *fastSum[T]) depth() int {
	d := -1
	for _, p := range s.products {
		d = max(d, p.depth)
	}
	return d
}

func (s *fastSum[T]) reset() {
	for _, p := range s.products {
		p.total, p.known = s.arith.zero, false
	}
}

// operand returns the values of one factor for the current selection.
func (s *fastSum[T]) operand(f *fastLoop, fa *fastFactor[T], buf []T) ([]T, []int32) {
	src := &f.sources[fa.term]
	if fa.leaf != nil {
		s.convert(buf, fa.leaf, src.ix, src.off, len(f.sel.Ks))
		return buf, nil
	}
	return fa.vals[src.off:], src.ix
}

// fold multiplies all but the last two factors (or, with all, every factor) into s.buf.
func (s *fastSum[T]) fold(e *env, f *fastLoop, p *fastProduct[T], upTo int) ([]T, []int32) {
	a, ia := s.operand(f, &p.factors[0], s.buf)
	for i := 1; i < upTo; i++ {
		b, ib := s.operand(f, &p.factors[i], s.tmp)
		if !s.mulInto(s.buf, a, ia, b, ib, len(f.sel.Ks)) {
			e.over[s.acc.leaf] = true
		}
		a, ia = s.buf, nil
	}
	return a, ia
}

func (s *fastSum[T]) reduce(e *env, f *fastLoop) {
	for _, p := range s.products {
		if len(p.factors) == 0 {
			continue // the count serves
		}
		last := len(p.factors) - 1
		a, ia := s.fold(e, f, p, max(last, 1))
		var v T
		var ok, fits bool
		if last == 0 {
			v, ok = s.sum(a, ia, len(f.sel.Ks))
		} else {
			b, ib := s.operand(f, &p.factors[last], s.tmp)
			v, ok = s.dot(a, ia, b, ib, len(f.sel.Ks))
		}
		if p.total, fits = s.arith.add(p.total, v); !ok || !fits {
			e.over[s.acc.leaf] = true
		}
	}
}

func (s *fastSum[T]) finish(e *env, f *fastLoop, slot int32) {
	for _, p := range s.products {
		total := p.total
		if len(p.factors) == 0 {
			total = s.count(f.found)
		}
		v, ok := s.arith.mul(p.coef(e), total)
		var fits bool
		if s.acc.vals[slot], fits = s.arith.add(s.acc.vals[slot], v); !ok || !fits {
			e.over[s.acc.leaf] = true
		}
	}
}

func (s *fastSum[T]) scatter(e *env, f *fastLoop) {
	for _, p := range s.products {
		if !p.known {
			p.c, p.known = p.coef(e), true
		}
		var vals []T
		var ix []int32
		if len(p.factors) > 0 {
			vals, ix = s.fold(e, f, p, len(p.factors))
		}
		if !s.numeric.scatter(s.acc.vals, f.slots, p.c, vals, ix) {
			e.over[s.acc.leaf] = true
		}
	}
}
