package lower_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// generator makes random statements over the tables t0 to t4 with the columns k,
// j, x (small integers) and y (multiples of 1/4).
type generator struct {
	r     *rand.Rand
	alias int
	depth int // of subqueries
	// features counts what the statements contain.
	features map[string]int
}

func newGenerator(seed uint64) *generator {
	return &generator{r: rand.New(rand.NewPCG(seed, 23)), features: map[string]int{}}
}

func (g *generator) chance(percent int) bool { return g.r.IntN(100) < percent }

func (g *generator) note(feature string) { g.features[feature]++ }

func pick[T any](g *generator, from ...T) T { return from[g.r.IntN(len(from))] }

// schema makes the tables anew, small and with NULLs, and some of them empty.
func (g *generator) schema() string {
	var b strings.Builder
	for t := range 5 {
		j := pick(g, "INTEGER", "BIGINT", "SMALLINT")
		fmt.Fprintf(&b, "CREATE OR REPLACE TABLE t%d(k INTEGER, j %s, x INTEGER, y DOUBLE);\n", t, j)
		n := g.r.IntN(6)
		if g.chance(15) {
			n = 0
		}
		for range n {
			value := func(scale string) string {
				if g.chance(22) {
					return "NULL"
				}
				return fmt.Sprintf("%d%s", g.r.IntN(4), scale)
			}
			fmt.Fprintf(&b, "INSERT INTO t%d VALUES (%s, %s, %s, %s);\n", t, value(""), value(""), value(""), value(" * 0.25"))
		}
	}
	return b.String()
}

// scope is the aliases in sight: their integer columns and their DOUBLE ones.
type scope struct{ ints, floats []string }

func (s scope) with(o scope) scope {
	return scope{append(append([]string{}, s.ints...), o.ints...), append(append([]string{}, s.floats...), o.floats...)}
}

func (g *generator) newAlias() string {
	g.alias++
	return fmt.Sprintf("r%d", g.alias)
}

func (g *generator) table() string { return fmt.Sprintf("t%d", g.r.IntN(5)) }

func (g *generator) int(s scope) string { return pick(g, s.ints...) }

// leaf is a table or a derived table.
func (g *generator) leaf() (string, scope) {
	a := g.newAlias()
	if g.chance(75) {
		return g.table() + " " + a, scope{[]string{a + ".k", a + ".j", a + ".x"}, []string{a + ".y"}}
	}
	two := scope{ints: []string{a + ".k", a + ".x"}}
	g.note("derived table")
	in := g.newAlias()
	switch g.r.IntN(6) {
	case 0:
		return fmt.Sprintf("(SELECT k, coalesce(x, 7) AS x, y FROM %s %s WHERE %s) %s", g.table(), in, pick(g, "true", "k > 0", "x IS NOT NULL"), a), scope{two.ints, []string{a + ".y"}}
	case 1:
		return fmt.Sprintf("(SELECT k, 7 AS x FROM %s) %s", g.table(), a), two
	case 2:
		g.note("grouped derived table")
		return fmt.Sprintf("(SELECT k, count(*) AS x FROM %s GROUP BY k%s) %s", g.table(), pick(g, "", " HAVING count(x) > 0"), a), two
	case 3:
		g.note("UNION ALL in FROM")
		return fmt.Sprintf("(SELECT k, x FROM %s UNION ALL SELECT j, %s FROM %s) %s", g.table(), pick(g, "x", "NULL", "3", "x + k"), g.table(), a), two
	case 4:
		g.note("set operation in FROM")
		op := pick(g, "UNION", "INTERSECT", "EXCEPT")
		return fmt.Sprintf("(SELECT k, x FROM %s %s SELECT k, j FROM %s) %s", g.table(), op, g.table(), a), two
	default:
		other := g.newAlias()
		kind := pick(g, "JOIN", "LEFT JOIN")
		return fmt.Sprintf("(SELECT %s.k, %s.x FROM %s %s %s %s %s ON %s.j = %s.j) %s", in, other, g.table(), in, kind, g.table(), other, in, other, a), two
	}
}

// from is a join of n leaves of any shape.
func (g *generator) from(n int) (string, scope) {
	if n == 1 {
		return g.leaf()
	}
	left := n - 1
	if g.chance(30) {
		left = 1 + g.r.IntN(n-1)
	}
	lt, ls := g.from(left)
	rt, rs := g.from(n - left)
	if n-left > 1 {
		rt = "(" + rt + ")"
	}
	kind := pick(g, "JOIN", "LEFT JOIN", "LEFT JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN")
	g.note(kind)
	return fmt.Sprintf("%s %s %s ON %s", lt, kind, rt, g.on(ls, rs)), ls.with(rs)
}

// on is the condition of a join.
func (g *generator) on(l, r scope) string {
	if g.chance(4) {
		g.note("ON true")
		return pick(g, "true", "1 = 1", "false")
	}
	var conds []string
	if g.chance(88) {
		op := "="
		if g.chance(12) {
			op = "IS NOT DISTINCT FROM"
			g.note("null safe ON")
		}
		one := g.int(l)
		if g.chance(15) {
			one += pick(g, " + ", " - ", " * ") + g.int(l)
			g.note("ON over several columns")
		}
		conds = append(conds, fmt.Sprintf("%s %s %s", one, op, g.int(r)))
	}
	for len(conds) == 0 || g.chance(35) {
		switch g.r.IntN(7) {
		case 0:
			conds = append(conds, g.int(l)+pick(g, " < ", " <> ", " >= ", " = ")+g.int(r))
			g.note("inequality in ON")
		case 1:
			conds = append(conds, g.single(l))
			g.note("ON over the left side")
		case 2, 3:
			conds = append(conds, g.single(r))
			g.note("ON over the right side")
		case 4:
			conds = append(conds, fmt.Sprintf("coalesce(%s, 1) = %s", g.int(l), g.int(r)))
		case 5:
			conds = append(conds, fmt.Sprintf("%s + %s > 2", g.int(l), g.int(r)))
		default:
			conds = append(conds, fmt.Sprintf("(%s = %s OR %s)", g.int(l), g.int(r), g.single(l.with(r))))
			g.note("OR in ON")
		}
	}
	return strings.Join(conds, " AND ")
}

// single is a predicate on columns.
func (g *generator) single(s scope) string {
	c := g.int(s)
	switch g.r.IntN(9) {
	case 0:
		return c + " IS NULL"
	case 1:
		return c + " IS NOT NULL"
	case 2:
		return fmt.Sprintf("coalesce(%s, %d) = 1", c, g.r.IntN(3))
	case 3:
		return fmt.Sprintf("%s IS DISTINCT FROM %d", c, g.r.IntN(3))
	case 4:
		return fmt.Sprintf("NOT (%s = %d)", c, g.r.IntN(3))
	case 5:
		return fmt.Sprintf("%s IN (1, %d)", c, g.r.IntN(4))
	case 6:
		return fmt.Sprintf("%s BETWEEN 0 AND %s", c, g.int(s))
	default:
		return c + pick(g, " > ", " < ", " = ", " <> ", " <= ") + pick(g, "0", "1", "2")
	}
}

// where is a condition on joined rows.
func (g *generator) where(s scope) string {
	var conds []string
	for len(conds) == 0 || g.chance(30) {
		switch {
		case g.depth < 2 && g.chance(45):
			conds = append(conds, g.asked(s))
		case g.chance(20):
			conds = append(conds, fmt.Sprintf("(%s OR %s)", g.single(s), g.single(s)))
		default:
			conds = append(conds, g.single(s))
		}
	}
	return strings.Join(conds, " AND ")
}

// asked is a condition with a subquery.
func (g *generator) asked(s scope) string {
	e := g.question(s)
	switch {
	case g.chance(25):
		g.note("subquery under OR")
		return fmt.Sprintf("(%s OR %s)", e, g.single(s))
	case g.chance(8):
		g.note("subquery IS NULL")
		return fmt.Sprintf("(%s) IS NULL", e)
	case g.chance(6):
		g.note("subquery in CASE")
		return fmt.Sprintf("CASE WHEN %s THEN %s ELSE %s END > 0", e, g.int(s), g.int(s))
	}
	return e
}

func (g *generator) question(s scope) string {
	g.depth++
	defer func() { g.depth-- }()
	not := ""
	if g.chance(50) {
		not = "NOT "
	}
	switch g.r.IntN(6) {
	case 0, 1:
		g.note(not + "EXISTS")
		return fmt.Sprintf("%sEXISTS (SELECT %s)", not, g.subquery(s, "1"))
	case 2, 3:
		g.note(not + "IN")
		return fmt.Sprintf("%s %sIN (SELECT %s)", g.int(s), not, g.subquery(s, ""))
	case 4:
		g.note("scalar subquery")
		return fmt.Sprintf("%s %s %s", g.int(s), pick(g, "<", "=", ">=", "<>", "IS DISTINCT FROM"), g.scalar(s))
	default:
		g.note("IN over one row")
		in := g.newAlias()
		return fmt.Sprintf("%s %sIN (SELECT %s FROM %s %s WHERE %s%s)", g.int(s), not, pick(g, "max(k)", "count(*)", "coalesce(min(x), 1)"), g.table(), in,
			g.tie(s, in), pick(g, "", "", " HAVING count(*) > 1", " GROUP BY k", " GROUP BY k HAVING min(j) > 0"))
	}
}

// tie is the condition of a subquery over one table.
func (g *generator) tie(s scope, in string) string {
	own := scope{ints: []string{in + ".k", in + ".j", in + ".x"}}
	if g.chance(15) {
		g.note("uncorrelated subquery")
		return g.single(own)
	}
	out := g.int(own) + " = " + g.int(s)
	switch g.r.IntN(8) {
	case 0:
		out = g.int(own) + pick(g, " < ", " <> ", " >= ") + g.int(s)
		g.note("correlation by inequality")
	case 1:
		out += " AND " + g.int(own) + " <= " + g.int(s)
	case 2:
		out += " AND " + g.int(own) + " = " + g.int(s)
	case 3:
		out += " AND " + g.single(s)
		g.note("correlation by the outer side alone")
	case 4:
		out = g.int(own) + " IS NOT DISTINCT FROM " + g.int(s)
	}
	if g.chance(25) {
		out += " AND " + g.single(own)
	}
	if g.depth < 2 && g.chance(15) {
		g.note("nested subquery")
		if g.chance(50) {
			own = own.with(s)
			g.note("correlation over two blocks")
		}
		out += " AND " + g.asked(own)
	}
	return out
}

// subquery is the rest of a subquery after SELECT; without item, one column.
func (g *generator) subquery(s scope, item string) string {
	if g.chance(20) {
		g.note("join in a subquery")
		text, inner := g.from(2)
		if item == "" {
			item = g.int(inner)
		}
		return fmt.Sprintf("%s FROM %s WHERE %s = %s AND %s", item, text, g.int(inner), g.int(s), g.single(inner))
	}
	in := g.newAlias()
	if item == "" {
		item = in + pick(g, ".k", ".j", ".x")
	}
	return fmt.Sprintf("%s FROM %s %s WHERE %s", item, g.table(), in, g.tie(s, in))
}

// scalar is a scalar subquery of one row.
func (g *generator) scalar(s scope) string {
	in := g.newAlias()
	item := pick(g, "count(*)", "max(x)", "sum(k)", "coalesce(sum(x), 5)", "min(j) + 1", "count(x)", "max("+in+".x + "+g.int(s)+")", "sum(x) + "+g.int(s), "count(DISTINCT x)")
	return fmt.Sprintf("(SELECT %s FROM %s %s WHERE %s%s)", item, g.table(), in, g.tie(s, in), pick(g, "", "", "", " HAVING count(*) > 1"))
}

// block is a SELECT with groups or aggregates.
func (g *generator) block() string {
	text, s := g.from(1 + g.r.IntN(4))
	where := ""
	if g.chance(70) {
		where = " WHERE " + g.where(s)
	}
	var groups []string
	for g.chance(45) && len(groups) < 2 {
		e := g.int(s)
		switch {
		case g.chance(15):
			e = fmt.Sprintf("coalesce(%s, %s)", e, pick(g, "7", g.int(s)))
		case g.depth == 0 && g.chance(10):
			g.depth++
			e = g.scalar(s)
			g.depth--
			g.note("scalar subquery as group")
		}
		groups = append(groups, e)
	}
	items := []string{"count(*) AS n"}
	for g.chance(60) && len(items) < 4 {
		items = append(items, fmt.Sprintf("%s AS v%d", g.aggregate(s), len(items)))
	}
	if len(groups) == 0 {
		return fmt.Sprintf("SELECT %s FROM %s%s", strings.Join(items, ", "), text, where)
	}
	for i, e := range groups {
		items = append(items, fmt.Sprintf("%s AS g%d", e, i))
	}
	having := ""
	switch {
	case g.chance(6):
		having = " HAVING count(*) IN (SELECT x FROM " + g.table() + ")"
		g.note("subquery over aggregates")
	case g.chance(8):
		having = " HAVING sum(" + g.int(s) + ") >= (SELECT avg(x) FROM " + g.table() + ")"
		g.note("subquery in HAVING")
	}
	return fmt.Sprintf("SELECT %s FROM %s%s GROUP BY %s%s", strings.Join(items, ", "), text, where, strings.Join(groups, ", "), having)
}

func (g *generator) aggregate(s scope) string {
	e := g.int(s)
	switch g.r.IntN(6) {
	case 0:
		e = fmt.Sprintf("coalesce(%s, 7)", e)
	case 1:
		e = fmt.Sprintf("CASE WHEN %s THEN %s END", g.single(s), e)
	case 2:
		if len(s.floats) > 0 {
			e = pick(g, s.floats...)
		}
	}
	return pick(g, "sum", "count", "min", "max") + "(" + e + ")"
}

// statement is a random statement.
func (g *generator) statement() string {
	g.alias = 0
	if g.chance(88) {
		return g.block()
	}
	arm := func() string {
		text, s := g.from(1 + g.r.IntN(2))
		where := ""
		if g.chance(50) {
			where = " WHERE " + g.where(s)
		}
		if g.chance(25) {
			c := g.int(s)
			return fmt.Sprintf("SELECT %s AS a, count(*) AS b FROM %s%s GROUP BY %s", c, text, where, c)
		}
		return fmt.Sprintf("SELECT %s AS a, %s AS b FROM %s%s", g.int(s), pick(g, g.int(s), "1", "NULL"), text, where)
	}
	op := pick(g, "UNION ALL", "UNION", "INTERSECT", "EXCEPT")
	g.note("top " + op)
	out := arm() + " " + op + " " + arm()
	if g.chance(20) {
		out += " " + pick(g, "UNION ALL", "UNION", "EXCEPT") + " " + arm()
	}
	return out
}
