package lower

import (
	"slices"

	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/sqlfront"
)

// partners says which inner rows belong to an outer row: those whose keys equal
// the outer row's. Where the conditions are equalities, the keys are their two
// sides. Other conditions are evaluated among the inner rows, which are joined
// with the different values of the outer columns that the conditions read; these
// values are then the keys.
type partners struct {
	outer []sqlfront.Expr // over the outer rows, each over one source
	keys  []sqlfront.Expr // over inner
	// nullSafe: NULL equals NULL; elsewhere a key that is NULL equals nothing.
	nullSafe []bool
	inner    *rel
	// values are the outer columns that are among the inner rows.
	values map[column]sqlfront.Expr
}

// condition is a conjunct over both sides, taken apart: inner and outer are the
// two sides of an equality of one source's columns with inner ones.
type condition struct {
	e            sqlfront.Expr
	outer, inner sqlfront.Expr // nil: no such equality
	nullSafe     bool
}

// match finds the partners of outer rows by the conjuncts inner.matched. extra
// are further outer columns (in the outer space) that are wanted among the inner
// rows.
func match(outer, inner *rel, extra []*sqlfront.ColumnRef) *partners {
	p := &partners{inner: inner.clone()}
	p.inner.matched = nil
	var both []condition
	var alone []sqlfront.Expr // over the outer side only
	equalities := true
	for _, e := range inner.matched {
		in, out := sides(e)
		switch {
		case !out:
			p.inner.where = append(p.inner.where, e)
		case !in:
			alone = append(alone, fromOuter(e))
		default:
			c := apart(e)
			equalities = equalities && c.outer != nil
			both = append(both, c)
		}
	}
	if equalities && len(extra) == 0 {
		if both, ok := masked(both, alone); ok {
			p.byEqualities(both)
			return p
		}
	}
	for _, e := range alone {
		both = append(both, condition{e: toOuter(e)})
	}
	p.byValues(outer, both, extra)
	return p
}

// apart recognises f(outer source) = g(inner).
func apart(e sqlfront.Expr) condition {
	c := condition{e: e}
	l, r, name := operands(e, "=", "is not distinct from")
	if name == "" {
		return c
	}
	if readsOuter(r) {
		l, r = r, l
	}
	lin, _ := sides(l)
	rin, rout := sides(r)
	if lin || rout || !rin || len(sourcesIn(l)) != 1 {
		return c
	}
	t, ok := common(l.Type(), r.Type())
	if !ok {
		return c
	}
	c.outer, c.inner, c.nullSafe = as(fromOuter(l), t), as(r, t), name != "="
	return c
}

// common is the type in which values of two types compare, where that is beyond
// doubt.
func common(a, b rows.Type) (rows.Type, bool) {
	switch {
	case a == b:
		return a, true
	case signed(a) && signed(b):
		return rows.Type{ID: max(a.ID, b.ID)}, true
	case a.ID == rows.Date && b.ID == rows.Timestamp, a.ID == rows.Timestamp && b.ID == rows.Date:
		return rows.Type{ID: rows.Timestamp}, true
	}
	return rows.Type{}, false
}

func signed(t rows.Type) bool { return t.ID >= rows.TinyInt && t.ID <= rows.HugeInt }

func as(e sqlfront.Expr, t rows.Type) sqlfront.Expr {
	if e.Type() == t {
		return e
	}
	return &sqlfront.Cast{Arg: e, T: t}
}

// masked puts predicates on the outer row into equalities: where one is not
// TRUE, the key is NULL and equals nothing. ok is false where no equality is over
// the same source.
func masked(both []condition, alone []sqlfront.Expr) (out []condition, ok bool) {
	out = slices.Clone(both)
	for _, e := range alone {
		srcs := sourcesIn(e)
		at := slices.IndexFunc(out, func(c condition) bool {
			return !c.nullSafe && len(srcs) == 1 && sourcesIn(c.outer)[0] == srcs[0]
		})
		if at < 0 {
			return nil, false
		}
		out[at].outer = when(e, out[at].outer, nil)
	}
	return out, true
}

func (p *partners) byEqualities(both []condition) {
	seen := map[string]bool{}
	for _, c := range both {
		k := exprKey(c.outer) + " " + exprKey(c.inner)
		if seen[k] && !c.nullSafe {
			continue
		}
		seen[k] = !c.nullSafe
		p.outer = append(p.outer, c.outer)
		p.keys = append(p.keys, c.inner)
		p.nullSafe = append(p.nullSafe, c.nullSafe)
	}
}

// byValues joins the inner rows with the different values of the outer sides of
// equalities and of the outer columns that other conditions read.
func (p *partners) byValues(outer *rel, both []condition, extra []*sqlfront.ColumnRef) {
	var wanted []sqlfront.Expr
	number := map[string]int{}
	want := func(e sqlfront.Expr) {
		if k := exprKey(e); number[k] == 0 {
			wanted = append(wanted, e)
			number[k] = len(wanted)
		}
	}
	for _, c := range both {
		if c.outer != nil {
			want(c.outer)
			continue
		}
		for _, col := range columnsIn(c.e) {
			if col.Source >= outerSpace {
				want(fromOuter(col))
			}
		}
	}
	for _, col := range extra {
		want(fromOuter(col))
	}
	part, es := outer.part(wanted)
	cols := p.inner.add(part.values("o", es))
	p.values = map[column]sqlfront.Expr{}
	for i, e := range wanted {
		if c, ok := e.(*sqlfront.ColumnRef); ok {
			p.values[columnID(c)] = cols[i]
		}
		p.outer = append(p.outer, e)
		p.keys = append(p.keys, cols[i])
	}
	var conds []sqlfront.Expr
	for _, c := range both {
		if c.outer == nil {
			conds = append(conds, p.among(c.e))
			continue
		}
		conds = append(conds, equal(cols[number[exprKey(c.outer)]-1], c.inner, c.nullSafe))
	}
	p.inner.where = append(p.inner.where, conds...)
	for _, k := range p.keys {
		p.nullSafe = append(p.nullSafe, !rejectsNull(conds, k.(*sqlfront.ColumnRef)))
	}
}

// rejectsNull reports whether one of some conjuncts is never TRUE where a column
// is NULL.
func rejectsNull(conds []sqlfront.Expr, c *sqlfront.ColumnRef) bool {
	padded := assumption(func(e sqlfront.Expr) bool {
		x, ok := e.(*sqlfront.ColumnRef)
		return ok && columnID(x) == columnID(c)
	})
	return slices.ContainsFunc(conds, padded.neverTrue)
}

// among is an expression over both sides as one over the inner rows.
func (p *partners) among(e sqlfront.Expr) sqlfront.Expr {
	return mapColumns(e, func(c *sqlfront.ColumnRef) sqlfront.Expr {
		if c.Source < outerSpace {
			return c
		}
		v, ok := p.values[column{c.Source - outerSpace, c.Column}]
		if !ok {
			refuse("correlation outside WHERE")
		}
		return v
	})
}

// known drops the inner rows whose keys equal nothing because they are NULL. Keys
// that are outer values are NULL only where they equal NULL.
func (p *partners) known() *rel {
	r := p.inner.clone()
	for i, k := range p.keys {
		if !p.nullSafe[i] && p.values == nil {
			r.where = append(r.where, predicate("is not null", k))
		}
	}
	return r
}

// different is the query of the keys that inner rows have.
func (p *partners) different() *sqlfront.Query { return p.inner.distinct(p.keys, columns(p.keys)) }

// equate joins the outer rows with a source that starts with the key columns.
func (p *partners) equate(outer *rel, cols []sqlfront.Expr) {
	for i, k := range p.outer {
		outer.where = append(outer.where, equal(k, cols[i], p.nullSafe[i]))
	}
}

// has keeps the outer rows with a partner.
func (p *partners) has(outer *rel) {
	if len(p.outer) == 0 {
		n := outer.add(p.inner.number())
		outer.where = append(outer.where, predicate(">", n[0], constant("0", bigint)))
		return
	}
	q := p.different()
	p.equate(outer, outer.add(sqlfront.Source{Alias: "partner", Query: q, Columns: q.Columns}))
}

// lacks keeps the outer rows without a partner.
func (p *partners) lacks(outer *rel) {
	if len(p.outer) == 0 {
		n := outer.add(p.inner.number())
		outer.where = append(outer.where, predicate("=", n[0], constant("0", bigint)))
		return
	}
	outer.anti = append(outer.anti, sqlfront.Anti{Query: p.different(), Keys: p.outer, NullSafe: p.nullSafe})
}

// over is the same match for outer rows that are known by the values of the keys
// alone: keys[i] is there what outer[i] is here.
func (p *partners) over(keys []sqlfront.Expr) *partners {
	return &partners{outer: keys, keys: p.keys, nullSafe: p.nullSafe, inner: p.inner, values: p.values}
}

// innerJoin joins the outer rows with their partners and returns expressions
// over the partner as columns of the outer rows.
func (p *partners) innerJoin(outer *rel, es []sqlfront.Expr) []sqlfront.Expr {
	by := outer.join(p.inner)
	p.equate(outer, shifted(p.keys, by))
	return shifted(es, by)
}

// leftJoin joins the outer rows with their partners, or with NULLs where there is
// none, and returns expressions over the partner as columns of the outer rows.
// The partners become a bag: for every key that inner rows have these rows, and a
// row of NULLs for every other key that outer rows have. NULLs of the keys find
// themselves there, and are a key without partner under =.
func (p *partners) leftJoin(outer *rel, alias string, es []sqlfront.Expr) []sqlfront.Expr {
	if len(es)+len(p.keys) == 0 {
		es = []sqlfront.Expr{constant("1", integer)} // a source has a column
	}
	all := slices.Concat(p.keys, es)
	cols := columns(all)
	bag := outer.add(sqlfront.Source{
		Alias: alias, Bag: []*sqlfront.Query{p.known().plain(all, cols), p.padding(outer, es, cols)}, Columns: cols,
		Padded: len(p.keys),
	})
	for i, k := range p.outer {
		outer.where = append(outer.where, equal(k, bag[i], true))
	}
	return bag[len(p.keys):]
}

// padding is the rows of NULLs for the outer keys without a partner.
func (p *partners) padding(outer *rel, es []sqlfront.Expr, cols []rows.Column) *sqlfront.Query {
	pad := &rel{}
	var selected []sqlfront.Expr
	if len(p.outer) > 0 {
		part, keys := outer.part(p.outer)
		selected = pad.add(part.values("o", keys))
	}
	keys := selected
	if len(es) > 0 {
		selected = append(slices.Clone(keys), pad.add(nulls(cols[len(keys):]))...)
	}
	p.over(keys).lacks(pad)
	return pad.plain(selected, cols)
}
