package difftest

import (
	"fmt"
	"strings"
)

// hosted is a statement that DuckDB executes over the rows of an aggregate query,
// which is the tensor engine's: windows over it, beside it, or QUALIFY, or rows that
// read it by their values. Ranks and not row numbers, for equal rows change places.
func (w *wideStatement) hosted() string {
	w.feature("hosted")
	switch w.rng.IntN(6) {
	case 0:
		return w.overGroups()
	case 1:
		return w.besideAggregates()
	case 2, 3:
		return w.besideRows()
	default:
		return w.overNamed()
	}
}

// windows are window calls over the exact columns of a relation.
func (w *wideStatement) windows(columns []string) string {
	order, one := strings.Join(columns, ", "), pick(w.rng, columns)
	return fmt.Sprintf(pick(w.rng, []string{
		"rank() OVER (ORDER BY %[1]s)", "dense_rank() OVER (ORDER BY %[2]s DESC NULLS LAST)", "count(*) OVER (PARTITION BY %[2]s)",
		"max(%[2]s) OVER ()", "count(%[2]s) OVER (ORDER BY %[1]s)", "lag(%[2]s) OVER (ORDER BY %[1]s)",
	}), order, one)
}

// named is an aggregate query as q, whose columns are c0, c1, .., and the names
// of the exact ones.
func (w *wideStatement) named() (from string, exact []string) {
	s := w.topBlock().grouped()
	var all []string
	for n, item := range s.items {
		name := fmt.Sprintf("c%d", n)
		all = append(all, name)
		if !item.rounded {
			exact = append(exact, name)
		}
	}
	return fmt.Sprintf("(%s) q(%s)", s.sql, strings.Join(all, ", ")), exact
}

// overNamed has windows over a derived table, or a CTE, that is grouped.
func (w *wideStatement) overNamed() string {
	from, exact := w.named()
	if len(exact) == 0 {
		return "SELECT * FROM " + from
	}
	w.feature("window")
	sql := "SELECT *, " + w.windows(exact) + " AS v FROM " + from
	if w.chance(35) {
		w.feature("qualify")
		sql += " QUALIFY " + w.rank(exact) + " <= 2"
	}
	return sql
}

func (w *wideStatement) rank(columns []string) string {
	return fmt.Sprintf("rank() OVER (ORDER BY %s)", strings.Join(columns, ", "))
}

// overGroups aggregates the groups in a way that is DuckDB's alone. Which of two
// spellings equal intervals, 0 and -0, or NaN of either sign have is open.
func (w *wideStatement) overGroups() string {
	w.feature("hosted_list")
	from, exact := w.named()
	if len(exact) == 0 {
		return "SELECT * FROM " + from
	}
	one := pick(w.rng, exact)
	text := "regexp_replace(replace(replace(CAST(" + one + " AS VARCHAR), '1 month', '30 days'), '720:00:00', '30 days'), '^-(0[.]0|nan)$', '\\1')"
	return fmt.Sprintf("SELECT string_agg(%s, ',' ORDER BY %[1]s) AS l, count(*) AS n FROM %s", text, from)
}

// besideAggregates has windows in the select list of the aggregate query itself.
func (w *wideStatement) besideAggregates() string {
	w.feature("window_beside")
	b := w.topBlock()
	keys := b.groupKeys()
	a := b.aggregate()
	order := a.sql
	if a.rounded {
		order = "count(*)"
	}
	items := append([]string(nil), keys...)
	items = append(items, a.sql+" AS a0", fmt.Sprintf("%s OVER (ORDER BY %s) AS v", pick(w.rng, []string{"rank()", "dense_rank()", "count(*)"}), order))
	sql := "SELECT " + strings.Join(items, ", ") + " FROM " + b.from + b.whereClause()
	if len(keys) > 0 {
		sql += " GROUP BY " + strings.Join(keys, ", ")
	}
	if w.chance(30) {
		w.feature("qualify")
		sql += fmt.Sprintf(" QUALIFY rank() OVER (ORDER BY %s) <= 2", order)
	}
	return sql
}

// besideRows lists rows, each with aggregates of the rows that are equal to it in a
// column: in the select list, in WHERE, or in a LATERAL block, with or without groups.
func (w *wideStatement) besideRows() string {
	b := w.block(nil)
	b.makeFrom(pick(w.rng, []int{1, 1, 2}), 1)
	b.makeWhere(b.chance(30))
	inner := b.block(b.columns)
	inner.makeFrom(pick(w.rng, []int{1, 2, 2}), pick(w.rng, []int{0, 0, 1}))
	if !inner.mayCorrelate() {
		return w.overNamed()
	}
	for range pick(w.rng, []int{1, 1, 1, 2}) {
		if link, ok := inner.link(inner.columns, b.columns, "="); ok {
			inner.where = append(inner.where, link)
		}
	}
	if p, ok := inner.simple(inner.columns); ok && b.chance(30) {
		inner.where = append(inner.where, p)
	}
	items := []string{"1 AS one"}
	for n, c := range b.someColumns(2) {
		if !c.rounded {
			items = append(items, fmt.Sprintf("%s AS b%d", c.sql, n))
		}
	}
	from := b.from
	if b.chance(45) {
		w.feature("lateral")
		from += ", LATERAL (" + inner.grouped().sql + ") l"
		return "SELECT " + strings.Join(append(items, "l.*"), ", ") + " FROM " + from + b.whereClause()
	}
	w.feature("listed_scalar")
	a := inner.aggregate()
	body := " FROM " + inner.from + inner.whereClause()
	switch exact := a.numeric && !a.rounded; {
	case exact && b.chance(25):
		b.where = append(b.where, "(SELECT "+a.sql+body+")"+pick(w.rng, []string{" > 0", " < 2", " IS NULL"}))
	case exact && b.chance(25):
		a.sql = fmt.Sprintf(pick(w.rng, []string{"coalesce(%s, 0)", "%s * 2", "%s IS NULL", "CASE WHEN %s > 0 THEN 'plus' ELSE 'rest' END"}), a.sql)
		fallthrough
	default:
		items = append(items, "(SELECT "+a.sql+body+") AS x")
	}
	return "SELECT " + strings.Join(items, ", ") + " FROM " + from + b.whereClause()
}

// write is a statement that writes what an aggregate query says.
func (w *wideStatement) write() Query {
	w.feature("write")
	t := pick(w.rng, w.db.tables)
	var sql, check string
	switch w.rng.IntN(4) {
	case 0:
		w.feature("create_as")
		from, _ := w.named()
		sql, check = "CREATE TABLE made AS "+w.with()+"SELECT * FROM "+from, "SELECT * FROM made"
	case 1:
		w.feature("insert_select")
		b := w.topBlock()
		c := pick(w.rng, t.columns)
		value, key := fmt.Sprintf("CAST(%s AS %s)", pick(w.rng, c.typ.literals), c.typ.sql), pick(w.rng, b.columns).sql
		for range 8 {
			if x := pick(w.rng, b.columns); x.typ == c.typ && !x.rounded {
				value, key = x.sql, x.sql
				break
			}
		}
		sql = fmt.Sprintf("INSERT INTO %s (%s) %sSELECT %s FROM %s%s GROUP BY %s", t.name, c.sql, w.with(), value, b.from, b.whereClause(), key)
		check = "SELECT * FROM " + t.name
	case 2:
		w.feature("update_by")
		c := pick(w.rng, t.columns)
		sql = fmt.Sprintf("UPDATE %s SET %s = %s WHERE %s", t.name, c.sql, pick(w.rng, c.typ.literals), w.rowsByGroups(t))
		check = "SELECT * FROM " + t.name
	default:
		w.feature("delete_by")
		sql = fmt.Sprintf("DELETE FROM %s WHERE %s", t.name, w.rowsByGroups(t))
		check = "SELECT * FROM " + t.name
	}
	w.ctes = nil // they are in the text
	q := w.finish(sql, false)
	q.Check = check
	return q
}

// rowsByGroups is a condition on a table's rows by an aggregate query.
func (w *wideStatement) rowsByGroups(t *wideTable) string {
	b := w.block(nil)
	b.makeFrom(pick(b.rng, []int{1, 2, 2}), 0)
	b.makeWhere(false)
	for range 8 {
		x, y := pick(b.rng, t.columns), pick(b.rng, b.columns)
		if x.typ.domain == y.typ.domain && !y.rounded {
			return fmt.Sprintf("%s.%s IN (SELECT %s FROM %s%s GROUP BY %[3]s HAVING count(*) %[6]s)", t.name, x.sql, y.sql, b.from, b.whereClause(), pick(b.rng, []string{"> 1", "< 3", "= 2"}))
		}
	}
	return fmt.Sprintf("(SELECT count(*) FROM %s%s) > %d", b.from, b.whereClause(), b.rng.IntN(4))
}
