package translate

import (
	"slices"
	"strconv"

	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/sqlfront"
)

// Values whose order or equality is not that of their representation take part as
// values of another type, of which they are read off afterwards: the extremes of an
// ENUM are those of its numbers, an INTERVAL is a group as the text of its normal
// form, and the bits of an integer are aggregates of their own.

// encoder rewrites one query.
type encoder struct {
	q      *sqlfront.Query // the rewritten one
	groups map[int]sqlfront.Expr
	aggs   []sqlfront.Expr // per aggregate of the original, what it is now
}

// encode rewrites the block q, which is a copy, but not its sources.
func encode(q *sqlfront.Query) {
	if q.SetOp != sqlfront.NoSetOp || q.Sets != nil {
		return
	}
	e := &encoder{q: q, groups: map[int]sqlfront.Expr{}}
	calls := q.Aggs
	q.Aggs = nil
	changed := false
	for _, call := range calls {
		x := e.aggregate(call)
		_, same := x.(*sqlfront.AggRef)
		changed = changed || !same
		e.aggs = append(e.aggs, x)
	}
	q.GroupBy = slices.Clone(q.GroupBy)
	for i, g := range q.GroupBy {
		switch {
		case g.Type().ID == rows.Interval:
			e.interval(i, g)
			changed = true
		case isSortKeyed(g.Type()):
			e.nested(i, g)
			changed = true
		}
	}
	where := make([]sqlfront.Expr, len(q.Where))
	for i, c := range q.Where {
		where[i] = comparedAlike(c)
	}
	q.Where = where
	if changed {
		e.outputs()
	}
}

// outputs rewrites what reads the aggregates and groups.
func (e *encoder) outputs() {
	read := func(x sqlfront.Expr) sqlfront.Expr {
		return mapLeaves(x, func(x sqlfront.Expr) sqlfront.Expr {
			switch x := x.(type) {
			case *sqlfront.AggRef:
				return e.aggs[x.N]
			case *sqlfront.GroupRef:
				if g := e.groups[x.N]; g != nil {
					return g
				}
			}
			return x
		})
	}
	items := make([]sqlfront.SelectItem, len(e.q.Select))
	for i, it := range e.q.Select {
		items[i] = sqlfront.SelectItem{Expr: read(it.Expr), Name: it.Name}
	}
	order := make([]sqlfront.OrderItem, len(e.q.OrderBy))
	for i, it := range e.q.OrderBy {
		it.Expr = read(it.Expr)
		order[i] = it
	}
	e.q.Select, e.q.OrderBy, e.q.Having = items, order, read(e.q.Having)
}

// add adds an aggregate to the query.
func (e *encoder) add(call *sqlfront.AggCall) *sqlfront.AggRef {
	e.q.Aggs = append(e.q.Aggs, call)
	return &sqlfront.AggRef{N: len(e.q.Aggs) - 1, T: call.T}
}

// aggregate adds what an aggregate is made of, and returns how it is read.
func (e *encoder) aggregate(call *sqlfront.AggCall) sqlfront.Expr {
	if len(call.Args) == 0 {
		return e.add(call)
	}
	t := call.Args[0].Type()
	switch call.Func {
	case "min", "max", "arg_min", "arg_max":
		return e.extreme(call)
	case "count":
		if len(call.Args) == 1 && (t.ID == rows.Interval || isSortKeyed(t)) {
			out := *call
			out.Args = []sqlfront.Expr{equalAs(call.Args[0])}
			return e.add(&out)
		}
	case "bit_and", "bit_or", "bit_xor":
		once := len(sourcesOf(call.Args[0])) < 2 && !(call.Distinct && call.Func == "bit_xor")
		if once && len(call.Args) == 1 && bitsOf[t.ID] > 0 && t == call.T {
			return e.bits(call, t)
		}
	}
	return e.add(call)
}

func function(name string, t rows.Type, args ...sqlfront.Expr) sqlfront.Expr {
	return &sqlfront.Call{Name: name, Args: args, T: t}
}

func whole(n int) sqlfront.Expr {
	return &sqlfront.Literal{SQL: strconv.Itoa(n), T: rows.Type{ID: rows.Integer}}
}

// extreme is MIN, MAX, ARG_MIN or ARG_MAX over values whose order is that of others.
func (e *encoder) extreme(call *sqlfront.AggCall) sqlfront.Expr {
	out := *call
	out.Args = make([]sqlfront.Expr, len(call.Args))
	for i, arg := range call.Args {
		out.Args[i] = inOrder(arg)
	}
	if isSortKeyed(call.Args[0].Type()) { // read as a text, by its order
		if len(call.Args) == 1 {
			out.Func, out.Args = "arg_"+call.Func, []sqlfront.Expr{call.Args[0], out.Args[0]}
		}
		out.Args[0] = nestedText(call.Args[0])
	}
	if out.Args[0] == call.Args[0] {
		return e.add(&out)
	}
	out.T = out.Args[0].Type()
	return ofOrder(e.add(&out), call.T)
}

// inOrder is an expression of which the values have the order of those of x: the
// number of an ENUM's value among all, the text of a UHUGEINT's 39 digits, the
// texts of the parts of an INTERVAL's normal form before its
// own, the sort key of a nested value. It is x itself where that has its order.
func inOrder(x sqlfront.Expr) sqlfront.Expr {
	switch x.Type().ID {
	case rows.Enum:
		return &sqlfront.Cast{Arg: function("enum_code", bigint, x), T: bigint}
	case rows.UHugeInt:
		zero := &sqlfront.Literal{SQL: "'0'", T: varchar}
		return function("lpad", varchar, castTo(x, varchar), whole(39), zero)
	case rows.Interval:
		return intervalInOrder(x)
	}
	if isSortKeyed(x.Type()) {
		return sortKey(x)
	}
	return x
}

// equalAs is an expression of which the values are equal where those of x are: the text of
// the normal form of an INTERVAL, the sort key of a nested value. It is x itself where that
// is so.
func equalAs(x sqlfront.Expr) sqlfront.Expr {
	switch {
	case x.Type().ID == rows.Interval:
		return normalText(x)
	case isSortKeyed(x.Type()):
		return sortKey(x)
	}
	return x
}

// ofOrder is the value of a type that a value of inOrder is of.
func ofOrder(x sqlfront.Expr, t rows.Type) sqlfront.Expr {
	switch t.ID {
	case rows.Enum:
		null := &sqlfront.Literal{SQL: "NULL", T: rows.Type{ID: rows.SQLNull}}
		all := function("enum_range", rows.Type{ID: rows.List, Name: "VARCHAR[]"}, &sqlfront.Cast{Arg: null, T: t})
		return castTo(function("list_extract", varchar, all, function("+", bigint, x, whole(1))), t)
	case rows.Interval:
		return castTo(function("substring", varchar, x, whole(intervalDigits+1)), t)
	}
	return castTo(x, t)
}

// intervalDigits are the digits before the text of an INTERVAL: 10 each of its months,
// days, hours and microseconds of an hour. A normal form with the most months has more than a
// month of days, and one with the most days more than a day of hours. What is added makes
// the numbers positive.
const intervalDigits = 4 * 10

func intervalInOrder(x sqlfront.Expr) sqlfront.Expr {
	normal := function("normalized_interval", x.Type(), x)
	part := func(name, weight string) sqlfront.Expr {
		field := &sqlfront.Literal{SQL: "'" + name + "'", T: varchar}
		return function("*", bigint, function("date_part", bigint, field, normal), long(weight))
	}
	number := func(parts ...sqlfront.Expr) sqlfront.Expr {
		sum := long("5000000000")
		for _, p := range parts {
			sum = function("+", bigint, sum, p)
		}
		return castTo(sum, varchar)
	}
	out := number(part("year", "12"), part("month", "1"))
	for _, next := range []sqlfront.Expr{
		number(part("day", "1")),
		number(part("hour", "1")),
		number(part("minute", "60000000"), part("microseconds", "1")),
		nestedText(x),
	} {
		out = function("||", varchar, out, next)
	}
	return out
}

func long(digits string) sqlfront.Expr {
	return castTo(&sqlfront.Literal{SQL: digits, T: bigint}, bigint)
}

var varchar = rows.Type{ID: rows.Varchar}

// interval makes group i, an INTERVAL, the text of its normal form: INTERVALs are
// equal where that is. The group is read as any of its values.
func (e *encoder) interval(i int, g sqlfront.Expr) {
	e.q.GroupBy[i] = normalText(g)
	e.groups[i] = castTo(e.add(&sqlfront.AggCall{Func: "min", Args: []sqlfront.Expr{nestedText(g)}, T: varchar}), g.Type())
	if e.q.Distinct {
		e.q.Distinct, e.q.Grouped = false, true
	}
}

func normalText(x sqlfront.Expr) sqlfront.Expr {
	return castTo(function("normalized_interval", x.Type(), x), varchar)
}

// comparedAlike is a conjunct that compares values of one type over several
// sources, as a comparison of what has their order or equality.
func comparedAlike(x sqlfront.Expr) sqlfront.Expr {
	c, ok := x.(*sqlfront.Call)
	if !ok || len(c.Args) != 2 || len(sourcesOf(c)) < 2 || c.Args[0].Type() != c.Args[1].Type() {
		return x
	}
	as := inOrder
	switch c.Name {
	case "=", "<>", "is not distinct from":
		as = equalAs
	case "<", "<=", ">", ">=":
		if c.Args[0].Type().ID == rows.Interval {
			return x
		}
	default:
		return x
	}
	l, r := as(c.Args[0]), as(c.Args[1])
	if l == c.Args[0] && r == c.Args[1] {
		return x
	}
	return function(c.Name, c.T, l, r)
}

// ofEqualTexts is an anti join in which the INTERVALs are the texts of their normal
// forms on both sides.
func ofEqualTexts(a sqlfront.Anti) sqlfront.Anti {
	q := *a.Query
	q.GroupBy, q.Select, q.Columns = slices.Clone(q.GroupBy), slices.Clone(q.Select), slices.Clone(q.Columns)
	a.Keys = slices.Clone(a.Keys)
	for i, it := range q.Select {
		g, ok := it.Expr.(*sqlfront.GroupRef)
		if !ok || i >= len(a.Keys) || g.T.ID != rows.Interval || a.Keys[i].Type().ID != rows.Interval || q.SetOp != sqlfront.NoSetOp {
			continue
		}
		if q.GroupBy[g.N].Type().ID == rows.Interval {
			q.GroupBy[g.N] = normalText(q.GroupBy[g.N])
		}
		q.Select[i].Expr, q.Columns[i].Type = &sqlfront.GroupRef{N: g.N, T: varchar}, varchar
		a.Keys[i] = normalText(a.Keys[i])
	}
	a.Query = &q
	return a
}

// bitwise says which aggregate every bit takes: a bit of BIT_XOR is the last one
// of a count.
var bitwise = map[string]string{"bit_and": "min", "bit_or": "max", "bit_xor": "sum"}

// bitsOf are the bits of the integer types; the first half has a sign.
var bitsOf = map[rows.TypeID]int{
	rows.TinyInt: 8, rows.SmallInt: 16, rows.Integer: 32, rows.BigInt: 64,
	rows.UTinyInt: 8, rows.USmallInt: 16, rows.UInteger: 32, rows.UBigInt: 64,
}

// bits are the bits of an integer, each an aggregate, and what they are together;
// NULL where one is. The sign's counts below zero.
func (e *encoder) bits(call *sqlfront.AggCall, t rows.Type) sqlfront.Expr {
	wide := rows.Type{ID: rows.HugeInt}
	var sum sqlfront.Expr
	for bit := range bitsOf[t.ID] {
		one := castTo(function("&", t, function(">>", t, call.Args[0], castTo(whole(bit), t)), castTo(whole(1), t)), rows.Type{ID: rows.Integer})
		each := &sqlfront.AggCall{Func: bitwise[call.Func], Args: []sqlfront.Expr{one}, Filter: call.Filter, T: one.Type()}
		if each.Func == "sum" {
			each.T = wide
		}
		value := castTo(e.add(each), wide)
		if each.Func == "sum" {
			value = function("%", wide, value, castTo(whole(2), wide))
		}
		weight := castTo(&sqlfront.Literal{SQL: strconv.FormatUint(1<<bit, 10), T: wide}, wide)
		value = function("*", wide, value, weight)
		signed := t.ID >= rows.TinyInt && t.ID <= rows.BigInt
		switch {
		case sum == nil:
			sum = value
		case signed && bit == bitsOf[t.ID]-1:
			sum = function("-", wide, sum, value)
		default:
			sum = function("+", wide, sum, value)
		}
	}
	return castTo(sum, t)
}
