package sqlfront

import (
	"maps"
	"slices"
	"strings"
)

// cutter finds queries in a text by its tokens.
type cutter struct {
	src       string
	toks      []token
	partner   []int // of "(": its ")"
	aggregate func(string) bool
}

// newCutter reads a text; one with a token without end, with parentheses that do
// not match, or with parameters that have no number is not cut.
func newCutter(sql string, aggregate func(string) bool) (*cutter, bool) {
	k := &cutter{src: sql, aggregate: aggregate}
	l := lexer{src: sql}
	var open []int
	for {
		t, err := l.next()
		if err != nil {
			return nil, false
		}
		if t.kind == tokEOF {
			break
		}
		n := len(k.toks)
		k.toks, k.partner = append(k.toks, t), append(k.partner, -1)
		switch text := sql[t.start:t.end]; {
		case t.kind == tokParam && (len(text) < 2 || !isDigit(text[1])), t.kind == tokPunct && text == "?":
			return nil, false
		case t.kind == tokPunct && text == "(":
			open = append(open, n)
		case t.kind == tokPunct && text == ")":
			if len(open) == 0 {
				return nil, false
			}
			k.partner[open[len(open)-1]] = n
			open = open[:len(open)-1]
		}
	}
	for len(k.toks) > 0 && k.is(len(k.toks)-1, ";") {
		k.toks = k.toks[:len(k.toks)-1]
	}
	return k, len(open) == 0 && len(k.toks) > 0
}

// word is a token in lower case if it is an unquoted word, else empty.
func (k *cutter) word(i int) string {
	if i < 0 || i >= len(k.toks) || k.toks[i].kind != tokWord {
		return ""
	}
	return fold(k.src[k.toks[i].start:k.toks[i].end])
}

func (k *cutter) is(i int, punct string) bool {
	return i >= 0 && i < len(k.toks) && k.toks[i].kind == tokPunct && k.src[k.toks[i].start:k.toks[i].end] == punct
}

// text is the source of tokens lo to hi.
func (k *cutter) text(lo, hi int) string {
	if lo >= hi {
		return ""
	}
	return k.src[k.toks[lo].start:k.toks[hi-1].end]
}

// gap is what the source has between token i and the one before.
func (k *cutter) gap(i int) string {
	if i == 0 {
		return ""
	}
	return k.src[k.toks[i-1].end:k.toks[i].start]
}

// after is the token behind i, or behind the parentheses that open there.
func (k *cutter) after(i int) int {
	if k.partner[i] >= 0 {
		return k.partner[i] + 1
	}
	return i + 1
}

// clauses are the words that end a part of a SELECT.
var clauses = []string{"from", "where", "group", "having", "window", "qualify", "order", "limit", "offset", "fetch", "using"}

// queryAt reports whether parentheses that open at i hold a query.
func (k *cutter) queryAt(i int) bool { return k.is(i, "(") && queryWords[k.word(i+1)] }

// find is the first of the words from lo to hi outside parentheses; hi: none.
func (k *cutter) find(lo, hi int, words ...string) int {
	for i := lo; i < hi; i = k.after(i) {
		if w := k.word(i); w != "" && slices.Contains(words, w) && !k.is(i-1, ".") {
			return i
		}
	}
	return hi
}

// body is the SELECT that gives a statement its columns, as tokens; lo = hi:
// there is none.
func (k *cutter) body(c Class) (lo, hi int) {
	hi = len(k.toks)
	switch c.Kind {
	case ClassSelect:
	case ClassCopy:
		if c.Body == "" || c.CopyFrom || !k.is(1, "(") {
			return 0, 0
		}
		lo, hi = 2, k.partner[1]
	case ClassCreate:
		if c.Object != "table" {
			return 0, 0
		}
		lo = k.find(0, hi, "as") + 1
		for e := hi; e > lo; e-- {
			if k.word(e-1) == "with" && (k.word(e) == "data" || k.word(e) == "no") {
				hi = e - 1
			}
		}
	case ClassInsert:
		lo = k.find(0, hi, "select", "from", "with", "values", "default")
		hi = k.find(lo, hi, "returning")
		for i := k.find(lo, hi, "on"); i < hi; i = k.find(i+1, hi, "on") {
			if k.word(i+1) == "conflict" {
				hi = i
			}
		}
	default:
		return 0, 0
	}
	if lo >= hi || !k.opens(lo) || c.Kind != ClassInsert && k.word(lo) == "" {
		return 0, 0
	}
	return lo, hi
}

// opens reports whether a query begins at i.
func (k *cutter) opens(i int) bool {
	return k.selects(i) || k.word(i) == "with" || k.is(i, "(") || k.word(i) == "pivot" || k.word(i) == "unpivot"
}

// selects reports whether a SELECT begins at i.
func (k *cutter) selects(i int) bool { return k.word(i) == "select" || k.word(i) == "from" }

// ctesInSight are the common table expressions that a query may read, the
// outermost first.
type ctesInSight struct {
	list []cteText
	// own are names that are no common table expression where the query stands
	// alone: those of recursive ones whose body it is part of.
	own []string
	// twice: two in sight have one name.
	twice bool
}

type cteText struct {
	name, text string // name folded
	names      nameSet
	recursive  bool
}

func (s ctesInSight) with(c cteText) ctesInSight {
	s.twice = s.twice || slices.ContainsFunc(s.list, func(o cteText) bool { return o.name == c.name })
	s.list = append(slices.Clip(s.list), c)
	return s
}

// statement puts what a text reads in front of it; empty where it reads what
// cannot be had.
func (s ctesInSight) statement(body string) string {
	reads, recursive := namesOf(body), false
	var with []string // the last first
	for _, c := range slices.Backward(s.list) {
		if !reads[c.name] {
			continue
		}
		if s.twice {
			return ""
		}
		maps.Copy(reads, c.names)
		recursive = recursive || c.recursive
		with = append(with, c.text)
	}
	for _, name := range s.own {
		if reads[name] {
			return ""
		}
	}
	slices.Reverse(with)
	switch {
	case len(with) == 0:
		return body
	case recursive:
		return "WITH RECURSIVE " + strings.Join(with, ", ") + " " + body
	}
	return "WITH " + strings.Join(with, ", ") + " " + body
}

// query is the block of a whole query.
func (k *cutter) query(lo, hi int, in ctesInSight) *Block {
	first := lo
	var ctes []*Block
	if k.word(lo) == "with" {
		lo, in, ctes = k.with(lo, hi, in)
	}
	b := &Block{SQL: in.statement(k.text(lo, hi)), Start: k.toks[first].start, End: k.toks[hi-1].end}
	b.Inner = append(k.arms(lo, hi, in), ctes...)
	return b
}

// with reads common table expressions; what follows begins at next.
func (k *cutter) with(lo, hi int, in ctesInSight) (next int, _ ctesInSight, bodies []*Block) {
	recursive := k.word(lo+1) == "recursive"
	if next = lo + 1; recursive {
		next++
	}
	for next < hi {
		name := next
		open := k.find(name, hi, "as") + 1
		for open < hi && !k.is(open, "(") { // [NOT] MATERIALIZED
			open++
		}
		if open >= hi {
			return hi, in, nil
		}
		c := cteText{name: NameOf(k.text(name, name+1)), text: k.text(name, k.partner[open]+1)}
		c.names = namesOf(c.text)
		c.recursive = recursive && mentions(k.text(open, k.partner[open]), c.name)
		inner := in
		if c.recursive {
			inner.own = append(slices.Clip(in.own), c.name)
		}
		if r := k.recursion(c, name, open+1, k.partner[open], in); c.recursive && r != nil {
			b := &Block{SQL: r.Whole, Recursion: r, Start: k.toks[open+1].start, End: k.toks[k.partner[open]-1].end}
			if as := k.find(name, open, "as"); r.Key != nil {
				b.Start = k.toks[k.find(name, as, "using")].start
			}
			b.Inner = k.query(open+1, k.partner[open], inner).Inner
			b.cte = &span{first: k.toks[name].start, end: k.toks[name].end}
			bodies = append(bodies, b)
		} else if k.opens(open + 1) {
			b := k.query(open+1, k.partner[open], inner)
			b.cte = &span{first: k.toks[name].start, end: k.toks[name].end}
			bodies = append(bodies, b)
		}
		in = in.with(c)
		if next = k.partner[open] + 1; !k.is(next, ",") {
			break
		}
		next++
	}
	return next, in, bodies
}

// arms are the blocks within the query from lo to hi, which has no WITH of its
// own: the arms of a set operation, or those within the one SELECT.
func (k *cutter) arms(lo, hi int, in ctesInSight) []*Block {
	var out []*Block
	bag := false // the operator before keeps duplicates, and does not only add rows
	for start := lo; start < hi; {
		end := k.find(start, hi, "union", "intersect", "except")
		bag = k.word(end+1) == "all" && k.word(end) != "union" && end < hi || bag
		if start == lo && end == hi {
			if k.is(lo, "(") && k.partner[lo] == hi-1 && k.opens(lo+1) {
				return []*Block{k.query(lo+1, hi-1, in)}
			}
			return k.within(lo, hi, in)
		}
		stop := end
		if end == hi { // what follows the last arm is of them all
			stop = k.find(start, hi, "order", "limit", "offset", "fetch")
		}
		switch {
		case k.selects(start):
			arm := &Block{SQL: in.statement(k.text(start, stop)), Start: k.toks[start].start, End: k.toks[stop-1].end}
			arm.Inner = k.within(start, stop, in)
			if bag {
				asBag(arm.Inner, arm.Start)
			}
			out = append(out, arm)
		case k.is(start, "(") && k.partner[start] == stop-1 && k.opens(start+1):
			out = append(out, k.query(start+1, stop-1, in))
		}
		if start = end + 1; k.word(start) == "all" || k.word(start) == "distinct" {
			start++
		}
		if k.word(start) == "by" {
			start += 2
		}
	}
	return out
}

// within are the blocks of one SELECT.
func (k *cutter) within(lo, hi int, in ctesInSight) []*Block {
	blocks := k.nested(lo, hi, in)
	for _, b := range []*Block{k.openRows(lo, hi, in), k.groupsOf(lo, hi, in)} { // the last is tried first
		if b != nil {
			b.Inner = blocks
			blocks = []*Block{b}
		}
	}
	return blocks
}

// nested are the queries in parentheses.
func (k *cutter) nested(lo, hi int, in ctesInSight) []*Block {
	var out []*Block
	around := k.around(lo, hi)
	for i := lo; i < hi; i++ {
		if k.is(i, "(") && (k.selects(i+1) || k.word(i+1) == "with") {
			b := k.query(i+1, k.partner[i], in)
			if c := k.correlated(i+1, k.partner[i], around, in); c != nil {
				c.Inner, b.Inner = b.Inner, []*Block{c}
			}
			if k.pivots(i) {
				asBag(b.Inner, b.Start)
			}
			out = append(out, b)
			i = k.partner[i]
		}
	}
	return out
}

// pivots reports whether the query in the parentheses at i is turned by PIVOT or UNPIVOT.
func (k *cutter) pivots(i int) bool {
	is := func(w string) bool { return w == "pivot" || w == "unpivot" }
	after := k.partner[i] + 1
	if k.word(after) == "as" {
		after++
	}
	return is(k.word(i-1)) || is(k.word(after)) || is(k.word(after+1))
}

// worthwhile leaves out blocks without a SELECT that gathers rows, which are
// refused anyway.
func (k *cutter) worthwhile(blocks []*Block) []*Block {
	var out []*Block
	for _, b := range blocks {
		b.Inner = k.worthwhile(b.Inner)
		if b.SQL != "" && (b.Recursion != nil || b.open != nil && b.open.bag || k.gathers(b.SQL)) {
			out = append(out, b)
			continue
		}
		out = append(out, b.Inner...)
	}
	return out
}

func (k *cutter) gathers(sql string) bool {
	l := lexer{src: sql}
	from, gathers, last := false, false, ""
	for {
		t, err := l.next()
		if err != nil || t.kind == tokEOF {
			return from && gathers
		}
		text := sql[t.start:t.end]
		if t.kind == tokPunct && text == "(" && last != "" {
			gathers = gathers || k.aggregate(last)
		}
		last = ""
		if t.kind == tokWord {
			switch last = fold(text); last {
			case "from":
				from = true
			case "group", "distinct", "union", "intersect", "except":
				gathers = true
			}
		}
	}
}
