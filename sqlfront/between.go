package sqlfront

// BetweenEdits write x BETWEEN SYMMETRIC a AND b as the two ways to be between a and b, as Postgres does: DuckDB
// does not have it.
func BetweenEdits(sql string) Edits {
	if !HasWord(sql, "symmetric") {
		return nil
	}
	tokens, err := Tokens(sql)
	if err != nil {
		return nil
	}
	d := newDialect(sql, tokens)
	end := 0
	for i := range tokens {
		if i > end && d.word(i) == "between" && d.word(i+1) == "symmetric" {
			end = d.eitherWay(i, end)
		}
	}
	return d.sorted()
}

// eitherWay handles BETWEEN at token i, behind what ends with token done. It returns the last token of b.
func (d *dialect) eitherWay(i, done int) int {
	last, between, or := i-1, " BETWEEN ", " OR "
	if d.word(last) == "not" {
		last, between, or = last-1, " NOT BETWEEN ", " AND "
	}
	if !d.endsOperand(last) || d.tokens[last].Kind == TokenWord && d.word(last) == "end" {
		return done
	}
	start := d.operandStart(last)
	for start > 0 && d.hasOperator(start-1) && bindsCloser(d.word(start-1)) {
		if start--; d.endsOperand(start - 1) { // otherwise it is a sign
			start = d.operandStart(start - 1)
		}
	}
	first := i + 2
	and := d.patternEnd(first, bindsCloser) + 1
	if start <= done || d.word(and) != "and" {
		return done
	}
	end := d.patternEnd(and+1, bindsCloser)
	if end >= len(d.tokens) {
		return done
	}
	x, a, b := d.textOf(start, last), d.textOf(first, and-1), d.textOf(and+1, end)
	d.edit(start, end, "("+x+between+a+" AND "+b+or+x+between+b+" AND "+a+")")
	return end
}
