package sqlfront

import (
	"strconv"
	"strings"

	"github.com/trireme-db/trireme/internal/load"
	"github.com/trireme-db/trireme/internal/rows"
)

// wordToken handles an unquoted word.
func (g *gate) wordToken() {
	w := g.word(g.i)
	checkWord(w)
	call := g.is(g.i+1, "(")
	if call {
		if reason := refusedCalls[w]; reason != "" {
			refuse(reason)
		}
	}
	if g.keyword(w, call) {
		return
	}
	if reason := refusedWords[w]; reason != "" && !(call && (w == "left" || w == "right")) {
		refuse(reason)
	}
	if structural[w] {
		g.emit(strings.ToUpper(w))
		g.i++
		return
	}
	if w == "filter" && g.is(g.i-1, ")") && call {
		g.filter()
		return
	}
	g.afterCall(w)
	g.name()
}

// keyword handles the words that need more than being passed on.
func (g *gate) keyword(w string, call bool) bool {
	switch w {
	case "null":
		g.emitMark(&literalNode{sql: "NULL", typ: rows.Type{ID: rows.SQLNull}})
	case "true", "false":
		g.emitMark(&literalNode{sql: w, typ: rows.Type{ID: rows.Boolean}})
	case "with":
		g.with()
	case "distinct":
		g.distinct()
	case "is":
		g.isTest()
		return true
	case "join":
		g.join("", "")
	case "left", "right", "full":
		if call {
			return false
		}
		g.outerJoin("", w)
	case "semi", "anti":
		if g.word(g.i+1) != "join" {
			return false
		}
		g.semiJoin("", w)
	case "on":
		g.on()
	case "using":
		return g.using(call)
	case "order":
		return g.orderArguments()
	case "union", "intersect", "except":
		g.setOperator(w)
	case "glob", "similar":
		g.pattern(w)
	case "exists":
		return call && g.exists()
	case "any", "some", "all":
		if !g.quantifier(w, call) {
			return false
		}
	case "lateral":
		return g.lateral(call)
	case "natural":
		g.natural()
	case "cross":
		g.cross()
	case "limit", "offset":
		g.limit()
		return true
	case "asc", "desc":
		g.direction(w)
	case "at":
		return g.atTimeZone()
	case "case":
		g.openBracket(bracket{at: len(g.out), cast: -1, kase: true})
		g.emit("CASE")
	case "end":
		g.endCase()
	case "as":
		return g.castAs()
	case "cast", "try_cast":
		g.castCall(w, call)
		return true
	case "grouping":
		return g.groupingSets("grouping sets", g.i+1)
	case "rollup", "cube":
		return g.groupingSets(w, g.i)
	case "extract":
		return call && g.extract()
	case "date", "timestamp", "time", "timestamptz", "interval":
		return g.typedLiteral(w)
	case "nulls":
		return g.nulls()
	case "escape":
		return g.escape()
	default:
		return false
	}
	g.i++
	return true
}

// quantifier passes ANY, SOME and ALL before a list or a query; ALL may also follow SELECT,
// which says what is so without it, and BY.
func (g *gate) quantifier(w string, call bool) bool {
	switch before := g.word(g.i - 1); {
	case w == "all" && before == "select":
	case w == "all" && before == "by":
		if !g.endsItem(g.i + 1) {
			refuse("ALL in an expression")
		}
		g.emitMark(&allNode{})
	case !call || g.kind(g.i-1) != tokOp:
		return false
	default:
		g.emit(strings.ToUpper(w))
	}
	return true
}

func (g *gate) expect(i int, w string) {
	if g.word(i) != w {
		refuse("syntax: ", strings.ToUpper(w), " expected")
	}
}

// exists passes EXISTS before its query.
func (g *gate) exists() bool {
	if g.word(g.i-1) == "not" && g.word(g.i-2) == "not" {
		refuse("syntax: repeated NOT") // the parser drops both
	}
	g.emit("EXISTS")
	g.i++
	return true
}

// pattern passes GLOB and SIMILAR TO.
func (g *gate) pattern(w string) {
	if w == "glob" {
		g.emit(globMark)
		return
	}
	g.expect(g.i+1, "to")
	g.emit(similarMark)
	g.i++
}

func (g *gate) with() {
	if g.i > 0 && (!g.is(g.i-1, "(") || g.is(g.i-2, ")")) {
		refuse("syntax: WITH")
	}
	if g.word(g.i+1) == "recursive" {
		refuse("recursive common table expression")
	}
	g.emit("WITH")
}

// distinct passes SELECT DISTINCT; inside calls it is handled by call.
func (g *gate) distinct() {
	if g.word(g.i-1) != "select" {
		refuse("syntax: DISTINCT")
	}
	if g.word(g.i+1) == "on" {
		refuse("DISTINCT ON")
	}
	g.emit("DISTINCT")
}

// endsItem reports whether token i stands behind an item of GROUP BY or ORDER BY.
func (g *gate) endsItem(i int) bool {
	switch g.word(i) {
	case "asc", "desc", "nulls", "limit", "offset", "having", "qualify", "window", "order", "union", "intersect", "except":
		return true
	}
	return g.kind(i) == tokEOF || g.is(i, ")") || g.is(i, ",") || g.is(i, ";")
}

// endsList reports whether a list ends before token i.
func (g *gate) endsList(i int) bool {
	return g.kind(i) == tokEOF || g.word(i) == "from" || clauseWords[g.word(i)]
}

// isTest passes IS [NOT] NULL; IS [NOT] DISTINCT FROM becomes an operator of
// the parser's on the same level that users cannot reach.
func (g *gate) isTest() {
	i, not := g.i+1, false
	if g.word(i) == "not" {
		i, not = i+1, true
	}
	switch {
	case g.word(i) == "null" && not:
		g.emit("IS NOT NULL")
	case g.word(i) == "null":
		g.emit("IS NULL")
	case g.word(i) == "true", g.word(i) == "false", g.word(i) == "unknown":
		g.emit("<=>")
		g.emitMark(&truthNode{value: g.word(i), not: not})
	case g.word(i) == "distinct" && g.word(i+1) == "from":
		i++
		if not {
			g.emit("<=>")
		} else {
			g.emit("RLIKE")
		}
	default:
		refuse("IS ", strings.ToUpper(g.text(i)))
	}
	g.i = i + 1
}

// limit passes LIMIT and OFFSET, in either order, as LIMIT m OFFSET n. Without a
// LIMIT the parser still wants one: its mark is nil.
func (g *gate) limit() {
	var limit, offset exprNode
	for range 2 {
		w := g.word(g.i)
		if w == "limit" && limit == nil {
			g.i++
			limit = g.limitValue()
		} else if w == "offset" && offset == nil {
			g.i++
			offset = g.limitValue()
			if r := g.word(g.i); r == "row" || r == "rows" {
				g.i++
			}
		}
	}
	if k := g.kind(g.i); k == tokOp || k == tokCast || g.is(g.i, ",") {
		refuse("LIMIT expression")
	}
	if limit == nil {
		limit = &literalNode{}
	}
	g.emit("LIMIT")
	g.emitMark(limit)
	if offset != nil {
		g.emit("OFFSET")
		g.emitMark(offset)
	}
}

// limitValue takes an integer or a parameter.
func (g *gate) limitValue() exprNode {
	kind := g.kind(g.i)
	if kind == tokNumber || kind == tokParam || g.is(g.i, "?") {
		g.token()
		t := g.out[len(g.out)-1]
		g.out = g.out[:len(g.out)-1]
		lit, isLiteral := t.mark.(*literalNode)
		if !isLiteral || lit.typ.ID == rows.Integer || lit.typ.ID == rows.BigInt {
			return t.mark
		}
	}
	refuse("LIMIT expression")
	return nil
}

// direction passes ASC and DESC. NULLS FIRST and LAST are unknown to the
// parser: they become IS TRUE and IS FALSE after the expression, which the gate
// lets nobody else write.
func (g *gate) direction(w string) {
	if how := g.ordering(); how != nil {
		how.asc, how.desc = w == "asc", w == "desc"
		return
	}
	if g.word(g.i+1) == "nulls" {
		g.emit(g.nullsMark(g.i + 2))
		g.emit(strings.ToUpper(w))
		g.i += 2
		return
	}
	g.emit(strings.ToUpper(w))
}

func (g *gate) nulls() bool {
	w := g.word(g.i + 1)
	if w != "first" && w != "last" {
		return false
	}
	if how := g.ordering(); how != nil {
		how.nulls = map[string]nullOrder{"first": nullsFirst, "last": nullsLast}[w]
		g.i += 2
		return true
	}
	g.emit(g.nullsMark(g.i + 1))
	g.i += 2
	return true
}

func (g *gate) nullsMark(i int) string {
	switch g.word(i) {
	case "first":
		return "IS TRUE"
	case "last":
		return "IS FALSE"
	}
	refuse("syntax: NULLS")
	return ""
}

func (g *gate) endCase() {
	n := len(g.open)
	if n == 0 || !g.open[n-1].kase {
		refuse("syntax: END")
	}
	start := g.open[n-1].at
	g.open = g.open[:n-1]
	t := g.emit("END")
	t.operand, t.start = true, start
}

// afterCall refuses what may follow a call.
func (g *gate) afterCall(w string) {
	if !g.is(g.i-1, ")") {
		return
	}
	switch w {
	case "over":
		refuse("window function")
	case "within":
		refuse("ordered-set aggregate")
	case "export_state", "respect", "ignore":
		refuse("syntax: ", strings.ToUpper(w))
	}
}

// typedLiteral handles DATE '..', TIMESTAMP '..', INTERVAL '..' [unit] and
// INTERVAL n unit. Without a string the word is a name, but for INTERVAL.
func (g *gate) typedLiteral(w string) bool {
	next := g.kind(g.i + 1)
	if w == "interval" {
		if next != tokString && next != tokNumber {
			refuse("INTERVAL")
		}
		sql := "INTERVAL " + g.text(g.i+1)
		if next == tokNumber {
			if t, ok := numberType(g.text(g.i + 1)); !ok || t.ID != rows.Integer {
				refuse("INTERVAL")
			}
		}
		g.i += 2
		if u := g.word(g.i); intervalUnits[u] {
			sql += " " + u
			g.i++
		} else if next == tokNumber {
			refuse("INTERVAL")
		}
		if w := g.word(g.i); w == "to" || g.is(g.i, "(") {
			refuse("INTERVAL")
		}
		g.emitMark(&literalNode{sql: sql, typ: rows.Type{ID: rows.Interval}})
		return true
	}
	if next != tokString || g.kind(g.i+2) == tokString {
		return false
	}
	id := castTypes[w]
	g.emitMark(&literalNode{sql: strings.ToUpper(w) + " " + g.text(g.i+1), typ: rows.Type{ID: id}})
	g.i += 2
	return true
}

// backslashEscape is the escape character that a backslash is to the parser.
const backslashEscape = '\x1d'

// escape passes LIKE .. ESCAPE with its one character: the parser wants it bare.
func (g *gate) escape() bool {
	if g.kind(g.i+1) != tokString {
		return false
	}
	s := g.text(g.i + 1)
	switch {
	case len(s) != 3 || s[1] >= 0x80 || s[1] == backslashEscape:
		refuse("LIKE .. ESCAPE")
	case s[1] == '\\': // what the parser takes without ESCAPE
		s = "'" + string(rune(backslashEscape)) + "'"
	}
	g.emit("ESCAPE " + s)
	g.i += 2
	return true
}

// extract turns EXTRACT(field FROM into date_part('field', as DuckDB does.
func (g *gate) extract() bool {
	field := g.word(g.i + 2)
	if field == "" || g.word(g.i+3) != "from" {
		refuse("EXTRACT")
	}
	g.emit(load.Quote(funcPrefix + "date_part"))
	g.openBracket(bracket{at: len(g.out), cast: -1})
	g.emit("(")
	g.emitMark(&literalNode{sql: "'" + field + "'", typ: rows.Type{ID: rows.Varchar}})
	g.emit(",")
	g.i += 4
	return true
}

// name handles a name with its qualification, and the call that it may begin.
func (g *gate) name() {
	if n := len(g.out); n > 0 && g.out[n-1].text == "." {
		refuse("syntax: name")
	}
	quoted := g.kind(g.i) == tokQuoted
	parts := []string{g.nameText()}
	for g.is(g.i, ".") && (g.kind(g.i+1) == tokWord || g.kind(g.i+1) == tokQuoted) {
		g.i++
		parts = append(parts, g.nameText())
	}
	if !g.is(g.i, "(") || g.cteColumns() {
		g.emitName(parts)
		return
	}
	if g.aliasColumns() && len(parts) == 1 {
		for g.i++; ; g.i++ {
			parts = append(parts, g.nameText())
			if g.is(g.i, ")") {
				break
			}
		}
		g.i++
		g.emit(load.Quote(strings.Join(parts, listSeparator)))
		return
	}
	if len(parts) > 1 {
		refuse("qualified function name")
	}
	if w := fold(parts[0]); quoted && bareFunctions[w] {
		refuse("quoted function name ", w)
	}
	g.call(parts[0])
}

func (g *gate) nameText() string {
	s := g.text(g.i)
	if g.kind(g.i) == tokQuoted {
		s = unquote(s)
		if s == "" {
			refuse("syntax: empty name")
		}
	} else {
		checkWord(s)
	}
	g.i++
	return s
}

// nameList returns the index of the parenthesis that closes a list of names
// that opens at g.i; 0 if there is no such list.
func (g *gate) nameList() int {
	i := g.i + 1
	for g.kind(i) == tokWord || g.kind(i) == tokQuoted {
		if g.is(i+1, ")") {
			return i + 1
		}
		if !g.is(i+1, ",") {
			return 0
		}
		i += 2
	}
	return 0
}

// cteColumns reports whether the column names of a common table expression
// begin here: name (columns) AS.
func (g *gate) cteColumns() bool {
	end := g.nameList()
	return end > 0 && g.word(end+1) == "as" &&
		(g.is(end+2, "(") || g.word(end+2) == "materialized" || g.word(end+2) == "not")
}

// aliasColumns reports whether the column names of an alias begin here: after
// AS name, ) name, or another name.
func (g *gate) aliasColumns() bool {
	before := g.i - 2
	n := len(g.out)
	afterName := n > 0 && g.out[n-1].name
	return (afterName || g.is(before, ")") || g.word(before) == "as") && g.nameList() > 0
}

// call opens a function call; g.i is at its parenthesis.
func (g *gate) call(name string) {
	if reason := refusedCalls[fold(name)]; reason != "" {
		refuse(reason)
	}
	prefix := funcPrefix
	switch {
	case g.is(g.i+1, "*") && g.is(g.i+2, ")"):
		t := g.emit(load.Quote(starPrefix+name) + "()")
		t.operand = true
		g.i += 3
		return
	case g.word(g.i+1) == "distinct":
		prefix = distinctPrefix
	}
	g.emit(load.Quote(prefix + name))
	g.openBracket(bracket{at: len(g.out), cast: -1, call: true})
	g.emit("(")
	g.i++
	if prefix == distinctPrefix || g.word(g.i) == "all" {
		g.i++
	}
}

// castOpen begins CAST( or TRY_CAST(; its type is known at AS.
func (g *gate) castOpen(prefix string) {
	g.types = append(g.types, rows.Type{})
	n := len(g.types) - 1
	g.emit(load.Quote(prefix + strconv.Itoa(n)))
	g.openBracket(bracket{at: len(g.out), cast: n})
	g.emit("(")
	g.i += 2
}

// castAs ends a CAST if its AS stands here, and refuses other uses of AS that
// the parser does not know.
func (g *gate) castAs() bool {
	n := len(g.open)
	if n > 0 && g.open[n-1].cast >= 0 {
		b := &g.open[n-1]
		g.i++
		g.types[b.cast] = g.typeName()
		b.cast = -1
		if !g.is(g.i, ")") {
			refuse("syntax: CAST")
		}
		return true
	}
	g.emit("AS")
	g.i++
	if g.word(g.i) == "not" && g.word(g.i+1) == "materialized" {
		g.i++
	}
	if g.word(g.i) == "materialized" && g.is(g.i+1, "(") { // it says how, not what
		g.i++
	}
	if g.kind(g.i) == tokWord { // a name, whatever else the word means
		g.name()
	}
	return true
}

// castOperator wraps the operand before :: in a cast.
func (g *gate) castOperator() {
	n := len(g.out)
	if n == 0 || !g.out[n-1].operand {
		refuse("syntax: ::")
	}
	start := g.out[n-1].start
	g.i++
	g.types = append(g.types, g.typeName())
	g.out[start].calls = append(g.out[start].calls, castName(len(g.types)-1))
	t := g.emit(")")
	t.operand, t.start = true, start
}

// atTimeZone wraps the operand before AT TIME ZONE, and the zone after it, in a
// call. Signs, :: and indexes bind closer than it does, all other operators less:
// with one of these, and with a zone of several tokens, it is refused.
func (g *gate) atTimeZone() bool {
	if g.word(g.i+1) != "time" || g.word(g.i+2) != "zone" || !g.afterOperand() {
		return false
	}
	start := g.out[len(g.out)-1].start
	if g.signed(start) {
		refuse("AT TIME ZONE")
	}
	g.out[start].calls = append(g.out[start].calls, load.Quote(zoneName))
	g.emit(",")
	g.i += 3
	zone := len(g.out)
	g.token()
	if len(g.out) != zone+1 || !g.afterOperand() || g.kind(g.i) == tokCast || g.is(g.i, "[") {
		refuse("AT TIME ZONE")
	}
	t := g.emit(")")
	t.operand, t.start = true, start
	return true
}

// signed reports whether a sign stands before an operand.
func (g *gate) signed(start int) bool {
	if start == 0 || start > 1 && g.out[start-2].operand {
		return false
	}
	sign := g.out[start-1].text
	return sign == "-" || sign == "+" || sign == "~"
}

// castCall opens CAST(x AS t) and TRY_CAST(x AS t).
func (g *gate) castCall(w string, call bool) {
	if !call {
		refuse("syntax: ", strings.ToUpper(w))
	}
	if w == "cast" {
		g.castOpen(castPrefix)
	} else {
		g.castOpen(tryPrefix)
	}
}
