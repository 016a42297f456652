package lower

import (
	"slices"

	"github.com/trireme-db/trireme/sqlfront"
)

// gathers reports whether a conjunct equates an expression over several sources with one over
// others, and nothing else joins the two sides. As a condition it would be asked of every
// combination of their rows.
func gathers(others []sqlfront.Expr, e sqlfront.Expr) bool {
	l, r, name := operands(e, "=")
	if name == "" || hasSubquery(e) || readsAround(e) {
		return false
	}
	if _, ok := common(l.Type(), r.Type()); !ok {
		return false
	}
	ls, rs := sourcesIn(l), sourcesIn(r)
	if len(ls) == 0 || len(rs) == 0 || len(ls)+len(rs) < 3 {
		return false
	}
	joined := joinedBy(others)
	for _, a := range ls {
		if slices.ContainsFunc(rs, func(b int) bool { return joined.root(a) == joined.root(b) }) {
			return false
		}
	}
	return true
}

// joinings says which sources equalities join: by source, another one that it is joined with,
// nearer to the root that all of them have.
type joinings map[int]int

func joinedBy(es []sqlfront.Expr) joinings {
	j := joinings{}
	for _, e := range es {
		if a, b, ok := equated(e); ok && j.root(a) != j.root(b) {
			j[j.root(a)] = j.root(b)
		}
	}
	return j
}

// root is the source that stands for those joined with one.
func (j joinings) root(n int) int {
	for {
		next, ok := j[n]
		if !ok {
			return n
		}
		n = next
	}
}

// gather takes a conjunct that equates an expression over several sources: these, with all
// that equalities join with them, become a bag that has the expression as a column, and is
// joined by it. The rows of
//
//	FROM signal o, kernel k, signal s WHERE s.i = o.i + k.d
//
// are those of s and of the pairs of o and k by their o.i + k.d. It returns false where
// something else joins the two sides, wherever it stands in the block.
func (b *block) gather(r *rel, e sqlfront.Expr, wanted used) bool {
	if b.outer != nil || len(r.matched) > 0 || !gathers(b.conjuncts(), e) {
		return false
	}
	x := b.expr(r, e)
	if !gathers(r.where, x) {
		return false
	}
	call := *x.(*sqlfront.Call)
	call.Args = slices.Clone(call.Args)
	for i, arg := range call.Args {
		if len(sourcesIn(arg)) > 1 {
			call.Args[i], call.Args[1-i] = r.asBag(arg, call.Args[1-i], wanted)
		}
	}
	r.where = append(r.where, &call)
	return true
}

// conjuncts are all conditions on the block's sources.
func (b *block) conjuncts() []sqlfront.Expr {
	var out []sqlfront.Expr
	var of func(n *node)
	of = func(n *node) {
		if n != nil && n.left != nil {
			of(n.left)
			of(n.right)
			out = append(out, n.on...)
		}
	}
	of(treeOf(b.q))
	for _, e := range b.q.Where {
		out = append(out, conjuncts(e)...)
	}
	return out
}

// asBag makes a bag of the sources that an expression reads and of those that equalities join
// with them. Its columns are the expression, which is returned as one, and what is read of
// these sources outside of the bag. beside is over the others, and is returned over what they
// are then. The columns that are wanted stay in the rows.
func (r *rel) asBag(key, beside sqlfront.Expr, wanted used) (asColumn, asBeside sqlfront.Expr) {
	in, joined := map[int]bool{}, joinedBy(r.where)
	for _, s := range sourcesIn(key) {
		for i := range r.from {
			in[i] = in[i] || joined.root(i) == joined.root(s)
		}
	}
	inside, within := r.only(in)
	number := map[int]int{}
	var from []sqlfront.Source
	alias := ""
	for i, s := range r.from {
		if !in[i] {
			number[i] = len(from)
			from = append(from, s)
		} else if alias == "" {
			alias = s.Alias
		}
	}
	read := []sqlfront.Expr{within(key)}
	place := map[column]int{}
	outside := func(e sqlfront.Expr) sqlfront.Expr {
		return mapColumns(e, func(c *sqlfront.ColumnRef) sqlfront.Expr {
			if n, ok := number[c.Source]; ok {
				return columnOf(n, c.Column, c.Name, c.T)
			}
			at, ok := place[columnID(c)]
			if !ok {
				at = len(read)
				place[columnID(c)] = at
				read = append(read, within(c))
			}
			return columnOf(len(from), at, c.Name, c.T)
		})
	}
	r.outside(in, wanted, outside)
	asColumn, asBeside = columnOf(len(from), 0, "c0", key.Type()), outside(beside)
	cols := columns(read)
	r.from = append(from, sqlfront.Source{Alias: alias, Bag: []*sqlfront.Query{inside.plain(read, cols)}, Columns: cols})
	return asColumn, asBeside
}

// outside rewrites what is said of the rows outside of the sources in a set, and the columns
// that are wanted.
func (r *rel) outside(in map[int]bool, wanted used, rewritten func(sqlfront.Expr) sqlfront.Expr) {
	var where []sqlfront.Expr
	for _, e := range r.where {
		if !covered(e, in) {
			where = append(where, rewritten(e))
		}
	}
	r.where = where
	for i, a := range r.anti {
		keys := make([]sqlfront.Expr, len(a.Keys))
		for k, e := range a.Keys {
			keys[k] = rewritten(e)
		}
		r.anti[i] = sqlfront.Anti{Query: a.Query, Keys: keys, NullSafe: a.NullSafe}
	}
	cols := map[column]sqlfront.Expr{}
	for _, id := range wanted.among(r) {
		cols[id] = rewritten(r.cols[id])
	}
	r.cols = cols
}
