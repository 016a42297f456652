package difftest

import "fmt"

// wideEdge is the table that a recursion follows, from one of its columns to another;
// ordered: equal values of these are the same.
type wideEdge struct {
	table, from, to string
	ordered         bool
}

// wideStep is a step of a recursion in parts.
type wideStep struct {
	head, node, from, where, tail string
}

func (s wideStep) sql(levels int) string {
	where, level := s.where, ""
	if levels > 0 {
		level = ", r.level + 1"
		where += fmt.Sprintf(" AND r.level < %d", levels)
	}
	return fmt.Sprintf("SELECT %s%s%s FROM %s WHERE %s%s", s.head, s.node, level, s.from, where, s.tail)
}

// step is the step of the recursion of a name: reachable nodes, or with their levels
// where levels bounds these. Half of them have something that only DuckDB reads.
func (w *wideStatement) step(name string, e wideEdge, levels int) string {
	s := wideStep{node: "e." + e.to, from: fmt.Sprintf("%s r JOIN %s e ON e.%s = r.node", name, e.table, e.from), where: "true"}
	switch n := w.rng.IntN(20); {
	case n < 8:
		return s.sql(levels)
	case n < 10:
		w.feature("step_joins")
		s.from += fmt.Sprintf(pick(w.rng, []string{
			" JOIN %[1]s f ON f.%[2]s = e.%[3]s", " LEFT JOIN %[1]s f ON f.%[2]s = e.%[3]s", " SEMI JOIN %[1]s f ON f.%[2]s = e.%[3]s", " FULL JOIN %[1]s f ON f.%[2]s = e.%[3]s",
			", (SELECT max(%[2]s) AS m FROM %[1]s) f", " LEFT JOIN (SELECT %[2]s, count(*) AS n FROM %[1]s GROUP BY %[2]s) f USING (%[2]s)",
		}), e.table, e.from, e.to)
		return s.sql(levels)
	case n < 12 && levels == 0:
		w.feature("step_groups")
		return fmt.Sprintf(pick(w.rng, []string{
			"SELECT max(e.%[1]s) FROM %[2]s GROUP BY e.%[3]s", "SELECT DISTINCT e.%[1]s FROM %[2]s", "SELECT min(e.%[1]s) FROM %[2]s GROUP BY r.node HAVING count(*) < 5",
			"(SELECT e.%[1]s FROM %[2]s INTERSECT SELECT %[3]s FROM %[4]s)",
		}), e.to, s.from, e.from, e.table)
	}
	w.feature("textual_step")
	if w.chance(50) {
		s.where = fmt.Sprintf(pick(w.rng, textualConditions), e.to, e.from, name)
		return s.sql(levels)
	}
	return w.textualStep(name, e, s, levels)
}

// textualConditions are conditions of a step, over columns %[1]s and %[2]s of e, and r; the
// rows found last are %[3]s.
var textualConditions = []string{
	"position('1' IN e.%[1]s::VARCHAR) = 0", "e.%[1]s::VARCHAR !~~ '1%%'", "e.%[1]s == e.%[1]s", "len([e.%[1]s, r.node]) > +1",
	"NOT list_contains([r.node], e.%[1]s)", "e.%[1]s NOT IN (SELECT q.n FROM %[3]s q(n) WHERE q.n == e.%[2]s)",
	"EXISTS (SELECT 1 FROM %[3]s q WHERE position('2' IN q.node::VARCHAR) = 0)", "(SELECT count(*) FROM %[3]s) < 5",
	"(SELECT count(*) FILTER (position('1' IN q.node::VARCHAR) = 0) FROM %[3]s q) > 0", "e.%[1]s::VARCHAR SIMILAR TO '.*'",
	"r.node == any(SELECT q.n FROM %[3]s q(n))", "{'a': r.node} = {'a': e.%[2]s}",
}

// textualStep is a step of another form.
func (w *wideStatement) textualStep(name string, e wideEdge, s wideStep, levels int) string {
	rows := fmt.Sprintf("(SELECT * FROM %s WHERE position('1' IN node::VARCHAR) = 0) r", name)
	switch n := w.rng.IntN(9); {
	case n == 0:
		s.head = "ALL "
	case n == 1 && e.ordered:
		s.node = "n.x"
		s.from = fmt.Sprintf("%s r, LATERAL (SELECT e.%s AS x FROM %s e WHERE e.%s = r.node ORDER BY 1 LIMIT 2) n", name, e.to, e.table, e.from)
	case n == 2 && e.ordered:
		s.tail = fmt.Sprintf(" QUALIFY dense_rank() OVER (PARTITION BY e.%s ORDER BY e.%s) < 3", e.from, e.to)
	case n == 3:
		s.node = fmt.Sprintf("unnest([e.%s, r.node])", e.to)
	case n == 4:
		s.node, s.from = "u.x", s.from+fmt.Sprintf(", unnest([e.%s, r.node]) u(x)", e.to)
	case n == 5:
		s.node = fmt.Sprintf("CASE WHEN count(*) OVER () > 2 THEN e.%s END", e.to)
	case n == 6 && levels == 0:
		return fmt.Sprintf("SELECT max(e.%s) FROM %s HAVING median(length(e.%s::VARCHAR)) > 0", e.to, s.from, e.to)
	case n == 7 && levels == 0:
		return fmt.Sprintf("SELECT (SELECT min(e.%s) FROM %s) WHERE (SELECT count(*) FROM %s) > 0", e.to, s.from, name)
	case n == 8 && levels == 0:
		s.node = "u.x"
		s.from = fmt.Sprintf("(WITH RECURSIVE u(x) AS (SELECT node FROM %s UNION SELECT e.%s FROM u JOIN %s e ON e.%s = u.x) SELECT x FROM u) u", name, e.to, e.table, e.from)
	default:
		s.from = rows + fmt.Sprintf(" JOIN %s e ON e.%s = r.node", e.table, e.from)
	}
	return s.sql(levels)
}
