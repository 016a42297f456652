package coverage

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// randomData is the data set whose tables random joins read.
const randomData = "slow"

// randomTables are those tables with about how many rows they have at ScaleTiming. All have the
// columns i (a number of its own), k (NULL in some rows), m (of few values) and v.
var randomTables = []struct {
	name string
	rows float64
}{{"tiny", 200}, {"few", 2000}, {"more", 8000}, {"many", 40_000}}

// comparedPairs bounds the pairs of rows that a join without an equality compares.
const comparedPairs = 2e7

// RandomJoins are n aggregates over random joins: by equalities, by ranges, by one of two
// conditions, inner and outer ones, and recursions. They depend on the seed alone.
func RandomJoins(seed uint64, n int) []Query {
	g := &generator{rng: rand.New(rand.NewPCG(seed, 0))}
	out := make([]Query, n)
	for i := range out {
		out[i] = Query{Name: fmt.Sprintf("random_%d_%d", seed, i+1), Family: "random", Data: randomData, SQL: g.statement(), TermsMax: 1e9}
	}
	return out
}

type generator struct{ rng *rand.Rand }

func (g *generator) pick(words ...string) string { return words[g.rng.IntN(len(words))] }

func (g *generator) statement() string {
	if g.rng.IntN(12) == 0 {
		return g.recursion()
	}
	tables := 2 + g.rng.IntN(3)
	first := g.rng.IntN(len(randomTables))
	from, rowCount := randomTables[first].name+" AS t0", randomTables[first].rows
	for i := 1; i < tables; i++ {
		next := randomTables[g.rng.IntN(len(randomTables))]
		kind := g.pick("JOIN", "JOIN", "JOIN", "LEFT JOIN", "LEFT JOIN", "FULL JOIN")
		on := g.equality(i)
		if by := g.rng.IntN(5); by < 3 && kind != "FULL JOIN" && rowCount*next.rows <= comparedPairs {
			on = g.comparison(i)
		} else if by == 3 {
			on += fmt.Sprintf(" AND t%d.v %s t%d.v", g.rng.IntN(i), g.pick("<", "<=", "<>"), i)
		}
		from += fmt.Sprintf(" %s %s AS t%d ON %s", kind, next.name, i, on)
		rowCount = max(rowCount, next.rows) * 4
	}
	group := ""
	if g.rng.IntN(2) == 0 {
		group = fmt.Sprintf("t%d.m", g.rng.IntN(tables))
	}
	selected := []string{"count(*)", g.aggregate(tables)}
	if group != "" {
		return "SELECT " + group + ", " + strings.Join(selected, ", ") + " FROM " + from + " GROUP BY " + group
	}
	return "SELECT " + strings.Join(selected, ", ") + " FROM " + from
}

// equality joins table i by a column that most rows have few partners in.
func (g *generator) equality(i int) string {
	return fmt.Sprintf("t%d.%s = t%d.%s", g.rng.IntN(i), g.pick("i", "k"), i, g.pick("i", "k"))
}

// comparison joins table i by something else than one equality.
func (g *generator) comparison(i int) string {
	a, b, n := fmt.Sprintf("t%d", g.rng.IntN(i)), fmt.Sprintf("t%d", i), 1+g.rng.IntN(5)
	switch g.rng.IntN(6) {
	case 0:
		return fmt.Sprintf("%s.i BETWEEN %s.i - %d AND %s.i + %d", b, a, n, a, n)
	case 1:
		return fmt.Sprintf("abs(%s.i - %s.k) <= %d", a, b, n)
	case 2:
		return fmt.Sprintf("%s.i - %s.k = %d", a, b, n)
	case 3:
		return fmt.Sprintf("(%s.i = %s.k OR %s.k = %s.i)", a, b, a, b)
	case 4:
		return fmt.Sprintf("%s.i <= %s.k AND %s.k < %s.i + %d", a, b, b, a, n)
	default:
		return fmt.Sprintf("%s.i + %s.i < %d", a, b, 40*n)
	}
}

func (g *generator) aggregate(tables int) string {
	column := func() string { return fmt.Sprintf("t%d.v", g.rng.IntN(tables)) }
	switch g.rng.IntN(6) {
	case 0:
		return "sum(" + column() + ")"
	case 1:
		return "sum(" + column() + " * " + column() + ")"
	case 2:
		return "sum(abs(" + column() + " - " + column() + "))"
	case 3:
		return "max(" + column() + " + " + column() + ")"
	case 4:
		return "sum(coalesce(" + column() + ", 0) - coalesce(" + column() + ", 1))"
	default:
		return "avg(" + column() + ")"
	}
}

func (g *generator) recursion() string {
	table := g.pick("tiny", "few", "more")
	if g.rng.IntN(2) == 0 {
		return fmt.Sprintf("WITH RECURSIVE r(i) AS (SELECT i FROM %s WHERE i < %d UNION SELECT e.k FROM r JOIN %s e ON e.i = r.i WHERE e.k IS NOT NULL) SELECT count(*), sum(i) FROM r", table, 1+g.rng.IntN(20), table)
	}
	return fmt.Sprintf("WITH RECURSIVE r(a, b) AS (SELECT a, b FROM chain WHERE a < %d UNION SELECT r.a, c.b FROM r JOIN chain c ON r.b = c.a WHERE c.b < %d) SELECT count(*), max(b) FROM r", 1+g.rng.IntN(10), 50+g.rng.IntN(200))
}
