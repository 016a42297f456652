package einsum

import (
	"math"

	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/internal/invariant"
)

// FillState says what is known of a Fill.
type FillState uint8

// Fill states.
const (
	FillAbsent  FillState = iota
	FillValue             // present, with Value
	FillSome              // present, with a value that is not known
	FillUnknown           // present or absent, depending on the coordinates
)

// Fill is what a tensor or an expression is at a coordinate where nothing is
// stored. The papers' tensors have a value there; ours are absent, which is no
// value. So what they say of fill values reads here: an argument of a map is
// conjunctive iff the fill absent annihilates the map there (semiring.Op.Needs),
// else disjunctive, where absent counts as the operator's identity. The zero Fill
// is absent.
type Fill struct {
	State FillState
	Value *Literal // of FillValue
}

// FillOf returns the fill of an expression, given what every access of it is
// where it stores nothing. It decides which arguments restrict (Restricted), and
// over no accesses it is the value of a constant expression.
//
//	map         absent if an argument that the operator needs is; absent arguments
//	            that it does not need are left out (none left: absent); else the
//	            operator's value on the fills of the others
//	comparison  unknown
//	aggregate   absent if its argument is; an idempotent aggregate, or one over no
//	            indices, has its argument's fill; else x times the number of
//	            assignments, which is not known here
func FillOf(e Expr, of func(*Access) Fill) Fill {
	switch e := e.(type) {
	case *Access:
		return of(e)
	case *Literal:
		return Fill{State: FillValue, Value: e}
	case *Compare:
		return Fill{State: FillUnknown}
	case *Agg:
		return aggFill(e, FillOf(e.Arg, of))
	case *Map:
		args := make([]Fill, len(e.Args))
		for i, a := range e.Args {
			args[i] = FillOf(a, of)
		}
		return mapFill(e.Op, args)
	default:
		panic(invariant.Failed("einsum: unknown Expr %T", e))
	}
}

func aggFill(a *Agg, arg Fill) Fill {
	info := a.Op.Info()
	switch {
	case arg.State != FillValue:
		return arg
	case a.Op == semiring.Or || a.Op == semiring.And:
		return Fill{State: FillValue, Value: truth(!isZero(arg.Value))}
	case len(a.Idxs) == 0 || info.Idempotent:
		return arg
	case info.Identity == semiring.Zero && isZero(arg.Value):
		return arg // n times 0
	}
	return Fill{State: FillSome}
}

func mapFill(op semiring.Op, args []Fill) Fill {
	state := FillValue
	var values []*Literal
	for i, a := range args {
		switch a.State {
		case FillAbsent:
			if op.Needs(i) {
				return Fill{}
			}
			if i == 1 && op == semiring.Sub {
				continue
			}
			if i == 0 && op == semiring.Sub { // 0 - b
				values = append(values, Int(0))
			}
		case FillValue:
			values = append(values, a.Value)
		default:
			state = max(state, a.State)
		}
	}
	switch {
	case op == semiring.If0:
		return if0Fill(args[0], args[1])
	case state == FillUnknown && presentAnyway(op, args):
		return Fill{State: FillSome}
	case state != FillValue:
		return Fill{State: state}
	case allAbsent(args):
		return Fill{}
	case op == semiring.Guard && !guarded(values):
		return Fill{State: FillSome} // the identity of the aggregate around it
	case op == semiring.Guard:
		return args[0]
	}
	if v, ok := fold(op, values); ok {
		return Fill{State: FillValue, Value: v}
	}
	return Fill{State: FillSome}
}

// presentAnyway reports whether a map is present whatever its unknown arguments are.
func presentAnyway(op semiring.Op, args []Fill) bool {
	some := false
	for i, a := range args {
		if op.Needs(i) && a.State == FillUnknown {
			return false
		}
		some = some || a.State == FillValue || a.State == FillSome
	}
	return some
}

func allAbsent(args []Fill) bool {
	for _, a := range args {
		if a.State != FillAbsent {
			return false
		}
	}
	return true
}

// if0Fill is the fill of if0(x, d), d not absent.
func if0Fill(x, d Fill) Fill {
	switch {
	case d.State == FillUnknown:
		return d
	case x.State == FillAbsent, x.State == FillValue && isZero(x.Value):
		return d
	case x.State == FillValue:
		return x
	default:
		return Fill{State: FillSome}
	}
}

// guarded reports whether no condition of a guard is zero.
func guarded(values []*Literal) bool {
	for _, c := range values[1:] {
		if isZero(c) {
			return false
		}
	}
	return true
}

func isZero(l *Literal) bool {
	if l.Elem == semiring.F64 {
		return l.F == 0
	}
	return l.I == semiring.Int128{}
}

func truth(b bool) *Literal {
	if b {
		return Int(1)
	}
	return Int(0)
}

// fold applies an operator to numbers; false where the value does not fit 128
// bits, or a function has none.
func fold(op semiring.Op, args []*Literal) (*Literal, bool) {
	if op.IsFunction() {
		x := float(args[0])
		if !op.Info().Domain.Contains(x) {
			return nil, false
		}
		return Float(op.Of(x)), true
	}
	if op.IsPair() || op == semiring.Select {
		return nil, false // not worth knowing
	}
	acc, ok := args[0], true
	switch op {
	case semiring.Neg:
		return combine(semiring.Sub, Int(0), acc)
	case semiring.Or, semiring.And:
		acc = truth(!isZero(acc))
	}
	for _, b := range args[1:] {
		if acc, ok = combine(op, acc, b); !ok {
			return nil, false
		}
	}
	return acc, true
}

func float(l *Literal) float64 {
	if l.Elem == semiring.F64 {
		return l.F
	}
	return l.I.Float64()
}

// combine applies an operator of two numbers.
func combine(op semiring.Op, a, b *Literal) (*Literal, bool) {
	switch op {
	case semiring.Or:
		return truth(!isZero(a) || !isZero(b)), true
	case semiring.And:
		return truth(!isZero(a) && !isZero(b)), true
	}
	if a.Elem == semiring.F64 || b.Elem == semiring.F64 {
		return combineFloats(op, float(a), float(b))
	}
	return combineIntegers(op, a, b)
}

func combineFloats(op semiring.Op, x, y float64) (*Literal, bool) {
	less := func(x, y float64) bool { return x < y || math.IsNaN(y) && !math.IsNaN(x) }
	switch op {
	case semiring.Add, semiring.Plus:
		return Float(x + y), true
	case semiring.Sub:
		return Float(x - y), true
	case semiring.Mul:
		return Float(x * y), true
	case semiring.Min:
		if less(y, x) {
			x = y
		}
		return Float(x), true
	case semiring.Max:
		if less(x, y) {
			x = y
		}
		return Float(x), true
	default:
		panic(invariant.Failed("einsum: %s does not combine", op))
	}
}

func combineIntegers(op semiring.Op, a, b *Literal) (*Literal, bool) {
	v, ok := a.I, true
	switch op {
	case semiring.Add, semiring.Plus:
		v, ok = v.Add(b.I)
	case semiring.Sub:
		v, ok = v.Sub(b.I)
	case semiring.Mul:
		v, ok = v.Mul(b.I)
	case semiring.Min:
		if b.I.Cmp(v) < 0 {
			v = b.I
		}
	case semiring.Max:
		if v.Cmp(b.I) < 0 {
			v = b.I
		}
	default:
		panic(invariant.Failed("einsum: %s does not combine", op))
	}
	elem := max(a.Elem, b.Elem)
	if _, narrow := v.Int64(); !narrow {
		elem = semiring.I128
	}
	return &Literal{Elem: elem, I: v}, ok
}
