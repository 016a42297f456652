package exec

import (
	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/fibers"
	"github.com/trireme-db/trireme/fibers/kernel"
	"github.com/trireme-db/trireme/internal/invariant"
)

// accumulator holds one leaf's values in the slots of a workspace. A slot that
// is not in use holds the aggregate's identity.
type accumulator interface {
	// cell adds the current cell to a slot.
	cell(e *env, slot int32)
	// grow makes room for n slots and returns the bytes that it allocated.
	grow(n int) int64
	// clear puts a slot back to the identity.
	clear(slot int32)
	// emit appends a slot's value to a leaf of an output chunk.
	emit(dst *fibers.Leaf, slot int32)
	// drain is emit and clear for several slots, drainRun for n that follow one another.
	drain(dst *fibers.Leaf, slots []int32)
	drainRun(dst *fibers.Leaf, first int32, n int)
	// merge adds values that another accumulator gathered, of entries from, from+1,
	// .. of a leaf, to slots.
	merge(e *env, slots []int32, src *fibers.Leaf, from int)
	// elem is the leaf's element type.
	elem() semiring.Elem
}

// valueAcc accumulates values of T.
type valueAcc[T any] struct {
	*arith[T]
	typ      semiring.Elem
	vals     []T
	identity T
	combine  func(a, b T) (T, bool) // nil: the last value stays (no aggregate)
	eval     func(*env) T
	leaf     int
}

func (a *valueAcc[T]) cell(e *env, slot int32) {
	v := a.eval(e)
	if e.skip {
		e.skip = false
		return
	}
	if a.combine == nil {
		a.vals[slot] = v
		return
	}
	var ok bool
	if a.vals[slot], ok = a.combine(a.vals[slot], v); !ok {
		e.over[a.leaf] = true
	}
}

func (a *valueAcc[T]) grow(n int) int64 {
	if n <= len(a.vals) {
		return 0
	}
	grown := make([]T, n)
	for s := copy(grown, a.vals); s < n; s++ {
		grown[s] = a.identity
	}
	added := int64(n-len(a.vals)) * fibers.ElemBytes(a.typ)
	a.vals = grown
	return added
}

func (a *valueAcc[T]) clear(slot int32) { a.vals[slot] = a.identity }

func (a *valueAcc[T]) emit(dst *fibers.Leaf, slot int32) {
	vals := a.values(dst)
	*vals = append(*vals, a.vals[slot])
}

func (a *valueAcc[T]) drain(dst *fibers.Leaf, slots []int32) {
	vals := a.values(dst)
	out := *vals
	for _, s := range slots {
		out = append(out, a.vals[s])
		a.vals[s] = a.identity
	}
	*vals = out
}

func (a *valueAcc[T]) drainRun(dst *fibers.Leaf, first int32, n int) {
	vals, run := a.values(dst), a.vals[first:][:n]
	*vals = append(*vals, run...)
	kernel.FillColumn(run, a.identity)
}

func (a *valueAcc[T]) merge(e *env, slots []int32, src *fibers.Leaf, from int) {
	vals := (*a.values(src))[from:]
	for i, s := range slots {
		if a.combine == nil {
			a.vals[s] = vals[i]
			continue
		}
		var ok bool
		if a.vals[s], ok = a.combine(a.vals[s], vals[i]); !ok {
			e.over[a.leaf] = true
		}
	}
}

func (a *valueAcc[T]) elem() semiring.Elem { return a.typ }

// patternAcc is a leaf that is 1 wherever there is an entry.
type patternAcc struct{}

func (patternAcc) cell(*env, int32)            {}
func (patternAcc) grow(int) int64              { return 0 }
func (patternAcc) clear(int32)                 {}
func (patternAcc) emit(*fibers.Leaf, int32)    {}
func (patternAcc) drain(*fibers.Leaf, []int32) {}

func (patternAcc) drainRun(*fibers.Leaf, int32, int) {}

func (patternAcc) merge(*env, []int32, *fibers.Leaf, int) {}
func (patternAcc) elem() semiring.Elem                    { return semiring.Pattern }

// accumulator binds leaf number l of the query; wide asks for 128 bits.
func (b *binder) accumulator(l int, wide bool) accumulator {
	op, body := semiring.NoOp, b.query.Leaves[l].Expr
	if agg, ok := body.(*einsum.Agg); ok {
		// Over no indices it still says what a guard leaves in place of a value.
		op, body = agg.Op, agg.Arg
	}
	elem := b.leafElem(l)
	switch {
	case elem == semiring.Pattern:
		return patternAcc{}
	case elem == semiring.I64 && !wide:
		return bindAcc(b, arithI64(), semiring.I64, op, body, l)
	case elem == semiring.I64, elem == semiring.I128:
		return bindAcc(b, arithI128(), semiring.I128, op, body, l)
	case elem == semiring.F64:
		return bindAcc(b, arithF64(), semiring.F64, op, body, l)
	default:
		panic(invariant.Failed("exec: element type %d", elem))
	}
}

func bindAcc[T any](b *binder, a *arith[T], typ semiring.Elem, op semiring.Op, body einsum.Expr, l int) accumulator {
	c := &compiler[T]{binder: b, arith: a, leaf: l, agg: op}
	acc := &valueAcc[T]{arith: a, typ: typ, identity: a.identity(op), eval: c.operand(op, body), leaf: l}
	if op != semiring.NoOp {
		acc.combine = a.binary(op)
	}
	return acc
}

// leafElem is the element type of a leaf: the plan's, or a wider one when an
// operand turned out wider than planned.
func (b *binder) leafElem(l int) semiring.Elem {
	elem := b.elemOf(b.step.Query.Leaves[l].Expr)
	if planned := b.step.Output.Elems; l < len(planned) {
		elem = max(elem, planned[l])
	}
	return elem
}

// elemOf infers the element type from the operands at hand.
func (b *binder) elemOf(x einsum.Expr) semiring.Elem {
	return einsum.ElemOf(x, func(a *einsum.Access) semiring.Elem {
		return b.operands[b.operandOf(a)].leaf(a.Leaf).Elem
	})
}
