package physical

import "slices"

// Fuse marks steps whose result need not be stored: the next step takes the
// entries as they come (OPTIMIZER section F, template Row; P7). An aggregate of
// an aggregate then costs the memory of one fiber, not of the inner result.
//
// Condition: the result is read by the next step only, through one operand,
// and that step reads nothing else. Counter-example: a step that joins the
// result with a table would have to visit the table once per entry in the
// result's order; a result read twice would have to be computed twice.
func Fuse(p *Plan) *Plan {
	out := &Plan{Inputs: p.Inputs, Steps: slices.Clone(p.Steps)}
	for i := 0; i+1 < len(p.Steps); i++ {
		if !p.fusible(i) {
			continue
		}
		s := *p.Steps[i]
		s.Output.Fused = true
		out.Steps[i] = &s
		i++ // a step that takes entries as they come hands on none
	}
	return out
}

// fusible reports whether step i may hand its entries to step i+1.
func (p *Plan) fusible(i int) bool {
	s, next := p.Steps[i], p.Steps[i+1]
	if len(s.Output.Order) == 0 || len(next.Operands) != 1 || next.Operands[0].Tensor != s.Query.Name {
		return false
	}
	for _, l := range next.Loops {
		if len(l.Masks) > 0 {
			return false
		}
	}
	for _, a := range next.Operands[0].Args {
		if a.Const != nil {
			return false
		}
	}
	if len(next.Loops) != len(s.Output.Order) {
		return false // a diagonal
	}
	for _, later := range p.Steps[i+2:] {
		for _, o := range later.Operands {
			if o.Tensor == s.Query.Name {
				return false
			}
		}
	}
	return true
}
