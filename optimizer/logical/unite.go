package logical

import (
	"fmt"
	"math"
	"slices"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/optimizer/stats"
)

// UniteParts makes one step of steps that are only read together: of
//
//	S1(i,j) = sum(p) A(i,p) * L(j,p)
//	S2(i,j) = sum(q) L(i,q) * B(j,q)
//
// that a later step reads in S1 + S2 alone,
//
//	S(i,j) = sum(p) (A(i,p) * L(j,p) + L(i,p) * B(j,p))
//
// the inverse of split once each part has been eliminated on its own: nothing is
// stored for the parts, and what reads S can take its entries as they come. It holds
// for sums of sums and for or of or, where absent is the identity; the parts are as
// present together as their sum is (einsum, Meaning).
//
// It pays where the parts reduce little, so that storing them is much of their work,
// and where none is much sparser than the others, whose loops it would share. A part
// that something else reads, that reduces indices of other domains, or whose values
// have conditions of their own stays a step.
func UniteParts(p *einsum.Program, plan *Plan, src stats.Source, opt Options) (*Plan, error) {
	for at := 0; at < len(plan.Steps); at++ {
		u := newUnion(plan, at, opt)
		if u == nil {
			continue
		}
		next, err := u.replanned(p, src, opt)
		if err != nil {
			return nil, err
		}
		if next != nil {
			at += len(next.Steps) - len(plan.Steps)
			plan = next
		}
	}
	return plan, nil
}

// Bounds of uniting parts: judgements, tried on bench/mljoin/self_linear.sql.
const (
	// unitedEntries is the least number of entries of the parts together, below which
	// storing them takes no time to speak of.
	unitedEntries = 1 << 14
	// unitedCells is the most cells per entry that a part may reduce.
	unitedCells = 4
	// unitedDearer is by how much the united step may be estimated dearer than its
	// parts: the estimate takes parts for disjoint that mostly overlap, and knows not
	// that its reader may take the entries as they come.
	unitedDearer = 1.25
	// unitedSparser is the most by which the parts' numbers of entries may differ.
	unitedSparser = 8
)

// union is a set of steps that the step at reads together.
type union struct {
	plan   *Plan
	at     int
	parts  []int // numbers of the steps, ascending
	slots  []slot
	args   []einsum.Arg // of the reader's accesses to the first part
	result *einsum.Query
}

// slot is a place where the reader combines one leaf of each part.
type slot struct {
	op     semiring.Op
	leaves []string // by part
}

func (s slot) equal(o slot) bool { return s.op == o.op && slices.Equal(s.leaves, o.leaves) }

// newUnion finds the parts that a step reads together and may be united; nil where
// there are none.
func newUnion(plan *Plan, at int, opt Options) *union {
	u := &union{plan: plan, at: at}
	reader := plan.Steps[at].Query
	for _, l := range reader.Leaves {
		einsum.Walk(l.Expr, func(e einsum.Expr) bool {
			if len(u.parts) == 0 {
				u.parts = u.together(e)
			}
			return len(u.parts) == 0
		})
	}
	if len(u.parts) == 0 || !u.only(opt) || !u.collect(reader) || !opt.UniteAll && !u.similar() || !u.unite() {
		return nil
	}
	return u
}

// together are the steps of which an expression combines a leaf each.
func (u *union) together(e einsum.Expr) []int {
	m, ok := e.(*einsum.Map)
	if !ok || m.Op != semiring.Add && m.Op != semiring.Or || len(m.Args) < 2 {
		return nil
	}
	var parts []int
	for _, a := range m.Args {
		x, ok := a.(*einsum.Access)
		if !ok {
			return nil
		}
		k := slices.IndexFunc(u.plan.Steps[:u.at], func(s *Step) bool { return s.Query.Name == x.Tensor })
		if k < 0 || slices.Contains(parts, k) {
			return nil
		}
		parts = append(parts, k)
	}
	slices.Sort(parts)
	return parts
}

// only reports whether nothing but the step reads the parts.
func (u *union) only(opt Options) bool {
	for _, k := range u.parts {
		name := u.plan.Steps[k].Query.Name
		if opt.Needed == nil || opt.Needed[name] || opt.Outputs[name] {
			return false
		}
		for _, a := range u.plan.Answered {
			if a.Step == name {
				return false
			}
		}
		for i, s := range u.plan.Steps {
			if i != u.at && readsTensor(s.Query, name) {
				return false
			}
		}
	}
	return true
}

// collect lists the slots; false where the reader reads a part otherwise, or at
// other indices.
func (u *union) collect(reader *einsum.Query) bool {
	ok := true
	for _, l := range reader.Leaves {
		einsum.Walk(l.Expr, func(e einsum.Expr) bool {
			if parts := u.together(e); slices.Equal(parts, u.parts) {
				ok = ok && u.slot(e.(*einsum.Map))
				return false
			}
			if x, isAccess := e.(*einsum.Access); isAccess && u.part(x.Tensor) >= 0 {
				ok = false
			}
			return ok
		})
	}
	return ok
}

// part is the number of a part by its name, -1 for other tensors.
func (u *union) part(name string) int {
	return slices.IndexFunc(u.parts, func(k int) bool { return u.plan.Steps[k].Query.Name == name })
}

// slot adds the slot that a combination of leaves is.
func (u *union) slot(m *einsum.Map) bool {
	s := slot{op: m.Op, leaves: make([]string, len(u.parts))}
	args := make([][]einsum.Arg, len(u.parts))
	for _, a := range m.Args {
		x := a.(*einsum.Access)
		k := u.part(x.Tensor)
		s.leaves[k], args[k] = x.Leaf, x.Args
	}
	if u.args == nil {
		u.args = args[0]
		for i, a := range u.args {
			if a.Const != nil || slices.Contains(u.args[:i], a) {
				return false
			}
		}
	}
	for _, a := range args {
		if !slices.Equal(a, u.args) {
			return false
		}
	}
	if !slices.ContainsFunc(u.slots, s.equal) {
		u.slots = append(u.slots, s)
	}
	return true
}

// similar reports whether storing the parts is much of their work.
func (u *union) similar() bool {
	least, most, sum := math.Inf(1), 0.0, 0.0
	for _, k := range u.parts {
		s := u.plan.Steps[k]
		if s.BodyNNZ > unitedCells*s.OutNNZ {
			return false
		}
		least, most, sum = min(least, s.OutNNZ), max(most, s.OutNNZ), sum+s.OutNNZ
	}
	return sum >= unitedEntries && most <= unitedSparser*least
}

// unite makes the query of all parts; false where they reduce indices of different
// domains or by other operators. Its first leaf is the one that asks for the parts'
// rows.
func (u *union) unite() bool {
	counts := slices.IndexFunc(u.slots, func(s slot) bool {
		for k, leaf := range s.leaves {
			if u.plan.Steps[u.parts[k]].Query.Leaves[0].Name != leaf {
				return false
			}
		}
		return true
	})
	if counts < 0 {
		return false
	}
	u.slots[0], u.slots[counts] = u.slots[counts], u.slots[0]
	names := einsum.NewNames()
	q := &einsum.Query{Name: u.plan.Steps[u.parts[0]].Query.Name}
	for _, a := range u.args {
		names.Take(a.Index.Name)
		q.Idxs = append(q.Idxs, a.Index)
	}
	var bound []einsum.Index
	for n, s := range u.slots {
		var sum []einsum.Expr
		for k, leaf := range s.leaves {
			part := u.plan.Steps[u.parts[k]].Query
			agg, arg := aggOf(part.Leaves[slices.IndexFunc(part.Leaves, func(l einsum.Leaf) bool { return l.Name == leaf })].Expr)
			if agg == nil || agg.Op != s.op || len(agg.Idxs) == 0 || hasGuard(arg) {
				return false
			}
			if bound == nil {
				for _, x := range agg.Idxs {
					bound = append(bound, einsum.Index{Name: names.Fresh(x.Name), Domain: x.Domain})
				}
			}
			e := u.renamed(part, agg, q.Idxs, bound)
			if e == nil {
				return false
			}
			sum = append(sum, e)
		}
		q.Leaves = append(q.Leaves, einsum.Leaf{
			Name: unitedLeaf(n), Expr: &einsum.Agg{Op: s.op, Idxs: bound, Arg: &einsum.Map{Op: s.op, Args: sum}},
		})
	}
	u.result = q
	return true
}

// unitedLeaf names the leaf of a slot.
func unitedLeaf(n int) string {
	if n == 0 {
		return einsum.CountLeaf
	}
	return fmt.Sprintf("a%d", n)
}

// renamed is what a part aggregates over the indices of the united query; nil where
// it reduces indices of other domains.
func (u *union) renamed(part *einsum.Query, agg *einsum.Agg, free, bound []einsum.Index) einsum.Expr {
	if len(agg.Idxs) != len(bound) {
		return nil
	}
	to := map[einsum.Index]einsum.Index{}
	for m, x := range part.Idxs {
		to[x] = free[m]
	}
	var used []einsum.Index
	for _, x := range agg.Idxs {
		k := slices.IndexFunc(bound, func(y einsum.Index) bool { return y.Domain == x.Domain && !slices.Contains(used, y) })
		if k < 0 {
			return nil
		}
		to[x], used = bound[k], append(used, bound[k])
	}
	return einsum.MapIndices(agg.Arg, func(x einsum.Index) einsum.Index { return to[x] })
}

// replanned is the plan with one step in place of the parts, before their reader. Nil
// where that is not estimated to be cheaper, or has too many operands.
func (u *union) replanned(p *einsum.Program, src stats.Source, opt Options) (*Plan, error) {
	if _, err := NewBody(u.result); err != nil {
		return nil, nil // a query of too many operands is no step: the parts are
	}
	pl := newPlanner(p, src, opt)
	pl.plan.Answered = u.plan.Answered
	var moved []*einsum.Query // parts that the rest of a step still has to compute
	apart := 0.0
	for i, s := range u.plan.Steps {
		var err error
		switch {
		case slices.Contains(u.parts, i):
			moved = append(moved, s.Query)
			apart += s.Cost
		case i == u.at:
			reader := u.reading(s.Query)
			if err = pl.add(u.result, false, -1, slices.Concat([]*einsum.Query{reader}, s.Rest)); err != nil {
				return nil, err
			}
			if !opt.UniteAll && pl.plan.Steps[len(pl.plan.Steps)-1].Cost > unitedDearer*apart {
				return nil, nil
			}
			err = pl.add(reader, false, -1, s.Rest)
		case i < u.at:
			err = pl.add(s.Query, false, s.Cost, slices.Concat(moved, s.Rest))
		default:
			err = pl.add(s.Query, false, s.Cost, s.Rest)
		}
		if err != nil {
			return nil, err
		}
	}
	return pl.plan, nil
}

// reading is the reader with a leaf of the united step in place of each slot.
func (u *union) reading(q *einsum.Query) *einsum.Query {
	out := &einsum.Query{Name: q.Name, Idxs: q.Idxs}
	for _, l := range q.Leaves {
		e := einsum.Rewrite(l.Expr, func(e einsum.Expr) einsum.Expr {
			if parts := u.together(e); !slices.Equal(parts, u.parts) || len(parts) == 0 {
				return e
			}
			m := e.(*einsum.Map)
			s := slot{op: m.Op, leaves: make([]string, len(u.parts))}
			for _, a := range m.Args {
				x := a.(*einsum.Access)
				s.leaves[u.part(x.Tensor)] = x.Leaf
			}
			n := slices.IndexFunc(u.slots, s.equal)
			return &einsum.Access{Tensor: u.result.Name, Leaf: u.result.Leaves[n].Name, Args: u.args}
		})
		out.Leaves = append(out.Leaves, einsum.Leaf{Name: l.Name, Expr: e})
	}
	return out
}
