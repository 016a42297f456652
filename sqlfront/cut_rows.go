package sqlfront

import (
	"context"
	"slices"
	"strings"

	"github.com/trireme-db/trireme/internal/rows"
)

// A SELECT that the tensor engine does not answer as a whole, because of an aggregate such
// as a median, DISTINCT ON, QUALIFY, a window or what else it makes of its rows, is split
// into a block that counts how often each combination of what is made of its rows occurs, and
// the SELECT over as many rows of each. The answer must not depend on the order of rows.

// openSelect is a SELECT that may be split so, once it is asked for.
type openSelect struct {
	*cutter
	lo, hi  int
	inScope ctesInSight
	// bag: what is around makes less of the rows, so that the SELECT need not.
	bag bool
	// groups: the block computes groups, else it counts rows.
	groups bool
}

// restSelect is what is left of a SELECT over its block.
type restSelect struct {
	text string // over the relation restRelation
	// queries are those that it keeps. A SELECT of its name stands for each in text.
	queries []restQuery
	items   int
	lists   bool // it shows single values of the block
	// shown are columns of the block of which equal values may not stand for one another.
	shown []int
	// checks are statements over the relation that have a row where the answer depends on the
	// order of rows, with the reason.
	checks []OrderCheck
}

// OrderCheck is a statement over a block's relation that has a row where the answer of the
// statement around it depends on the order of rows, with the reason for which it is then
// refused.
type OrderCheck struct{ SQL, Reason string }

// restQuery is a query that the rest keeps: it reads nothing of the SELECT.
type restQuery struct {
	name string
	span
}

// restRelation stands for the block's relation in a text: no text of a user's has that name.
const restRelation = "trireme relation"

// openRows is a SELECT to be split; nil: nothing is to be gained.
func (k *cutter) openRows(lo, hi int, in ctesInSight) *Block {
	if k.word(lo) != "select" || k.find(lo, hi, "from") == hi || k.find(lo, hi, "union", "intersect", "except") < hi {
		return nil
	}
	recursive := func(c cteText) bool { return c.recursive }
	if slices.ContainsFunc(in.list, recursive) { // a recursion is no part of a block
		read := namesOf(k.text(lo, hi))
		if slices.ContainsFunc(in.list, func(c cteText) bool { return c.recursive && read[c.name] }) {
			return nil
		}
	}
	return &Block{SQL: k.text(lo, hi), open: &openSelect{cutter: k, lo: lo, hi: hi, inScope: in}, Start: k.toks[lo].start, End: k.toks[hi-1].end}
}

// asBag says of the SELECT that begins at a byte that what is around makes less of its rows.
func asBag(blocks []*Block, start int) {
	for _, b := range blocks {
		if b.Start == start {
			if b.open != nil {
				b.open.bag = true
			}
			asBag(b.Inner, start)
		}
	}
}

// Splits reports whether the block is split off its SELECT, once it is asked for.
func (b *Block) Splits() bool { return b.open != nil }

// Repeats reports whether the block counts rows that the statement around it repeats.
func (b *Block) Repeats() bool { return b.open != nil && !b.open.groups }

// Statement is the SELECT that Splits, as a statement; empty: it is none alone.
func (b *Block) Statement() string {
	return b.open.inScope.statement(b.open.text(b.open.lo, b.open.hi))
}

// Counts reports whether the SELECT calls an aggregate for which its rows have to be
// counted, outside the queries in it.
func (b *Block) Counts() bool {
	k := b.open
	for i := k.lo; i < k.hi; i++ {
		switch name := k.word(i); {
		case k.queryAt(i):
			i = k.partner[i]
		case k.is(i+1, "(") && !k.is(i-1, ".") && (listing[name] || name == "mode" || unordered[name] && aggregates[name].name == ""):
			return true
		}
	}
	return false
}

// Shows reports whether equal values of the n-th column of the block that are different ones,
// as -0 and 0 are, may not stand for one another.
func (b *Block) Shows(n int) bool {
	return b.rest != nil && (b.rest.lists || slices.Contains(b.rest.shown, n))
}

// Checks are what has to be asked of the block's relation before the rest may read it.
func (b *Block) Checks(relation string) []OrderCheck {
	if b.rest == nil {
		return nil
	}
	out := slices.Clone(b.rest.checks)
	for i := range out {
		out[i].SQL = b.rest.over(out[i].SQL, relation, func(n int) string { q := b.rest.queries[n]; return b.open.text(q.first, q.end) })
	}
	return out
}

// Split splits a SELECT that Splits; coarse, for one that Repeats: arguments of aggregates and
// groups are columns of the block, not only the columns that these are of. The reason is why
// it is not split.
func (b *Block) Split(ctx context.Context, cat Catalog, prep TreePreparer, params []rows.Type, coarse bool) (reason string, err error) {
	defer recoverFailure(&err)
	if b.Whole = b.Statement(); b.Whole == "" {
		return "query of DuckDB's", nil
	}
	s := newSplitter(&binder{ctx: ctx, cat: cat, prep: prep, sql: b.Whole, given: params}, prep, b.open)
	s.coarse = coarse
	split := s.split
	if b.open.groups {
		split = (&groupSplitter{rowSplitter: s}).split
	}
	return refusalOf(func() { b.SQL, b.rest = split(), s.rest }), nil
}

// newSplitter splits the SELECT that is the binder's statement.
func newSplitter(b *binder, prep TreePreparer, open *openSelect) *rowSplitter {
	return &rowSplitter{
		resolver: &resolver{rewriter: &rewriter{binder: b, trees: trees{ctx: b.ctx, prep: prep}, budget: addedNodesMax}},
		open:     open, rest: &restSelect{}, keys: map[string]int{}, groups: map[string]bool{}, grouped: map[string]bool{},
	}
}

// over is a text of the rest over a relation, with the queries that it keeps.
func (r *restSelect) over(text, relation string, query func(n int) string) string {
	k, ok := newCutter(text, nil)
	if !ok {
		return text
	}
	quoted := func(i int) string {
		if i < len(k.toks) && k.toks[i].kind == tokQuoted {
			return unquote(k.text(i, i+1))
		}
		return ""
	}
	var b strings.Builder
	for i := 0; i < len(k.toks); i++ {
		b.WriteString(k.gap(i))
		n := -1
		if k.word(i) == "select" {
			n = slices.IndexFunc(r.queries, func(q restQuery) bool { return q.name == quoted(i+1) })
		}
		switch {
		case quoted(i) == restRelation:
			b.WriteString(relation)
		case n >= 0:
			b.WriteString(query(n))
			i++
		default:
			b.WriteString(k.text(i, i+1))
		}
	}
	return b.String()
}

// overRows is the SELECT over the block's rows, in which the taken blocks of inner that it
// keeps are replaced.
func (b *Block) overRows(t *Taken, inner []Taken) string {
	return b.rest.over(b.rest.text, t.Relation, func(n int) string { return b.open.replaced(b.rest.queries[n].span, inner) })
}

// replaced is the text of tokens with taken blocks replaced.
func (k *cutter) replaced(s span, inner []Taken) string {
	var b strings.Builder
	for i := s.first; i < s.end; {
		if n := slices.IndexFunc(inner, func(t Taken) bool { return t.Start == k.toks[i].start }); n >= 0 {
			b.WriteString(" " + inner[n].text(inner[n+1:]))
			for i < s.end && k.toks[i].start < inner[n].End {
				i++
			}
			continue
		}
		b.WriteString(k.gap(i) + k.text(i, i+1))
		i++
	}
	return b.String()
}
