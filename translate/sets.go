package translate

import (
	"context"
	"errors"
	"slices"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/internal/invariant"
	"github.com/trireme-db/trireme/sqlfront"
)

// Grouping sets are one program with an answer for every set. The finest sets are
// blocks over the base tensors; a set within another, of which all aggregates can be
// put together, reduces the tensor of that one. What cannot be derived is a block of
// its own: what its steps have in common with others the planner finds.

// TranslateSets turns grouping sets, as SplitUnion returns them, into one program
// with an arm per set, or fails with *Ineligible.
func TranslateSets(ctx context.Context, u *Union, facts Facts) (*Result, error) {
	invariant.Check(len(u.Sets) == len(u.Arms), "translate: %d grouping sets in %d arms", len(u.Sets), len(u.Arms))
	arms := make([]*sqlfront.Query, len(u.Arms))
	for i, arm := range u.Arms {
		arm, err := lowered(arm)
		if err != nil {
			return nil, err
		}
		arms[i] = plainCalls(arm)
	}
	whole := map[*sqlfront.Query]bool{}
	for {
		r, err := translateSets(newTranslator(ctx, facts, whole), u.Sets, arms)
		var failed *bagFailed
		if !errors.As(err, &failed) || whole[failed.first] {
			return r, bounded(err)
		}
		whole[failed.first] = true
	}
}

// translateSets is one attempt.
func translateSets(t *translator, sets [][]int, arms []*sqlfront.Query) (*Result, error) {
	s := &setArms{t: t, sets: sets, arms: arms, outputs: make([]*output, len(arms))}
	order := make([]int, len(arms))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return len(sets[j]) - len(sets[i]) })
	from := s.sources(order)
	for i, f := range from {
		if f < 0 {
			countReaders(arms[i], t.readers)
		}
	}
	for _, i := range order {
		if from[i] >= 0 {
			s.outputs[i] = s.derived(i, from[i])
			continue
		}
		o, err := t.block(arms[i])
		if err != nil {
			return nil, err
		}
		s.outputs[i] = o
	}
	r, err := t.program()
	if err != nil {
		return nil, err
	}
	for _, o := range s.outputs {
		arm := &Result{Program: r.Program}
		t.answer(arm, o)
		r.Arms = append(r.Arms, arm)
	}
	return r, nil
}

// setArms are grouping sets on their way to one program.
type setArms struct {
	t       *translator
	sets    [][]int           // the groups of every arm, numbered alike
	arms    []*sqlfront.Query // one per set
	outputs []*output         // one per set, once there
}

// sources says, per set, which other set it is derived from; negative: none. order
// has those with most groups first.
func (s *setArms) sources(order []int) []int {
	from := make([]int, len(order))
	for at, i := range order {
		from[i] = -1
		for _, f := range order[:at] {
			if s.derivable(i, f) && (from[i] < 0 || len(s.sets[f]) < len(s.sets[from[i]])) {
				from[i] = f
			}
		}
	}
	return from
}

// derivable reports whether set i can be read off set f: it is the same, or a part of
// it, and every aggregate of a group is that of its parts.
func (s *setArms) derivable(i, f int) bool {
	if !s.aligned(i) || !s.aligned(f) || len(s.arms[i].Aggs) != len(s.arms[f].Aggs) {
		return false
	}
	for _, g := range s.sets[i] {
		if !slices.Contains(s.sets[f], g) {
			return false
		}
	}
	return len(s.sets[i]) == len(s.sets[f]) || !inParts(s.arms[f])
}

// aligned reports whether an arm still has the groups of its set and no others:
// what a lowered block reads beside its groups may have become one.
func (s *setArms) aligned(i int) bool { return len(s.arms[i].GroupBy) == len(s.sets[i]) }

// derived makes the output of set i from that of set f.
func (s *setArms) derived(i, f int) *output {
	fine, arm := s.outputs[f], s.arms[i]
	o := &output{q: arm, hollow: fine.hollow, counted: fine.counted}
	for _, g := range s.sets[i] {
		c := fine.groups[slices.Index(s.sets[f], g)]
		o.groups = append(o.groups, c)
		if !slices.Contains(o.outs, c) {
			o.outs = append(o.outs, c)
		}
	}
	if len(o.outs) == len(fine.outs) {
		o.name, o.outs, o.aggs, o.checks = fine.name, fine.outs, fine.aggs, fine.checks
		return o
	}
	o.name = s.t.name(outputName)
	for _, c := range fine.checks {
		o.checks = append(o.checks, Check{Type: c.Type, Bound: renamed(c.Bound, fine.name, o.name)})
	}
	s.t.checks = append(s.t.checks, o.checks...)
	s.t.queries = append(s.t.queries, s.t.coarser(fine, o))
	return o
}

// outputName is the name of the first query that is an answer.
const outputName = "R"

// block makes the output of a query that is a block over the base tensors.
func (t *translator) block(q *sqlfront.Query) (*output, error) {
	b, err := t.analyze(q, 0)
	if err != nil {
		return nil, err
	}
	known := len(t.checks)
	if err := t.emit(b, t.name(outputName)); err != nil {
		return nil, err
	}
	o := b.output()
	for _, c := range t.checks[known:] {
		own := false
		eachLeaf(c.Bound, func(x Bound) {
			l, ok := x.(*LeafBound)
			own = own || ok && l.Tensor == b.name
		})
		if own {
			o.checks = append(o.checks, c)
		}
	}
	return o, nil
}

// coarser is the query of an output that reduces a finer one, and fills in its
// aggregates.
func (t *translator) coarser(fine, o *output) *einsum.Query {
	r := &reducer{fine: fine, names: map[reduced]string{}, used: map[string]bool{}}
	q := &einsum.Query{Name: o.name}
	for _, c := range fine.outs {
		r.args = append(r.args, einsum.Arg{Index: t.index(c)})
		if !slices.Contains(o.outs, c) {
			r.over = append(r.over, t.index(c))
		}
	}
	for _, c := range o.outs {
		q.Idxs = append(q.Idxs, t.index(c))
	}
	rows := semiring.Or
	if fine.counted {
		rows = semiring.Add
	}
	r.leaf(reduced{leaf: einsum.CountLeaf, op: rows})
	for i, g := range fine.aggs {
		valid := g.Valid
		g.mapLeaves(func(of string, op semiring.Op) string {
			switch {
			case of == "" || of == einsum.CountLeaf:
				return of
			case op == semiring.Add:
				return r.leaf(reduced{leaf: of, op: op})
			case o.q.Aggs[i].Func == "min":
				op = semiring.Min
			}
			if valid == einsum.CountLeaf && !fine.hollow {
				valid = "" // every entry has a value
			}
			return r.leaf(reduced{leaf: of, op: op, valid: valid})
		})
		o.aggs = append(o.aggs, g)
	}
	q.Leaves = r.leaves
	return q
}

// reducer writes the leaves of a query over a finer output.
type reducer struct {
	fine   *output
	args   []einsum.Arg
	over   []einsum.Index
	leaves []einsum.Leaf
	names  map[reduced]string
	used   map[string]bool
}

// reduced is a leaf of the finer output by what it is reduced with: what is no value
// is 0 in valid, where that is named.
type reduced struct {
	leaf  string
	op    semiring.Op
	valid string
}

// leaf returns the name of a reduced leaf, which is that of the finer one where no
// other has it.
func (r *reducer) leaf(x reduced) string {
	if name, ok := r.names[x]; ok {
		return name
	}
	expr := r.access(x.leaf)
	if x.valid != "" {
		expr = einsum.Guarded(expr, r.access(x.valid))
	}
	name := unique(x.leaf, r.used)
	r.names[x] = name
	r.leaves = append(r.leaves, einsum.Leaf{Name: name, Expr: einsum.Reduce(x.op, r.over, expr)})
	return name
}

func (r *reducer) access(leaf string) einsum.Expr {
	return &einsum.Access{Tensor: r.fine.name, Leaf: leaf, Args: r.args}
}

// once is a list without repetitions.
func once(list []int) []int {
	out := []int{}
	for _, x := range list {
		if !slices.Contains(out, x) {
			out = append(out, x)
		}
	}
	return out
}
