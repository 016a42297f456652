package einsum

import (
	"strconv"

	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/internal/invariant"
)

// CountLeaf is the name of leaf 0 of every tensor: the number of rows.
const CountLeaf = "n"

// A makes an access.
func A(tensor, leaf string, args ...Arg) *Access {
	return &Access{Tensor: tensor, Leaf: leaf, Args: args}
}

// Ix makes an argument of an access out of an index.
func Ix(x Index) Arg { return Arg{Index: x} }

// Ixs makes arguments out of indices.
func Ixs(idxs ...Index) []Arg {
	out := make([]Arg, len(idxs))
	for i, x := range idxs {
		out[i] = Ix(x)
	}
	return out
}

// Number makes an argument that binds a mode to a number, given as text.
func Number(text string) Arg { return Arg{Const: &Const{Text: text}} }

// Text makes an argument that binds a mode to a value whose text form is s.
func Text(s string) Arg { return Arg{Const: &Const{Text: s, Quoted: true}} }

// Param makes an argument that binds a mode to statement parameter $n, n >= 1.
func Param(n int) Arg { return Arg{Const: &Const{Param: n}} }

// Null makes an argument that matches nothing.
func Null() Arg { return Arg{Const: &Const{Null: true}} }

// Int makes a literal of element type I64.
func Int(v int64) *Literal { return &Literal{Elem: semiring.I64, I: semiring.FromInt64(v)} }

// Wide makes a literal of element type I128.
func Wide(v semiring.Int128) *Literal { return &Literal{Elem: semiring.I128, I: v} }

// Float makes a literal of element type F64.
func Float(v float64) *Literal { return &Literal{Elem: semiring.F64, F: v} }

// Apply makes a map. An associative operator over one argument is that
// argument.
func Apply(op semiring.Op, args ...Expr) Expr {
	if len(args) == 1 && op.Info().Assoc {
		return args[0]
	}
	info := op.Info()
	invariant.Check(len(args) >= info.ArgsMin && len(args) <= info.ArgsMax, "einsum: %q over %d arguments", op, len(args))
	return &Map{Op: op, Args: args}
}

// Mul makes a product.
func Mul(args ...Expr) Expr { return Apply(semiring.Mul, args...) }

// Add makes a sum of terms; Sum aggregates.
func Add(args ...Expr) Expr { return Apply(semiring.Add, args...) }

// Sub makes a difference.
func Sub(a, b Expr) Expr { return Apply(semiring.Sub, a, b) }

// Guarded makes guard(x, conds...): x where all conditions are not zero.
func Guarded(x Expr, conds ...Expr) Expr {
	if len(conds) == 0 {
		return x
	}
	return Apply(semiring.Guard, append([]Expr{x}, conds...)...)
}

// Reduce makes an aggregate. Over no indices it is its argument, unless a
// guard in the argument needs the aggregate.
func Reduce(op semiring.Op, idxs []Index, arg Expr) Expr {
	if len(idxs) == 0 && !hasOpenGuard(arg) {
		return arg
	}
	return &Agg{Op: op, Idxs: idxs, Arg: arg}
}

// Sum makes the aggregate sum over idxs.
func Sum(idxs []Index, arg Expr) Expr { return Reduce(semiring.Add, idxs, arg) }

// hasOpenGuard reports whether e has a guard that no aggregate in e encloses.
func hasOpenGuard(e Expr) bool {
	found := false
	Walk(e, func(e Expr) bool {
		switch e := e.(type) {
		case *Agg:
			return false
		case *Map:
			found = found || e.Op == semiring.Guard
		}
		return !found
	})
	return found
}

// Names hands out names that are not taken yet.
type Names struct{ taken map[string]bool }

// NewNames starts with the given names taken.
func NewNames(taken ...string) *Names {
	n := &Names{taken: map[string]bool{}}
	for _, t := range taken {
		n.taken[t] = true
	}
	return n
}

// Take marks a name as taken and reports whether it was free.
func (n *Names) Take(name string) bool {
	free := !n.taken[name]
	n.taken[name] = true
	return free
}

// TakeIndices marks the names of all indices of e, free and bound.
func (n *Names) TakeIndices(e Expr) {
	for _, x := range Indices(e) {
		n.taken[x.Name] = true
	}
}

// Fresh returns base, or base followed by the first number that makes it new,
// and takes it.
func (n *Names) Fresh(base string) string {
	name := base
	for i := 1; !n.Take(name); i++ {
		name = base + strconv.Itoa(i)
	}
	return name
}
