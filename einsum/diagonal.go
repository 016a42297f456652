package einsum

import (
	"fmt"
	"slices"

	"github.com/trireme-db/trireme/einsum/semiring"
)

// WithoutDiagonals replaces accesses that have an index twice, which kernels do not
// read: of an input by an access of its diagonal, which is another input, of a query's
// result by a sum over indices that must be equal. declared is told every diagonal: the
// input that it is of, and of that input's modes which mode of the diagonal each is.
func (p *Program) WithoutDiagonals(declared func(in, diagonal *Input, of []int)) *Program {
	out := &Program{Inputs: slices.Clone(p.Inputs)}
	names := NewNames()
	for _, in := range p.Inputs {
		names.Take(in.Name)
	}
	for _, q := range p.Queries {
		names.Take(q.Name)
	}
	d := &diagonals{inputs: p.Inputs, declared: declared, out: out, names: names, made: map[string]string{}}
	for _, q := range p.Queries {
		own := &Query{Name: q.Name, Idxs: q.Idxs}
		for _, l := range q.Leaves {
			d.indices = NewNames()
			d.indices.TakeIndices(l.Expr)
			own.Leaves = append(own.Leaves, Leaf{Name: l.Name, Expr: Rewrite(l.Expr, d.access)})
		}
		out.Queries = append(out.Queries, own)
	}
	return out
}

// diagonals is WithoutDiagonals under way.
type diagonals struct {
	inputs   []*Input
	declared func(in, diagonal *Input, of []int)
	out      *Program
	names    *Names // of tensors
	indices  *Names // of the leaf
	made     map[string]string
}

func (d *diagonals) access(e Expr) Expr {
	a, ok := e.(*Access)
	if !ok {
		return e
	}
	of, args := groups(a)
	if len(args) == len(a.Args) {
		return e
	}
	if i := slices.IndexFunc(d.inputs, func(in *Input) bool { return in.Name == a.Tensor }); i >= 0 {
		return &Access{Tensor: d.input(d.inputs[i], of), Leaf: a.Leaf, Args: args}
	}
	own := &Access{Tensor: a.Tensor, Leaf: a.Leaf, Args: slices.Clone(a.Args)}
	var over []Index
	body := []Expr{own}
	for m, g := range of {
		if slices.Index(of, g) == m {
			continue
		}
		x := a.Args[m].Index
		y := Index{Name: d.indices.Fresh(x.Name), Domain: x.Domain}
		own.Args[m] = Ix(y)
		over = append(over, y)
		body = append(body, &Compare{Op: semiring.Eq, L: x, R: y})
	}
	return Sum(over, Mul(body...))
}

// groups numbers the modes of an access, those with one index alike, and returns
// an argument for each number.
func groups(a *Access) (of []int, args []Arg) {
	seen := map[string]int{}
	for _, arg := range a.Args {
		if arg.Const == nil {
			if g, ok := seen[arg.Index.Name]; ok {
				of = append(of, g)
				continue
			}
			seen[arg.Index.Name] = len(args)
		}
		of = append(of, len(args))
		args = append(args, arg)
	}
	return of, args
}

// input declares the diagonal of an input and returns its name.
func (d *diagonals) input(in *Input, of []int) string {
	key := in.Name + "\x00" + fmt.Sprint(of)
	if name, ok := d.made[key]; ok {
		return name
	}
	name := d.names.Fresh(in.Name + "_diagonal")
	d.made[key] = name
	own := &Input{Name: name, Leaves: in.Leaves}
	for m, g := range of {
		if g == len(own.Domains) {
			own.Domains = append(own.Domains, in.Domains[m])
		}
	}
	d.out.Inputs = append(d.out.Inputs, own)
	d.declared(in, own, of)
	return name
}
