package logical

import (
	"slices"

	"github.com/trireme-db/trireme/einsum"
	"github.com/trireme-db/trireme/einsum/semiring"
)

// Quotient says how a program reads classes of the coordinates of a domain in
// place of these. The classes are those of coordinates at which all inputs over the
// domain have equal slices: nothing that the program computes tells two of them
// apart, so that it is computed once for a class,
//
//	sum(j) f(j) = sum(c) f(c) * sizes(c)
//	R(i) = sum(c) members(i,c) * R_by_class(c)
//
// while or, min and max reduce classes to what they reduce their members to. Line
// items that agree in part and supplier have the same prediction in a model of
// features of parts and suppliers, pairs of them too: of a million pairs of items
// of one part 16,000 differ.
type Quotient struct {
	Domain, Classes int // their numbers in the program
	// Inputs are those over the domain, with the names of what is read instead.
	Inputs []QuotientInput
	// Members names the tensor of a coordinate and its class, Sizes that of a class
	// and the number of its members.
	Members, Sizes string
}

// QuotientInput is one input that is read by class along a mode.
type QuotientInput struct {
	Input *einsum.Input
	Mode  int
	Name  string
}

// Quotients lists what a program could read by class: domains that each of their
// inputs has in one mode. None of their indices is compared, bound to a constant, or
// reduced by an operator for which equal members cannot be counted.
func Quotients(p *einsum.Program) []*Quotient {
	var out []*Quotient
	for _, d := range quotientDomains(p) {
		if !permits(p, d) {
			continue
		}
		q := &Quotient{Domain: d}
		names := einsum.NewNames()
		for _, in := range p.Inputs {
			names.Take(in.Name)
			for _, x := range in.Domains {
				q.Classes = max(q.Classes, x+1)
			}
		}
		for _, x := range p.Queries {
			names.Take(x.Name)
		}
		for _, in := range p.Inputs {
			if m := slices.Index(in.Domains, d); m >= 0 {
				q.Inputs = append(q.Inputs, QuotientInput{Input: in, Mode: m, Name: names.Fresh(in.Name + byClass)})
			}
		}
		q.Members, q.Sizes = names.Fresh("members"), names.Fresh("sizes")
		out = append(out, q)
	}
	return out
}

// byClass ends the names of what is read or computed by class.
const byClass = "_by_class"

// quotientDomains lists the domains that inputs have in one mode each.
func quotientDomains(p *einsum.Program) []int {
	var out []int
	twice := map[int]bool{}
	for _, in := range p.Inputs {
		for m, d := range in.Domains {
			if slices.Contains(in.Domains[:m], d) {
				twice[d] = true
			}
			if !slices.Contains(out, d) {
				out = append(out, d)
			}
		}
	}
	return slices.DeleteFunc(out, func(d int) bool { return twice[d] })
}

// permits reports whether all uses of a domain's indices are those of Quotients.
func permits(p *einsum.Program, domain int) bool {
	inputs := map[string]*einsum.Input{}
	for _, in := range p.Inputs {
		inputs[in.Name] = in
	}
	ok := true
	for _, q := range p.Queries {
		for _, l := range q.Leaves {
			einsum.Walk(l.Expr, func(e einsum.Expr) bool {
				ok = ok && permitsNode(e, domain, inputs)
				return ok
			})
		}
	}
	return ok
}

func permitsNode(e einsum.Expr, domain int, inputs map[string]*einsum.Input) bool {
	switch e := e.(type) {
	case *einsum.Compare:
		return e.L.Domain != domain && e.R.Domain != domain
	case *einsum.Access:
		in := inputs[e.Tensor]
		return in == nil || !slices.Contains(in.Domains, domain) || e.Args[slices.Index(in.Domains, domain)].Const == nil
	case *einsum.Agg:
		return e.Op == semiring.Add || e.Op.Info().Idempotent || !hasDomain(e.Idxs, domain)
	}
	return true
}

func hasDomain(idxs []einsum.Index, domain int) bool {
	return slices.ContainsFunc(idxs, func(x einsum.Index) bool { return x.Domain == domain })
}

// Apply is the program over classes. declared are its inputs that the program
// does not have: those by class, the members and the sizes.
func (q *Quotient) Apply(p *einsum.Program, outputs map[string]bool, declared []*einsum.Input) *einsum.Program {
	out := &einsum.Program{Inputs: slices.Clone(declared)}
	for _, in := range p.Inputs {
		if !slices.Contains(in.Domains, q.Domain) {
			out.Inputs = append(out.Inputs, in)
		}
	}
	names := einsum.NewNames(q.Members, q.Sizes)
	for _, in := range p.Inputs {
		names.Take(in.Name)
	}
	for _, x := range p.Queries {
		names.Take(x.Name)
	}
	for _, in := range q.Inputs {
		names.Take(in.Name)
	}
	renamed := map[string]string{}
	for _, in := range q.Inputs {
		renamed[in.Input.Name] = in.Name
	}
	for at, x := range p.Queries {
		y := q.query(x, renamed)
		if answer := outputs[x.Name] || at == len(p.Queries)-1; !answer || !hasDomain(x.Idxs, q.Domain) {
			out.Queries = append(out.Queries, y)
			continue
		}
		y.Name = names.Fresh(x.Name + byClass)
		renamed[x.Name] = y.Name // later queries read it by class
		out.Queries = append(out.Queries, y, q.spread(x, y))
	}
	return out
}

// query is a query over classes: indices of the domain become such, and a sum over
// one of them counts its members. Tensors are read under their new names.
func (q *Quotient) query(x *einsum.Query, renamed map[string]string) *einsum.Query {
	out := &einsum.Query{Name: x.Name, Idxs: q.indices(x.Idxs)}
	for _, l := range x.Leaves {
		e := einsum.Rewrite(l.Expr, func(e einsum.Expr) einsum.Expr {
			switch e := e.(type) {
			case *einsum.Agg:
				return q.counted(e)
			case *einsum.Access:
				if name, ok := renamed[e.Tensor]; ok {
					return &einsum.Access{Tensor: name, Leaf: e.Leaf, Args: e.Args}
				}
			}
			return e
		})
		out.Leaves = append(out.Leaves, einsum.Leaf{Name: l.Name, Expr: einsum.MapIndices(e, q.index)})
	}
	return out
}

// counted multiplies what a sum adds up by the sizes of the classes it is over. A
// mask stays outermost: it selects what is added.
func (q *Quotient) counted(e *einsum.Agg) einsum.Expr {
	if e.Op != semiring.Add || !hasDomain(e.Idxs, q.Domain) {
		return e
	}
	var sizes []einsum.Expr
	for _, x := range e.Idxs {
		if x.Domain == q.Domain {
			sizes = append(sizes, einsum.A(q.Sizes, einsum.CountLeaf, einsum.Ix(x)))
		}
	}
	arg := e.Arg
	if m, ok := arg.(*einsum.Map); ok && m.Op == semiring.Guard {
		args := slices.Clone(m.Args)
		args[0] = einsum.Mul(append([]einsum.Expr{args[0]}, sizes...)...)
		arg = &einsum.Map{Op: m.Op, Args: args}
	} else {
		arg = einsum.Mul(append([]einsum.Expr{arg}, sizes...)...)
	}
	return &einsum.Agg{Op: e.Op, Idxs: e.Idxs, Arg: arg}
}

// spread gives every member the entry of its class: x from y, which is x by class.
func (q *Quotient) spread(x, y *einsum.Query) *einsum.Query {
	names := einsum.NewNames()
	for _, i := range x.Idxs {
		names.Take(i.Name)
	}
	var classes []einsum.Index
	var members []einsum.Expr
	args := einsum.Ixs(x.Idxs...)
	for m, i := range x.Idxs {
		if i.Domain != q.Domain {
			continue
		}
		c := einsum.Index{Name: names.Fresh(i.Name + byClass), Domain: q.Classes}
		classes = append(classes, c)
		members = append(members, einsum.A(q.Members, einsum.CountLeaf, einsum.Ix(i), einsum.Ix(c)))
		args[m] = einsum.Ix(c)
	}
	out := &einsum.Query{Name: x.Name, Idxs: x.Idxs}
	for _, l := range x.Leaves {
		choose, times := ofOne(l.Expr)
		of := append(slices.Clone(members), einsum.A(y.Name, l.Name, args...))
		out.Leaves = append(out.Leaves, einsum.Leaf{Name: l.Name, Expr: &einsum.Agg{Op: choose, Idxs: classes, Arg: einsum.Apply(times, of...)}})
	}
	return out
}

// ofOne is how the one value of a leaf is read through members: as what the leaf
// itself is. Of floats that are no sums the greatest, since 0 + -0 is 0.
func ofOne(e einsum.Expr) (choose, times semiring.Op) {
	if m, ok := e.(*einsum.Map); ok && (m.Op == semiring.Or || m.Op == semiring.And) {
		return semiring.Or, semiring.And
	}
	switch agg, _ := aggOf(e); {
	case agg != nil && agg.Op == semiring.Or:
		return semiring.Or, semiring.And
	case agg != nil && agg.Op == semiring.Add:
		return semiring.Add, semiring.Mul
	}
	return semiring.Max, semiring.Mul
}

func (q *Quotient) indices(idxs []einsum.Index) []einsum.Index {
	out := slices.Clone(idxs)
	for i, x := range out {
		out[i] = q.index(x)
	}
	return out
}

func (q *Quotient) index(x einsum.Index) einsum.Index {
	if x.Domain == q.Domain {
		x.Domain = q.Classes
	}
	return x
}
