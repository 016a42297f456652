package logical

import (
	"slices"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/einsum/semiring"
)

// restrict returns a query restricted by what all of its readers restrict it by
// anyway, when that is estimated to be cheaper; else the query as it is. In
//
//	S(i) = max(j) A(i,j)     R() = sum(i) F(i) * S(i)
//
// the maximum need not be computed for the i that F does not have: the covered
// sibling rides along below an aggregate that does not commute with the reader's
// (OPTIMIZER B-1). The tensor must count each entry once (a pattern), so that it
// says where the query is present and changes no value. It must not be done when
// the query is needed by its name, nor when one reader lacks the factor.
func (pl *planner) restrict(q *einsum.Query) (*einsum.Query, error) {
	if pl.opt.Needed == nil || pl.opt.Needed[q.Name] || q.Name == pl.result || pl.trying || len(q.Idxs) == 0 {
		return q, nil
	}
	factors, ok := pl.siblings(q)
	if !ok || len(factors) == 0 {
		return q, nil
	}
	next, ok := restricted(q, expressions(factors))
	if !ok {
		return q, nil
	}
	last := 0 // reader
	for i, r := range pl.todo {
		if reads(r, q.Name) {
			last = i
		}
	}
	before, err := pl.trialCosts(append([]*einsum.Query{q}, pl.todo[:last+1]...))
	if err != nil {
		return nil, err
	}
	after, err := pl.trialCosts(append([]*einsum.Query{next}, pl.todo[:last+1]...))
	if err != nil {
		return nil, err
	}
	if after < before*better {
		return next, nil
	}
	return q, nil
}

// siblings returns the pattern accesses, in terms of q's indices, that every
// reader of q requires wherever it reads q. ok is false when nobody reads it.
func (pl *planner) siblings(q *einsum.Query) (common []*einsum.Access, ok bool) {
	for _, reader := range pl.todo {
		if !reads(reader, q.Name) {
			continue
		}
		found := pl.siblingsIn(reader, q)
		if !ok {
			common, ok = found, true
			continue
		}
		common = slices.DeleteFunc(common, func(a *einsum.Access) bool {
			return !slices.ContainsFunc(found, func(b *einsum.Access) bool { return operandKey(a) == operandKey(b) })
		})
	}
	return common, ok
}

func reads(q *einsum.Query, tensor string) bool {
	return slices.ContainsFunc(q.Leaves, func(l einsum.Leaf) bool {
		return slices.ContainsFunc(einsum.Accesses(l.Expr), func(a *einsum.Access) bool { return a.Tensor == tensor })
	})
}

// siblingsIn returns the covered pattern accesses of one reader; none unless all
// operands are required and q is read once.
func (pl *planner) siblingsIn(reader, q *einsum.Query) []*einsum.Access {
	b, err := NewBody(reader)
	if err != nil {
		return nil
	}
	_, arg := aggOf(reader.Leaves[0].Expr)
	sets := b.Presence(arg)
	at := -1
	for i, op := range b.Operands {
		if op.Tensor == q.Name {
			if at >= 0 || op.hasConstants() {
				return nil
			}
			at = i
		}
	}
	if at < 0 || len(sets) != 1 || sets[0] != b.Atoms() {
		return nil
	}
	var out []*einsum.Access
	for i, op := range b.Operands {
		t := pl.cat.tensors[op.Tensor]
		if i == at || t == nil || !t.Input || t.Leaves[0].Elem != semiring.Pattern || op.Set&^b.Operands[at].Set != 0 {
			continue
		}
		a := &einsum.Access{Tensor: op.Tensor, Leaf: t.Leaves[0].Name, Args: slices.Clone(op.Args)}
		for m := range a.Args {
			if a.Args[m].Const == nil {
				mode := slices.IndexFunc(b.Operands[at].Args, func(x einsum.Arg) bool { return x.Index == a.Args[m].Index })
				a.Args[m].Index = q.Idxs[mode]
			}
		}
		out = append(out, a)
	}
	return out
}

func expressions(accesses []*einsum.Access) []einsum.Expr {
	out := make([]einsum.Expr, len(accesses))
	for i, a := range accesses {
		out[i] = a
	}
	return out
}

// restricted adds factors, which are 1 where they are present, to every leaf of a
// query of one aggregate; ok is false for a leaf that has no place for them.
func restricted(q *einsum.Query, factors []einsum.Expr) (next *einsum.Query, ok bool) {
	next = &einsum.Query{Name: q.Name, Idxs: q.Idxs}
	for _, l := range q.Leaves {
		agg, arg := aggOf(l.Expr)
		if agg == nil {
			return nil, false
		}
		op := semiring.Guard
		switch {
		case agg.Op == semiring.Add && !hasGuard(arg):
			op = semiring.Mul
		case agg.Op == semiring.Or:
			op = semiring.And
		case agg.Op != semiring.Min && agg.Op != semiring.Max:
			return nil, false
		}
		args := append([]einsum.Expr{arg}, factors...)
		if m, ok := arg.(*einsum.Map); ok && m.Op == op {
			args = slices.Concat(m.Args, factors)
		}
		expr := &einsum.Agg{Op: agg.Op, Idxs: agg.Idxs, Arg: &einsum.Map{Op: op, Args: args}}
		next.Leaves = append(next.Leaves, einsum.Leaf{Name: l.Name, Expr: expr})
	}
	return next, true
}
