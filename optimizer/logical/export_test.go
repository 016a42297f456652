package logical

import (
	"slices"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/optimizer/stats"
)

// EliminatePerturbed is Eliminate with the costs of steps multiplied: orders that
// no estimate would choose are planned, too.
func EliminatePerturbed(p *einsum.Program, src stats.Source, opt Options, perturb func(atoms uint64) float64) (*Plan, error) {
	pl := newPlanner(p, src, opt)
	pl.perturb = perturb
	return pl.run()
}

// SearchCost is the cost of the best order that a search finds for a program's
// only query, and the work that it takes; ok is false for a query of one step.
func SearchCost(p *einsum.Program, src stats.Source, opt Options) (cost float64, work int, ok bool) {
	pl := newPlanner(p, src, opt)
	q := p.Queries[0]
	b, err := NewBody(q)
	if err != nil {
		return 0, 0, false
	}
	e, ok := newElimination(pl, q, b)
	if !ok {
		return 0, 0, false
	}
	st := newStructure(e)
	cost = 0
	var done []label
	var all uint64
	comps := st.components()
	for _, c := range comps {
		all |= c
	}
	for _, c := range comps {
		if s := st.component(c, done); s.left != 0 {
			best := st.find(s, all, pl.opt.Search, defaultBudget)
			cost += best.cost + st.rest(best.nodes)
			done = best.done
		}
	}
	return cost, st.work, true
}

// BreakSymmetryAlways is the program that BreakSymmetry plans, whatever it costs.
func BreakSymmetryAlways(p *einsum.Program) *einsum.Program {
	s := newSymmetry(p)
	qs := p.Queries
	for at := 0; at < len(qs); at++ {
		if broken := s.broken(qs, at); broken != nil {
			qs = slices.Concat(qs[:at], broken, qs[at+1:])
			at += len(broken) - 1
		}
	}
	return &einsum.Program{Inputs: p.Inputs, Queries: qs}
}
