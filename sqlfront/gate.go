package sqlfront

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/trireme-db/trireme/internal/load"
	"github.com/trireme-db/trireme/internal/rows"
)

// refusal is why a statement is DuckDB's. It travels as a panic inside Analyze,
// which alone recovers it.
type refusal struct{ reason string }

func refuse(format string, parts ...string) {
	panic(refusal{reason: format + strings.Join(parts, "")})
}

// Limits of what is looked at; longer or deeper statements are DuckDB's.
const (
	gateTokensMax = 50_000
	gateDepthMax  = 400
	exprDepthMax  = 2000 // a chain of operators is as deep as it is long
)

// Names under which the gate hands things to the parser that the user cannot
// write: every name of the user's is quoted, and these never are a name of his
// in the same position.
const (
	funcPrefix     = "f "           // "f sum"(x): the function sum
	starPrefix     = "star "        // "star count"(): count(*)
	distinctPrefix = "distinct "    // "distinct sum"(x): sum(DISTINCT x)
	castPrefix     = "::"           // "::3"(x): a cast to gated.types[3]
	filterName     = "filter"       // "filter"(f(x), p): f(x) FILTER (WHERE p)
	tryPrefix      = "try ::"       // "try ::3"(x): TRY_CAST(x AS gated.types[3])
	zoneName       = "at time zone" // "at time zone"(x, z): x AT TIME ZONE z
	orderName      = "order by"     // f(x, "order by"(y, ?)): f(x ORDER BY y ..), how in the mark
	setsPrefix     = "group by "    // "group by rollup"(x): an element of GROUP BY
	// The parser has no FULL, SEMI and ANTI JOIN. Their conditions are ON "full"(x),
	// and with listSeparator USING ("full", x).
	fullName = "full"
	semiName = "semi"
	antiName = "anti"
	// The parser has no operators for these: it gets others with signs before the
	// right operand that nobody else can write.
	powerMark     = "^ !"
	equalMark     = "= !"
	likeMark      = "LIKE ! ! !"
	ilikeMark     = "ILIKE ! !"
	globMark      = "LIKE !"
	similarMark   = "LIKE ! !"
	regexpMark    = "ILIKE !"
	nameSeparator = "\x1f" // between the parts of a qualified name
	listSeparator = "\x1e" // between an alias and its column names
)

// gated is a statement as the parser gets it.
type gated struct {
	text string
	// marks are the literals and parameters that stand as ? in text, by offset.
	marks map[int]exprNode
	types []rows.Type
}

// outToken is a token for the parser. Casts written x::t and FILTER open before
// their operand: calls are the functions that open here, the last outermost.
type outToken struct {
	calls []string
	text  string
	mark  exprNode
	// operand says that a :: may follow; start is the token where the operand begins.
	operand bool
	start   int
	name    bool // a name of the user's, not a function
}

type bracket struct {
	at   int // index in out
	cast int // index in types of a CAST( that waits for its AS; -1: none
	kase bool
	on   bool // the condition of a join with a mark, which the gate wraps
	// natural: in place of a condition, the right side of a NATURAL JOIN with this mark.
	natural string
	// filter closes twice: the condition, and the call around it.
	filter bool
	sets   bool // grouping sets, where () is a set
	call   bool // the arguments of a function
	// order: the ORDER BY in a call, as arguments of a call of its own; it closes
	// with the call around it.
	order *orderMark
}

// pendingJoin is a JOIN whose ON or USING is still to come.
type pendingJoin struct {
	mark  string // fullName, semiName, antiName or empty
	depth int    // brackets open at JOIN
}

// gate rewrites the tokens of one statement.
type gate struct {
	src      string
	toks     []token
	words    []string // by token: the unquoted word in lower case, else ""
	i        int
	out      []outToken
	open     []bracket
	types    []rows.Type
	joins    []pendingJoin
	question int // ? seen so far
	dollar   bool
}

// runGate makes the parser's text of a statement, with texts that stay DuckDB's,
// or refuses it.
func runGate(sql string, texts []span) gated {
	g := &gate{src: sql}
	g.scan()
	g.out = make([]outToken, 0, len(g.toks)+8)
	for g.i < len(g.toks) {
		if len(texts) > 0 && texts[0].first == g.i {
			g.emitText(texts[0])
			texts = texts[1:]
			continue
		}
		g.token()
	}
	g.closeOn()
	g.joinsDone(0)
	if len(g.open) > 0 {
		refuse("syntax: unbalanced parentheses")
	}
	return g.assemble()
}

// scan reads the tokens of a query.
func (g *gate) scan() {
	g.tokens()
	switch w := g.word(0); {
	case w == "pivot":
		refuse("PIVOT without IN: write its values, ON .. IN (..)") // with IN, its blocks may be answered
	case w != "select" && w != "with" && !g.is(0, "("):
		refuse("not a SELECT")
	}
}

// tokens reads all tokens. A single semicolon may end them.
func (g *gate) tokens() {
	if !utf8.ValidString(g.src) || strings.ContainsAny(g.src, "\x00\x1e\x1f") {
		refuse("syntax: characters")
	}
	l := lexer{src: g.src}
	for {
		t, err := l.next()
		if err != nil {
			refuse("syntax: ", err.Error())
		}
		if t.kind == tokEOF {
			break
		}
		g.toks = append(g.toks, t)
		word := ""
		if t.kind == tokWord {
			word = fold(g.src[t.start:t.end])
		}
		g.words = append(g.words, word)
		if len(g.toks) > gateTokensMax {
			refuse("statement too long")
		}
	}
	if n := len(g.toks); n > 0 && g.is(n-1, ";") {
		g.toks = g.toks[:n-1]
	}
}

func (g *gate) text(i int) string {
	if i < 0 || i >= len(g.toks) {
		return ""
	}
	return g.src[g.toks[i].start:g.toks[i].end]
}

// word returns token i in lower case if it is an unquoted word.
func (g *gate) word(i int) string {
	if i < 0 || i >= len(g.toks) {
		return ""
	}
	return g.words[i]
}

func (g *gate) kind(i int) tokenKind {
	if i < 0 || i >= len(g.toks) {
		return tokEOF
	}
	return g.toks[i].kind
}

// is reports whether token i is the operator or punctuation p.
func (g *gate) is(i int, p string) bool {
	k := g.kind(i)
	return (k == tokOp || k == tokPunct) && g.text(i) == p
}

func (g *gate) emit(text string) *outToken {
	g.out = append(g.out, outToken{text: text, start: len(g.out)})
	return &g.out[len(g.out)-1]
}

func (g *gate) emitMark(e exprNode) {
	t := g.emit("?")
	t.mark, t.operand = e, true
}

// emitName hands over a possibly qualified name.
func (g *gate) emitName(parts []string) {
	t := g.emit(load.Quote(strings.Join(parts, nameSeparator)))
	t.operand, t.name = true, true
}

// token handles the token at g.i and what belongs to it, and advances.
func (g *gate) token() {
	if n := len(g.open); n > 0 && g.open[n-1].on && g.endsOn() {
		g.closeOn()
	}
	switch g.kind(g.i) {
	case tokWord:
		g.wordToken()
	case tokQuoted:
		g.name()
	case tokString:
		g.stringToken()
	case tokSpecial:
		refuse("syntax: string with prefix")
	case tokNumber:
		g.numberToken()
	case tokParam:
		g.paramToken()
	case tokOp:
		g.operatorToken()
	case tokCast:
		g.castOperator()
	default:
		g.punctToken()
	}
}

func (g *gate) stringToken() {
	if g.kind(g.i+1) == tokString {
		refuse("syntax: adjacent strings")
	}
	if n := len(g.out); n > 0 && g.out[n-1].operand {
		refuse("syntax: typed literal")
	}
	g.emitMark(&literalNode{sql: g.text(g.i), typ: rows.Type{ID: rows.Varchar}})
	g.i++
}

func (g *gate) numberToken() {
	s := g.text(g.i)
	if g.i+1 < len(g.toks) && g.toks[g.i+1].start == g.toks[g.i].end {
		switch g.kind(g.i + 1) {
		case tokWord, tokNumber, tokQuoted, tokString, tokSpecial, tokParam:
			refuse("syntax: number ", s)
		}
	}
	typ, ok := numberType(s)
	if !ok {
		refuse("syntax: number ", s)
	}
	g.emitMark(&literalNode{sql: numberText(s, typ), typ: typ, number: true})
	g.i++
}

func (g *gate) paramToken() {
	n, err := strconv.Atoi(g.text(g.i)[1:])
	if err != nil || n < 1 || n > 65535 {
		refuse("named parameter")
	}
	if g.question > 0 {
		refuse("mixed parameter styles")
	}
	g.dollar = true
	g.emitMark(&paramNode{n: n})
	g.i++
}

func (g *gate) operatorToken() {
	op := g.text(g.i)
	switch op {
	case "+", "-", "*", "/", "%", "||", "=", "<>", "<", "<=", ">", ">=", "&", "|", "<<", ">>", "^":
		g.emit(op)
	case "!=":
		g.emit("<>")
	case "==":
		mark := equalMark
		if w := g.word(g.i + 1); (w == "any" || w == "some" || w == "all") && g.is(g.i+2, "(") {
			mark = "="
		}
		g.emit(mark)
	case "~~", "!~~", "~~*", "!~~*":
		g.emit(patternMarks[op])
	case "//":
		g.emit("DIV")
	case "**":
		g.emit(powerMark)
	case "~":
		if !g.afterOperand() {
			g.emit(op)
			break
		}
		g.emit(regexpMark)
	case "!~":
		g.emit("NOT " + regexpMark)
	default:
		refuse("syntax: operator ", op)
	}
	g.i++
	if op == "*" {
		if w := g.word(g.i); w == "exclude" || w == "replace" || w == "rename" {
			refuse("star ", strings.ToUpper(w))
		}
	}
}

// patternMarks are the operators behind LIKE and ILIKE, which bind tighter.
var patternMarks = map[string]string{"~~": likeMark, "!~~": "NOT " + likeMark, "~~*": ilikeMark, "!~~*": "NOT " + ilikeMark}

// afterOperand reports whether what comes next stands between two operands.
func (g *gate) afterOperand() bool {
	n := len(g.out)
	return n > 0 && g.out[n-1].operand
}

func (g *gate) punctToken() {
	p := g.text(g.i)
	switch p {
	case "(":
		if g.emptySet() {
			return
		}
		g.openBracket(bracket{at: len(g.out), cast: -1})
		g.emit(p)
	case ")":
		g.endOrder()
		g.closeBracket()
	case ",":
		if g.endsList(g.i + 1) { // DuckDB lets lists end with a comma
			break
		}
		g.nextOrder()
		g.emit(p)
	case ".":
		g.emit(p)
	case "?":
		if g.dollar {
			refuse("mixed parameter styles")
		}
		g.question++
		g.emitMark(&paramNode{n: g.question})
	case "[":
		refuse("list")
	case "{":
		refuse("struct")
	case ";":
		refuse("several statements")
	default:
		refuse("syntax: ", p)
	}
	g.i++
}

func (g *gate) openBracket(b bracket) {
	if len(g.open) >= gateDepthMax {
		refuse("nested too deeply")
	}
	g.open = append(g.open, b)
}

// closeBracket emits ")". What it closes is the operand of a following :: when
// it is an expression: a call, or parentheses that no IN, USING or the like
// precedes.
func (g *gate) closeBracket() {
	n := len(g.open)
	if n == 0 || g.open[n-1].kase || g.open[n-1].cast >= 0 {
		refuse("syntax: unbalanced parentheses")
	}
	g.joinsDone(n)
	start, filter := g.open[n-1].at, g.open[n-1].filter
	g.open = g.open[:n-1]
	if filter {
		g.emit(")")
		t := g.emit(")")
		t.operand, t.start = true, start
		return
	}
	operand := true
	if start > 0 {
		switch before := g.out[start-1]; {
		case before.start == start-1 && strings.HasPrefix(before.text, `"`) && !before.name, before.text == "EXISTS":
			start-- // the function's name
		case before.operand, before.text == "IN", before.text == "USING", before.text == "AS":
			operand = false
		}
	}
	t := g.emit(")")
	t.operand, t.start = operand, start
}

// assemble writes the text and finds the offsets of its marks.
func (g *gate) assemble() gated {
	var b strings.Builder
	b.Grow(2 * len(g.src))
	res := gated{marks: make(map[int]exprNode), types: g.types}
	for _, t := range g.out {
		b.WriteByte(' ')
		for i := len(t.calls) - 1; i >= 0; i-- {
			b.WriteString(t.calls[i] + "(")
		}
		if t.mark != nil {
			res.marks[b.Len()] = t.mark
		}
		b.WriteString(t.text)
	}
	res.text = b.String()
	return res
}

// castName is the function that stands for a cast to types[n].
func castName(n int) string { return load.Quote(castPrefix + strconv.Itoa(n)) }

// checkWord refuses words with characters that DuckDB may take for blanks.
func checkWord(w string) {
	for _, r := range w {
		if r >= utf8.RuneSelf && !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) {
			refuse("syntax: characters")
		}
	}
}

// The ends of the widest integers, without the minus of the lowest.
const (
	hugeIntMax  = "170141183460469231731687303715884105727"
	hugeIntMin  = "170141183460469231731687303715884105728"
	uHugeIntMax = "340282366920938463463374607431768211455"
)

// noLonger compares numbers of digits without leading zeros.
func noLonger(s, limit string) bool {
	return len(s) < len(limit) || len(s) == len(limit) && s <= limit
}

// numberType is DuckDB's type of a number as written.
func numberType(s string) (rows.Type, bool) {
	if strings.ContainsAny(s, "eE") {
		_, err := strconv.ParseFloat(s, 64)
		return rows.Type{ID: rows.Double}, err == nil
	}
	whole, frac, point := strings.Cut(s, ".")
	if !point {
		v, err := strconv.ParseInt(s, 10, 64)
		switch {
		case err != nil && noLonger(strings.TrimLeft(s, "0"), hugeIntMax):
			return rows.Type{ID: rows.HugeInt}, true
		case err != nil:
			return rows.Type{ID: rows.UHugeInt}, noLonger(strings.TrimLeft(s, "0"), uHugeIntMax)
		case v <= 1<<31-1:
			return rows.Type{ID: rows.Integer}, true
		default:
			return rows.Type{ID: rows.BigInt}, true
		}
	}
	width := len(whole) + len(frac)
	if strings.Contains(frac, ".") || width > 38 || len(whole) > 1 && whole[0] == '0' {
		return rows.Type{}, false
	}
	return rows.Type{ID: rows.Decimal, Width: uint8(width), Scale: uint8(len(frac))}, true
}
