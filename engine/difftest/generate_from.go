package difftest

import (
	"fmt"
	"slices"
	"strings"
)

// makeFrom chooses occurrences and how they are joined. nesting is how many
// levels of derived tables may still be used.
func (b *block) makeFrom(nesting int) {
	wanted := pick(b.rng, []int{1, 2, 2, 2, 2, 3, 3, 3, 4})
	tables := make([]*table, wanted)
	for i := range tables {
		if i > 0 && tables[i-1].cte && b.chance(40) {
			tables[i] = tables[i-1]
			continue
		}
		tables[i] = b.chooseTable(nesting)
	}
	switch {
	case wanted == 1:
		b.feature("single_table")
		b.from = b.add(tables[0])
	case wanted == 2 && b.chance(20) && b.joinNatural(tables):
	case b.chance(25) && b.joinUsing(tables):
	default:
		b.joinByLinks(tables)
	}
	b.noteOccurrences()
}

// chooseTable is a base table, or now and then a derived table or CTE.
func (b *block) chooseTable(nesting int) *table {
	if nesting > 0 && b.chance(12) {
		return b.derived(nesting - 1)
	}
	return pick(b.rng, b.db.tables)
}

// add appends an occurrence and returns its text for FROM.
func (b *block) add(t *table) string {
	plainTaken := slices.ContainsFunc(b.occs, func(o occurrence) bool { return o.alias == t.plain })
	if t.plain != "" && !plainTaken && b.chance(20) {
		b.feature("alias_as_table_name")
		b.occs = append(b.occs, occurrence{t.plain, t})
		return t.name
	}
	alias := b.nextAlias()
	b.occs = append(b.occs, occurrence{alias, t})
	return t.name + pick(b.rng, []string{" ", " AS "}) + alias
}

// noteOccurrences records the features that follow from the tables used.
func (b *block) noteOccurrences() {
	for i, occ := range b.occs {
		t := occ.table
		for _, other := range b.occs[:i] {
			if other.table == t {
				b.feature("self_join")
			}
		}
		if t.rowsMax == 0 {
			b.feature("empty_table")
		}
		if t.qualified {
			b.feature("schema_qualified")
		}
		if t.quoted {
			b.feature("quoted_name")
		}
		for _, c := range t.columns {
			if strings.HasPrefix(c.name, `"`) {
				b.feature("quoted_name")
			}
		}
	}
}

// sharedNames returns the columns two tables have in common by name.
func sharedNames(x, y *table) []column {
	var shared []column
	for _, c := range x.columns {
		if slices.ContainsFunc(y.columns, func(d column) bool { return d.name == c.name && d.typ == c.typ }) {
			shared = append(shared, c)
		}
	}
	return shared
}

// joinNatural reports false when the tables have nothing to join on.
func (b *block) joinNatural(tables []*table) bool {
	shared := sharedNames(tables[0], tables[1])
	if len(shared) == 0 || slices.ContainsFunc(shared, b.inexact) {
		return false
	}
	b.feature("natural_join")
	b.noteKeys(shared...)
	left := b.add(tables[0])
	b.from = left + " NATURAL JOIN " + b.add(tables[1])
	return true
}

// joinUsing joins all tables on the key column k, if each has it.
func (b *block) joinUsing(tables []*table) bool {
	var using []column
	for _, t := range tables {
		at := slices.IndexFunc(t.columns, func(c column) bool { return c.name == "k" })
		if at < 0 {
			return false
		}
		using = append(using, t.columns[at])
	}
	b.feature("using_join")
	b.noteKeys(using...)
	b.from = b.add(tables[0])
	for _, t := range tables[1:] {
		b.from += " JOIN " + b.add(t) + " USING (k)"
	}
	return true
}

// noteKeys records features of columns used as join keys.
func (b *block) noteKeys(columns ...column) {
	for _, c := range columns {
		if c.hasNull {
			b.feature("null_key")
		}
		if c.typ == typeVarchar {
			b.feature("string_key")
		}
		b.noteType(c)
	}
}

func (b *block) noteType(c column) {
	if name, ok := typeFeature[c.typ]; ok {
		b.feature(name)
	}
}

// joinByLinks joins by equalities written in WHERE or ON; an occurrence
// without a link is a cross product, perhaps with a mask.
func (b *block) joinByLinks(tables []*table) {
	comma := b.chance(45)
	b.from = b.add(tables[0])
	for i, t := range tables[1:] {
		item := b.add(t)
		links := b.links(i + 1)
		switch {
		case comma:
			b.feature("comma_join")
			b.from += ", " + item
			b.where = append(b.where, links...)
		case len(links) == 0 || b.chance(8):
			b.feature("cross_join")
			b.from += " CROSS JOIN " + item
			b.where = append(b.where, links...)
		default:
			b.feature("join_on")
			b.from += " " + pick(b.rng, []string{"JOIN", "INNER JOIN"}) + " " + item + " ON " + strings.Join(links, " AND ")
		}
	}
}

// links are the conditions between occurrence n and those before it.
func (b *block) links(n int) []string {
	var equalities, masks []string
	for range 1 + b.rng.IntN(2) {
		link, ok := b.link(n, []string{"="})
		if ok && !slices.Contains(equalities, link) && !slices.Contains(equalities, flipped(link)) {
			equalities = append(equalities, link)
		}
	}
	onlyMask := len(equalities) == 0 || b.chance(12)
	if onlyMask {
		equalities = nil
	}
	if onlyMask && b.chance(70) || b.chance(10) {
		if mask, ok := b.link(n, []string{"<>", "<", "<=", ">", ">="}); ok {
			masks = append(masks, mask)
			b.feature("mask")
			if onlyMask {
				b.feature("mask_only_link")
			}
		}
	}
	if len(equalities) > 1 {
		b.feature("cycle")
	}
	return append(equalities, masks...)
}

// flipped is an equality with its sides exchanged.
func flipped(equality string) string {
	left, right, _ := strings.Cut(equality, " = ")
	return right + " = " + left
}

// link compares a column of occurrence n with one of the same type before it.
// Equalities prefer key columns, which have few values.
func (b *block) link(n int, operators []string) (string, bool) {
	type pair struct{ left, right ref }
	var all, keyed []pair
	for _, right := range b.refsOf(n) {
		for _, left := range b.refs(func(c column) bool { return c.typ == right.column.typ }) {
			if left.occ >= n || b.inexact(right.column) || left.column.sum || right.column.sum {
				continue
			}
			all = append(all, pair{left, right})
			if left.column.key && right.column.key {
				keyed = append(keyed, pair{left, right})
			}
		}
	}
	if len(keyed) > 0 && (operators[0] == "=" || b.chance(40)) {
		all = keyed
	}
	if len(all) == 0 {
		return "", false
	}
	chosen := pick(b.rng, all)
	b.noteKeys(chosen.left.column, chosen.right.column)
	if b.chance(30) {
		chosen.left, chosen.right = chosen.right, chosen.left
	}
	return fmt.Sprintf("%s %s %s", chosen.left.sql, pick(b.rng, operators), chosen.right.sql), true
}

// derived builds an aggregated block and wraps it as a table: in place, or as a
// common table expression.
func (b *block) derived(nesting int) *table {
	inner := &block{rng: b.rng, db: b.db, stmt: b.stmt}
	inner.makeFrom(nesting)
	inner.makeWhere()
	t := &table{rowsMax: 1}
	for _, occ := range inner.occs {
		t.rowsMax *= max(occ.table.rowsMax, 1)
		t.depth = max(t.depth, occ.table.depth)
	}
	t.depth++
	if t.depth > 1 {
		b.feature("three_deep")
	}
	sql := inner.derivedSelect(t)
	if b.chance(35) {
		b.feature("cte")
		t.name, t.cte = fmt.Sprintf("w%d", len(b.stmt.ctes)), true
		t.plain = t.name
		b.stmt.ctes = append(b.stmt.ctes, t.name+" AS ("+sql+")")
		return t
	}
	b.feature("derived_table")
	t.name = "(" + sql + ")"
	return t
}

// derivedSelect groups by one or two key columns and adds a count and one more
// aggregate; the columns go to t. Averages stay outside: their sums would not be exact.
func (b *block) derivedSelect(t *table) string {
	var selected, grouped []string
	keys := b.refs(func(c column) bool { return c.key && !b.inexact(c) })
	if len(keys) > 0 && b.chance(85) {
		key := pick(b.rng, keys)
		selected, grouped = append(selected, key.sql), append(grouped, key.sql)
		t.columns = append(t.columns, key.column)
		if other := pick(b.rng, keys); b.chance(35) && other.column.name != key.column.name {
			b.feature("derived_two_keys")
			selected, grouped = append(selected, other.sql), append(grouped, other.sql)
			t.columns = append(t.columns, other.column)
		}
	}
	suffix := fmt.Sprint(b.stmt.derived)
	b.stmt.derived++
	selected = append(selected, "count(*) AS n"+suffix)
	t.columns = append(t.columns, column{name: "n" + suffix, typ: typeBigint, absMax: float64(t.rowsMax)})
	sum := ""
	if measures := b.refs(func(c column) bool { return c.typ.numeric() }); len(measures) > 0 {
		sum = b.derivedMeasure(t, pick(b.rng, measures), suffix)
		selected = append(selected, sum+" AS s"+suffix)
	}
	sql := "SELECT " + strings.Join(selected, ", ") + " FROM " + b.from + b.whereClause()
	if len(grouped) == 0 {
		return sql
	}
	return sql + " GROUP BY " + strings.Join(grouped, ", ") + b.derivedHaving(t, sum)
}

// derivedMeasure is an aggregate of a derived table, or a function of one, with
// its column.
func (b *block) derivedMeasure(t *table, m ref, suffix string) string {
	b.noteMeasure(m)
	c := column{name: "s" + suffix, typ: sumType(m.column.typ), sum: true, absMax: m.column.absMax * float64(t.rowsMax), hasNull: true}
	name := "sum"
	if b.chance(30) {
		name = pick(b.rng, []string{"min", "max"})
		c.typ, c.absMax = m.column.typ, m.column.absMax
	}
	t.columns = append(t.columns, c)
	sql := fmt.Sprintf("%s(%s)", name, m.sql)
	if b.chance(25) {
		b.feature("derived_expression")
		sql = fmt.Sprintf(pick(b.rng, []string{"abs(%s)", "coalesce(%s, 0)", "greatest(%s, 0)", "-%s"}), sql)
	}
	return sql
}

// derivedHaving is a condition on a derived table's aggregates.
func (b *block) derivedHaving(t *table, sum string) string {
	if !b.chance(20) {
		return ""
	}
	b.feature("having")
	b.feature("derived_having")
	last := t.columns[len(t.columns)-1]
	if sum != "" && !b.inexact(last) && b.chance(50) {
		return fmt.Sprintf(pick(b.rng, []string{" HAVING %s > 0", " HAVING %s IS NOT NULL", " HAVING %s < 3 OR count(*) > 1", " HAVING NOT (%s <> 0)"}), sum)
	}
	return fmt.Sprintf(" HAVING count(*) > %d", b.rng.IntN(2))
}

// sumType is DuckDB's type of a sum.
func sumType(t colType) colType {
	switch t {
	case typeDouble:
		return typeDouble
	case typeDecimal, typeDecimal38:
		return typeDecimal38
	default:
		return typeHugeint
	}
}
