package sqlfront

import (
	"slices"
	"strings"
)

// groupsOf splits a SELECT with windows over groups; nil: it is none, or in a
// form that is not split.
func (k *cutter) groupsOf(lo, hi int, in ctesInSight) *Block {
	if !k.hasOver(lo, hi) {
		return nil
	}
	w := k.split(lo, hi)
	if w == nil {
		return nil
	}
	sql := "SELECT " + strings.Join(w.columns(), ", ") + " " + k.text(w.from, min(w.group, w.having))
	if len(w.keys) > 0 {
		sql += " GROUP BY " + strings.Join(w.keys, ", ")
	}
	if w.having < w.rest {
		sql += " " + k.text(w.having, w.rest)
	}
	return &Block{
		SQL: in.statement(sql), Whole: in.statement(k.text(lo, hi)), windows: w,
		Start: k.toks[lo].start, End: k.toks[hi-1].end,
	}
}

// hasOver reports whether a SELECT has a window function outside the queries in it.
func (k *cutter) hasOver(lo, hi int) bool {
	for i := lo; i < hi; i++ {
		switch {
		case k.queryAt(i):
			i = k.partner[i]
		case k.word(i) == "over" && (k.is(i+1, "(") || k.word(i+1) != ""):
			return true
		}
	}
	return false
}

// Within are the blocks inside that may be taken after it: all where it has not been
// taken itself; otherwise those in what a split block leaves of its SELECT, unless they
// read that SELECT, which has other columns by then.
func (b *Block) Within(taken bool) []*Block {
	if !taken {
		return b.Inner
	}
	inner := b.Inner
	if len(inner) == 1 && inner[0].open != nil && inner[0].Start == b.Start { // another way to split the same SELECT
		inner = inner[0].Inner
	}
	var out []*Block
	for _, in := range inner {
		if in.Correlation == nil && b.keeps(in.Start, in.End) {
			out = append(out, in)
		}
	}
	return out
}

// keeps reports whether the bytes from start to end are of a query that the text over the
// block's rows still has.
func (b *Block) keeps(start, end int) bool {
	if b.rest != nil {
		return slices.ContainsFunc(b.rest.queries, func(q restQuery) bool {
			return b.open.toks[q.first].start <= start && end <= b.open.toks[q.end-1].end
		})
	}
	w := b.windows
	if w == nil {
		return false
	}
	for _, part := range append(slices.Clone(w.items), w.tail) {
		for i := part.first; i < part.end; i++ {
			switch n, after := w.columnAt(i, part.end); {
			case n >= 0:
				i = after - 1
			case w.queryAt(i):
				if w.toks[i].end <= start && end <= w.toks[w.partner[i]].start {
					return true
				}
				i = w.partner[i]
			}
		}
	}
	return false
}

// overBlock is the SELECT over the block's rows, in which the taken blocks of inner that
// it keeps are replaced too.
func (w *splitSelect) overBlock(t *Taken, inner []Taken) string {
	within := *w
	within.inner, w = inner, &within
	names := make([]string, len(w.items))
	for i := range names {
		names[i] = t.Columns[i].Name
	}
	return w.selectOver(names, "FROM "+t.Relation)
}
