package translate

import (
	"fmt"
	"slices"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/sqlfront"
)

// A block with DISTINCT aggregates, or with variances over DOUBLE (spread.go), is
// made of parts: one block for the other
// aggregates, and one for every distinct argument x, which reads a derived table
// grouped by the block's groups and x (SEMANTICS section 2: a sum over x of an
// or over all else). All parts have the same groups, so that a last query reads
// them side by side.

// parted is how a block's aggregates lie in its parts.
type parted struct {
	parts []*block
	// aggs says, per aggregate of the block, which part has it, as which of its own.
	aggs []partAgg
}

type partAgg struct {
	part, agg int
	spread    spreadAggs // in place of agg: of what it is read off
}

// inParts reports whether a block has aggregates that make it one of parts.
func inParts(q *sqlfront.Query) bool {
	return slices.ContainsFunc(q.Aggs, func(a *sqlfront.AggCall) bool { return a.Distinct || twoPasses(a) })
}

// twoPasses reports whether an aggregate is a part of its block for itself.
func twoPasses(call *sqlfront.AggCall) bool {
	return spreads(call) || atExtreme(call) || call.Func == "product"
}

// analyzeParts is analyze for a block that is made of parts.
func (t *translator) analyzeParts(q *sqlfront.Query, depth int) (*block, error) {
	joined := t.joined || len(q.From) > 1 || slices.ContainsFunc(q.From, nests)
	queries, aggs, err := t.partQueries(q)
	if err != nil {
		return nil, err
	}
	p := &parted{aggs: aggs}
	for _, pq := range queries {
		b, err := t.analyze(pq, depth+1)
		if err != nil {
			return nil, err
		}
		p.parts = append(p.parts, b)
	}
	t.joined = joined
	first := p.parts[0]
	if len(p.parts) == 1 && !slices.ContainsFunc(aggs, func(a partAgg) bool { return a.spread != nil }) {
		return first, nil
	}
	out := &block{q: q, groups: first.groups, outs: first.outs, parted: p}
	for _, b := range p.parts {
		if len(b.outs) != len(first.outs) {
			return nil, refuse("GROUP BY of columns that are equal where only some of the aggregates need it")
		}
		for i, c := range b.outs {
			t.unite(c.domain, first.outs[i].domain)
		}
		out.hollow = out.hollow || b.hollow
	}
	return out, nil
}

// partQueries are the queries of a block's parts, and where its aggregates are in
// them.
func (t *translator) partQueries(q *sqlfront.Query) (queries []*sqlfront.Query, at []partAgg, err error) {
	at = make([]partAgg, len(q.Aggs))
	main := *q
	main.Aggs = nil
	for i, call := range q.Aggs {
		if !call.Distinct && !twoPasses(call) {
			at[i] = partAgg{agg: len(main.Aggs)}
			main.Aggs = append(main.Aggs, call)
		}
	}
	if len(main.Aggs) > 0 {
		queries = append(queries, &main)
	}
	byArg := map[string]int{}
	spreadOf := map[string]partAgg{}
	for i, call := range q.Aggs {
		switch {
		case call.Distinct:
		case atExtreme(call), call.Func == "product":
			part, err := alonePart(q, call)
			if err != nil {
				return nil, nil, err
			}
			at[i] = partAgg{part: len(queries)}
			queries = append(queries, part)
			continue
		case !spreads(call):
			continue
		default:
			if _, ok := spreadOf[spreadKey(call)]; !ok {
				part, aggs, err := t.spreadPart(q, call)
				if err != nil {
					return nil, nil, err
				}
				spreadOf[spreadKey(call)] = partAgg{part: len(queries), spread: aggs}
				queries = append(queries, part)
			}
			at[i] = spreadOf[spreadKey(call)]
			continue
		}
		if len(call.Args) != 1 && call.Func != "count" {
			return nil, nil, refuse("DISTINCT aggregate of several arguments")
		}
		key := ""
		for _, arg := range call.Args {
			key += sourceSQL(arg) + "\x01"
		}
		if call.Filter != nil {
			key += "\x00" + sourceSQL(call.Filter)
		}
		n, ok := byArg[key]
		if !ok {
			n = len(queries)
			byArg[key] = n
			queries = append(queries, distinctPart(q, call))
		}
		at[i] = partAgg{part: n, agg: addDistinct(queries[n], call)}
	}
	return queries, at, nil
}

// alonePart is the part of a block for one aggregate.
func alonePart(q *sqlfront.Query, call *sqlfront.AggCall) (*sqlfront.Query, error) {
	if atExtreme(call) {
		return extremePart(q, call)
	}
	return productPart(q, call)
}

// distinctPart is the part of a block for a distinct argument: it reads the
// block's groups and the values of the argument, each once.
func distinctPart(q *sqlfront.Query, call *sqlfront.AggCall) *sqlfront.Query {
	inner := &sqlfront.Query{
		From: q.From, Where: slices.Clone(q.Where), Anti: q.Anti, Grouped: true,
		GroupBy: slices.Concat(q.GroupBy, call.Args),
	}
	for i, g := range inner.GroupBy {
		addColumn(inner, &sqlfront.GroupRef{N: i, T: g.Type()})
	}
	out := *q
	out.From = []sqlfront.Source{{Alias: "distinct", Query: inner}}
	out.Where, out.Anti, out.Aggs, out.GroupBy = nil, nil, nil, nil
	for i, g := range q.GroupBy {
		out.GroupBy = append(out.GroupBy, &sqlfront.ColumnRef{Column: i, Name: inner.Columns[i].Name, T: g.Type()})
	}
	return &out
}

// addColumn adds an output column to a query and returns its number.
func addColumn(q *sqlfront.Query, e sqlfront.Expr) int {
	name := fmt.Sprintf("c%d", len(q.Select))
	q.Select = append(q.Select, sqlfront.SelectItem{Expr: e, Name: name})
	q.Columns = append(q.Columns, rows.Column{Name: name, Type: e.Type()})
	return len(q.Select) - 1
}

// addDistinct adds an aggregate to the part of its argument and returns its
// number there. A value is there with any of its rows that the FILTER keeps.
func addDistinct(part *sqlfront.Query, call *sqlfront.AggCall) int {
	inner := part.From[0].Query
	each := &sqlfront.AggCall{Func: "min", Args: call.Args, Filter: call.Filter, T: call.Args[0].Type()}
	if call.Func == "count" {
		each.Func, each.T = "count", bigint
		if len(call.Args) > 1 { // a row is never NULL
			each.Args = nil
		}
	}
	n := slices.IndexFunc(inner.Aggs, func(a *sqlfront.AggCall) bool { return a.Func == each.Func })
	if n < 0 {
		n = len(inner.Aggs)
		inner.Aggs = append(inner.Aggs, each)
		addColumn(inner, &sqlfront.AggRef{N: n, T: each.T})
	}
	column := len(inner.GroupBy) + n
	value := &sqlfront.ColumnRef{Column: column, Name: inner.Columns[column].Name, T: each.T}
	outer := &sqlfront.AggCall{Func: call.Func, Args: []sqlfront.Expr{value}, T: call.T}
	if call.Func == "count" {
		zero := &sqlfront.Literal{SQL: "0", T: rows.Type{ID: rows.Integer}}
		outer.Args = nil
		outer.Filter = &sqlfront.Call{Name: ">", Args: []sqlfront.Expr{value, zero}, T: rows.Type{ID: rows.Boolean}}
	}
	part.Aggs = append(part.Aggs, outer)
	part.From[0].Columns = inner.Columns
	return len(part.Aggs) - 1
}

// emitParts makes the queries of a block's parts, and the one that reads them.
func (t *translator) emitParts(b *block, name string) error {
	for i, part := range b.parted.parts {
		if err := t.emit(part, t.name(fmt.Sprintf("%s_%d", name, i+1))); err != nil {
			return err
		}
	}
	b.name = name
	q := &einsum.Query{Name: name}
	var args []einsum.Arg
	for _, c := range b.outs {
		q.Idxs = append(q.Idxs, t.index(c))
		args = append(args, einsum.Arg{Index: t.index(c)})
	}
	leaf := func(name string, op semiring.Op, part *block, of string) string {
		switch {
		case of == "":
			return ""
		case slices.ContainsFunc(q.Leaves, func(l einsum.Leaf) bool { return l.Name == name }):
			return name
		}
		// The presence of every part is that of all; a reader sees one join.
		var others []einsum.Expr
		for _, p := range b.parted.parts {
			if p != part {
				others = append(others, &einsum.Access{Tensor: p.name, Leaf: einsum.CountLeaf, Args: args})
			}
		}
		x := einsum.Guarded(&einsum.Access{Tensor: part.name, Leaf: of, Args: args}, others...)
		q.Leaves = append(q.Leaves, einsum.Leaf{Name: name, Expr: einsum.Reduce(op, nil, x)})
		return name
	}
	leaf(einsum.CountLeaf, semiring.Add, b.parted.parts[0], einsum.CountLeaf)
	for i, at := range b.parted.aggs {
		part := b.parted.parts[at.part]
		var agg Agg
		if at.spread == nil {
			agg = part.aggs[at.agg]
		} else {
			m := &Moments{Func: b.q.Aggs[i].Func, Spread: map[string]string{}}
			for word, n := range at.spread {
				m.Spread[word] = part.aggs[n].Value
			}
			agg = Agg{Func: MomentsValue, Type: b.q.Aggs[i].T, Moments: m, Valid: m.Spread["n"]}
		}
		agg.mapLeaves(func(of string, op semiring.Op) string {
			return leaf(fmt.Sprintf("a%d_%s", i, of), op, part, of)
		})
		b.aggs = append(b.aggs, agg)
	}
	b.leaves = q.Leaves
	t.queries = append(t.queries, q)
	return nil
}
