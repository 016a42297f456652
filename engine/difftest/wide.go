package difftest

import (
	"fmt"
	"math/rand/v2"
	"sort"
	"strings"
)

// wideStatement is what the blocks of one statement of the wide generator share.
type wideStatement struct {
	rng      *rand.Rand
	db       *wideDatabase
	features map[string]bool
	ctes     []wideCTE
	aliases  int
	// terms bounds the sum of |term| of the results that are rounded.
	terms float64
	// recurses: a CTE refers to itself.
	recurses bool
	// parameters are the types of $1, $2, .. where the statement is prepared.
	prepared   bool
	parameters []*wideType
}

// wideCTE is a common table expression.
type wideCTE struct {
	name, sql string
	// head is its list of columns, where it has one.
	head    string
	columns []wideColumn
	rowsMax int
}

func (w *wideStatement) chance(percent int) bool { return w.rng.IntN(100) < percent }

func (w *wideStatement) feature(name string) { w.features[name] = true }

// GenerateWide makes a random schema over all types and random statements of the
// whole tensor fragment: outer, semi and anti joins, subqueries, set operations,
// derived tables of every kind and all aggregates. An error may be the answer.
func GenerateWide(rng *rand.Rand) (schema []string, queries []Query) {
	db := newWideDatabase(rng)
	queries = make([]Query, queriesPerSchema)
	for i := range queries {
		queries[i] = newWideQuery(rng, db)
	}
	return db.ddl, queries
}

func newWideStatement(rng *rand.Rand, db *wideDatabase) *wideStatement {
	return &wideStatement{rng: rng, db: db, features: map[string]bool{}}
}

// newWideQuery is a statement that only reads, without parameters.
func newWideQuery(rng *rand.Rand, db *wideDatabase) Query {
	w := newWideStatement(rng, db)
	return w.finish(w.read(), false)
}

// read is the text of a statement that only reads, but for its WITH clause.
func (w *wideStatement) read() string {
	switch n := w.rng.IntN(20); {
	case n < 2:
		return w.setStatement()
	case n == 2:
		return w.overSubquery()
	case n == 3:
		return w.topBlock().distinct()
	default:
		return w.topBlock().grouped().sql
	}
}

// topBlock is the outermost block with FROM and WHERE. Half of them are small: a
// run compares several of those in the time of one that is not.
func (w *wideStatement) topBlock() *wideBlock {
	b := w.block(nil)
	if b.chance(50) {
		b.makeFrom(pick(b.rng, []int{1, 2, 2}), 0)
		b.makeWhere(b.chance(20))
		return b
	}
	b.makeFrom(pick(b.rng, []int{1, 2, 2, 2, 2, 3}), pick(b.rng, []int{0, 1, 1, 2}))
	b.makeWhere(true)
	return b
}

// finish is the whole query of a text.
func (w *wideStatement) finish(sql string, ordered bool) Query {
	q := Query{SQL: w.with() + sql, Eligible: true, Ordered: ordered, ToleranceAbs: toleranceRel * w.terms}
	q.Args = w.arguments(q.SQL)
	for name := range w.features {
		q.Features = append(q.Features, name)
	}
	sort.Strings(q.Features)
	return q
}

// with is the WITH clause of the statement.
func (w *wideStatement) with() string {
	if len(w.ctes) == 0 {
		return ""
	}
	parts := make([]string, len(w.ctes))
	for i, c := range w.ctes {
		parts[i] = fmt.Sprintf("%s%s AS (%s)", c.name, c.head, c.sql)
	}
	word := "WITH "
	if w.recurses {
		word = "WITH RECURSIVE "
	}
	return word + strings.Join(parts, ", ") + " "
}

// Partition is a query over a predicate's three parts, which add up.
type Partition struct {
	// Whole has one row; Parts are it where the predicate is TRUE, FALSE and NULL.
	Whole string
	Parts [3]string
}

// GeneratePartitions is GenerateWide for statements that count the rows of a
// join, and the values of a column, with and without a predicate: the counts of
// the three parts of the rows add up to those of all.
func GeneratePartitions(rng *rand.Rand) (schema []string, partitions []Partition) {
	db := newWideDatabase(rng)
	for len(partitions) < queriesPerSchema {
		w := newWideStatement(rng, db)
		b := w.block(nil)
		b.makeFrom(pick(rng, []int{1, 2, 2, 3}), 1)
		b.makeWhere(true)
		p, ok := b.predicate(true)
		if !ok {
			continue
		}
		head := w.with() + "SELECT count(*) AS n, count(" + pick(rng, b.columns).sql + ") AS c FROM " + b.from
		where := func(part string) string {
			return head + " WHERE " + strings.Join(append(append([]string(nil), b.where...), part), " AND ")
		}
		partitions = append(partitions, Partition{
			Whole: head + b.whereClause(),
			Parts: [3]string{where("(" + p + ")"), where("NOT (" + p + ")"), where("(" + p + ") IS NULL")},
		})
	}
	return db.ddl, partitions
}
