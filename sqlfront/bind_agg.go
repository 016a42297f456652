package sqlfront

import (
	"slices"

	"github.com/trireme-db/trireme/internal/rows"
)

// aggregateFunc is an aggregate function that a query may have: the name that
// AggCall has for it, the number of its arguments, and its type where that does
// not depend on them.
type aggregateFunc struct {
	name string
	args int
	typ  rows.TypeID
}

// aggregates are the aggregate functions by all of DuckDB's names.
var aggregates = map[string]aggregateFunc{
	"count": {"count", 1, rows.BigInt}, "count_if": {"count_if", 1, rows.Invalid}, "countif": {"count_if", 1, rows.Invalid},
	"sum": {"sum", 1, rows.Invalid}, "avg": {"avg", 1, rows.Invalid}, "mean": {"avg", 1, rows.Invalid},
	"min": {"min", 1, rows.Invalid}, "max": {"max", 1, rows.Invalid},
	"product":  {"product", 1, rows.Double},
	"bool_and": {"bool_and", 1, rows.Boolean}, "bool_or": {"bool_or", 1, rows.Boolean},
	"bit_and": {"bit_and", 1, rows.Invalid}, "bit_or": {"bit_or", 1, rows.Invalid}, "bit_xor": {"bit_xor", 1, rows.Invalid},
	"var_pop": {"var_pop", 1, rows.Double}, "var_samp": {"var_samp", 1, rows.Double}, "variance": {"var_samp", 1, rows.Double},
	"stddev_pop": {"stddev_pop", 1, rows.Double}, "stddev_samp": {"stddev_samp", 1, rows.Double},
	"stddev": {"stddev_samp", 1, rows.Double}, "covar_pop": {"covar_pop", 2, rows.Double},
	"covar_samp": {"covar_samp", 2, rows.Double}, "corr": {"corr", 2, rows.Double},
	"regr_avgx": {"regr_avgx", 2, rows.Double}, "regr_avgy": {"regr_avgy", 2, rows.Double},
	"regr_count": {"regr_count", 2, rows.UInteger}, "regr_intercept": {"regr_intercept", 2, rows.Double},
	"regr_r2": {"regr_r2", 2, rows.Double}, "regr_slope": {"regr_slope", 2, rows.Double},
	"regr_sxx": {"regr_sxx", 2, rows.Double}, "regr_sxy": {"regr_sxy", 2, rows.Double}, "regr_syy": {"regr_syy", 2, rows.Double},
	"arg_min": {"arg_min", 2, rows.Invalid}, "argmin": {"arg_min", 2, rows.Invalid}, "min_by": {"arg_min", 2, rows.Invalid},
	"arg_max": {"arg_max", 2, rows.Invalid}, "argmax": {"arg_max", 2, rows.Invalid}, "max_by": {"arg_max", 2, rows.Invalid},
	"any_value": {"any_value", 1, rows.Invalid}, "first": {"first", 1, rows.Invalid}, "arbitrary": {"first", 1, rows.Invalid},
}

// ofOneRow are the aggregates that give the value of one row, which an order may
// choose. To the others it is all the same in which order the rows come.
var ofOneRow = map[string]bool{"any_value": true, "first": true, "arg_min": true, "arg_max": true}

// aggregate adds an aggregate call to the query, once.
func (b *block) aggregate(f aggregateFunc, e *funcNode, cl clause) Expr {
	switch {
	case b.inAgg:
		refuse("nested aggregate")
	case cl == clauseWhere:
		refuse("aggregate in WHERE")
	case e.star && f.name != "count", !e.star && len(e.args) != f.args:
		refuse("arguments of ", fold(e.name))
	case !ignorable(e.order) || len(e.order) > 0 && ofOneRow[f.name]:
		refuse("ordered aggregate")
	}
	a := &AggCall{Func: f.name, Distinct: e.distinct}
	b.inAgg = true
	if fields, ok := rowsOf(e.args...); ok && f.name == "count" { // no row is NULL
		if a.Distinct {
			a.Args = b.bindList(fields[0], cl)
		}
	} else if !e.star {
		a.Args = b.bindList(e.args, cl)
		if slices.ContainsFunc(a.Args, onlyOuter) {
			refuse("aggregate of outer columns")
		}
		if l, ok := a.Args[0].(*Literal); ok && f.name == "count" && !e.distinct && l.T.ID != rows.SQLNull {
			a.Args = nil // count(1)
		}
	}
	if e.filter != nil {
		a.Filter = b.bindExpr(e.filter, cl)
	}
	b.inAgg = false
	key := aggKey(a)
	n, ok := b.aggKeys[key]
	if !ok {
		n = len(b.query.Aggs)
		b.aggKeys[key] = n
		b.query.Aggs = append(b.query.Aggs, a)
	}
	return &AggRef{N: n}
}

// inferAgg returns the type of an aggregate, Invalid if not known here.
func inferAgg(a *AggCall) rows.Type {
	if id := aggregates[a.Func].typ; id != rows.Invalid {
		return rows.Type{ID: id}
	}
	t := a.Args[0].Type()
	switch a.Func {
	case "sum":
		switch {
		case isSigned(t):
			return rows.Type{ID: rows.HugeInt}
		case t.ID == rows.Decimal:
			return rows.Type{ID: rows.Decimal, Width: 38, Scale: t.Scale}
		case t.ID == rows.Double:
			return t
		}
	case "avg":
		if isNumber(t) {
			return rows.Type{ID: rows.Double}
		}
	case "min", "max":
		if _, column := a.Args[0].(*ColumnRef); column && (isNumber(t) || t.ID == rows.Varchar || t.ID == rows.Date) {
			return t
		}
	}
	return rows.Type{}
}
