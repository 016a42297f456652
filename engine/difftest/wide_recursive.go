package difftest

import "fmt"

// recursion is an aggregate query over a WITH RECURSIVE that follows edges:
// reachable nodes, levels up to a bound, or walks of bounded length.
func (w *wideStatement) recursion() string {
	c, ok := w.recursive()
	if !ok {
		return w.topBlock().grouped().sql
	}
	w.ctes = append(w.ctes, c)
	b := w.block(nil)
	alias := b.nextAlias()
	b.from, b.columns = c.name+" "+alias, b.visible(c.columns, alias)
	b.rowsMax = c.rowsMax
	if b.chance(40) {
		b.feature("recursion_joined")
		t := pick(b.rng, b.db.tables)
		other := b.nextAlias()
		columns := b.visible(t.columns, other)
		b.rowsMax *= max(t.rowsMax, 1)
		b.from += pick(b.rng, []string{" JOIN ", " LEFT JOIN "}) + t.name + " " + other + " ON " + b.on(b.columns, columns)
		b.columns = append(b.columns, columns...)
	}
	return b.grouped().sql
}

// recursive is a recursive CTE over a table with two columns of one type.
func (w *wideStatement) recursive() (c wideCTE, ok bool) {
	t, from, to := w.edges()
	if t == nil {
		return c, false
	}
	w.feature("recursion")
	w.recurses = true
	c.name = fmt.Sprintf("w%d", len(w.ctes))
	typ, rowsMax := from.typ, max(t.rowsMax, 1)
	first, rows := fmt.Sprintf("CAST(%s AS %s)", w.constant(typ, false), typ.sql), ""
	if w.chance(50) {
		first, rows = from.sql, fmt.Sprintf(" FROM %s WHERE %s = %s", t.name, from.sql, pick(w.rng, typ.literals))
	}
	node := wideColumn{sql: "node", typ: typ, key: true, nullable: true, absMax: from.absMax}
	level := wideColumn{sql: "level", typ: typeNamed("INTEGER"), absMax: 4}
	if w.chance(20) {
		w.feature("values_base")
		first, rows = "", ""
	}
	e := wideEdge{table: t.name, from: from.sql, to: to.sql, ordered: !typ.float}
	if w.chance(15) {
		return w.usingRecursion(c, e, node), true
	}
	base := func(level string) string {
		if first != "" {
			return "SELECT " + first + level + rows
		}
		one, other := w.constant(typ, false), w.constant(typ, false)
		return fmt.Sprintf("VALUES (CAST(%s AS %s)%s), (CAST(%s AS %[2]s)%[3]s)", one, typ.sql, level, other)
	}
	step := func(operation string, levels int) string {
		return base(", 0") + " " + operation + " " + w.step(c.name, e, 1+w.rng.IntN(levels))
	}
	c.head, c.columns = "(node, level)", []wideColumn{node, level}
	switch w.rng.IntN(3) {
	case 0:
		w.feature("reachability")
		c.head, c.columns, c.rowsMax = "(node)", []wideColumn{node}, rowsMax+1
		c.sql = base("") + " UNION " + w.step(c.name, e, 0)
	case 1:
		w.feature("levels")
		c.sql, c.rowsMax = step("UNION", 3), 4*(rowsMax+1)
	default:
		w.feature("walks")
		c.sql, c.rowsMax = step("UNION ALL", 2), 3*rowsMax*rowsMax*rowsMax
	}
	return c, true
}

// usingRecursion finds what can be reached by USING.
func (w *wideStatement) usingRecursion(c wideCTE, e wideEdge, node wideColumn) wideCTE {
	w.feature("using_step")
	node.sql = e.from
	c.head, c.columns = "("+e.from+")", []wideColumn{node}
	c.rowsMax = 2*wideRowsMax + 2
	c.sql = fmt.Sprintf("SELECT %[1]s FROM %[2]s UNION SELECT e.%[3]s FROM %[4]s JOIN %[2]s e USING (%[1]s)", e.from, e.table, e.to, c.name)
	return c
}

// edges is a table with two columns of one type, to be followed from the one to
// the other; nil: there is none.
func (w *wideStatement) edges() (t *wideTable, from, to wideColumn) {
	for _, i := range w.rng.Perm(len(w.db.tables)) {
		t := w.db.tables[i]
		for n, x := range t.columns {
			for _, y := range t.columns[n+1:] {
				switch {
				case x.typ != y.typ:
				case w.chance(50):
					return t, y, x
				default:
					return t, x, y
				}
			}
		}
	}
	return nil, from, to
}
