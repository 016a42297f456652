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

// input is one load shared by all sources that read the same structure.
type input struct {
	id     string
	spec   *load.Spec
	decl   *einsum.Input
	leaves map[string]string // moment and expression -> leaf name
	names  map[string]bool
	exprs  map[string]sqlfront.Expr // leaf name -> expression
}

// emit makes the block's program query, its inner blocks' first.
func (t *translator) emit(b *block, name string) error {
	if b.parted != nil {
		return t.emitParts(b, name)
	}
	for _, a := range b.antis {
		if err := t.emitAnti(a); err != nil {
			return err
		}
	}
	for _, s := range b.sources {
		if s.inner == nil {
			s.input = t.input(s)
			continue
		}
		known := len(t.checks)
		if err := t.emit(s.inner, t.name(identifier(load.Quote(s.alias), "Q"))); err != nil {
			return err
		}
		t.reuse(s.inner, known)
	}
	b.name = name
	e := &emitter{t: t, b: b, byExpr: map[string]string{}}
	e.leaf("n", e.aggregate(semiring.Add, einsum.Mul(e.counts(nil)...)))
	for i, a := range b.planned {
		e.measure(i, a)
	}
	if !b.counted() {
		e.presence()
	}
	for _, c := range b.checks {
		t.checks = append(t.checks, Check{Type: c.Type, Bound: b.resolve(c.Bound)})
	}
	for _, s := range b.sources {
		if s.bag == nil {
			continue
		}
		if err := t.emitBag(b, s); err != nil {
			return err
		}
	}
	q := &einsum.Query{Name: name, Leaves: b.leaves}
	for _, c := range b.outs {
		q.Idxs = append(q.Idxs, t.index(c))
	}
	t.queries = append(t.queries, q)
	return nil
}

// counted reports whether anybody reads the number of rows of an entry as a
// number: it may be any other number than 0 otherwise.
func (b *block) counted() bool {
	for _, a := range b.aggs {
		if a.Value == einsum.CountLeaf || (a.Func == AvgValue || a.Func == MomentsValue) && a.Valid == einsum.CountLeaf {
			return true
		}
	}
	counted := b.hollow || len(b.conds) > 0
	for _, c := range b.checks {
		mapBound(c.Bound, func(x Bound) Bound {
			_, rows := x.(*rowsBound)
			counted = counted || rows
			return x
		})
	}
	return counted
}

// presence makes of the number of rows the question whether there are any: its
// answer needs no arithmetic, and one row settles it.
func (e *emitter) presence() {
	var xs []einsum.Expr
	for _, s := range e.b.sources {
		xs = append(xs, e.access(s, einsum.CountLeaf))
	}
	xs = append(xs, e.maskFactors()...)
	x := xs[0]
	if len(xs) > 1 {
		x = einsum.Apply(semiring.And, xs...)
	}
	if any := e.aggregate(semiring.Or, x); any != x {
		e.b.leaves[0].Expr = any
	}
}

// reuse drops the block's query when an earlier one is the same: a CTE that is
// referenced twice is one tensor. Checks from number known on are the block's;
// those on its own rows are then on the earlier query's.
func (t *translator) reuse(b *block, known int) {
	last := len(t.queries) - 1
	key := t.queryKey(t.queries[last])
	for _, old := range t.queries[:last] {
		if t.queryKey(old) == key {
			t.queries = t.queries[:last]
			for i := known; i < len(t.checks); i++ {
				t.checks[i].Bound = renamed(t.checks[i].Bound, b.name, old.Name)
			}
			b.name = old.Name
			return
		}
	}
}

// queryKey is the key of a query of the program, which no longer changes. Every
// new query is compared with all before it.
func (t *translator) queryKey(q *einsum.Query) string {
	key, ok := t.keys[q]
	if !ok {
		key = q.Key()
		t.keys[q] = key
	}
	return key
}

// renamed is a bound that reads a tensor under another name.
func renamed(x Bound, from, to string) Bound {
	return mapBound(x, func(x Bound) Bound {
		b, ok := x.(*LeafBound)
		if !ok || b.Tensor != from {
			return x
		}
		return &LeafBound{Tensor: to, Lo: b.Lo, Hi: b.Hi, Valid: b.Valid}
	})
}

// resolve fills the query and leaf names of bounds on inner blocks.
func (b *block) resolve(x Bound) Bound {
	return mapBound(x, func(x Bound) Bound {
		switch x := x.(type) {
		case *Interval:
			return x
		case *innerBound:
			in := b.sources[x.src].inner
			agg := in.aggs[x.agg]
			return &LeafBound{Tensor: in.name, Lo: agg.Value, Hi: agg.Value, Valid: agg.Valid}
		case *aggBound:
			agg := b.aggs[x.agg]
			return &LeafBound{Tensor: b.name, Lo: agg.Value, Hi: agg.Value, Valid: agg.Valid}
		case *rowsBound:
			return &LeafBound{Tensor: b.name, Lo: einsum.CountLeaf, Hi: einsum.CountLeaf}
		case *relationBound:
			in := b.sources[x.f.src].input
			return &LeafBound{
				Tensor: in.spec.Name, Lo: in.momentOf(load.Min, x.f.expr), Hi: in.momentOf(load.Max, x.f.expr),
				Valid: in.momentOf(load.Count, x.f.expr),
			}
		}
		panic(invariant.Failed("translate: unknown bound %T", x))
	})
}

// innerBound is a LeafBound of a block that has no name yet.
type innerBound struct{ src, agg int }

// aggBound is a LeafBound of an aggregate of the block itself.
type aggBound struct{ agg int }

// relationBound is a LeafBound of a derived table that is executed on its own:
// its values are known once it is loaded.
type relationBound struct{ f factor }

// rowsBound is the interval of the block's own numbers of rows.
type rowsBound struct{}

func (*rowsBound) isBound()     {}
func (*innerBound) isBound()    {}
func (*aggBound) isBound()      {}
func (*relationBound) isBound() {}

func (t *translator) name(base string) string { return unique(base, t.names) }

func (t *translator) index(c *class) einsum.Index {
	return einsum.Index{Name: c.name, Domain: t.findDomain(c.domain)}
}

// input returns the shared input of a base table's source; that of a bag is not
// shared and says which moments its query must have.
func (t *translator) input(s *source) *input {
	spec := &load.Spec{Table: s.table, Where: conjunction(s.where)}
	id := s.table.SQL() + "\x00" + spec.Where
	var domains []int
	for _, k := range s.keys {
		lk := load.Key{Expr: k.sql, Type: k.typ, RowIndex: k.sql == rowIndexSQL}
		if lk.RowIndex {
			lk.Expr = ""
		}
		if k.class.keepsNull() && !k.noNull {
			lk.Null = load.KeepNull
		}
		spec.Keys = append(spec.Keys, lk)
		domains = append(domains, t.findDomain(k.class.domain))
		id += fmt.Sprintf("\x00%s\x00%d", k.sql, lk.Null)
	}
	name := s.table.Name
	if s.bag != nil {
		id, name = "", s.alias
	}
	for _, in := range t.inputs {
		if in.id == id && s.bag == nil {
			return in
		}
	}
	in := &input{id: id, spec: spec, leaves: map[string]string{}, names: map[string]bool{}, exprs: map[string]sqlfront.Expr{}}
	spec.Name = t.name(identifier(load.Quote(name), "t"))
	in.decl = &einsum.Input{Name: spec.Name, Domains: domains}
	if s.bag == nil {
		t.inputs = append(t.inputs, in)
	}
	in.leaf(load.Leaf{Name: "n", Moment: load.Rows}, semiring.I64)
	return in
}

func conjunction(ps []string) string {
	out := ""
	for i, p := range ps {
		if i > 0 {
			out += " AND "
		}
		out += p
	}
	return out
}

// leaf returns the name of an input's leaf, adding it if it is new.
func (in *input) leaf(l load.Leaf, elem semiring.Elem) string {
	id := fmt.Sprintf("%d\x00%s", l.Moment, l.Expr)
	if name, ok := in.leaves[id]; ok {
		return name
	}
	l.Name = unique(l.Name, in.names)
	in.leaves[id] = l.Name
	in.spec.Leaves = append(in.spec.Leaves, l)
	in.decl.Leaves = append(in.decl.Leaves, einsum.LeafDecl{Name: l.Name, Elem: elem})
	return l.Name
}

// momentOf returns the leaf of a moment of an expression over the source's
// columns.
func (in *input) momentOf(m load.Moment, x sqlfront.Expr) string {
	name := in.moment(m, columnSQL(x), x.Type())
	in.exprs[name] = x
	return name
}

// moment is momentOf for an expression that is printed.
func (in *input) moment(m load.Moment, sql string, typ rows.Type) string {
	prefix := map[load.Moment]string{load.Sum: "s_", load.Count: "c_", load.Min: "mn_", load.Max: "mx_", load.Product: "p_"}[m]
	elem := semiring.I64
	switch {
	case m == load.Count:
	case typ.Physical() == rows.PhysFloat64:
		elem = semiring.F64
	case typ.Physical() == rows.PhysInt128:
		elem = semiring.I128
	}
	return in.leaf(load.Leaf{Name: prefix + identifier(sql, "x"), Moment: m, Expr: sql, Type: typ}, elem)
}

// emitter writes the leaves of one block's query.
type emitter struct {
	t      *translator
	b      *block
	byExpr map[string]string // expression -> leaf
	// constants is the base table whose load evaluates the constants of the
	// argument at hand that are no numbers; nil: there are none.
	constants *source
	// keyed: what is read of a base table is an index of the cell (keyed.go).
	keyed bool
	// comparing: values are read for a comparison, which a guard may then drop.
	comparing bool
}

// leaf adds a leaf, or returns the one that has this expression already.
func (e *emitter) leaf(name string, x einsum.Expr) string {
	key := einsum.ExprString(x)
	if have, ok := e.byExpr[key]; ok {
		return have
	}
	e.byExpr[key] = name
	e.b.leaves = append(e.b.leaves, einsum.Leaf{Name: name, Expr: x})
	return name
}

// access reads a leaf of a source's tensor.
func (e *emitter) access(s *source, leaf string) einsum.Expr {
	a := &einsum.Access{Leaf: leaf}
	if s.inner == nil {
		a.Tensor = s.input.spec.Name
		for _, k := range s.keys {
			a.Args = append(a.Args, e.arg(k.class))
		}
		if s.bag != nil && s.bag.padded {
			return e.orNulls(s, a)
		}
		return a
	}
	a.Tensor = s.inner.name
	for i, out := range s.inner.outs {
		a.Args = append(a.Args, e.arg(e.innerClass(s, i, out)))
	}
	return a
}

// innerClass returns the class at which a block reads an output index of an
// inlined derived table; an index that the block does not use is one of its own.
func (e *emitter) innerClass(s *source, i int, out *class) *class {
	for _, k := range s.keys {
		if s.inner.groups[k.column] == out {
			return k.class
		}
	}
	for _, c := range e.b.classes {
		if len(c.members) == 1 && c.members[0].src == s && c.members[0].key == nil && c.members[0].out == i {
			return c
		}
	}
	used := map[string]bool{}
	for _, c := range e.b.classes {
		used[c.name] = true
	}
	c := &class{members: []member{{src: s, out: i}}, name: unique(out.name, used), domain: out.domain}
	e.b.classes = append(e.b.classes, c)
	return c
}

func (e *emitter) arg(c *class) einsum.Arg {
	if c.konst != nil {
		return einsum.Arg{Const: c.konst}
	}
	return einsum.Arg{Index: e.t.index(c)}
}

// count is the multiplicity of a source: rows per coordinate. A group of an
// inlined derived table is one row, however many rows formed it.
func (e *emitter) count(s *source) einsum.Expr {
	n := e.access(s, einsum.CountLeaf)
	if s.inner != nil {
		return einsum.Guarded(einsum.Int(1), n)
	}
	return n
}

// counts returns the multiplicities of all sources but those in without, and
// the masks and conditions.
func (e *emitter) counts(without map[int]bool) []einsum.Expr {
	var out []einsum.Expr
	for _, s := range e.b.sources {
		if !without[s.n] {
			out = append(out, e.count(s))
		}
	}
	for _, m := range e.b.masks {
		op, _ := semiring.ByName(m.op)
		out = append(out, &einsum.Compare{Op: op, L: e.t.index(m.l), R: e.t.index(m.r)})
	}
	for _, c := range e.conditionsOfBlock() {
		out = append(out, einsum.Guarded(einsum.Int(1), c))
	}
	for _, a := range e.b.antis {
		out = append(out, e.lacking(a))
	}
	for _, s := range e.b.sources {
		if s.bag != nil && s.bag.hollow && !s.bag.padded && e.b.unbounded() { // 0 times Inf is no 0
			out = append(out, einsum.Guarded(einsum.Int(1), e.access(s, einsum.CountLeaf)))
		}
	}
	return out
}

// conditionsOfBlock are positive where the conditions of WHERE are TRUE. They read
// keys of base tables: a sum of equal ones would be another value.
func (e *emitter) conditionsOfBlock() []einsum.Expr {
	e.keyed = true
	defer func() { e.keyed = false }()
	var out []einsum.Expr
	for _, c := range e.b.conds {
		out = append(out, e.condition(c, false))
	}
	return out
}

// unbounded reports whether the block multiplies values of DOUBLE that may be
// infinite or NaN.
func (b *block) unbounded() bool {
	return slices.ContainsFunc(b.planned, (*plannedAgg).mayBeInfinite)
}

// aggregate reduces over all indices of the block that are not grouped.
func (e *emitter) aggregate(op semiring.Op, x einsum.Expr) einsum.Expr {
	var over []einsum.Index
	for _, i := range einsum.Free(x) {
		if !e.grouped(i) {
			over = append(over, i)
		}
	}
	return einsum.Reduce(op, over, x)
}

func (e *emitter) grouped(i einsum.Index) bool {
	for _, c := range e.b.outs {
		if c.name == i.Name {
			return true
		}
	}
	return false
}
