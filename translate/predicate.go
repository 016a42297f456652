package translate

import (
	"slices"
	"strconv"
	"strings"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/internal/invariant"
	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/sqlfront"
)

// predicates sorts the conjuncts of WHERE and the GROUP BY expressions of a
// block into index classes, masks, constants and load predicates.
type predicates struct {
	t      *translator
	b      *block
	inners []*sqlfront.Query // of inlined derived tables, by source
	consts []constant
	orders []order
	known  []knownValue
}

// constant is a conjunct key = constant, bound to its class when that is free.
type constant struct {
	key  *key
	src  *source
	c    *einsum.Const
	expr sqlfront.Expr // the conjunct
}

func (p *predicates) run() error {
	for i, e := range p.b.q.Where {
		if err := p.conjunct(e); err != nil {
			return cuts(err, e, needCut{place: inWhere, n: i})
		}
	}
	for i, g := range p.b.q.GroupBy {
		k, err := p.anyKey(g)
		if err != nil {
			return cuts(err, g, needCut{place: inGroupBy, n: i})
		}
		c := find(k.class)
		c.grouped = true
		p.b.groups = append(p.b.groups, c)
	}
	for i := range p.b.q.Anti {
		if err := p.anti(i); err != nil {
			return err
		}
	}
	p.impliedOrders()
	if err := p.rowIndices(); err != nil {
		return err
	}
	if err := p.dropNulls(); err != nil {
		return err
	}
	return p.settle()
}

// conjunct places one conjunct.
func (p *predicates) conjunct(e sqlfront.Expr) error {
	call, _ := e.(*sqlfront.Call)
	if call != nil && call.Name == "and" {
		for _, a := range call.Args {
			if err := p.conjunct(a); err != nil {
				return err
			}
		}
		return nil
	}
	sided, err := p.sided(e)
	if err != nil {
		return err
	}
	if sided != nil {
		for _, a := range sided {
			if err := p.conjunct(a); err != nil {
				return err
			}
		}
		return nil
	}
	srcs := sourcesOf(e)
	if ok, err := p.condition(e, srcs); ok || err != nil {
		return err
	}
	if ok, err := p.keyedCondition(e, srcs); ok || err != nil {
		return err
	}
	switch {
	case len(srcs) == 0:
		return p.single(0, e)
	case len(srcs) == 1:
		if c, ok := p.constant(srcs[0], call); ok {
			p.consts = append(p.consts, c)
			return nil
		}
		return p.single(srcs[0], e)
	}
	if call == nil || len(call.Args) != 2 || len(srcs) != 2 {
		return refuse("predicate over several tables")
	}
	l, r := sourcesOf(call.Args[0]), sourcesOf(call.Args[1])
	if len(l) != 1 || len(r) != 1 {
		return refuse("predicate over several tables")
	}
	switch call.Name {
	case "=", "is not distinct from", "<>", "<", "<=", ">", ">=":
	default:
		return refuse("predicate over several tables")
	}
	le, re, err := sameTyped(call.Args[0], call.Args[1])
	if err != nil {
		return err
	}
	lk, err := p.key(l[0], le)
	if err != nil {
		return err
	}
	rk, err := p.key(r[0], re)
	if err != nil {
		return err
	}
	switch call.Name {
	case "=":
		p.merge(lk.class, rk.class)
		find(lk.class).equated = true
		return nil
	case "is not distinct from":
		p.merge(lk.class, rk.class)
		return nil
	}
	lc, rc := find(lk.class), find(rk.class)
	lc.masked, rc.masked = true, true
	p.b.masks = append(p.b.masks, mask{op: call.Name, l: lc, r: rc})
	return nil
}

// condition takes a predicate on values of inlined derived tables. An equality
// between two of them is left to the indices, which do not compare every pair.
func (p *predicates) condition(e sqlfront.Expr, srcs []int) (bool, error) {
	call, ok := e.(*sqlfront.Call)
	if !p.readsAggregate(e) || ok && (call.Name == "=" || call.Name == "is not distinct from") && len(srcs) > 1 {
		return false, nil
	}
	s := p.splitter()
	measured, err := p.measured(e)
	if err == nil {
		err = p.inType(s, measured)
	}
	for _, src := range srcs {
		if p.inners[src] == nil && err == nil {
			err = errPoint
		}
	}
	if err != nil && measured != nil && !slices.ContainsFunc(srcs, func(src int) bool { return p.inners[src] == nil }) {
		if p.cellCondition(s, measured) == nil {
			err = nil
		}
	}
	if err == nil {
		p.b.conds = append(p.b.conds, measured)
		return true, nil
	}
	return false, p.orRelation(e, err)
}

// inType fails where a predicate is no condition, and records the checks that nothing
// that it calculates leaves its type: DuckDB raises there.
func (p *predicates) inType(s *splitter, e sqlfront.Expr) error {
	if err := s.conditional(p.b.q, e, false); err != nil {
		return err
	}
	var checks []Check
	_, err := s.bounds(e, p.b, &checks)
	if err == nil {
		p.b.checks = append(p.b.checks, checks...)
	}
	return err
}

// readsAggregate reports whether an expression reads an aggregate of an inlined
// derived table.
func (p *predicates) readsAggregate(e sqlfront.Expr) bool {
	found := false
	eachColumn(e, func(c *sqlfront.ColumnRef) {
		if q := p.inners[c.Source]; q != nil {
			_, isAgg := q.Select[c.Column].Expr.(*sqlfront.AggRef)
			found = found || isAgg
		}
	})
	return found
}

// measured is an expression that reads the groups of inlined derived tables as
// values: the least of a group's equal keys.
func (p *predicates) measured(e sqlfront.Expr) (sqlfront.Expr, error) {
	var failed error
	out := mapColumns(e, func(c *sqlfront.ColumnRef) sqlfront.Expr {
		q := p.inners[c.Source]
		if q == nil {
			return c
		}
		ref, isGroup := q.Select[c.Column].Expr.(*sqlfront.GroupRef)
		if !isGroup {
			return c
		}
		least := &sqlfront.AggCall{Func: "min", Args: []sqlfront.Expr{q.GroupBy[ref.N]}, T: c.T}
		if argumentType(least, least.Args[0], false) != nil {
			failed = &needRelation{source: c.Source}
			return c
		}
		return innerAggregate(c.Source, q, least)
	})
	return out, failed
}

// single adds a predicate over one source (or none) to its load.
func (p *predicates) single(n int, e sqlfront.Expr) error {
	if bag := p.b.sources[n].bag; bag != nil {
		bag.keep = append(bag.keep, e)
		return nil
	}
	if p.inners[n] == nil {
		if x, ok := notNull(e); ok {
			p.known = append(p.known, knownValue{src: p.b.sources[n], expr: x, whole: e})
			return nil
		}
		p.noteOrder(n, e)
		p.b.sources[n].where = append(p.b.sources[n].where, columnSQL(e))
		return nil
	}
	pushed, ok := pushDown(e, p.inners[n])
	if !ok {
		return &needRelation{source: n}
	}
	p.inners[n].Where = append(p.inners[n].Where, pushed)
	return nil
}

// knownValue is a conjunct that says of an expression over one base table that it
// is not NULL.
type knownValue struct {
	src         *source
	expr, whole sqlfront.Expr
}

// notNull returns the expression of which a predicate says that it is not NULL.
func notNull(e sqlfront.Expr) (sqlfront.Expr, bool) {
	if c, ok := e.(*sqlfront.Call); ok && c.Name == "is not null" && len(sourcesOf(c.Args[0])) == 1 {
		return c.Args[0], true
	}
	return nil, false
}

// dropNulls places the predicates that an expression is not NULL: of a key that is
// the rule of its index, so that tables are loaded as where an equality drops
// NULLs; and what the facts say anyway is no predicate.
func (p *predicates) dropNulls() error {
	for _, v := range p.known {
		if k := v.src.keyOf(columnSQL(v.expr)); k != nil {
			find(k.class).equated = true
			continue
		}
		has, err := p.t.hasNull(p.b.q, v.expr)
		if err != nil {
			return err
		}
		if has {
			v.src.where = append(v.src.where, columnSQL(v.whole))
		}
	}
	return nil
}

// pushDown rewrites a predicate over a derived table's group columns into one
// over the derived table's own sources: filtering groups by their key is
// filtering the rows that form them.
func pushDown(e sqlfront.Expr, inner *sqlfront.Query) (sqlfront.Expr, bool) {
	ok := true
	out := mapColumns(e, func(c *sqlfront.ColumnRef) sqlfront.Expr {
		g, isGroup := inner.Select[c.Column].Expr.(*sqlfront.GroupRef)
		if !isGroup {
			ok = false
			return c
		}
		return inner.GroupBy[g.N]
	})
	return out, ok
}

// key returns the key of a source for an expression, making it if it is new.
func (p *predicates) key(n int, e sqlfront.Expr) (*key, error) {
	s := p.b.sources[n]
	column := 0
	if p.inners[n] != nil {
		c, err := p.innerKey(n, e)
		if err != nil {
			return nil, err
		}
		e, column = c, p.inners[n].Select[c.Column].Expr.(*sqlfront.GroupRef).N
	}
	sql := columnSQL(e)
	for _, k := range s.keys {
		if k.sql == sql {
			return k, nil
		}
	}
	k := &key{expr: e, sql: sql, typ: e.Type(), column: column}
	k.class = &class{members: []member{{src: s, key: k}}}
	s.keys = append(s.keys, k)
	p.b.classes = append(p.b.classes, k.class)
	return k, nil
}

// innerKey is a key expression as a group of an inlined derived table. One that
// depends on several groups becomes one more: that makes no group more.
func (p *predicates) innerKey(n int, e sqlfront.Expr) (*sqlfront.ColumnRef, error) {
	inner := p.inners[n]
	pushed, ok := pushDown(e, inner)
	if !ok || len(sourcesOf(pushed)) > 1 {
		return nil, &needRelation{source: n}
	}
	return innerGroup(n, inner, pushed), nil
}

func (p *predicates) merge(a, b *class) {
	a, b = find(a), find(b)
	if a == b {
		return
	}
	a.members = append(a.members, b.members...)
	a.grouped = a.grouped || b.grouped
	a.masked = a.masked || b.masked
	a.equated = a.equated || b.equated
	a.probed = a.probed || b.probed
	b.parent = a
}

// constant recognises column = constant where the comparison is in the column's
// own type, so that it binds an index to one coordinate.
func (p *predicates) constant(n int, call *sqlfront.Call) (constant, bool) {
	if call == nil || call.Name != "=" || len(call.Args) != 2 || p.inners[n] != nil || p.b.sources[n].bag != nil {
		return constant{}, false
	}
	col, val := call.Args[0], call.Args[1]
	if _, ok := col.(*sqlfront.ColumnRef); !ok {
		col, val = val, col
	}
	if _, ok := col.(*sqlfront.ColumnRef); !ok {
		return constant{}, false
	}
	c, ok := constValue(col.Type(), val)
	if !ok {
		return constant{}, false
	}
	k, err := p.key(n, col)
	if err != nil {
		return constant{}, false
	}
	return constant{key: k, src: p.b.sources[n], c: c, expr: call}, true
}

// constValue returns the value of a literal or parameter that compares with a
// column in the column's own type: integers with integers, strings with strings.
func constValue(col rows.Type, e sqlfront.Expr) (*einsum.Const, bool) {
	integer := col.IsInteger() && col.Physical() == rows.PhysInt64
	switch e := e.(type) {
	case *sqlfront.Param:
		if e.T == col && (integer || col.ID == rows.Varchar) {
			return &einsum.Const{Param: e.N}, true
		}
	case *sqlfront.Literal:
		if integer && e.T.IsInteger() {
			if v, err := strconv.ParseInt(e.SQL, 10, 64); err == nil {
				return &einsum.Const{Text: strconv.FormatInt(v, 10)}, true
			}
		}
		if col.ID == rows.Varchar && len(e.SQL) >= 2 && e.SQL[0] == '\'' {
			return &einsum.Const{Text: strings.ReplaceAll(e.SQL[1:len(e.SQL)-1], "''", "'"), Quoted: true}, true
		}
	case *sqlfront.Call:
		if e.Name == "neg" && integer {
			if lit, ok := e.Args[0].(*sqlfront.Literal); ok && lit.T.IsInteger() {
				if v, err := strconv.ParseInt("-"+lit.SQL, 10, 64); err == nil {
					return &einsum.Const{Text: strconv.FormatInt(v, 10)}, true
				}
			}
		}
	}
	return nil, false
}

// settle decides constants, removes second keys of one source in a class, and
// drops NULL keys of inlined derived tables where an equality does.
func (p *predicates) settle() error {
	for _, k := range p.consts {
		c := find(k.key.class)
		if c.konst == nil && !c.grouped && !c.masked && !c.probed && !p.readsInner(c) {
			c.konst = k.c
			continue
		}
		k.src.where = append(k.src.where, columnSQL(k.expr))
		if len(c.members) == 1 && !c.grouped && !c.masked && !c.probed && c.konst == nil {
			p.dropKey(k.src, k.key)
		}
	}
	for _, c := range p.b.classes {
		if c.parent != nil {
			continue
		}
		if err := p.diagonal(c); err != nil {
			return err
		}
		if c.keepsNull() {
			continue
		}
		for _, m := range c.members {
			if inner := p.inners[m.src.n]; inner != nil {
				if err := p.t.withoutNull(inner, inner.GroupBy[m.key.column]); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// withoutNull drops the groups of an inlined derived table whose key is NULL. It
// leaves the block as it is where there are none, so that a common table
// expression that is joined on different columns stays one query.
func (t *translator) withoutNull(inner *sqlfront.Query, key sqlfront.Expr) error {
	has, err := t.hasNull(inner, key)
	if err == nil && has {
		inner.Where = append(inner.Where, &sqlfront.Call{
			Name: "is not null", Args: []sqlfront.Expr{key}, T: rows.Type{ID: rows.Boolean},
		})
	}
	return err
}

// hasNull reports whether an expression over a block's columns may be NULL.
func (t *translator) hasNull(q *sqlfront.Query, e sqlfront.Expr) (bool, error) {
	srcs := sourcesOf(e)
	if len(srcs) != 1 {
		return true, nil
	}
	from := q.From[srcs[0]]
	if from.Table != nil {
		_, nulls, ok, err := t.facts.Count(t.ctx, from.Table.Name, columnSQL(e), e.Type())
		return !ok || nulls > 0, err
	}
	for _, branch := range branchesOf(from) {
		if has, err := t.hasNull(branch, ofBranch(branch, e)); has || err != nil {
			return true, err
		}
	}
	if branchesOf(from) != nil || from.Query == nil {
		return from.Query == nil && len(from.Bag) == 0, nil
	}
	if c, ok := e.(*sqlfront.ColumnRef); ok {
		if g, ok := from.Query.Select[c.Column].Expr.(*sqlfront.GroupRef); ok {
			return t.hasNull(from.Query, from.Query.GroupBy[g.N])
		}
	}
	return true, nil
}

func (p *predicates) readsInner(c *class) bool {
	for _, m := range c.members {
		if p.inners[m.src.n] != nil || m.src.bag != nil {
			return true
		}
	}
	return false
}

// dropKey removes a key that nothing uses any more.
func (p *predicates) dropKey(s *source, k *key) {
	for i := range s.keys {
		if s.keys[i] == k {
			s.keys = append(s.keys[:i:i], s.keys[i+1:]...)
			break
		}
	}
	for i, c := range p.b.classes {
		if c == k.class {
			p.b.classes = append(p.b.classes[:i:i], p.b.classes[i+1:]...)
			return
		}
	}
	invariant.Check(false, "translate: key %s has no class", k.sql)
}

// diagonal replaces a source's second key in one class by a load predicate.
func (p *predicates) diagonal(c *class) error {
	first := map[*source]*key{}
	kept := c.members[:0:0]
	for _, m := range c.members {
		f, dup := first[m.src]
		if !dup {
			first[m.src] = m.key
			kept = append(kept, m)
			continue
		}
		if p.inners[m.src.n] != nil {
			return &needRelation{source: m.src.n}
		}
		same := &sqlfront.Call{Name: "is not distinct from", Args: []sqlfront.Expr{f.expr, m.key.expr}, T: rows.Type{ID: rows.Boolean}}
		if !c.keepsNull() {
			same.Name = "="
		}
		if bag := m.src.bag; bag != nil {
			bag.keep = append(bag.keep, same)
		} else {
			m.src.where = append(m.src.where, columnSQL(same))
		}
		for i := range m.src.keys {
			if m.src.keys[i] == m.key {
				m.src.keys = append(m.src.keys[:i:i], m.src.keys[i+1:]...)
				break
			}
		}
	}
	c.members = kept
	return nil
}

// twins makes keys of an inlined derived table one where its block equates them:
// they are one index of its tensor, so their classes are equated here, too.
func (p *predicates) twins(s *source) error {
	var kept []*key
	for _, k := range s.keys {
		at := slices.IndexFunc(kept, func(f *key) bool { return s.inner.groups[f.column] == s.inner.groups[k.column] })
		if at < 0 {
			kept = append(kept, k)
			continue
		}
		p.merge(kept[at].class, k.class)
		c := find(k.class)
		c.members = slices.DeleteFunc(c.members, func(m member) bool { return m.key == k })
		if err := p.diagonal(c); err != nil {
			return err
		}
	}
	s.keys = kept
	return nil
}

// keepsNull reports whether NULL is a coordinate of the class: it is grouped, or
// equated or looked up, and no comparison that NULL does not pass restricts it.
func (c *class) keepsNull() bool {
	if c.masked || c.equated || c.konst != nil {
		return false
	}
	return c.grouped || c.probed || len(c.members) > 1
}
