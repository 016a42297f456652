package tensor

import (
	"context"
	"slices"
	"strconv"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/einsum/expr"
)

// Einsum computes an Einstein summation (package einsum/expr has the notation)
// over operands, whose values are leaf "v". The result's values are, too.
func Einsum(ctx context.Context, expression string, operands []*Tensor, opt Options) (*Tensor, error) {
	plan, err := PrepareEinsum(ctx, expression, operands, opt)
	if err != nil {
		return nil, err
	}
	return plan.Run(ctx)
}

// PrepareEinsum plans an Einstein summation.
func PrepareEinsum(ctx context.Context, expression string, operands []*Tensor, opt Options) (*Plan, error) {
	modes := make([]int, len(operands))
	for i, t := range operands {
		modes[i] = t.Modes()
	}
	e, err := expr.Parse(expression, modes)
	if err != nil {
		return nil, err
	}
	program, tensors := programOf(e, operands, opt.Semiring)
	return Prepare(ctx, program, tensors, opt)
}

// programOf is an expression as a program over tensors t1, t2, ..: an operand
// that is there several times is one tensor.
func programOf(e *expr.Expr, operands []*Tensor, s expr.Semiring) (*einsum.Program, map[string]*Tensor) {
	first := map[*Tensor]int{} // the operand at which a tensor is first
	domains := newSets(len(e.Names))
	names := make([]string, len(operands))
	tensors := map[string]*Tensor{}
	for i, t := range operands {
		if of, ok := first[t]; ok {
			names[i] = names[of]
			for m, id := range e.Terms[i] {
				domains.join(id, e.Terms[of][m])
			}
			continue
		}
		first[t] = i
		names[i] = "t" + strconv.Itoa(i+1)
		tensors[names[i]] = t
	}
	indices := make([]einsum.Index, len(e.Names))
	for id, name := range e.Names {
		indices[id] = einsum.Index{Name: name, Domain: domains.of(id)}
	}
	p := &einsum.Program{}
	for i, t := range operands {
		if first[t] != i {
			continue
		}
		in := t.declare(names[i], make([]int, len(e.Terms[i])))
		for m, id := range e.Terms[i] {
			in.Domains[m] = indices[id].Domain
		}
		p.Inputs = append(p.Inputs, in)
	}
	p.Queries = []*einsum.Query{e.Query("result", s, names, indices)}
	return p, tensors
}

// sets are disjoint sets of numbers.
type sets []int

func newSets(n int) sets {
	s := make(sets, n)
	for i := range s {
		s[i] = i
	}
	return s
}

// of is the number that stands for a set.
func (s sets) of(x int) int {
	for s[x] != x {
		s[x] = s[s[x]]
		x = s[x]
	}
	return x
}

func (s sets) join(x, y int) { s[s.of(max(x, y))] = s.of(min(x, y)) }

// Entries lists a tensor's coordinates as they were given to Floats or Ints, one slice per mode.
func (t *Tensor) Entries() [][]int {
	out := make([][]int, t.Modes())
	for m := range out {
		out[m] = slices.Collect(func(yield func(int) bool) {
			for e := range t.Len() {
				if !yield(t.Coord(m, e)) {
					return
				}
			}
		})
	}
	return out
}
