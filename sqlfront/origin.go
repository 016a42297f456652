package sqlfront

// Outputs is what the columns of a result come from, as far as the text of a SELECT
// over one table shows it.
type Outputs struct {
	Table []string // name parts
	Items []Output
}

// Output is an item of the select list.
type Output struct {
	Star bool // all columns of the table
	// Column is that of the table which the item names, if it is nothing but a name;
	// else empty.
	Column string
}

// outputsTextMax bounds the texts that are looked at, in bytes.
const outputsTextMax = 16 << 10

// OutputsOf reads SELECT list FROM table [[AS] alias] with whatever clauses behind it; nil
// for statements of any other form. Whether the names are those of columns the caller
// knows.
func OutputsOf(sql string) *Outputs {
	if len(sql) > outputsTextMax {
		return nil
	}
	p := &outputsParser{src: sql, tokens: tokensOf(sql)}
	if !p.accept("select") {
		return nil
	}
	if p.is("distinct") && p.isText(1, "(") || p.is("distinct") && p.wordAt(1) == "on" {
		return nil
	}
	_ = p.accept("distinct") || p.accept("all")
	list := p.at
	if !p.skipTo("from") {
		return nil
	}
	end := p.at
	p.at++
	out := &Outputs{}
	alias := p.table(out)
	if alias == "" || !p.clausesFollow() {
		return nil
	}
	for begin := list; begin < end; {
		next := p.itemEnd(begin, end)
		item, ok := p.item(begin, next, alias)
		if !ok {
			return nil
		}
		out.Items = append(out.Items, item)
		begin = next + 1
	}
	return out
}

type outputsParser struct {
	src    string
	tokens []token
	at     int
}

// wordAt is the word i tokens ahead, folded; empty for other tokens.
func (p *outputsParser) wordAt(i int) string {
	if p.at+i >= len(p.tokens) || p.tokens[p.at+i].kind != tokWord {
		return ""
	}
	t := p.tokens[p.at+i]
	return fold(p.src[t.start:t.end])
}

func (p *outputsParser) is(word string) bool { return p.wordAt(0) == word }

func (p *outputsParser) isText(i int, text string) bool {
	return p.at+i < len(p.tokens) && isText(p.src, p.tokens[p.at+i], text)
}

func (p *outputsParser) accept(word string) bool {
	if !p.is(word) {
		return false
	}
	p.at++
	return true
}

// skipTo goes on to a word outside of all parentheses.
func (p *outputsParser) skipTo(word string) bool {
	for depth := 0; p.at < len(p.tokens); p.at++ {
		switch {
		case depth == 0 && p.is(word):
			return true
		case p.isText(0, "("), p.isText(0, "["), p.isText(0, "{"):
			depth++
		case p.isText(0, ")"), p.isText(0, "]"), p.isText(0, "}"):
			depth--
		}
	}
	return false
}

// name reads the name at hand; empty: there is none.
func (p *outputsParser) name() string {
	if p.at >= len(p.tokens) {
		return ""
	}
	name, ok := tokenName(p.src, p.tokens[p.at])
	if ok {
		p.at++
	}
	return name
}

// tableEnds are the words that end the name of a table and its alias.
var tableEnds = map[string]bool{
	"where": true, "group": true, "having": true, "order": true, "limit": true, "offset": true, "fetch": true, "for": true, "window": true, "qualify": true,
}

// tableJoins are the words that bring in more than one table.
var tableJoins = map[string]bool{
	"join": true, "inner": true, "left": true, "right": true, "full": true, "cross": true, "natural": true, "asof": true, "positional": true, "semi": true,
	"anti": true, "union": true, "intersect": true, "except": true, "tablesample": true, "using": true, "pivot": true, "unpivot": true,
}

// table reads a table and returns its alias, or its own name; empty: it is none.
func (p *outputsParser) table(out *Outputs) string {
	for {
		part := p.name()
		if part == "" {
			return ""
		}
		out.Table = append(out.Table, part)
		if !p.isText(0, ".") {
			break
		}
		p.at++
	}
	word := p.wordAt(0)
	if word == "as" {
		p.at++
		return p.name()
	}
	if word != "" && !tableEnds[word] && !tableJoins[word] || p.at < len(p.tokens) && p.tokens[p.at].kind == tokQuoted {
		return p.name()
	}
	return out.Table[len(out.Table)-1]
}

// clausesFollow reports whether nothing comes behind the table but clauses, and no other
// SELECT.
func (p *outputsParser) clausesFollow() bool {
	if p.at < len(p.tokens) && !tableEnds[p.wordAt(0)] && !p.isText(0, ";") {
		return false
	}
	for _, word := range []string{"union", "intersect", "except"} {
		ahead := *p
		if ahead.skipTo(word) {
			return false
		}
	}
	return true
}

// itemEnd is the place of the comma that ends an item, or of the list's end.
func (p *outputsParser) itemEnd(begin, end int) int {
	depth := 0
	for i := begin; i < end; i++ {
		switch t := p.tokens[i]; {
		case isText(p.src, t, "("), isText(p.src, t, "["), isText(p.src, t, "{"):
			depth++
		case isText(p.src, t, ")"), isText(p.src, t, "]"), isText(p.src, t, "}"):
			depth--
		case depth == 0 && isText(p.src, t, ","):
			return i
		}
	}
	return end
}

// item reads the item in a range of tokens; false: it may stand for any number of
// columns.
func (p *outputsParser) item(begin, end int, alias string) (Output, bool) {
	tokens := p.tokens[begin:end]
	star := func(i int) bool { return i < len(tokens) && isText(p.src, tokens[i], "*") }
	dot := func(i int) bool { return i < len(tokens) && isText(p.src, tokens[i], ".") }
	nameAt := func(i int) string {
		if i >= len(tokens) {
			return ""
		}
		name, _ := tokenName(p.src, tokens[i])
		return name
	}
	for i, t := range tokens {
		if w := fold(p.src[t.start:t.end]); (w == "columns" || w == "unnest") && i+1 < len(tokens) && isText(p.src, tokens[i+1], "(") {
			return Output{}, false
		}
	}
	switch {
	case len(tokens) == 0:
		return Output{}, false
	case len(tokens) == 1 && star(0), len(tokens) == 3 && fold(nameAt(0)) == fold(alias) && dot(1) && star(2):
		return Output{Star: true}, true
	case star(0), dot(1) && star(2): // with EXCLUDE or the like, or of another table
		return Output{}, false
	}
	column, next := nameAt(0), 1
	if dot(1) {
		if fold(column) != fold(alias) {
			return Output{}, true
		}
		column, next = nameAt(2), 3
	}
	if next < len(tokens) && fold(nameAt(next)) == "as" && tokens[next].kind == tokWord {
		next++
	}
	if next < len(tokens) && nameAt(next) != "" {
		next++
	}
	if next != len(tokens) {
		return Output{}, true
	}
	return Output{Column: column}, true
}
