package duckbackend

import (
	"slices"
	"strconv"
	"strings"

	"github.com/trireme-db/trireme/einsum"
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
// error 0A000.
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
	// at holds, per index of the query, the columns that have its value.
	at map[einsum.Index][]column
	// conds are the conjuncts of WHERE.
	conds []string
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
	if err := checkConjunctive(q, body, reduces(q)); err != nil {
		return "", err
	}
	s := &stepSQL{d: d, q: q, body: body, at: map[einsum.Index][]column{}}
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
	text := s.with() + "SELECT " + strings.Join(items, ",\n  ") + "\n" + s.from() + s.where()
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

// checkConjunctive verifies that one inner join of all operands is right for
// every leaf. In a step that reduces, each leaf must be present exactly where all
// operands and masks of the step are: a leaf that reads fewer would be reduced
// over too few or too many cells. In a pointwise step all leaves have the same
// presence (E1), so it is the join of what the leaves require together; an
// operand that none of them requires, b in a * (a + b), must not restrict it.
func checkConjunctive(q *einsum.Query, body *logical.Body, reduced bool) error {
	var required uint64
	for _, l := range q.Leaves {
		expr := l.Expr
		if a, ok := expr.(*einsum.Agg); ok {
			expr = a.Arg
		}
		sets := body.Presence(expr)
		if len(sets) != 1 || reduced && sets[0] != body.Atoms() {
			return notJoined(q, l.Name)
		}
		required |= sets[0]
	}
	if required != body.Atoms() {
		return notJoined(q, q.Leaves[0].Name)
	}
	return nil
}

func notJoined(q *einsum.Query, leaf string) error {
	return sqlerr.New(sqlerr.FeatureNotSupported,
		"decomposed backend: leaf %s of step %s is not present exactly where all its operands are", leaf, q.Name)
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
			if arg.Const == nil {
				s.at[arg.Index] = append(s.at[arg.Index], c)
				continue
			}
			value, err := s.d.constant(arg.Const, c.typ)
			if err != nil {
				return err
			}
			s.conds = append(s.conds, c.sql+" = "+value)
		}
	}
	return nil
}

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

// from renders the inner join of all operands; one that shares an index with
// those before it comes first, so that no product is formed without need.
func (s *stepSQL) from() string {
	var b strings.Builder
	placed := make([]bool, len(s.body.Operands))
	for range s.body.Operands {
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

// next returns the first unplaced operand that shares an index with a placed
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
		if placed[o] {
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
