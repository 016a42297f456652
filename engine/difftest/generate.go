package difftest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sort"
	"strings"

	"github.com/trireme-db/trireme/internal/rows"
)

// Query is one random statement over the schema it was generated with.
type Query struct {
	SQL string
	// Eligible: the statement belongs to the tensor fragment; otherwise forced
	// native must refuse it.
	Eligible bool
	// Features are what the statement contains, sorted; each is one of AllFeatures.
	Features []string
	// Ordered is set when ORDER BY is total.
	Ordered bool
	// ToleranceAbs is how far float results may be apart; 0: exact.
	ToleranceAbs float64
	// Args are the values of the parameters $1, $2, .. of one execution each; empty:
	// the statement has none, and is executed once.
	Args [][]Arg
	// Types are the types of the parameters that a client declares; Invalid or missing: it
	// leaves them open.
	Types []rows.Type
	// Written are the texts of the executions with constants in place of parameters; empty:
	// there are none.
	Written []string
	// Check is a SELECT that shows what the statement has written; empty: it does
	// not write.
	Check string
}

// Arg is a parameter value in DuckDB's text form.
type Arg struct {
	Null bool
	Text string
}

// String is the value as SQL has it.
func (a Arg) String() string {
	if a.Null {
		return "NULL"
	}
	return "'" + strings.ReplaceAll(a.Text, "'", "''") + "'"
}

// queriesPerSchema is how many statements share one random schema.
const queriesPerSchema = 20

// AllFeatures are the features a long enough run must show, sorted. Each
// occurs in at least one of a hundred statements.
var AllFeatures = []string{
	"aggregate_expression", "alias_as_table_name", "arg_case", "arg_constant", "arg_difference", "arg_distributed", "arg_negated",
	"arg_product", "arg_product_plus", "arg_product_three", "arg_sum", "avg", "comma_join", "count", "count_star", "cross_join", "cte",
	"cycle", "derived_expression", "derived_having", "derived_table", "derived_two_keys", "empty_table", "group_alias", "group_column", "group_expression", "group_position", "having", "ineligible",
	"inner_function", "inner_root", "join_on", "key_constant", "limit", "many_leaves", "mask", "mask_only_link", "max", "min", "minmax_product", "natural_join", "no_group_by",
	"null_key", "null_measure", "offset", "order_by", "predicate", "predicate_between", "predicate_case", "predicate_coalesce",
	"predicate_function", "predicate_in", "predicate_like", "predicate_not", "predicate_null", "predicate_or", "quoted_name",
	"schema_qualified", "self_join", "single_table", "string_key", "sum", "three_deep", "type_bigint", "type_boolean", "type_date",
	"type_decimal", "type_double", "type_smallint", "using_join",
}

// Generate makes a random schema, as DDL and INSERT statements in order, and
// random statements over it under the rules of D2: tables of at most twelve
// rows with NULLs, duplicates and small domains, sometimes empty.
func Generate(rng *rand.Rand) (schema []string, queries []Query) {
	return generate(rng, false)
}

// GenerateFloats is Generate with arbitrary DOUBLE values: statements carry a
// tolerance, and have no predicate, key or order on a DOUBLE or on an aggregate of one.
func GenerateFloats(rng *rand.Rand) (schema []string, queries []Query) {
	return generate(rng, true)
}

func generate(rng *rand.Rand, floats bool) ([]string, []Query) {
	db := newDatabase(rng, floats)
	queries := make([]Query, queriesPerSchema)
	for i := range queries {
		queries[i] = newQuery(rng, db)
	}
	return db.ddl, queries
}

// block builds one SELECT block.
type block struct {
	rng   *rand.Rand
	db    *database
	stmt  *statement
	from  string
	occs  []occurrence
	where []string
	keys  []groupKey
	// terms bounds the sum of |term| of the block's float aggregates.
	terms float64
}

// statement is what the blocks of one statement share.
type statement struct {
	features map[string]bool
	ctes     []string
	// derived counts derived tables and CTEs, for unique column names.
	derived int
	// rounded: a result is a sum of values that are not exact.
	rounded bool
}

// occurrence is a table in FROM under an alias.
type occurrence struct {
	alias string // as written, quoted if need be
	table *table
}

// ref is a column of an occurrence.
type ref struct {
	occ    int
	sql    string
	column column
}

// groupKey is a GROUP BY item: how it is written there, in the select list and
// in ORDER BY.
type groupKey struct {
	selected string // expression, without alias
	alias    string // empty: none
	grouped  string
	typ      colType
}

func newQuery(rng *rand.Rand, db *database) Query {
	stmt := &statement{features: map[string]bool{}}
	b := &block{rng: rng, db: db, stmt: stmt}
	b.makeFrom(2)
	b.makeWhere()
	b.makeGroups()
	q := Query{Eligible: true}
	q.SQL, q.Ordered = b.finish()
	if len(stmt.ctes) > 0 {
		q.SQL = "WITH " + strings.Join(stmt.ctes, ", ") + " " + q.SQL
	}
	if b.chance(3) {
		q.SQL, q.Eligible = "SELECT count(DISTINCT result) FROM ("+q.SQL+") AS result", false
		b.feature("ineligible")
	}
	if db.floats || stmt.rounded {
		q.ToleranceAbs = toleranceRel * b.terms
	}
	for name := range stmt.features {
		q.Features = append(q.Features, name)
	}
	sort.Strings(q.Features)
	return q
}

// feature notes what the statement contains; a name outside AllFeatures would
// escape the check that each occurs, so the tests reject it.
func (b *block) feature(names ...string) {
	for _, name := range names {
		b.stmt.features[name] = true
	}
}

// chance is true in percent of a hundred calls.
func (b *block) chance(percent int) bool { return b.rng.IntN(100) < percent }

// inexact is true for columns of arbitrary doubles, which no predicate, key or
// order may use.
func (b *block) inexact(c column) bool { return b.db.floats && c.typ == typeDouble }

// refs returns the columns of all occurrences that satisfy keep.
func (b *block) refs(keep func(column) bool) []ref {
	var found []ref
	for i, occ := range b.occs {
		for _, c := range occ.table.columns {
			if keep(c) {
				found = append(found, ref{i, occ.alias + "." + c.name, c})
			}
		}
	}
	return found
}

// refsOf returns the columns of one occurrence.
func (b *block) refsOf(occ int) []ref {
	return slices.DeleteFunc(b.refs(func(column) bool { return true }), func(r ref) bool { return r.occ != occ })
}

func pick[T any](rng *rand.Rand, list []T) T { return list[rng.IntN(len(list))] }

// nextAlias names an occurrence: a fresh alias, sometimes quoted.
func (b *block) nextAlias() string {
	n := len(b.occs)
	if b.chance(5) {
		b.feature("quoted_name")
		return fmt.Sprintf(`"r %d"`, n)
	}
	return fmt.Sprintf("r%d", n)
}
