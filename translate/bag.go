package translate

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/internal/load"
	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/sqlfront"
)

// A bag is a source that has the rows of several blocks together: a UNION ALL, or
// what an outer join has beside its padding. The block around reads it as it reads
// a base table, by keys and moments; each branch is a query grouped by the keys
// that has the moments as its aggregates, and the bag's tensor is the union of
// theirs: numbers of rows, counts and sums add, MIN and MAX are the least and the
// greatest. A branch that is absent at a coordinate contributes nothing.
type bag struct {
	branches []*sqlfront.Query
	keep     []sqlfront.Expr // predicates of the block around, over the bag's columns
	hollow   bool            // entries with n = 0 are possible
	// padded: the second branch is not computed. The block reads the first one with
	// if0, as a row of NULLs where it has no row (padding.go).
	padded bool
	nulls  *source // then: that row, where some moment of it may be other than 0
}

// bagFailed says that the moments of a bag, named by its first branch, cannot be
// computed: it must be executed on its own.
type bagFailed struct {
	first *sqlfront.Query
	cause error
}

func (e *bagFailed) Error() string { return "a union must be executed on its own: " + e.cause.Error() }

// branchesOf returns the blocks whose rows a source has together; nil: it is no bag.
func branchesOf(f sqlfront.Source) []*sqlfront.Query {
	switch {
	case len(f.Bag) > 0:
		return f.Bag
	case f.Query != nil && f.Query.Plain():
		return []*sqlfront.Query{f.Query}
	}
	return nil
}

// analyzeBag analyzes the branches as far as the block around must know them:
// the domains of their keys, and whether they have entries that are no rows.
func (t *translator) analyzeBag(b *block, s *source) error {
	if s.rowIndex {
		return &needRelation{source: s.n} // its entries are no rows
	}
	relations, checks := t.relations, t.checks
	for _, branch := range s.bag.branches {
		blk, err := t.branch(s, branch, nil, b.depth)
		if declined(err) {
			return &needRelation{source: s.n}
		}
		if err != nil {
			return err
		}
		s.bag.hollow = s.bag.hollow || blk.hollow
	}
	t.relations, t.checks = relations, checks
	return nil
}

// declined reports whether an error only says that a block has no program.
func declined(err error) bool {
	var no *Ineligible
	return errors.As(err, &no)
}

// branch analyzes one branch as a query grouped by the bag's keys.
func (t *translator) branch(s *source, branch *sqlfront.Query, aggs []*sqlfront.AggCall, depth int) (*block, error) {
	if !branch.Plain() {
		return nil, refuse("a union of groups")
	}
	q := &sqlfront.Query{From: branch.From, Anti: branch.Anti, Where: slices.Clone(branch.Where), Grouped: true}
	for _, e := range s.bag.keep {
		q.Where = append(q.Where, ofBranch(branch, e))
	}
	for _, k := range s.keys {
		g := ofBranch(branch, k.expr)
		q.GroupBy = append(q.GroupBy, g)
		if k.class.keepsNull() {
			continue
		}
		if err := t.withoutNull(q, g); err != nil {
			return nil, err
		}
	}
	for _, call := range aggs {
		c := *call
		c.Args = nil
		for _, a := range call.Args {
			x := ofBranch(branch, a)
			if mayRaise(x) && mentionsNull(x) {
				return nil, refuse("a function that may have no value, beside a NULL")
			}
			c.Args = append(c.Args, x)
		}
		q.Aggs = append(q.Aggs, &c)
	}
	b, err := t.analyzeApart(q, depth+1)
	if err != nil {
		return nil, err
	}
	for i, k := range s.keys {
		t.unite(t.memberDomain(member{src: s, key: k}), b.groups[i].domain)
	}
	return b, nil
}

// mentionsNull reports whether an expression has a NULL written in it. DuckDB makes
// NULL of the operators around that one before it looks at a row, so that a function
// beside it is never evaluated, and raises nothing: NULL * cos(b.k) where the rows of
// the join have NULL in a.x, not in the text, raises at an infinite k.
func mentionsNull(e sqlfront.Expr) bool {
	found := false
	sqlfront.WalkExpr(e, func(e sqlfront.Expr) { found = found || isNull(e) })
	return found
}

// analyzeApart analyzes a query whose groups have an index each, also where two
// of them are equal in every row: the second is then a column of its own.
func (t *translator) analyzeApart(q *sqlfront.Query, depth int) (*block, error) {
	for {
		b, err := t.analyze(q, depth)
		if err != nil {
			return nil, err
		}
		again := repeated(b.groups)
		if again < 0 {
			return b, nil
		}
		q.GroupBy = slices.Clone(q.GroupBy)
		q.GroupBy[again] = apart(q.GroupBy[again])
	}
}

// apart is an expression with the same values that has an index of its own.
func apart(e sqlfront.Expr) sqlfront.Expr { return &sqlfront.Cast{Arg: e, T: e.Type()} }

// repeated returns the first position whose class occurs before it; negative:
// there is none.
func repeated(cs []*class) int {
	for i, c := range cs {
		if slices.Contains(cs[:i], c) {
			return i
		}
	}
	return -1
}

// emitBag makes the queries of the branches and of the bag, whose moments the
// leaves of the block around have asked for.
func (t *translator) emitBag(b *block, s *source) error {
	failed := func(err error) error {
		if declined(err) {
			return &bagFailed{first: s.bag.branches[0], cause: err}
		}
		return err
	}
	calls, err := s.input.calls(b.counted() || b.multiplies(s))
	if err != nil {
		return failed(err)
	}
	branches := s.bag.branches
	if s.bag.padded {
		branches = branches[:1]
	}
	blocks := make([]*block, len(branches))
	for i, branch := range branches {
		blk, err := t.branch(s, branch, calls, b.depth)
		if err != nil {
			return failed(err)
		}
		known := len(t.checks)
		if err := t.emit(blk, t.name(s.input.spec.Name)); err != nil {
			return failed(err)
		}
		t.reuse(blk, known)
		blocks[i] = blk
	}
	q, err := t.union(s, calls, blocks)
	if err != nil {
		return failed(err)
	}
	t.queries = append(t.queries, q)
	t.reuseBag(b, q)
	return nil
}

// multiplies reports whether a measure of the block reads how many rows the bag
// has, as the multiplicity of what another source gives: that is a number too.
func (b *block) multiplies(s *source) bool {
	return slices.ContainsFunc(b.leaves[1:], func(l einsum.Leaf) bool {
		return slices.ContainsFunc(einsum.Accesses(l.Expr), func(a *einsum.Access) bool {
			return a.Tensor == s.input.spec.Name && a.Leaf == einsum.CountLeaf
		})
	})
}

// calls are the aggregates that give a bag's moments, one per leaf; nil for the
// number of rows where only its presence counts.
func (in *input) calls(counted bool) ([]*sqlfront.AggCall, error) {
	var out []*sqlfront.AggCall
	for _, l := range in.spec.Leaves {
		x := in.exprs[l.Name]
		switch {
		case l.Moment == load.Rows && counted:
			out = append(out, &sqlfront.AggCall{Func: "count", T: bigint})
			continue
		case l.Moment == load.Rows:
			continue
		case x == nil:
			return nil, refuse("a moment over a union")
		}
		call := &sqlfront.AggCall{Args: []sqlfront.Expr{x}, T: x.Type()}
		switch l.Moment {
		case load.Count:
			call.Func, call.T = "count", bigint
		case load.Sum:
			call.Func, call.T = "sum", sumType(x.Type())
		case load.Min:
			call.Func = "min"
		case load.Max:
			call.Func = "max"
		default:
			return nil, refuse("a moment over a union")
		}
		out = append(out, call)
	}
	return out, nil
}

// sumType is the type of a SUM.
func sumType(t rows.Type) rows.Type {
	switch {
	case t.ID == rows.Decimal:
		return rows.Type{ID: rows.Decimal, Width: 38, Scale: t.Scale}
	case t.IsFloat():
		return rows.Type{ID: rows.Double}
	}
	return rows.Type{ID: rows.HugeInt}
}

// union is the query of a bag: per leaf, what its branches have together.
func (t *translator) union(s *source, calls []*sqlfront.AggCall, blocks []*block) (*einsum.Query, error) {
	in := s.input
	q := &einsum.Query{Name: in.spec.Name}
	for _, k := range s.keys {
		q.Idxs = append(q.Idxs, t.index(k.class))
	}
	uncounted := len(in.spec.Leaves) - len(calls) // leaf n
	for i, l := range in.spec.Leaves {
		parts := make([]einsum.Expr, len(blocks))
		for j, blk := range blocks {
			leaf, factor := einsum.CountLeaf, 0
			if i >= uncounted {
				agg := blk.aggs[i-uncounted]
				leaf, factor = agg.Value, int(l.Type.Scale)-agg.Scale
			}
			if l.Moment == load.Count || l.Moment == load.Rows {
				factor = 0
			}
			if factor < 0 {
				return nil, refuse("a scale over a union")
			}
			parts[j] = branchAccess(s, q.Idxs, blk, leaf)
			if factor > 0 {
				parts[j] = einsum.Mul(integer(pow10(factor)), parts[j])
			}
		}
		if err := t.unionDict(in, l, blocks, i-uncounted); err != nil {
			return nil, err
		}
		q.Leaves = append(q.Leaves, einsum.Leaf{Name: l.Name, Expr: einsum.Apply(together(l.Moment, uncounted > 0), parts...)})
	}
	return q, nil
}

// together is how the values of branches become one.
func together(m load.Moment, presence bool) semiring.Op {
	switch {
	case m == load.Min:
		return semiring.Min
	case m == load.Max:
		return semiring.Max
	case m == load.Rows && presence:
		return semiring.Or
	}
	return semiring.Add
}

// branchAccess reads a leaf of a branch at the bag's indices.
func branchAccess(s *source, idxs []einsum.Index, blk *block, leaf string) einsum.Expr {
	a := &einsum.Access{Tensor: blk.name, Leaf: leaf}
	for _, out := range blk.outs {
		for i := range s.keys {
			if blk.groups[i] == out {
				a.Args = append(a.Args, einsum.Ix(idxs[i]))
			}
		}
	}
	return a
}

// unionDict finds the strings that a MIN or MAX leaf of a bag ranks: those of the
// one branch that has any. Ranks of different inputs do not compare.
func (t *translator) unionDict(in *input, l load.Leaf, blocks []*block, call int) error {
	if l.Type.Physical() != rows.PhysString || l.Moment != load.Min && l.Moment != load.Max {
		return nil
	}
	var dict *LeafRef
	for _, blk := range blocks {
		d := blk.aggs[call].Dict
		if d == nil || t.nullRow(d.Input) && nullStrict(blk.q.Aggs[call].Args[0]) { // it has no value
			continue
		}
		if dict != nil && *dict != *d {
			return refuse("%s over a union", l.Type)
		}
		dict = d
	}
	if dict == nil {
		dict = blocks[0].aggs[call].Dict
	}
	t.dicts[LeafRef{Input: in.spec.Name, Leaf: l.Name}] = dict
	return nil
}

// reuseBag drops the bag's query, the last one, when an earlier one is the same.
func (t *translator) reuseBag(b *block, q *einsum.Query) {
	key := t.queryKey(q)
	for _, old := range t.queries[:len(t.queries)-1] {
		if t.queryKey(old) != key {
			continue
		}
		t.queries = t.queries[:len(t.queries)-1]
		for i := range t.checks {
			t.checks[i].Bound = renamed(t.checks[i].Bound, q.Name, old.Name)
		}
		for i, l := range b.leaves {
			b.leaves[i].Expr = einsum.Rewrite(l.Expr, func(e einsum.Expr) einsum.Expr {
				if a, ok := e.(*einsum.Access); ok && a.Tensor == q.Name {
					return &einsum.Access{Tensor: old.Name, Leaf: a.Leaf, Args: a.Args}
				}
				return e
			})
		}
		return
	}
}

// nullRow reports whether an input is a row of NULLs.
func (t *translator) nullRow(input string) bool {
	for _, in := range t.inputs {
		if in.spec.Name != input {
			continue
		}
		i := slices.IndexFunc(t.relations, func(r Relation) bool { return r.Table == in.spec.Table })
		return i >= 0 && isNullRow(t.relations[i].SQL, t.relations[i].Columns)
	}
	return false
}

// isNullRow reports whether a text is the row of typed NULLs that an outer join
// pads with.
func isNullRow(text string, columns []rows.Column) bool {
	parts := make([]string, len(columns))
	for i, c := range columns {
		parts[i] = fmt.Sprintf("CAST(NULL AS %s) AS %s", c.Type, c.Name)
	}
	return strings.ReplaceAll(text, `"`, "") == "SELECT "+strings.Join(parts, ", ")
}
