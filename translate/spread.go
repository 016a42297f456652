package translate

import (
	"slices"

	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/sqlfront"
)

// A variance, covariance or regression over DOUBLE takes two passes over the
// block's rows, so that nothing cancels: a derived table has the means of every
// group, and a part of the block sums the products of the distances from them
// (SEMANTICS section 2). The distances are divided by 1: no rule takes a quotient
// apart.

// spreadAggs are, by word, the aggregates of a part that such an aggregate is
// read off: n counts its rows, dx and dy sum the distances, dxx, dyy and dxy their
// products; mx and my are the means; minx, maxx, miny and maxy tell a variance of
// zero.
type spreadAggs map[string]int

// spreads reports whether an aggregate takes the two passes.
func spreads(call *sqlfront.AggCall) bool {
	words := momentSums[call.Func]
	return slices.ContainsFunc(words, func(w string) bool { return len(w) == 2 }) &&
		slices.ContainsFunc(call.Args, func(a sqlfront.Expr) bool { return a.Type().IsFloat() })
}

// spreadPart is the part of a block for an aggregate over DOUBLE.
func (t *translator) spreadPart(q *sqlfront.Query, call *sqlfront.AggCall) (*sqlfront.Query, spreadAggs, error) {
	vars, err := t.variables(q, call)
	if err != nil {
		return nil, nil, err
	}
	known := call.Filter
	for _, name := range []string{"x", "y"} {
		if v := vars[name]; v != nil {
			known = bothTrue(known, &sqlfront.Call{Name: "is not null", Args: []sqlfront.Expr{v}, T: boolean})
		}
	}
	first := firstPass(q, "means")
	part := first.second
	aggs := spreadAggs{}
	add := func(word, function string, args ...sqlfront.Expr) {
		t := double
		if function == "count" {
			t = bigint
		}
		aggs[word] = len(part.Aggs)
		part.Aggs = append(part.Aggs, &sqlfront.AggCall{Func: function, Args: args, Filter: known, T: t})
	}
	add("n", "count")
	distance := map[string]sqlfront.Expr{}
	for _, name := range []string{"x", "y"} {
		v := vars[name]
		if v == nil {
			continue
		}
		mean := first.aggregate(&sqlfront.AggCall{Func: "avg", Args: []sqlfront.Expr{v}, Filter: known, T: double})
		one := &sqlfront.Cast{Arg: &sqlfront.Literal{SQL: "1", T: rows.Type{ID: rows.Integer}}, T: double}
		from := &sqlfront.Call{Name: "-", Args: []sqlfront.Expr{v, mean}, T: double}
		distance[name] = &sqlfront.Call{Name: "/", Args: []sqlfront.Expr{from, one}, T: double}
		add("d"+name, "sum", distance[name])
		add("m"+name, "max", mean)
		add("min"+name, "min", v)
		add("max"+name, "max", v)
	}
	for _, word := range []string{"xx", "yy", "xy"} {
		l, r := distance[word[:1]], distance[word[1:]]
		if l != nil && r != nil {
			add("d"+word, "sum", &sqlfront.Call{Name: "*", Args: []sqlfront.Expr{l, r}, T: double})
		}
	}
	return first.finish(), aggs, nil
}

var (
	double  = rows.Type{ID: rows.Double}
	boolean = rows.Type{ID: rows.Boolean}
)

// variables are the arguments as DOUBLE, by name. One that may be infinite or NaN,
// or whose square may be, is DuckDB's, which raises.
func (t *translator) variables(q *sqlfront.Query, call *sqlfront.AggCall) (map[string]sqlfront.Expr, error) {
	if len(call.Args) > 2 {
		return nil, refuse("arguments of %s", call.Func)
	}
	s := &splitter{t: t, inner: func(int) *sqlfront.Query { return nil }}
	out := map[string]sqlfront.Expr{}
	for i, arg := range call.Args {
		if !arg.Type().IsFloat() && !arg.Type().IsExact() {
			return nil, refuse("%s of %s", call.Func, arg.Type())
		}
		bits, err := s.magnitude(q, arg)
		if err != nil {
			return nil, err
		}
		if 2*bits+countBits > maxFloatBits {
			return nil, refuse("%s of a DOUBLE that may be infinite", call.Func)
		}
		v := arg
		if arg.Type() != double {
			v = &sqlfront.Cast{Arg: arg, T: double}
		}
		out[[]string{"y", "x"}[(i+2-len(call.Args))%2]] = v
	}
	return out, nil
}

func bothTrue(p, q sqlfront.Expr) sqlfront.Expr {
	if p == nil {
		return q
	}
	return &sqlfront.Call{Name: "and", Args: []sqlfront.Expr{p, q}, T: boolean}
}

// spreadKey is equal for aggregates that are read off one part.
func spreadKey(call *sqlfront.AggCall) string {
	key := "spread"
	for _, a := range call.Args {
		key += "\x00" + sourceSQL(a)
	}
	if call.Filter != nil {
		key += "\x01" + sourceSQL(call.Filter)
	}
	return key
}
