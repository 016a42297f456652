package sqlfront

import (
	"cmp"
	"slices"
	"strings"
)

// Postgres' operators on JSON bind closer than comparisons, and DuckDB's arrows do not:
// x->'k' = 'v' is x->('k' = 'v') there. So they get parentheses, or are written as calls
// where DuckDB has no such operator.

// jsonCalls are functions for the operators that DuckDB's parser does not know.
var jsonCalls = map[string]string{
	"#>": "jsonb_at", "#>>": "jsonb_text_at", "#-": "jsonb_delete_path", "?": "jsonb_exists", "?|": "jsonb_exists_any", "?&": "jsonb_exists_all",
}

// otherJSONCalls are functions for operators that DuckDB has for other types.
var otherJSONCalls = map[string]string{"@>": "jsonb_contains", "<@": "jsonb_contained", "-": "jsonb_delete"}

// JSONOperatorEdits write a call for the operator at a place of the text, for which DuckDB
// has found no function; none: it is not one on JSON.
func JSONOperatorEdits(sql string, offset int) Edits {
	tokens, err := Tokens(sql)
	if err != nil {
		return nil
	}
	d := newDialect(sql, tokens)
	i, found := slices.BinarySearchFunc(tokens, offset, func(t Token, at int) int { return cmp.Compare(t.Start, at) })
	if !found || otherJSONCalls[d.word(i)] == "" || !d.endsOperand(i-1) {
		return nil
	}
	d.call(otherJSONCalls[d.word(i)], i, i)
	return d.sorted()
}

// lambdaCalls are the functions in whose arguments -> may stand behind a parameter.
var lambdaCalls = []string{
	"list_transform", "array_transform", "list_apply", "array_apply", "apply", "list_filter", "array_filter", "filter", "list_reduce", "array_reduce", "reduce",
}

// jsonOperator handles the operator that begins at token i, if it is one on JSON.
func (d *dialect) jsonOperator(i int) {
	sign, last := d.word(i), i
	if sign == "?" && (d.word(i+1) == "|" || d.word(i+1) == "&") && d.tokens[i+1].Start == d.tokens[i].End {
		last++
		sign += d.word(last)
	}
	call := jsonCalls[sign]
	arrow := sign == "->" || sign == "->>"
	if !d.endsOperand(i-1) || last+1 >= len(d.tokens) {
		return
	}
	switch {
	case arrow && !d.isLambda(i, sign):
		d.key(last + 1)
		d.call("", i, last)
	case call != "" && (sign != "?" || d.beginsKey(last+1)):
		d.call(call, i, last)
	case sign == "||" && (d.isJSONB(i-1) || d.isJSONB(d.operandEnd(i+1))):
		d.call("jsonb_concat", i, i)
	case jsonComparisons[sign] != "" && d.standsAlone(i) && (d.isJSONB(i-1) || d.isJSONB(d.operandEnd(i+1))):
		d.call(jsonComparisons[sign], i, i)
	}
}

// textTypes are the types of which a parameter behind an arrow is a key.
var textTypes = map[string]bool{"text": true, "varchar": true}

// key writes a call for what stands behind an arrow from token i on and is a key, where DuckDB
// might take it for a path: a parameter, and a string that begins as a path without being one
// like $.a or $[0].
func (d *dialect) key(i int) {
	end := d.operandEnd(i)
	if end >= len(d.tokens) {
		return
	}
	switch t := d.tokens[i]; {
	case t.Kind == TokenParam && (end == i || end == i+2 && textTypes[d.word(end)]):
	case t.Kind == TokenString && end == i && isKey(d.src[t.Start:t.End]):
	default:
		return
	}
	d.edits = append(d.edits, d.insertion(d.tokens[i].Start, i, "jsonb_key("), d.insertion(d.tokens[end].End, i, ")"))
}

// isKey reports whether a string in quotes is not a path though it begins as one.
func isKey(quoted string) bool {
	key := strings.TrimSuffix(strings.TrimPrefix(quoted, "'"), "'")
	return len(key) == len(quoted)-2 && (strings.Trim(key, "*") == "" || key[0] == '/' || key[0] == '$' && (len(key) == 1 || key[1] != '.' && key[1] != '['))
}

// jsonComparisons are functions for comparisons, of which DuckDB compares texts.
var jsonComparisons = map[string]string{
	"=": "jsonb_eq", "<>": "jsonb_ne", "!=": "jsonb_ne", "<": "jsonb_lt", "<=": "jsonb_le", ">": "jsonb_gt", ">=": "jsonb_ge",
}

// standsAlone reports whether no other operator may have a part of the operands of the one
// at token i.
func (d *dialect) standsAlone(i int) bool {
	before, after := d.operandStart(i-1)-1, d.operandEnd(i+1)+1
	return before >= 0 && after <= len(d.tokens) && d.bounds(before) && !d.assigns(before) &&
		(after == len(d.tokens) || d.bounds(after))
}

// assigns reports whether token i is a comma of a SET clause, behind which = assigns.
func (d *dialect) assigns(i int) bool {
	if d.word(i) != "," {
		return false
	}
	if d.settings == nil {
		d.settings = d.settingCommas()
	}
	return d.settings[i]
}

// settingEnds are the words that end a SET clause.
var settingEnds = map[string]bool{"where": true, "returning": true, "select": true, "values": true}

// settingCommas are the commas of SET clauses.
func (d *dialect) settingCommas() map[int]bool {
	commas := map[int]bool{}
	within := []bool{false} // by brackets
	for i := range d.tokens {
		top := len(within) - 1
		switch word := d.word(i); {
		case d.closing[i] > 0:
			within = append(within, false)
		case top > 0 && slices.Contains([]string{")", "]", "}"}, word):
			within = within[:top]
		case word == "," && within[top]:
			commas[i] = true
		case d.tokens[i].Kind == TokenWord && word == "set":
			within[top] = true
		case settingEnds[word] && d.tokens[i].Kind == TokenWord, word == ";", word == "from" && i > 0 && d.word(i-1) != "distinct":
			within[top] = false
		}
	}
	return commas
}

// bounds reports whether token i may stand beside a condition.
func (d *dialect) bounds(i int) bool {
	switch d.tokens[i].Kind {
	case TokenPunct:
		return slices.Contains([]string{"(", ")", ",", ";"}, d.word(i))
	case TokenWord:
		return conditionEnds[d.word(i)]
	}
	return false
}

// conditionEnds are the words that may stand before a condition or behind it.
var conditionEnds = map[string]bool{
	"where": true, "and": true, "or": true, "on": true, "not": true, "when": true, "then": true, "having": true, "select": true, "from": true, "group": true,
	"order": true, "limit": true, "union": true, "returning": true, "as": true, "else": true, "end": true, "is": true, "join": true, "left": true, "inner": true,
	"by": true, "distinct": true, "case": true, "qualify": true, "except": true, "intersect": true, "right": true, "full": true, "cross": true, "natural": true,
	"asc": true, "desc": true, "nulls": true, "offset": true, "window": true,
}

// isJSONB reports whether an operand that ends with token i is cast to JSONB, or joined of such.
func (d *dialect) isJSONB(i int) bool {
	return d.concats[i] || i > 0 && d.word(i) == "jsonb" && d.tokens[i-1].Kind == TokenCast || d.word(i) == ")" && d.word(i-1) == "jsonb" && d.word(i-2) == "as"
}

// call writes a call, or parentheses if its name is empty, for the operator of tokens i to
// last and its operands.
func (d *dialect) call(name string, i, last int) {
	start, second := d.operandStart(i-1), last+1
	if d.word(second) == "-" {
		second++
	}
	end := d.operandEnd(second)
	if end >= len(d.tokens) {
		return
	}
	d.links[end] = start
	d.concats[end] = name == "jsonb_concat"
	d.begins = append(d.begins, d.insertion(d.tokens[start].Start, i, name+"("))
	if name != "" {
		d.edit(i, last, ",")
	}
	d.edits = append(d.edits, d.insertion(d.tokens[end].End, i, ")"))
}

// insertion puts text at a place, for what is written at token of.
func (d *dialect) insertion(at, of int, text string) Edit {
	return Edit{Start: at, End: at, Text: text, Place: d.tokens[of].Start}
}

// sorted are the edits in the order of the text.
func (d *dialect) sorted() Edits {
	slices.Reverse(d.begins)
	edits := slices.Concat(d.begins, d.edits)
	slices.SortStableFunc(edits, byStart)
	return edits
}

// beginsKey reports whether a key begins at token i: after a parameter, ?, none does.
func (d *dialect) beginsKey(i int) bool {
	switch d.tokens[i].Kind {
	case TokenString, TokenSpecial, TokenParam:
		return true
	}
	return d.word(i) == "(" || d.word(i+1) == "."
}

// isLambda reports whether the arrow at token i may belong to a lambda function.
func (d *dialect) isLambda(i int, sign string) bool {
	if sign == "->>" {
		return false
	}
	switch d.tokens[i+1].Kind {
	case TokenString, TokenSpecial, TokenNumber, TokenParam:
	default:
		if d.word(i+1) != "-" || i+2 >= len(d.tokens) || d.tokens[i+2].Kind != TokenNumber {
			return true
		}
	}
	first := i - 1
	if d.word(first) == ")" {
		first = d.opening(first)
	}
	open := d.bracket(first)
	return open > 0 && (first == open+1 || d.word(first-1) == ",") && slices.Contains(lambdaCalls, d.word(open-1))
}

// aroundTokens are the brackets that tokens stand in; -1: none.
func aroundTokens(closing map[int]int, n int) []int {
	around := make([]int, n)
	var open []int
	for i := range around {
		for len(open) > 0 && closing[open[len(open)-1]] <= i {
			open = open[:len(open)-1]
		}
		around[i] = -1
		if len(open) > 0 {
			around[i] = open[len(open)-1]
		}
		if _, ok := closing[i]; ok {
			open = append(open, i)
		}
	}
	return around
}

// opening is the token that opens the bracket that closes at token i; i if none does.
func (d *dialect) opening(i int) int {
	if d.opened == nil {
		d.opened = map[int]int{}
		for open, end := range d.closing {
			d.opened[end] = open
		}
	}
	if open, ok := d.opened[i]; ok {
		return open
	}
	return i
}

// operandStart is the first token of the operand of an operator that ends at token i.
func (d *dialect) operandStart(i int) int {
	for {
		if start, ok := d.links[i]; ok {
			return start
		}
		if word := d.word(i); word == ")" || word == "]" {
			subscript := word == "]"
			i = d.opening(i)
			if i > 0 && (subscript || d.isFunction(i-1)) {
				i--
				continue
			}
		}
		switch {
		case i > 1 && (d.word(i-1) == "." || d.tokens[i-1].Kind == TokenCast):
			i -= 2
		default:
			return i
		}
	}
}

// isFunction reports whether token i, before a parenthesis, is the name of a function.
func (d *dialect) isFunction(i int) bool {
	switch d.tokens[i].Kind {
	case TokenQuoted:
		return true
	case TokenWord:
		return !beforeOperand[d.word(i)] && d.word(i) != "in" && d.word(i) != "is"
	}
	return false
}

func byStart(a, b Edit) int { return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End)) }

// mayBeJSON finds texts that may have operators on JSON.
func mayBeJSON(sql string) bool {
	return strings.Contains(sql, "->") || strings.ContainsAny(sql, "#?") || HasWord(sql, "jsonb")
}
