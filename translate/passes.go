package translate

import (
	"slices"

	"github.com/trireme-db/trireme/sqlfront"
)

// passes are two passes over the rows of a block: a derived table with aggregates
// of every group, and a part of the block that reads them beside the rows.
type passes struct {
	first, second *sqlfront.Query
	src           int // of the derived table in second
}

// firstPass starts with the block's groups. The second pass has no aggregates yet.
func firstPass(q *sqlfront.Query, alias string) *passes {
	first := &sqlfront.Query{
		From: q.From, Where: slices.Clone(q.Where), Anti: q.Anti, GroupBy: slices.Clone(q.GroupBy), Grouped: q.Grouped || q.Distinct,
	}
	second := *q
	second.From = append(slices.Clone(q.From), sqlfront.Source{Alias: alias, Query: first})
	second.Where, second.Aggs = slices.Clone(q.Where), nil
	p := &passes{first: first, second: &second, src: len(q.From)}
	for i, g := range first.GroupBy {
		c := p.column(&sqlfront.GroupRef{N: i, T: g.Type()})
		second.Where = append(second.Where, &sqlfront.Call{Name: "is not distinct from", Args: []sqlfront.Expr{g, c}, T: boolean})
	}
	return p
}

// column is an output of the first pass as the second reads it.
func (p *passes) column(e sqlfront.Expr) *sqlfront.ColumnRef {
	n := addColumn(p.first, e)
	return &sqlfront.ColumnRef{Source: p.src, Column: n, Name: p.first.Columns[n].Name, T: e.Type()}
}

// aggregate adds an aggregate to the first pass.
func (p *passes) aggregate(call *sqlfront.AggCall) *sqlfront.ColumnRef {
	p.first.Aggs = append(p.first.Aggs, call)
	return p.column(&sqlfront.AggRef{N: len(p.first.Aggs) - 1, T: call.T})
}

// finish is the second pass.
func (p *passes) finish() *sqlfront.Query {
	p.second.From[p.src].Columns = p.first.Columns
	return p.second
}

// atExtreme reports whether an aggregate is ARG_MIN or ARG_MAX.
func atExtreme(call *sqlfront.AggCall) bool { return call.Func == "arg_min" || call.Func == "arg_max" }

// extremePart is the part of a block for ARG_MIN or ARG_MAX: the least argument
// among the rows that have the extreme, of those on which neither is NULL. Where
// several rows have it, DuckDB takes any.
func extremePart(q *sqlfront.Query, call *sqlfront.AggCall) (*sqlfront.Query, error) {
	if len(call.Args) != 2 {
		return nil, refuse("arguments of %s", call.Func)
	}
	arg, by := call.Args[0], call.Args[1]
	known := bothTrue(call.Filter, &sqlfront.Call{Name: "is not null", Args: []sqlfront.Expr{arg}, T: boolean})
	p := firstPass(q, "extremes")
	function := call.Func[len("arg_"):]
	if onCell(by.Type()) {
		extreme := p.aggregate(&sqlfront.AggCall{Func: function, Args: []sqlfront.Expr{by}, Filter: known, T: by.Type()})
		there := &sqlfront.Call{Name: "=", Args: []sqlfront.Expr{by, extreme}, T: boolean}
		p.second.Aggs = []*sqlfront.AggCall{{Func: "min", Args: []sqlfront.Expr{arg}, Filter: bothTrue(call.Filter, there), T: call.T}}
		return p.finish(), nil
	}
	// What is no number is compared as a key. A group without any stays: all its
	// rows are alike NULL.
	by = where(known, by)
	extreme := p.aggregate(&sqlfront.AggCall{Func: function, Args: []sqlfront.Expr{by}, T: by.Type()})
	p.second.Where = append(p.second.Where, &sqlfront.Call{Name: "is not distinct from", Args: []sqlfront.Expr{by, extreme}, T: boolean})
	there := &sqlfront.Call{Name: "is not null", Args: []sqlfront.Expr{by}, T: boolean}
	p.second.Aggs = []*sqlfront.AggCall{{Func: "min", Args: []sqlfront.Expr{arg}, Filter: there, T: call.T}}
	return p.finish(), nil
}
