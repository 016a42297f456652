package cache

import (
	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/optimizer/logical"
	"github.com/trireme-db/trireme/optimizer/physical"
)

// template returns a program's text with its constants replaced by numbers, and
// the constants by number. Equal constants have one number, so two accesses that
// differ in their constants alone stay two in every program of one template.
// NULL stays in the text: it matches nothing, whatever the data.
func template(p *einsum.Program) (text string, consts []einsum.Const) {
	numbers := map[einsum.Const]*einsum.Const{}
	return constants(func(c *einsum.Const) *einsum.Const {
		if c.Null {
			return c
		}
		n, ok := numbers[*c]
		if !ok {
			consts = append(consts, *c)
			n = &einsum.Const{Param: len(consts)}
			numbers[*c] = n
		}
		return n
	}).program(p).String(), consts
}

// constants replaces constants. What it returns shares the nodes in which
// nothing changed with what it was given.
type constants func(*einsum.Const) *einsum.Const

// between returns the replacement of every constant of from by that of the same
// number in to.
func between(from, to []einsum.Const) constants {
	by := make(map[einsum.Const]*einsum.Const, len(from))
	for i := range from {
		by[from[i]] = &to[i]
	}
	return func(c *einsum.Const) *einsum.Const {
		if n, ok := by[*c]; ok {
			return n
		}
		return c
	}
}

func (f constants) args(args []einsum.Arg) []einsum.Arg {
	out := args
	for i, a := range args {
		if a.Const == nil {
			continue
		}
		if n := f(a.Const); *n != *a.Const {
			if &out[0] == &args[0] {
				out = append([]einsum.Arg(nil), args...)
			}
			out[i].Const = n
		}
	}
	return out
}

func (f constants) access(a *einsum.Access) *einsum.Access {
	if len(a.Args) == 0 {
		return a
	}
	if args := f.args(a.Args); &args[0] != &a.Args[0] {
		return &einsum.Access{Tensor: a.Tensor, Leaf: a.Leaf, Args: args}
	}
	return a
}

func (f constants) query(q *einsum.Query) *einsum.Query {
	out := &einsum.Query{Name: q.Name, Idxs: q.Idxs, Leaves: make([]einsum.Leaf, len(q.Leaves))}
	for i, l := range q.Leaves {
		out.Leaves[i] = einsum.Leaf{Name: l.Name, Expr: einsum.Rewrite(l.Expr, func(e einsum.Expr) einsum.Expr {
			if a, ok := e.(*einsum.Access); ok {
				return f.access(a)
			}
			return e
		})}
	}
	return out
}

func (f constants) queries(qs []*einsum.Query) []*einsum.Query {
	out := make([]*einsum.Query, len(qs))
	for i, q := range qs {
		out[i] = f.query(q)
	}
	return out
}

func (f constants) program(p *einsum.Program) *einsum.Program {
	return &einsum.Program{Inputs: p.Inputs, Queries: f.queries(p.Queries)}
}

func (f constants) logical(p *logical.Plan) *logical.Plan {
	out := *p
	out.Steps = make([]*logical.Step, len(p.Steps))
	for i, s := range p.Steps {
		step := *s
		step.Query = f.query(s.Query)
		out.Steps[i] = &step
	}
	return &out
}

func (f constants) physical(p *physical.Plan) *physical.Plan {
	out := *p
	out.Steps = make([]*physical.Step, len(p.Steps))
	for i, s := range p.Steps {
		step := *s
		step.Query = f.query(s.Query)
		step.Operands = make([]physical.Operand, len(s.Operands))
		for k, o := range s.Operands {
			o.Args = f.args(o.Args)
			step.Operands[k] = o
		}
		out.Steps[i] = &step
	}
	return &out
}
