package difftest

import (
	"fmt"
	"slices"
	"strings"
)

// wideItem is an element of a select list.
type wideItem struct {
	sql string
	// rounded: its last bits depend on the order of evaluation; no condition and
	// no order may use it.
	rounded bool
	numeric bool
}

// measure is a numeric expression over the columns of FROM.
func (b *wideBlock) measure() (sql string, bound float64, exact bool, ok bool) {
	if b.chance(14) {
		if sql, bound, exact, ok = b.callMeasure(); ok {
			return sql, bound, exact, true
		}
	}
	if b.chance(30) {
		if sql, bound, ok = b.expression(2+b.rng.IntN(2), isTreeLeaf); ok {
			b.feature("arg_tree")
			return sql, bound, true, true
		}
	}
	x, okX := b.number(anyColumn)
	y, okY := b.number(anyColumn)
	z, okZ := b.number(func(c wideColumn) bool { return c.absMax <= 8 })
	if !okX || !okY {
		return "", 0, false, false
	}
	b.noteMeasure(x)
	if b.db.far && b.chance(15) {
		b.feature("arg_overflow")
		sql = fmt.Sprintf(pick(b.rng, []string{"%s + %s", "%s - %s", "%s * %s", "abs(%s) + 0 * %s", "-%s - %s", "greatest(%s, %s) + 1", "(%s - %s)::BIGINT"}), x.sql, y.sql)
		return sql, (x.absMax + 3) * (y.absMax + 3), !x.typ.float && !y.typ.float, true
	}
	if x.absMax > 8 || y.absMax > 8 || !okZ || b.chance(40) {
		return x.sql, x.absMax, true, true
	}
	b.noteMeasure(y)
	bound = (x.absMax + 3) * (y.absMax + 3) * (z.absMax + 3)
	exact = true
	switch b.rng.IntN(16) {
	case 0, 1, 2:
		b.feature("arg_product")
		sql = x.sql + " * " + y.sql
	case 3:
		b.feature("arg_product_three")
		sql = x.sql + " * " + y.sql + " * " + z.sql
	case 4, 5:
		b.feature("arg_sum")
		sql = x.sql + pick(b.rng, []string{" + ", " - "}) + y.sql
	case 6:
		b.feature("arg_product_plus")
		sql = x.sql + " * " + y.sql + " + " + z.sql
	case 7:
		b.feature("arg_case")
		sql = fmt.Sprintf("CASE WHEN %s > %s THEN %s ELSE 0 END", x.sql, y.sql, z.sql)
	case 8:
		b.feature("arg_coalesce")
		sql = fmt.Sprintf("coalesce(%s, %s)", x.sql, y.sql)
	case 9:
		b.feature("arg_greatest")
		sql = fmt.Sprintf("%s(%s, %s)", pick(b.rng, []string{"greatest", "least"}), x.sql, y.sql)
	case 10:
		b.feature("arg_nullif")
		sql = fmt.Sprintf("nullif(%s, %s)", x.sql, y.sql)
	case 11:
		b.feature("arg_abs")
		sql = fmt.Sprintf("abs(%s - %s)", x.sql, y.sql)
	case 12:
		b.feature("arg_cast")
		sql = fmt.Sprintf("(%s + %s)::%s", x.sql, y.sql, pick(b.rng, []string{"INTEGER", "BIGINT", "DOUBLE"}))
	case 13:
		b.feature("arg_function")
		exact = false
		sql = fmt.Sprintf(pick(b.rng, []string{"sqrt(abs(%s * %s))", "exp(%s - %s)", "sin(%s) * cos(%s)", "power(abs(%s), abs(%s))"}), x.sql, y.sql)
	case 14:
		b.feature("arg_division")
		exact = false
		sql = fmt.Sprintf(pick(b.rng, []string{"%s / %s", "%s / (%s + 7)"}), x.sql, y.sql)
	default:
		b.feature("arg_round")
		sql = fmt.Sprintf("%s(%s * %s)", pick(b.rng, []string{"round", "floor", "ceil", "sign"}), x.sql, y.sql)
	}
	return sql, bound, exact, true
}

func (b *wideBlock) noteMeasure(c wideColumn) {
	if c.nullable {
		b.feature("null_measure")
	}
	b.noteType(c)
}

// tolerate allows sums of so many terms of a size to differ in their last bits.
func (w *wideStatement) tolerate(bound float64, rowsMax int) {
	w.terms = max(w.terms, bound*float64(max(rowsMax, 1)))
}

// aggregate is one aggregate call, perhaps with FILTER. DuckDB calculates the value of
// rows that the filter drops as well and raises what it raises.
func (b *wideBlock) aggregate() wideItem {
	item := b.bareAggregate()
	if b.chance(12) {
		if p, ok := b.simple(b.columns); ok {
			b.feature("filter")
			item.sql += " FILTER (WHERE " + p + ")"
		}
	} else if b.chance(4) {
		if p, ok := b.acrossTables(); ok {
			b.feature("filter_across")
			item.sql += " FILTER (WHERE " + p + ")"
		}
	}
	return item
}

func (b *wideBlock) bareAggregate() wideItem {
	any := pick(b.rng, b.columns)
	argument, bound, exact, ok := b.measure()
	if !exact {
		b.tolerate(bound, b.rowsMax)
	}
	kind := b.rng.IntN(25)
	if !ok && kind >= 2 && kind < 14 {
		kind = 15
	}
	switch kind {
	case 0, 1:
		b.feature("count_star")
		return wideItem{sql: "count(*)", numeric: true}
	case 2, 3, 4, 5, 6:
		b.feature("sum")
		return wideItem{sql: "sum(" + argument + ")", numeric: true, rounded: !exact}
	case 7:
		b.feature("avg")
		return wideItem{sql: "avg(" + argument + ")", numeric: true, rounded: !exact}
	case 8, 9:
		b.feature("min_max")
		return wideItem{sql: pick(b.rng, []string{"min", "max"}) + "(" + argument + ")", numeric: true, rounded: !exact}
	case 10, 11:
		return b.statistic()
	case 12:
		b.feature("sum_distinct")
		c, found := b.number(anyColumn)
		if !found {
			return wideItem{sql: "count(*)", numeric: true}
		}
		if tree, _, ok := b.expression(2, isExactLeaf); ok && b.chance(30) {
			c.sql = tree
		}
		return wideItem{sql: pick(b.rng, []string{"sum", "avg"}) + "(DISTINCT " + c.sql + ")", numeric: true}
	case 13:
		b.feature("bit")
		c, found := b.number(func(c wideColumn) bool { return c.typ.integer })
		if !found {
			return wideItem{sql: "count(*)", numeric: true}
		}
		return wideItem{sql: pick(b.rng, []string{"bit_and", "bit_or", "bit_xor"}) + "(" + c.sql + ")", numeric: true}
	case 14, 15:
		b.feature("count")
		b.noteMeasure(any)
		return wideItem{sql: "count(" + any.sql + ")", numeric: true}
	case 16, 17:
		b.feature("count_distinct")
		any = b.orCall(any)
		if tree, _, ok := b.expression(2, isExactLeaf); ok && b.chance(20) {
			any.sql, any.rounded = tree, false
		}
		if any.rounded {
			return wideItem{sql: "count(*)", numeric: true}
		}
		return wideItem{sql: "count(DISTINCT " + any.sql + ")", numeric: true}
	case 18, 19:
		b.feature("extreme")
		any = b.orCall(any)
		b.noteMeasure(any)
		return wideItem{sql: pick(b.rng, []string{"min", "max"}) + "(" + b.orElse(any) + ")", rounded: any.rounded}
	case 20, 21:
		return b.boolean()
	case 22:
		return b.product()
	default:
		return b.argExtreme(any)
	}
}

// orCall is a column or, now and then, a call in its place.
func (b *wideBlock) orCall(c wideColumn) wideColumn {
	if b.chance(25) {
		if call, ok := b.exactCall(); ok {
			return call
		}
	}
	return c
}

// product is the product of a column, of so few values that it is exact.
func (b *wideBlock) product() wideItem {
	const rowsMax = 30
	c, ok := b.number(func(c wideColumn) bool { return c.absMax <= 3 })
	if !ok || b.rowsMax > rowsMax {
		return wideItem{sql: "count(*)", numeric: true}
	}
	b.feature("product")
	return wideItem{sql: "product(" + c.sql + ")", numeric: true}
}

// orElse is a column, or it and a value in place of NULL, which the rows have that an
// outer join pads with.
func (b *wideBlock) orElse(c wideColumn) string {
	if c.typ == nil || len(c.typ.literals) == 0 || b.rng.IntN(2) == 0 {
		return c.sql
	}
	b.feature("extreme_or_else")
	return "coalesce(" + c.sql + ", " + pick(b.rng, c.typ.literals) + ")"
}

// statistic is a second moment.
func (b *wideBlock) statistic() wideItem {
	b.feature("statistic")
	x, okX := b.number(anyColumn)
	y, okY := b.number(anyColumn)
	if !okX || !okY {
		return wideItem{sql: "count(*)", numeric: true}
	}
	if b.db.special && (x.typ.float || y.typ.float) {
		return wideItem{sql: "count(" + x.sql + ")", numeric: true} // DuckDB raises, or not, depending on the order
	}
	b.tolerate((x.absMax+3)*(y.absMax+3)*(x.absMax+3), 100*b.rowsMax)
	if b.chance(50) {
		name := pick(b.rng, []string{"var_pop", "var_samp", "stddev_pop", "stddev_samp"})
		return wideItem{sql: name + "(" + x.sql + ")", numeric: true, rounded: true}
	}
	b.feature("statistic_of_two")
	name := pick(b.rng, []string{"covar_pop", "covar_samp", "regr_count", "regr_avgx", "regr_avgy", "regr_sxx", "regr_syy", "regr_sxy", "corr", "regr_slope", "regr_intercept", "regr_r2"})
	switch name {
	case "corr", "regr_slope", "regr_intercept", "regr_r2":
		b.feature("correlation")
	}
	return wideItem{sql: name + "(" + x.sql + ", " + y.sql + ")", numeric: true, rounded: true}
}

func (b *wideBlock) boolean() wideItem {
	b.feature("boolean_aggregate")
	p, ok := b.simple(b.columns)
	if b.chance(40) {
		p, ok = b.condition(2, isTreeLeaf)
	}
	if !ok {
		return wideItem{sql: "count(*)", numeric: true}
	}
	return wideItem{sql: pick(b.rng, []string{"bool_and", "bool_or", "count_if"}) + "(" + p + ")"}
}

// argExtreme is ARG_MIN or ARG_MAX whose ties agree.
func (b *wideBlock) argExtreme(any wideColumn) wideItem {
	b.feature("arg_extreme")
	if any.rounded || b.db.special {
		return wideItem{sql: "count(*)", numeric: true}
	}
	if tree, _, ok := b.expression(1, isExactLeaf); ok && b.chance(30) {
		return wideItem{sql: fmt.Sprintf("%s(%s + 1, %[2]s)", pick(b.rng, []string{"arg_min", "arg_max"}), tree)}
	}
	value := any.sql
	if any.typ.domain == numbers {
		value = pick(b.rng, []string{any.sql, any.sql + " + 1", "abs(" + any.sql + ")"})
		if any.typ.float {
			value = any.sql
		}
	}
	return wideItem{sql: fmt.Sprintf("%s(%s, %s)", pick(b.rng, []string{"arg_min", "arg_max"}), value, any.sql)}
}

// groupKeys are up to two GROUP BY expressions.
func (b *wideBlock) groupKeys() []string {
	var keys []string
	for range pick(b.rng, []int{0, 1, 1, 1, 2}) {
		c := pick(b.rng, b.columns)
		if c.rounded {
			continue
		}
		b.noteType(c)
		key := c.sql
		switch b.rng.IntN(14) {
		case 6:
			if tree, _, ok := b.expression(2, isExactLeaf); ok {
				b.feature("group_tree")
				key = "(0 + " + tree + ")" // a constant would be a position
			}
		case 4, 5:
			if call, ok := b.exactCall(); ok {
				b.feature("group_call")
				key = call.sql
			}
		case 0:
			b.feature("group_null_test")
			key += " IS NULL"
		case 1:
			b.feature("group_coalesce")
			key = fmt.Sprintf("coalesce(%s, %s)", c.sql, pick(b.rng, c.typ.literals)) // a parameter would be another expression at each place
		case 2:
			if link, ok := b.link(b.columns, b.columns, "<"); ok {
				b.feature("group_across")
				key = "(" + link + ")"
			}
		case 3:
			if x, ok := b.number(anyColumn); ok {
				b.feature("group_expression")
				key = x.sql + " * 2"
			}
		}
		if !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	if len(keys) == 0 {
		b.feature("no_group_by")
	}
	return keys
}

// groupClause is GROUP BY, or grouping sets.
func (b *wideBlock) groupClause(keys []string) string {
	list := strings.Join(keys, ", ")
	switch {
	case len(keys) == 0:
		return ""
	case b.chance(5):
		b.feature("group_by_all")
		return " GROUP BY ALL"
	case !b.chance(10):
		return " GROUP BY " + list
	}
	b.feature("grouping_sets")
	switch b.rng.IntN(3) {
	case 0:
		return " GROUP BY ROLLUP (" + list + ")"
	case 1:
		return " GROUP BY CUBE (" + list + ")"
	default:
		return " GROUP BY GROUPING SETS ((" + list + "), (" + keys[0] + "), ())"
	}
}

// wideSelect is a whole SELECT and what is known of its columns.
type wideSelect struct {
	sql   string
	items []wideItem
}

// grouped finishes the block as an aggregate query, whose aggregates are named
// a0, a1, ..
func (b *wideBlock) grouped() wideSelect {
	keys := b.groupKeys()
	items := slices.Clone(keys)
	out := wideSelect{items: make([]wideItem, len(keys))}
	var aggregates []wideItem
	for range pick(b.rng, []int{1, 1, 2, 2, 3}) {
		aggregates = append(aggregates, b.aggregate())
	}
	for n, a := range aggregates {
		sql := a.sql
		if a.numeric && !a.rounded && b.chance(12) {
			b.feature("around_aggregate")
			sql = fmt.Sprintf(pick(b.rng, []string{"coalesce(%s, 0)", "%s * 2", "%s IS NULL", "%s > 1", "CASE WHEN %s > 0 THEN 'plus' ELSE 'rest' END"}), a.sql)
			if other := b.aggregate(); other.numeric && !other.rounded && b.chance(50) {
				b.feature("of_two_aggregates")
				sql = fmt.Sprintf(pick(b.rng, []string{"(%s > %s)", "nullif(%s, %s)", "coalesce(%s, %s)", "(%s = %s) IS NOT TRUE"}), a.sql, other.sql)
			}
		}
		items = append(items, fmt.Sprintf("%s AS a%d", sql, n))
		out.items = append(out.items, wideItem{rounded: a.rounded})
		if !a.rounded && b.chance(5) {
			b.feature("alias_of_aggregate")
			form := pick(b.rng, []string{"a%[1]d IS NULL", "coalesce(a%[1]d, a%[1]d)", "nullif(a%[1]d, a%[1]d)", "(a%[1]d = a%[1]d) IS NOT TRUE"})
			items = append(items, fmt.Sprintf(form+" AS y%[1]d", n))
			out.items = append(out.items, wideItem{})
		}
	}
	if len(keys) > 0 && b.chance(12) {
		items = b.aliasKey(items)
		out.items = append(out.items, wideItem{})
	}
	clause := b.groupClause(keys)
	if sets := strings.Contains(clause, "ROLLUP") || strings.Contains(clause, "CUBE") || strings.Contains(clause, "SETS"); sets && b.chance(50) {
		items = append(items, "grouping("+keys[0]+") AS h")
		out.items = append(out.items, wideItem{})
	}
	if clause == " GROUP BY "+strings.Join(keys, ", ") && b.chance(7) { // a grouping set without the key has many values of it
		b.feature("any_value")
		items = append(items, pick(b.rng, []string{"any_value", "first"})+"("+keys[0]+") AS v")
		out.items = append(out.items, wideItem{})
	}
	if len(keys) == 0 && b.chance(15) {
		b.feature("scalar_in_select")
		inner := b.block(nil)
		inner.makeFrom(1, 0)
		scalar := inner.scalar(" FROM " + inner.from)
		items = append(items, scalar+" AS x")
		out.items = append(out.items, wideItem{})
	}
	out.sql = b.selected(strings.Join(items, ", ")) + clause
	if b.chance(12) {
		b.feature("having")
		a := pick(b.rng, aggregates)
		if !a.numeric || a.rounded {
			a.sql = "count(*)"
		}
		if b.chance(30) {
			b.feature("having_subquery")
			inner := b.block(nil)
			inner.makeFrom(1, 0)
			out.sql += " HAVING " + a.sql + pick(b.rng, []string{" >= ", " <> ", " < "}) + inner.scalar(" FROM "+inner.from)
			return out
		}
		out.sql += " HAVING " + a.sql + pick(b.rng, []string{" > 0", " < 3", " IS NOT NULL"})
	}
	return out
}

// aliasKey names the first group, and uses the name in another output column and
// perhaps in WHERE: there without parameters, as one is another at each place.
func (b *wideBlock) aliasKey(items []string) []string {
	b.feature("alias_of_key")
	if !strings.Contains(items[0], "$") && b.chance(50) {
		b.feature("alias_in_where")
		b.where = append(b.where, pick(b.rng, []string{"g IS NOT NULL", "g = g", "(g IS NULL OR g = g)"}))
	}
	items[0] += " AS g"
	return append(items, pick(b.rng, []string{"g IS NULL", "coalesce(g, g)", "nullif(g, g)", "CASE WHEN g IS NULL THEN 'none' ELSE 'some' END"})+" AS z")
}

// distinct finishes the block as SELECT DISTINCT.
func (b *wideBlock) distinct() string {
	b.feature("distinct")
	var items []string
	for n, c := range b.someColumns(1 + b.rng.IntN(2)) {
		if c.rounded {
			continue
		}
		items = append(items, fmt.Sprintf("%s AS a%d", c.sql, n))
	}
	if len(items) == 0 {
		items = []string{"1 AS one"}
	}
	return b.selected("DISTINCT " + strings.Join(items, ", "))
}

// setStatement is a set operation of two aggregate queries.
func (w *wideStatement) setStatement() string {
	operation := pick(w.rng, []string{"UNION ALL", "UNION", "INTERSECT", "EXCEPT"})
	w.feature("top_" + strings.ReplaceAll(strings.ToLower(operation), " ", "_"))
	return w.setStatementBy(operation)
}

func (w *wideStatement) setStatementBy(operation string) string {
	arms := make([]string, 2)
	for i := range arms {
		b := w.block(nil)
		b.makeFrom(pick(w.rng, []int{1, 2, 2}), 1)
		b.makeWhere(true)
		key, ok := b.number(anyColumn)
		aggregate := "count(*)"
		if x, found := b.number(anyColumn); found {
			aggregate = pick(w.rng, []string{"count(*)", "count(" + x.sql + ")", "min(" + x.sql + ")"})
		}
		arms[i] = "SELECT " + aggregate + " AS a FROM " + b.from + b.whereClause()
		if ok {
			arms[i] += " GROUP BY " + key.sql
		}
	}
	return arms[0] + " " + operation + " " + arms[1]
}

// overSubquery aggregates the values of a correlated scalar subquery in a select
// list.
func (w *wideStatement) overSubquery() string {
	w.feature("scalar_in_derived")
	b := w.block(nil)
	b.makeFrom(pick(b.rng, []int{1, 1, 2}), 1)
	inner := b.subquery(true)
	scalar := inner.scalar(" FROM " + inner.from + inner.whereClause())
	b.makeWhere(false)
	return "SELECT v, count(*) AS n FROM (SELECT " + scalar + " AS v FROM " + b.from + b.whereClause() + ") GROUP BY v"
}
