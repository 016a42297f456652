package difftest

import (
	"fmt"
	"slices"
	"strings"
)

// wideBlock builds one SELECT block of the wide generator.
type wideBlock struct {
	*wideStatement
	// outer are the columns of the blocks around, for correlation.
	outer []wideColumn
	// columns are those of FROM.
	columns []wideColumn
	sources int
	from    string
	where   []string
	rowsMax int
}

func (w *wideStatement) block(outer []wideColumn) *wideBlock {
	return &wideBlock{wideStatement: w, outer: outer, rowsMax: 1}
}

// makeFrom joins so many elements; depth is how far derived tables may nest.
func (b *wideBlock) makeFrom(leaves, depth int) {
	b.from, b.columns = b.tree(leaves, depth)
	if leaves > 1 && b.chance(6) {
		b.besideComma(depth)
	}
}

// besideComma adds an element after a comma, which WHERE links to the others.
func (b *wideBlock) besideComma(depth int) {
	right, columns := b.leaf(depth)
	link, ok := b.link(b.columns, columns, "=")
	if !ok {
		link = "true"
	}
	b.feature("comma_join")
	b.where = append(b.where, link)
	b.from, b.columns = b.from+", "+right, append(b.columns, columns...)
}

// tree is a join tree with so many leaves, as text and with its columns.
func (b *wideBlock) tree(leaves, depth int) (string, []wideColumn) {
	if leaves == 1 {
		return b.leaf(depth)
	}
	nested := 1
	if leaves > 2 && b.chance(50) {
		nested = 1 + b.rng.IntN(leaves-1)
	}
	left, leftColumns := b.tree(leaves-nested, depth)
	right, rightColumns := b.tree(nested, depth)
	if nested > 1 {
		b.feature("nested_join")
		right = "(" + right + ")"
	}
	if b.chance(5) {
		b.feature("semi_join")
		kind := pick(b.rng, []string{" SEMI JOIN ", " ANTI JOIN "})
		if b.chance(10) && sameKey(leftColumns, rightColumns) {
			return left + kind + right + " USING (k)", leftColumns
		}
		return left + kind + right + " ON " + b.on(leftColumns, rightColumns), leftColumns
	}
	kind := pick(b.rng, []string{"JOIN", "JOIN", "JOIN", "LEFT JOIN", "LEFT JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN", "CROSS JOIN"})
	if kind == "CROSS JOIN" {
		b.feature("cross_join")
		return left + " CROSS JOIN " + right, slices.Concat(leftColumns, rightColumns)
	}
	b.feature(map[string]string{"JOIN": "inner_join", "LEFT JOIN": "left_join", "RIGHT JOIN": "right_join", "FULL JOIN": "full_join"}[kind])
	on := " ON " + b.on(leftColumns, rightColumns)
	if b.chance(8) && sameKey(leftColumns, rightColumns) {
		b.feature("using_join")
		on = " USING (k)"
	}
	var merged []wideColumn
	if condition, ok := strings.CutPrefix(on, " ON "); ok && kind == "FULL JOIN" && b.chance(50) {
		condition, merged = b.merge(condition, leftColumns, rightColumns)
		on = " ON " + condition
	}
	if kind == "RIGHT JOIN" || kind == "FULL JOIN" {
		leftColumns = padded(leftColumns)
	}
	if kind == "LEFT JOIN" || kind == "FULL JOIN" {
		rightColumns = padded(rightColumns)
	}
	if merged != nil && b.chance(60) {
		leftColumns = slices.DeleteFunc(slices.Clone(leftColumns), func(c wideColumn) bool { return c.key })
		rightColumns = slices.DeleteFunc(slices.Clone(rightColumns), func(c wideColumn) bool { return c.key })
	}
	return left + " " + kind + " " + right + on, slices.Concat(leftColumns, rightColumns, merged)
}

// sameKey reports whether each side has one column k, and the two can be compared.
func sameKey(left, right []wideColumn) bool {
	var found [2][]wideColumn
	for i, side := range [][]wideColumn{left, right} {
		for _, c := range side {
			if strings.HasSuffix(c.sql, ".k") {
				found[i] = append(found[i], c)
			}
		}
	}
	return len(found[0]) == 1 && len(found[1]) == 1 && found[0][0].typ.domain == found[1][0].typ.domain
}

// merge equates a key of each side of a FULL JOIN, in ON with what else it may say,
// and returns the column that USING makes of the two.
func (b *wideBlock) merge(on string, left, right []wideColumn) (string, []wideColumn) {
	for range 8 {
		l, r := pick(b.rng, left), pick(b.rng, right)
		if !l.key || !r.key || l.typ.domain != r.typ.domain || l.typ != r.typ && !(l.typ.integer && r.typ.integer) {
			continue
		}
		b.feature("merged_columns")
		b.noteKey(l)
		b.noteKey(r)
		both := l.united(r)
		both.nullable = true
		both.sql = fmt.Sprintf("coalesce(%s, %s)", l.sql, r.sql)
		equality := l.sql + " = " + r.sql
		if b.chance(75) {
			return equality, []wideColumn{both}
		}
		return equality + " AND (" + on + ")", []wideColumn{both}
	}
	return on, nil
}

func padded(columns []wideColumn) []wideColumn {
	out := slices.Clone(columns)
	for i := range out {
		out[i].nullable = true
	}
	return out
}

// on are the conditions between two sides.
func (b *wideBlock) on(left, right []wideColumn) string {
	if b.chance(6) {
		if link, ok := b.link(left, right, pick(b.rng, []string{"<", "<=", ">", ">=", "<>"})); ok {
			b.feature("inequality_join")
			return link
		}
	}
	var conjuncts []string
	if link, ok := b.link(left, right, "="); ok && !b.chance(8) {
		conjuncts = append(conjuncts, link)
	}
	if b.chance(20) {
		if link, ok := b.link(left, right, "="); ok {
			b.feature("on_two_equalities")
			conjuncts = append(conjuncts, link)
		}
	}
	if b.chance(10) {
		if link, ok := b.link(left, right, "IS NOT DISTINCT FROM"); ok {
			b.feature("null_safe_join")
			conjuncts = append(conjuncts, link)
		}
	}
	if b.chance(12) {
		if link, ok := b.link(left, right, pick(b.rng, []string{"<", "<=", ">", "<>", "IS DISTINCT FROM"})); ok {
			b.feature("on_inequality")
			conjuncts = append(conjuncts, link)
		}
	}
	if b.chance(6) {
		if p, ok := b.across(1, left, right); ok {
			b.feature("on_tree")
			conjuncts = append(conjuncts, p)
		}
	}
	if b.chance(15) {
		if p, ok := b.simple(right); ok {
			b.feature("on_right_side")
			conjuncts = append(conjuncts, p)
		}
	}
	if b.chance(15) {
		if p, ok := b.simple(left); ok {
			b.feature("on_left_side")
			conjuncts = append(conjuncts, p)
		}
	}
	if len(conjuncts) == 0 {
		return "true"
	}
	if len(conjuncts) > 1 && b.chance(8) {
		b.feature("on_or")
		return "(" + strings.Join(conjuncts, " OR ") + ")"
	}
	return strings.Join(conjuncts, " AND ")
}

// link compares a column of each side; keys are preferred.
func (b *wideBlock) link(left, right []wideColumn, operator string) (string, bool) {
	type pair struct{ l, r wideColumn }
	var all, keyed []pair
	for _, l := range left {
		for _, r := range right {
			if l.typ.domain != r.typ.domain || l.rounded || r.rounded {
				continue
			}
			all = append(all, pair{l, r})
			if l.key && r.key {
				keyed = append(keyed, pair{l, r})
			}
		}
	}
	if len(keyed) > 0 && b.chance(85) {
		all = keyed
	}
	if len(all) == 0 {
		return "", false
	}
	p := pick(b.rng, all)
	b.noteKey(p.l)
	b.noteKey(p.r)
	if p.l.typ != p.r.typ {
		b.feature("mixed_key_types")
	}
	if isSmallInteger(p.l) && p.r.typ.integer && b.chance(6) {
		b.feature("key_expression")
		return fmt.Sprintf("%s + 1 %s %s", p.l.sql, operator, p.r.sql), true
	}
	return fmt.Sprintf("%s %s %s", p.l.sql, operator, p.r.sql), true
}

// leaf is one element of FROM.
func (b *wideBlock) leaf(depth int) (string, []wideColumn) {
	if depth > 0 && b.chance(30) {
		return b.derivedLeaf(depth - 1)
	}
	t := pick(b.rng, b.db.tables)
	b.rowsMax *= max(t.rowsMax, 1)
	if t.rowsMax == 0 {
		b.feature("empty_table")
	}
	alias := b.nextAlias()
	return t.name + " " + alias, b.visible(t.columns, alias)
}

func (w *wideStatement) nextAlias() string {
	w.aliases++
	return fmt.Sprintf("r%d", w.aliases)
}

// visible are a relation's columns under an alias.
func (b *wideBlock) visible(columns []wideColumn, alias string) []wideColumn {
	out := slices.Clone(columns)
	for i := range out {
		out[i].sql, out[i].source = alias+"."+out[i].sql, b.sources
	}
	b.sources++
	return out
}

// derivedLeaf is a derived table or a reference to a common table expression,
// perhaps one that stands elsewhere already.
func (b *wideBlock) derivedLeaf(depth int) (string, []wideColumn) {
	alias := b.nextAlias()
	if len(b.ctes) > 0 && b.chance(75) {
		b.feature("cte_again")
		c := pick(b.rng, b.ctes)
		b.rowsMax *= c.rowsMax
		return c.name + " " + alias, b.visible(c.columns, alias)
	}
	sql, columns, rowsMax := b.relation(depth)
	b.rowsMax *= rowsMax
	if b.chance(25) {
		b.feature("cte")
		c := wideCTE{name: fmt.Sprintf("w%d", len(b.ctes)), sql: sql, columns: columns, rowsMax: rowsMax}
		b.ctes = append(b.ctes, c)
		return c.name + " " + alias, b.visible(columns, alias)
	}
	b.feature("derived_table")
	return "(" + sql + ") " + alias, b.visible(columns, alias)
}

// relation is a SELECT to stand in FROM, its columns and most rows.
func (w *wideStatement) relation(depth int) (string, []wideColumn, int) {
	switch w.rng.IntN(10) {
	case 0, 1, 2:
		return w.groupedRelation(depth)
	case 3, 4:
		return w.setRelation()
	case 5:
		w.feature("derived_distinct")
		return w.plainRelation(depth, "DISTINCT ")
	case 6:
		return w.topRelation()
	case 7:
		return w.valuesRelation()
	default:
		w.feature("derived_plain")
		return w.plainRelation(depth, "")
	}
}

// selected is the SELECT of a list over the block's rows.
func (b *wideBlock) selected(list string) string {
	if b.chance(5) {
		b.feature("from_first")
		return "FROM " + b.from + " SELECT " + list + b.whereClause()
	}
	return "SELECT " + list + " FROM " + b.from + b.whereClause()
}

// plainRelation selects columns and expressions over a join, DISTINCT or not.
func (w *wideStatement) plainRelation(depth int, distinct string) (string, []wideColumn, int) {
	b := w.block(nil)
	b.makeFrom(pick(b.rng, []int{1, 1, 1, 2}), depth)
	b.makeWhere(false)
	var items []string
	var columns []wideColumn
	for n, c := range b.someColumns(3) {
		name := fmt.Sprintf("c%d", n)
		column := c
		column.sql = name
		item := c.sql
		tree, computed, ok := b.computed(name)
		switch {
		case ok && b.chance(25):
			b.feature("derived_tree")
			item, column = tree, computed
		case b.chance(15):
			b.feature("derived_coalesce")
			item = fmt.Sprintf("coalesce(%s, %s)", c.sql, b.constant(c.typ, true))
			column.nullable = false
			if c.typ.domain == numbers {
				column.typ, column.near = typeNamed("DOUBLE"), false // whatever the two types give
				item = "CAST(" + item + " AS DOUBLE)"
			}
		case b.chance(8):
			b.feature("derived_constant")
			column = wideColumn{sql: name, typ: typeNamed("INTEGER"), absMax: 7}
			item = "7"
		}
		items = append(items, item+" AS "+name)
		columns = append(columns, column)
	}
	return b.selected(distinct + strings.Join(items, ", ")), columns, b.rowsMax
}

// someColumns are up to n columns of FROM, keys first.
func (b *wideBlock) someColumns(n int) []wideColumn {
	shuffled := slices.Clone(b.columns)
	b.rng.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
	slices.SortStableFunc(shuffled, func(x, y wideColumn) int {
		switch {
		case x.key == y.key:
			return 0
		case x.key:
			return -1
		default:
			return 1
		}
	})
	return shuffled[:min(n, len(shuffled))]
}

// groupedRelation groups a join by a key or two, or by nothing.
func (w *wideStatement) groupedRelation(depth int) (string, []wideColumn, int) {
	w.feature("derived_grouped")
	b := w.block(nil)
	b.makeFrom(pick(b.rng, []int{1, 1, 2, 2}), depth)
	b.makeWhere(true)
	var items, grouped []string
	var columns []wideColumn
	for _, c := range b.someColumns(b.rng.IntN(3)) {
		if c.rounded {
			continue
		}
		name := fmt.Sprintf("c%d", len(columns))
		items, grouped = append(items, c.sql+" AS "+name), append(grouped, c.sql)
		c.sql = name
		columns = append(columns, c)
	}
	items = append(items, "count(*) AS n")
	columns = append(columns, wideColumn{sql: "n", typ: typeNamed("BIGINT"), absMax: float64(b.rowsMax)})
	if c, ok := b.number(func(c wideColumn) bool { return !c.typ.float || !b.db.special }); ok {
		argument := c.sql
		if tree, computed, ok := b.computed("s"); ok && !b.db.special && b.chance(35) {
			argument, c = tree, computed
		}
		items = append(items, pick(b.rng, []string{"min", "max"})+"("+argument+") AS s")
		c.sql, c.nullable, c.key = "s", true, false
		columns = append(columns, c)
	}
	if c, ok := b.number(func(c wideColumn) bool { return c.typ.integer && c.typ.sql != "HUGEINT" && c.absMax < 1e4 }); ok && b.chance(50) {
		items = append(items, "sum("+c.sql+") AS u")
		columns = append(columns, wideColumn{sql: "u", typ: typeNamed("HUGEINT"), absMax: c.absMax * float64(b.rowsMax), nullable: true})
	}
	sql := b.selected(strings.Join(items, ", "))
	if len(grouped) == 0 {
		w.feature("derived_one_row")
		return sql, columns, 1
	}
	sql += " GROUP BY " + strings.Join(grouped, ", ")
	if b.chance(25) {
		w.feature("derived_having")
		sql += pick(b.rng, []string{" HAVING count(*) > 1", " HAVING count(*) < 3"})
	}
	return sql, columns, b.rowsMax
}

// setRelation is a set operation over columns that base tables have by domain, or
// over what is computed of them.
func (w *wideStatement) setRelation() (string, []wideColumn, int) {
	operation := pick(w.rng, []string{"UNION ALL", "UNION", "INTERSECT", "EXCEPT"})
	w.feature(strings.ReplaceAll(strings.ToLower(operation), " ", "_"))
	arms := []*wideBlock{w.block(nil), w.block(nil)}
	if operation == "UNION ALL" && w.chance(80) {
		w.feature("union_of_three")
		arms = append(arms, w.block(nil))
	}
	rowsMax := 0
	for _, b := range arms {
		b.makeFrom(pick(b.rng, []int{1, 1, 1, 2}), 0)
		b.makeWhere(false)
		rowsMax += b.rowsMax
	}
	items := make([][]string, len(arms))
	var columns []wideColumn
	for _, l := range arms[0].someColumns(3) {
		name := fmt.Sprintf("c%d", len(columns))
		column := l
		if item, computed, ok := arms[0].computed(name); ok && w.chance(12) {
			w.feature("union_tree")
			l, column = computed, computed
			l.sql = item
		}
		items[0] = append(items[0], l.sql+" AS "+name)
		for n, b := range arms[1:] {
			other := "NULL"
			if r, ok := b.ofDomain(l.typ.domain); ok && !w.chance(10) {
				other = r.sql
				if column.typ != r.typ {
					w.feature("mixed_union_types")
				}
				column = column.united(r)
			} else {
				w.feature("union_null")
			}
			items[n+1] = append(items[n+1], other)
		}
		column.sql, column.nullable = name, true
		columns = append(columns, column)
	}
	texts := make([]string, len(arms))
	for n, b := range arms {
		texts[n] = b.selected(strings.Join(items[n], ", "))
	}
	return strings.Join(texts, " "+operation+" "), columns, rowsMax
}

// ofDomain is a column, or now and then an expression, of a domain.
func (b *wideBlock) ofDomain(domain domain) (wideColumn, bool) {
	if domain == numbers && b.chance(10) {
		if item, c, ok := b.computed(""); ok {
			c.sql = item
			return c, true
		}
	}
	candidates := slices.DeleteFunc(slices.Clone(b.columns), func(c wideColumn) bool { return c.typ.domain != domain })
	if len(candidates) == 0 {
		return wideColumn{}, false
	}
	return pick(b.rng, candidates), true
}

// united is the column with the type and the bound that it has together with another.
func (c wideColumn) united(other wideColumn) wideColumn {
	c.near = c.near || other.near || c.typ != other.typ
	c.typ, c.absMax = unionType(c.typ, other.typ), max(c.absMax, other.absMax)
	return c
}

// unionType stands for the type of a column that two arms have: it is close to
// DuckDB's, and of the same domain.
func unionType(l, r *wideType) *wideType {
	switch {
	case l == r:
		return l
	case l.domain != numbers:
		return typeNamed("TIMESTAMP")
	case l.integer && r.integer:
		return typeNamed("HUGEINT")
	case l.float || r.float:
		return typeNamed("DOUBLE")
	default:
		return typeNamed("DECIMAL(18,4)")
	}
}

// topRelation is a part of a table under a total order, which DuckDB evaluates.
func (w *wideStatement) topRelation() (string, []wideColumn, int) {
	w.feature("derived_limit")
	t := pick(w.rng, w.db.tables)
	names := make([]string, len(t.columns))
	for i, c := range t.columns {
		names[i] = c.sql
	}
	list := strings.Join(names, ", ")
	return fmt.Sprintf("SELECT %s FROM %s ORDER BY %s LIMIT %d", list, t.name, list, 1+w.rng.IntN(4)), t.columns, max(t.rowsMax, 1)
}

// valuesRelation is a list of values.
func (w *wideStatement) valuesRelation() (string, []wideColumn, int) {
	w.feature("derived_values")
	key := pick(w.rng, w.db.tables).columns[0]
	key.sql, key.nullable = "c0", true
	lines := []string{"(NULL::" + key.typ.sql + ", 0)"}
	for n := range 1 + w.rng.IntN(3) {
		lines = append(lines, fmt.Sprintf("(CAST(%s AS %s), %d)", w.constant(key.typ, false), key.typ.sql, n+1))
	}
	w.rng.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
	columns := []wideColumn{key, {sql: "c1", typ: typeNamed("INTEGER"), absMax: 4}}
	return "SELECT c0, c1 FROM (VALUES " + strings.Join(lines, ", ") + ") v(c0, c1)", columns, len(lines)
}
