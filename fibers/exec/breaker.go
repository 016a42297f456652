package exec

import (
	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/einsum/format"
	"github.com/trireme-db/trireme/einsum/semiring"
)

// breaker stops the loops that feed one slot once nothing can change in it: all
// leaves are saturated, an "or" at one, a minimum at the least value that there
// is. The methods of a nil breaker are those of a step that has to visit all.
type breaker struct {
	sink *sink
	// depth is the number of outermost loops that choose the slot; those further
	// in stop.
	depth int
	full  []func(slot int32) bool // per leaf that may be saturated or not
	once  bool                    // one cell saturates every leaf, unless its value is zero
	done  bool
}

// breaker returns nil unless every leaf of the step can be saturated and there
// are loops to stop.
func (b *binder) breaker(s *sink) *breaker {
	k := &breaker{sink: s, once: true}
	for _, d := range s.loops {
		k.depth = max(k.depth, d+1)
	}
	if k.depth == len(b.step.Loops) {
		return nil
	}
	// Cheap leaves first: what a column's extremes are costs a look at all of it.
	for n, acc := range s.accs {
		if _, ok := acc.(patternAcc); !ok && !b.mayFill(n) {
			return nil
		}
	}
	for n, acc := range s.accs {
		if !b.fill(k, n, acc) {
			return nil
		}
	}
	return k
}

// mayFill reports whether leaf n is of a kind that saturates. What is never
// evaluated must not have been an error: no functions.
func (b *binder) mayFill(n int) bool {
	agg, ok := b.query.Leaves[n].Expr.(*einsum.Agg)
	if !ok {
		return false
	}
	switch agg.Op {
	case semiring.Or:
		return safe(agg.Arg)
	case semiring.Min, semiring.Max:
		return b.extremeSource(agg.Arg) != nil
	default:
		return false
	}
}

// safe reports whether an expression has a value wherever it is present.
func safe(x einsum.Expr) bool {
	m, ok := x.(*einsum.Map)
	if !ok {
		return true
	}
	if m.Op.IsFunction() {
		return false
	}
	for _, arg := range m.Args {
		if !safe(arg) {
			return false
		}
	}
	return true
}

// extremeSource is the literal or access whose value a MIN or MAX takes, where
// it is nothing else: nil otherwise.
func (b *binder) extremeSource(x einsum.Expr) einsum.Expr {
	if m, ok := x.(*einsum.Map); ok && m.Op == semiring.Guard {
		for _, cond := range m.Args[1:] {
			if !safe(cond) {
				return nil
			}
		}
		x = m.Args[0]
	}
	switch x.(type) {
	case *einsum.Access, *einsum.Literal:
		return x
	}
	return nil
}

// fill adds the test of leaf n.
func (b *binder) fill(k *breaker, n int, acc accumulator) bool {
	switch acc := acc.(type) {
	case patternAcc:
	case *valueAcc[int64]:
		return fillOf(b, k, n, acc)
	case *valueAcc[semiring.Int128]:
		return fillOf(b, k, n, acc)
	case *valueAcc[float64]:
		return fillOf(b, k, n, acc)
	default:
		return false
	}
	return true
}

func fillOf[T any](b *binder, k *breaker, n int, acc *valueAcc[T]) bool {
	agg := b.query.Leaves[n].Expr.(*einsum.Agg)
	if agg.Op == semiring.Or {
		k.full = append(k.full, func(slot int32) bool { return !acc.isZero(acc.vals[slot]) })
		return true
	}
	bound := acc.zero
	switch x := b.extremeSource(agg.Arg).(type) {
	case *einsum.Literal:
		bound = acc.literal(x)
	case *einsum.Access:
		op := b.operands[b.operandOf(x)]
		vals := *acc.values(op.leaf(x.Leaf))
		if len(vals) == 0 { // stored in another type, or a pattern
			return false
		}
		var one bool
		bound, one = extreme(acc.arith, vals, op.present(), agg.Op == semiring.Max)
		k.once = k.once && one
	}
	k.full = append(k.full, func(slot int32) bool {
		v := acc.vals[slot]
		return !acc.less(bound, v) && !acc.less(v, bound)
	})
	return true
}

// extreme is the least of a column's values, or the greatest, and whether all are
// that. O(len).
func extreme[T any](a *arith[T], vals []T, present []uint8, greatest bool) (best T, one bool) {
	some := false
	one = true
	for p, v := range vals {
		switch {
		case present != nil && present[p] == 0:
		case !some:
			best, some = v, true
		case a.less(v, best):
			one = false
			if !greatest {
				best = v
			}
		case a.less(best, v):
			one = false
			if greatest {
				best = v
			}
		}
	}
	return best, one
}

// saturated reports whether nothing can change in a slot that is an entry.
func (k *breaker) saturated(slot int32) bool {
	for _, full := range k.full {
		if !full(slot) {
			return false
		}
	}
	return true
}

// take is sink.take that looks at what became of the slot.
func (k *breaker) take(e *env) {
	s := k.sink
	slot := s.touch(e)
	e.cells++
	for _, a := range s.accs {
		a.cell(e, slot)
	}
	k.done = k.saturated(slot)
}

// stops reports whether the loops around the cell are to stop.
func (k *breaker) stops() bool { return k != nil && k.done }

// of returns the breaker for loop d, nil for one that goes on to other slots.
func (k *breaker) of(d int) *breaker {
	if k == nil || d < k.depth {
		return nil
	}
	return k
}

// atOnce reports whether loop d, the innermost one, stops at its first cell as a
// rule, so that working on batches does not pay.
func (k *breaker) atOnce(d int) bool { return k.of(d) != nil && k.once }

// after looks at the slot whenever a specialised innermost loop d has run.
func (k *breaker) after(d int, fast func(*env)) func(*env) {
	if k.of(d) == nil {
		return fast
	}
	return func(e *env) {
		fast(e)
		if flush := k.sink.flush; flush != nil {
			flush(e)
		}
		k.done = k.known(e)
	}
}

// known reports whether the current slot, as far as it is told without a search,
// is saturated.
func (k *breaker) known(e *env) bool {
	s := k.sink
	switch s.kind {
	case format.None:
		return e.cell && k.saturated(0)
	case format.DenseWorkspace:
		c := s.dense.at(e)
		return s.dense.flags[c] != 0 && k.saturated(c)
	default:
		return false
	}
}

// around enters loop d, the first one that stops, unless the slot is saturated
// already.
func (k *breaker) around(d int, body func(*env)) func(*env) {
	if k == nil || d != k.depth {
		return body
	}
	return func(e *env) {
		if k.done = k.known(e); !k.done {
			body(e)
		}
		k.done = false
	}
}
