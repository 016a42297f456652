// Package optimizer turns a tensor program into plans: Program in, logical and
// physical plan out. It is a table of passes; the work is in its subpackages.
//
// # Invariants
//
//	O1. A pass never changes its input: programs and plans are values.
//	O2. Every pass's result satisfies its dialect's Check: Program.Check,
//	    logical L1 to L3, physical P1 to P5. The checks run under the build tag
//	    "invariants".
//	O3. Statistics change plans, never answers: a plan's steps, read as a
//	    program, mean what the program means.
//
// # Where to read next
//
// logical/normalize.go, logical/eliminate.go, physical/build.go; stats for the
// estimates.
package optimizer

import (
	"errors"
	"maps"
	"math/rand/v2"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/internal/invariant"
	"github.com/trireme-db/trireme/optimizer/logical"
	"github.com/trireme-db/trireme/optimizer/network"
	"github.com/trireme-db/trireme/optimizer/physical"
	"github.com/trireme-db/trireme/optimizer/stats"
)

// Options choose among ways to plan. The zero value is the default.
type Options struct {
	// Estimator defaults to stats.Best.
	Estimator stats.Estimator
	// Needed names the queries that the plan must have, as steps or as what
	// another step answers, because something beside the program reads them. Nil
	// says all; others may be merged with what reads them.
	Needed map[string]bool
	// Outputs are queries, beside the last, that are read when the program has run:
	// each is a step of its own name, modes and leaves, and is stored.
	Outputs map[string]bool
	// Done are queries computed before; their results are inputs of the program
	// under their names, and equal steps read them.
	Done []*einsum.Query
	// Settled says that the program is the steps of a plan, changed so that the same
	// rewrites are good for it: none are searched.
	Settled bool
	// Search says how elimination orders are searched.
	Search logical.Search
	// BudgetBytes is the memory of the execution, for the formats of results; 0: no
	// bound.
	BudgetBytes float64
	// Any, when not nil, chooses loop orders, workspaces, formats and fusions at
	// random among those that are legal: for tests, since answers do not depend on
	// them.
	Any *rand.Rand
	// StoredMax bounds the entries of a step that the program does not name; 0: no
	// bound. Plans then store less and compute more.
	StoredMax float64
	// Stopped is asked between the passes and between the queries that they plan: its error
	// ends the planning, which is not cut short otherwise. Nil: nothing stops it.
	Stopped func() error
}

func (o Options) logical() logical.Options {
	return logical.Options{Estimator: o.estimator(), Needed: o.Needed, Outputs: o.Outputs, Done: o.Done, Search: o.Search, StoredMax: o.StoredMax, UniteAll: o.Any != nil, Stopped: o.Stopped}
}

func (o Options) physical() physical.Options {
	return physical.Options{Estimator: o.estimator(), BudgetBytes: o.BudgetBytes, Outputs: o.Outputs, Any: o.Any}
}

// manySteps is the number of steps beyond which their sizes are estimated by entries and
// distinct coordinates alone: what degrees and bounds would tell of a thousand steps
// takes longer than it saves.
const manySteps = 24

// sparing are the options for a plan of many steps, or of a network's.
func (o Options) sparing() Options {
	if o.Estimator == nil {
		o.Estimator = stats.Uniform{}
	}
	return o
}

func (o Options) estimator() stats.Estimator {
	if o.Estimator == nil {
		return stats.Best{}
	}
	return o.Estimator
}

// state is what the passes hand on; a pass fills the next field.
type state struct {
	program  *einsum.Program
	logical  *logical.Plan
	physical *physical.Plan
	// steps are the queries that a network was divided into. Their path was searched
	// for: no other program is, and none is put into another; true for those that are
	// one kernel.
	steps map[string]bool
}

// pass is one row of the table: what it does, and the check of its result.
type pass struct {
	name  string
	run   func(s *state, src stats.Source, opt Options) error
	check func(s *state) error
}

var logicalPasses = []pass{
	{
		name: "divide",
		run: func(s *state, src stats.Source, _ Options) error {
			divided, steps, err := network.Divide(s.program, src)
			if err != nil {
				return err
			}
			s.program, s.steps = divided, steps
			return nil
		},
		check: func(s *state) error { return s.program.Check() },
	},
	{
		name: "normalize",
		run: func(s *state, _ stats.Source, _ Options) (err error) {
			s.program, err = logical.Normalize(s.program)
			return err
		},
		check: func(s *state) error { return s.program.Check() },
	},
	{
		name: "rewrite",
		run: func(s *state, src stats.Source, opt Options) (err error) {
			if opt.Settled || s.steps != nil {
				return nil
			}
			s.program, err = logical.Rewrite(s.program, src, s.logicalOptions(opt))
			return err
		},
		check: func(s *state) error { return s.program.Check() },
	},
	{
		name: "eliminate",
		run: func(s *state, src stats.Source, opt Options) (err error) {
			s.logical, err = logical.Eliminate(s.program, src, s.logicalOptions(opt))
			return err
		},
		check: func(s *state) error { return s.logical.Check() },
	},
	{
		name: "symmetry",
		run: func(s *state, src stats.Source, opt Options) (err error) {
			s.program, s.logical, err = logical.BreakSymmetry(s.program, s.logical, src, s.logicalOptions(opt))
			return err
		},
		check: func(s *state) error { return errors.Join(s.program.Check(), s.logical.Check()) },
	},
	{
		name: "unite",
		run: func(s *state, src stats.Source, opt Options) (err error) {
			s.logical, err = logical.UniteParts(s.program, s.logical, src, s.logicalOptions(opt))
			return err
		},
		check: func(s *state) error { return s.logical.Check() },
	},
}

var physicalPasses = []pass{
	{
		name: "loops",
		run: func(s *state, src stats.Source, opt Options) (err error) {
			s.physical, err = physical.Build(s.logical, src, opt.physical())
			return err
		},
		check: func(s *state) error { return s.physical.Check() },
	},
	{
		name: "fuse",
		run: func(s *state, _ stats.Source, opt Options) error {
			s.physical = physical.Fuse(s.physical, opt.physical())
			return nil
		},
		check: func(s *state) error { return s.physical.Check() },
	},
}

// logicalOptions are the options, with the steps of networks among the queries that
// stay as they are.
func (s *state) logicalOptions(opt Options) logical.Options {
	if s.steps != nil {
		opt.Needed = maps.Clone(opt.Needed)
		for name := range s.steps {
			opt.Needed[name] = true
		}
	}
	out := opt.logical()
	if s.steps != nil {
		out = opt.sparing().logical()
	}
	out.Whole = s.steps
	return out
}

func (s *state) apply(passes []pass, src stats.Source, opt Options) error {
	for _, p := range passes {
		if opt.Stopped != nil {
			if err := opt.Stopped(); err != nil {
				return err
			}
		}
		if err := p.run(s, src, opt); err != nil {
			return err
		}
		if !invariant.Enabled {
			continue
		}
		if err := p.check(s); err != nil {
			panic(invariant.Failed("after pass %s: %v", p.name, err))
		}
	}
	return nil
}

// Logical plans the elimination of a program that passes Check. Errors are
// *sqlerr.Error: a program that the planner does not support.
func Logical(p *einsum.Program, src stats.Source, opt Options) (*logical.Plan, error) {
	s := &state{program: p}
	if opt.Needed == nil {
		opt.Needed = map[string]bool{}
		for _, q := range p.Queries {
			opt.Needed[q.Name] = true
		}
	}
	if len(opt.Outputs) > 0 {
		opt.Needed = maps.Clone(opt.Needed)
		maps.Copy(opt.Needed, opt.Outputs)
	}
	if err := s.apply(logicalPasses, src, opt); err != nil {
		return nil, err
	}
	s.logical.Sparing = s.steps != nil
	return s.logical, nil
}

// Physical plans how the steps of a logical plan run.
func Physical(lp *logical.Plan, src stats.Source, opt Options) (*physical.Plan, error) {
	s := &state{logical: lp}
	if lp.Sparing || len(lp.Steps) > manySteps {
		opt = opt.sparing()
	}
	if err := s.apply(physicalPasses, src, opt); err != nil {
		return nil, err
	}
	return s.physical, nil
}

// Optimize plans a program to the end.
func Optimize(p *einsum.Program, src stats.Source, opt Options) (*logical.Plan, *physical.Plan, error) {
	lp, err := Logical(p, src, opt)
	if err != nil {
		return nil, nil, err
	}
	pp, err := Physical(lp, src, opt)
	if err != nil {
		return nil, nil, err
	}
	return lp, pp, nil
}
