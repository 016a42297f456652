package translate

import (
	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/internal/load"
	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/sqlfront"
)

// A PRODUCT is of the values of a group, each to the power of the number of rows
// that have it: a derived table counts them, and the load of its rows multiplies.

// productOfValues is the aggregate of productPart: the product over a derived
// table that is executed on its own and has no other keys than the groups.
const productOfValues = "product of values"

// productPart is the part of a block for a PRODUCT.
func productPart(q *sqlfront.Query, call *sqlfront.AggCall) (*sqlfront.Query, error) {
	if len(call.Args) != 1 {
		return nil, refuse("arguments of %s", call.Func)
	}
	x := call.Args[0]
	if !x.Type().IsExact() && !x.Type().IsFloat() {
		return nil, refuse("%s of %s", call.Func, x.Type())
	}
	part := distinctPart(q, call)
	inner := part.From[0].Query
	inner.Aggs = []*sqlfront.AggCall{{Func: "count", Filter: call.Filter, T: bigint}}
	n := addColumn(inner, &sqlfront.AggRef{T: bigint})
	part.From[0].Columns = inner.Columns
	column := func(i int, t rows.Type) sqlfront.Expr {
		return &sqlfront.ColumnRef{Column: i, Name: inner.Columns[i].Name, T: t}
	}
	times, zero := column(n, bigint), &sqlfront.Literal{SQL: "0", T: rows.Type{ID: rows.Integer}}
	value, power := castTo(column(n-1, x.Type()), double), castTo(times, double)
	there := &sqlfront.Call{Name: ">", Args: []sqlfront.Expr{times, zero}, T: boolean}
	part.Aggs = []*sqlfront.AggCall{
		{Func: productOfValues, Args: []sqlfront.Expr{where(there, onDouble("pow", value, power))}, T: double},
		{Func: "sum", Args: []sqlfront.Expr{where(there, millibits(value, power))}, T: rows.Type{ID: rows.HugeInt}},
	}
	return part, nil
}

// inRange are the thousandths of bits that a product may grow and shrink by: in
// whatever order they come, no product of some of the values leaves the range of
// DOUBLE, from where there is no way back.
var inRange = rows.Type{ID: rows.Decimal, Width: 6}

// millibits is by how many thousandths of bits a value changes a product: past
// inRange where it is not finite. 0 makes it 0 for good.
func millibits(value, times sqlfront.Expr) sqlfront.Expr {
	literal := func(sql string) sqlfront.Expr {
		return castTo(&sqlfront.Literal{SQL: sql, T: rows.Type{ID: rows.Integer}}, double)
	}
	bits := onDouble("abs", onDouble("log2", onDouble("abs", value)))
	all := onDouble("+", onDouble("*", onDouble("*", times, bits), literal("1000")), literal("1"))
	far := literal("1000000")
	return castTo(&sqlfront.Case{T: double, Whens: []sqlfront.When{
		{Cond: &sqlfront.Call{Name: "=", Args: []sqlfront.Expr{value, literal("0")}, T: boolean}, Then: literal("0")},
		{Cond: &sqlfront.Call{Name: "isfinite", Args: []sqlfront.Expr{value}, T: boolean}, Then: onDouble("least", all, far)},
	}, Else: where(&sqlfront.Call{Name: "is not null", Args: []sqlfront.Expr{value}, T: boolean}, far)}, bigint)
}

// onDouble is a function or an operator of DOUBLE.
func onDouble(name string, args ...sqlfront.Expr) sqlfront.Expr {
	return &sqlfront.Call{Name: name, Args: args, T: double}
}

// planProduct plans the aggregate of productPart.
func (p *predicates) planProduct(s *splitter, call *sqlfront.AggCall) (*plannedAgg, error) {
	if p.inners[0] != nil {
		return nil, &needRelation{source: 0}
	}
	a, err := s.split(call.Args[0])
	if err != nil {
		return nil, err
	}
	p.b.checks = append(p.b.checks, Check{Type: inRange, Bound: &aggBound{agg: 1}})
	return &plannedAgg{call: call, form: formMoments, arg: a}, s.findNulls(a, p.b)
}

// product reads the product that the load of the only source has.
func (e *emitter) product(a *plannedAgg) einsum.Expr {
	s := e.b.sources[0]
	return e.aggregate(semiring.Max, e.access(s, s.input.momentOf(load.Product, a.call.Args[0])))
}
