package notation

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/einsum/expr"
	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/internal/sqlerr"
	"github.com/trireme-db/trireme/sqlfront"
	"github.com/trireme-db/trireme/translate"
)

func failProgram(offset int, format string, args ...any) *sqlerr.Error {
	return sqlerr.At(sqlerr.SyntaxError, offset, programName+": "+format, args...)
}

// program is the SELECT that stands for a call of tensor.
func (c *call) program(ctx context.Context) (string, error) {
	text := unquote(c.text(c.expression))
	p, places, err := einsum.ParsePlaced(text)
	if err != nil {
		return "", c.inside(err, c.expression)
	}
	if err := checked(p, places); err != nil {
		return "", c.inside(err, c.expression)
	}
	given, err := c.given(ctx, p)
	if err != nil {
		return "", err
	}
	out := &sqlfront.Program{Text: text}
	inputs := make([]translate.WrittenInput, len(p.Inputs))
	picks := make([]pick, len(p.Inputs))
	for i, in := range p.Inputs {
		o, ok := given[in.Name]
		if !ok {
			o = operand{from: expr.Quote(in.Name), at: c.within(c.expression, places.Inputs[i]), positional: true}
		}
		if picks[i], err = c.pick(ctx, &o); err != nil {
			return "", err
		}
		inputs[i] = translate.WrittenInput{Name: in.Name, Columns: picks[i].columns}
		out.Operands = append(out.Operands, sqlfront.ProgramOperand{From: o.from, Columns: names(picks[i].columns)})
	}
	types, err := translate.WrittenTypes(p, inputs)
	if err != nil {
		return "", c.unfit(err, picks)
	}
	for i, name := range translate.WrittenColumns(p) {
		out.Columns = append(out.Columns, rows.Column{Name: name, Type: types[i]})
	}
	addParams(p, out.Operands)
	return out.SQL(), nil
}

// checked verifies a program. The error is at the leaf, or the tensor, that is wrong.
func checked(p *einsum.Program, places *einsum.Places) error {
	err := p.Check()
	if err == nil {
		for i, q := range p.Queries {
			if l := q.Unlike(); l > 0 {
				e := q.UnlikeError(l)
				return failProgram(places.QueryLeaves[i][l], "%s", e.Message).WithHint("%s", e.Hint)
			}
		}
		return nil
	}
	return failProgram(offending(p, places), "%s", strings.TrimPrefix(err.Error(), "einsum: ")).
		WithHint("The first leaf of every tensor is n, its number of rows, and every index is one of a tensor that a factor reads.")
}

// offending is the place of the first part without which a program that is no legal one
// would be.
func offending(p *einsum.Program, places *einsum.Places) int {
	legal := func(inputs int, queries ...*einsum.Query) bool {
		part := &einsum.Program{Inputs: p.Inputs[:inputs], Queries: queries}
		return part.Check() == nil
	}
	none := &einsum.Query{Name: " ", Leaves: []einsum.Leaf{{Name: einsum.CountLeaf, Expr: einsum.Int(1)}}}
	for i := range p.Inputs {
		if !legal(i+1, none) {
			return places.Inputs[i]
		}
	}
	for i, q := range p.Queries {
		for l := range q.Leaves {
			part := *q
			part.Leaves = q.Leaves[:l+1]
			if !legal(len(p.Inputs), append(slices.Clone(p.Queries[:i]), &part)...) {
				return places.QueryLeaves[i][l]
			}
		}
	}
	return 0
}

// given are the operands by the names of the tensors that they stand for.
func (c *call) given(ctx context.Context, p *einsum.Program) (map[string]operand, error) {
	given := map[string]operand{}
	for _, a := range c.args {
		o, name, at, err := c.argument(ctx, a)
		if err != nil {
			return nil, err
		}
		i := slices.IndexFunc(p.Inputs, func(in *einsum.Input) bool { return in.Name == name })
		if i < 0 { // names that are not quoted have no case in SQL
			i = slices.IndexFunc(p.Inputs, func(in *einsum.Input) bool { return strings.EqualFold(in.Name, name) })
		}
		if i < 0 {
			return nil, failProgram(at, "the program declares no tensor %s", name).WithHint("As in: tensor %s(0,1) { n pattern, v f64 }", name)
		}
		name = p.Inputs[i].Name
		if _, twice := given[name]; twice {
			return nil, failProgram(at, "two operands for the tensor %s", name)
		}
		given[name] = o
	}
	return given, nil
}

// argument reads an argument E := operand or 'E = table', and where its name is.
func (c *call) argument(ctx context.Context, a arg) (o operand, name string, at int, err error) {
	at = c.start(a.from)
	if c.kind(a.from) == sqlfront.TokenString && a.to == a.from+1 {
		return c.namedInside(a.from)
	}
	if !c.isName(a.from) {
		return o, "", at, wrongNamed(at)
	}
	name = c.name(a.from)
	from := a.from + 1
	switch {
	case c.is(from, ":=", "=>"):
		from++
	case c.is(from, ":") && c.is(from+1, "="), c.is(from, "=") && c.is(from+1, ">"):
		from += 2
	default:
		return o, name, at, wrongNamed(c.start(from))
	}
	if from >= a.to {
		return o, name, at, wrongNamed(c.start(from))
	}
	if c.kind(from) == sqlfront.TokenString && a.to == from+1 {
		in, err := newReader(unquote(c.text(from)))
		if err != nil {
			return o, name, at, c.inside(err, from)
		}
		o, err = c.table(in, 0, from)
		return o, name, at, err
	}
	o, err = c.operand(ctx, arg{from, a.to})
	return o, name, at, err
}

func wrongNamed(at int) *sqlerr.Error {
	return failProgram(at, "an operand is given by the name of its tensor").
		WithHint("As in tensor('tensor E(0,0) { n pattern } ..', E := 'edges'), or 'E=edges', or E := (SELECT ..); 'edges(src, dst; w)' names columns.")
}

// namedInside reads an argument 'E = table'.
func (c *call) namedInside(token int) (o operand, name string, at int, err error) {
	at = c.within(token, 0)
	in, err := newReader(unquote(c.text(token)))
	if err != nil {
		return o, "", at, c.inside(err, token)
	}
	if !in.isName(0) {
		return o, "", at, wrongNamed(at)
	}
	next := 2
	switch {
	case in.is(1, ":=", "=", "=>"):
	case in.is(1, ":") && in.is(2, "="):
		next = 3
	default:
		return o, "", at, wrongNamed(c.within(token, in.start(1)))
	}
	o, err = c.table(in, next, token)
	return o, in.name(0), at, err
}

// table reads a table and its columns, from token i of the string at a token on.
func (c *call) table(in *reader, i, token int) (operand, error) {
	wrong := func(what string) (operand, error) {
		return operand{}, failProgram(c.within(token, in.start(i)), "expected %s", what).
			WithHint("An operand is a table, or a table with its columns: 'edges(src, dst; w)'.")
	}
	if !in.isName(i) {
		return wrong("the name of a table")
	}
	o := operand{at: c.within(token, in.start(i)), positional: true}
	o.from, i = in.chain(i)
	if i == len(in.tokens) {
		return o, nil
	}
	if !in.is(i, "(") {
		return wrong("the end, or columns in parentheses")
	}
	o.positional = false
	if i++; in.is(i, ";") {
		i++
	}
	for !in.is(i, ")") {
		if !in.isName(i) {
			return wrong("the name of a column")
		}
		o.columns = append(o.columns, name{in.name(i), c.within(token, in.start(i))})
		switch i++; {
		case in.is(i, ")"):
		case in.is(i, ",", ";") && in.isName(i+1):
			i++
		case in.is(i, ",", ";"):
			i++
			return wrong("the name of a column")
		default:
			return wrong("a comma, or a semicolon before the values")
		}
	}
	if i++; i != len(in.tokens) {
		return wrong("the end")
	}
	return o, nil
}

// pick is the columns of an operand that are used, and their places in the statement.
type pick struct {
	at      int
	columns []rows.Column
	places  []int
}

func (c *call) pick(ctx context.Context, o *operand) (pick, error) {
	out := pick{at: o.at}
	columns, err := c.columns(ctx, o)
	if err != nil {
		return out, err
	}
	if o.positional {
		for i, col := range columns {
			if slices.ContainsFunc(columns[:i], func(had rows.Column) bool { return strings.EqualFold(had.Name, col.Name) }) {
				return out, sqlerr.At(sqlerr.AmbiguousColumn, o.at, "%s: two columns of an operand are named %q", programName, col.Name)
			}
			out.places = append(out.places, o.at)
		}
		out.columns = columns
		return out, nil
	}
	for _, n := range o.columns {
		if err := known(names(columns), n, o.from); err != nil {
			return out, err
		}
		i := slices.IndexFunc(columns, func(col rows.Column) bool { return strings.EqualFold(col.Name, n.name) })
		out.columns, out.places = append(out.columns, columns[i]), append(out.places, n.at)
	}
	return out, nil
}

// unfit places an error of the operands' types.
func (c *call) unfit(err error, picks []pick) error {
	var e *translate.OperandError
	if !errors.As(err, &e) {
		return sqlerr.At(sqlerr.DatatypeMismatch, c.within(c.expression, 0), "%s: %s", programName, err)
	}
	at := picks[e.Input].at
	if e.Column >= 0 {
		at = picks[e.Input].places[e.Column]
	}
	return sqlerr.At(sqlerr.DatatypeMismatch, at, "%s: %s", programName, e.Message).WithHint("%s", e.Hint)
}

// addParams notes which parameters of the statement stand for values of which columns.
func addParams(p *einsum.Program, operands []sqlfront.ProgramOperand) {
	domains := map[string][]int{}
	column := map[int][2]int{} // a column of each domain
	for i, in := range p.Inputs {
		domains[in.Name] = in.Domains
		for m, d := range in.Domains {
			if _, ok := column[d]; !ok {
				column[d] = [2]int{i, m}
			}
		}
	}
	seen := map[string]bool{}
	for _, q := range p.Queries {
		for _, l := range q.Leaves {
			for _, a := range einsum.Accesses(l.Expr) {
				for m, arg := range a.Args {
					if arg.Const == nil || arg.Const.Param == 0 {
						continue
					}
					at := column[domains[a.Tensor][m]]
					if key := fmt.Sprint(arg.Const.Param, at); !seen[key] {
						seen[key] = true
						o := &operands[at[0]]
						o.Params = append(o.Params, sqlfront.ProgramParam{N: arg.Const.Param, Column: at[1]})
					}
				}
			}
		}
		for _, x := range q.Idxs {
			domains[q.Name] = append(domains[q.Name], x.Domain)
		}
	}
}
