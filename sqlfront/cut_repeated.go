package sqlfront

import (
	"fmt"
	"slices"
	"strings"

	"github.com/trireme-db/trireme/internal/load"
)

// A SELECT of groups with an aggregate that has no tensor, as a median, is split into a
// block that counts how often each combination of its groups and of the arguments of its
// aggregates occurs, and the SELECT over as many rows of each. What the aggregates make
// of these must not depend on the order of rows.

// holistic are the aggregates for which a SELECT is split so.
var holistic = map[string]bool{
	"median": true, "mad": true, "quantile": true, "quantile_cont": true, "quantile_disc": true,
	"fsum": true, "sumkahan": true, "kahan_sum": true, "favg": true, "histogram": true, "approx_count_distinct": true,
	"string_agg": true, "group_concat": true, "listagg": true, "list": true, "array_agg": true,
	"entropy": true, "skewness": true, "kurtosis": true, "kurtosis_pop": true,
}

// listing are those of them that list their arguments, in an order that has to be given
// by the arguments themselves.
var listing = map[string]bool{"string_agg": true, "group_concat": true, "listagg": true, "list": true, "array_agg": true}

// beside are the aggregates that may stand beside them. Those that give the value of one
// of several rows are none.
var beside = map[string]bool{
	"count": true, "count_if": true, "countif": true, "sum": true, "avg": true, "mean": true, "min": true, "max": true,
	"bool_and": true, "bool_or": true, "bit_and": true, "bit_or": true, "bit_xor": true, "var_pop": true, "var_samp": true,
	"variance": true, "stddev_pop": true, "stddev_samp": true, "stddev": true, "covar_pop": true, "covar_samp": true, "corr": true,
}

// repeated splits a SELECT with such an aggregate; nil: it has none, or a form that is
// not split.
func (k *cutter) repeated(lo, hi int, in ctesInSight) *Block {
	if k.hasOver(lo, hi) || !k.hasHolistic(lo, hi) {
		return nil
	}
	w := k.split(lo, hi)
	if w == nil || w.having < w.rest && !w.collect(w.having+1, w.rest) {
		return nil
	}
	calls := w.aggs
	w.aggs, w.repeats = nil, true
	for _, c := range calls {
		if !w.arguments(c) {
			return nil
		}
	}
	if slices.ContainsFunc(append(slices.Clone(w.items), w.tail, span{first: w.having, end: w.rest}), w.crosses) {
		return nil
	}
	keys := slices.Clone(w.keys)
	for _, a := range w.aggs {
		keys = append(keys, w.text(a.first, a.end))
	}
	sql := "SELECT " + strings.Join(append(w.columns(), "count(*)"), ", ") + " " + k.text(w.from, min(w.group, w.having))
	if len(keys) > 0 {
		sql += " GROUP BY " + strings.Join(keys, ", ")
	}
	return &Block{
		SQL: in.statement(sql), Whole: in.statement(k.text(lo, hi)), windows: w,
		Start: k.toks[lo].start, End: k.toks[hi-1].end,
	}
}

// Repeats reports whether the block counts rows that the statement around it repeats.
func (b *Block) Repeats() bool { return b.windows != nil && b.windows.repeats }

// Lists reports whether values of the block's columns are shown one by one.
func (b *Block) Lists() bool { return b.windows != nil && b.windows.lists }

// hasHolistic reports whether a SELECT calls such an aggregate outside the queries in it.
func (k *cutter) hasHolistic(lo, hi int) bool {
	for i := lo; i < hi; i++ {
		switch {
		case k.queryAt(i):
			i = k.partner[i]
		case holistic[k.word(i)] && k.is(i+1, "(") && !k.is(i-1, "."):
			return true
		}
	}
	return false
}

// arguments makes columns of the block of what an aggregate is called with.
func (w *splitSelect) arguments(call span) bool {
	name, open := w.word(call.first), call.first+1
	end := w.partner[open]
	if !holistic[name] && !beside[name] {
		return false
	}
	first := open + 1
	if word := w.word(first); word == "distinct" || word == "all" {
		first++
	}
	order := w.find(first, end, "order")
	args := w.list(first, order)
	if listing[name] != (order < end) || order < end && !w.ordersBy(args[0], order+2, end) ||
		listing[name] && slices.ContainsFunc(args[1:], w.hasName) { // what separates texts is constant
		return false
	}
	if filter := end + 1; filter < call.end {
		at := filter + 2
		if w.word(at) == "where" {
			at++
		}
		args = append(args, span{first: at, end: call.end - 1})
	}
	w.lists = w.lists || listing[name] || name == "histogram"
	for _, a := range args {
		if !w.argument(a) {
			return false
		}
	}
	return true
}

// ordersBy reports whether an ORDER BY is of one expression, the argument a.
func (w *splitSelect) ordersBy(a span, lo, hi int) bool {
	for word := w.word(hi - 1); word == "asc" || word == "desc" || word == "first" || word == "last" || word == "nulls"; word = w.word(hi - 1) {
		hi--
	}
	return w.sameTokens(a, span{first: lo, end: hi})
}

// argument makes a column of an expression that has names; constants stay where they are.
func (w *splitSelect) argument(a span) bool {
	if !w.hasName(a) {
		return true
	}
	for i := a.first; i < a.end; i++ {
		if w.queryAt(i) || w.is(i, "[") || w.is(i, "{") {
			return false
		}
	}
	if w.column(a.first, a.end) < 0 {
		w.aggs = append(w.aggs, a)
	}
	return true
}

// hasName reports whether an expression has names.
func (w *splitSelect) hasName(a span) bool {
	return slices.ContainsFunc(w.toks[a.first:a.end], func(t token) bool { return t.kind == tokWord || t.kind == tokQuoted })
}

// overCounts is the SELECT over as many rows as the block has counted.
func (w *splitSelect) overCounts(t *Taken, names []string) string {
	n := len(w.groups) + len(w.aggs)
	var b strings.Builder
	fmt.Fprintf(&b, `FROM %s, range(%s) AS "trireme times"("trireme time")`, t.Relation, load.Quote(BlockColumn(n)))
	for i := range w.groups {
		b.WriteString(notName(i > 0, " GROUP BY ", ", ") + load.Quote(BlockColumn(i)))
	}
	if w.having < w.rest {
		w.over(&b, w.having, w.rest)
	}
	return w.selectOver(names, b.String())
}
