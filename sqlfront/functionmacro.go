package sqlfront

import "strings"

// FunctionEdits make DuckDB's macro of a CREATE FUNCTION by which pg_dump writes one down: its parameters
// have names and no types, and its language is SQL. Nil: the statement is something else.
func FunctionEdits(sql string) Edits {
	f := &former{src: sql, tokens: tokensOf(sql)}
	f.end = len(f.tokens)
	if f.is(f.end-1, ";") {
		f.end--
	}
	at := 1
	if f.is(1, "or") && f.is(2, "replace") {
		at = 3
	}
	if !f.is(0, "create") || !f.is(at, "function") {
		return nil
	}
	open := at + 2
	for f.is(open, ".") {
		open += 2
	}
	if !f.is(open, "(") || !f.namesOnly(open+1, f.closing(open)) {
		return nil
	}
	close := f.closing(open)
	body, table, ok := f.functionBody(close + 1)
	if !ok {
		return nil
	}
	as := " AS "
	if table {
		as += "TABLE "
	}
	return Edits{{Start: f.tokens[close].end, End: f.tokens[f.end-1].end, Place: f.tokens[close].end, Text: as + body}}
}

// namesOnly reports whether a list has but names.
func (f *former) namesOnly(lo, hi int) bool {
	for i := lo; i < hi; i++ {
		_, named := tokenName(f.src, f.tokens[i])
		if (i-lo)%2 == 0 && !named || (i-lo)%2 == 1 && !f.is(i, ",") {
			return false
		}
	}
	return hi == lo || (hi-lo)%2 == 1
}

// functionBody is what a function of SQL returns, and whether that is a table, by its options from token i on.
func (f *former) functionBody(i int) (body string, table, ok bool) {
	returns, language, as := f.next(i, f.end, "returns"), f.next(i, f.end, "language"), f.next(i, f.end, "as")
	if returns != i || !f.is(language+1, "sql") || as+2 != f.end {
		return "", false, false
	}
	body, ok = valueText(f.text(as+1, f.end))
	body = strings.TrimSuffix(strings.TrimSpace(body), ";")
	statements, err := Split(body)
	if !ok || err != nil || len(statements) != 1 || ParamCount(body) > 0 {
		return "", false, false
	}
	if table = f.is(returns+1, "setof"); !table && Classify(body).Kind == ClassSelect {
		body = "(" + body + ")"
	}
	return body, table, true
}
