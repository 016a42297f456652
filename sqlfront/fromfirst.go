package sqlfront

import "strings"

// DuckDB has FROM t SELECT a WHERE .., and FROM t WHERE .. for all of t's columns. The
// parser gets SELECT a FROM t WHERE ..

// clauseWords end the list after FROM, and that after SELECT.
var clauseWords = map[string]bool{
	"select": true, "where": true, "group": true, "having": true, "window": true, "qualify": true, "order": true,
	"limit": true, "offset": true, "union": true, "intersect": true, "except": true, "fetch": true, "for": true,
}

// selectFirst puts SELECT before FROM wherever a query begins with FROM; false: none
// does.
func selectFirst(sql string) (string, bool) {
	g := &gate{src: sql}
	if refusalOf(g.tokens) != "" {
		return "", false
	}
	begins := g.queriesFrom()
	if len(begins) == 0 {
		return "", false
	}
	return g.selectFirst(begins, 0, len(g.toks)), true
}

// queriesFrom finds the FROMs that begin a query.
func (g *gate) queriesFrom() map[int]bool {
	begins := map[int]bool{}
	with := []bool{false} // by open parenthesis: a WITH is before the query
	for i := range g.toks {
		top := len(with) - 1
		first := i == 0 || g.is(i-1, "(") && g.word(i-2) != "trim"
		switch w := g.word(i); {
		case g.is(i, "("):
			with = append(with, false)
		case g.is(i, ")") && top > 0:
			with = with[:top]
		case w == "with":
			with[top] = with[top] || first
		case w == "from" && (first || g.afterSetOperator(i) || with[top] && g.is(i-1, ")")):
			begins[i], with[top] = true, false
		case w == "select":
			with[top] = false
		}
	}
	return begins
}

// afterSetOperator reports whether a set operator ends before token i.
func (g *gate) afterSetOperator(i int) bool {
	if w := g.word(i - 1); w == "all" || w == "distinct" {
		i--
	}
	switch g.word(i - 1) {
	case "union", "intersect", "except":
		return true
	}
	return false
}

// selectFirst is the source of tokens with what begins with FROM put in order.
func (g *gate) selectFirst(begins map[int]bool, first, end int) string {
	var b strings.Builder
	for i := first; i < end; {
		if !begins[i] {
			b.WriteString(g.spaced(i))
			i++
			continue
		}
		list := g.clauseEnd(i+1, end)
		from := g.spaced(i) + g.selectFirst(begins, i+1, list)
		i = list
		if g.word(i) != "select" {
			b.WriteString(" SELECT * " + from)
			continue
		}
		list = g.clauseEnd(i+1, end)
		b.WriteString(g.spaced(i) + g.selectFirst(begins, i+1, list) + " " + from)
		i = list
	}
	return b.String()
}

// clauseEnd is the first token from i on that begins another clause or ends the query.
func (g *gate) clauseEnd(i, end int) int {
	for depth := 0; i < end; i++ {
		switch {
		case g.is(i, "("), g.is(i, "["), g.is(i, "{"):
			depth++
		case depth == 0 && (g.is(i, ")") || clauseWords[g.word(i)] && g.word(i-1) != "as"):
			return i
		case g.is(i, ")"), g.is(i, "]"), g.is(i, "}"):
			depth--
		}
	}
	return i
}

// spaced is a token with what is between it and the one before.
func (g *gate) spaced(i int) string {
	before := 0
	if i > 0 {
		before = g.toks[i-1].end
	}
	return g.src[before:g.toks[i].end]
}
