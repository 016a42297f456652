package einsum

import (
	"fmt"
	"slices"

	"github.com/trireme-db/trireme/einsum/semiring"
	"github.com/trireme-db/trireme/internal/invariant"
)

// Check verifies the invariants that a program's text can show: names, arities,
// domains, operators, the place of guards, and E2 to E5. Of E1 it verifies that
// leaf 0 is named n; that all leaves have one presence only evaluation can show
// (interp does).
func (p *Program) Check() error {
	if len(p.Queries) == 0 {
		return fmt.Errorf("einsum: the program has no query")
	}
	c := &checker{tensors: map[string]*signature{}}
	for _, in := range p.Inputs {
		if err := c.input(in); err != nil {
			return fmt.Errorf("einsum: tensor %s: %w", nameString(in.Name), err)
		}
	}
	for _, q := range p.Queries {
		if err := c.query(q); err != nil {
			return fmt.Errorf("einsum: query %s: %w", nameString(q.Name), err)
		}
	}
	return nil
}

// signature is what an access may ask of a tensor.
type signature struct {
	domains []int
	leaves  map[string]bool
}

type checker struct {
	tensors map[string]*signature
	// Of the leaf being checked:
	scope map[string]int  // domains of the indices that may be used here
	bound map[string]bool // names bound anywhere in the leaf so far
	aggs  int             // aggregates around the current node
}

func (c *checker) define(name string, s *signature, leaves []string) error {
	switch {
	case name == "":
		return fmt.Errorf("it has no name")
	case c.tensors[name] != nil:
		return fmt.Errorf("the name is defined twice")
	case len(leaves) == 0 || leaves[0] != CountLeaf:
		return fmt.Errorf("leaf 0 is not %s", CountLeaf)
	}
	s.leaves = map[string]bool{}
	for _, l := range leaves {
		if s.leaves[l] || l == "" {
			return fmt.Errorf("leaf %q is empty or defined twice", l)
		}
		s.leaves[l] = true
	}
	c.tensors[name] = s
	return nil
}

func (c *checker) input(in *Input) error {
	for _, d := range in.Domains {
		if d < 0 {
			return fmt.Errorf("domain %d is negative", d)
		}
	}
	names := make([]string, len(in.Leaves))
	for i, l := range in.Leaves {
		names[i] = l.Name
		if l.Elem > semiring.F64 {
			return fmt.Errorf("leaf %s has no element type", nameString(l.Name))
		}
	}
	for _, key := range in.Keys {
		for i, m := range key {
			if m < 0 || m >= len(in.Domains) || i > 0 && m <= key[i-1] {
				return fmt.Errorf("key %v is not an ascending list of modes", key)
			}
		}
	}
	if (in.Symmetric || in.Hollow) && (len(in.Domains) != 2 || in.Domains[0] != in.Domains[1]) {
		return fmt.Errorf("only a tensor of two modes over one domain is symmetric or hollow")
	}
	return c.define(in.Name, &signature{domains: in.Domains}, names)
}

func (c *checker) query(q *Query) error {
	domains, names := make([]int, len(q.Idxs)), make([]string, len(q.Leaves))
	free := map[string]int{}
	for i, x := range q.Idxs {
		if _, ok := free[x.Name]; ok || x.Name == "" {
			return fmt.Errorf("index %q is empty or stands twice on the left", x.Name)
		}
		free[x.Name], domains[i] = x.Domain, x.Domain
	}
	for i, l := range q.Leaves {
		names[i] = l.Name
		if err := c.leaf(l.Expr, free); err != nil {
			return fmt.Errorf("leaf %s: %w", nameString(l.Name), err)
		}
	}
	// Defined last: a query does not see itself.
	return c.define(q.Name, &signature{domains: domains}, names)
}

func (c *checker) leaf(e Expr, free map[string]int) error {
	c.bound, c.aggs, c.scope = map[string]bool{}, 0, map[string]int{}
	for name, d := range free {
		c.scope[name] = d
	}
	if err := c.expr(e); err != nil {
		return err
	}
	in := Restricted(e)
	for name := range free {
		if !in[name] {
			return fmt.Errorf("no access restricts index %s (E2, E5)", nameString(name))
		}
	}
	return nil
}

func (c *checker) expr(e Expr) error {
	switch e := e.(type) {
	case *Access:
		return c.access(e)
	case *Literal:
		return checkLiteral(e)
	case *Compare:
		return c.compare(e)
	case *Map:
		return c.mapNode(e)
	case *Agg:
		return c.agg(e)
	case nil:
		return fmt.Errorf("an expression is missing")
	default:
		panic(invariant.Failed("einsum: unknown Expr %T", e))
	}
}

func (c *checker) access(a *Access) error {
	s := c.tensors[a.Tensor]
	switch {
	case s == nil:
		return fmt.Errorf("%s: no such tensor before this query (E3)", a)
	case len(a.Args) != len(s.domains):
		return fmt.Errorf("%s: the tensor has %d modes (E3)", a, len(s.domains))
	case !s.leaves[a.Leaf]:
		return fmt.Errorf("%s: the tensor has no such leaf (E3)", a)
	}
	for m, arg := range a.Args {
		if arg.Const != nil {
			if err := checkConst(arg.Const); err != nil {
				return fmt.Errorf("%s: %w", a, err)
			}
			continue
		}
		if err := c.index(arg.Index); err != nil {
			return fmt.Errorf("%s: %w", a, err)
		}
		if arg.Index.Domain != s.domains[m] {
			return fmt.Errorf("%s: index %s has domain %d, mode %d has domain %d",
				a, nameString(arg.Index.Name), arg.Index.Domain, m, s.domains[m])
		}
	}
	return nil
}

// index verifies that x may be used here, with its domain.
func (c *checker) index(x Index) error {
	d, ok := c.scope[x.Name]
	switch {
	case !ok:
		return fmt.Errorf("index %s is neither bound here nor free in the query (E2)", nameString(x.Name))
	case d != x.Domain:
		return fmt.Errorf("index %s has domain %d and domain %d", nameString(x.Name), d, x.Domain)
	}
	return nil
}

func (c *checker) compare(e *Compare) error {
	if !e.Op.Info().Mask {
		return fmt.Errorf("%s is no comparison", e.Op)
	}
	if err := c.index(e.L); err != nil {
		return fmt.Errorf("%s: %w", e, err)
	}
	if err := c.index(e.R); err != nil {
		return fmt.Errorf("%s: %w", e, err)
	}
	if e.L.Domain != e.R.Domain {
		return fmt.Errorf("%s: domains %d and %d", e, e.L.Domain, e.R.Domain)
	}
	return nil
}

func (c *checker) mapNode(m *Map) error {
	info := m.Op.Info()
	if n := len(m.Args); n < info.ArgsMin || n > info.ArgsMax || info.ArgsMax == 0 {
		return fmt.Errorf("%q over %d arguments", m.Op, n)
	}
	if m.Op == semiring.Guard && c.aggs == 0 {
		return fmt.Errorf("a guard outside an aggregate")
	}
	for _, a := range m.Args {
		if err := c.expr(a); err != nil {
			return err
		}
	}
	return nil
}

func (c *checker) agg(a *Agg) error {
	if a.Op.Info().AggName == "" {
		return fmt.Errorf("%q is no aggregate", a.Op)
	}
	for _, x := range a.Idxs {
		if _, ok := c.scope[x.Name]; ok || c.bound[x.Name] || x.Name == "" {
			return fmt.Errorf("index %q is empty, bound twice, or bound and free (E4)", x.Name)
		}
		c.bound[x.Name] = true
		c.scope[x.Name] = x.Domain
	}
	c.aggs++
	err := c.expr(a.Arg)
	c.aggs--
	for _, x := range a.Idxs {
		delete(c.scope, x.Name)
	}
	if err != nil {
		return err
	}
	in := Restricted(a.Arg)
	for _, x := range a.Idxs {
		if !in[x.Name] {
			return fmt.Errorf("no access restricts the aggregated index %s (E5)", nameString(x.Name))
		}
	}
	return nil
}

func checkLiteral(l *Literal) error {
	switch l.Elem {
	case semiring.I64:
		if _, ok := l.I.Int64(); !ok {
			return fmt.Errorf("literal %s does not fit 64 bits", l.I)
		}
	case semiring.I128, semiring.F64:
	default:
		return fmt.Errorf("a literal of element type %s", l.Elem)
	}
	return nil
}

func checkConst(k *Const) error {
	switch {
	case k.Param < 0,
		k.Param > 0 && (k.Null || k.Quoted || k.Text != ""),
		k.Null && (k.Quoted || k.Text != ""):
		return fmt.Errorf("a constant is more than one of parameter, NULL and text")
	case k.Param == 0 && !k.Null && !k.Quoted && !isNumber(k.Text):
		return fmt.Errorf("the constant %q is not a number and not quoted", k.Text)
	}
	return nil
}

// isNumber reports whether the parser reads s as a constant number.
func isNumber(s string) bool {
	if s != "" && s[0] == '-' {
		s = s[1:]
	}
	return s != "" && isDigit(s[0]) && numberEnd(s, 0) == len(s) && s[len(s)-1] != 'h'
}

// Restricted returns the names of the free indices of e that range only over
// what accesses store, given that e is present: those without whose accesses e
// is absent (FillOf).
func Restricted(e Expr) map[string]bool {
	out := map[string]bool{}
	needed(e, out)
	for _, x := range Free(e) {
		if out[x.Name] {
			continue
		}
		fill := FillOf(e, func(a *Access) Fill {
			if slices.ContainsFunc(a.Args, func(arg Arg) bool { return arg.Const == nil && arg.Index.Name == x.Name }) {
				return Fill{}
			}
			return Fill{State: FillSome}
		})
		if fill.State == FillAbsent {
			out[x.Name] = true
		}
	}
	return out
}

// needed adds the indices of the accesses without each of which e is absent: all that a
// product has, which may be thousands, in one pass.
func needed(e Expr, out map[string]bool) {
	switch e := e.(type) {
	case *Access:
		for _, arg := range e.Args {
			if arg.Const == nil {
				out[arg.Index.Name] = true
			}
		}
	case *Map:
		for i, a := range e.Args {
			if e.Op.Needs(i) {
				needed(a, out)
			}
		}
	}
}
