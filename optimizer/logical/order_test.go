package logical

import (
	"fmt"
	"slices"
	"testing"

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

// OutOfOrder describes the first step of a plan that reduces an index before one
// that has to be gone by then; empty when the plan keeps to the partial order.
func OutOfOrder(normal *einsum.Program, plan *Plan) string {
	p := newPrecedence(normal.Queries)
	var gone []einsum.Index
	for _, s := range plan.Steps {
		var here []einsum.Index
		for _, l := range s.Query.Leaves {
			if agg, _ := aggOf(l.Expr); agg != nil {
				for _, x := range agg.Idxs {
					if len(p.home[x]) == 1 { // names are unique within a query only
						here = append(here, x)
					}
				}
			}
		}
		for _, v := range here {
			for _, w := range gone {
				if p.before(v, w) {
					return fmt.Sprintf("%s reduces %s, which has to be gone before %s", s.Query.Name, v.Name, w.Name)
				}
			}
		}
		gone = append(gone, here...)
	}
	return ""
}

func TestBefore(t *testing.T) {
	const inputs = "tensor A(0,1) { n pattern, x f64 }\ntensor B(1,2) { n pattern, y f64 }\n"
	i, j, k := einsum.Index{Name: "i", Domain: 0}, einsum.Index{Name: "j", Domain: 1}, einsum.Index{Name: "k", Domain: 2}
	for _, c := range []struct {
		text   string
		v, w   einsum.Index
		before bool
	}{
		{"R() = n: sum(i) (sum(j) A.n(i,j)) | m: max(i) (sum(j) A.x(i,j))", j, i, true},
		{"R() = n: sum(i) (sum(j) A.n(i,j)) | m: max(i) (sum(j) A.x(i,j))", i, j, false},
		{"R() = n: sum(i) (sum(j) A.n(i,j)) | m: sum(i) (sum(j) A.x(i,j))", j, i, false},
		{"R() = n: sum(i) (sum(j) A.n(i,j)) | m: sum(i) sqrt(sum(j) A.x(i,j))", j, i, true},
		{"S(i,k) = n: sum(j) A.n(i,j) * B.n(j,k) | m: max(j) A.x(i,j) * B.y(j,k)\nT(k) = n: sum(i) S.n(i,k) | s: sum(i) S.m(i,k)\nR() = n: sum(k) T.n(k) | m: max(k) T.s(k)", j, k, true},
		{"S(i) = n: sum(j) A.n(i,j)\nR() = n: sum(j,k) B.n(j,k)", j, k, false},
	} {
		p, err := einsum.Parse(inputs + c.text)
		if err != nil {
			t.Fatalf("%s: %v", c.text, err)
		}
		normal, err := Normalize(p)
		if err != nil {
			t.Fatalf("%s: %v", c.text, err)
		}
		if got := newPrecedence(normal.Queries).before(c.v, c.w); got != c.before {
			t.Errorf("%s: %s before %s: %v\n%s", c.text, c.v.Name, c.w.Name, got, normal)
		}
	}
}
