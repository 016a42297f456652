package physical

import (
	"fmt"
	"math"
	"slices"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/optimizer/logical"
)

// Costs of handing entries on, in units of walking one entry (BenchmarkFusedJoin in
// fibers/exec).
const (
	// storeCost makes an entry of a stored result and reads it: its chunk, the
	// levels, the reader's loop.
	storeCost = 10.0
	// handCost is entering the reader's inner loops for an entry, and handLookup
	// finding an operand's entry for it, in place of the reader's own loops, whose
	// two innermost would run as one.
	handCost   = 30.0
	handLookup = 3.0
	// foldCost is taking an entry where there are no loops.
	foldCost = 3.0
)

// fuser puts steps together.
type fuser struct {
	plan  *Plan
	names map[string]bool
	opt   Options
	// readers are the steps that read a tensor, by their numbers.
	readers map[string][]int
}

// Fuse marks steps whose result need not be stored: the next step takes the
// entries as they come (OPTIMIZER section F, template Row; P7). An aggregate of
// an aggregate then costs the memory of one fiber, not of the inner result.
//
// A reader that does nothing but fold the entries always takes them. One that
// joins them with tensors, loops inside of them or compares their indices takes
// them where both walk the same outer indices, if that costs less than storing
// them or if they are expected to take too much of the memory. A result that
// several steps read is computed once for each on the same conditions.
//
// Counter-examples: a reader whose outer loop is over another index would have to
// compute the result again for each of its coordinates; where the result fits, the
// reader's own loops over it are faster than one entry after the other.
//
// What a map of several steps' entries reads runs in lockstep with it (lockstep.go).
func Fuse(p *Plan, opt Options) *Plan {
	f := &fuser{plan: &Plan{Inputs: p.Inputs, Steps: slices.Clone(p.Steps)}, names: map[string]bool{}, opt: opt}
	for _, in := range p.Inputs {
		f.names[in.Name] = true
	}
	for _, s := range p.Steps {
		f.names[s.Query.Name] = true
	}
	f.index()
	f.duplicate()
	out := f.plan
	for i := 0; i+1 < len(out.Steps); i++ {
		if !f.fusible(i) || !f.pays(out.Steps[i], out.Steps[i+1]) {
			continue
		}
		s := *out.Steps[i]
		s.Output.Fused = true
		out.Steps[i] = &s
		i++ // a step that takes entries as they come hands on none
	}
	f.lockstep()
	return out
}

// index lists the readers of every tensor.
func (f *fuser) index() {
	f.readers = map[string][]int{}
	for i, s := range f.plan.Steps {
		for k := range s.Operands {
			name := s.Operands[k].Tensor
			if at := f.readers[name]; len(at) == 0 || at[len(at)-1] != i {
				f.readers[name] = append(at, i)
			}
		}
	}
}

// fusible is Plan.fusible for a result that only steps read.
func (f *fuser) fusible(i int) bool {
	s := f.plan.Steps[i]
	at := f.readers[s.Query.Name]
	return !f.opt.Outputs[s.Query.Name] && len(at) == 1 && at[0] == i+1 && takes(f.plan.Steps[i+1], s)
}

// fusible reports whether step i may hand its entries to step i+1.
func (p *Plan) fusible(i int) bool {
	for _, later := range p.Steps[i+2:] {
		if reads(later, p.Steps[i].Query.Name) > 0 {
			return false
		}
	}
	return takes(p.Steps[i+1], p.Steps[i])
}

// reads counts the operands of a step that are the named tensor.
func reads(s *Step, name string) int {
	n := 0
	for i := range s.Operands {
		if s.Operands[i].Tensor == name {
			n++
		}
	}
	return n
}

// takes reports whether the reader can take the entries of step s as they come: it
// reads them through one operand, which every cell has, and its outer loops are
// over the result's indices in the order in which the entries come. Flat steps have no loops.
func takes(reader, s *Step) bool {
	order := s.Output.Order
	if len(order) == 0 || s.Output.Flat || reader.Output.Flat || reads(reader, s.Query.Name) != 1 || len(reader.Loops) < len(order) {
		return false
	}
	at := slices.IndexFunc(reader.Operands, func(o Operand) bool { return o.Tensor == s.Query.Name })
	idxs := reader.Operands[at].Indices()
	if len(idxs) != len(order) || !requires(reader, at) {
		return false // a constant, a diagonal, or cells without an entry
	}
	for d, x := range idxs {
		if reader.Loops[d].Index != x || slices.Contains(idxs[:d], x) {
			return false
		}
	}
	return !nested(reader, s) || s.Output.Prefix > 0
}

// requires reports whether every cell of the step has an entry of the operand.
func requires(s *Step, operand int) bool {
	body, err := logical.NewBody(s.Query)
	if err != nil {
		return false
	}
	for _, set := range body.Presence(s.Query.Leaves[0].Expr) {
		if set&(1<<operand) == 0 {
			return false
		}
	}
	return true
}

// nested reports whether the reader of step s does more than fold its entries.
func nested(reader, s *Step) bool {
	return len(reader.Operands) > 1 || len(reader.Loops) > len(s.Output.Order) ||
		slices.ContainsFunc(reader.Loops, func(l Loop) bool { return len(l.Masks) > 0 })
}

// pays reports whether the reader takes the entries of step s for less than storing
// them costs.
func (f *fuser) pays(s, reader *Step) bool {
	if f.opt.Any != nil {
		return f.opt.Any.IntN(3) > 0
	}
	return !nested(reader, s) || handing(reader, s) < f.storing(s)
}

// handing is the cost of taking the entries of step s as they come.
func handing(reader, s *Step) float64 {
	if !nested(reader, s) {
		return foldCost * s.OutNNZ
	}
	cost := handCost
	for i := range reader.Operands {
		for _, x := range reader.Operands[i].Indices() {
			if slices.Contains(s.Output.Order, x) && reader.Operands[i].Tensor != s.Query.Name {
				cost += handLookup
			}
		}
	}
	return cost * s.OutNNZ
}

// storing is the cost of storing and reading the result of step s; no bound when it
// is expected to take too much of the memory.
func (f *fuser) storing(s *Step) float64 {
	if bytes := 4*float64(len(s.Output.Order)) + valueBytes(s.Output.Elems); bytes*s.OutNNZ > within(f.opt.BudgetBytes) {
		return math.Inf(1)
	}
	return storeCost * s.OutNNZ
}

// duplicate has steps that several others read computed once for each of them,
// where all can take the entries as they come and computing them again costs less
// than storing and reading them (OPTIMIZER section F, materialise or inline).
func (f *fuser) duplicate() {
	for i := 0; i < len(f.plan.Steps); i++ {
		s := f.plan.Steps[i]
		readers := f.readers[s.Query.Name]
		inline := true
		for _, j := range readers {
			inline = inline && takes(f.plan.Steps[j], s) && f.free(j)
		}
		if len(readers) < 2 || !inline || f.opt.Outputs[s.Query.Name] || !f.cheaper(s, readers) {
			continue
		}
		f.inline(i, readers)
	}
}

// free reports whether step j takes no other step's entries: it stands behind none
// that only it reads and that it could take.
func (f *fuser) free(j int) bool {
	return j == 0 || f.plan.Steps[j-1].Output.Fused || !f.fusible(j-1)
}

// cheaper reports whether computing s once per reader costs less than storing it.
func (f *fuser) cheaper(s *Step, readers []int) bool {
	if f.opt.Any != nil {
		return f.opt.Any.IntN(3) > 0
	}
	again := 0.0
	for _, l := range s.Loops {
		again += l.Iterations
	}
	cost := float64(len(readers)-1) * again
	for _, j := range readers {
		reader := f.plan.Steps[j]
		if !f.pays(s, reader) {
			return false
		}
		cost += handing(reader, s)
	}
	return cost < f.storing(s)
}

// inline moves step i to before its first reader, and puts a copy before each
// further one.
func (f *fuser) inline(i int, readers []int) {
	s := f.plan.Steps[i]
	var steps []*Step
	for j, step := range f.plan.Steps {
		at := slices.Index(readers, j)
		switch {
		case j == i:
			continue
		case at == 0:
			steps = append(steps, s)
		case at > 0:
			twin := *s
			twin.Query = &einsum.Query{Name: f.fresh(s.Query.Name, at), Idxs: s.Query.Idxs, Leaves: s.Query.Leaves}
			steps = append(steps, &twin)
			step = step.reading(s.Query.Name, twin.Query.Name)
		}
		steps = append(steps, step)
	}
	f.plan.Steps = steps
	f.index()
}

// reading is the step with another tensor in place of one that it reads.
func (s *Step) reading(from, to string) *Step {
	out := *s
	out.Operands = slices.Clone(s.Operands)
	for i := range out.Operands {
		if o := &out.Operands[i]; o.Tensor == from {
			out.Query = renameOperand(out.Query, *o, to)
			o.Tensor = to
		}
	}
	return &out
}

// fresh names the copy of a step.
func (f *fuser) fresh(name string, number int) string {
	name = fmt.Sprintf("%s_f%d", name, number)
	for f.names[name] {
		name += "_"
	}
	f.names[name] = true
	return name
}
