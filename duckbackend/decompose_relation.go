package duckbackend

import (
	"strconv"
	"strings"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/internal/invariant"
	"github.com/trireme-db/trireme/internal/load"
	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/internal/sqlerr"
	"github.com/trireme-db/trireme/optimizer/logical"
)

// decomposer holds the relations of a plan in the making.
type decomposer struct {
	specs   map[string]*load.Spec
	tensors map[string]*relation // by name in the plan, no mode bound
	// derived are tensors at constants and restricted relations, by their meaning.
	derived map[string]*relation
	names   map[string]bool // lower-case names of relations in use
	params  []load.Param    // of the statement
	// unordered is set while DuckDB does not choose the order of joins.
	unordered bool
	steps     []Step
}

// relation is what SQL must know of a tensor, or of some of its rows. SQL names
// ignore case, names of tensors and leaves do not.
type relation struct {
	name     string
	keys     []string // column names, by mode that no constant binds
	types    []rows.Type
	nullable []bool // NULL is a coordinate of the mode
	leaves   map[string]string
	used     map[string]bool // leaves that the plan reads; restrictions share it
	// filtered says that the rows are fewer than some table's for a reason that
	// the plan states: a constant, a predicate, a restriction, or such an operand.
	filtered bool

	spec  *load.Spec // of a load; its conditions on bound modes are in bound
	bound map[int]string
	text  string      // SELECT of a relation that is neither load nor step
	needs []*relation // what text reads

	readers int  // steps that read it
	shared  bool // must be a table whatever readers is
	made    bool // the table is among the steps
}

// inline reports whether the relation is a common table expression of the one
// step that reads it.
func (r *relation) inline() bool { return r.spec != nil && !r.shared && r.readers == 1 }

// leaf returns the quoted column of a leaf.
func (r *relation) leaf(name string) string {
	column, ok := r.leaves[name]
	invariant.Check(ok, "duckbackend: relation %s has no leaf %s", r.name, name)
	return load.Quote(column)
}

// newDecomposer names the steps as the plan does. Tables of rows that are there
// already keep their names; loads are named when they are first read.
func newDecomposer(plan *logical.Plan, loads []*load.Spec) *decomposer {
	d := &decomposer{
		specs: map[string]*load.Spec{}, tensors: map[string]*relation{},
		derived: map[string]*relation{}, names: map[string]bool{},
	}
	for _, p := range plan.Steps {
		q := p.Query
		var leaves []string
		for _, l := range q.Leaves {
			leaves = append(leaves, l.Name)
		}
		r := newRelation(len(q.Idxs), leaves)
		r.name = unused(q.Name, d.names)
		d.tensors[q.Name] = r
	}
	for _, spec := range loads {
		if spec.Table.Catalog == tempCatalog {
			d.names[strings.ToLower(spec.Table.Name)] = true
		}
		d.specs[spec.Name] = spec
		d.tensors[spec.Name] = loadRelation(spec)
		if len(spec.Params) > len(d.params) {
			d.params = spec.Params
		}
	}
	return d
}

// newRelation names the columns of a relation of n modes.
func newRelation(n int, leaves []string) *relation {
	r := &relation{leaves: map[string]string{}, used: map[string]bool{}}
	taken := map[string]bool{}
	for _, l := range leaves {
		r.leaves[l] = unused(l, taken)
	}
	for i := range n {
		r.keys = append(r.keys, unused("k"+strconv.Itoa(i), taken))
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

func loadRelation(spec *load.Spec) *relation {
	var leaves []string
	for _, l := range spec.Leaves {
		leaves = append(leaves, l.Name)
	}
	r := newRelation(len(spec.Keys), leaves)
	r.spec = spec
	r.filtered = spec.Where != ""
	for _, k := range spec.Keys {
		r.types = append(r.types, k.Type)
		r.nullable = append(r.nullable, k.Null == load.KeepNull && !k.RowIndex)
	}
	return r
}

// at returns an operand's tensor at the operand's constants: its keys are the
// modes that have an index.
func (d *decomposer) at(op logical.Operand) (*relation, error) {
	whole := d.tensors[op.Tensor]
	invariant.Check(whole != nil && len(whole.keys) == len(op.Args), "duckbackend: %s has no load of %d keys", op.Tensor, len(op.Args))
	bound := map[int]string{}
	key := op.Tensor
	for m, arg := range op.Args {
		if arg.Const == nil {
			continue
		}
		value, err := d.constant(arg.Const, whole.types[m])
		if err != nil {
			return nil, err
		}
		bound[m] = value
		key += "\x00" + strconv.Itoa(m) + "=" + value
	}
	if len(bound) == 0 {
		if whole.name == "" {
			whole.name = unused(op.Tensor, d.names)
		}
		return whole, nil
	}
	r, ok := d.derived[key]
	if !ok {
		r = d.boundRelation(op.Tensor, whole, bound)
		d.derived[key] = r
	}
	return r, nil
}

// boundRelation is a tensor with some modes bound: a load of its own, whose
// conditions DuckDB can use in the scan, or the rows of a step's table.
func (d *decomposer) boundRelation(tensor string, whole *relation, bound map[int]string) *relation {
	r := &relation{name: unused(tensor, d.names), leaves: whole.leaves, filtered: true}
	var conds []string
	for m := range whole.keys {
		if value, ok := bound[m]; ok {
			conds = append(conds, whole.keys[m]+" = "+value)
			continue
		}
		r.keys = append(r.keys, whole.keys[m])
		r.types = append(r.types, whole.types[m])
		r.nullable = append(r.nullable, whole.nullable[m])
	}
	if whole.spec != nil {
		r.spec, r.bound, r.used = whole.spec, bound, map[string]bool{}
		return r
	}
	r.used, r.needs = whole.used, []*relation{whole}
	r.text = "SELECT *\nFROM " + load.Quote(whole.name) + "\nWHERE " + strings.Join(conds, " AND ")
	return r
}

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

// make adds the steps that make the table of r, and what it reads, unless they
// are there or a step of the plan makes it.
func (d *decomposer) make(r *relation) {
	if r.made || r.spec == nil && r.text == "" {
		return
	}
	r.made = true
	for _, n := range r.needs {
		d.make(n)
	}
	text := r.text
	if r.spec != nil {
		text = loadLines(r).String()
	}
	d.reorder(true)
	d.steps = append(d.steps, Step{Name: r.name, SQL: createTemp(r.name, text)})
}

// reorder lets DuckDB's optimizer rewrite the statements that follow, or not.
// The pragma is the connection's; disabling one optimizer would be for all.
func (d *decomposer) reorder(on bool) {
	if on != d.unordered {
		return
	}
	d.unordered = !on
	text := "PRAGMA disable_optimizer"
	if on {
		text = "PRAGMA enable_optimizer"
	}
	d.steps = append(d.steps, Step{Name: "setting", SQL: text, Setting: true})
}
