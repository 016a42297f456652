package difftest

import (
	"fmt"
	"strings"
)

// makeGroups chooses up to two GROUP BY items.
func (b *block) makeGroups() {
	usable := b.refs(func(c column) bool { return !b.inexact(c) && !c.sum })
	wanted := pick(b.rng, []int{0, 0, 1, 1, 1, 2})
	if len(usable) == 0 {
		wanted = 0
	}
	if wanted == 0 {
		b.feature("no_group_by")
	}
	for i := range wanted {
		r := pick(b.rng, usable)
		b.noteType(r.column)
		key := groupKey{selected: r.sql, grouped: r.sql, typ: r.column.typ}
		if b.chance(22) {
			b.feature("group_expression")
			key.selected, key.typ = b.groupExpression(r)
			key.grouped = key.selected
		}
		switch b.rng.IntN(4) {
		case 0:
			b.feature("group_position")
			key.grouped = fmt.Sprint(i + 1)
		case 1:
			b.feature("group_alias")
			key.alias = fmt.Sprintf("g%d", i)
			key.grouped = key.alias
		default:
			b.feature("group_column")
		}
		b.keys = append(b.keys, key)
	}
}

// groupExpression is an expression over one occurrence and its type.
func (b *block) groupExpression(r ref) (string, colType) {
	literal := keyLiteral(b.rng, r.column.typ)
	switch b.rng.IntN(5) {
	case 0:
		return r.sql + " IS NULL", typeBoolean
	case 1:
		return fmt.Sprintf("coalesce(%s, %s)", r.sql, literal), r.column.typ
	case 2:
		return fmt.Sprintf("CASE WHEN %s > %s THEN 'high' ELSE 'low' END", r.sql, literal), typeVarchar
	case 3:
		return r.sql + " = " + literal, typeBoolean
	}
	switch {
	case r.column.typ.integer():
		return r.sql + " % 2", r.column.typ
	case r.column.typ == typeVarchar:
		return "lower(" + r.sql + ")", typeVarchar
	case r.column.typ == typeDate:
		return "year(" + r.sql + ")", typeBigint
	case r.column.typ.numeric():
		return "abs(" + r.sql + ")", r.column.typ
	default:
		return "NOT " + r.sql, typeBoolean
	}
}

// aggregate is an aggregate call as text.
type aggregate struct {
	sql string
	// numeric: arithmetic on the result is defined. float: it is DOUBLE. rounded:
	// it is a sum of DOUBLE values that are not exact.
	numeric, float, rounded bool
}

// inexactAggregate is true for aggregates that no predicate, key or order may use.
func (b *block) inexactAggregate(a aggregate) bool { return a.rounded || b.db.floats && a.float }

// makeAggregates chooses one to five aggregates.
func (b *block) makeAggregates() []aggregate {
	count := pick(b.rng, []int{1, 1, 2, 2, 3, 5})
	if count >= 3 {
		b.feature("many_leaves")
	}
	aggregates := make([]aggregate, count)
	for i := range aggregates {
		aggregates[i] = b.aggregate()
	}
	return aggregates
}

func (b *block) aggregate() aggregate {
	measures := b.refs(func(c column) bool { return c.typ.numeric() })
	any := b.refs(func(column) bool { return true })
	kind := b.rng.IntN(10)
	if inner := b.refs(func(c column) bool { return c.sum && c.typ.numeric() }); len(inner) > 0 && b.chance(35) {
		return b.ofInner(pick(b.rng, inner))
	}
	switch {
	case kind == 0 || len(measures) == 0 && kind < 5:
		b.feature("count_star")
		return aggregate{sql: "count(*)", numeric: true}
	case kind == 1:
		b.feature("count")
		r := pick(b.rng, any)
		b.noteMeasure(r)
		return aggregate{sql: "count(" + r.sql + ")", numeric: true}
	case kind < 5:
		b.feature("sum")
		argument, float := b.argument(measures)
		return aggregate{sql: "sum(" + argument + ")", numeric: true, float: float}
	case kind == 5 && len(measures) > 0:
		b.feature("avg")
		argument, _ := b.argument(measures)
		return aggregate{sql: "avg(" + argument + ")", numeric: true, float: true}
	default:
		return b.extremum(any, measures)
	}
}

// ofInner aggregates a function of a derived table's aggregate.
func (b *block) ofInner(r ref) aggregate {
	b.feature("inner_function")
	double := r.column.typ == typeDouble
	if b.chance(20) {
		b.feature("inner_root")
		a := aggregate{sql: fmt.Sprintf("%s(sqrt(abs(%s)))", pick(b.rng, []string{"sum", "avg", "min", "max"}), r.sql), numeric: true, float: true}
		a.rounded = strings.HasPrefix(a.sql, "sum") || strings.HasPrefix(a.sql, "avg")
		b.stmt.rounded = b.stmt.rounded || a.rounded
		b.noteArgument([]ref{r})
		return a
	}
	form := pick(b.rng, []string{
		"abs(%s)", "abs(%s)", "greatest(%s, 0)", "greatest(%s, -1)", "least(%s, 0)", "coalesce(%s, 0)", "%s * 2", "-%s", "%s - 1",
		"abs(%[1]s) + greatest(%[1]s, 0)", "CASE WHEN %[1]s > 0 THEN %[1]s ELSE 0 END",
	})
	name := pick(b.rng, []string{"sum", "sum", "sum", "avg", "min", "max", "count"})
	b.noteArgument([]ref{r})
	return aggregate{sql: fmt.Sprintf("%s(%s)", name, fmt.Sprintf(form, r.sql)), numeric: true, float: double || name == "avg"}
}

// extremum is MIN or MAX of any column, or of an expression over numeric ones.
func (b *block) extremum(any, measures []ref) aggregate {
	name := pick(b.rng, []string{"min", "max"})
	b.feature(name)
	if len(measures) > 0 && b.chance(35) {
		argument, float := b.argument(measures)
		if strings.Contains(argument, "*") {
			b.feature("minmax_product")
		}
		return aggregate{sql: name + "(" + argument + ")", numeric: true, float: float}
	}
	r := pick(b.rng, any)
	b.noteMeasure(r)
	b.terms = max(b.terms, r.column.absMax)
	return aggregate{sql: name + "(" + r.sql + ")", numeric: r.column.typ.numeric(), float: r.column.typ == typeDouble}
}

// noteMeasure records features of a column used as an argument.
func (b *block) noteMeasure(r ref) {
	if r.column.hasNull {
		b.feature("null_measure")
	}
	b.noteType(r.column)
}

// argument is a numeric expression of at most three factors over one or
// several occurrences; float says whether it is DOUBLE.
func (b *block) argument(measures []ref) (sql string, float bool) {
	var factors []ref
	for _, r := range measures {
		if !r.column.sum {
			factors = append(factors, r)
		}
	}
	var used []ref
	one := func(from []ref) string {
		r := pick(b.rng, from)
		used = append(used, r)
		return r.sql
	}
	form := b.rng.IntN(14)
	switch {
	case form < 4 || len(factors) == 0:
		sql = one(measures)
	case form < 6:
		b.feature("arg_product")
		sql = one(factors) + " * " + one(factors)
	case form == 6:
		b.feature("arg_product_three")
		sql = one(factors) + " * " + one(factors) + " * " + one(factors)
	case form == 7:
		b.feature("arg_sum")
		sql = one(factors) + " + " + one(factors)
	case form == 8:
		b.feature("arg_difference")
		sql = one(factors) + " - " + one(factors)
	case form == 9:
		b.feature("arg_negated")
		sql = "-" + one(factors)
	case form == 10:
		b.feature("arg_constant")
		sql = fmt.Sprintf(pick(b.rng, []string{"%s * 2", "%s + 1", "3 * %s", "%s - 1"}), one(factors))
	case form == 11:
		b.feature("arg_product_plus")
		sql = one(factors) + " * " + one(factors) + pick(b.rng, []string{" + ", " - "}) + one(factors)
	case form == 12:
		b.feature("arg_distributed")
		sql = fmt.Sprintf("(%s %s %s) * %s", one(factors), pick(b.rng, []string{"+", "-"}), one(factors), one(factors))
	default:
		b.feature("arg_case")
		r := pick(b.rng, factors)
		used = append(used, r)
		condition := pick(b.rng, b.refsOf(r.occ))
		if b.inexact(condition.column) || condition.column.sum {
			sql = fmt.Sprintf("coalesce(%s, 0)", r.sql)
		} else {
			sql = fmt.Sprintf("CASE WHEN %s THEN %s ELSE 0 END", b.simple(condition), r.sql)
		}
	}
	return sql, b.noteArgument(used)
}

// noteArgument records the columns of an argument and bounds its terms.
func (b *block) noteArgument(used []ref) (float bool) {
	bound := 3.0
	for _, r := range used {
		b.noteMeasure(r)
		bound *= r.column.absMax + 3
		float = float || r.column.typ == typeDouble
	}
	rowsMax := 1
	for _, occ := range b.occs {
		rowsMax *= max(occ.table.rowsMax, 1)
	}
	b.terms = max(b.terms, bound*float64(rowsMax))
	return float
}

// finish writes the block: select list, GROUP BY, HAVING, ORDER BY, LIMIT.
// ordered says whether the order of rows is determined.
func (b *block) finish() (sql string, ordered bool) {
	aggregates := b.makeAggregates()
	var selected, grouped []string
	for _, key := range b.keys {
		item := key.selected
		if key.alias != "" {
			item += " AS " + key.alias
		}
		selected, grouped = append(selected, item), append(grouped, key.grouped)
	}
	for i, a := range aggregates {
		item := a.sql
		if a.numeric && b.chance(15) {
			b.feature("aggregate_expression")
			item = fmt.Sprintf(pick(b.rng, []string{
				"%s + count(*)", "%s / count(*)", "coalesce(%s, 0)", "%s * 2", "%s IS NULL", "-%s", "CASE WHEN %s > 0 THEN 'plus' ELSE 'rest' END",
			}), a.sql)
			if b.inexactAggregate(a) {
				item = a.sql
			}
		}
		if b.chance(50) {
			item += fmt.Sprintf(" AS a%d", i)
		}
		selected = append(selected, item)
	}
	sql = "SELECT " + strings.Join(selected, ", ") + " FROM " + b.from + b.whereClause()
	if len(grouped) > 0 {
		sql += " GROUP BY " + strings.Join(grouped, ", ")
	}
	sql += b.having(aggregates)
	tail, ordered := b.orderAndLimit(aggregates)
	return sql + tail, ordered
}

func (b *block) having(aggregates []aggregate) string {
	if !b.chance(14) {
		return ""
	}
	b.feature("having")
	a := pick(b.rng, aggregates)
	if b.inexactAggregate(a) || !a.numeric {
		return fmt.Sprintf(" HAVING count(*) > %d", b.rng.IntN(3))
	}
	return fmt.Sprintf(pick(b.rng, []string{" HAVING %s > 0", " HAVING %s IS NOT NULL", " HAVING %s <= 3 OR count(*) > 1"}), a.sql)
}

// orderAndLimit orders by all group keys, perhaps after an aggregate, so that
// the order is total; LIMIT and OFFSET only then.
func (b *block) orderAndLimit(aggregates []aggregate) (sql string, total bool) {
	if len(b.keys) == 0 || !b.chance(25) {
		return "", false
	}
	b.feature("order_by")
	direction := func() string { return pick(b.rng, []string{"", "", " DESC", " ASC"}) }
	var items []string
	if a := pick(b.rng, aggregates); b.chance(40) && !b.inexactAggregate(a) {
		items = append(items, a.sql+direction())
	}
	for i, key := range b.keys {
		item := key.selected
		if key.alias != "" {
			item = key.alias
		} else if b.chance(40) {
			item = fmt.Sprint(i + 1)
		}
		items = append(items, item+direction())
	}
	sql = " ORDER BY " + strings.Join(items, ", ")
	if b.chance(40) {
		b.feature("limit")
		sql += fmt.Sprintf(" LIMIT %d", 1+b.rng.IntN(4))
	}
	if b.chance(25) {
		b.feature("offset")
		sql += fmt.Sprintf(" OFFSET %d", b.rng.IntN(3))
	}
	return sql, true
}
