package translate

import (
	"errors"
	"slices"

	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/sqlfront"
)

// form is how an aggregate's value is computed.
type form uint8

const (
	formRows    form = iota // COUNT(*): leaf n
	formCount               // COUNT(x): validity alone
	formMoments             // a sum of products of moments
	formExtreme             // MIN or MAX that splits over + and -
	formRowwise             // evaluated pointwise on cells that are rows
)

// plannedAgg is an aggregate with its form decided.
type plannedAgg struct {
	call *sqlfront.AggCall
	form form
	arg  *argument
	// sums are the arguments of an aggregate of momentSums, by word.
	sums map[string]*argument
}

// rowIndices decides the form of every aggregate; the base tables of a rowwise
// argument get a row index, so that one cell is one row.
func (p *predicates) rowIndices() error {
	s := p.splitter()
	for i, call := range p.b.q.Aggs {
		a, err := p.planAgg(s, call)
		if err != nil {
			return cutArgument(err, call, i)
		}
		p.b.planned = append(p.b.planned, a)
		if a.form != formRowwise {
			continue
		}
		for _, src := range a.arg.sources {
			if p.inners[src] == nil {
				p.rowIndex(p.b.sources[src])
			}
		}
	}
	return nil
}

// cutArgument returns the need to cut the first argument over several sources out
// of an aggregate that is refused; else the error.
func cutArgument(err error, call *sqlfront.AggCall, n int) error {
	for i, arg := range call.Args {
		var need *needCut
		if out := cuts(err, arg, needCut{place: inAggregate, n: n, arg: i}); errors.As(out, &need) {
			return out
		}
	}
	return err
}

func (p *predicates) splitter() *splitter {
	return &splitter{t: p.t, inner: func(src int) *sqlfront.Query { return p.inners[src] }}
}

// rowIndexSQL marks the key that is the row's number.
const rowIndexSQL = "#row"

func (p *predicates) rowIndex(s *source) {
	if s.rowIndex {
		return
	}
	s.rowIndex = true
	k := &key{sql: rowIndexSQL, typ: rows.Type{ID: rows.BigInt}}
	k.class = &class{members: []member{{src: s, key: k}}, row: true}
	s.keys = append(s.keys, k)
	p.b.classes = append(p.b.classes, k.class)
}

// withoutRowIndex drops the row index of a base table of which the other keys tell
// every two rows apart: a cell is one row without it. The tensor is then one that
// others may read too, and the sum over its rows one over cells.
func (p *predicates) withoutRowIndex(s *source) error {
	if s.table.Catalog == RelationCatalog {
		return nil
	}
	var row *key
	var exprs []string
	for _, k := range s.keys {
		switch {
		case k.class.row:
			row = k
		case len(sourcesOf(k.expr)) > 0:
			exprs = append(exprs, k.sql)
		}
	}
	if row == nil || len(exprs) == 0 {
		return nil
	}
	slices.Sort(exprs)
	unique, err := p.t.facts.Unique(p.t.ctx, s.table, exprs)
	if unique && err == nil {
		p.dropKey(s, row)
	}
	return err
}

func (p *predicates) planAgg(s *splitter, call *sqlfront.AggCall) (*plannedAgg, error) {
	call, outside := p.folded(call)
	if countsRows(call) {
		return p.planRows(s, call, outside)
	}
	if ofMoments(call) {
		return p.planMoments(s, call, outside)
	}
	if call.Func == productOfValues {
		return p.planProduct(s, call)
	}
	if len(call.Args) != 1 {
		return nil, refuse("aggregate %s", call.Func)
	}
	a, err := p.argumentOf(s, call, call.Args[0])
	if err != nil {
		return nil, err
	}
	if len(outside) > 0 && p.raises(a) {
		return nil, p.orRelation(a.expr, refuse("a function that may have no value, on rows that FILTER drops"))
	}
	if err := p.filter(s, a, outside); err != nil {
		return nil, err
	}
	if err := s.findNulls(a, p.b); err != nil {
		return nil, err
	}
	if call.Func == "count" {
		a.evaluated()
	}
	out := &plannedAgg{call: call, arg: a}
	if out.form, err = p.chooseForm(s, call, a); err != nil {
		return nil, err
	}
	if a.float && out.form == formMoments && (p.readsBag() || len(p.b.q.Anti) > 0) {
		a.bounded, err = s.bounded(a, p.b.q)
	}
	if sums := call.Func == "sum" || call.Func == "avg"; sums && a.float && a.cell && err == nil && !mayRaise(a.expr) {
		var bits float64
		bits, err = s.magnitude(p.b.q, a.expr)
		a.bounded = bits < maxFloatBits
	}
	return out, err
}

func (p *predicates) readsBag() bool {
	return slices.ContainsFunc(p.b.sources, func(s *source) bool { return s.bag != nil })
}

// argumentOf takes an argument of an aggregate apart, with the checks that it
// needs.
func (p *predicates) argumentOf(s *splitter, call *sqlfront.AggCall, arg sqlfront.Expr) (*argument, error) {
	if _, ok := number(arg); len(sourcesOf(arg)) == 0 && p.inners[0] != nil && !ok {
		return nil, &needRelation{source: 0}
	}
	arg, err := p.measured(arg)
	if err != nil {
		return nil, err
	}
	if err := argumentType(call, arg, len(sourcesOf(arg)) > 1); err != nil {
		return nil, p.orRelation(arg, err)
	}
	if err := p.raisesNothing(s, arg); err != nil {
		return nil, err
	}
	if err := p.evaluable(s, call, arg); err != nil {
		if a, err := p.cellArgument(s, call, arg); err == nil {
			return a, nil
		}
		return nil, p.orRelation(arg, err)
	}
	a, err := s.split(arg)
	if err != nil {
		return nil, p.orRelation(arg, err)
	}
	return a, p.overflow(s, call, arg)
}

// raisesNothing fails where a part of an argument may raise an error and another part is
// NULL as it is written, because an outer join has padded it: DuckDB knows such a whole
// to be NULL in a load, and does not evaluate what it evaluates in the user's statement.
func (p *predicates) raisesNothing(s *splitter, arg sqlfront.Expr) error {
	src, base := s.base(arg)
	if !base {
		return nil
	}
	for _, part := range besideNull(arg) {
		if !part.Type().IsExact() {
			return refuse("a part that may raise, of what is NULL")
		}
		if _, err := s.baseBound(factor{src: src, expr: part, sql: columnSQL(part)}, p.b); err != nil {
			return err
		}
	}
	return nil
}

// alwaysNull reports whether an expression is NULL because an operand is, as it is
// written.
func alwaysNull(e sqlfront.Expr) bool {
	switch x := e.(type) {
	case *sqlfront.Cast:
		return alwaysNull(x.Arg)
	case *sqlfront.Call:
		return !totalCalls[x.Name] && slices.ContainsFunc(x.Args, alwaysNull)
	}
	return isNull(e)
}

// besideNull returns the greatest parts of an expression that may raise an error, in
// what is NULL because of another operand. Of a CASE, DuckDB evaluates conditions
// beside it, and what whereEvaluated has made of an argument, but not the arms.
func besideNull(e sqlfront.Expr) []sqlfront.Expr {
	var out []sqlfront.Expr
	if c, conditional := e.(*sqlfront.Case); conditional {
		for _, w := range c.Whens {
			out = append(out, besideNull(w.Cond)...)
		}
		return out
	}
	within := alwaysNull(e)
	for _, c := range sqlfront.Children(e) {
		if within && !alwaysNull(c) {
			if len(sourcesOf(c)) > 0 && fallible(c) {
				out = append(out, c)
			}
			continue
		}
		out = append(out, besideNull(c)...)
	}
	return out
}

// evaluable fails where an argument that reads inlined derived tables, or that
// has functions over several tables, cannot be evaluated here. A COUNT would not
// see what a function raises, and only sums leave the last bits open.
func (p *predicates) evaluable(s *splitter, call *sqlfront.AggCall, arg sqlfront.Expr) error {
	if _, ok := s.base(arg); ok || len(sourcesOf(arg)) == 0 {
		return nil
	}
	if _, plain := arg.(*sqlfront.ColumnRef); plain {
		return nil
	}
	if call.Func == "count" && hasFloatFunction(arg) || (call.Func == "min" || call.Func == "max") && lastBitOpen(arg) {
		return errPoint
	}
	return s.pointwise(arg)
}

// overflow adds the checks that an exact argument stays in its type, and, since
// DuckDB's sum of HUGEINT fails or not with the order of rows, that no partial
// sum can leave 128 bits: |argument| times the number of rows stays inside.
func (p *predicates) overflow(s *splitter, call *sqlfront.AggCall, arg sqlfront.Expr) error {
	if _, base := s.base(arg); len(sourcesOf(arg)) == 0 || !arg.Type().IsExact() && (base || isColumn(arg)) {
		return nil
	}
	f, single := s.single(arg)
	single = single && (p.inners[f.src] == nil || isColumn(arg))
	hugeSum := arg.Type().ID == rows.HugeInt && (call.Func == "sum" || call.Func == "avg")
	if single && !hugeSum {
		return nil
	}
	bound, err := s.bounds(arg, p.b, &p.b.checks)
	if err == nil && hugeSum {
		err = s.record(&p.b.checks, p.b, Check{Type: arg.Type(), Bound: &ProductBound{A: bound, B: &rowsBound{}}})
	}
	return err
}

func isColumn(e sqlfront.Expr) bool {
	_, ok := e.(*sqlfront.ColumnRef)
	return ok
}

// orRelation turns a refusal into a derived table executed on its own where the
// expression reads an inlined one: then DuckDB evaluates what it computes.
func (p *predicates) orRelation(e sqlfront.Expr, err error) error {
	var no *Ineligible
	if !errors.As(err, &no) {
		return err
	}
	for _, src := range sourcesOf(e) {
		if p.inners[src] != nil {
			return &needRelation{source: src}
		}
	}
	return err
}

func (p *predicates) chooseForm(s *splitter, call *sqlfront.AggCall, a *argument) (form, error) {
	if call.Func == "count" && !a.cell {
		return formCount, nil
	}
	if a.terms == nil {
		return formRowwise, nil
	}
	ok, err := s.regroups(a, p.b.q)
	if !ok || err != nil {
		return formRowwise, err
	}
	if call.Func == "sum" || call.Func == "avg" || ofMoments(call) {
		return formMoments, nil
	}
	if !splitsExtreme(a, func(src int) bool { return p.inners[src] == nil }) {
		return formRowwise, nil
	}
	return formExtreme, nil
}

// splitsExtreme reports whether the extreme of an argument is the sum of those of its
// terms, up to their signs. The terms of one source have theirs in different rows,
// unless each cell of it is one row, as of an inlined derived table.
func splitsExtreme(a *argument, manyRows func(src int) bool) bool {
	var seen []int
	for _, t := range a.terms {
		if len(t.factors) == 0 {
			continue
		}
		src := t.factors[0].src
		if len(t.factors) > 1 || t.coef.CmpAbs(pow10(0)) != 0 || slices.Contains(seen, src) {
			return false
		}
		if manyRows(src) {
			seen = append(seen, src)
		}
	}
	return true
}

// argumentType checks that an aggregate takes arguments of a type here.
func argumentType(call *sqlfront.AggCall, arg sqlfront.Expr, several bool) error {
	t := arg.Type()
	numeric := t.IsExact() && t.ID != rows.UHugeInt || t.IsFloat()
	switch call.Func {
	case "count":
		if several && !onCell(t) {
			return refuse("expression over several tables")
		}
		return nil
	case "sum", "avg":
		if !numeric && !(t.ID == rows.Boolean && call.Func == "sum") {
			return refuse("%s of %s", call.Func, t)
		}
	case "min", "max":
		switch {
		case numeric || t.ID == rows.Boolean:
		case several:
			return refuse("expression over several tables")
		case t.ID == rows.Varchar, t.ID == rows.UUID, t.ID == rows.Blob, t.Physical() == rows.PhysInt64 && t.ID != rows.SQLNull:
		default:
			return refuse("%s of %s", call.Func, t)
		}
	default:
		if !ofMoments(call) {
			return refuse("aggregate %s", call.Func)
		}
		if !numeric {
			return refuse("%s of %s", call.Func, t)
		}
	}
	if several && t.ID == rows.Float {
		return refuse("FLOAT over several tables")
	}
	return nil
}
