package sqlfront

// A part of a statement that the parser does not read, or the gate does not let
// through, may stand in FROM, in WITH or in a subquery all the same: DuckDB
// executes it as it is. The gate hands the parser SELECT ? for it, where the mark
// has its text.

// textNode is the mark of such a part: a query, or a call of a table function
// with its alias.
type textNode struct{ sql, call string }

func (*textNode) isExprNode() {}

// span is the tokens first up to before end.
type span struct {
	first, end int
	// function: a call of a table function with its alias, not the inside of
	// parentheses.
	function bool
}

// tableFunctions are the table functions whose rows follow from their arguments.
var tableFunctions = map[string]bool{"range": true, "generate_series": true, "unnest": true}

// isTableFunction reports whether a function in FROM may be a text.
func isTableFunction(name string) bool { return tableFunctions[name] || FileFunctions[name] }

// queryWords begin a query after a parenthesis.
var queryWords = map[string]bool{"select": true, "with": true, "values": true, "from": true, "table": true, "pivot": true, "unpivot": true}

// level is a pair of parentheses on the way of spans.
type level struct {
	clause string // the clause of the query that is being read, "" in an expression
	query  bool   // the parentheses hold a query, from token first on
	first  int
}

// spans finds the outermost queries in parentheses and table functions in FROM,
// among the tokens first up to before end.
func (g *gate) spans(first, end int) []span {
	var out []span
	stack := []level{{}}
	top := func() *level { return &stack[len(stack)-1] }
	inQuery := 0
	for i := first; i < end; i++ {
		switch {
		case g.is(i, "("):
			l := level{first: i + 1, query: queryWords[g.word(i+1)]}
			if g.startsFrom(i, top()) {
				l.clause = "from"
			}
			if l.query {
				l.clause = ""
				inQuery++
			}
			stack = append(stack, l)
		case g.is(i, ")") && len(stack) > 1:
			if top().query {
				inQuery--
				if inQuery == 0 {
					out = append(out, span{first: top().first, end: i})
				}
			}
			stack = stack[:len(stack)-1]
		case inQuery == 0 && isTableFunction(g.word(i)) && g.is(i+1, "(") && g.startsFrom(i, top()) && g.matching(i+1, end) < end:
			s := span{first: i, end: g.callEnd(i+1, end), function: true}
			out = append(out, s)
			i = s.end - 1
		default:
			top().read(g.word(i))
		}
	}
	return out
}

// read notes the clause that a word begins.
func (l *level) read(w string) {
	switch w {
	case "from":
		if l.clause == "select" {
			l.clause = w
		}
	case "select", "where", "group", "having", "order", "limit", "offset", "window", "qualify", "union", "intersect", "except", "with":
		l.clause = w
	}
}

// startsFrom reports whether token i begins an element of FROM.
func (g *gate) startsFrom(i int, l *level) bool {
	if l.clause != "from" {
		return false
	}
	w := g.word(i - 1)
	return w == "from" || w == "join" || g.is(i-1, ",") || g.is(i-1, "(") && l.first == i
}

// callEnd returns the token after a call whose parenthesis opens at token i, its
// alias and the column names of that included.
func (g *gate) callEnd(i, end int) int {
	i = g.matching(i, end)
	if i == end {
		return end
	}
	i++
	at := i
	if g.word(at) == "as" {
		at++
	}
	if k := g.kind(at); k != tokQuoted && (k != tokWord || structural[g.word(at)] || onEnders[g.word(at)]) {
		return i
	}
	i = at + 1
	if g.is(i, "(") {
		i = min(g.matching(i, end)+1, end)
	}
	return i
}

// matching returns the parenthesis that closes the one at token i, or end.
func (g *gate) matching(i, end int) int {
	depth := 0
	for ; i < end; i++ {
		switch {
		case g.is(i, "("):
			depth++
		case g.is(i, ")"):
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return end
}

// source is the text of tokens.
func (g *gate) source(first, end int) string {
	return g.src[g.toks[first].start:g.toks[end-1].end]
}

// emitText hands over a span as SELECT ?, and a table function in parentheses
// under its alias.
func (g *gate) emitText(s span) {
	g.i = s.end
	if !s.function {
		g.emit("SELECT")
		g.emitMark(&textNode{sql: g.source(s.first, s.end)})
		return
	}
	g.emit("(")
	g.emit("SELECT")
	g.emitMark(&textNode{call: g.source(s.first, s.end)})
	g.emit(")")
	call := g.matching(s.first+1, s.end) + 1
	if g.word(call) == "as" {
		call++
	}
	if call < s.end {
		g.i = call
		g.emitName([]string{g.nameText()})
		g.i = s.end
		return
	}
	g.emitName([]string{g.word(s.first)})
}

// readableDepth is how deep queries that the parser refuses may be nested for the
// innermost to become a text alone; deeper ones are part of the text around them.
// Every level is parsed with all that is in it.
const readableDepth = 16

// readable finds which spans of a statement must be texts for the parser to read
// it: none, some, or nil and false if no texts help. It is asked only when the
// statement as a whole was refused.
func readable(sql string) ([]span, bool) {
	g := &gate{src: sql}
	g.scan()
	return g.readable(0, len(g.toks), readableDepth)
}

// readable does so for the tokens first up to before end. It parses them for every
// query in parentheses that they have.
func (g *gate) readable(first, end, depth int) ([]span, bool) {
	outer := g.spans(first, end)
	if len(outer) == 0 || depth == 0 || !parses(g, first, end, outer) {
		return nil, false
	}
	var out []span
	for _, s := range outer {
		switch {
		case s.function:
			out = append(out, s)
		case parses(g, s.first, s.end, nil):
		default:
			if inner, ok := g.readable(s.first, s.end, depth-1); ok {
				out = append(out, inner...)
			} else {
				out = append(out, s)
			}
		}
	}
	return out, true
}

// parses reports whether the parser reads tokens as a query with some texts.
func parses(g *gate, first, end int, texts []span) (ok bool) {
	defer func() {
		if p := recover(); p != nil {
			if _, refused := p.(refusal); !refused {
				panic(p)
			}
		}
	}()
	if first >= end {
		return false
	}
	offset := make([]span, len(texts))
	for i, s := range texts {
		offset[i] = span{first: s.first - first, end: s.end - first, function: s.function}
	}
	parseTexts(g.source(first, end), offset)
	return true
}
