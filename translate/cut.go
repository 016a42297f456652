package translate

import (
	"errors"
	"fmt"
	"slices"

	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/sqlfront"
)

// A part of a block that reads several sources and has no form in the notation is
// cut out of it (SEMANTICS section 5): DuckDB evaluates it once for the different
// values that its columns have together, in the join of its sources alone. The
// block joins the rows of that, null safe, on those columns: of a predicate, it
// keeps the rows that are there; of an expression, it reads the value. The join of
// fewer sources has rows that the block does not; an error that one of them raises
// makes the statement DuckDB's, as one in a load does.

// place is a kind of place in a block.
type place uint8

const (
	inWhere place = iota
	inGroupBy
	inAggregate // an argument of one
	inAnti      // a key of one
)

// needCut says which part of a block must be cut out: number n of a place, and
// there number arg.
type needCut struct {
	place  place
	n, arg int
	cause  error
}

func (e *needCut) Error() string { return e.cause.Error() }

// Unwrap returns why the part has no form in the notation.
func (e *needCut) Unwrap() error { return e.cause }

// cuts returns an error as the need to cut out what it is about, where that reads
// several sources and is no more than refused.
func cuts(err error, e sqlfront.Expr, at needCut) error {
	var cut *needCut
	if !declined(err) || errors.As(err, &cut) || len(sourcesOf(e)) < 2 {
		return err
	}
	at.cause = err
	return &at
}

// cut is a block with a part cut out; q is not changed.
func cut(q *sqlfront.Query, at *needCut) (*sqlfront.Query, error) {
	out := *q
	if at.place == inWhere {
		if at.n >= len(q.Where) {
			return nil, at.cause // a HAVING of a derived table
		}
		return withCut(&out, q.Where[at.n], at.n, nil), nil
	}
	var part sqlfront.Expr
	switch at.place {
	case inGroupBy:
		part = q.GroupBy[at.n]
	case inAnti:
		part = q.Anti[at.n].Keys[at.arg]
	default:
		part = q.Aggs[at.n].Args[at.arg]
	}
	if len(sourcesOf(part)) < 2 {
		return nil, at.cause
	}
	value := &sqlfront.ColumnRef{Source: len(q.From), Name: "v", T: part.Type()}
	withCut(&out, part, -1, value)
	switch at.place {
	case inGroupBy:
		out.GroupBy = slices.Clone(q.GroupBy)
		out.GroupBy[at.n] = value
	case inAnti:
		out.Anti = slices.Clone(q.Anti)
		out.Anti[at.n].Keys = slices.Clone(q.Anti[at.n].Keys)
		out.Anti[at.n].Keys[at.arg] = value
	default:
		call := *q.Aggs[at.n]
		call.Args = slices.Clone(call.Args)
		call.Args[at.arg] = value
		out.Aggs = slices.Clone(q.Aggs)
		out.Aggs[at.n] = &call
	}
	return &out, nil
}

// withCut gives a block, which is a copy, the source of what is cut out: conjunct
// number where of WHERE, or an expression, whose column is value then.
func withCut(q *sqlfront.Query, part sqlfront.Expr, where int, value *sqlfront.ColumnRef) *sqlfront.Query {
	join := joinAround(q, sourcesOf(part), where)
	inJoin := func(e sqlfront.Expr) sqlfront.Expr {
		return mapColumns(typedNulls(e), func(c *sqlfront.ColumnRef) sqlfront.Expr {
			out := *c
			out.Source = slices.Index(join, c.Source)
			return &out
		})
	}
	inner := &sqlfront.Query{Distinct: true}
	for _, n := range join {
		inner.From = append(inner.From, q.From[n])
	}
	conjuncts := slices.Clone(q.Where)
	for i, e := range q.Where {
		if within(sourcesOf(e), join) {
			inner.Where = append(inner.Where, inJoin(e))
		}
		if i == where {
			conjuncts = slices.Delete(conjuncts, i, i+1)
		}
	}
	column := func(e sqlfront.Expr, name string) *sqlfront.ColumnRef {
		n := len(inner.Select)
		inner.GroupBy = append(inner.GroupBy, inJoin(e))
		inner.Select = append(inner.Select, sqlfront.SelectItem{Expr: &sqlfront.GroupRef{N: n, T: e.Type()}, Name: name})
		inner.Columns = append(inner.Columns, rows.Column{Name: name, Type: e.Type()})
		return &sqlfront.ColumnRef{Source: len(q.From), Column: n, Name: name, T: e.Type()}
	}
	var seen []string
	eachColumn(part, func(c *sqlfront.ColumnRef) {
		if slices.Contains(seen, sourceSQL(c)) {
			return
		}
		seen = append(seen, sourceSQL(c))
		same := &sqlfront.Call{Name: "is not distinct from", T: rows.Type{ID: rows.Boolean}}
		same.Args = []sqlfront.Expr{c, column(c, fmt.Sprintf("c%d", len(seen)))}
		conjuncts = append(conjuncts, same)
	})
	for n, e := range raisingParts(part) {
		column(e, fmt.Sprintf("e%d", n+1))
	}
	if value != nil {
		*value = *column(part, "v")
	}
	q.Where = conjuncts
	q.From = append(slices.Clone(q.From), sqlfront.Source{
		Alias: "cut", Cut: true, Text: sqlfront.PrintQuery(inner), TextTables: inner.BaseTables(nil), Memory: inner.Memory(), Columns: inner.Columns,
	})
	return q
}

// raisingParts are the greatest parts of an expression, but for those that CASE or COALESCE
// may leave out, that read fewer sources and may raise an error. The relation has their values, too: where another source's column is
// NULL in all rows of a branch, DuckDB knows the whole to be NULL, and does not evaluate
// what it evaluates in the user's statement.
func raisingParts(e sqlfront.Expr) []sqlfront.Expr {
	switch e := e.(type) {
	case *sqlfront.Case:
		return nil
	case *sqlfront.Call:
		if e.Name == "coalesce" {
			return nil
		}
	}
	srcs := len(sourcesOf(e))
	var out []sqlfront.Expr
	for _, c := range sqlfront.Children(e) {
		switch n := len(sourcesOf(c)); {
		case n > 0 && n < srcs && fallible(c):
			out = append(out, c)
		case n == srcs:
			out = append(out, raisingParts(c)...)
		}
	}
	return out
}

// maxCuts bounds the parts that are cut out of a block: each is a statement of
// DuckDB's own. A bitwise aggregate is two parts a bit.
const maxCuts = 16

// joinAround returns the sources in whose join a part over some of them is
// evaluated: those alone where equalities connect them, else all of the block's own,
// so that no product is formed that the block does not form. What was cut out before
// would be evaluated within each part again. Conjunct number without is not counted.
func joinAround(q *sqlfront.Query, srcs []int, without int) []int {
	reached := []int{srcs[0]}
	for grown := true; grown; {
		grown = false
		for i, e := range q.Where {
			call, ok := e.(*sqlfront.Call)
			if !ok || i == without || call.Name != "=" && call.Name != "is not distinct from" {
				continue
			}
			between := sourcesOf(e)
			if len(between) != 2 || !within(between, srcs) {
				continue
			}
			for j, s := range between {
				if slices.Contains(reached, s) && !slices.Contains(reached, between[1-j]) {
					reached, grown = append(reached, between[1-j]), true
				}
			}
		}
	}
	if len(reached) == len(srcs) {
		return srcs
	}
	var all []int
	for i := range q.From {
		if !q.From[i].Cut || slices.Contains(srcs, i) {
			all = append(all, i)
		}
	}
	return all
}

func within(some, of []int) bool {
	return !slices.ContainsFunc(some, func(s int) bool { return !slices.Contains(of, s) })
}
