package exec

import (
	"slices"

	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/fibers"
	"github.com/trireme-db/trireme/fibers/kernel"
)

// rowTotals holds a leaf's totals, one per row of the segment.
type rowTotals[T any] struct {
	acc    *valueAcc[T]
	totals []T
}

func newRowTotals[T any](acc *valueAcc[T]) rowTotals[T] {
	return rowTotals[T]{acc: acc, totals: make([]T, kernel.BatchMax)}
}

func (r *rowTotals[T]) appendRows(dst *fibers.Leaf, rows []int32) {
	vals := r.acc.values(dst)
	*vals = appendAt(*vals, r.totals, rows)
}

// appendAt appends src[i] for every i in rows, which ascend; where they follow one
// another, which most do, as one copy.
func appendAt[T any](dst, src []T, rows []int32) []T {
	if n := len(rows); n > 0 && int(rows[n-1]-rows[0]) == n-1 {
		return append(dst, src[rows[0]:rows[0]+int32(n)]...)
	}
	for _, i := range rows {
		dst = append(dst, src[i])
	}
	return dst
}

func (r *rowTotals[T]) addRows(e *env, rows []int32, slot int32) {
	v, all := r.acc.vals[slot], true
	for _, i := range rows {
		var ok bool
		v, ok = r.acc.combine(v, r.totals[i])
		all = all && ok
	}
	r.acc.vals[slot] = v
	if !all {
		e.over[r.acc.leaf] = true
	}
}

// rowFactors are one or two factors as a row kernel takes them.
type rowFactors[T any] struct {
	shape kernel.RowShape
	vals  [2][]T
	terms [2]*term // whose arrays begin at their fiber's base; nil: at 0
}

// rowFactors tells the leader's values from arrays by coordinate; ok false when
// there are too many factors or the leader's occur twice.
func rowFactorsOf[T any](r *rowLoop, factors []fastFactor[T]) (out rowFactors[T], ok bool) {
	if len(factors) == 0 || len(factors) > 2 || r.lead == nil {
		return out, false
	}
	n, leads := 0, 0
	for _, fa := range factors {
		if r.inner.terms[fa.term] == r.lead {
			out.vals[0], leads = fa.vals, leads+1
			n = 1
		}
	}
	for _, fa := range factors {
		t := r.inner.terms[fa.term]
		if fa.leaf != nil || t != r.lead && r.above(t) >= 0 {
			return out, false
		}
		if t != r.lead {
			out.vals[n%2], out.terms[n%2] = fa.vals, t
			n++
		}
	}
	switch {
	case leads > 1:
		return out, false
	case len(factors) == 1 && leads == 1:
		out.shape = kernel.ShapeLead
	case len(factors) == 1:
		out.shape = kernel.ShapeGather
	case leads == 1:
		out.shape = kernel.ShapeLeadGather
	default:
		out.shape = kernel.ShapeGatherGather
	}
	return out, true
}

// arrays returns the factors at the terms' current fibers.
func (f *rowFactors[T]) arrays() (a, b []T) {
	at := [2][]T{f.vals[0], f.vals[1]}
	for i, t := range f.terms {
		if t != nil {
			at[i] = at[i][t.base:]
		}
	}
	return at[0], at[1]
}

// rowProduct is a product of a sum in its form for rows.
type rowProduct[T any] struct {
	*fastProduct[T]
	rowFactors[T]
	kernel kernel.RowKernel[T]
	plain  bool // the coefficient is 1
	perRow bool // the coefficient moves with the row
	above  int  // then: the outer loop's term whose positions index its values, -1: none does
}

// sumRows is a fastSum in its form for rows.
type sumRows[T any] struct {
	rowTotals[T]
	products []rowProduct[T]
	part     []T // of one product
	// Of slices that are scattered: the coefficients, and where the rows are.
	coef []T
	at   []int32
}

func (s *fastSum[T]) bindRows(r *rowLoop) bool {
	rows := &sumRows[T]{rowTotals: newRowTotals(s.acc), part: make([]T, kernel.BatchMax)}
	for _, p := range s.products {
		row := rowProduct[T]{fastProduct: p, plain: p.plain, perRow: p.depth == r.d, above: -1}
		if p.values != nil {
			row.above = slices.IndexFunc(r.terms, func(t *term) bool { return t.slot == p.slot })
		}
		if len(p.factors) > 0 && r.lead != nil {
			var ok bool
			if row.rowFactors, ok = rowFactorsOf(r, p.factors); !ok {
				return false
			}
			if r.mode == rowScatter && len(p.factors) > 1 {
				return false
			}
			row.kernel = s.rowKernel(kernel.RowSum, row.shape)
		}
		if r.lead == nil && len(p.factors) > 2 || r.slices() && len(p.factors) > 1 {
			return false
		}
		for _, fa := range p.factors {
			if fa.leaf != nil {
				return false
			}
		}
		rows.products = append(rows.products, row)
	}
	if r.slices() {
		rows.coef, rows.at = make([]T, kernel.BatchMax), make([]int32, kernel.BatchMax)
	}
	s.rows = rows
	return true
}

func (s *fastSum[T]) begin() {
	for i := range s.rows.products {
		s.rows.products[i].known = false
	}
}

func (s *fastSum[T]) appendRows(dst *fibers.Leaf, rows []int32) { s.rows.appendRows(dst, rows) }

func (s *fastSum[T]) addRows(e *env, rows []int32, slot int32) {
	if add := s.numeric.addRows; add != nil {
		s.acc.vals[slot] = add(s.acc.vals[slot], s.rows.totals, rows)
		return
	}
	s.rows.addRows(e, rows, slot)
}

func (s *fastSum[T]) reduceRows(e *env, r *rowLoop) {
	totals, all := s.rows.totals[:len(r.ks)], true
	for n := range s.rows.products {
		p := &s.rows.products[n]
		part := totals
		if n > 0 {
			part = s.rows.part[:len(r.ks)]
		}
		switch {
		case len(p.factors) == 0:
			for i, c := range r.found {
				part[i] = s.count(int64(c))
			}
		case r.lead == nil:
			all = s.slices(r, p.fastProduct, part) && all
		default:
			a, b := p.arrays()
			all = p.kernel(&r.rows, a, b, part) && all
		}
		all = s.scale(e, r, p, part) && all
		if n > 0 {
			for i, v := range part {
				var ok bool
				totals[i], ok = s.arith.add(totals[i], v)
				all = all && ok
			}
		}
	}
	if !all {
		e.over[s.acc.leaf] = true
	}
}

// scale multiplies the rows' totals by the product's coefficients.
func (s *fastSum[T]) scale(e *env, r *rowLoop, p *rowProduct[T], part []T) bool {
	if p.plain {
		return true
	}
	all := true
	var at []int32 // positions of the coefficients
	if p.perRow && p.above >= 0 {
		at = r.place[p.above][r.from:]
		if s.scaleRows != nil {
			s.scaleRows(part, p.values, at)
			return true
		}
	}
	for i, v := range part {
		if r.found[i] == 0 {
			continue
		}
		var c T
		if at != nil {
			c = p.values[at[i]]
		} else {
			c = s.coefficient(e, r, p, i)
		}
		w, ok := s.arith.mul(c, v)
		part[i], _ = s.arith.add(s.arith.zero, w) // a sum is never -0
		all = all && ok
	}
	return all
}

// coefficient is a product's coefficient for a row of the segment.
func (s *fastSum[T]) coefficient(e *env, r *rowLoop, p *rowProduct[T], row int) T {
	switch {
	case p.perRow:
		r.bind(e, r.from+row)
		return p.coef(e)
	case !p.known:
		p.c, p.known = p.coef(e), true
	}
	return p.c
}

// slices reduces rows all of whose operands are arrays.
func (s *fastSum[T]) slices(r *rowLoop, p *fastProduct[T], part []T) bool {
	n, all := int(r.width), true
	for i := range part {
		a := s.slice(r, &p.factors[0], i)
		var ok bool
		if len(p.factors) == 1 {
			part[i], ok = s.sum(a, nil, n)
		} else {
			part[i], ok = s.dot(a, nil, s.slice(r, &p.factors[1], i), nil, n)
		}
		all = all && ok
	}
	return all
}

// slice is an array operand's part for a row of the segment.
func (s *fastSum[T]) slice(r *rowLoop, fa *fastFactor[T], row int) []T {
	t := r.inner.terms[fa.term]
	base := t.base
	if above := r.above(t); above >= 0 {
		base = r.place[above][r.from+row] * t.dim
	}
	return fa.vals[base:]
}

func (s *fastSum[T]) scatterRows(e *env, r *rowLoop) {
	if r.slices() {
		s.scatterSlices(e, r)
		return
	}
	all := true
	for n := range s.rows.products {
		p := &s.rows.products[n]
		a, _ := p.arrays()
		for i, pos := range r.rows.Pos {
			lo, hi := r.rows.Ptr[pos], r.rows.Ptr[pos+1]
			ks := r.rows.Idx[lo:hi]
			var vals []T
			var ix []int32
			switch {
			case len(p.factors) == 0:
			case p.shape == kernel.ShapeLead:
				vals = a[lo:hi]
			default:
				vals, ix = a, ks
			}
			c := s.arith.one
			if !p.plain {
				c = s.coefficient(e, r, p, i)
			}
			all = s.numeric.scatter(s.acc.vals, ks, c, vals, ix) && all
		}
	}
	if !all {
		e.over[s.acc.leaf] = true
	}
}

// scatterSlices adds the segment's rows, slices of arrays, to the slots.
func (s *fastSum[T]) scatterSlices(e *env, r *rowLoop) {
	all := true
	for n := range s.rows.products {
		p := &s.rows.products[n]
		coef := s.coefficients(e, r, p)
		if len(p.factors) == 1 && s.addSlices != nil {
			s.addSlices(s.acc.vals[:r.width], s.slicesOf(r, &p.factors[0]), coef)
			continue
		}
		for i, c := range coef {
			var vals []T
			if len(p.factors) == 1 {
				vals = s.slice(r, &p.factors[0], i)
			}
			all = s.numeric.scatter(s.acc.vals, r.across, c, vals, nil) && all
		}
	}
	if !all {
		e.over[s.acc.leaf] = true
	}
}

// coefficients are a product's coefficients, one per row of the segment.
func (s *fastSum[T]) coefficients(e *env, r *rowLoop, p *rowProduct[T]) []T {
	coef := s.rows.coef[:len(r.ks)]
	switch {
	case p.plain:
		kernel.FillColumn(coef, s.arith.one)
	case p.perRow && p.above >= 0:
		for i, at := range r.place[p.above][r.from:][:len(coef)] {
			coef[i] = p.values[at]
		}
	default:
		for i := range coef {
			coef[i] = s.coefficient(e, r, p, i)
		}
	}
	return coef
}

// slicesOf are an array operand's parts for the rows of the segment.
func (s *fastSum[T]) slicesOf(r *rowLoop, fa *fastFactor[T]) *kernel.Slices[T] {
	t := r.inner.terms[fa.term]
	if above := r.above(t); above >= 0 {
		return &kernel.Slices[T]{Vals: fa.vals, At: r.place[above][r.from:], Stride: int(t.dim)}
	}
	kernel.FillColumn(s.rows.at, t.base)
	return &kernel.Slices[T]{Vals: fa.vals, At: s.rows.at, Stride: 1}
}

// extremeRows is a fastExtreme in its form for rows.
type extremeRows[T any] struct {
	rowTotals[T]
	rowFactors[T]
	kernel kernel.RowKernel[T]
	perRow bool
}

func (s *fastExtreme[T]) bindRows(r *rowLoop) bool {
	rows := &extremeRows[T]{rowTotals: newRowTotals(s.acc), perRow: s.deep == r.d}
	if r.mode == rowScatter {
		return false
	}
	if len(s.vals) > 0 {
		var ok bool
		if rows.rowFactors, ok = rowFactorsOf(r, s.vals); !ok {
			return false
		}
		op := kernel.RowMin
		if s.max {
			op = kernel.RowMax
		}
		rows.kernel = s.rowKernel(op, rows.shape)
	}
	s.rows = rows
	return true
}

func (s *fastExtreme[T]) begin() { s.known = false }

func (s *fastExtreme[T]) appendRows(dst *fibers.Leaf, rows []int32) { s.rows.appendRows(dst, rows) }

func (s *fastExtreme[T]) addRows(e *env, rows []int32, slot int32) { s.rows.addRows(e, rows, slot) }

func (s *fastExtreme[T]) reduceRows(e *env, r *rowLoop) {
	totals := s.rows.totals[:len(r.ks)]
	if s.rows.kernel != nil {
		a, b := s.rows.arrays()
		if !s.rows.kernel(&r.rows, a, b, totals) {
			e.over[s.acc.leaf] = true
		}
		if s.bare {
			return
		}
	}
	for i := range totals {
		if r.found[i] == 0 {
			continue
		}
		if s.rows.perRow {
			r.bind(e, r.from+i)
			s.known = false
		}
		totals[i] = s.outside(e, totals[i])
	}
}

// outside is the extreme of a row with the outer values and conditions.
func (s *fastExtreme[T]) outside(e *env, inner T) T {
	if !s.known {
		s.masked, s.known = s.anyZero(e), true
		if !s.masked {
			s.c = s.outer(e)
		}
	}
	if s.masked {
		return s.acc.identity
	}
	return s.with(e, inner, s.c)
}

func (s *fastExtreme[T]) scatterRows(*env, *rowLoop) {}

func (c *fastConst) bindRows(*rowLoop) bool { return true }

func (*fastConst) begin() {}

func (*fastConst) reduceRows(*env, *rowLoop) {}

func (c *fastConst) scatterRows(_ *env, r *rowLoop) {
	if r.slices() {
		kernel.FillColumn(c.acc.vals[:r.width], c.value)
		return
	}
	for _, p := range r.rows.Pos {
		for _, k := range r.rows.Idx[r.rows.Ptr[p]:r.rows.Ptr[p+1]] {
			c.acc.vals[k] = c.value
		}
	}
}

func (c *fastConst) appendRows(dst *fibers.Leaf, rows []int32) {
	for range rows {
		dst.I64 = append(dst.I64, c.value)
	}
}

func (c *fastConst) addRows(_ *env, _ []int32, slot int32) { c.acc.vals[slot] = c.value }

// fastPresence is a leaf that is 1 wherever there is an entry.
type fastPresence struct{}

// presenceLeaf binds a leaf without values, or returns nil.
func presenceLeaf(acc accumulator) fastLeaf {
	if acc.elem() != semiring.Pattern {
		return nil
	}
	return fastPresence{}
}

func (fastPresence) reset()                           {}
func (fastPresence) reduce(*env, *fastLoop)           {}
func (fastPresence) scatter(*env, *fastLoop)          {}
func (fastPresence) finish(*env, *fastLoop, int32)    {}
func (fastPresence) depth() int                       { return -1 }
func (fastPresence) factors() int                     { return 0 }
func (fastPresence) bindRows(*rowLoop) bool           { return true }
func (fastPresence) begin()                           {}
func (fastPresence) reduceRows(*env, *rowLoop)        {}
func (fastPresence) scatterRows(*env, *rowLoop)       {}
func (fastPresence) appendRows(*fibers.Leaf, []int32) {}
func (fastPresence) addRows(*env, []int32, int32)     {}
