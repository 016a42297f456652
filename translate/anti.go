package translate

import (
	"fmt"
	"slices"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/internal/invariant"
	"github.com/trireme-db/trireme/internal/load"
	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/sqlfront"
)

// An anti join selects the cells at which the tensor of its DISTINCT query has
// no entry (SEMANTICS section 4). It is a condition like others: an entry all of
// whose cells fail it is there with n = 0, and it never multiplies, but where
// nothing is aggregated and all values are finite: then 0 times a value is no guard,
// which would keep the block from being merged with what reads it. Its
// keys are indices of the block; NULL is a coordinate of them that the query does
// not have, unless the comparison is null safe.
type anti struct {
	query *sqlfront.Query // in plain form: a group for every key
	given *sqlfront.Anti
	src   *source
	keys  []*class // of the block, per key
}

// anti makes the keys of anti join n indices of the block.
func (p *predicates) anti(n int) error {
	given := &p.b.q.Anti[n]
	a := &anti{given: given}
	inner := *given.Query
	inner.GroupBy, inner.Select, inner.OrderBy = nil, nil, nil
	for i, e := range given.Keys {
		ref, ok := given.Query.Select[i].Expr.(*sqlfront.GroupRef)
		if !ok || given.Query.Having != nil || !given.Query.Distinct && !given.Query.Grouped {
			return refuse("anti join with a query of another form")
		}
		g := given.Query.GroupBy[ref.N]
		e, g, err := sameTyped(e, g)
		if err != nil {
			return err
		}
		k, err := p.anyKey(e)
		if err != nil {
			return cuts(err, e, needCut{place: inAnti, n: n, arg: i})
		}
		for _, c := range a.keys {
			if find(c) == find(k.class) { // a tensor is not read at (i, i)
				if k, err = p.anyKey(apart(e)); err != nil {
					return err
				}
			}
		}
		find(k.class).probed = true
		a.keys = append(a.keys, k.class)
		inner.GroupBy = append(inner.GroupBy, g)
		inner.Select = append(inner.Select, sqlfront.SelectItem{Expr: &sqlfront.GroupRef{N: i, T: g.Type()}, Name: fmt.Sprintf("g%d", i)})
	}
	a.query = &inner
	p.b.antis = append(p.b.antis, a)
	return nil
}

// anyKey returns the key for an expression over one source, or over none.
func (p *predicates) anyKey(e sqlfront.Expr) (*key, error) {
	switch srcs := sourcesOf(e); len(srcs) {
	case 0:
		return p.key(0, e)
	case 1:
		return p.key(srcs[0], e)
	}
	return nil, refuse("key over several tables")
}

// analyzeAnti analyzes the query of an anti join. One that has no program is
// executed on its own.
func (t *translator) analyzeAnti(b *block, a *anti) error {
	q := *a.query
	for i, g := range q.GroupBy {
		if a.given.NullSafe[i] {
			continue
		}
		if err := t.withoutNull(&q, g); err != nil {
			return err
		}
	}
	inner, err := t.analyzeApart(&q, b.depth+1)
	if declined(err) {
		a.src = t.antiRelation(a)
		return nil
	}
	a.src = &source{n: -1, alias: "anti", inner: inner}
	return err
}

// antiRelation is the source of an anti join whose query DuckDB executes.
func (t *translator) antiRelation(a *anti) *source {
	f := sqlfront.Source{}
	for _, it := range a.query.Select {
		f.Columns = append(f.Columns, rows.Column{Name: it.Name, Type: it.Expr.Type()})
	}
	q := *a.query
	q.Columns = f.Columns
	f.Text, f.Memory = sqlfront.PrintQuery(&q), q.Memory()
	s := &source{n: -1, table: t.relation(f)}
	for i, c := range f.Columns {
		s.keys = append(s.keys, &key{sql: load.Quote(c.Name), typ: c.Type, class: a.keys[i], noNull: !a.given.NullSafe[i]})
	}
	return s
}

// probeDomains unites the domains of anti joins' keys with those of the block.
func (t *translator) probeDomains(b *block) error {
	for _, a := range b.antis {
		for i := range a.keys {
			a.keys[i] = find(a.keys[i])
		}
		if repeated(a.keys) >= 0 {
			return refuse("anti join on two equal columns")
		}
		for i, c := range a.keys {
			if a.src.inner != nil {
				t.unite(c.domain, a.src.inner.groups[i].domain)
				continue
			}
			k := a.src.keys[i]
			k.class = c
			t.unite(c.domain, t.memberDomain(member{src: a.src, key: k}))
		}
	}
	return nil
}

// emitAnti makes what an anti join reads.
func (t *translator) emitAnti(a *anti) error {
	if a.src.inner == nil {
		a.src.input = t.input(a.src)
		return nil
	}
	known := len(t.checks)
	if err := t.emit(a.src.inner, t.name("A")); err != nil {
		return err
	}
	t.reuse(a.src.inner, known)
	return nil
}

// lacking is 1 where an anti join's query has no row, and masked elsewhere.
func (e *emitter) lacking(a *anti) einsum.Expr {
	x := &einsum.Access{Leaf: einsum.CountLeaf}
	if a.src.inner == nil {
		x.Tensor = a.src.input.spec.Name
		for _, k := range a.src.keys {
			x.Args = append(x.Args, e.arg(k.class))
		}
	} else {
		x.Tensor = a.src.inner.name
		for _, out := range a.src.inner.outs {
			at := -1
			for i, g := range a.src.inner.groups {
				if g == out {
					at = i
				}
			}
			invariant.Check(at >= 0, "translate: an index of an anti join is no key")
			x.Args = append(x.Args, e.arg(a.keys[at]))
		}
	}
	if e.b.masksByFactor() {
		return einsum.Apply(semiring.Less, einsum.Apply(semiring.If0, x, einsum.Int(0)), einsum.Int(1))
	}
	found := einsum.Apply(semiring.And, x, einsum.Int(1))
	return einsum.Guarded(einsum.Int(1), einsum.Sub(einsum.Int(1), found))
}

// mayBeInfinite reports whether the sum of a DOUBLE that is not known to be finite is
// multiplied by numbers of rows.
func (a *plannedAgg) mayBeInfinite() bool {
	return a.arg != nil && a.arg.float && a.form != formCount && !a.arg.bounded
}

// masksByFactor reports whether an anti join may be a factor of 0 or 1: every index
// is grouped, and every value is finite.
func (b *block) masksByFactor() bool {
	aggregated := func(c *class) bool { return c.konst == nil && !slices.Contains(b.outs, c) }
	if slices.ContainsFunc(b.classes, aggregated) || slices.ContainsFunc(b.sources, func(s *source) bool { return s.inner != nil }) {
		return false
	}
	return !slices.ContainsFunc(b.planned, func(a *plannedAgg) bool {
		return len(a.sums) > 0 || a.arg != nil && a.arg.cell || a.mayBeInfinite()
	})
}
