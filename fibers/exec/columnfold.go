package exec

import (
	"slices"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/fibers/kernel"
	"github.com/trireme-db/trireme/internal/invariant"
)

// functionColumn is compiler.function on lanes.
func (c *columns[T]) functionColumn(x *einsum.Map) column[T] {
	invariant.Check(c.fromFloat != nil, "exec: %s in integer arithmetic", x.Op)
	arg, op, domain, fault := c.floatColumn(x.Args[0], c.agg, c.fault), x.Op, x.Op.Info().Domain, c.fault
	var buf scratch[float64]
	values := column[float64](func(e *env, l *lanes) []float64 {
		src := arg(e, l)
		buf = buf.of(l.n)
		if !l.skipped {
			if !kernel.Function(op, buf, src) {
				*fault = true
			}
			return buf
		}
		for i, v := range src {
			switch {
			case l.skip[i]: // no value, so none outside the domain
				buf[i] = 0
			case domain.Contains(v):
				buf[i] = op.Of(v)
			default:
				buf[i], *fault = 0, true
			}
		}
		return buf
	})
	out, ok := any(values).(column[T])
	invariant.Check(ok, "exec: %s is no float", x.Op)
	return out
}

// floatColumn is binder.float on lanes.
func (b *binder) floatColumn(x einsum.Expr, agg semiring.Op, fault *bool) column[float64] {
	flag := b.conditionFlag()
	if _, isAccess := x.(*einsum.Access); isAccess || b.elemOf(x) == semiring.F64 {
		return columnsOf(b, arithF64(), laneworkF64(), flag, agg, fault).column(x)
	}
	if b.fits64(x) {
		value := columnsOf(b, arithI64(), laneworkI64(), flag, agg, fault).column(x)
		return converted(value, func(v int64) float64 { return float64(v) })
	}
	return converted(columnsOf(b, arithI128(), laneworkI128(), flag, agg, fault).column(x), semiring.Int128.Float64)
}

// converted is a column of one type as that of another.
func converted[S, T any](value column[S], convert func(S) T) column[T] {
	if same, ok := any(value).(column[T]); ok {
		return same
	}
	var buf scratch[T]
	return func(e *env, l *lanes) []T {
		buf = buf.of(l.n)
		for i, v := range value(e, l) {
			buf[i] = convert(v)
		}
		return buf
	}
}

// maySkip reports whether evaluating an expression can skip a lane.
func (b *binder) maySkip(x einsum.Expr) bool {
	m, ok := x.(*einsum.Map)
	if !ok {
		return false
	}
	if m.Op == semiring.Guard && slices.ContainsFunc(m.Args[1:], func(cond einsum.Expr) bool { return !b.positive(cond) }) {
		return true
	}
	for _, arg := range m.Args {
		if b.maySkip(arg) {
			return true
		}
	}
	return false
}

// fold folds the arguments of a disjunctive map lane by lane, as
// compiler.disjunction does.
type fold[T any] struct {
	*columns[T]
	op       semiring.Op
	args     []column[T]
	present  []tests // per argument; nil: everywhere
	subsets  []*subset
	combine  func(a, b T) (T, bool)
	leaveOut bool
	buf      scratch[T]
	// Per lane: an argument took part, one was skipped, the lane was so before.
	some, skipped, before scratch[bool]
}

// disjunctionColumn is compiler.disjunction on lanes: by loops where none of the
// arguments is skipped, over what is absent padded.
func (c *columns[T]) disjunctionColumn(x *einsum.Map) column[T] {
	if x.Op == semiring.Or && c.positive(x) && !c.maySkip(x) {
		return constantColumn(c.one)
	}
	f := &fold[T]{
		columns: c, op: x.Op, args: c.argColumns(x), combine: c.binary(x.Op),
		present: make([]tests, len(x.Args)), subsets: make([]*subset, len(x.Args)),
		leaveOut: x.Op == c.agg || x.Op == semiring.Sub && c.agg == semiring.Add,
	}
	even := true
	for a, arg := range x.Args {
		even = even && !c.maySkip(arg)
		if !c.given(arg) {
			even = false
			f.present[a], f.subsets[a] = c.presentColumn(arg), newSubset(len(c.operands), c.operandsIn(arg))
		}
	}
	if !even {
		padded := c.paddedColumn(x)
		if padded == nil {
			return f.run
		}
		return func(e *env, l *lanes) []T {
			if l.skipped {
				return f.run(e, l)
			}
			return padded(e, l)
		}
	}
	args := f.args
	if x.Op == semiring.Or { // of one argument, too, 0 or 1
		args = append([]column[T]{constantColumn(c.zero)}, args...)
	}
	loop, plain := c.combined(c.binaryColumn(x.Op), args), c.plain(x)
	return func(e *env, l *lanes) []T {
		if l.skipped && !plain { // functions are evaluated all the same
			return f.run(e, l)
		}
		return loop(e, l)
	}
}

func (f *fold[T]) run(e *env, l *lanes) []T {
	f.buf, f.some, f.skipped, f.before = f.buf.of(l.n), f.some.of(l.n), f.skipped.of(l.n), f.before.of(l.n)
	kernel.FillColumn(f.buf, f.zero)
	clear(f.some)
	clear(f.skipped)
	for i := range f.before {
		f.before[i] = l.skips(i)
	}
	for a, arg := range f.args {
		l.skipped = false
		if f.present[a] == nil {
			for i, v := range arg(e, l) {
				f.take(e, a, i, v, l.skips(i))
			}
			continue
		}
		s, present := f.subsets[a], f.present[a](e, l)
		s.choose(l, present, true)
		if s.n == 0 {
			continue
		}
		for j, v := range arg(e, &s.lanes) {
			f.take(e, a, int(s.of[j]), v, s.skips(j))
		}
	}
	l.skipped = false
	for i := range f.buf {
		if f.before[i] || f.skipped[i] && !(f.some[i] && f.leaveOut) {
			l.drop(i)
		}
	}
	return f.buf
}

// take folds argument number a of lane i.
func (f *fold[T]) take(e *env, a, i int, v T, skipped bool) {
	if skipped {
		f.skipped[i] = true
		return
	}
	ok := true
	switch {
	case f.some[i]:
		v, ok = f.combine(f.buf[i], v)
	case a > 0 && f.op == semiring.Sub:
		v, ok = f.sub(f.zero, v)
	case f.op == semiring.Or:
		v, ok = f.combine(f.zero, v)
	}
	f.buf[i], f.some[i] = v, true
	if !ok {
		e.over[f.leaf] = true
	}
}
