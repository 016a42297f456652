package translate

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/internal/invariant"
	"github.com/trireme-db/trireme/internal/load"
	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/sqlfront"
)

// result assembles what the engine needs.
func (t *translator) result(b *block) (*Result, error) {
	r, err := t.program()
	if err != nil {
		return nil, err
	}
	t.answer(r, b.output())
	return r, nil
}

// program is what a program's answers have in common.
func (t *translator) program() (*Result, error) {
	r := &Result{Program: &einsum.Program{Queries: t.queries}, Relations: t.relations, Joined: t.joined}
	for i, q := range t.queries {
		t.queries[i] = t.renumbered(q)
	}
	for _, in := range t.inputs {
		for m, d := range in.decl.Domains {
			in.decl.Domains[m] = t.findDomain(d)
		}
		r.Program.Inputs = append(r.Program.Inputs, in.decl)
		r.Loads = append(r.Loads, in.spec)
	}
	for _, c := range t.checks {
		if !c.Static() {
			r.Checks = append(r.Checks, c)
		} else if !c.Fits(nil) {
			return nil, refuse("%s", c.Refusal())
		}
	}
	return r, nil
}

// output is a query of the program that is read as the answer to q.
type output struct {
	name   string
	q      *sqlfront.Query
	groups []*class // per GROUP BY expression of q
	outs   []*class // per index of the query
	aggs   []Agg
	hollow bool // entries with n = 0 are possible
	// What a coarser query over this one needs: counted, that n is a number of rows,
	// and the checks on this query's leaves.
	counted bool
	checks  []Check
}

// output is the block's query as an answer.
func (b *block) output() *output {
	return &output{
		name: b.name, q: b.q, groups: b.groups, outs: b.outs, aggs: b.aggs, hollow: b.hollow,
		counted: b.counted(),
	}
}

// answer says in r how an output is read.
func (t *translator) answer(r *Result, o *output) {
	r.Output, r.Scalar, r.Aggs = o.name, !o.q.Grouped && !o.q.Distinct, slices.Clone(o.aggs)
	for i := range r.Aggs {
		for d := r.Aggs[i].Dict; d != nil && t.dicts[*d] != nil; {
			d = t.dicts[*d]
			r.Aggs[i].Dict = d
		}
	}
	for _, c := range o.outs {
		r.Keys = append(r.Keys, Key{Domain: t.findDomain(c.domain)})
	}
	for i, g := range o.groups {
		gk := GroupKey{Type: o.q.GroupBy[i].Type()}
		for k, c := range o.outs {
			if c == g {
				gk.Key = k
			}
		}
		r.Groups = append(r.Groups, gk)
	}
	number := -1
	if o.hollow && !r.Scalar {
		number = len(r.Aggs)
		r.Aggs = append(r.Aggs, Agg{Func: CountValue, Value: einsum.CountLeaf, Type: bigint})
	}
	r.Finish = finish(o.q, number)
}

// renumbered is a query with the domains as they are now: those of a block that
// was emitted early may have been united with others since.
func (t *translator) renumbered(q *einsum.Query) *einsum.Query {
	index := func(x einsum.Index) einsum.Index {
		return einsum.Index{Name: x.Name, Domain: t.findDomain(x.Domain)}
	}
	out := &einsum.Query{Name: q.Name}
	for _, x := range q.Idxs {
		out.Idxs = append(out.Idxs, index(x))
	}
	for _, l := range q.Leaves {
		out.Leaves = append(out.Leaves, einsum.Leaf{Name: l.Name, Expr: einsum.MapIndices(l.Expr, index)})
	}
	return out
}

var bigint = rows.Type{ID: rows.BigInt}

// finish is what remains on the rows of the relation (k0.., a0..); number is the
// column aN that is 0 where an entry is no row (T5), negative: there is none.
func finish(q *sqlfront.Query, number int) Finish {
	f := Finish{Columns: q.Columns}
	plain := q.Having == nil && len(q.OrderBy) == 0 && q.Limit == nil && q.Offset == nil && number < 0
	for _, it := range q.Select {
		switch e := it.Expr.(type) {
		case *sqlfront.GroupRef:
			f.Project = append(f.Project, e.N)
		case *sqlfront.AggRef:
			f.Project = append(f.Project, len(q.GroupBy)+e.N)
		default:
			plain = false
		}
	}
	if plain {
		return f
	}
	f.Project = nil
	f.SQL, f.Query, f.Number = finishSQL(q, number), q, number
	if number < 0 {
		f.Top = top(q)
	}
	return f
}

// topRowsMax bounds the rows of a LIMIT for which the others are left out early.
const topRowsMax = 100_000

// top is what LIMIT keeps of the groups ordered by an aggregate first.
func top(q *sqlfront.Query) *Top {
	if q.Having != nil || len(q.OrderBy) == 0 || q.Limit == nil {
		return nil
	}
	by, ok := q.OrderBy[0].Expr.(*sqlfront.AggRef)
	if !ok || by.Type().Physical() == rows.PhysString || by.Type().Physical() == rows.PhysInterval {
		return nil
	}
	n, ok := rowNumber(q.Limit)
	skipped, okToo := rowNumber(q.Offset)
	if !ok || !okToo || n == 0 || n+skipped > topRowsMax {
		return nil
	}
	return &Top{Column: len(q.GroupBy) + by.N, Desc: q.OrderBy[0].Desc, NullsFirst: q.OrderBy[0].NullsFirst, Rows: n + skipped}
}

// rowNumber is the literal of a LIMIT or OFFSET, 0 where there is none.
func rowNumber(e sqlfront.Expr) (n int, ok bool) {
	if e == nil {
		return 0, true
	}
	lit, ok := e.(*sqlfront.Literal)
	if !ok || !lit.T.IsInteger() {
		return 0, false
	}
	n, err := strconv.Atoi(lit.SQL)
	return n, err == nil && n >= 0 && n <= topRowsMax
}

func finishSQL(q *sqlfront.Query, number int) string {
	var b strings.Builder
	b.WriteString("SELECT ")
	for i, it := range q.Select {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%s AS %s", relationSQL(it.Expr), load.Quote(q.Columns[i].Name))
	}
	b.WriteString("\nFROM " + RelationName)
	switch {
	case number >= 0 && q.Having != nil:
		fmt.Fprintf(&b, "\nWHERE %s.a%d > 0 AND %s", RelationName, number, relationSQL(q.Having))
	case number >= 0:
		fmt.Fprintf(&b, "\nWHERE %s.a%d > 0", RelationName, number)
	case q.Having != nil:
		b.WriteString("\nWHERE " + relationSQL(q.Having))
	}
	for i, o := range q.OrderBy {
		if i == 0 {
			b.WriteString("\nORDER BY ")
		} else {
			b.WriteString(", ")
		}
		dir, nulls := "ASC", "LAST"
		if o.Desc {
			dir = "DESC"
		}
		if o.NullsFirst {
			nulls = "FIRST"
		}
		fmt.Fprintf(&b, "%s %s NULLS %s", relationSQL(o.Expr), dir, nulls)
	}
	if q.Limit != nil {
		b.WriteString("\nLIMIT " + relationSQL(q.Limit))
	}
	if q.Offset != nil {
		b.WriteString("\nOFFSET " + relationSQL(q.Offset))
	}
	return b.String()
}

// relationSQL prints an expression over the result: group n is column kn,
// aggregate n column an, qualified, because an alias of the select list may have
// such a name and ORDER BY would prefer it.
func relationSQL(e sqlfront.Expr) string {
	p := sqlfront.Printer{
		Column: func(c *sqlfront.ColumnRef) string {
			panic(invariant.Failed("translate: column %s outside the aggregation", c.Name))
		},
		Group: func(g *sqlfront.GroupRef) string { return fmt.Sprintf("%s.k%d", RelationName, g.N) },
		Agg:   func(a *sqlfront.AggRef) string { return fmt.Sprintf("%s.a%d", RelationName, a.N) },
	}
	return p.Print(e)
}
