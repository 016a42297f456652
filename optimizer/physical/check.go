package physical

import (
	"fmt"
	"slices"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/einsum/format"
	"github.com/trireme-db/trireme/optimizer/logical"
)

// Check verifies P1 to P5 and P7 to P10, that the queries are a legal logical plan, and that
// operands, masks and formats agree with them. Its errors are bugs of the
// planner.
func (p *Plan) Check() error {
	lp := &logical.Plan{Inputs: p.Inputs}
	for _, s := range p.Steps {
		lp.Steps = append(lp.Steps, &logical.Step{Query: s.Query})
	}
	if err := lp.Check(); err != nil {
		return fmt.Errorf("physical plan: %w", err)
	}
	stored := map[string]*Step{}
	for _, s := range p.Steps {
		if err := s.check(stored); err != nil {
			return fmt.Errorf("physical plan, step %s: %w", s.Query.Name, err)
		}
		stored[s.Query.Name] = s
	}
	if err := p.checkFused(); err != nil {
		return err
	}
	return p.checkLockstep()
}

// checkLockstep verifies P10.
func (p *Plan) checkLockstep() error {
	for i, s := range p.Steps {
		if !s.Output.Lockstep {
			continue
		}
		readers := 0
		for j, r := range p.Steps {
			if reads(r, s.Query.Name) == 0 {
				continue
			}
			readers++
			if j < i || !p.maps(j) || !p.readsLockstep(r) {
				return fmt.Errorf("P10: step %s reads %s, which runs in lockstep", r.Query.Name, s.Query.Name)
			}
		}
		if readers != 1 || !p.paced(i) {
			return fmt.Errorf("P10: step %s is in lockstep", s.Query.Name)
		}
	}
	return nil
}

// readsLockstep reports whether all that a step reads are steps in lockstep.
func (p *Plan) readsLockstep(s *Step) bool {
	return !slices.ContainsFunc(s.Operands, func(o Operand) bool { return !p.inLockstep(o.Tensor) })
}

// checkFused verifies P7.
func (p *Plan) checkFused() error {
	for i, s := range p.Steps {
		if !s.Output.Fused {
			continue
		}
		if i+1 == len(p.Steps) || p.Steps[i+1].Output.Fused || !p.fusible(i) {
			return fmt.Errorf("P7: step %s is fused", s.Query.Name)
		}
	}
	return nil
}

func (s *Step) check(stored map[string]*Step) error {
	body, err := logical.NewBody(s.Query)
	if err != nil {
		return err
	}
	loops := make([]einsum.Index, len(s.Loops))
	for i, l := range s.Loops {
		loops[i] = l.Index
	}
	if !permutation(loops, body.Indices) {
		return fmt.Errorf("P1: loops %v over indices %v", loops, body.Indices)
	}
	if err := s.checkMasks(body); err != nil {
		return err
	}
	if len(s.Operands) != len(body.Operands) {
		return fmt.Errorf("%d operands for %d accesses", len(s.Operands), len(body.Operands))
	}
	for i := range s.Operands {
		o := &s.Operands[i]
		if want := body.Operands[i]; o.Tensor != want.Tensor || !slices.EqualFunc(o.Args, want.Args, einsum.Arg.Equal) {
			return fmt.Errorf("operand %d is %s, not %s", i, o.access(), want.Tensor)
		}
		if err := o.check(loops, stored[o.Tensor]); err != nil {
			return fmt.Errorf("operand %s: %w", o.access(), err)
		}
	}
	for _, x := range loops {
		if !s.driven(x) {
			return fmt.Errorf("P3: nothing leads the loop over %s", x.Name)
		}
	}
	if s.Output.Flat && (s.Output.Fused || !isProduct(s.Query, body)) {
		return fmt.Errorf("P9: the step is flat")
	}
	return s.checkOutput(loops)
}

// permutation reports whether a has exactly the elements of b, each once.
func permutation(a, b []einsum.Index) bool {
	if len(a) != len(b) {
		return false
	}
	for i, x := range a {
		if !slices.Contains(b, x) || slices.Contains(a[:i], x) {
			return false
		}
	}
	return true
}

// checkMasks verifies that every comparison stands at the later of its loops.
func (s *Step) checkMasks(body *logical.Body) error {
	placed := 0
	for i, l := range s.Loops {
		for _, m := range masksAt(body, s.outer(body, i+1), slices.Index(body.Indices, l.Index)) {
			if !slices.ContainsFunc(l.Masks, func(c *einsum.Compare) bool { return *c == *m }) {
				return fmt.Errorf("comparison %s is missing at loop %s", m, l.Index.Name)
			}
		}
		placed += len(l.Masks)
	}
	if placed != len(body.Masks) {
		return fmt.Errorf("%d comparisons in loops, %d in the query", placed, len(body.Masks))
	}
	return nil
}

// outer returns the indices of the first n loops as bits of the body's.
func (s *Step) outer(body *logical.Body, n int) uint64 {
	var set uint64
	for _, l := range s.Loops[:n] {
		set |= 1 << slices.Index(body.Indices, l.Index)
	}
	return set
}

// access is the operand's access without a leaf, for messages and plans.
func (o *Operand) access() string {
	q := einsum.Query{Name: o.Tensor}
	head := q.String() // the name as the notation quotes it, then "()"
	text := head[:len(head)-1]
	for i, a := range o.Args {
		if i > 0 {
			text += ","
		}
		text += a.String()
	}
	return text + ")"
}

func (o *Operand) check(loops []einsum.Index, from *Step) error {
	if len(o.Order) != len(o.Args) || len(o.Formats) != len(o.Args) {
		return fmt.Errorf("%d levels, %d formats for %d modes", len(o.Order), len(o.Formats), len(o.Args))
	}
	free := false // a mode that is not a constant has come
	for l, m := range o.Order {
		if m < 0 || m >= len(o.Args) || slices.Contains(o.Order[:l], m) {
			return fmt.Errorf("order %v is no permutation", o.Order)
		}
		if o.Args[m].Const != nil && free {
			return fmt.Errorf("a constant's mode is not outermost")
		}
		if o.Formats[l].Shared() && l < len(o.Order)-1 {
			return fmt.Errorf("P8: level %d is %s, which is a last level", l, o.Formats[l])
		}
		free = free || o.Args[m].Const == nil
	}
	idxs := o.Indices()
	if len(o.Protocols) != len(idxs) {
		return fmt.Errorf("%d protocols for %d indices", len(o.Protocols), len(idxs))
	}
	at := 0
	for _, x := range loops {
		if at < len(idxs) && idxs[at] == x {
			at++
		}
	}
	if at != len(idxs) {
		return fmt.Errorf("P2: order %v is not concordant with the loops", idxs)
	}
	if from == nil {
		return nil
	}
	if !slices.Equal(o.Formats, from.Output.Formats) {
		return fmt.Errorf("P5: formats %v, stored as %v", o.Formats, from.Output.Formats)
	}
	for l, m := range o.Order {
		if from.Query.Idxs[m] != from.Output.Order[l] {
			return fmt.Errorf("P5: level %d is mode %d, stored otherwise", l, m)
		}
	}
	return nil
}

// driven reports whether something leads the loop over x (P3).
func (s *Step) driven(x einsum.Index) bool {
	for i := range s.Operands {
		o := &s.Operands[i]
		constants := len(o.Args) - len(o.Protocols)
		for k, y := range o.Indices() {
			if y == x && (o.Protocols[k] == format.Walk || o.Formats[constants+k] == format.Dense) {
				return true
			}
		}
	}
	return false
}

func (s *Step) checkOutput(loops []einsum.Index) error {
	o := &s.Output
	switch {
	case !permutation(o.Order, s.Query.Idxs):
		return fmt.Errorf("P4: order %v for indices %v", o.Order, s.Query.Idxs)
	case len(o.Formats) != len(o.Order):
		return fmt.Errorf("P4: %d formats for %d levels", len(o.Formats), len(o.Order))
	case len(o.Elems) != len(s.Query.Leaves):
		return fmt.Errorf("P4: %d element types for %d leaves", len(o.Elems), len(s.Query.Leaves))
	case o.Prefix > len(o.Order) || !slices.Equal(o.Order[:o.Prefix], loops[:o.Prefix]):
		return fmt.Errorf("P4: the first %d of %v do not lead the loops %v", o.Prefix, o.Order, loops)
	case o.Workspace == format.None && o.Prefix != len(o.Order):
		return fmt.Errorf("P4: no workspace, but %v is no prefix of the loops", o.Order)
	case o.Workspace == format.DenseWorkspace && o.Prefix == len(o.Order):
		return fmt.Errorf("P4: a dense workspace over no index")
	case o.Workspace == format.SortWorkspace && !permutation(o.Order, loops[:len(o.Order)]):
		return fmt.Errorf("P4: entries are appended, but %v are not the first loops", o.Order)
	case len(o.Formats) > 0 && o.Formats[len(o.Formats)-1] == format.Dense:
		return fmt.Errorf("P4: the last level is dense")
	case slices.ContainsFunc(o.Formats, format.Kind.Shaped):
		return fmt.Errorf("P4: formats %v are for data of a known shape", o.Formats)
	}
	return nil
}
