package translate

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/internal/load"
	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/sqlfront"
)

// A program that the user wrote is the program that runs. What it declares is given a
// load each: a column of coordinates for each mode, and the sums of the leaves' columns
// over the rows that have the same ones. A row with a NULL in any of the columns is
// left out: it has no place, or no value.

// WrittenColumns are the names of the result's columns: those of the last query's
// indices, then those of its leaves, without the number of rows where there are others.
// Names that only differ in their case are numbered.
func WrittenColumns(p *einsum.Program) []string {
	q := p.Queries[len(p.Queries)-1]
	names := make([]string, 0, len(q.Idxs)+len(q.Leaves))
	for _, x := range q.Idxs {
		names = append(names, x.Name)
	}
	for _, l := range writtenLeaves(q) {
		names = append(names, l.Name)
	}
	return numbered(names)
}

// writtenLeaves are the leaves of a result that are columns.
func writtenLeaves(q *einsum.Query) []einsum.Leaf {
	if len(q.Leaves) > 1 {
		return q.Leaves[1:]
	}
	return q.Leaves
}

// WrittenInput is the operand of a tensor that a program declares.
type WrittenInput struct {
	Name    string
	Columns []rows.Column // of the modes, then of the leaves but the number of rows
}

// OperandError is an operand that does not fit its declaration: which one, and which
// of its columns (negative: their number).
type OperandError struct {
	Input, Column int
	Message, Hint string
}

// Error returns the message.
func (e *OperandError) Error() string { return e.Message }

// written is the program with the types of its operands.
type writtenProgram struct {
	*einsum.Program
	domains map[int]rows.Type // of the coordinates
	inputs  []WrittenInput
}

// WrittenTypes are the types of the result's columns, for operands of these types.
func WrittenTypes(p *einsum.Program, inputs []WrittenInput) ([]rows.Type, error) {
	w, err := newWritten(p, inputs)
	if err != nil {
		return nil, err
	}
	return w.types(), nil
}

// newWritten types a program. What it says of the data but the names is not relied on:
// the data shows what is true of it.
func newWritten(p *einsum.Program, inputs []WrittenInput) (*writtenProgram, error) {
	w := &writtenProgram{Program: &einsum.Program{Queries: p.Queries}, domains: map[int]rows.Type{}, inputs: inputs}
	for i, in := range p.Inputs {
		columns := inputs[i].Columns
		if want := len(in.Domains) + len(in.Leaves) - 1; len(columns) != want {
			return nil, &OperandError{
				Input: i, Column: -1,
				Message: fmt.Sprintf("the operand of %s has %d columns, but %s has %d modes and %d leaves beside %s", in.Name, len(columns), in.Name, len(in.Domains), len(in.Leaves)-1, einsum.CountLeaf),
				Hint:    fmt.Sprintf("Name the columns, those of the modes first: %s := 'table(i, k; v)'.", in.Name),
			}
		}
		for m, d := range in.Domains {
			if err := w.place(i, m, d); err != nil {
				return nil, err
			}
		}
		decl := &einsum.Input{Name: in.Name, Domains: in.Domains, Leaves: []einsum.LeafDecl{{Name: einsum.CountLeaf, Elem: semiring.I64}}}
		for l, leaf := range in.Leaves[1:] {
			elem, err := w.elem(i, len(in.Domains)+l, leaf)
			if err != nil {
				return nil, err
			}
			decl.Leaves = append(decl.Leaves, einsum.LeafDecl{Name: leaf.Name, Elem: elem})
		}
		w.Inputs = append(w.Inputs, decl)
	}
	return w, w.constants()
}

// place notes that column m of an operand has coordinates of a domain. Integers of
// several types are those of one that has them all.
func (w *writtenProgram) place(input, m, domain int) error {
	c := w.inputs[input].Columns[m]
	wrong := func(format string, args ...any) error {
		return &OperandError{
			Input: input, Column: m, Message: fmt.Sprintf(format, args...),
			Hint: "Coordinates are integers, strings or dates; those of one domain are of one kind.",
		}
	}
	if !c.Type.IsInteger() && c.Type.ID != rows.Varchar && c.Type.ID != rows.Date || c.Type.ID == rows.UHugeInt {
		return wrong("column %s of %s has type %s, which is none of coordinates", c.Name, w.inputs[input].Name, c.Type)
	}
	had, ok := w.domains[domain]
	switch {
	case !ok || had == c.Type:
		w.domains[domain] = c.Type
	case !had.IsInteger() || !c.Type.IsInteger():
		return wrong("column %s of %s has type %s, but other coordinates of domain %d have type %s", c.Name, w.inputs[input].Name, c.Type, domain, had)
	case isWide(had) || isWide(c.Type):
		w.domains[domain] = hugeint
	default:
		w.domains[domain] = bigint
	}
	return nil
}

var hugeint = rows.Type{ID: rows.HugeInt}

// isWide reports an integer type with values that BIGINT has not.
func isWide(t rows.Type) bool { return t.ID == rows.HugeInt || t.ID == rows.UBigInt }

// elem is the element type of a leaf whose values are a column's.
func (w *writtenProgram) elem(input, column int, leaf einsum.LeafDecl) (semiring.Elem, error) {
	c := w.inputs[input].Columns[column]
	integer := c.Type.IsInteger() && c.Type.ID != rows.UHugeInt
	switch {
	case leaf.Elem == semiring.F64 && (integer || c.Type.ID == rows.Double || c.Type.ID == rows.Float || c.Type.ID == rows.Decimal):
		return semiring.F64, nil
	case leaf.Elem != semiring.F64 && integer && isWide(c.Type):
		return semiring.I128, nil
	case leaf.Elem != semiring.F64 && integer:
		return max(leaf.Elem, semiring.I64), nil
	}
	e := &OperandError{Input: input, Column: column, Message: fmt.Sprintf("column %s of %s has type %s, but leaf %s is declared %s", c.Name, w.inputs[input].Name, c.Type, leaf.Name, leaf.Elem)}
	e.Hint = "Values are integers, or declared f64."
	return 0, e
}

// constants checks the values that the program names: they are looked up as they are
// written.
func (w *writtenProgram) constants() error {
	domains := map[string][]int{}
	for _, in := range w.Inputs {
		domains[in.Name] = in.Domains
	}
	for _, q := range w.Queries {
		for _, l := range q.Leaves {
			for _, a := range einsum.Accesses(l.Expr) {
				for m, arg := range a.Args {
					if arg.Const == nil || arg.Const.Null {
						continue
					}
					if t := w.domains[domains[a.Tensor][m]]; !constantFits(arg.Const, t) {
						return refuse("%s: a constant of this kind is none of %s", einsum.ExprString(a), t)
					}
				}
			}
		}
		for _, x := range q.Idxs {
			domains[q.Name] = append(domains[q.Name], x.Domain)
		}
	}
	return nil
}

// constantFits reports whether a constant may be a coordinate of a type.
func constantFits(c *einsum.Const, t rows.Type) bool {
	switch {
	case t.ID == rows.Varchar:
		return c.Quoted || c.Param > 0
	case t.IsInteger() && !isWide(t):
		return !c.Quoted
	}
	return false
}

// types are those of the result's columns.
func (w *writtenProgram) types() []rows.Type {
	q := w.Queries[len(w.Queries)-1]
	var out []rows.Type
	for _, x := range q.Idxs {
		out = append(out, w.domains[x.Domain])
	}
	leaves := w.Elems()[q.Name]
	for _, l := range leaves[len(leaves)-len(writtenLeaves(q)):] {
		if l.Elem == semiring.F64 {
			out = append(out, double)
		} else {
			out = append(out, hugeint)
		}
	}
	return out
}

// written is the result of a program that the user wrote.
func written(ctx context.Context, q *sqlfront.Query, facts Facts) (*Result, error) {
	p, err := einsum.Parse(q.Program)
	if err == nil {
		err = p.Check()
	}
	if err != nil {
		return nil, refuse("%s", err)
	}
	if len(p.Inputs) != len(q.From) {
		return nil, refuse("%d operands of %d tensors", len(q.From), len(p.Inputs))
	}
	var inputs []WrittenInput
	for i, in := range p.Inputs {
		input := WrittenInput{Name: in.Name}
		for _, c := range q.Operands[i] {
			input.Columns = append(input.Columns, q.From[i].Columns[c])
		}
		inputs = append(inputs, input)
	}
	w, err := newWritten(p, inputs)
	if err != nil {
		return nil, refuse("%s", err)
	}
	types := w.types()
	if !slices.EqualFunc(types, q.Columns, func(t rows.Type, c rows.Column) bool { return t == c.Type }) {
		return nil, refuse("the types of the operands are others by now")
	}
	last := p.Queries[len(p.Queries)-1]
	r := &Result{Output: last.Name, Joined: true, Written: true, Finish: Finish{Columns: q.Columns}}
	t := newTranslator(ctx, facts, nil)
	for i, f := range q.From {
		r.Loads = append(r.Loads, w.load(t, i, f))
	}
	r.Relations = t.relations
	r.Program = w.WithoutDiagonals(func(in, diagonal *einsum.Input, of []int) {
		whole := r.Loads[slices.Index(w.Inputs, in)]
		r.Loads = append(r.Loads, diagonalLoad(whole, diagonal.Name, of))
	})
	for i, x := range last.Idxs {
		r.Keys = append(r.Keys, Key{Domain: x.Domain})
		r.Groups = append(r.Groups, GroupKey{Key: i, Type: types[i]})
	}
	for i, l := range writtenLeaves(last) {
		r.Aggs = append(r.Aggs, Agg{Func: CountValue, Value: l.Name, Type: types[len(last.Idxs)+i]})
	}
	for i := range q.Columns {
		r.Finish.Project = append(r.Finish.Project, i)
	}
	return r, nil
}

// load is the load of an input.
func (w *writtenProgram) load(t *translator, i int, f sqlfront.Source) *load.Spec {
	in := w.Inputs[i]
	spec := &load.Spec{Name: in.Name, Leaves: []load.Leaf{{Name: einsum.CountLeaf, Moment: load.Rows}}}
	if f.Table != nil {
		spec.Table = f.Table.Name
	} else {
		spec.Table = t.relation(f)
	}
	typed := func(c rows.Column, as rows.Type) string {
		if c.Type == as {
			return load.Quote(c.Name)
		}
		return "CAST(" + load.Quote(c.Name) + " AS " + as.String() + ")"
	}
	columns := w.inputs[i].Columns
	for m, d := range in.Domains {
		as := w.domains[d]
		spec.Keys = append(spec.Keys, load.Key{Expr: typed(columns[m], as), Type: as, Null: load.DropNull})
	}
	var valued []string
	for l, leaf := range in.Leaves[1:] {
		c := columns[len(in.Domains)+l]
		as := c.Type
		if leaf.Elem == semiring.F64 {
			as = double
		} else if isWide(c.Type) {
			as = hugeint
		}
		spec.Leaves = append(spec.Leaves, load.Leaf{Name: leaf.Name, Moment: load.Sum, Expr: typed(c, as), Type: as})
		valued = append(valued, "("+load.Quote(c.Name)+" IS NOT NULL)")
	}
	spec.Where = conjunction(valued)
	return spec
}

// diagonalLoad is the load of the entries at which some modes have one coordinate:
// of says of each mode which one of the diagonal it is.
func diagonalLoad(whole *load.Spec, name string, of []int) *load.Spec {
	spec := *whole
	spec.Name, spec.Keys = name, nil
	where := []string{}
	if whole.Where != "" {
		where = append(where, whole.Where)
	}
	for m, g := range of {
		if g == len(spec.Keys) {
			spec.Keys = append(spec.Keys, whole.Keys[m])
			continue
		}
		where = append(where, "("+spec.Keys[g].Expr+" = "+whole.Keys[m].Expr+")")
	}
	spec.Where = conjunction(where)
	return &spec
}

// numbered are names of which those that only differ in their case have got numbers.
func numbered(names []string) []string {
	taken := map[string]bool{}
	out := make([]string, len(names))
	for i, n := range names {
		folded := strings.ToLower(n)
		out[i] = n + strings.TrimPrefix(unique(folded, taken), folded)
	}
	return out
}
