package difftest

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/trireme-db/trireme/sqlfront"
)

// textConstant is a constant in the text of a statement: text[start:end].
type textConstant struct {
	start, end int
	// text is the value, as a client sends it; list the elements of a list.
	text     string
	list     []string
	word     string // the type in front of a string: DATE '..'
	types    []string
	isNull   bool
	isNumber bool
	// counts: it is of LIMIT or OFFSET.
	counts bool
	// varies: another value of the type does as well.
	varies bool
	// mayStayOpen: where the type is left open, the place has the constant's.
	mayStayOpen bool
	wrap        string
}

func (c textConstant) key() string {
	return strings.Join(append([]string{c.word, c.text, c.wrap, strconv.FormatBool(c.isNull), strconv.FormatBool(c.counts), strings.Join(c.types, " ")}, c.list...), "\x00")
}

// constantFinder goes through the tokens of a text.
type constantFinder struct {
	rng    *rand.Rand
	sql    string
	tokens []sqlfront.Token
	depth  int
	// byDepth is the depth of a GROUP BY or ORDER BY whose list is read; below 0: none. A
	// number among its elements is a position.
	byDepth int
	// pivots: PIVOT has come.
	pivots bool
}

// findConstants are the constants of a text that may be parameters, in their order.
func findConstants(rng *rand.Rand, sql string, tokens []sqlfront.Token) (found []textConstant) {
	f := &constantFinder{rng: rng, sql: sql, tokens: tokens, byDepth: -1}
	for i := 0; i < len(tokens); {
		if next := f.pivotList(i); next > i {
			i = next
			continue
		}
		if c, next, ok := f.inList(i); ok {
			found, i = append(found, c), next
			continue
		}
		c, next, ok := f.at(i)
		if ok {
			found = append(found, c)
		}
		f.pass(i, next)
		i = next
	}
	return found
}

// pivotList is the token after the values of a PIVOT that are listed from token i on, which
// DuckDB wants to be constants; i: none are.
func (f *constantFinder) pivotList(i int) int {
	if f.depth > 0 || !f.pivots || f.word(i) != "in" {
		return i
	}
	for f.word(i) != ")" && i < len(f.tokens) {
		i++
	}
	return min(i+1, len(f.tokens))
}

// pass keeps count of the parentheses and the lists of BY.
func (f *constantFinder) pass(from, to int) {
	for i := from; i < to; i++ {
		switch f.word(i) {
		case "pivot":
			f.pivots = f.pivots || f.depth == 0
		case "(", "[", "{":
			f.depth++
		case ")", "]", "}":
			f.depth--
			if f.depth < f.byDepth {
				f.byDepth = -1
			}
		case "by":
			f.byDepth = f.depth
		case "having", "limit", "offset", "qualify", "order", "union", "intersect", "except":
			f.byDepth = -1
		}
	}
}

// word is a token in lower case; empty: there is none.
func (f *constantFinder) word(i int) string {
	if i < 0 || i >= len(f.tokens) {
		return ""
	}
	return strings.ToLower(f.sql[f.tokens[i].Start:f.tokens[i].End])
}

func (f *constantFinder) kind(i int) sqlfront.TokenKind {
	if i < 0 || i >= len(f.tokens) {
		return 0
	}
	return f.tokens[i].Kind
}

// castTypes are the types that constants are written with.
var castTypes = map[string]string{
	"double": "DOUBLE", "uuid": "UUID", "blob": "BLOB", "date": "DATE", "time": "TIME", "timestamp": "TIMESTAMP", "timestamptz": "TIMESTAMPTZ", "interval": "INTERVAL",
	"boolean": "BOOLEAN",
}

// at is the constant that starts at token i, if there is one, and the token after it.
func (f *constantFinder) at(i int) (c textConstant, next int, ok bool) {
	before := f.word(i - 1)
	c = textConstant{start: f.tokens[i].Start, wrap: "%s", counts: before == "limit" || before == "offset"}
	next = i + 1
	switch f.kind(i) {
	case sqlfront.TokenWord:
		next, ok = f.ofWord(&c, i)
	case sqlfront.TokenOp:
		// A sign, not a difference.
		if f.word(i) == "-" && f.kind(i+1) == sqlfront.TokenNumber && f.opensValue(i-1) {
			next, ok = i+2, f.number(&c, "-"+f.word(i+1), i+2)
		}
	case sqlfront.TokenString:
		next, ok = f.ofString(&c, i)
	case sqlfront.TokenNumber:
		position := f.byDepth == f.depth && (before == "by" || before == ",")
		ofType := before == "(" && slices.Contains([]string{"decimal", "numeric", "varchar"}, f.word(i-2))
		scale := before == "," && f.word(i-3) == "(" && slices.Contains([]string{"decimal", "numeric"}, f.word(i-4))
		inside := c.counts && f.depth > 0 // DuckDB has no LIMIT $1 in correlated subqueries
		ok = !position && !ofType && !scale && !inside && f.number(&c, f.word(i), i+1)
	}
	c.end = f.tokens[next-1].End
	if ok && c.isNumber {
		if exact := slices.DeleteFunc(slices.Clone(c.types), isFloatName); len(exact) > 0 && !f.compared(i-1) && !f.compared(next) {
			c.types = exact // sums stay exact
		}
		c.mayStayOpen = c.mayStayOpen && (c.counts || f.isOperand(i-1, next))
	}
	return c, next, ok
}

func isFloatName(typ string) bool { return typ == "DOUBLE" || typ == "REAL" }

// isOperand reports whether what is between two tokens is an operand: a number that is
// not has the type text when it is left open.
func (f *constantFinder) isOperand(before, after int) bool {
	return f.kind(before) == sqlfront.TokenOp || f.kind(after) == sqlfront.TokenOp || f.word(before) == "between"
}

// opensValue reports whether a value begins after token i.
func (f *constantFinder) opensValue(i int) bool {
	return f.kind(i) == sqlfront.TokenOp || slices.Contains([]string{"(", ",", "then", "else", "between", "and", "when"}, f.word(i))
}

// ofWord is NULL, a truth value, or a type before a string.
func (f *constantFinder) ofWord(c *textConstant, i int) (next int, ok bool) {
	word, before := f.word(i), f.word(i-1)
	switch typ := castTypes[word]; {
	case word == "null" && before != "is" && before != "not" && before != "default":
		c.isNull, c.types = true, []string{"INTEGER", "VARCHAR", numeric}
		return i + 1, true
	case (word == "true" || word == "false") && before != "is" && before != "not" && before != "on": // DuckDB's lateral joins want to see it
		c.text, c.types, c.varies, c.mayStayOpen = word, []string{"BOOLEAN"}, true, true
		return i + 1, true
	case typ != "" && f.kind(i+1) == sqlfront.TokenString:
		c.text, c.types, c.varies, c.word = f.stringAt(i+1), []string{typ}, true, typ
		c.mayStayOpen = f.compared(i-1) && f.word(i+2) != "||"
		return i + 2, true
	}
	return i + 1, false
}

// ofString is a string, perhaps with a cast.
func (f *constantFinder) ofString(c *textConstant, i int) (next int, ok bool) {
	c.text = f.stringAt(i)
	typ := castTypes[f.word(i+2)]
	switch {
	case f.word(i+1) == ":": // a key
		return i + 1, false
	case f.kind(i+1) == sqlfront.TokenCast && typ != "":
		c.types = []string{typ}
		c.varies = typ != "DOUBLE"
		return i + 3, true
	}
	c.types, c.varies = []string{"VARCHAR"}, f.compared(i-1) && f.kind(i+1) != sqlfront.TokenCast
	c.mayStayOpen = true
	return i + 1, true
}

func (f *constantFinder) stringAt(i int) string {
	return literalText(f.sql[f.tokens[i].Start:f.tokens[i].End])
}

// compared reports whether what follows token i is compared with what is before it.
func (f *constantFinder) compared(i int) bool {
	return slices.Contains([]string{"=", "<>", "<", "<=", ">", ">="}, f.word(i))
}

// number fills a constant with a number, before token next.
func (f *constantFinder) number(c *textConstant, text string, next int) bool {
	if f.kind(next) == sqlfront.TokenCast {
		return false
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return false
	}
	c.text, c.isNumber = text, true
	c.varies = !c.counts && math.Abs(v) < 100
	if strings.ContainsAny(text, ".e") {
		if c.types = []string{"DOUBLE"}; !strings.Contains(text, "e") {
			c.types = []string{"DOUBLE", numeric, numeric}
		}
		if float64(float32(v)) == v {
			c.types = append(c.types, "REAL")
		}
		return true
	}
	c.mayStayOpen = v >= 0 && v < 100
	n, err := strconv.ParseInt(text, 10, 64)
	switch {
	case err != nil:
		c.types = []string{numeric}
	case c.counts:
		c.types = []string{"BIGINT"}
	case int64(int16(n)) == n:
		c.types = []string{"SMALLINT", "INTEGER", "INTEGER", "BIGINT", numeric, "DOUBLE"}
	case int64(int32(n)) == n:
		c.types = []string{"INTEGER", "BIGINT", numeric, "DOUBLE"}
	default:
		c.types = []string{"BIGINT", numeric}
	}
	return true
}

// inList is the list of constants of IN or NOT IN from token i on, by chance, as a list for
// = ANY or <> ALL.
func (f *constantFinder) inList(i int) (c textConstant, next int, ok bool) {
	c = textConstant{start: f.tokens[i].Start, wrap: "= ANY(%s)"}
	at := i
	if f.word(at) == "not" {
		c.wrap = "<> ALL(%s)"
		at++
	}
	if f.word(at) != "in" || f.word(at+1) != "(" || f.rng.IntN(3) > 0 {
		return c, i, false
	}
	for at += 2; ; at++ {
		one, after, ok := f.at(at)
		if !ok || one.isNull || len(c.list) > 0 && one.isNumber != c.isNumber {
			return c, i, false
		}
		if c.list == nil {
			c.types, c.isNumber = one.types, one.isNumber
		}
		c.list = append(c.list, one.text)
		c.types = slices.DeleteFunc(slices.Clone(c.types), func(t string) bool { return t == numeric || !slices.Contains(one.types, t) })
		if len(c.types) == 0 {
			return c, i, false
		}
		switch at = after; f.word(at) {
		case ",":
		case ")":
			c.end = f.tokens[at].End
			return c, at + 1, true
		default:
			return c, i, false
		}
	}
}
