package duckbackend

import (
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/internal/invariant"
	"github.com/trireme-db/trireme/internal/load"
	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/optimizer/logical"
)

// Step is one statement of the decomposed SQL. After the steps before it, SQL can
// be pasted into the duckdb command line.
type Step struct {
	// Name is the temporary table that SQL creates; of the last step, which is a
	// SELECT, the tensor that it answers.
	Name string
	SQL  string
	// Setting marks a step that sets the connection and makes no table.
	Setting bool
}

// Decompose renders a logical plan as SQL: one statement per aggregate, before
// which stand statements for what aggregates share. A tensor is a relation: a row
// per entry, a column per mode (k0, k1, ..; the key's SQL value) and one per leaf,
// HUGEINT or DOUBLE, or VARCHAR for Min and Max over strings. The identity of Min
// and Max, which stands for "no value", is NULL.
//
// A load is a common table expression of the one step that reads it, else a
// temporary table, made once; constants are conditions of the load. Steps that
// join many operands read restricted ones (restrict), and cyclic ones among them
// are joined in the order written (inOrder).
//
// The columns of the last statement are the last query's Idxs, then its leaves.
// Operands that may be absent at a step's cells, under if0 or as a in (a + b) * b,
// are joined to the left of what is present; where that is not the inner join of
// some operands, it is a union of such joins (decompose_union.go). A function
// outside its domain is DuckDB's error.
func Decompose(plan *logical.Plan, loads []*load.Spec) ([]Step, error) {
	d := newDecomposer(plan, loads)
	var steps []*stepSQL
	for _, p := range plan.Steps {
		s, err := d.prepare(p.Query)
		if err != nil {
			return nil, err
		}
		steps = append(steps, s)
	}
	for i, s := range steps {
		for _, op := range s.operands {
			if !op.inline() {
				d.make(op.relation)
			}
		}
		d.reorder(!s.inOrder)
		text := s.text()
		if i < len(steps)-1 {
			text = createTemp(s.out.name, text)
		}
		d.steps = append(d.steps, Step{Name: s.out.name, SQL: text})
	}
	return d.steps, nil
}

func createTemp(name, text string) string {
	return "CREATE TEMP TABLE " + load.Quote(name) + " AS\n" + text
}

// stepSQL is the statement of one step in the making.
type stepSQL struct {
	d    *decomposer
	q    *einsum.Query
	body *logical.Body
	out  *relation
	// required are the operands and masks that every cell has.
	required uint64
	operands []operand // by their numbers in body
	// at holds, per index of the query, the columns of required operands that
	// have its value.
	at map[einsum.Index][]column
	// optional holds the columns of operands that may be absent.
	optional []optionalColumn
	joins    []*stepSQL  // whose cells together are the step's; empty: one join's
	inOrder  bool        // joined in the order written
	agg      semiring.Op // of the leaf at hand
	conds    []string    // conjuncts of WHERE
}

// operand is what an operand of the body reads: its tensor at the operand's
// constants, or a restriction of that.
type operand struct {
	*relation
	idxs []einsum.Index // per key of the relation
}

// optionalColumn is a mode of an operand that may be absent.
type optionalColumn struct {
	column
	index einsum.Index
}

// column is one mode of an operand.
type column struct {
	operand  int
	sql      string
	typ      rows.Type
	nullable bool
}

// orderedMin is the number of operands beyond which a cyclic step is joined in
// our order. DuckDB has no bad choice among the joins of a triangle.
const orderedMin = 3

// prepare decides which relations a step reads; text renders it when all steps
// are prepared, and it is known which leaves they read of shared relations.
func (d *decomposer) prepare(q *einsum.Query) (*stepSQL, error) {
	body, err := logical.NewBody(q)
	if err != nil {
		return nil, err
	}
	required, single := joined(q, body, reduces(q))
	s := &stepSQL{d: d, q: q, body: body, out: d.tensors[q.Name], required: required, at: map[einsum.Index][]column{}}
	if err := s.bindOperands(); err != nil {
		return nil, err
	}
	s.markLeaves()
	if single {
		s.restrict()
		s.inOrder = s.cyclic() && len(s.operands) > orderedMin
	} else {
		sets, err := alternatives(q, body)
		if err != nil {
			return nil, err
		}
		s.bindCells(sets)
	}
	read := map[*relation]bool{}
	for _, op := range s.operands {
		if !read[op.relation] {
			op.readers++
		}
		read[op.relation] = true
		op.shared = op.shared || s.inOrder
		s.out.filtered = s.out.filtered || op.filtered
	}
	for _, x := range q.Idxs {
		s.out.types = append(s.out.types, s.representative(x).typ)
		s.out.nullable = append(s.out.nullable, s.nullable(x))
	}
	return s, nil
}

// text renders the SELECT.
func (s *stepSQL) text() string {
	var items, groups []string
	for i, x := range s.q.Idxs {
		c := s.representative(x)
		items = append(items, c.sql+" AS "+s.out.keys[i])
		groups = append(groups, c.sql)
	}
	reduced := reduces(s.q)
	for _, l := range s.q.Leaves {
		items = append(items, s.leaf(l.Expr, reduced)+" AS "+s.out.leaf(l.Name))
	}
	text := slices.Concat(s.with(), listed("SELECT ", items), s.from(), s.leftJoins(), s.where())
	switch {
	case reduced && len(groups) > 0:
		text = append(text, "GROUP BY "+strings.Join(groups, ", "))
	case reduced:
		// SQL makes a row of no input; the tensor has no entry then.
		text = append(text, "HAVING count(*) > 0")
	}
	return text.String()
}

// joined returns the operands and masks whose inner join is the step's
// structure, for every leaf; false where there is no such join. In a step that
// reduces, each leaf must be present exactly there: one that asks for fewer would
// be reduced over too many cells. In a pointwise step all leaves have the same
// presence (E1), so it is the join of what the leaves require together. A mask
// always is required: a comparison that only chooses a value has no place in WHERE.
func joined(q *einsum.Query, body *logical.Body, reduced bool) (required uint64, single bool) {
	for i, l := range q.Leaves {
		expr := l.Expr
		if a, ok := expr.(*einsum.Agg); ok {
			expr = a.Arg
		}
		sets, exact := body.ExactPresence(expr)
		if !exact || len(sets) != 1 || reduced && i > 0 && sets[0] != required {
			return 0, false
		}
		required |= sets[0]
	}
	if masks := body.Atoms() >> len(body.Operands); required>>len(body.Operands) != masks {
		return 0, false
	}
	return required, true
}

// reduces reports whether the step aggregates over at least one index. Without
// one, every row of the join is an entry.
func reduces(q *einsum.Query) bool {
	for _, l := range q.Leaves {
		if a, ok := l.Expr.(*einsum.Agg); ok && len(a.Idxs) > 0 {
			return true
		}
	}
	return false
}

// bindOperands finds what each operand reads, and which columns hold which index.
func (s *stepSQL) bindOperands() error {
	for o, op := range s.body.Operands {
		r, err := s.d.at(op)
		if err != nil {
			return err
		}
		bound := operand{relation: r}
		for _, arg := range op.Args {
			if arg.Const != nil {
				continue
			}
			m := len(bound.idxs)
			c := column{operand: o, sql: alias(o) + "." + r.keys[m], typ: r.types[m], nullable: r.nullable[m]}
			bound.idxs = append(bound.idxs, arg.Index)
			if s.given(o) {
				s.at[arg.Index] = append(s.at[arg.Index], c)
			} else {
				s.optional = append(s.optional, optionalColumn{column: c, index: arg.Index})
			}
		}
		s.operands = append(s.operands, bound)
	}
	return nil
}

// markLeaves notes which leaves of the operands the step reads.
func (s *stepSQL) markLeaves() {
	for _, l := range s.q.Leaves {
		for _, a := range einsum.Accesses(l.Expr) {
			o := s.body.OperandOf(a)
			s.operands[o].used[a.Leaf] = true
			if !s.given(o) {
				s.operands[o].used[einsum.CountLeaf] = true // tells a row from none
			}
		}
	}
}

// given reports whether operand o is present in every row of the join.
func (s *stepSQL) given(o int) bool { return s.required>>o&1 != 0 }

// alias names operand o in a step's SQL.
func alias(o int) string { return "a" + strconv.Itoa(o+1) }

// nullable reports whether NULL is a value of the index: every column that has
// it keeps NULL as a coordinate.
func (s *stepSQL) nullable(x einsum.Index) bool {
	return !slices.ContainsFunc(s.at[x], func(c column) bool { return !c.nullable })
}

// equal is the comparison under which values of the index are equal.
func (s *stepSQL) equal(x einsum.Index) string {
	if s.nullable(x) {
		return " IS NOT DISTINCT FROM "
	}
	return " = "
}

// representative returns the column that stands for an index.
func (s *stepSQL) representative(x einsum.Index) column {
	cols := s.at[x]
	invariant.Check(len(cols) > 0, "duckbackend: index %s of step %s is in no operand", x.Name, s.q.Name)
	return cols[0]
}

// with renders the loads that no other step reads.
func (s *stepSQL) with() lines {
	var text lines
	seen := map[*relation]bool{}
	before := "WITH "
	for _, op := range s.operands {
		if op.inline() && !seen[op.relation] {
			seen[op.relation] = true
			text = append(text, before+load.Quote(op.name)+" AS MATERIALIZED (")
			text = append(text, loadLines(op.relation).indented()...)
			before = "), "
		}
	}
	if text == nil {
		return nil
	}
	return append(text, ")")
}

// from renders the inner join of the required operands; one that shares an index with
// those before it comes first, so that no product is formed without need.
func (s *stepSQL) from() lines {
	if !s.single() {
		return s.cells()
	}
	var text lines
	placed := make([]bool, len(s.body.Operands))
	next := s.next
	if s.inOrder {
		next = s.nextInOrder
	}
	for range bits.OnesCount64(s.required & (1<<len(s.body.Operands) - 1)) {
		o := next(placed)
		conds := s.joinConditions(o, placed)
		placed[o] = true
		name := load.Quote(s.operands[o].name) + " AS " + alias(o)
		switch {
		case text == nil:
			text = lines{"FROM " + name}
			s.conds = conds // T(i,i)
		case len(conds) > 0:
			text = append(text, "JOIN "+name+" ON "+strings.Join(conds, " AND "))
		default:
			text = append(text, "CROSS JOIN "+name)
		}
	}
	return text
}

// leftJoins renders the joins of operands that may be absent, after the
// required ones. A tensor has at most one entry at the coordinates of a row, so
// they add columns and no rows.
func (s *stepSQL) leftJoins() lines {
	var text lines
	for o, op := range s.operands {
		if s.given(o) {
			continue
		}
		var conds []string
		for _, c := range s.optional {
			if c.operand == o {
				conds = append(conds, c.sql+s.equal(c.index)+s.representative(c.index).sql)
			}
		}
		if text == nil && len(s.at) == 0 && s.required == 0 && s.single() {
			text = lines{"FROM (SELECT 1) AS a0"}
		}
		if len(conds) == 0 {
			conds = []string{"TRUE"}
		}
		text = append(text, "LEFT JOIN "+load.Quote(op.name)+" AS "+alias(o)+" ON "+strings.Join(conds, " AND "))
	}
	return text
}

// next returns the first unplaced required operand that shares an index with a placed
// one, else the first unplaced.
func (s *stepSQL) next(placed []bool) int {
	var have uint64
	for o, op := range s.body.Operands {
		if placed[o] {
			have |= op.Set
		}
	}
	first := -1
	for o, op := range s.body.Operands {
		if placed[o] || !s.given(o) {
			continue
		}
		if op.Set&have != 0 {
			return o
		}
		if first < 0 {
			first = o
		}
	}
	return first
}

// joinConditions equates the indices of operand o with their values in the
// operands placed before it, and the modes of o that have one index. A mask is
// checked as soon as both its indices are there.
func (s *stepSQL) joinConditions(o int, placed []bool) []string {
	var conds []string
	known := map[einsum.Index]string{}
	before := map[einsum.Index]bool{}
	for _, x := range s.body.Indices {
		for _, c := range s.at[x] {
			if placed[c.operand] {
				known[x], before[x] = c.sql, true
				break
			}
		}
		for _, c := range s.at[x] {
			if c.operand != o {
				continue
			}
			if known[x] != "" {
				conds = append(conds, c.sql+s.equal(x)+known[x])
			} else {
				known[x] = c.sql
			}
		}
	}
	for i, m := range s.body.Masks {
		if !s.given(len(s.body.Operands) + i) {
			continue
		}
		l, r := m.Compare.L, m.Compare.R
		if known[l] != "" && known[r] != "" && (!before[l] || !before[r]) {
			conds = append(conds, known[l]+" "+m.Compare.Op.String()+" "+known[r])
		}
	}
	return conds
}

// where renders conditions on the first operand alone.
func (s *stepSQL) where() lines {
	var text lines
	before := "WHERE "
	for _, c := range s.conds {
		text = append(text, before+c)
		before = "  AND "
	}
	return text
}
