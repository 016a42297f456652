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
	"github.com/trireme-db/trireme/internal/sqlerr"
	"github.com/trireme-db/trireme/optimizer/logical"
)

// Step is one statement of the decomposed SQL. All but the last create the
// temporary table Name; the last is a SELECT. After the steps before it, SQL can
// be pasted into the duckdb command line.
type Step struct{ Name, SQL string }

// Decompose renders a logical plan as one SQL statement per step. A tensor is a
// relation: a row per entry, a column per mode (k0, k1, ..; the key's SQL value)
// and one per leaf, HUGEINT or DOUBLE, or VARCHAR for Min and Max over strings.
// The identity of Min and Max, which stands for "no value", is NULL. Loads become
// common table expressions of the steps that read them.
//
// The columns of the last statement are the last query's Idxs, then its leaves.
// A step whose leaves are not all present at the cells of one inner join is
// error 0A000. Operands that may be absent there, under if0 or as a in (a + b) * b,
// are joined to its left. A function outside its domain is DuckDB's error.
func Decompose(plan *logical.Plan, loads []*load.Spec) ([]Step, error) {
	d := &decomposer{tensors: map[string]*relation{}, names: map[string]bool{}}
	for _, spec := range loads {
		d.tensors[spec.Name] = d.inputRelation(spec)
		if len(spec.Params) > len(d.params) {
			d.params = spec.Params
		}
	}
	var steps []Step
	for i, s := range plan.Steps {
		text, err := d.step(s.Query)
		if err != nil {
			return nil, err
		}
		name := d.tensors[s.Query.Name].name
		if i < len(plan.Steps)-1 {
			text = "CREATE TEMP TABLE " + load.Quote(name) + " AS\n" + text
		}
		steps = append(steps, Step{Name: name, SQL: text})
	}
	return steps, nil
}

type decomposer struct {
	tensors map[string]*relation
	names   map[string]bool // lower-case names of relations in use
	params  []load.Param    // of the statement
}

// relation is what the SQL of a step must know of a tensor that it reads. SQL
// names ignore case, names of tensors and leaves do not.
type relation struct {
	name     string
	spec     *load.Spec // of an input; nil for a step
	keys     []string   // column names, by mode
	types    []rows.Type
	nullable []bool // NULL is a coordinate of the mode
	leaves   map[string]string
}

// leaf returns the quoted column of a leaf.
func (r *relation) leaf(name string) string {
	column, ok := r.leaves[name]
	invariant.Check(ok, "duckbackend: relation %s has no leaf %s", r.name, name)
	return load.Quote(column)
}

// newRelation names a relation, its leaves and the columns of its n modes.
func (d *decomposer) newRelation(name string, n int, leaves []string) *relation {
	r := &relation{name: unused(name, d.names), leaves: map[string]string{}}
	used := map[string]bool{}
	for _, l := range leaves {
		r.leaves[l] = unused(l, used)
	}
	for i := range n {
		r.keys = append(r.keys, unused("k"+strconv.Itoa(i), used))
	}
	return r
}

// unused returns name, with a number where it is taken but for its case.
func unused(name string, used map[string]bool) string {
	out := name
	for i := 2; used[strings.ToLower(out)]; i++ {
		out = name + "_" + strconv.Itoa(i)
	}
	used[strings.ToLower(out)] = true
	return out
}

func (d *decomposer) inputRelation(spec *load.Spec) *relation {
	var leaves []string
	for _, l := range spec.Leaves {
		leaves = append(leaves, l.Name)
	}
	r := d.newRelation(spec.Name, len(spec.Keys), leaves)
	r.spec = spec
	for _, k := range spec.Keys {
		r.types = append(r.types, k.Type)
		r.nullable = append(r.nullable, k.Null == load.KeepNull && !k.RowIndex)
	}
	return r
}

// stepSQL is the statement of one step in the making.
type stepSQL struct {
	d    *decomposer
	q    *einsum.Query
	body *logical.Body
	// required are the operands and masks that every cell has.
	required uint64
	// at holds, per index of the query, the columns of required operands that
	// have its value.
	at map[einsum.Index][]column
	// optional holds the columns of operands that may be absent.
	optional []optionalColumn
	agg      semiring.Op // of the leaf at hand
	// conds are the conjuncts of WHERE.
	conds []string
}

// optionalColumn is a mode of an operand that may be absent: equal to an index
// or to a value in SQL.
type optionalColumn struct {
	column
	index einsum.Index
	value string // "": index
}

// column is one mode of an operand.
type column struct {
	operand  int
	sql      string
	typ      rows.Type
	nullable bool
}

func (d *decomposer) step(q *einsum.Query) (string, error) {
	body, err := logical.NewBody(q)
	if err != nil {
		return "", err
	}
	required, err := joined(q, body, reduces(q))
	if err != nil {
		return "", err
	}
	s := &stepSQL{d: d, q: q, body: body, required: required, at: map[einsum.Index][]column{}}
	if err := s.bindOperands(); err != nil {
		return "", err
	}
	var leaves []string
	for _, l := range q.Leaves {
		leaves = append(leaves, l.Name)
	}
	out := d.newRelation(q.Name, len(q.Idxs), leaves)
	var items, groups []string
	for i, x := range q.Idxs {
		c := s.representative(x)
		out.types = append(out.types, c.typ)
		out.nullable = append(out.nullable, s.nullable(x))
		items = append(items, c.sql+" AS "+out.keys[i])
		groups = append(groups, c.sql)
	}
	reduced := reduces(q)
	for _, l := range q.Leaves {
		items = append(items, s.leaf(l.Expr, reduced)+" AS "+out.leaf(l.Name))
	}
	text := s.with() + "SELECT " + strings.Join(items, ",\n  ") + "\n" + s.from() + s.leftJoins() + s.where()
	switch {
	case reduced && len(groups) > 0:
		text += "\nGROUP BY " + strings.Join(groups, ", ")
	case reduced:
		// SQL makes a row of no input; the tensor has no entry then.
		text += "\nHAVING count(*) > 0"
	}
	d.tensors[q.Name] = out
	return text, nil
}

// joined returns the operands and masks whose inner join is the step's
// structure, for every leaf. In a step that reduces, each leaf must be present
// exactly there: one that asks for fewer would be reduced over too many cells. In
// a pointwise step all leaves have the same presence (E1), so it is the join of
// what the leaves require together. A mask always is required: a comparison that
// only chooses a value has no place in WHERE.
func joined(q *einsum.Query, body *logical.Body, reduced bool) (uint64, error) {
	var required uint64
	for i, l := range q.Leaves {
		expr := l.Expr
		if a, ok := expr.(*einsum.Agg); ok {
			expr = a.Arg
		}
		sets := body.Presence(expr)
		if len(sets) != 1 || reduced && i > 0 && sets[0] != required {
			return 0, notJoined(q, l.Name)
		}
		required |= sets[0]
	}
	if masks := body.Atoms() >> len(body.Operands); required>>len(body.Operands) != masks {
		return 0, notJoined(q, q.Leaves[0].Name)
	}
	return required, nil
}

func notJoined(q *einsum.Query, leaf string) error {
	return sqlerr.New(sqlerr.FeatureNotSupported,
		"decomposed backend: leaf %s of step %s is not present exactly where some of its operands are", leaf, q.Name)
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

// bindOperands records which columns hold which index, and the conditions of
// constant arguments.
func (s *stepSQL) bindOperands() error {
	for o, op := range s.body.Operands {
		r := s.d.tensors[op.Tensor]
		invariant.Check(r != nil && len(r.keys) == len(op.Args), "duckbackend: %s has no load of %d keys", op.Tensor, len(op.Args))
		for m, arg := range op.Args {
			c := column{operand: o, sql: alias(o) + "." + r.keys[m], typ: r.types[m], nullable: r.nullable[m]}
			value := ""
			if arg.Const != nil {
				var err error
				if value, err = s.d.constant(arg.Const, c.typ); err != nil {
					return err
				}
			}
			switch {
			case !s.given(o):
				s.optional = append(s.optional, optionalColumn{column: c, index: arg.Index, value: value})
			case value == "":
				s.at[arg.Index] = append(s.at[arg.Index], c)
			default:
				s.conds = append(s.conds, c.sql+" = "+value)
			}
		}
	}
	return nil
}

// given reports whether operand o is present in every row of the join.
func (s *stepSQL) given(o int) bool { return s.required>>o&1 != 0 }

// alias names operand o in a step's SQL.
func alias(o int) string { return "a" + strconv.Itoa(o+1) }

// constant renders a constant argument as a value of the mode's type.
func (d *decomposer) constant(c *einsum.Const, t rows.Type) (string, error) {
	if c.Param == 0 && !c.Null && !c.Quoted {
		return "(" + c.Text + ")", nil // a number compares by value, also past the column's type
	}
	p := load.Param{Type: t, Null: c.Null, Text: c.Text}
	if c.Param > 0 {
		if c.Param > len(d.params) {
			return "", sqlerr.New(sqlerr.InternalError, "decomposed backend: parameter $%d has no value", c.Param)
		}
		bound := d.params[c.Param-1]
		p.Null, p.Text = bound.Null, bound.Text
	}
	return paramLiteral(p), nil
}

// nullable reports whether NULL is a value of the index: every column that has
// it keeps NULL as a coordinate.
func (s *stepSQL) nullable(x einsum.Index) bool {
	return !slices.ContainsFunc(s.at[x], func(c column) bool { return !c.nullable })
}

// representative returns the column that stands for an index.
func (s *stepSQL) representative(x einsum.Index) column {
	cols := s.at[x]
	invariant.Check(len(cols) > 0, "duckbackend: index %s of step %s is in no operand", x.Name, s.q.Name)
	return cols[0]
}

// with renders the loads that the step reads, only the leaves it reads of them.
func (s *stepSQL) with() string {
	used := map[string]map[string]bool{}
	var order []string
	for _, l := range s.q.Leaves {
		for _, a := range einsum.Accesses(l.Expr) {
			if s.d.tensors[a.Tensor].spec == nil {
				continue
			}
			if used[a.Tensor] == nil {
				used[a.Tensor] = map[string]bool{}
				order = append(order, a.Tensor)
			}
			used[a.Tensor][a.Leaf] = true
			if !s.given(s.body.OperandOf(a)) {
				used[a.Tensor][einsum.CountLeaf] = true // tells a row from none
			}
		}
	}
	if len(order) == 0 {
		return ""
	}
	parts := make([]string, len(order))
	for i, name := range order {
		r := s.d.tensors[name]
		parts[i] = load.Quote(r.name) + " AS MATERIALIZED (\n" + indent(loadSQL(r, used[name])) + "\n)"
	}
	return "WITH " + strings.Join(parts, ", ") + "\n"
}

func indent(text string) string { return "  " + strings.ReplaceAll(text, "\n", "\n  ") }

// from renders the inner join of the required operands; one that shares an index with
// those before it comes first, so that no product is formed without need.
func (s *stepSQL) from() string {
	var b strings.Builder
	placed := make([]bool, len(s.body.Operands))
	for range bits.OnesCount64(s.required & (1<<len(s.body.Operands) - 1)) {
		o := s.next(placed)
		conds := s.joinConditions(o, placed)
		placed[o] = true
		name := load.Quote(s.d.tensors[s.body.Operands[o].Tensor].name) + " AS " + alias(o)
		switch {
		case b.Len() == 0:
			b.WriteString("FROM " + name)
			s.conds = append(s.conds, conds...) // T(i,i)
		case len(conds) > 0:
			b.WriteString("\nJOIN " + name + " ON " + strings.Join(conds, " AND "))
		default:
			b.WriteString("\nCROSS JOIN " + name)
		}
	}
	return b.String()
}

// leftJoins renders the joins of operands that may be absent, after the
// required ones. A tensor has at most one entry at the coordinates of a row, so
// they add columns and no rows.
func (s *stepSQL) leftJoins() string {
	var b strings.Builder
	for o, op := range s.body.Operands {
		if s.given(o) {
			continue
		}
		var conds []string
		for _, c := range s.optional {
			switch {
			case c.operand != o:
			case c.value != "":
				conds = append(conds, c.sql+" = "+c.value)
			default:
				equal := " = "
				if s.nullable(c.index) {
					equal = " IS NOT DISTINCT FROM "
				}
				conds = append(conds, c.sql+equal+s.representative(c.index).sql)
			}
		}
		if b.Len() == 0 && len(s.at) == 0 && s.required == 0 {
			b.WriteString("FROM (SELECT 1) AS a0")
		}
		b.WriteString("\nLEFT JOIN " + load.Quote(s.d.tensors[op.Tensor].name) + " AS " + alias(o) + " ON ")
		if len(conds) == 0 {
			conds = []string{"TRUE"}
		}
		b.WriteString(strings.Join(conds, " AND "))
	}
	return b.String()
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
// operands placed before it, and the modes of o that have one index.
func (s *stepSQL) joinConditions(o int, placed []bool) []string {
	var conds []string
	for _, x := range s.body.Indices {
		equal := " = "
		if s.nullable(x) {
			equal = " IS NOT DISTINCT FROM "
		}
		known := ""
		for _, c := range s.at[x] {
			if placed[c.operand] {
				known = c.sql
				break
			}
		}
		for _, c := range s.at[x] {
			if c.operand != o {
				continue
			}
			if known != "" {
				conds = append(conds, c.sql+equal+known)
			} else {
				known = c.sql
			}
		}
	}
	return conds
}

// where renders constants, equal modes of the first operand, and masks.
func (s *stepSQL) where() string {
	conds := s.conds
	for _, m := range s.body.Masks {
		conds = append(conds, s.representative(m.Compare.L).sql+" "+m.Compare.Op.String()+" "+s.representative(m.Compare.R).sql)
	}
	if len(conds) == 0 {
		return ""
	}
	return "\nWHERE " + strings.Join(conds, "\n  AND ")
}
