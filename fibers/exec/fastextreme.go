package exec

import (
	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/einsum/semiring"
)

// extremeForm is min or max of guard(plus(values..), conditions..): values split by
// whether they depend on the innermost index, conditions that do not.
type extremeForm struct {
	innerVals, outerVals []*einsum.Access
	outerConds           []*einsum.Access
}

// extremeOf reads an expression as an extremeForm, or reports that it is none.
// Conditions are integers: a product of them is zero iff one of them is.
func (b *binder) extremeOf(f *fastLoop, x einsum.Expr) (form extremeForm, ok bool) {
	var conds []einsum.Expr
	if guard, is := x.(*einsum.Map); is && guard.Op == semiring.Guard {
		x, conds = guard.Args[0], guard.Args[1:]
	}
	vals := []einsum.Expr{x}
	if plus, is := x.(*einsum.Map); is && plus.Op == semiring.Plus {
		vals = plus.Args
	}
	for _, v := range vals {
		a, is := v.(*einsum.Access)
		if !is || !b.required.has(b.operandOf(a)) {
			return form, false
		}
		if f.termOf(b, a) >= 0 {
			form.innerVals = append(form.innerVals, a)
		} else {
			form.outerVals = append(form.outerVals, a)
		}
	}
	for len(conds) > 0 {
		cond := conds[0]
		conds = conds[1:]
		switch c := cond.(type) {
		case *einsum.Compare:
			if !b.given(c) {
				return form, false
			}
		case *einsum.Map:
			if c.Op != semiring.Mul {
				return form, false
			}
			conds = append(conds, c.Args...)
		case *einsum.Access:
			elem := b.elemOf(c)
			switch {
			case !b.required.has(b.operandOf(c)) || elem == semiring.F64:
				return form, false
			case b.nonZero(c):
			case f.termOf(b, c) >= 0: // tells cells apart: fastColumn
				return form, false
			default:
				form.outerConds = append(form.outerConds, c)
			}
		default:
			return form, false
		}
	}
	return form, true
}

// fastExtreme is a min or max leaf bound for a fastLoop. The outer part is
// constant in the loop, and adding a constant keeps the order of integers; for
// floats, where infinities break that, an outer value goes the general way.
type fastExtreme[T any] struct {
	*numeric[T]
	acc    *valueAcc[T]
	max    bool
	vals   []fastFactor[T]
	outer  func(*env) T
	zero   []func(*env) bool
	deep   int
	best   T
	some   bool
	c      T // Scatter: the outer part in this run
	known  bool
	masked bool            // Scatter: an outer condition is zero
	bare   bool            // there are neither outer values nor outer conditions
	added  bool            // there are outer values, which are added; 0 is not: it makes 0 of -0
	rows   *extremeRows[T] // in a rowLoop
}

// fastExtremeLeaf binds leaf n as a min or max, or returns nil.
func (b *binder) fastExtremeLeaf(f *fastLoop, agg *einsum.Agg, acc accumulator) fastLeaf {
	form, ok := b.extremeOf(f, agg.Arg)
	if !ok {
		return nil
	}
	switch acc := acc.(type) {
	case *valueAcc[int64]:
		return bindExtreme(b, f, numericI64(), acc, agg.Op, form)
	case *valueAcc[float64]:
		if len(form.innerVals) > 0 && len(form.outerVals) > 0 {
			return nil
		}
		return bindExtreme(b, f, numericF64(), acc, agg.Op, form)
	default:
		return nil
	}
}

func bindExtreme[T any](b *binder, f *fastLoop, num *numeric[T], acc *valueAcc[T], op semiring.Op, form extremeForm) fastLeaf {
	s := &fastExtreme[T]{numeric: num, acc: acc, max: op == semiring.Max, deep: -1}
	for _, x := range form.innerVals {
		term, leaf := f.termOf(b, x), b.operands[b.operandOf(x)].leaf(x.Leaf)
		if leaf.Elem != acc.typ {
			return nil
		}
		f.valued[term] = true
		s.vals = append(s.vals, fastFactor[T]{term: term, vals: num.values(leaf)})
	}
	c := &compiler[T]{binder: b, arith: num.arith, leaf: acc.leaf}
	s.outer = func(*env) T { return num.arith.zero }
	if len(form.outerVals) > 0 {
		var args []einsum.Expr
		for _, x := range form.outerVals {
			args = append(args, x)
		}
		s.outer = c.fold(&einsum.Map{Op: semiring.Plus, Args: args})
	}
	s.added = len(form.outerVals) > 0
	s.bare = !s.added && len(form.outerConds) == 0
	for _, x := range form.outerConds {
		s.zero = append(s.zero, b.zeroTest(x, semiring.NoOp))
	}
	for _, x := range append(form.outerVals, form.outerConds...) {
		for _, ix := range b.operands[b.operandOf(x)].idx {
			s.deep = max(s.deep, b.loopOf[ix.Name])
		}
	}
	return s
}

func (s *fastExtreme[T]) depth() int   { return s.deep }
func (s *fastExtreme[T]) factors() int { return len(s.vals) }
func (s *fastExtreme[T]) reset()       { s.some, s.known = false, false }

// better reports whether v replaces old.
func (s *fastExtreme[T]) better(v, old T) bool {
	if s.max {
		return s.arith.less(old, v)
	}
	return s.arith.less(v, old)
}

// each calls visit with every selected entry and the sum of its inner values.
func (s *fastExtreme[T]) each(e *env, f *fastLoop, visit func(i int, v T)) {
	for i := range f.sel.Ks {
		v := s.arith.zero
		for k := range s.vals {
			src := &f.sources[s.vals[k].term]
			w := s.vals[k].vals[src.at(i)]
			if k == 0 {
				v = w
				continue
			}
			var ok bool
			if v, ok = s.arith.add(v, w); !ok {
				e.over[s.acc.leaf] = true
			}
		}
		visit(i, v)
	}
}

// at is the position of selected entry i.
func (s *source) at(i int) int32 {
	if s.ix == nil {
		return s.off + int32(i)
	}
	return s.off + s.ix[i]
}

func (s *fastExtreme[T]) reduce(e *env, f *fastLoop) {
	s.each(e, f, func(_ int, v T) {
		if !s.some || s.better(v, s.best) {
			s.best, s.some = v, true
		}
	})
}

func (s *fastExtreme[T]) anyZero(e *env) bool {
	for _, test := range s.zero {
		if test(e) {
			return true
		}
	}
	return false
}

func (s *fastExtreme[T]) finish(e *env, f *fastLoop, slot int32) {
	// Without inner values no batch was looked at: each cell contributes the outer
	// part.
	if s.factors() == 0 {
		s.best, s.some = s.arith.zero, true
	}
	if s.some && !s.anyZero(e) {
		s.offer(e, slot, s.best, s.outer(e))
	}
}

// offer lets inner+outer replace a slot's value.
func (s *fastExtreme[T]) offer(e *env, slot int32, inner, outer T) {
	v := s.with(e, inner, outer)
	if s.better(v, s.acc.vals[slot]) {
		s.acc.vals[slot] = v
	}
}

// with is an inner value together with the outer part.
func (s *fastExtreme[T]) with(e *env, inner, outer T) T {
	switch {
	case len(s.vals) == 0:
		return outer
	case !s.added:
		return inner
	}
	v, ok := s.arith.add(inner, outer)
	if !ok {
		e.over[s.acc.leaf] = true
	}
	return v
}

func (s *fastExtreme[T]) scatter(e *env, f *fastLoop) {
	if !s.known {
		s.masked, s.known = s.anyZero(e), true
		if !s.masked {
			s.c = s.outer(e)
		}
	}
	if s.masked {
		return
	}
	s.each(e, f, func(i int, v T) { s.offer(e, f.slots[i], v, s.c) })
}
