package sqlfront

import "strings"

// ArrayEdits write the comparisons with ANY and ALL of an array as those with its elements,
// in the definitions of tables: DuckDB makes a subquery of them, which it takes in none. Postgres
// writes IN so: y = ANY (ARRAY['a'::text, 'b'::text]).
func ArrayEdits(sql string) Edits {
	if !HasWord(sql, "any", "all", "some") {
		return nil
	}
	tokens, err := Tokens(sql)
	if err != nil {
		return nil
	}
	d := newDialect(sql, tokens)
	if d.word(0) != "create" && d.word(0) != "alter" {
		return nil
	}
	for i := range tokens {
		if d.word(i) == "select" {
			break // a query, of which DuckDB takes them
		}
		if tokens[i].Kind == TokenWord && i > 1 && d.word(i+1) == "(" {
			switch d.word(i) {
			case "any", "some":
				d.compareElements(i, "=", "IN", " OR ")
			case "all":
				d.compareElements(i, "<>", "NOT IN", " AND ")
			}
		}
	}
	return d.sorted()
}

// compareElements handles ANY or ALL at token i: with the one operator it is IN or NOT IN,
// with others as many comparisons as there are elements.
func (d *dialect) compareElements(i int, sign, in, with string) {
	op, end := i-1, d.match(i+1)
	if d.tokens[op].Kind != TokenOp || end >= len(d.tokens) || !d.endsOperand(op-1) {
		return
	}
	start, operator := d.operandStart(op-1), d.word(op)
	if operator == "!=" {
		operator = "<>"
	}
	left, array := d.textOf(start, op-1), d.textOf(i+2, end-1)
	elements := d.elements(i+2, end-1)
	switch {
	case elements != nil && operator == sign:
		d.edit(op, end, in+" ("+strings.Join(elements, ", ")+")")
	case !d.bounds(start-1) || HasWord(left, "any", "all", "some"): // a part of what is compared
	case elements != nil:
		for n, e := range elements {
			elements[n] = left + " " + operator + " (" + e + ")"
		}
		d.edit(start, end, "("+strings.Join(elements, with)+")")
	case operator == sign:
		d.edit(start, end, "("+isElement(left, array, operator == "<>")+")")
	}
}

// isElement is x = ANY (list), or NOT of it, which is NULL where it is unknown.
func isElement(x, list string, negated bool) string {
	text := "CASE WHEN list_contains(" + list + ", " + x + ") THEN true WHEN (" + list + ") IS NULL OR len(" + list + ") > 0 AND " + x +
		" IS NULL OR list_count(" + list + ") < len(" + list + ") THEN NULL ELSE false END"
	if negated {
		return "NOT " + text
	}
	return text
}

// elements are the elements of an array that tokens first to last write, with the casts of
// it; nil: they write no array with elements.
func (d *dialect) elements(first, last int) (elements []string) {
	open := first
	if d.word(first) == "array" {
		open++
	}
	if d.word(open) == "[" && d.match(open) == last && last > open+1 {
		from := open + 1
		for i := from; i <= last; i++ {
			if d.word(i) == "," || i == last {
				elements = append(elements, d.textOf(from, i-1))
				from = i + 1
			}
			if end, opens := d.closing[i]; opens {
				i = end
			}
		}
		return elements
	}
	if d.word(first) == "(" && d.match(first) == last {
		return d.elements(first+1, last-1)
	}
	if d.word(last) != "]" || d.word(last-1) != "[" {
		return nil
	}
	for i := last - 2; i > first; i-- {
		if d.tokens[i].Kind != TokenCast {
			continue
		}
		elements = d.elements(first, i-1)
		for n := range elements {
			elements[n] = "CAST(" + elements[n] + " AS " + d.textOf(i+1, last-2) + ")"
		}
		return elements
	}
	return nil
}

// textOf is the text of tokens first to last.
func (d *dialect) textOf(first, last int) string {
	return d.src[d.tokens[first].Start:d.tokens[last].End]
}
