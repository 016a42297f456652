package physical

import (
	"slices"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/einsum/format"
	"github.com/trireme-db/trireme/einsum/semiring"
)

// lockstep marks steps that run a block of coordinates at a time together with the one
// step that reads them, as the sums over the tables of a UNION ALL do with the sum of
// these sums: what they make of a block is read while it is in the first level cache,
// and nothing is stored.
//
// Counter-examples: a step whose outer loop is over another index has no entry ready
// before it ends; integers may overflow, and the step would have to run again with
// wider ones; blocks of a result with few entries for its coordinates are mostly empty.
func (f *fuser) lockstep() {
	for i, reader := range f.plan.Steps {
		if !f.plan.maps(i) || !f.fills(reader) {
			continue
		}
		var parts []int
		for k := range reader.Operands {
			if j := f.plan.numberOf(reader.Operands[k].Tensor); j >= 0 && f.pacing(j) {
				parts = append(parts, j)
			}
		}
		if len(parts) < len(reader.Operands) || f.opt.Any != nil && f.opt.Any.IntN(3) == 0 {
			continue
		}
		for _, j := range parts {
			s := *f.plan.Steps[j]
			s.Output.Lockstep = true
			f.plan.Steps[j] = &s
		}
	}
}

// pacing reports whether step j may run in lockstep with the only step that reads it.
func (f *fuser) pacing(j int) bool {
	s := f.plan.Steps[j]
	return f.plan.paced(j) && f.fills(s) && !f.opt.Outputs[s.Query.Name] && len(f.readers[s.Query.Name]) == 1
}

// fills reports whether a step's result is expected to have entries for a good part of
// the coordinates.
func (f *fuser) fills(s *Step) bool {
	return f.opt.Any != nil || s.Output.Formats[0] == format.Bytemap
}

// numberOf is the number of the step of a name; -1: it is an input.
func (p *Plan) numberOf(name string) int {
	return slices.IndexFunc(p.Steps, func(s *Step) bool { return s.Query.Name == name })
}

// taker reports whether step i takes the entries of the step before it as they come.
func (p *Plan) taker(i int) bool { return i > 0 && p.Steps[i-1].Output.Fused }

// maps reports whether step i does nothing but compute entries of one index from those
// of several tensors with the same coordinate.
func (p *Plan) maps(i int) bool {
	s := p.Steps[i]
	if len(s.Loops) != 1 || len(s.Loops[0].Masks) > 0 || len(s.Output.Order) != 1 || s.Output.Workspace != format.None ||
		s.Output.Fused || s.Output.Flat || s.Output.Lockstep || p.taker(i) || len(s.Operands) < 2 {
		return false
	}
	for k := range s.Operands {
		o := &s.Operands[k]
		if len(o.Args) != 1 || o.Args[0].Const != nil || reads(s, o.Tensor) > 1 {
			return false
		}
	}
	return true
}

// paced reports whether step i gives its entries block by block: its outermost loop is
// over the only index of its result, and nothing that it computes can overflow or is
// better computed once for all of them.
func (p *Plan) paced(i int) bool {
	s := p.Steps[i]
	if len(s.Output.Order) != 1 || s.Output.Prefix != 1 || s.Output.Fused || s.Output.Flat || p.taker(i) {
		return false
	}
	if slices.ContainsFunc(s.Output.Elems, func(e semiring.Elem) bool { return e != semiring.Pattern && e != semiring.F64 }) {
		return false
	}
	if slices.ContainsFunc(s.Operands, func(o Operand) bool { return p.inLockstep(o.Tensor) }) {
		return false
	}
	return !slices.ContainsFunc(s.Query.Leaves, func(l einsum.Leaf) bool { return !sumOfProducts(l.Expr) })
}

// LockstepOf returns the steps that run in lockstep with a step, in the order of its
// operands.
func (p *Plan) LockstepOf(reader *Step) []*Step {
	var out []*Step
	for i := range reader.Operands {
		if j := p.numberOf(reader.Operands[i].Tensor); j >= 0 && p.Steps[j].Output.Lockstep {
			out = append(out, p.Steps[j])
		}
	}
	return out
}

// inLockstep reports whether a tensor is a step in lockstep with its reader.
func (p *Plan) inLockstep(name string) bool {
	j := p.numberOf(name)
	return j >= 0 && p.Steps[j].Output.Lockstep
}

// sumOfProducts reports whether an expression adds and multiplies values, if under
// conditions: others may be mapped before the loops run (exec.hoist).
func sumOfProducts(x einsum.Expr) bool {
	is := true
	einsum.Walk(x, func(x einsum.Expr) bool {
		if m, ok := x.(*einsum.Map); ok {
			switch m.Op {
			case semiring.Add, semiring.Plus, semiring.Sub, semiring.Neg, semiring.Mul, semiring.And, semiring.Or, semiring.Guard:
			default:
				is = false
			}
		}
		return is
	})
	return is
}
