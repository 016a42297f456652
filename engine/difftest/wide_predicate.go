package difftest

import (
	"fmt"
	"strings"
)

// makeWhere adds up to two conjuncts; subqueries among them if asked.
func (b *wideBlock) makeWhere(subqueries bool) {
	for range pick(b.rng, []int{0, 0, 1, 1, 2}) {
		if p, ok := b.predicate(subqueries); ok {
			b.where = append(b.where, p)
		}
	}
}

func (b *wideBlock) whereClause() string {
	if len(b.where) == 0 {
		return ""
	}
	return " WHERE " + strings.Join(b.where, " AND ")
}

// predicate is a condition over the columns of FROM.
func (b *wideBlock) predicate(subqueries bool) (string, bool) {
	switch n := b.rng.IntN(13); {
	case n < 4 && subqueries && len(b.outer) == 0:
		p := b.subqueryPredicate()
		if b.chance(20) {
			if other, ok := b.simple(b.columns); ok {
				b.feature("subquery_under_or")
				return "(" + p + " OR " + other + ")", true
			}
		}
		return p, true
	case n < 6:
		return b.acrossTables()
	case n == 6:
		l, okL := b.simple(b.columns)
		r, okR := b.simple(b.columns)
		b.feature("predicate_or")
		return "(" + l + " OR " + r + ")", okL && okR
	case n == 8:
		b.feature("predicate_call")
		return b.callPredicate()
	case n == 7:
		p, ok := b.simple(b.columns)
		b.feature("predicate_not")
		return "NOT (" + p + ")", ok
	default:
		return b.simple(b.columns)
	}
}

// simple is a condition on one of the columns.
func (b *wideBlock) simple(columns []wideColumn) (string, bool) {
	var usable []wideColumn
	for _, c := range columns {
		if !c.rounded {
			usable = append(usable, c)
		}
	}
	if len(usable) == 0 {
		return "", false
	}
	c := pick(b.rng, usable)
	b.noteType(c)
	literal := func() string { return b.beside(c) }
	operator := pick(b.rng, []string{"=", "<>", "<", "<=", ">", ">="})
	if c.typ.domain == texts && b.chance(30) {
		return b.patternPredicate(c), true
	}
	switch b.rng.IntN(11) {
	case 0:
		b.feature("predicate_null")
		return c.sql + pick(b.rng, []string{" IS NULL", " IS NOT NULL"}), true
	case 1:
		b.feature("predicate_in")
		return fmt.Sprintf("%s %s (%s, %s)", c.sql, pick(b.rng, []string{"IN", "NOT IN"}), literal(), literal()), true
	case 2:
		b.feature("predicate_between")
		return fmt.Sprintf("%s BETWEEN %s AND %s", c.sql, literal(), literal()), true
	case 3:
		b.feature("predicate_coalesce")
		return fmt.Sprintf("coalesce(%s, %s) %s %s", c.sql, b.constant(c.typ, true), operator, literal()), true
	case 4:
		b.feature("predicate_distinct_from")
		return fmt.Sprintf("%s IS %s FROM %s", c.sql, pick(b.rng, []string{"DISTINCT", "NOT DISTINCT"}), literal()), true
	case 5:
		b.feature("predicate_case")
		return fmt.Sprintf("CASE WHEN %s %s %s THEN 1 ELSE 0 END = 1", c.sql, operator, literal()), true
	default:
		return fmt.Sprintf("%s %s %s", c.sql, operator, literal()), true
	}
}

// acrossTables is a condition over columns of several elements of FROM, where
// there are several.
func (b *wideBlock) acrossTables() (string, bool) {
	b.feature("predicate_across")
	switch b.rng.IntN(7) {
	case 5, 6:
		b.feature("predicate_tree")
		return b.condition(2, isTreeLeaf)
	case 0, 1:
		return b.link(b.columns, b.columns, pick(b.rng, []string{"=", "<", "<=", "<>", "IS DISTINCT FROM", "IS NOT DISTINCT FROM"}))
	case 2:
		l, okL := b.simple(b.columns)
		r, okR := b.link(b.columns, b.columns, pick(b.rng, []string{"=", "<"}))
		b.feature("predicate_across_or")
		return "(" + l + " OR " + r + ")", okL && okR
	default:
		x, okX := b.number(isSmall) // on which rows DuckDB evaluates a condition that overflows is open
		y, okY := b.number(isSmall)
		b.feature("predicate_across_sum")
		return fmt.Sprintf("%s + %s %s %d", x.sql, y.sql, pick(b.rng, []string{">", "<", "=", "<>"}), b.rng.IntN(4)), okX && okY
	}
}

func anyColumn(wideColumn) bool { return true }

// number is a numeric column whose values and sums are exact.
func (b *wideBlock) number(keep func(wideColumn) bool) (wideColumn, bool) {
	var found []wideColumn
	for _, c := range b.columns {
		inexact := c.rounded || c.typ.float && c.absMax > 8
		if c.typ.domain == numbers && !inexact && keep(c) {
			found = append(found, c)
		}
	}
	if len(found) == 0 {
		return wideColumn{}, false
	}
	return pick(b.rng, found), true
}

// subquery is a block inside an expression, correlated or not, with its columns.
func (b *wideBlock) subquery(correlated bool) *wideBlock {
	inner := b.block(b.columns)
	inner.makeFrom(pick(b.rng, []int{1, 1, 1, 2}), pick(b.rng, []int{0, 0, 0, 1}))
	correlated = correlated && inner.mayCorrelate()
	if correlated {
		b.feature("correlated")
		operator := "="
		if b.chance(15) {
			b.feature("correlated_inequality")
			operator = pick(b.rng, []string{"<", "<=", "<>", "IS NOT DISTINCT FROM"})
		}
		if link, ok := inner.link(inner.columns, b.columns, operator); ok {
			inner.where = append(inner.where, link)
		}
	}
	if b.chance(40) {
		if p, ok := inner.simple(inner.columns); ok {
			inner.where = append(inner.where, p)
		}
	}
	if correlated && b.chance(20) {
		if p, ok := inner.across(1, inner.columns, b.columns); ok {
			b.feature("correlated_tree")
			inner.where = append(inner.where, p)
		}
	}
	return inner
}

// mayCorrelate reports whether DuckDB lets the block read others: it does not in all
// blocks with a FULL JOIN or an ANTI JOIN.
func (b *wideBlock) mayCorrelate() bool {
	return !strings.Contains(b.from, "FULL JOIN") && !strings.Contains(b.from, "ANTI JOIN")
}

// subqueryPredicate is EXISTS, IN or a comparison with a scalar subquery.
func (b *wideBlock) subqueryPredicate() string {
	not := ""
	if b.chance(50) {
		not = "NOT "
	}
	correlated := b.chance(65)
	inner := b.subquery(correlated)
	body := " FROM " + inner.from + inner.whereClause()
	switch n := b.rng.IntN(12); {
	case n == 8:
		return not + b.quantified(inner, body)
	case n > 8 && !correlated: // DuckDB has no others
		return b.rowIn(inner, body, not)
	case n < 3:
		b.feature(map[string]string{"": "exists", "NOT ": "not_exists"}[not])
		return not + "EXISTS (SELECT 1" + body + ")"
	case n < 6:
		for range 8 {
			x, y := pick(b.rng, b.columns), pick(b.rng, inner.columns)
			if x.typ.domain == y.typ.domain && !x.rounded && !y.rounded {
				b.feature(map[string]string{"": "in_query", "NOT ": "not_in_query"}[not])
				return fmt.Sprintf("%s %sIN (SELECT %s%s)", x.sql, not, y.sql, body)
			}
		}
		return not + "EXISTS (SELECT 1" + body + ")"
	default:
		return not + b.scalarComparison(inner, body)
	}
}

// quantified compares with all values of a subquery, or any.
func (b *wideBlock) quantified(inner *wideBlock, body string) string {
	for range 8 {
		x, y := pick(b.rng, b.columns), pick(b.rng, inner.columns)
		if x.typ.domain == y.typ.domain && !x.rounded && !y.rounded {
			b.feature("quantified")
			return fmt.Sprintf("(%s %s %s (SELECT %s%s))", x.sql, pick(b.rng, []string{"=", "<>", "<", ">="}), pick(b.rng, []string{"ALL", "ANY"}), y.sql, body)
		}
	}
	return "EXISTS (SELECT 1" + body + ")"
}

// rowIn looks for a pair of values among the rows of a subquery.
func (b *wideBlock) rowIn(inner *wideBlock, body, not string) string {
	var left, right []string
	for range 16 {
		x, y := pick(b.rng, b.columns), pick(b.rng, inner.columns)
		if x.typ == y.typ && !x.rounded && !y.rounded {
			left, right = append(left, x.sql), append(right, y.sql)
		}
		if len(left) == 2 {
			b.feature("row_in")
			return fmt.Sprintf("(%s) %sIN (SELECT %s%s)", strings.Join(left, ", "), not, strings.Join(right, ", "), body)
		}
	}
	return not + "EXISTS (SELECT 1" + body + ")"
}

// scalarComparison compares with an aggregate of a subquery.
func (b *wideBlock) scalarComparison(inner *wideBlock, body string) string {
	b.feature("scalar_subquery")
	operator := pick(b.rng, []string{"=", "<", ">=", "<>"})
	scalar := inner.scalar(body)
	if y, ok := b.number(anyColumn); ok && b.chance(70) {
		return fmt.Sprintf("(%s %s %s)", y.sql, operator, scalar)
	}
	return fmt.Sprintf("(%s %s %d)", scalar, operator, b.rng.IntN(3))
}

// scalar is a subquery of one aggregate.
func (b *wideBlock) scalar(body string) string {
	if y, ok := b.number(anyColumn); ok && b.chance(60) {
		form := pick(b.rng, []string{"max(%s)", "min(%s)", "coalesce(sum(%s), 5)", "sum(%s)", "count(%s)", "count_if(%s > 0)"})
		return "(SELECT " + fmt.Sprintf(form, y.sql) + body + ")"
	}
	having := ""
	if b.chance(45) {
		b.feature("scalar_having")
		having = " HAVING count(*) > 0"
	}
	return "(SELECT count(*)" + body + having + ")"
}

// noteKey records features of a column used as a join key.
func (b *wideBlock) noteKey(c wideColumn) {
	if c.nullable {
		b.feature("null_key")
	}
	b.noteType(c)
}

func (b *wideBlock) noteType(c wideColumn) {
	name, _, _ := strings.Cut(strings.ToLower(c.typ.sql), "(")
	b.feature("type_" + name)
}
