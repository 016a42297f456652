package tensor

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/fibers"
	"github.com/trireme-db/trireme/fibers/exec"
	"github.com/trireme-db/trireme/internal/invariant"
	"github.com/trireme-db/trireme/optimizer/physical"
)

// Run executes the plan and returns the result of the program's last query.
// Errors: those of the context, ErrMemory, exec.ErrOverflow of integers beyond 128
// bits, exec.ErrDomain of functions outside their domain.
func (p *Plan) Run(ctx context.Context) (*Tensor, error) {
	all, err := p.RunAll(ctx)
	if err != nil {
		return nil, err
	}
	return all[p.last], nil
}

// RunAll is Run that returns the results of Options.Outputs as well, by name.
func (p *Plan) RunAll(ctx context.Context) (map[string]*Tensor, error) {
	r := &run{plan: p, results: map[string]*result{}, memory: &memory{limit: p.opt.MemoryLimitBytes}}
	r.pool = exec.NewPool(r.memory)
	last := r.lastUses()
	for at := 0; at < len(p.physical.Steps); {
		n, err := r.step(ctx, at)
		if errors.Is(err, exec.ErrBudget) {
			err = ErrMemory
		}
		if err != nil {
			return nil, err
		}
		at += n
		for name, res := range r.results {
			if last[name] < at {
				r.memory.Hold(-res.tensor.Bytes())
				delete(r.results, name)
			}
		}
	}
	out := map[string]*Tensor{}
	for _, name := range append(slices.Clone(p.opt.Outputs), p.last) {
		t, err := r.results[name].entries(ctx)
		if err != nil {
			return nil, err
		}
		out[name] = t
	}
	return out, nil
}

// run is one execution of a plan.
type run struct {
	plan    *Plan
	results map[string]*result
	memory  *memory
	pool    *exec.Pool
}

// result is a step's tensor; level l stores mode order[l].
type result struct {
	tensor *fibers.Tensor
	order  []int
}

// memory adds up what steps hold.
type memory struct {
	held  atomic.Int64
	limit int64
}

// Hold implements exec.Account.
func (m *memory) Hold(bytes int64) bool {
	held := m.held.Add(bytes)
	return m.limit == 0 || held <= m.limit
}

// lastUses is, by the name of a step, the number of the last step that reads it;
// of results that are wanted it is past the end.
func (r *run) lastUses() map[string]int {
	last := map[string]int{}
	for at, s := range r.plan.physical.Steps {
		for _, part := range append(r.plan.physical.LockstepOf(s), s) { // which run now
			for i := range part.Operands {
				last[part.Operands[i].Tensor] = at
			}
		}
	}
	for _, name := range append(slices.Clone(r.plan.opt.Outputs), r.plan.last) {
		last[name] = len(r.plan.physical.Steps)
	}
	return last
}

// step runs the step at a place, with the one that takes its entries if it is not
// stored, and returns how many that were.
func (r *run) step(ctx context.Context, at int) (int, error) {
	steps := r.plan.physical.Steps
	step := steps[at]
	if step.Output.Lockstep {
		return 1, nil // it waits for the step that reads it
	}
	if t, err := r.lockstep(ctx, step); t != nil || err != nil {
		r.keep(step, t)
		return 1, err
	}
	if !step.Output.Fused {
		return 1, r.alone(ctx, step)
	}
	in, err := r.inputs(ctx, step, "")
	if err != nil {
		return 0, err
	}
	into := steps[at+1]
	intoIn, err := r.inputs(ctx, into, step.Query.Name)
	if err != nil {
		return 0, err
	}
	t, _, err := exec.RunFused(ctx, step, into, in, intoIn, r.options(), nil)
	r.keep(into, t)
	return 2, err
}

func (r *run) options() exec.Options {
	return exec.Options{Threads: r.plan.opt.Threads, Account: r.memory, Pool: r.pool}
}

// alone runs one step.
func (r *run) alone(ctx context.Context, step *physical.Step) error {
	in, err := r.inputs(ctx, step, "")
	if err != nil {
		return err
	}
	t, _, err := exec.RunStep(ctx, step, in, r.options())
	r.keep(step, t)
	return err
}

// lockstep runs a step with those in lockstep with it; nil: there are none, or they
// have been run one after the other.
func (r *run) lockstep(ctx context.Context, step *physical.Step) (*fibers.Tensor, error) {
	var parts []exec.Part
	for _, part := range r.plan.physical.LockstepOf(step) {
		in, err := r.inputs(ctx, part, "")
		if err != nil {
			return nil, err
		}
		parts = append(parts, exec.Part{Step: part, In: in})
	}
	if len(parts) == 0 {
		return nil, nil
	}
	t, _, err := exec.RunLockstep(ctx, parts, step, r.sizes(step), r.options())
	if !errors.Is(err, exec.ErrNoLockstep) {
		return t, err
	}
	for _, part := range parts {
		if err := r.alone(ctx, part.Step); err != nil {
			return nil, err
		}
	}
	return nil, nil
}

// keep stores a step's tensor.
func (r *run) keep(step *physical.Step, t *fibers.Tensor) {
	res := &result{tensor: t}
	for _, x := range step.Output.Order {
		res.order = append(res.order, slices.Index(step.Query.Idxs, x))
	}
	r.results[step.Query.Name] = res
}

// sizes are a step's inputs without tensors.
func (r *run) sizes(step *physical.Step) exec.Inputs {
	in := exec.Inputs{Dims: map[string]int{}}
	for _, l := range step.Loops {
		in.Dims[l.Index.Name] = r.plan.sizes[l.Index.Domain]
	}
	return in
}

// inputs binds a step to its tensors, but for operands that are the named step.
func (r *run) inputs(ctx context.Context, step *physical.Step, fused string) (exec.Inputs, error) {
	in := r.sizes(step)
	for i := range step.Operands {
		o := &step.Operands[i]
		if fused != "" && o.Tensor == fused {
			in.Operands = append(in.Operands, nil)
			continue
		}
		t, err := r.operand(ctx, o)
		if err != nil {
			return in, err
		}
		in.Operands = append(in.Operands, t)
	}
	return in, nil
}

func (r *run) operand(ctx context.Context, o *physical.Operand) (t *fibers.Tensor, err error) {
	if res, ok := r.results[o.Tensor]; ok {
		invariant.Check(slices.Equal(res.order, o.Order), "tensor: step %s is read in another order", o.Tensor)
		t = res.tensor
	} else if t, err = r.plan.tensors[o.Tensor].layout(ctx, o.Order, o.Formats); err != nil {
		return nil, err
	}
	for _, m := range o.Order {
		k := o.Args[m].Const
		if k == nil {
			break
		}
		if c, ok := coordinate(k, t.Dims[0]); ok {
			t = t.Fix(c)
		} else {
			t = fibers.Empty(t.Dims[1:], t.Leaves)
		}
	}
	return t, nil
}

// entries lists a result with its modes in the query's order.
func (res *result) entries(ctx context.Context) (*Tensor, error) {
	coo, err := res.tensor.Entries(ctx)
	if err != nil || slices.IsSorted(res.order) {
		return &Tensor{coo: coo}, err
	}
	columns := make([]int, len(res.order))
	for l, m := range res.order {
		columns[m] = l
	}
	coo, err = coo.Reordered(ctx, columns)
	return &Tensor{coo: coo}, err
}

// Run plans and runs a program in the notation of package einsum.
func Run(ctx context.Context, program string, tensors map[string]*Tensor, opt Options) (*Tensor, error) {
	p, err := einsum.Parse(program)
	if err != nil {
		return nil, err
	}
	plan, err := Prepare(ctx, p, tensors, opt)
	if err != nil {
		return nil, err
	}
	return plan.Run(ctx)
}
