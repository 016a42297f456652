package sqlfront

import "strings"

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

// overBlock is the SELECT over the block's rows.
func (w *splitSelect) overBlock(t *Taken) string {
	names := make([]string, len(w.items))
	for i := range names {
		names[i] = t.Columns[i].Name
	}
	if w.repeats {
		return w.overCounts(t, names)
	}
	return w.selectOver(names, "FROM "+t.Relation)
}
