package sqlfront

import (
	"strings"

	"github.com/trireme-db/trireme/internal/load"
)

// join begins a join that takes ON or USING.
func (g *gate) join(words, mark string) {
	g.joins = append(g.joins, pendingJoin{mark: mark, depth: len(g.open)})
	g.emit(words + "JOIN")
}

// markedJoin begins a join that the parser does not know: it gets LEFT, with a mark in ON
// or USING.
func (g *gate) markedJoin(natural, mark string) {
	if natural == "" {
		g.join("LEFT ", mark)
		return
	}
	g.emit("LEFT JOIN")
	g.openBracket(bracket{at: len(g.out), cast: -1, on: true, natural: mark})
}

// semiJoin handles SEMI JOIN and ANTI JOIN, after NATURAL or not.
func (g *gate) semiJoin(natural, mark string) {
	g.expect(g.i+1, "join")
	g.i++
	g.markedJoin(natural, mark)
}

// outerJoin handles LEFT, RIGHT and FULL [OUTER] JOIN, after NATURAL or not.
func (g *gate) outerJoin(natural, w string) {
	next := g.word(g.i + 1)
	if next == "outer" {
		g.i++
		next = g.word(g.i + 1)
	}
	if reason := refusedWords[next]; reason != "" {
		refuse(reason) // LEFT SEMI, LEFT ANTI, FULL ASOF ..
	}
	g.expect(g.i+1, "join")
	g.i++
	switch {
	case w == "full":
		g.markedJoin(natural, fullName)
	case natural != "":
		g.emit(natural + strings.ToUpper(w) + " JOIN")
	default:
		g.join(strings.ToUpper(w)+" ", "")
	}
}

func (g *gate) natural() {
	w := g.word(g.i + 1)
	switch w {
	case "left", "right", "full":
		g.i++
		g.outerJoin("NATURAL ", w)
		return
	case "semi", "anti":
		g.i++
		g.semiJoin("NATURAL ", w)
		return
	case "inner":
		g.i++
	default:
		if reason := refusedWords[w]; reason != "" {
			refuse(reason)
		}
	}
	g.expect(g.i+1, "join")
	g.emit("NATURAL JOIN")
	g.i++
}

// lastJoin takes the join that an ON or USING belongs to.
func (g *gate) lastJoin() pendingJoin {
	n := len(g.joins)
	if n == 0 || g.joins[n-1].depth != len(g.open) {
		refuse("syntax: JOIN without ON")
	}
	j := g.joins[n-1]
	g.joins = g.joins[:n-1]
	return j
}

// joinsDone refuses when a join inside the innermost brackets, depth of them,
// still has no condition.
func (g *gate) joinsDone(depth int) {
	if n := len(g.joins); n > 0 && g.joins[n-1].depth >= depth {
		refuse("syntax: JOIN without ON")
	}
}

func (g *gate) on() {
	j := g.lastJoin()
	g.emit("ON")
	if j.mark != "" {
		g.emit(load.Quote(j.mark))
		g.openBracket(bracket{at: len(g.out), cast: -1, on: true})
		g.emit("(")
	}
}

func (g *gate) using(call bool) bool {
	if !call {
		refuse("TABLESAMPLE")
	}
	j := g.lastJoin()
	g.emit("USING")
	g.i++
	if j.mark != "" {
		g.token() // the parenthesis
		g.emit(load.Quote(j.mark + listSeparator))
		g.emit(",")
	}
	return true
}

// onEnders are the words that end the condition of a join.
var onEnders = map[string]bool{
	"join": true, "inner": true, "cross": true, "natural": true, "left": true, "right": true, "full": true,
	"semi": true, "anti": true, "asof": true, "positional": true, "on": true, "using": true, "where": true,
	"group": true, "having": true, "window": true, "qualify": true, "order": true, "limit": true, "offset": true,
	"union": true, "intersect": true, "except": true, "fetch": true, "for": true,
}

// endsOn reports whether the condition of a join ends before the token at g.i.
func (g *gate) endsOn() bool {
	if w := g.word(g.i); w != "" {
		return onEnders[w] && !((w == "left" || w == "right") && g.is(g.i+1, "("))
	}
	return g.is(g.i, ",") || g.is(g.i, ")")
}

// closeOn ends the condition of a join with a mark if it is innermost, or the right
// side of a NATURAL one, which gets USING without a column.
func (g *gate) closeOn() {
	n := len(g.open)
	if n == 0 || !g.open[n-1].on {
		return
	}
	if mark := g.open[n-1].natural; mark != "" {
		g.emit("USING (" + load.Quote(mark+listSeparator))
	}
	g.open = g.open[:n-1]
	g.emit(")")
}

// setOperator passes UNION, INTERSECT and EXCEPT.
func (g *gate) setOperator(w string) {
	text := strings.ToUpper(w)
	switch next := g.word(g.i + 1); {
	case next == "all" && w == "union":
		text += " ALL"
		g.i++
	case next == "all":
		refuse(text, " ALL")
	case next == "distinct":
		g.i++
	case next == "by":
		refuse("UNION BY NAME")
	}
	g.emit(text)
}

// cross passes CROSS JOIN, which the parser does not tell from JOIN.
func (g *gate) cross() {
	g.expect(g.i+1, "join")
	g.emit("STRAIGHT_JOIN")
	g.i++
}

// lateral drops the LATERAL before a derived table: all of them may be.
func (g *gate) lateral(call bool) bool {
	if call {
		g.i++
	}
	return call
}
