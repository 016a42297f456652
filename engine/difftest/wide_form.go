package difftest

import (
	"fmt"
	"slices"
	"strings"
)

// wideForm makes statements of one form that people write and that the other parts of the
// generator do not; ok is false where the schema has no columns for it.
type wideForm struct {
	name string
	make func(*wideStatement) (sql string, ok bool)
}

var wideForms = []wideForm{
	{"distinct_on", (*wideStatement).distinctOn},
	{"star_exclude", (*wideStatement).starExclude},
	{"columns", (*wideStatement).countedColumns},
	{"except_all", func(w *wideStatement) (string, bool) { return w.setStatementBy("EXCEPT ALL"), true }},
	{"intersect_all", func(w *wideStatement) (string, bool) { return w.setStatementBy("INTERSECT ALL"), true }},
	{"top_scalar", (*wideStatement).topScalar},
	{"top_lateral", (*wideStatement).topLateral},
	{"listing", (*wideStatement).listing},
	{"pivot", (*wideStatement).pivot},
	{"grouping_case", (*wideStatement).groupingCase},
	{"clock", (*wideStatement).clock},
	{"macro", (*wideStatement).macro},
	{"full_chain", (*wideStatement).fullChain},
	{"asof", (*wideStatement).asof},
	{"temp_table", (*wideStatement).overTemporary},
	{"unqualified", (*wideStatement).unqualified},
}

// WideForms are the names of the forms that a long enough run of the wide generator shows,
// as features, with those of its recursions.
func WideForms() []string {
	out := []string{"using_step", "values_base", "step_joins", "step_groups"}
	for _, f := range wideForms {
		out = append(out, f.name)
	}
	return out
}

// form is a statement of one of the forms.
func (w *wideStatement) form() string {
	for range 4 {
		before := len(w.ctes)
		f := pick(w.rng, wideForms)
		if sql, ok := f.make(w); ok {
			w.feature(f.name)
			return sql
		}
		w.ctes = w.ctes[:before]
	}
	return w.topBlock().grouped().sql
}

// plain are up to n columns of which equal values are the same: what stands first in an
// order of all of them is determined.
func (b *wideBlock) plain(n int) []wideColumn {
	columns := slices.DeleteFunc(b.someColumns(len(b.columns)), func(c wideColumn) bool {
		return c.rounded || c.typ.float || c.typ.domain == spans || c.near
	})
	return columns[:min(n, len(columns))]
}

// small are the columns of exact numbers that stay exact in sums and means.
func (b *wideBlock) small() (wideColumn, bool) {
	return b.number(func(c wideColumn) bool { return isExactLeaf(c) && !c.near })
}

func sqlOf(columns []wideColumn) []string {
	out := make([]string, len(columns))
	for i, c := range columns {
		out[i] = c.sql
	}
	return out
}

// distinctOn has the first row of each key in an order of all columns.
func (w *wideStatement) distinctOn() (string, bool) {
	b := w.topBlock()
	columns := sqlOf(b.plain(3))
	if len(columns) < 2 {
		return "", false
	}
	items := make([]string, len(columns))
	for i, c := range columns {
		items[i] = fmt.Sprintf("%s AS a%d", c, i)
	}
	return fmt.Sprintf("SELECT DISTINCT ON (%s) %s FROM %s%s ORDER BY %s", columns[0], strings.Join(items, ", "), b.from, b.whereClause(), strings.Join(columns, ", ")), true
}

// starExclude joins a table without one of its columns.
func (w *wideStatement) starExclude() (string, bool) {
	t := pick(w.rng, w.db.tables)
	if len(t.columns) < 2 {
		return "", false
	}
	n := len(t.columns) - 1
	last, first := t.columns[n].sql, t.columns[0].sql
	b := w.block(nil)
	alias := b.nextAlias()
	star := fmt.Sprintf(pick(w.rng, []string{"* EXCLUDE (%[1]s)", "* EXCLUDE %[1]s REPLACE (%[2]s AS %[2]s)", "COLUMNS(c -> c <> '%[1]s')"}), last, first)
	b.from = fmt.Sprintf("(SELECT %s FROM %s) %s", star, t.name, alias)
	b.columns = b.visible(t.columns[:n], alias)
	b.rowsMax *= max(t.rowsMax, 1)
	right, columns := b.leaf(0)
	b.from += " JOIN " + right + " ON " + b.on(b.columns, columns)
	b.columns = append(b.columns, columns...)
	return b.grouped().sql, true
}

// countedColumns counts the values of all columns of a relation.
func (w *wideStatement) countedColumns() (string, bool) {
	sql, _, _ := w.plainRelation(1, "")
	where := pick(w.rng, []string{"", "", " WHERE COLUMNS(*) IS NOT NULL"})
	return fmt.Sprintf("SELECT count(COLUMNS(*)), count(*) AS n FROM (%s) q%s", sql, where), true
}

// correlatedTop is a query of the first rows in the order of a column among those that are
// equal to a row of b, and that column.
func (b *wideBlock) correlatedTop(limit int) (sql string, value wideColumn, ok bool) {
	inner := b.block(b.columns)
	inner.makeFrom(pick(b.rng, []int{1, 1, 2}), 0)
	if !inner.mayCorrelate() {
		return "", value, false
	}
	link, ok := inner.link(inner.columns, b.columns, "=")
	columns := inner.plain(len(inner.columns))
	if !ok || len(columns) == 0 {
		return "", value, false
	}
	inner.where = append(inner.where, link)
	if p, ok := inner.simple(inner.columns); ok && b.chance(30) {
		inner.where = append(inner.where, p)
	}
	value = pick(b.rng, columns)
	order := pick(b.rng, []string{"", " DESC", " NULLS FIRST", " DESC NULLS LAST"})
	return fmt.Sprintf("SELECT %s AS v FROM %s%s ORDER BY %[1]s%[4]s LIMIT %[5]d", value.sql, inner.from, inner.whereClause(), order, limit), value, true
}

// topScalar counts the rows by the first value of each.
func (w *wideStatement) topScalar() (string, bool) {
	b := w.block(nil)
	b.makeFrom(pick(w.rng, []int{1, 1, 2}), 0)
	top, _, ok := b.correlatedTop(1)
	if !ok {
		return "", false
	}
	return fmt.Sprintf("SELECT v, count(*) AS n FROM (SELECT (%s) AS v FROM %s) q GROUP BY v", top, b.from), true
}

// topLateral joins each row with the first ones that are equal to it.
func (w *wideStatement) topLateral() (string, bool) {
	b := w.block(nil)
	b.makeFrom(pick(w.rng, []int{1, 1, 2}), 0)
	top, value, ok := b.correlatedTop(1 + w.rng.IntN(2))
	if !ok {
		return "", false
	}
	value.sql, value.nullable = "l.v", true
	b.columns = append(b.columns, value)
	b.from += pick(w.rng, []string{", LATERAL (%s) l", " CROSS JOIN LATERAL (%s) l", " LEFT JOIN LATERAL (%s) l ON true"})
	b.from = fmt.Sprintf(b.from, top)
	return b.grouped().sql, true
}

// listing has the aggregates of values in an order.
func (w *wideStatement) listing() (string, bool) { return w.topBlock().listing() }

func (b *wideBlock) listing() (string, bool) {
	w := b.wideStatement
	x, okX := b.small()
	columns := b.plain(len(b.columns))
	if !okX || len(columns) == 0 {
		return "", false
	}
	y := pick(w.rng, columns)
	forms := []string{
		"string_agg(CAST(%[2]s AS VARCHAR), ',' ORDER BY CAST(%[2]s AS VARCHAR))", "list(%[2]s ORDER BY %[2]s)", "median(%[1]s)", "quantile_cont(%[1]s, 0.25)",
		"quantile_disc(%[1]s, 0.5)", "mode(%[2]s)", "mad(%[1]s)", "histogram(%[2]s)", "percentile_cont(0.75) WITHIN GROUP (ORDER BY %[1]s)",
		"first(%[2]s ORDER BY %[2]s)", "last(%[2]s ORDER BY %[2]s DESC)", "arg_max(%[1]s, %[1]s, 2)", "median(DISTINCT %[1]s)",
	}
	items := []string{fmt.Sprintf(pick(w.rng, forms), x.sql, y.sql) + " AS a0", fmt.Sprintf(pick(w.rng, forms), x.sql, y.sql) + " AS a1"}
	keys := b.groupKeys()
	sql := "SELECT " + strings.Join(append(slices.Clone(keys), items...), ", ") + " FROM " + b.from + b.whereClause()
	if len(keys) > 0 {
		sql += " GROUP BY " + strings.Join(keys, ", ")
	}
	return sql, true
}

// pivot turns the rows of a join by a column's values.
func (w *wideStatement) pivot() (string, bool) {
	b := w.topBlock()
	columns := b.plain(len(b.columns))
	x, ok := b.small()
	if !ok || len(columns) < 2 {
		return "", false
	}
	g, p := columns[0], columns[1]
	values := slices.Clone(p.typ.literals)[:2]
	return fmt.Sprintf("PIVOT (SELECT %s AS g, %s AS p, %s AS v FROM %s%s) ON p IN (%s) USING %s GROUP BY g", g.sql, p.sql, x.sql, b.from, b.whereClause(),
		strings.Join(values, ", "), pick(w.rng, []string{"sum(v)", "count(*)", "max(v) AS m, count(v) AS n"})), true
}

// groupingCase names the totals of a rollup.
func (w *wideStatement) groupingCase() (string, bool) {
	b := w.topBlock()
	columns := sqlOf(b.plain(2))
	if len(columns) == 0 {
		return "", false
	}
	a := b.aggregate()
	items := fmt.Sprintf("CASE WHEN grouping(%s) = 1 THEN 'total' ELSE CAST(%[1]s AS VARCHAR) END AS g, %[2]s AS a0", columns[0], a.sql)
	return fmt.Sprintf("SELECT %s FROM %s%s GROUP BY %s (%s)", items, b.from, b.whereClause(), pick(w.rng, []string{"ROLLUP", "CUBE"}), strings.Join(columns, ", ")), true
}

// clock compares times with that of the transaction.
func (w *wideStatement) clock() (string, bool) {
	var b *wideBlock
	var times []wideColumn
	for range 3 { // few tables have times
		b = w.topBlock()
		times = slices.DeleteFunc(slices.Clone(b.columns), func(c wideColumn) bool { return c.typ.domain != instants && c.typ.domain != zoned })
		if len(times) > 0 {
			break
		}
	}
	if len(times) == 0 {
		return "", false
	}
	c := pick(w.rng, times)
	form := pick(w.rng, []string{"%s < current_date", "CAST(%s AS DATE) <= current_date - 30", "%s >= current_date - INTERVAL '100 years'", "%s IS NULL OR current_date > %[1]s"})
	if c.typ.domain == zoned {
		form = pick(w.rng, []string{"%s < now()", "%s <= current_timestamp", "now() - INTERVAL '1 year' > %s"})
	}
	b.where = append(b.where, "("+fmt.Sprintf(form, c.sql)+")")
	return b.grouped().sql, true
}

// macros are those of every schema.
var macros = []string{
	"CREATE OR REPLACE MACRO added(x, y) AS x + y",
	"CREATE OR REPLACE MACRO present(x, y) AS coalesce(x, y) IS NOT NULL",
	"CREATE OR REPLACE MACRO kept(n) AS TABLE SELECT * FROM t0 WHERE k IS NOT NULL OR n > 1",
}

// macro calls macros, over columns and as a table.
func (w *wideStatement) macro() (string, bool) {
	b := w.block(nil)
	alias := b.nextAlias()
	t := w.db.tables[0]
	b.from, b.columns = fmt.Sprintf("kept(%d) %s", 1+w.rng.IntN(2), alias), b.visible(t.columns, alias)
	b.rowsMax = max(t.rowsMax, 1)
	right, columns := b.leaf(0)
	b.from += pick(w.rng, []string{" JOIN ", " LEFT JOIN "}) + right + " ON " + b.on(b.columns, columns)
	b.columns = append(b.columns, columns...)
	x, okX := b.small()
	y, okY := b.small()
	if !okX || !okY {
		return "", false
	}
	if w.chance(50) {
		b.where = append(b.where, fmt.Sprintf("present(%s, %s)", x.sql, y.sql))
	}
	return fmt.Sprintf("SELECT present(%[1]s, %[2]s) AS p, sum(added(CAST(%[1]s AS BIGINT), CAST(%[2]s AS BIGINT))) AS s, count(*) AS n FROM %[3]s%[4]s GROUP BY ALL", x.sql, y.sql, b.from, b.whereClause()), true
}

// fullChain joins several tables, all with all that they lack.
func (w *wideStatement) fullChain() (string, bool) {
	b := w.block(nil)
	b.from, b.columns = b.leaf(0)
	for range 2 + w.rng.IntN(3) {
		right, columns := b.leaf(0)
		condition, ok := b.link(b.columns, columns, "=")
		if !ok {
			return "", false
		}
		b.from += " FULL JOIN " + right + " ON " + condition
		b.columns = append(padded(b.columns), padded(columns)...)
	}
	if w.chance(30) {
		b.makeWhere(false)
	}
	return b.grouped().sql, true
}

// asof joins each row of a table with the last group of another before it.
func (w *wideStatement) asof() (string, bool) {
	t, from, to := w.edges()
	if t == nil || from.typ.float || from.typ.domain == spans {
		return "", false
	}
	b := w.block(nil)
	left, columns := b.leaf(0)
	link, ok := b.link(columns, []wideColumn{{sql: "before.a", typ: from.typ, key: true, nullable: true, absMax: from.absMax}}, "=")
	after, okAfter := b.link(columns, []wideColumn{{sql: "before.b", typ: to.typ, key: true, nullable: true, absMax: to.absMax}}, pick(w.rng, []string{">=", ">", "<=", "<"}))
	if !ok || !okAfter {
		return "", false
	}
	b.from = fmt.Sprintf("%s ASOF %sJOIN (SELECT %s AS a, %s AS b, count(*) AS n FROM %s GROUP BY ALL) before ON %s AND %s", left, pick(w.rng, []string{"", "LEFT "}),
		from.sql, to.sql, t.name, link, after)
	b.columns = append(columns, wideColumn{sql: "before.n", typ: typeNamed("BIGINT"), absMax: wideRowsMax, nullable: true}, wideColumn{sql: "before.b", typ: to.typ, key: true, nullable: true, absMax: to.absMax})
	if w.chance(50) {
		right, columns := b.leaf(0)
		b.from += " JOIN " + right + " ON " + b.on(b.columns, columns)
		b.columns = append(b.columns, columns...)
	}
	return b.grouped().sql, true
}

// temporaryName is the temporary table of every session: a copy of the first table as it
// was at first.
const temporaryName = "kept_rows"

// overTemporary joins the temporary table.
func (w *wideStatement) overTemporary() (string, bool) {
	b := w.block(nil)
	alias := b.nextAlias()
	b.from, b.columns = temporaryName+" "+alias, b.visible(w.db.tables[0].columns, alias)
	for i := range b.columns {
		b.columns[i].nullable = true
	}
	b.rowsMax = wideRowsMax
	right, columns := b.leaf(0)
	b.from += pick(w.rng, []string{" JOIN ", " LEFT JOIN "}) + right + " ON " + b.on(b.columns, columns)
	b.columns = append(b.columns, columns...)
	return b.grouped().sql, true
}

// unqualified reads one table by the names of its columns alone, and the number of its rows
// beside them.
func (w *wideStatement) unqualified() (string, bool) {
	t := pick(w.rng, w.db.tables)
	b := w.block(nil)
	b.from, b.rowsMax = t.name, max(t.rowsMax, 1)
	b.columns = append(slices.Clone(t.columns), wideColumn{sql: "rowid", typ: typeNamed("BIGINT"), absMax: wideRowsMax})
	b.sources++
	b.makeWhere(false)
	if w.chance(50) {
		return b.listing()
	}
	return b.grouped().sql, true
}
