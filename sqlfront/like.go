package sqlfront

import (
	"slices"
	"strings"
)

// A backslash escapes in every pattern of LIKE in Postgres, and in none of DuckDB's that says
// no escape character.

const likeEscape = ` ESCAPE '\'`

// likeOperators are LIKE and its kind as operators, which take no escape character.
var likeOperators = map[string]string{"~~": "LIKE", "!~~": "NOT LIKE", "~~*": "ILIKE", "!~~*": "NOT ILIKE"}

// like writes down the escape character of the pattern behind token i, LIKE or ILIKE. A
// pattern that is a literal without a backslash has none: DuckDB looks for its beginning
// in the statistics of the column.
func (d *dialect) like(i int) {
	before, words := i-1, strings.ToUpper(d.word(i))
	if d.word(before) == "not" {
		before--
		words = "NOT " + words
	}
	if !d.endsOperand(before) || d.likeArray(words, before+1, i, bindsCloser) {
		return
	}
	if end := d.patternEnd(i+1, bindsCloser); d.needsEscape(i+1, end) && d.word(end+1) != "escape" {
		d.ends[end] += likeEscape
	}
}

// likeOperator is like for such an operator, which is written with tokens first to last. It
// reports whether it is one.
func (d *dialect) likeOperator(sign string, first, last int) bool {
	words, ok := likeOperators[sign]
	if !ok || !d.endsOperand(first-1) {
		return false
	}
	if isQuantifier(d.word(last + 1)) {
		return d.likeArray(words, first, last, func(string) bool { return true })
	}
	end := d.patternEnd(last+1, isArithmetic)
	if !d.needsEscape(last+1, end) {
		return false
	}
	d.edit(first, last, words)
	d.ends[end] += likeEscape
	if d.hasOperator(end+1) && bindsCloser(d.word(end+1)) { // to which LIKE is an operand
		d.begins = append(d.begins, d.insertion(d.tokens[d.operandStart(first-1)].Start, first, "("))
		d.ends[end] += ")"
	}
	return true
}

// likeArray writes LIKE ANY, and ALL, of an array, where words are tokens first to last, as
// what OR, and AND, make of its elements. It reports whether a quantifier stands there. Closer
// are the operators whose operands are parts of the left one.
func (d *dialect) likeArray(words string, first, last int, closer func(sign string) bool) bool {
	if !isQuantifier(d.word(last + 1)) {
		return false
	}
	open := last + 2
	end := d.match(open)
	if d.word(open) != "(" || end >= len(d.tokens) || slices.Contains([]string{"select", "values", "with", "from", ")"}, d.word(open+1)) {
		return true
	}
	start := d.operandStart(first - 1)
	for start > 1 && d.hasOperator(start-1) && closer(d.word(start-1)) && d.endsOperand(start-2) {
		start = d.operandStart(start - 2)
	}
	fold := "OR \"like b\", false"
	if d.word(last+1) == "all" {
		fold = "AND \"like b\", true"
	}
	d.begins = append(d.begins, d.insertion(d.tokens[start].Start, first, "list_transform(["))
	d.edit(first, open, `], lambda "like x": list_reduce(list_transform(CAST(`)
	d.edit(end, end, ` AS VARCHAR[]), lambda "like p": "like x" `+words+` "like p"`+likeEscape+`), lambda "like a", "like b": "like a" `+fold+`))[1]`)
	d.links[end] = start
	return true
}

func isQuantifier(word string) bool { return word == "any" || word == "all" || word == "some" }

// needsEscape reports whether a backslash may be in the pattern that is tokens first to last.
func (d *dialect) needsEscape(first, last int) bool {
	if last >= len(d.tokens) {
		return false
	}
	if t := d.tokens[first]; t.Kind != TokenString && t.Kind != TokenSpecial || strings.Contains(d.src[t.Start:t.End], `\`) {
		return true
	}
	return last > first && (d.tokens[first+1].Kind != TokenCast || slices.ContainsFunc(d.tokens[first:last], func(t Token) bool { return t.Kind == TokenOp }))
}

// bindsCloser reports whether an operator binds closer than LIKE.
func bindsCloser(sign string) bool {
	return !slices.Contains([]string{"=", "==", "<", ">", "<=", ">=", "<>", "!="}, sign)
}

// isArithmetic reports whether an operator binds closer than the other ones, ~~ among them.
func isArithmetic(sign string) bool {
	return slices.Contains([]string{"+", "-", "*", "/", "//", "%", "^", "**"}, sign)
}

func (d *dialect) hasOperator(i int) bool { return i < len(d.tokens) && d.tokens[i].Kind == TokenOp }

// patternEnd is the last token of the expression of operators that bind closer which begins
// at token i; the number of tokens where none does.
func (d *dialect) patternEnd(i int, closer func(sign string) bool) int {
	for {
		for d.hasOperator(i) { // signs
			i++
		}
		if i >= len(d.tokens) {
			return i
		}
		end := d.wholeOperandEnd(i)
		if !d.hasOperator(end+1) || !closer(d.word(end+1)) {
			return end
		}
		i = end + 2
	}
}

// wholeOperandEnd is operandEnd for operands of all kinds.
func (d *dialect) wholeOperandEnd(i int) int {
	switch {
	case d.word(i) == "case":
		i = d.caseEnd(i)
	case d.word(i) == "[" || d.word(i) == "{":
		i = d.match(i)
	case d.tokens[i].Kind == TokenWord && i+1 < len(d.tokens) && d.tokens[i+1].Kind == TokenString: // a literal with its type
		i++
	}
	for {
		i = d.operandEnd(i)
		switch next := d.word(i + 1); {
		case next == "collate":
			i += 2
		case (next == "filter" || next == "over") && d.word(i+2) == "(":
			i = d.match(i + 2)
		case next == "within" && d.word(i+2) == "group" && d.word(i+3) == "(":
			i = d.match(i + 3)
		case next == "over":
			i += 2
		case next == "varying" || next == "precision":
			i++
		case next == "at" && d.word(i+2) == "time" && d.word(i+3) == "zone":
			i += 4
		default:
			return i
		}
	}
}

// caseEnd is the END of the CASE at token i.
func (d *dialect) caseEnd(i int) int {
	for depth := 0; i < len(d.tokens); i++ {
		switch word := d.word(i); {
		case d.tokens[i].Kind != TokenWord || d.word(i-1) == ".":
		case word == "case":
			depth++
		case word == "end":
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return i
}
