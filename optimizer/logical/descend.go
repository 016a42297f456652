package logical

import (
	"slices"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/einsum/semiring"
)

// descend moves an aggregate into the only factor that has its index, when that
// is a sum, and parts it there: sum_j A_ik (B_ij + C_jk) = A_ik (sum_j B_ij +
// sum_j C_jk) (OPTIMIZER B, Annotated tree, rules 1 and 2). Then A is visited
// without j.
//
// Not where the index is in two factors: sum_j (x_j - u_j) * (x_j - u_j) is no
// product of sums over j. Not under a guard inside the sum, whose masked cells
// would leave the identity of the inner aggregate where the outer one expects
// none; and not of a function that may fail, which would be evaluated at cells
// that A lacks. All leaves must allow it, so that they stay one step.
//
// nil when no index descends.
func (v *view) descend() *einsum.Query {
	down := v.body.All() &^ v.body.Free
	for i := range v.leaves {
		down &= v.descending(&v.leaves[i])
	}
	if down == 0 {
		return nil
	}
	names := v.names()
	var parts []string
	var rename []map[einsum.Index]einsum.Index
	to := func(cells string) map[einsum.Index]einsum.Index {
		if k := slices.Index(parts, cells); k >= 0 {
			return rename[k]
		}
		parts = append(parts, cells)
		rename = append(rename, freshIndices(v.body.pick(down), names, len(parts) > 1))
		return rename[len(rename)-1]
	}
	out := &einsum.Query{Name: v.q.Name, Idxs: v.q.Idxs}
	for i := range v.leaves {
		l := &v.leaves[i]
		product := l.sum[0].clone()
		for k, s := range product.sums {
			if gone := v.body.pick(v.indices(l.ring, s) & down); len(gone) > 0 {
				product.sums[k] = v.aggregateSum(l, s, gone, to)
			}
		}
		rest := v.body.pick(v.body.All() &^ v.body.Free &^ down)
		e := l.ring.write([]addend{product})
		if len(rest) > 0 || hasGuard(e) {
			e = &einsum.Agg{Op: l.agg.Op, Idxs: rest, Arg: e}
		}
		out.Leaves = append(out.Leaves, einsum.Leaf{Name: l.name, Expr: e})
	}
	return out
}

// aggregateSum is the sum of the aggregates of a sum's addends over gone, one
// for all that are present at the same cells.
func (v *view) aggregateSum(
	l *leafView, sum []addend, gone []einsum.Index, to func(cells string) map[einsum.Index]einsum.Index,
) []addend {
	var cells []string
	var groups [][]addend
	for i := range sum {
		c := v.cells(l.ring, &sum[i])
		k := slices.Index(cells, c)
		if k < 0 {
			k = len(cells)
			cells, groups = append(cells, c), append(groups, nil)
		}
		groups[k] = append(groups[k], sum[i])
	}
	out := make([]addend, len(groups))
	for k, g := range groups {
		out[k] = aggregated(l, gone, g, to(cells[k]))
	}
	return out
}

// descending returns the reduced indices of a leaf that occur in one sum of its
// only product and nowhere else.
func (v *view) descending(l *leafView) uint64 {
	if l.agg == nil || len(l.sum) != 1 {
		return 0
	}
	a := &l.sum[0]
	var once, outside uint64
	for _, p := range slices.Concat(a.parts, a.guards) {
		outside |= v.indicesOf(p)
	}
	for _, s := range a.sums {
		set := v.indices(l.ring, s)
		if e := l.ring.write(s); hasGuard(e) || mayFail(e) {
			outside |= set
		}
		outside |= once & set
		once |= set
	}
	return once &^ outside &^ v.body.Free
}

// indices is the set of indices in a sum.
func (v *view) indices(r ring, sum []addend) uint64 { return v.indicesOf(r.write(sum)) }

func (v *view) indicesOf(e einsum.Expr) (set uint64) {
	for _, x := range einsum.Free(e) {
		set |= 1 << v.body.index(x)
	}
	return set
}

// mayFail reports a function in e that has no value at some numbers.
func mayFail(e einsum.Expr) bool {
	found := false
	einsum.Walk(e, func(e einsum.Expr) bool {
		if m, ok := e.(*einsum.Map); ok && m.Op.Info().Domain != semiring.Everywhere {
			found = true
		}
		return !found
	})
	return found
}
