package sqlfront

import "github.com/trireme-db/trireme/internal/load"

// filter makes f(x) FILTER (WHERE p) the call "filter"(f(x), p).
func (g *gate) filter() {
	if g.word(g.i+2) != "where" {
		refuse("FILTER")
	}
	start := g.out[len(g.out)-1].start
	g.out[start].calls = append(g.out[start].calls, load.Quote(filterName))
	g.emit(",")
	g.openBracket(bracket{at: start, cast: -1, filter: true})
	g.emit("(")
	g.i += 3
}

// groupingSets opens GROUPING SETS (, ROLLUP ( or CUBE ( if one begins here, its
// last word at token last.
func (g *gate) groupingSets(kind string, last int) bool {
	if kind == "grouping sets" && g.word(last) != "sets" || !g.is(last+1, "(") {
		return false
	}
	g.emit(load.Quote(setsPrefix + kind))
	g.openBracket(bracket{at: len(g.out), cast: -1, sets: true})
	g.emit("(")
	g.i = last + 2
	return true
}

// emptySet passes () where it may be a grouping set.
func (g *gate) emptySet() bool {
	n := len(g.open)
	inSets := n > 0 && g.open[n-1].sets
	if !g.is(g.i+1, ")") || !inSets && g.word(g.i-1) != "by" && !g.is(g.i-1, ",") {
		return false
	}
	g.emitMark(&rowNode{})
	g.i += 2
	return true
}
