package tensor

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/einsum/expr"
	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/fibers"
	"github.com/trireme-db/trireme/optimizer"
	"github.com/trireme-db/trireme/optimizer/logical"
	"github.com/trireme-db/trireme/optimizer/physical"
	"github.com/trireme-db/trireme/optimizer/stats"
)

// Options are ways to plan and run. The zero value is the default.
type Options struct {
	// Semiring is that of an Einstein summation; a program says its own operators.
	Semiring expr.Semiring
	// Threads is how many goroutines may run a step; 0: one. Results do not depend
	// on it.
	Threads int
	// MemoryLimitBytes bounds intermediate and final results and workspaces; 0: no
	// bound. Beyond it Run fails with ErrMemory.
	MemoryLimitBytes int64
	// Outputs names queries of a program whose results are wanted beside the last one's.
	Outputs []string
	// Search says how the order of elimination is searched.
	Search logical.Search
	// Settled says that a program is good as it is: no equal one is searched for.
	Settled bool
}

// Plan is a program with its tensors, ready to run, any number of times and by
// several goroutines.
type Plan struct {
	opt      Options
	program  *einsum.Program
	tensors  map[string]*Tensor
	sizes    map[int]int // of domains
	last     string
	logical  *logical.Plan
	physical *physical.Plan
}

// Prepare plans a program over tensors by name. Of a declared input the tensor
// must have the modes and the leaves; its element types and facts are measured,
// not believed. Modes over one domain share their coordinates. The program has no
// parameters.
func Prepare(ctx context.Context, p *einsum.Program, tensors map[string]*Tensor, opt Options) (*Plan, error) {
	if err := p.Check(); err != nil {
		return nil, err
	}
	for _, q := range p.Queries {
		if l := q.Unlike(); l > 0 {
			return nil, q.UnlikeError(l)
		}
	}
	plan := &Plan{opt: opt, tensors: map[string]*Tensor{}, sizes: map[int]int{}, last: p.Queries[len(p.Queries)-1].Name}
	for _, in := range p.Inputs {
		t, ok := tensors[in.Name]
		if !ok {
			return nil, fmt.Errorf("tensor: there is no tensor %s", in.Name)
		}
		if err := fits(in, t); err != nil {
			return nil, err
		}
		plan.tensors[in.Name] = t
	}
	plan.program = p.WithoutDiagonals(func(in, diagonal *einsum.Input, of []int) {
		plan.tensors[diagonal.Name] = plan.tensors[in.Name].diagonal(of)
	})
	for i, in := range plan.program.Inputs {
		t := plan.tensors[in.Name]
		for m, d := range in.Domains {
			plan.sizes[d] = max(plan.sizes[d], t.coo.Dims[m])
		}
		plan.program.Inputs[i] = t.declare(in.Name, in.Domains)
	}
	return plan, plan.make(ctx)
}

// fits reports what an input's declaration asks for and its tensor lacks.
func fits(in *einsum.Input, t *Tensor) error {
	if len(in.Domains) != t.Modes() {
		return fmt.Errorf("tensor: %s is declared with %d modes, the tensor has %d", in.Name, len(in.Domains), t.Modes())
	}
	for _, l := range in.Leaves {
		c, err := t.Column(l.Name)
		if err != nil {
			return fmt.Errorf("tensor: %s is declared with leaf %s, which the tensor lacks", in.Name, l.Name)
		}
		if c.IsFloat() != (l.Elem == semiring.F64) {
			return fmt.Errorf("tensor: leaf %s of %s is declared as %s, the tensor's is %s", l.Name, in.Name, l.Elem, c.leaf.Elem)
		}
	}
	return nil
}

// make plans.
func (p *Plan) make(ctx context.Context) error {
	wanted := logical.SymmetryWanted(p.program)
	src := &source{plan: p, known: map[string]stats.TensorStats{}}
	for _, in := range p.program.Inputs {
		t := p.tensors[in.Name]
		if wanted[in.Name] {
			found, err := t.coo.Symmetry(ctx)
			if err != nil {
				return err
			}
			in.Symmetric, in.Hollow = found.Symmetric, found.Hollow
		}
		var err error
		if src.known[in.Name], err = t.describe(ctx, in.Domains, p.sizes); err != nil {
			return err
		}
	}
	outputs := map[string]bool{}
	for _, name := range p.opt.Outputs {
		if !slices.ContainsFunc(p.program.Queries, func(q *einsum.Query) bool { return q.Name == name }) {
			return fmt.Errorf("tensor: the program has no query %s", name)
		}
		if name != p.last {
			outputs[name] = true
		}
	}
	opt := optimizer.Options{
		Search: p.opt.Search, Settled: p.opt.Settled, BudgetBytes: float64(p.opt.MemoryLimitBytes),
		Needed: map[string]bool{p.last: true}, Outputs: outputs,
	}
	var err error
	p.logical, p.physical, err = optimizer.Optimize(p.program, src, opt)
	return err
}

// source tells the planner about the tensors.
type source struct {
	plan  *Plan
	known map[string]stats.TensorStats
}

// Stats implements stats.Source: exact figures, but of an access with constants,
// which are taken to keep as many entries as any other coordinate that occurs.
func (s *source) Stats(a *einsum.Access) stats.TensorStats {
	all := s.known[a.Tensor]
	if !slices.ContainsFunc(a.Args, func(x einsum.Arg) bool { return x.Const != nil }) {
		return all
	}
	out := stats.TensorStats{NNZ: all.NNZ}
	for m, arg := range a.Args {
		if arg.Const != nil {
			out.NNZ /= max(all.Distinct[m], 1)
			continue
		}
		out.Dims, out.Distinct = append(out.Dims, all.Dims[m]), append(out.Distinct, all.Distinct[m])
	}
	for i := range out.Distinct {
		out.Distinct[i] = min(out.Distinct[i], max(1, out.NNZ))
	}
	return out
}

// String prints the program, and the plan as it runs.
func (p *Plan) String() string {
	return "TENSOR PROGRAM\n" + p.program.String() + "\nLOGICAL PLAN\n" + p.logical.String() + "\nPHYSICAL PLAN\n" + p.physical.String()
}

// Logical is the plan's elimination order.
func (p *Plan) Logical() *logical.Plan { return p.logical }

// Physical is the plan's loops, layouts and protocols.
func (p *Plan) Physical() *physical.Plan { return p.physical }

// coordinate is the coordinate that a constant names; false where there is none.
func coordinate(k *einsum.Const, size int) (fibers.Coord, bool) {
	c, err := strconv.Atoi(k.Text)
	return fibers.Coord(c), err == nil && c >= 0 && c < size
}

// ErrMemory is returned when a run needs more than Options.MemoryLimitBytes.
var ErrMemory = errors.New("tensor: the memory limit is not enough")
