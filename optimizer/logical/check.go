package logical

import (
	"fmt"
	"slices"

	"github.com/trireme-db/trireme/einsum"
)

// Check verifies the invariants of Plan and those of the notation that a
// rewrite may break: names, numbers of modes, free and bound indices, the place
// of guards. Its errors are bugs of the planner.
func (p *Plan) Check() error {
	if len(p.Steps) == 0 {
		return fmt.Errorf("logical plan: no steps")
	}
	known := map[string]*signature{}
	for _, in := range p.Inputs {
		s := &signature{domains: in.Domains}
		for _, l := range in.Leaves {
			s.leaves = append(s.leaves, l.Name)
		}
		if known[in.Name] != nil {
			return fmt.Errorf("logical plan: two tensors named %s", in.Name)
		}
		known[in.Name] = s
	}
	for _, step := range p.Steps {
		q := step.Query
		if err := checkStep(q, known); err != nil {
			return fmt.Errorf("logical plan, step %s: %w", q.Name, err)
		}
		s := &signature{}
		for _, x := range q.Idxs {
			s.domains = append(s.domains, x.Domain)
		}
		for _, l := range q.Leaves {
			s.leaves = append(s.leaves, l.Name)
		}
		known[q.Name] = s
	}
	return nil
}

// signature is what an access must agree with.
type signature struct {
	domains []int
	leaves  []string
}

func checkStep(q *einsum.Query, known map[string]*signature) error {
	if known[q.Name] != nil {
		return fmt.Errorf("the name is taken")
	}
	if len(q.Leaves) == 0 {
		return fmt.Errorf("no leaves")
	}
	first := reducedBy(q.Leaves[0].Expr)
	for i, l := range q.Leaves {
		for _, m := range q.Leaves[:i] {
			if m.Name == l.Name {
				return fmt.Errorf("two leaves named %s", l.Name)
			}
		}
		agg, arg := aggOf(l.Expr)
		reduced := reducedBy(l.Expr)
		if !sameIndices(reduced, first) {
			return fmt.Errorf("leaf %s reduces other indices than leaf %s", l.Name, q.Leaves[0].Name)
		}
		if agg == nil && hasGuard(arg) {
			return fmt.Errorf("leaf %s: guard outside an aggregate", l.Name)
		}
		if err := checkLeaf(q, reduced, arg, known); err != nil {
			return fmt.Errorf("leaf %s: %w", l.Name, err)
		}
	}
	return nil
}

// reducedBy lists the indices that a leaf aggregates: none when it is pointwise.
func reducedBy(e einsum.Expr) []einsum.Index {
	if a, ok := e.(*einsum.Agg); ok {
		return a.Idxs
	}
	return nil
}

func sameIndices(a, b []einsum.Index) bool {
	if len(a) != len(b) {
		return false
	}
	for _, x := range a {
		if !slices.Contains(b, x) {
			return false
		}
	}
	return true
}

func checkLeaf(q *einsum.Query, reduced []einsum.Index, arg einsum.Expr, known map[string]*signature) error {
	for _, x := range reduced {
		if slices.Contains(q.Idxs, x) {
			return fmt.Errorf("index %s is free and reduced", x.Name)
		}
	}
	var err error
	einsum.Walk(arg, func(e einsum.Expr) bool {
		switch e := e.(type) {
		case *einsum.Agg:
			err = fmt.Errorf("nested aggregate %s", e)
		case *einsum.Access:
			if accessErr := checkAccess(e, known); accessErr != nil {
				err = accessErr
			}
		}
		return err == nil
	})
	if err != nil {
		return err
	}
	occurs := einsum.Free(arg)
	for _, x := range occurs {
		if !slices.Contains(q.Idxs, x) && !slices.Contains(reduced, x) {
			return fmt.Errorf("index %s is neither free nor reduced", x.Name)
		}
	}
	if len(occurs) != len(q.Idxs)+len(reduced) {
		return fmt.Errorf("%d indices of %d occur", len(occurs), len(q.Idxs)+len(reduced))
	}
	return nil
}

func checkAccess(a *einsum.Access, known map[string]*signature) error {
	s := known[a.Tensor]
	if s == nil {
		return fmt.Errorf("%s reads no input and no earlier step", a)
	}
	if !slices.Contains(s.leaves, a.Leaf) {
		return fmt.Errorf("%s: no such leaf", a)
	}
	if len(a.Args) != len(s.domains) {
		return fmt.Errorf("%s: %d modes expected", a, len(s.domains))
	}
	for m, arg := range a.Args {
		if arg.Const == nil && arg.Index.Domain != s.domains[m] {
			return fmt.Errorf("%s: mode %d has domain %d", a, m, s.domains[m])
		}
	}
	return nil
}
