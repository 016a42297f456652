package logical

import (
	"slices"

	"github.com/trireme-db/trireme/einsum"
)

// precedence is the partial order in which the indices of a program may be
// eliminated. Within a query aggregates are one commutative operator and the
// search is free. Aggregates that do not commute are queries of their own after
// normalisation, and so is one that stands below what it must not leave
// (placement): the indices of a query come before those of every query that reads
// it, directly or not. In max_i sum_j A(i,j), j comes first; in
// sum_i sqrt(sum_j A(i,j)), too; in sum_i sum_j A(i,j) neither does.
type precedence struct {
	reads map[string][]string       // queries, by the name of a reader
	home  map[einsum.Index][]string // the queries that reduce an index
}

func newPrecedence(qs []*einsum.Query) *precedence {
	p := &precedence{reads: map[string][]string{}, home: map[einsum.Index][]string{}}
	for _, q := range qs {
		for _, l := range q.Leaves {
			for _, a := range einsum.Accesses(l.Expr) {
				if !slices.Contains(p.reads[q.Name], a.Tensor) {
					p.reads[q.Name] = append(p.reads[q.Name], a.Tensor)
				}
			}
			if agg, _ := aggOf(l.Expr); agg != nil {
				for _, x := range agg.Idxs {
					if !slices.Contains(p.home[x], q.Name) {
						p.home[x] = append(p.home[x], q.Name)
					}
				}
			}
		}
	}
	return p
}

// before reports whether index v must be gone before w can be.
func (p *precedence) before(v, w einsum.Index) bool {
	for _, inner := range p.home[v] {
		for _, outer := range p.home[w] {
			if p.below(inner, outer) {
				return true
			}
		}
	}
	return false
}

// below reports whether query outer reads query inner, directly or not.
func (p *precedence) below(inner, outer string) bool {
	return slices.ContainsFunc(p.reads[outer], func(t string) bool {
		return t == inner || p.below(inner, t)
	})
}
