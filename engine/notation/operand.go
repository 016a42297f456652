package notation

import (
	"context"
	"slices"
	"strings"

	"github.com/trireme-db/trireme/einsum/expr"
	"github.com/trireme-db/trireme/internal/rows"
	"github.com/trireme-db/trireme/internal/sqlerr"
	"github.com/trireme-db/trireme/sqlfront"
)

// operand reads an argument.
func (c *call) operand(ctx context.Context, a arg) (operand, error) {
	at := c.start(a.from)
	switch {
	case c.kind(a.from) == sqlfront.TokenString && a.to == a.from+1:
		return c.quoted(a.from)
	case c.is(a.from, "(") && c.other[a.from] == a.to-1:
		return c.query(ctx, a)
	case c.isName(a.from):
		from, next := c.chain(a.from)
		if next == a.to {
			return operand{from: from, at: at, positional: true}, nil
		}
	}
	return operand{}, fail(at, "an operand is the name of a table, a string with one, or a query in parentheses").
		WithHint("As in einsum('ik,kj->ij', 'a', 'b(row, col; x)', (SELECT ..)).")
}

// query reads an operand that is a query, in which there may be calls.
func (c *call) query(ctx context.Context, a arg) (o operand, err error) {
	named := c.named
	for i := a.from; i < a.to; {
		if i, err = c.token(ctx, i); err != nil {
			return o, err
		}
	}
	c.named = named
	at := c.start(a.from)
	return operand{from: c.edits.Apply(c.src, at, c.tokens[a.to-1].End), at: at, positional: true}, nil
}

// chain reads a name, qualified or not, and returns the token behind it.
func (r *reader) chain(i int) (quotedName string, next int) {
	parts := []string{expr.Quote(r.name(i))}
	for r.is(i+1, ".") && r.isName(i+2) {
		i += 2
		parts = append(parts, expr.Quote(r.name(i)))
	}
	return strings.Join(parts, "."), i + 1
}

// quoted reads an operand inside a string.
func (c *call) quoted(token int) (operand, error) {
	in, err := newReader(unquote(c.text(token)))
	if err != nil {
		return operand{}, c.inside(err, token)
	}
	wrong := func(i int, what string) (operand, error) {
		return operand{}, fail(c.within(token, in.start(i)), "expected %s", what).
			WithHint("An operand is a table, or a table with its columns: 'a(i, k; v)' has coordinates i and k and value v.")
	}
	if !in.isName(0) {
		return wrong(0, "the name of a table")
	}
	o := operand{at: c.within(token, 0), positional: true}
	i := 0
	o.from, i = in.chain(0)
	if i == len(in.tokens) {
		return o, nil
	}
	o.positional = false
	if !in.is(i, "(") {
		return wrong(i, "the end, or columns in parentheses")
	}
	for i++; !in.is(i, ")"); {
		valued := in.is(i, ";")
		if valued {
			i++
		}
		if !in.isName(i) {
			return wrong(i, "the name of a column")
		}
		n := name{in.name(i), c.within(token, in.start(i))}
		if valued {
			o.value = &n
		} else {
			o.columns = append(o.columns, n)
		}
		i++
		switch {
		case in.is(i, ")"):
		case valued:
			return wrong(i, "a closing parenthesis")
		case in.is(i, ","):
			if i++; !in.isName(i) {
				return wrong(i, "the name of a column")
			}
		case !in.is(i, ";"):
			return wrong(i, "a comma, or a semicolon before the value")
		}
	}
	if i+1 != len(in.tokens) {
		return wrong(i+1, "the end")
	}
	return o, nil
}

// columns asks for the columns of the relation that an operand is.
func (c *call) columns(ctx context.Context, o *operand) ([]rows.Column, error) {
	columns, err := c.env.Columns(ctx, c.scope(o.at)+"SELECT * FROM "+o.from+" AS t")
	if err != nil {
		e := *sqlerr.From(err)
		e.Offset = o.at
		return nil, &e
	}
	return columns, nil
}

func names(columns []rows.Column) []string {
	out := make([]string, len(columns))
	for i, c := range columns {
		out[i] = c.Name
	}
	return out
}

// describe asks for an operand's columns.
func (c *call) describe(ctx context.Context, o *operand) (expr.Operand, error) {
	out := expr.Operand{From: o.from}
	described, err := c.columns(ctx, o)
	if err != nil {
		return out, err
	}
	columns := names(described)
	if !o.positional {
		for _, n := range o.columns {
			if err := known(columns, n, o.from); err != nil {
				return out, err
			}
			out.Modes = append(out.Modes, n.name)
		}
		if o.value == nil {
			return out, nil
		}
		out.Value = o.value.name
		return out, known(columns, *o.value, o.from)
	}
	for i, n := range columns {
		if again := slices.IndexFunc(columns[:i], func(had string) bool { return strings.EqualFold(had, n) }); again >= 0 {
			return out, sqlerr.At(sqlerr.AmbiguousColumn, o.at, "%s: two columns of an operand are named %q", callName, n)
		}
	}
	if len(columns) == 0 {
		return out, fail(o.at, "an operand without columns")
	}
	last := len(columns) - 1
	out.Modes, out.Value = slices.Clone(columns[:last]), columns[last]
	return out, nil
}

// known reports a column that a relation lacks.
func known(columns []string, n name, from string) error {
	if slices.ContainsFunc(columns, func(c string) bool { return strings.EqualFold(c, n.name) }) {
		return nil
	}
	return sqlerr.At(sqlerr.UndefinedColumn, n.at, "%s: %s has no column %q", callName, from, n.name).
		WithHint("Its columns are %s.", strings.Join(columns, ", "))
}
