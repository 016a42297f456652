package exec

import (
	"slices"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/fibers"
	"github.com/trireme-db/trireme/fibers/kernel"
	"github.com/trireme-db/trireme/internal/invariant"
)

// column evaluates an expression on lanes, as compiler.value does on a cell: the
// same digits, the same lanes skipped, the same overflows. The result is valid
// until the next evaluation and is not written to.
type column[T any] func(e *env, l *lanes) []T

// columns turns pointwise expressions of one leaf into columns over T.
type columns[T any] struct {
	compiler[T]
	*lanework[T]
	fault *bool // set where a function was asked for a value outside its domain
}

// lanework is what columns over T are made of.
type lanework[T any] struct {
	loop  func(semiring.Op) kernel.Column[T] // nil: lane by lane
	zeros func(dst []bool, src []T) int
	// truths writes 1 where a test holds and 0 elsewhere.
	truths func(dst []T, holds []bool)
	// either writes yes where a test holds and no elsewhere.
	either func(dst []T, holds []bool, yes, no []T)
	// orElse gathers the values at positions, or another one where the position is
	// negative or the value zero.
	orElse func(dst, src []T, at []int32, other T)
	reduce func(op semiring.Op, s T, lanes []T) (T, bool) // nil: lane by lane
	// singles appends what an aggregate makes of each lane alone; nil: lane by lane.
	singles func(op semiring.Op, dst, lanes []T) ([]T, bool)
	// spread adds c*vals (by ix, nil: in order) to acc at coordinates; nil: lane by lane.
	spread func(acc []T, ks []int32, c T, vals []T, ix []int32) bool
}

func laneworkI64() *lanework[int64] {
	return &lanework[int64]{loop: kernel.ColumnI64, zeros: kernel.IsZeroI64, truths: kernel.Truths[int64], either: kernel.EitherI64, orElse: kernel.GatherOr[int64], reduce: kernel.ReduceI64, singles: kernel.AppendSingles[int64], spread: kernel.ScatterI64}
}

func laneworkF64() *lanework[float64] {
	return &lanework[float64]{
		loop: kernel.ColumnF64, zeros: kernel.IsZeroF64, truths: kernel.Truths[float64], either: kernel.EitherF64, orElse: kernel.GatherOr[float64],
		reduce: kernel.ReduceF64, singles: kernel.AppendSingles[float64],
		spread: func(acc []float64, ks []int32, c float64, vals []float64, ix []int32) bool {
			kernel.ScatterF64(acc, ks, c, vals, ix)
			return true
		},
	}
}

func laneworkI128() *lanework[semiring.Int128] {
	return &lanework[semiring.Int128]{
		loop: func(semiring.Op) kernel.Column[semiring.Int128] { return nil },
		orElse: func(dst, src []semiring.Int128, at []int32, other semiring.Int128) {
			for i, p := range at[:len(dst)] {
				if dst[i] = other; p >= 0 && src[p].Sign() != 0 {
					dst[i] = src[p]
				}
			}
		},
		truths: func(dst []semiring.Int128, holds []bool) {
			for i, h := range holds {
				dst[i] = semiring.Int128{}
				if h {
					dst[i].Lo = 1
				}
			}
		},
		either: func(dst []semiring.Int128, holds []bool, yes, no []semiring.Int128) {
			for i, h := range holds {
				if dst[i] = no[i]; h {
					dst[i] = yes[i]
				}
			}
		},
		zeros: func(dst []bool, src []semiring.Int128) int {
			n := 0
			for i, v := range src {
				if dst[i] = v.Sign() == 0; dst[i] {
					n++
				}
			}
			return n
		},
	}
}

// binaryColumn is the loop of an operator of two arguments.
func (c *columns[T]) binaryColumn(op semiring.Op) kernel.Column[T] {
	if loop := c.loop(op); loop != nil {
		return loop
	}
	combine := c.binary(op)
	return func(dst, a, b []T) bool {
		all := true
		for i := range dst {
			v, ok := combine(a[i], b[i])
			dst[i], all = v, all && ok
		}
		return all
	}
}

// vectorable reports whether an expression can be evaluated column by column:
// all but comparisons of indices that not every cell fulfils.
func (b *binder) vectorable(x einsum.Expr) bool {
	switch x := x.(type) {
	case *einsum.Compare:
		return b.given(x)
	case *einsum.Map:
		return !slices.ContainsFunc(x.Args, func(arg einsum.Expr) bool { return !b.vectorable(arg) })
	case *einsum.Access, *einsum.Literal:
		return true
	default:
		return false
	}
}

// column compiles a vectorable expression.
func (c *columns[T]) column(x einsum.Expr) column[T] {
	switch x := x.(type) {
	case *einsum.Access:
		return c.loadColumn(c.operandOf(x), c.operands[c.operandOf(x)].leaf(x.Leaf))
	case *einsum.Literal:
		return constantColumn(c.literal(x))
	case *einsum.Compare:
		return constantColumn(c.one)
	case *einsum.Map:
		return c.mapColumn(x)
	default:
		panic(invariant.Failed("exec: %T inside a pointwise expression", x))
	}
}

func (c *columns[T]) mapColumn(x *einsum.Map) column[T] {
	switch {
	case x.Op.IsFunction():
		return c.functionColumn(x)
	case x.Op.IsPair():
		return c.pairColumn(x)
	}
	switch x.Op {
	case semiring.Select:
		return c.selectColumn(x)
	case semiring.If0:
		return c.if0Column(x)
	case semiring.Guard:
		return c.guardColumn(x)
	case semiring.Neg:
		zero, sub := constantColumn(c.zero), c.binaryColumn(semiring.Sub)
		return c.combined(sub, []column[T]{zero, c.column(x.Args[0])})
	case semiring.Mul:
		return c.productColumn(x)
	case semiring.Plus, semiring.And:
		if x.Op == semiring.And && len(x.Args) > 1 && c.positive(x) && !c.maySkip(x) {
			return constantColumn(c.one)
		}
		return c.combined(c.binaryColumn(x.Op), c.argColumns(x))
	default:
		return c.disjunctionColumn(x)
	}
}

func constantColumn[T any](v T) column[T] {
	var buf scratch[T]
	return func(_ *env, l *lanes) []T {
		if len(buf) < l.n {
			buf = buf.of(l.n)
			buf = buf[:cap(buf)]
			kernel.FillColumn(buf, v)
		}
		return buf[:l.n]
	}
}

// loadColumn reads a leaf: its own values where the lanes are consecutive entries.
func (c *columns[T]) loadColumn(op int, leaf *fibers.Leaf) column[T] {
	if leaf.Elem == semiring.Pattern {
		return constantColumn(c.one)
	}
	vals := *c.arith.values(leaf)
	if vals == nil {
		return c.convertColumn(op, leaf)
	}
	var buf scratch[T]
	return func(_ *env, l *lanes) []T {
		at := &l.at[op]
		if at.ix == nil && !at.fixed {
			return vals[at.off : int(at.off)+l.n]
		}
		buf = buf.of(l.n)
		if at.fixed {
			kernel.FillColumn(buf, vals[at.off])
		} else {
			kernel.GatherColumn(buf, vals, at.off, at.ix)
		}
		return buf
	}
}

// convertColumn reads a leaf of another type.
func (c *columns[T]) convertColumn(op int, leaf *fibers.Leaf) column[T] {
	if leaf.I64 != nil {
		return converted(columnsOf(c.binder, arithI64(), laneworkI64(), c.leaf, c.agg, c.fault).loadColumn(op, leaf), c.fromInt)
	}
	value := c.load(leaf, 0)
	at := &env{pos: make([]int32, 1)}
	var buf scratch[T]
	return func(_ *env, l *lanes) []T {
		buf = buf.of(l.n)
		for i := range buf {
			at.pos[0] = l.at[op].pos(i)
			buf[i] = value(at)
		}
		return buf
	}
}

func (c *columns[T]) argColumns(x *einsum.Map) []column[T] {
	out := make([]column[T], len(x.Args))
	for i, arg := range x.Args {
		out[i] = c.operandColumn(x.Op, arg)
	}
	return out
}

// operandColumn is compiler.operand on lanes.
func (c *columns[T]) operandColumn(op semiring.Op, x einsum.Expr) column[T] {
	if op != semiring.Or && op != semiring.And || c.elemOf(x) <= semiring.I64 {
		return c.column(x)
	}
	zero := c.zeroColumn(x, c.agg, c.fault)
	var buf scratch[T]
	return func(e *env, l *lanes) []T {
		buf = buf.of(l.n)
		for i, z := range zero(e, l) {
			buf[i] = c.one
			if z {
				buf[i] = c.zero
			}
		}
		return buf
	}
}

// combined evaluates from left to right.
func (c *columns[T]) combined(loop kernel.Column[T], args []column[T]) column[T] {
	if len(args) == 1 {
		return args[0]
	}
	leaf := c.leaf
	var buf scratch[T]
	return func(e *env, l *lanes) []T {
		v := args[0](e, l)
		buf = buf.of(l.n)
		for _, arg := range args[1:] {
			if !loop(buf, v, arg(e, l)) {
				e.over[leaf] = true
			}
			v = buf
		}
		return v
	}
}

// productColumn multiplies; what overflows is looked at again, for a zero factor.
func (c *columns[T]) productColumn(x *einsum.Map) column[T] {
	args, leaf, loop := c.factorColumns(x), c.leaf, c.binaryColumn(semiring.Mul)
	switch len(args) {
	case 0:
		return constantColumn(c.one)
	case 1:
		return args[0]
	}
	cols := make([][]T, len(args))
	var buf scratch[T]
	return func(e *env, l *lanes) []T {
		buf = buf.of(l.n)
		all := true
		for k, arg := range args {
			cols[k] = arg(e, l)
			switch {
			case k == 1:
				all = loop(buf, cols[0], cols[1])
			case k > 1:
				all = loop(buf, buf, cols[k]) && all
			}
		}
		if !all && !c.productOf(buf, cols) {
			e.over[leaf] = true
		}
		return buf
	}
}

// factorColumns are the columns of a product's factors but for those that are 1: what
// only says that an entry is there.
func (c *columns[T]) factorColumns(x *einsum.Map) []column[T] {
	var out []column[T]
	for _, arg := range x.Args {
		if a, ok := arg.(*einsum.Access); ok && c.operands[c.operandOf(a)].leaf(a.Leaf).Elem == semiring.Pattern {
			continue
		}
		out = append(out, c.operandColumn(x.Op, arg))
	}
	return out
}

// productOf multiplies lane by lane: a zero factor makes the product zero whatever
// the others' size.
func (c *columns[T]) productOf(dst []T, cols [][]T) bool {
	all := true
	for i := range dst {
		v, fits, zero := cols[0][i], true, c.isZero(cols[0][i])
		for _, col := range cols[1:] {
			zero = zero || c.isZero(col[i])
			var ok bool
			v, ok = c.mul(v, col[i])
			fits = fits && ok
		}
		if !fits && zero {
			v = c.zero
		}
		dst[i], all = v, all && (fits || zero)
	}
	return all
}

// operandsIn lists the operands that an expression reads.
func (b *binder) operandsIn(xs ...einsum.Expr) []int {
	var out []int
	for _, x := range xs {
		switch x := x.(type) {
		case *einsum.Access:
			out = append(out, b.operandOf(x))
		case *einsum.Map:
			out = append(out, b.operandsIn(x.Args...)...)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
