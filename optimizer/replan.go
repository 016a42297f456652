package optimizer

import (
	"maps"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/internal/invariant"
	"github.com/trireme-db/trireme/optimizer/logical"
	"github.com/trireme-db/trireme/optimizer/physical"
	"github.com/trireme-db/trireme/optimizer/stats"
)

// Replan plans again what remains of a plan whose first done steps (at least
// one) are materialised. src answers for the inputs and for the results of those
// steps, by their true figures. The new plans compute the same result; their
// inputs are the plan's and the materialised steps, of which equal steps are
// read, not computed again (OPTIMIZER D, feedback). Orders and formats are chosen
// anew; what the program was rewritten to stays, for that search takes as long as a
// small program runs, and steps that are done were made for it.
func Replan(p *logical.Plan, done int, src stats.Source, opt Options) (*logical.Plan, *physical.Plan, error) {
	invariant.Check(0 < done && done < len(p.Steps), "optimizer: %d of %d steps done", done, len(p.Steps))
	rest := &einsum.Program{Inputs: materialised(p, done), Queries: p.Steps[done-1].Rest}
	opt.Done = opt.Done[:len(opt.Done):len(opt.Done)]
	for _, s := range p.Steps[:done] {
		opt.Done = append(opt.Done, s.Query)
	}
	opt.Settled = opt.Settled || opt.StoredMax == 0 // to store less others may do
	lp, pp, err := Optimize(rest, src, opt)
	if err != nil {
		return nil, nil, err
	}
	out := *lp
	out.Answered = maps.Clone(lp.Answered)
	if out.Answered == nil {
		out.Answered = map[string]logical.Answered{}
	}
	for q, a := range p.Answered {
		if have := out.Answered[q]; have.Step == "" && stands(p, done, a.Step) {
			out.Answered[q] = a
		}
	}
	return &out, pp, nil
}

// stands reports whether a tensor exists once the first done steps have run.
func stands(p *logical.Plan, done int, name string) bool {
	for _, s := range p.Steps[:done] {
		if s.Query.Name == name {
			return true
		}
	}
	for _, in := range p.Inputs {
		if in.Name == name {
			return true
		}
	}
	return false
}

// materialised declares the plan's inputs and the results of its first steps.
func materialised(p *logical.Plan, done int) []*einsum.Input {
	inputs := p.Inputs[:len(p.Inputs):len(p.Inputs)]
	elems := map[[2]string]semiring.Elem{}
	for _, in := range inputs {
		for _, l := range in.Leaves {
			elems[[2]string{in.Name, l.Name}] = l.Elem
		}
	}
	of := func(a *einsum.Access) semiring.Elem { return elems[[2]string{a.Tensor, a.Leaf}] }
	for _, s := range p.Steps[:done] {
		in := &einsum.Input{Name: s.Query.Name}
		for _, x := range s.Query.Idxs {
			in.Domains = append(in.Domains, x.Domain)
		}
		for _, l := range s.Query.Leaves {
			elem := max(semiring.I64, einsum.ElemOf(l.Expr, of))
			elems[[2]string{in.Name, l.Name}] = elem
			in.Leaves = append(in.Leaves, einsum.LeafDecl{Name: l.Name, Elem: elem})
		}
		inputs = append(inputs, in)
	}
	return inputs
}
