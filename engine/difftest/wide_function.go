package difftest

import (
	"fmt"
	"slices"
	"strings"
)

// wideFunction is a family of calls over columns of one domain.
type wideFunction struct {
	feature string
	over    domain
	// keep says which columns of the domain may be the arguments; nil: all.
	keep func(wideColumn) bool
	// result is a type whose literals the value may be compared with.
	result string
	// absMax bounds a number.
	absMax float64
	// open: the last bits of the value are the library's.
	open bool
	// raises: the value may leave its type. On which rows DuckDB evaluates a condition
	// is open, and so whether one with such a call raises.
	raises bool
	// forms have {x} for a column and, some, {y} for another one, or the same.
	forms []string
}

func isInteger(c wideColumn) bool { return c.typ.integer }

func isSmall(c wideColumn) bool { return c.absMax <= 8 }

func isSmallInteger(c wideColumn) bool { return c.typ.integer && c.absMax <= 8 }

// Texts of floating-point numbers are left out: which sign the zero of a group has is
// open.
func isExactNumber(c wideColumn) bool { return !c.typ.float }

// wideFunctions are the functions that people write in measures, predicates and keys.
var wideFunctions = []wideFunction{
	{feature: "call_of_text", over: texts, result: "BIGINT", absMax: 200, forms: []string{
		"length({x})", "strpos({x}, 'a')", "ascii({x})", "strlen({x})", "length({x} || {y})", "levenshtein({x}, {y})",
		"coalesce(TRY_CAST({x} AS INTEGER), 7)",
	}},
	{feature: "call_of_text", over: texts, result: "VARCHAR", forms: []string{
		"lower({x})", "upper({x})", "substr({x}, 1, 1)", "substring({x}, 2)", "left({x}, 1)", "right({x}, 1)", "trim({x})",
		"replace({x}, 'a', 'b')", "reverse({x})", "{x} || 'x'", "concat({x}, {y})", "lpad({x}, 3, '*')", "nullif({x}, 'a')",
		"{x} || {y}", "greatest({x}, {y})", "CASE {x} WHEN 'a' THEN {y} WHEN 'b' THEN 'B' END", "coalesce({x}, {y}, '-')",
	}},
	{feature: "call_of_date", over: instants, result: "BIGINT", absMax: 20000, forms: []string{
		"year({x})", "date_part('month', {x})", "extract(dow FROM {x})", "day({x})", "dayofyear({x})", "quarter({x})",
		"weekofyear({x})", "isodow({x})", "date_diff('day', {x}, {y})", "datesub('month', {x}, {y})", "extract(year FROM {x}) % 4",
		"extract(hour FROM {x}::TIMESTAMP)",
	}},
	{feature: "call_of_date", over: instants, result: "TIMESTAMP", forms: []string{
		"date_trunc('month', {x})", "date_trunc('year', {x})", "last_day({x})", "CAST({x} AS DATE)", "{x} + INTERVAL '1 month'",
		"{x} - INTERVAL '1 day'", "least({x}, {y})", "coalesce({x}, {y})", "CAST({x} AS DATE) + 1", "nullif({x}, {y})",
		"{x}::TIMESTAMP AT TIME ZONE 'UTC' AT TIME ZONE 'Asia/Tokyo'",
	}},
	{feature: "call_of_date", over: instants, result: "VARCHAR", forms: []string{
		"strftime({x}, '%Y-%m')", "dayname({x})", "monthname({x})", "CAST({x} AS VARCHAR)",
	}},
	{feature: "call_of_other", over: clocks, result: "BIGINT", absMax: 60, forms: []string{
		"hour({x})", "date_part('minute', {x})", "extract(second FROM {x})", "date_diff('hour', {x}, {y})",
	}},
	{feature: "call_of_integer", over: numbers, keep: isInteger, result: "BIGINT", absMax: 1e4, forms: []string{
		"{x} % 2", "{x} // 2", "{x} & 1", "xor({x}, 1)", "sign({x})", "{x} % 3 + 1", "CASE {x} WHEN 0 THEN 1 WHEN {y} THEN 2 ELSE 3 END",
		"CASE WHEN {x} IS NULL THEN 0 WHEN {x} > 1 THEN 2 END", "({x} > 1)::INTEGER", "if({x} > {y}, 1, 0)", "{x} % nullif({y}, 0)",
	}},
	{feature: "call_of_integer", over: numbers, keep: isSmallInteger, result: "BIGINT", absMax: 64, raises: true, forms: []string{
		"-{x}", "{x} * {x}", "{x} << 1", "bit_count({x})", "{x} | {y}", "{x} - {y}", "CAST({x} AS TINYINT) + 1", "abs({x}) + abs({y})",
	}},
	{feature: "call_rounded", over: numbers, keep: isSmall, result: "DOUBLE", absMax: 64, forms: []string{
		"round({x} / 3, 2)", "round({x}, 1)", "trunc({x})", "floor({x} / 2)", "ceil({x} * 0.5)", "round({x} * 1.5)",
		"greatest({x}, {y}, 1)", "round({x} / (abs({y}) + 2), 1)", "{x} / 4",
	}},
	{feature: "call_open", over: numbers, keep: isSmall, result: "DOUBLE", absMax: 64, open: true, forms: []string{
		"ln(abs({x}) + 1)", "log10(abs({x}) + 2)", "log2(abs({x}) + 1)", "log(abs({x}) + 1)", "cbrt({x})", "tan({x})", "atan({x})",
		"radians({x})", "power({x}, 2)", "pi() * {x}", "exp({x})", "sqrt(abs({x}) + abs({y}))", "{x} ^ 2", "sin({x}) + cos({y})",
		"ln(abs({x}) + abs({y}) + 1)", "tanh({x})", "asin({x} / 10)", "degrees({x} / 57)",
	}},
	{feature: "call_of_number_text", over: numbers, keep: isExactNumber, result: "VARCHAR", forms: []string{
		"CAST({x} AS VARCHAR)", "{x} || '-' || {y}", "CASE WHEN {x} > {y} THEN 'more' ELSE 'less' END", "lpad(CAST({x} AS VARCHAR), 4, '0')",
	}},
	{feature: "call_of_boolean", over: booleans, result: "BIGINT", absMax: 3, forms: []string{
		"CAST({x} AS INTEGER)", "CASE WHEN {x} THEN 1 WHEN NOT {y} THEN 2 END", "({x} AND {y})::INTEGER", "({x} OR {y})::INTEGER + 1",
	}},
	{feature: "call_of_other", over: moods, result: "VARCHAR", forms: []string{"CAST({x} AS VARCHAR)", "upper({x}::VARCHAR)", "{x} || '!'"}},
	{feature: "call_of_other", over: moods, result: "BIGINT", absMax: 8, forms: []string{"length({x}::VARCHAR)", "CASE WHEN {x} > {y} THEN 1 ELSE 2 END", "coalesce(strpos({x}::VARCHAR, 'a'), 0)"}},
	{feature: "call_of_other", over: identifiers, result: "VARCHAR", forms: []string{"CAST({x} AS VARCHAR)", "right({x}::VARCHAR, 2)"}},
	{feature: "call_of_other", over: octets, result: "BIGINT", absMax: 4, forms: []string{"octet_length({x})"}},
}

// call is a call of a function that keep accepts, over a column or two.
func (b *wideBlock) call(keep func(wideFunction) bool) (wideColumn, bool) {
	for range 4 {
		x := pick(b.rng, b.columns)
		var usable []wideFunction
		for _, f := range wideFunctions {
			if f.takes(x) && keep(f) {
				usable = append(usable, f)
			}
		}
		if len(usable) == 0 {
			continue
		}
		f := pick(b.rng, usable)
		y := pick(b.rng, slices.DeleteFunc(slices.Clone(b.columns), func(c wideColumn) bool { return !f.takes(c) }))
		b.noteType(x)
		b.feature(f.feature)
		return wideColumn{
			sql: "(" + strings.NewReplacer("{x}", x.sql, "{y}", y.sql).Replace(pick(b.rng, f.forms)) + ")",
			typ: typeNamed(f.result), near: true, nullable: true, absMax: f.absMax,
			rounded: f.open || (x.typ.float || y.typ.float) && f.result == "DOUBLE", source: x.source,
		}, true
	}
	return wideColumn{}, false
}

// takes reports whether a column may be an argument.
func (f *wideFunction) takes(c wideColumn) bool {
	return c.typ.domain == f.over && !c.rounded && (f.keep == nil || f.keep(c))
}

// exactCall is a call whose value is exact, for keys.
func (b *wideBlock) exactCall() (wideColumn, bool) {
	return b.call(func(f wideFunction) bool { return !f.open && f.result != "DOUBLE" })
}

// callMeasure is a call of a number, alone or with another column.
func (b *wideBlock) callMeasure() (sql string, bound float64, exact, ok bool) {
	c, ok := b.call(func(f wideFunction) bool { return f.absMax > 0 })
	if !ok {
		return "", 0, false, false
	}
	exact = !c.rounded && c.typ.integer
	y, okY := b.number(isSmall)
	if !okY || b.chance(50) {
		return c.sql, c.absMax, exact, true
	}
	return c.sql + pick(b.rng, []string{" * ", " + ", " - "}) + y.sql, (c.absMax + 3) * (y.absMax + 3), exact, true
}

// callPredicate compares a call with a value that it may have.
func (b *wideBlock) callPredicate() (string, bool) {
	c, ok := b.call(func(f wideFunction) bool { return !f.open && !f.raises && f.result != "DOUBLE" })
	if !ok {
		return "", false
	}
	value := pick(b.rng, c.typ.literals)
	if c.absMax > 1000 {
		value = pick(b.rng, []string{"2", "29", "1969", "2023", "2024"})
	}
	return fmt.Sprintf("%s %s %s", c.sql, pick(b.rng, []string{"=", "<>", "<", "<=", ">", ">="}), value), true
}

// patternPredicate matches a text.
func (b *wideBlock) patternPredicate(c wideColumn) string {
	b.feature("predicate_pattern")
	return fmt.Sprintf(pick(b.rng, []string{
		"%s LIKE 'a%%'", "%s NOT LIKE '_'", "%s ILIKE 'A'", "starts_with(%s, 'a')", "contains(%s, 't')", "%s LIKE '%%s'", "%s SIMILAR TO '[a-b]'",
		"regexp_matches(%s, '^[aA]')", "%s LIKE ''", "lower(%s) IN ('a', 'é')",
	}), c.sql)
}
