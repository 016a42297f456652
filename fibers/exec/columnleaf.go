package exec

import (
	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/fibers"
	"github.com/trireme-db/trireme/internal/invariant"
)

// columnLeaf is one leaf of a query evaluated on lanes and accumulated.
type columnLeaf interface {
	// evaluate computes the lanes' values; what follows is about them.
	evaluate(e *env, l *lanes)
	// mask has lanes contribute nothing.
	mask(masked []bool)
	// faulty reports whether a function had no value at some lane.
	faulty() bool
	// explain sets env.err to what the first such lane makes of it.
	explain(e *env, l *lanes)
	// reduce adds all lanes to a slot, in order.
	reduce(e *env, slot int32)
	// add adds one lane to a slot.
	add(e *env, lane int, slot int32)
	// appendRange appends lanes from..to-1, each an entry of its own.
	appendRange(dst *fibers.Leaf, from, to int)
}

// columnLeaf binds leaf number n of the query; nil where its expression cannot be
// evaluated column by column.
func (b *binder) columnLeaf(n int, acc accumulator) columnLeaf {
	op, body := semiring.NoOp, b.query.Leaves[n].Expr
	if agg, ok := body.(*einsum.Agg); ok {
		op, body = agg.Op, agg.Arg
	}
	if !b.vectorable(body) {
		return nil
	}
	switch acc := acc.(type) {
	case patternAcc:
		return patternColumn{}
	case *valueAcc[int64]:
		return bindColumn(b, acc, laneworkI64(), op, body)
	case *valueAcc[float64]:
		return bindColumn(b, acc, laneworkF64(), op, body)
	case *valueAcc[semiring.Int128]:
		return bindColumn(b, acc, laneworkI128(), op, body)
	default:
		panic(invariant.Failed("exec: accumulator %T", acc))
	}
}

// valueColumn is a leaf with values.
type valueColumn[T any] struct {
	acc      *valueAcc[T]
	value    column[T]
	fault    *bool
	total    func(op semiring.Op, s T, vals []T) (T, bool)             // nil: lane by lane
	spread   func(acc []T, ks []int32, c T, vals []T, ix []int32) bool // as of lanework
	singles  func(op semiring.Op, dst, lanes []T) ([]T, bool)          // as of lanework
	op       semiring.Op
	operands []int
	slots    []int // where the operands' positions are, for the scalar form
	vals     []T
	skip     []bool // lanes that contribute nothing; nil: there is none
	spare    []bool
	kept     scratch[T]
}

func bindColumn[T any](b *binder, acc *valueAcc[T], w *lanework[T], op semiring.Op, body einsum.Expr) *valueColumn[T] {
	v := &valueColumn[T]{acc: acc, op: op, fault: new(bool), total: w.reduce, spread: w.spread, singles: w.singles, operands: b.operandsIn(body)}
	v.value = columnsOf(b, acc.arith, w, acc.leaf, op, v.fault).operandColumn(op, body)
	for _, o := range v.operands {
		v.slots = append(v.slots, b.operands[o].last())
	}
	return v
}

func (v *valueColumn[T]) evaluate(e *env, l *lanes) {
	v.vals = v.value(e, l)
	v.skip = nil
	if l.skipped { // the next leaf begins anew
		v.skip, v.spare, l.skip = l.skip, l.skip, v.spare
		l.skipped = false
	}
}

func (v *valueColumn[T]) mask(masked []bool) {
	if v.skip == nil {
		v.skip = scratch[bool](v.spare).of(len(masked))
		v.spare = v.skip
		clear(v.skip)
	}
	for i, m := range masked {
		v.skip[i] = v.skip[i] || m
	}
}

func (v *valueColumn[T]) faulty() bool { return *v.fault }

func (v *valueColumn[T]) explain(e *env, l *lanes) {
	for i := range l.n {
		for k, op := range v.operands {
			e.pos[v.slots[k]] = l.at[op].pos(i)
		}
		v.acc.eval(e)
		e.skip = false
		if e.err != nil {
			return
		}
	}
	panic(invariant.Failed("exec: a function fails on a column and not on its cells"))
}

func (v *valueColumn[T]) reduce(e *env, slot int32) {
	v.acc.vals[slot] = v.fold(e, v.acc.vals[slot])
}

// fold combines a value with all lanes, in order.
func (v *valueColumn[T]) fold(e *env, s T) T {
	vals := v.vals
	if v.skip != nil {
		v.kept = v.kept.of(len(vals))
		n := 0
		for i, skipped := range v.skip[:len(vals)] {
			v.kept[n] = vals[i]
			if !skipped {
				n++
			}
		}
		vals = v.kept[:n]
	}
	all := true
	switch {
	case v.acc.combine == nil && len(vals) > 0:
		s = vals[len(vals)-1]
	case v.acc.combine == nil:
	case v.total != nil:
		s, all = v.total(v.op, s, vals)
	default:
		for _, w := range vals {
			var ok bool
			s, ok = v.acc.combine(s, w)
			all = all && ok
		}
	}
	if !all {
		e.over[v.acc.leaf] = true
	}
	return s
}

func (v *valueColumn[T]) add(e *env, lane int, slot int32) {
	a := v.acc
	switch {
	case v.skip != nil && v.skip[lane]:
	case a.combine == nil:
		a.vals[slot] = v.vals[lane]
	default:
		var ok bool
		if a.vals[slot], ok = a.combine(a.vals[slot], v.vals[lane]); !ok {
			e.over[a.leaf] = true
		}
	}
}

func (v *valueColumn[T]) appendRange(dst *fibers.Leaf, from, to int) {
	a := v.acc
	vals := a.values(dst)
	if v.skip == nil && (a.combine == nil || v.op == semiring.Min || v.op == semiring.Max) {
		*vals = append(*vals, v.vals[from:to]...)
		return
	}
	if v.skip == nil && v.singles != nil {
		out, ok := v.singles(v.op, *vals, v.vals[from:to])
		if *vals = out; ok {
			return
		}
	}
	for i := from; i < to; i++ {
		w := a.identity
		switch {
		case v.skip != nil && v.skip[i]:
		case a.combine == nil:
			w = v.vals[i]
		default: // the identity and one value always fit
			w, _ = a.combine(a.identity, v.vals[i])
		}
		*vals = append(*vals, w)
	}
}

// patternColumn is a leaf without values.
type patternColumn struct{}

func (patternColumn) evaluate(*env, *lanes) {}
func (patternColumn) mask([]bool)           {}
func (patternColumn) faulty() bool          { return false }
func (patternColumn) explain(*env, *lanes)  {}
func (patternColumn) reduce(*env, int32)    {}
func (patternColumn) add(*env, int, int32)  {}

func (patternColumn) appendRange(*fibers.Leaf, int, int) {}
