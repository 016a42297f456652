package translate

import (
	"slices"

	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/sqlfront"
)

// plainCalls writes the aggregates of a query and of its derived tables with as
// few functions as possible: what is MIN or MAX under another name, or counts
// what a FILTER keeps. The query that goes in is not changed.
func plainCalls(q *sqlfront.Query) *sqlfront.Query {
	if q == nil {
		return nil
	}
	out := *q
	out.From = slices.Clone(q.From)
	for i := range out.From {
		out.From[i].Query = plainCalls(q.From[i].Query)
		out.From[i].Bag = slices.Clone(q.From[i].Bag)
		for j, branch := range q.From[i].Bag {
			out.From[i].Bag[j] = plainCalls(branch)
		}
	}
	out.Anti = slices.Clone(q.Anti)
	for i := range out.Anti {
		out.Anti[i] = ofEqualTexts(q.Anti[i])
		out.Anti[i].Query = plainCalls(out.Anti[i].Query)
	}
	out.Aggs = make([]*sqlfront.AggCall, len(q.Aggs))
	for i, call := range q.Aggs {
		out.Aggs[i] = plainCall(call)
	}
	encode(&out)
	return &out
}

// sameAs are the aggregates of one argument that are others'. ANY_VALUE, FIRST
// and LAST may give any of the values; only the latter two may give NULL instead.
var sameAs = map[string]string{
	"mean": "avg", "any_value": "min", "first": "min", "arbitrary": "min", "last": "min",
	"max_by": "arg_max", "min_by": "arg_min", "argmax": "arg_max", "argmin": "arg_min",
	"variance": "var_samp", "stddev": "stddev_samp",
}

// plainCall is an aggregate under its plain name. DISTINCT goes where a value
// that occurs twice changes nothing.
func plainCall(call *sqlfront.AggCall) *sqlfront.AggCall {
	out := *call
	if name, ok := sameAs[call.Func]; ok {
		out.Func = name
	}
	boolean := len(call.Args) == 1 && call.Args[0].Type().ID == rows.Boolean
	switch {
	case call.Func == "bool_and" && boolean:
		out.Func = "min"
	case call.Func == "bool_or" && boolean:
		out.Func = "max"
	case (call.Func == "count_if" || call.Func == "countif") && boolean:
		out.Func, out.Args = "sum", []sqlfront.Expr{&sqlfront.Cast{Arg: call.Args[0], T: rows.Type{ID: rows.Integer}}}
	}
	switch out.Func {
	case "min", "max", "arg_min", "arg_max", "bit_and", "bit_or":
		out.Distinct = false
	}
	return &out
}

// oneWhere is 1 where a predicate is TRUE, else 0.
func oneWhere(p sqlfront.Expr) sqlfront.Expr {
	integer := rows.Type{ID: rows.Integer}
	one, zero := &sqlfront.Literal{SQL: "1", T: integer}, &sqlfront.Literal{SQL: "0", T: integer}
	return &sqlfront.Case{Whens: []sqlfront.When{{Cond: p, Then: one}}, Else: zero, T: integer}
}

// conjuncts takes a predicate apart at AND; nil has none.
func conjuncts(p sqlfront.Expr) []sqlfront.Expr {
	if p == nil {
		return nil
	}
	if c, ok := p.(*sqlfront.Call); ok && c.Name == "and" {
		var out []sqlfront.Expr
		for _, a := range c.Args {
			out = append(out, conjuncts(a)...)
		}
		return out
	}
	return []sqlfront.Expr{p}
}
