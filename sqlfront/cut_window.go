package sqlfront

import "slices"

// groupsOf is a SELECT with windows to be split into groups and windows over them; nil:
// nothing is to be gained.
func (k *cutter) groupsOf(lo, hi int, in ctesInSight) *Block {
	if !k.hasOver(lo, hi) || !k.hasGroups(lo, hi) {
		return nil
	}
	if b := k.openRows(lo, hi, in); b != nil {
		b.open.groups = true
		return b
	}
	return nil
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

// hasGroups reports whether a SELECT has GROUP BY, or an aggregate that is not a window
// function, outside the queries in it.
func (k *cutter) hasGroups(lo, hi int) bool {
	if k.find(lo, hi, "group") < hi {
		return true
	}
	for i := lo; i < hi; i++ {
		switch {
		case k.queryAt(i):
			i = k.partner[i]
		case k.is(i+1, "(") && k.aggregate(k.word(i)):
			end := k.partner[i+1] + 1
			if k.word(end) == "filter" && k.is(end+1, "(") {
				end = k.partner[end+1] + 1
			}
			if w := k.word(end); w != "over" && w != "respect" && w != "ignore" {
				return true
			}
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
	return b.rest != nil && slices.ContainsFunc(b.rest.queries, func(q restQuery) bool {
		return b.open.toks[q.first].start <= start && end <= b.open.toks[q.end-1].end
	})
}
