package sqlfront

import "github.com/trireme-db/trireme/internal/load"

// filter makes f(x) FILTER (WHERE p) the call "filter"(f(x), p). DuckDB lets WHERE
// be left out.
func (g *gate) filter() {
	start := g.out[len(g.out)-1].start
	g.out[start].calls = append(g.out[start].calls, load.Quote(filterName))
	g.emit(",")
	g.openBracket(bracket{at: start, cast: -1, filter: true})
	g.emit("(")
	g.i += 2
	if g.word(g.i) == "where" {
		g.i++
	}
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

// ordering is the ORDER BY in a call that is innermost; nil: none is.
func (g *gate) ordering() *orderMark {
	if n := len(g.open); n > 0 {
		return g.open[n-1].order
	}
	return nil
}

// orderArguments opens the ORDER BY in a call if it begins here.
func (g *gate) orderArguments() bool {
	n := len(g.open)
	if n == 0 || !g.open[n-1].call || g.word(g.i+1) != "by" {
		return false
	}
	g.emit(",")
	g.emit(load.Quote(orderName))
	g.openBracket(bracket{at: len(g.out), cast: -1, order: &orderMark{}})
	g.emit("(")
	g.i += 2
	return true
}

// nextOrder ends an expression of an ORDER BY in a call: the mark says how.
func (g *gate) nextOrder() {
	if how := g.ordering(); how != nil {
		g.emit(",")
		g.emitMark(how)
		g.open[len(g.open)-1].order = &orderMark{}
	}
}

// endOrder closes an ORDER BY in a call.
func (g *gate) endOrder() {
	if g.ordering() != nil {
		g.nextOrder()
		g.open = g.open[:len(g.open)-1]
		g.emit(")")
	}
}
